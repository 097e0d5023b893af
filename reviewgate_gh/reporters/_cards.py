"""Findings as HTML: place and title, the code, the remark, the suggestion as a difference, and what
others said of the same."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from ..model.finding import Confidence, Finding, FindingState
from ..model.report import Report, ReviewedChange
from ..text.safe import safe_code, safe_line
from . import _words
from ._excerpt import MOST_LINES, ExcerptLine, excerpt_lines, shown_columns, suggested_change
from ._links import blob_url, remark, rule_page
from ._markup import NOTHING, Html, code, element, line, markup, prose

_MOST_BODY = 6_000  # characters
_MOST_SAID = 500
_MOST_PLACES = 50
_MOST_DUPLICATES = 10
REVIEW_STATE = "review"  # open, but for people to decide
STATES = {
    FindingState.OPEN.value: "open",
    REVIEW_STATE: "needs human review",
    FindingState.REFUTED.value: "refuted",
    FindingState.DISMISSED.value: "dismissed",
    FindingState.WAIVED.value: "waived",
    FindingState.DUPLICATE.value: "duplicate",
    FindingState.OUTSIDE_DIFF.value: "not new",
}


class CardContext(Struct, frozen=True):
    """What cards need beside their finding: a number for each reviewer, and the duplicates of each
    finding."""

    change: ReviewedChange
    reviewers: Mapping[str, int]
    duplicates: Mapping[Finding, Sequence[Finding]]


def card_context(report: Report) -> CardContext:
    """The same for all cards of a report."""
    sources = dict.fromkeys(source for each in report.findings for source in each.sources)
    numbers = {source: number for number, source in enumerate(sources)}
    return CardContext(report.change, numbers, _duplicates(report.findings))


def shown_state(finding: Finding) -> str:
    """A key of STATES."""
    doubtful = finding.state is FindingState.OPEN and finding.confidence is Confidence.LOW
    return REVIEW_STATE if doubtful else finding.state.value


def card(finding: Finding, context: CardContext, name: Html) -> Html:
    """All of a finding; links lead to it by `name`."""
    state = shown_state(finding)
    return element(
        "article",
        _heading(finding, name),
        element("p", *_facts(finding, context.change), class_="facts"),
        _why_set_aside(finding),
        # A duplicate's code is shown where the finding is that stands for it
        _code(finding) if finding.state is not FindingState.DUPLICATE else NOTHING,
        _paragraphs(remark(finding)),
        _paragraphs(finding.note if finding.state is FindingState.OPEN else ""),
        _difference(finding),
        *_elsewhere(finding, context.change),
        _said(finding, context.duplicates.get(finding, ())),
        id=name,
        tabindex="-1",
        data_p=finding.priority.value,
        data_s=state,
        data_r=" ".join(str(context.reviewers[source]) for source in finding.sources),
    )


def _place(change: ReviewedChange, finding: Finding) -> Html:
    """Its place, with a link to its lines where the report knows one."""
    side = change.base if finding.side == "LEFT" else change.head
    url = blob_url(change.repository, side, finding.path, finding.line_start, finding.line_end)
    numbers = Html(finding.position[len(finding.path) :])
    return _linked(element("code", line(finding.path, 4_096), numbers), url)


def _linked(shown: Html, url: str) -> Html:
    return element("a", shown, href=url) if url else shown


def _heading(finding: Finding, name: Html) -> Html:
    priority = finding.priority.value
    badge = element("span", priority, class_=f"badge {priority}")
    title = element("a", _short(finding.title), href=Html(f"#{name}"))
    return element("h4", badge, " ", title)


def _facts(finding: Finding, change: ReviewedChange) -> Iterator[Html]:
    yield _place(change, finding)
    rule, url = _words.rule_or_category(finding), rule_page(finding)
    if rule:
        yield markup(" · ", _linked(element("code", line(rule)), url))
    if finding.sources:
        yield markup(" · found by ", line(", ".join(finding.sources)))
    if shown_state(finding) == REVIEW_STATE:
        yield markup(" · ", element("strong", "needs human review"))
    yield markup(" · ", element("code", Html(finding.fingerprint)))


def _why_set_aside(finding: Finding) -> Html:
    if finding.state is FindingState.OPEN:
        return NOTHING
    why = line(finding.note, 1_000) or "no reason is in the report"
    return element("p", element("strong", STATES[finding.state.value]), ": ", why, class_="state")


def _code(finding: Finding) -> Html:
    lines = [_code_line(finding, each) for each in excerpt_lines(finding)]
    if (left := len(finding.excerpt) - MOST_LINES) > 0:
        lines.append(element("span", f"… {_words.count_noun(left, 'more line')}"))
    return element("pre", *lines) if lines else NOTHING


def _code_line(finding: Finding, each: ExcerptLine) -> Html:
    number = element("i", Html(each.number or "…"))
    columns = shown_columns(finding, each, safe_code(each.text))
    return element("span", number, code(each.text, columns), class_=each.anchored and "hit")


def _paragraphs(text: str) -> Html:
    shown = prose(text, _MOST_BODY)
    return element("p", shown, class_="prose") if shown else NOTHING


def _short(text: str) -> Html:
    return prose(safe_line(text, _MOST_SAID), _MOST_SAID)


def _difference(finding: Finding) -> Html:
    if finding.suggestion is None:
        return NOTHING
    removed, added = suggested_change(finding)
    heading = "Suggestion: replace with" if finding.suggestion else "Suggestion: delete it"
    lines = [*_marked("del", "-", removed), *_marked("ins", "+", added)]
    return markup(element("p", heading), element("pre", *lines) if lines else NOTHING)


def _marked(name: str, mark: str, lines: Sequence[str]) -> Iterator[Html]:
    for text in lines[:MOST_LINES]:
        yield element(name, f"{mark} ", code(text))
    if len(lines) > MOST_LINES:
        yield element("span", f"… {_words.count_noun(len(lines) - MOST_LINES, 'more line')}")


def _elsewhere(finding: Finding, change: ReviewedChange) -> Iterator[Html]:
    if finding.cause:
        path, number = finding.cause
        url = blob_url(change.repository, change.head, path, number)
        shown = element("code", line(finding.cause.location, 4_096))
        yield element("p", "The change that causes it: ", _linked(shown, url))
    if others := _words.other_places(finding):
        yield element("p", "Also at ", line(_words.join_first(others, _MOST_PLACES), 10_000))


def _said(finding: Finding, duplicates: Sequence[Finding]) -> Html:
    """What others said of the same in words of their own, with who said it."""
    who = defaultdict[str, list[str]](list)
    for each in duplicates:
        if (each.title, each.body) != (finding.title, finding.body):
            names = each.sources or (_words.rule_or_category(each),)
            who[": ".join(filter(None, [each.title, each.body]))] += names
    if not who:
        return NOTHING
    rows = [
        element("li", element("strong", line(", ".join(dict.fromkeys(names)))), " ", _short(text))
        for text, names in list(who.items())[:_MOST_DUPLICATES]
    ]
    if len(who) > _MOST_DUPLICATES:
        rows.append(element("li", f"{len(who) - _MOST_DUPLICATES:,} more"))
    return markup(element("p", "Also said:"), element("ul", *rows))


def _duplicates(findings: Iterable[Finding]) -> Mapping[Finding, Sequence[Finding]]:
    """By the finding that stands for them, the nearest one that a duplicate's note names by rule,
    title or place."""
    heads = defaultdict[tuple[str, str], list[Finding]](list)
    for each in sorted(findings, key=_line):
        if each.state is not FindingState.DUPLICATE:
            for name in dict.fromkeys((each.rule, each.title)):
                heads[each.path, f"same as {name}"].append(each)
            heads["", f"same as {each.title} at {each.location}"].append(each)
    found = defaultdict[Finding, list[Finding]](list)
    for each in findings:
        if each.state is FindingState.DUPLICATE:
            candidates = heads.get((each.path, each.note)) or heads.get(("", each.note), [])
            if candidates:
                found[_nearest(candidates, each.line_start)].append(each)
    return found


def _nearest(candidates: Sequence[Finding], number: int) -> Finding:
    """The finding whose line is nearest; they are in the order of their lines."""
    at = bisect_left(candidates, number, key=_line)
    around = candidates[max(at - 1, 0) : at + 1]
    return min(around, key=lambda each: abs(each.line_start - number))


def _line(finding: Finding) -> int:
    return finding.line_start
