"""For a person with a browser: the verdict and why, each finding with its code, who read what. One
file that loads nothing; scripts add filters and keys, and all can be read without them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..model.finding import Finding, FindingState
from ..model.report import Outcome, Report
from ..text.safe import safe_line
from . import _words
from ._cards import REVIEW_STATE, STATES, CardContext, card, card_context, shown_state
from ._look import OutputStyle
from ._markup import NOTHING, Child, Html, element, line, markup
from ._page import page, section
from ._tables import cost_table, coverage_table, listed, notes, reviewers_table

MAX_BYTES = 25_000_000  # of findings, the open ones first
_MOST_REVIEWERS = 200  # in the list to choose one from
_MANY = 200  # findings; beyond, a browser draws only those that it shows
_ASIDE = [state for state in STATES if state not in (FindingState.OPEN.value, REVIEW_STATE)]
_PARTS = {
    "findings": "Findings",
    "set-aside": "Set aside",
    "coverage": "Who read what",
    "reviewers": "Reviewers",
    "cost": "Cost",
    "notes": "Notes",
}


def render(report: Report, style: OutputStyle) -> str:
    """The whole page."""
    return render_within(report, MAX_BYTES)


def render_within(report: Report, most: int) -> str:
    """The page with about so many bytes of findings; what it has no room for is counted."""
    context = card_context(report)
    parts: Mapping[str, Sequence[Html]] = {
        **_findings(report, context, most),
        "coverage": [coverage_table(report)],
        "reviewers": [reviewers_table(report.reviews)],
        "cost": [cost_table(report.reviews)],
        "notes": list(notes(report)),
    }
    sections = [section(name, heading, *parts[name]) for name, heading in _PARTS.items()]
    links = [
        element("li", element("a", heading, href=f"#{name}"))
        for (name, heading), each in zip(_PARTS.items(), sections, strict=True)
        if each
    ]
    return page(
        f"{_words.PROGRAM_NAME}: {_words.verdict_text(report)}",
        element("header", *_top(report)),
        element("nav", element("ul", *links), aria_label="Parts of the report"),
        element("main", _filters(report, context), *sections),
        _KEYS,
        many=len(report.findings) > _MANY,
    )


def _top(report: Report) -> Iterator[Html]:
    verdict, *rest = _words.summary_parts(report)
    outcome = report.verdict.outcome
    yield element("h1", f"{_words.PROGRAM_NAME}: ", element("span", line(verdict), class_=outcome))
    yield element("p", line(" · ".join(rest), 2_000))
    if report.skipped:
        text = line(report.skipped, 1_000)
        yield element("p", element("strong", "The gate was overridden: "), text, class_="override")
    yield listed(_words.inconclusive_reasons(report) or report.verdict.reasons)
    if outcome is Outcome.BLOCK and not report.skipped:
        first = next(iter(_words.confident_findings(report)), None)
        command = f"waive add {first.fingerprint if first else 'FINGERPRINT'} --reason 'WHY'"
        yield element("p", "A false alarm? ", element("code", f"{_words.PROGRAM_NAME} {command}"))
    facts = [
        markup(element("dt", name), element("dd", line(text, 1_000)))
        for name, text in _facts(report)
        if text
    ]
    yield element("dl", *facts)


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    change = report.change
    commits = f", {_words.count_noun(len(change.commits), 'commit')}" if change.commits else ""
    yield "Change", f"{change.base:.12}..{change.head:.12}{commits}"
    yield "Repository", change.repository
    yield "Blocks from", f"{report.threshold} (mode: {report.mode})"
    yield "Run", " to ".join(filter(None, [report.started, report.finished]))
    yield "By", report.actor
    yield "Configuration", report.config_source
    yield "Models", report.verdict.quorum
    yield "Report", report.review_id


def _findings(report: Report, context: CardContext, most: int) -> Mapping[str, Sequence[Html]]:
    """The cards, as many as there is room for: of open findings by file, of others by state."""
    opened = [*_words.confident_findings(report), *_words.uncertain_findings(report)]
    aside = sorted(
        _words.set_aside_findings(report), key=lambda each: _ASIDE.index(shown_state(each))
    )
    cards = _fitting([*opened, *aside], context, most)
    shown = len(cards)
    files = _grouped(opened[:shown], cards, lambda each: each.path)
    states = _grouped(aside[: max(shown - len(opened), 0)], cards[len(opened) :], shown_state)
    left = len(opened) + len(aside) - shown
    more = f"{_words.count_noun(left, 'more finding')}: see --output json" if left else ""
    unlisted = sum(row.outside for row in report.reviews)
    old = f"{unlisted:,} more on unchanged lines were counted only." if unlisted else ""
    return {
        "findings": [
            *(_file(path, some) for path, some in files),
            element("p", more or "None.", class_="state") if more or not files else NOTHING,
        ],
        "set-aside": [
            *(_group(STATES[state].capitalize(), some) for state, some in states),
            element("p", old) if old else NOTHING,
        ],
    }


def _fitting(findings: Sequence[Finding], context: CardContext, room: int) -> list[Html]:
    """Their cards, as many as fit; the first of a fingerprint has it as its name."""
    cards: list[Html] = []
    names = set[str]()
    for number, finding in enumerate(findings):
        name = finding.fingerprint
        name = f"{name}.{number}" if name in names else name
        names.add(name)
        shown = card(finding, context, Html(name))
        room -= len(shown.encode())
        if room < 0:
            break
        cards.append(shown)
    return cards


def _grouped(
    findings: Sequence[Finding], cards: Sequence[Html], key: Callable[[Finding], str]
) -> list[tuple[str, list[Html]]]:
    """Cards by what their findings have in common, in the order of the first of each."""
    groups: dict[str, list[Html]] = {}
    for finding, shown in zip(findings, cards, strict=False):
        groups.setdefault(key(finding), []).append(shown)
    return list(groups.items())


def _file(path: str, cards: Sequence[Html]) -> Html:
    return _group(element("code", line(path, 4_096)), cards)


def _group(heading: Child, cards: Sequence[Html]) -> Html:
    number = element("small", f"{len(cards):,}")
    return element("section", element("h3", heading, " ", number), *cards, class_="group")


def _filters(report: Report, context: CardContext) -> Html:
    """The controls, hidden until the script has them work."""
    if not report.findings:
        return NOTHING
    sources = list(context.reviewers)[:_MOST_REVIEWERS]
    choices = {str(number): safe_line(name, 80) for number, name in enumerate(sources)}
    present = {shown_state(each) for each in report.findings}
    states = {key: name for key, name in STATES.items() if key in present}
    boxes = [
        element("label", element("input", type="checkbox", value=p, checked=True), f" {p}")
        for p in _words.count_by_priority(report.findings)
    ]
    return element(
        "form",
        element("label", "Text ", element("input", type="search", id="q", autocomplete="off")),
        element("fieldset", element("legend", "Priority"), *boxes),
        _choice("Reviewer", "r", choices),
        _choice("State", "s", states),
        element("output", id="shown"),
        element("button", "Keys", type="button", id="show-keys"),
        id="filters",
        aria_label="Filters",
        hidden=True,
    )


def _choice(label: str, name: str, values: Mapping[str, str]) -> Html:
    options = [element("option", text, value=value) for value, text in values.items()]
    every = element("option", "all", value="")
    return element("label", f"{label} ", element("select", every, *options, id=name))


_KEYS = element(
    "dialog",
    element("h2", "Keys", id="keys-heading"),
    element(
        "dl",
        *(
            markup(element("dt", element("kbd", key)), element("dd", does))
            for key, does in {
                "j": "next finding",
                "k": "previous finding",
                "/": "search",
                "?": "these keys",
                "Esc": "leave the search, or this",
            }.items()
        ),
    ),
    element(
        "form",
        # https://www.w3.org/WAI/WCAG22/Understanding/character-key-shortcuts.html
        element(
            "label",
            element("input", type="checkbox", id="use-keys", checked=True),
            " use these keys",
        ),
        element("button", "Close"),
        method="dialog",
    ),
    id="keys",
    aria_labelledby="keys-heading",
)
