"""The comment of ours that answers commands: one on a pull request, edited for each answer, so that
none is repeated. Every foreign word passes the doors of `text.safe`."""

from collections.abc import Iterator, Mapping

from ..findings.waivers import AcceptedFinding
from ..model.finding import Finding, FindingState
from ..model.report import Report
from ..reporters import _words
from ..text.patterns import lazy_pattern
from ..text.safe import code_block, markdown_paragraphs, safe_block, without_commands
from .posted_text import short_words
from .rows import code_place, origin_text

COMMANDS = {
    "review [SHA]": "review the head again, or a commit of this pull request",
    "recheck": "look at CI and at dismissals again, without asking models",
    "dismiss FINGERPRINT REASON": "the finding is a false alarm",
    "undismiss FINGERPRINT": "take that back",
    "explain FINGERPRINT": "what the finding is and where it stands",
    "help": "this list",
}
HELP = "help"
_MARK = "<!-- reviewgate-gh:answers -->"
_SECTION = lazy_pattern(r"(?m)^<!-- reviewgate-gh:answer ([\w:-]{1,80}) -->$")
_HEADING = f"**{_words.PROGRAM_NAME}: answers to commands**"
_MOST = 60_000  # characters; GitHub takes 65,536
_MOST_REFUSALS = 5
_MOST_ROWS = 20
_BODY, _SUGGESTION = 6_000, 3_000
_STATES = {
    FindingState.OPEN: "open",
    FindingState.OUTSIDE_DIFF: "not about lines that this change touches",
    FindingState.WAIVED: "waived",
    FindingState.DISMISSED: "dismissed",
    FindingState.DUPLICATE: "a duplicate",
    FindingState.REFUTED: "refuted",
}


def read_answers(body: str) -> dict[str, str] | None:
    """The answers that a comment of ours holds, by their names; None for any other text."""
    if not body.startswith(_MARK):
        return None
    _, *parts = _SECTION.split(body)
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def with_answers(before: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """The answers with new ones, the newest first; one that says what is there leaves it in its
    place."""
    fresh = {name: text for name, text in new.items() if before.get(name) != text}
    found = {**fresh, **{name: text for name, text in before.items() if name not in fresh}}
    refused = [name for name in found if name.startswith("refused:")]
    for name in refused[_MOST_REFUSALS:]:
        del found[name]
    while len(found) > 1 and len(answers_text(found)) > _MOST:
        del found[list(found)[-1]]
    return found


def answers_text(answers: Mapping[str, str]) -> str:
    """The comment's text."""
    parts = (f"<!-- reviewgate-gh:answer {name} -->\n{text}" for name, text in answers.items())
    return without_commands("\n\n".join((_MARK, _HEADING, *parts)))


def help_text() -> str:
    """Which commands there are."""
    rows = (f"- `/reviewgate-gh {usage}`: {what}" for usage, what in COMMANDS.items())
    head = "Commands, each on a line of its own, for people with write permission:"
    return "\n".join((head, "", *rows))


def refusal(comment: int, reason: str) -> tuple[str, str]:
    """The name of an answer that a command was not carried out, and its text."""
    return (
        f"refused:{comment}",
        f"Not done for [this comment](#issuecomment-{comment}): {short_words(reason, 600)}",
    )


def earlier_review(report: Report) -> tuple[str, str]:
    """The name of an answer about a commit that is not the head, and its text: the summary of the
    pull request is about the head alone."""
    commit = report.change.head[:12]
    verdict, *rest = _words.summary_parts(report)
    where = f"Commit {code_place(commit, 40)}, which is not the head"
    said = f"{where}: **{short_words(verdict, 200)}**"
    facts = short_words(" · ".join(rest), 1_000)
    found = _words.confident_findings(report)
    rows = [
        f"- **{each.priority.value}** {code_place(each.location, 100)} "
        f"{short_words(each.title, 200)} (`{each.fingerprint}`)"
        for each in found[:_MOST_ROWS]
    ]
    more = [f"- and {len(found) - _MOST_ROWS:,} more"] if len(found) > _MOST_ROWS else []
    return f"review:{commit}", "\n".join((f"{said} · {facts}", "", *rows, *more)).rstrip()


def explanation(finding: Finding, report: Report) -> str:
    """What a finding is and where it stands."""
    return "\n\n".join(_explained(finding, report))


def _explained(finding: Finding, report: Report) -> Iterator[str]:
    title = short_words(finding.title, 400)
    place = code_place(finding.location, 200)
    yield f"**{finding.priority.value}** {place} {title}\n\n{origin_text(finding)}"
    yield "\n".join(f"- {each}" for each in _facts(finding, report))
    if finding.body.strip():
        yield markdown_paragraphs(finding.body, _BODY)
    if finding.excerpt:
        rows = (f"{line.number} {line.text}" for line in finding.excerpt)
        yield code_block(safe_block("\n".join(rows))[:_SUGGESTION])
    if finding.suggestion:
        yield f"Suggestion:\n\n{code_block(safe_block(finding.suggestion)[:_SUGGESTION])}"
    if finding.state is FindingState.OPEN:
        yield (
            "If it is a false alarm, somebody with write permission may comment "
            f"`/reviewgate-gh dismiss {finding.fingerprint} REASON`"
        )
    elif finding.state is FindingState.DISMISSED:
        yield f"To take that back: `/reviewgate-gh undismiss {finding.fingerprint}`"


def _facts(finding: Finding, report: Report) -> Iterator[str]:
    note = f": {short_words(finding.note, 600)}" if finding.note else ""
    yield f"State: {_STATES[finding.state]}{note}"
    if finding.state is FindingState.OPEN:
        blocks = finding in _words.confident_findings(report) and finding.priority.reaches(
            report.threshold
        )
        why = f"what blocks is {report.threshold} and more severe, with high confidence"
        yield f"{'It blocks' if blocks else 'It does not block'}: {short_words(why, 200)}"
    if others := _words.other_places(finding):
        yield f"Also at {short_words(_words.join_first(others, 20), 1_000)}"


def stated_explanation(name: str, stated: AcceptedFinding) -> str:
    """The same for a finding of which only our earlier comment or row is known."""
    priority = f"**{stated.priority.value}** " if stated.priority else ""
    return (
        f"{priority}{short_words(stated.title, 400)} (`{name}`)\n\n- State: said earlier; the "
        "present head does not have it"
    )
