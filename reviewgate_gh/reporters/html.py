"""For a person with a browser: the verdict and why, each finding with its code, who read what. One
file that loads nothing; scripts add filters and keys, and all can be read without them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from ..model.coverage import ReadDepth
from ..model.finding import Finding, FindingState
from ..model.report import Outcome, Report, ReviewRow
from ..text.safe import safe_line
from . import _words
from ._cards import REVIEW_STATE, STATES, CardContext, card, card_context, shown_state
from ._look import OutputStyle
from ._markup import NOTHING, Child, Html, element, line, markup, table
from ._page import page, section

MAX_BYTES = 25_000_000  # of findings, the open ones first
_MOST_ROWS = 5_000  # of a table
_MOST_LISTED = 500
_MOST_REVIEWERS = 200  # in the list to choose one from
_MANY = 200  # findings; beyond, a browser draws only those that it shows
_BAR = 200  # the width of a reviewer's time line
_ASIDE = [state for state in STATES if state not in (FindingState.OPEN.value, REVIEW_STATE)]
_DEPTHS = list(ReadDepth)
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
    parts: Mapping[str, Sequence[Html]] = {
        **_findings(report, most),
        "coverage": [_coverage(report)],
        "reviewers": [_reviewers(report.reviews)],
        "cost": [_cost(report.reviews)],
        "notes": list(_notes(report)),
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
        element("main", _filters(report), *sections),
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
    yield _list(_words.inconclusive_reasons(report) or report.verdict.reasons)
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


def _findings(report: Report, most: int) -> Mapping[str, Sequence[Html]]:
    """The cards, as many as there is room for: of open findings by file, of others by state."""
    context = card_context(report)
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


def _filters(report: Report) -> Html:
    """The controls, hidden until the script has them work."""
    if not report.findings:
        return NOTHING
    sources = card_context(report).reviewers
    choices = {str(number): safe_line(name, 80) for name, number in sources.items()}
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
        _choice("Reviewer", "r", dict(list(choices.items())[:_MOST_REVIEWERS])),
        _choice("State", "s", states),
        element("output", id="shown"),
        element("small", "Keys: / j k ?"),
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
    element("form", element("button", "Close"), method="dialog"),
    id="keys",
    aria_labelledby="keys-heading",
)


def _coverage(report: Report) -> Html:
    rows = sorted(
        report.coverage.rows,
        key=lambda row: (not row.missing, -_DEPTHS.index(row.how), row.path),
    )
    cells: list[list[Child]] = [
        [
            element("code", line(row.path, 4_096)),
            line(row.language),
            element("strong", f"{row.how.value}, not reviewed") if row.missing else row.how.value,
            line(", ".join(row.by), 1_000),
            line(row.why, 1_000),
        ]
        for row in rows[:_MOST_ROWS]
    ]
    left = len(rows) - _MOST_ROWS
    heads = ["File", "Language", "How", "By", "Why"]
    unread = _list(_words.unreviewed_lines(report), "Not reviewed:")
    shown = table(
        "Each changed file", heads, cells, _words.count_noun(left, "more file") if left > 0 else ""
    )
    return markup(unread, shown)


def _reviewers(rows: Sequence[ReviewRow]) -> Html:
    whole = max((row.began + row.seconds for row in rows), default=0)
    cells: list[list[Child]] = [
        [
            line(row.name),
            line(f"{row.asked.model} {row.version}" if row.asked else row.version),
            row.status.value if row.status == "ok" else element("strong", row.status.value),
            f"{row.found:,}",
            f"{row.covered:,}",
            f"{row.seconds:.1f} s",
            _bar(row, whole),
            line("; ".join(filter(None, [row.said, row.error])), 1_000),
        ]
        for row in rows[:_MOST_ROWS]
    ]
    heads = ["Reviewer", "Version", "Status", "Found", "Files", "Took", "From start to end", "Said"]
    left = len(rows) - _MOST_ROWS
    more = _words.count_noun(left, "more reviewer") if left > 0 else ""
    return table(f"When each was at work, of {whole:.1f} s", heads, cells, more)


def _bar(row: ReviewRow, whole: float) -> Html:
    """Where its time lies in that of all."""
    if whole <= 0:
        return NOTHING
    start, width = (round(_BAR * part / whole, 1) for part in (row.began, row.seconds))
    bar = element("rect", x=str(start), y="2", width=str(max(width, 1)), height="8")
    box = f"0 0 {_BAR} 12"
    return element("svg", bar, viewBox=box, width=str(_BAR), height="12", aria_hidden="true")


def _cost(rows: Iterable[ReviewRow]) -> Html:
    asked = sorted((row for row in rows if row.asked), key=lambda row: row.reviewer)
    by_name = groupby(asked, key=lambda row: row.reviewer)
    spent = {name: _words.model_usage(some) for name, some in by_name}
    if len(spent) > 1:
        spent["all"] = _words.model_usage(asked)
    heads = ["Model", "Calls", "Tokens in", "of them cached", "Tokens out", "US dollars"]
    cells: list[list[Child]] = [
        [
            line(name),
            f"{usage.calls:,}",
            f"{usage.input:,}",
            f"{usage.cached:,}",
            f"{usage.output:,}",
            "not known" if usage.cost is None else f"{usage.cost:.4f}",
        ]
        for name, usage in list(spent.items())[:_MOST_ROWS]
    ]
    return table("What language models cost", heads, cells)


def _notes(report: Report) -> Iterator[Html]:
    yield _list([*report.change.notes, *report.notices])
    yield _list(report.waivers, "Waivers that were used:")
    yield _list([f"{name} {version}" for name, version in report.tools.items()], "Versions:")
    if shown := _words.context_summary(report):
        yield _list(_words.context_lines(report), f"Models were also shown {shown}:")


def _list(texts: Sequence[str], heading: str = "") -> Html:
    if not texts:
        return NOTHING
    rows = [element("li", line(text, 1_000)) for text in texts[:_MOST_LISTED]]
    if len(texts) > _MOST_LISTED:
        rows.append(element("li", f"{len(texts) - _MOST_LISTED:,} more"))
    return markup(element("p", heading) if heading else NOTHING, element("ul", *rows))
