"""The rows of findings in the text of a review of ours: written, and read again by a later run.

```
- **P1** [`a.py:2`](link) title (rule · source · `fingerprint`; reason)   said here alone
- [**P1** `a.py:2`](link) title (`fingerprint`)                           said elsewhere
- P1 `a.py:2` title (`fingerprint`; note)                                 not open any more
```
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from html import unescape

from msgspec import Struct

from ..findings.markers import FINGERPRINT_PATTERN
from ..model.finding import Finding, Priority, sha256_hex
from ..reporters import _words
from ..reporters._links import markdown_link, place_url, rule_page
from ..text.patterns import lazy_pattern
from ..text.safe import code_table_cell, markdown_words, safe_line
from ..text.visible import is_valid_unicode
from .actions import PlacedFinding

_ROWS = 20_000  # characters of all findings that are listed
_WORDS = (400, 120, 40, 10)  # how much of each foreign text a row shows, the first that fits
_KEPT = 17_500  # characters of all rows that stay
_FEW = 50  # rows whose place and title are shown in full
_SHORT = 100  # characters of each foreign text in a row that only points to a finding
_LISTED = "- **P"
_NAME = FINGERPRINT_PATTERN.pattern
_LINK = r"(?:\]\([^\s()]*\))?"
_ROW = lazy_pattern(
    rf"- (?P<open>\*\*|\[\*\*|)(?P<priority>P[0-3])(?:\*\*)? \[?"
    rf"(?P<ticks>`+)(?P<place>[^\n]*?)(?P=ticks){_LINK}"
    rf" (?P<title>.*) \((?P<origin>[^\n]*)`(?P<name>{_NAME})`(?:; (?P<note>[^\n]*))?\)"
)
_HEADED = lazy_pattern(r"[0-9,]+ findings? without a comment of (its|their) own:")
_MARKUP = lazy_pattern(r"\\(?=[!-/:-@\[-`{-~])|`+")
_PAGE = lazy_pattern(r"(?P<repository>https?://[^\s()<>\[\]]+)/pull/[0-9]+")
_RULE = lazy_pattern(r"\[(?P<rule>[^\n]*)\]\(https://[^\s()]*\)")
_KINDS = {"**": "listed", "[**": "elsewhere", "": "settled"}
_LONGEST = 4_000  # characters of a row of ours
_MORE = lazy_pattern(r"[0-9,]+ more")


class StatedRow(Struct, frozen=True):
    """A row as it stands in a text of ours: words without the marks that make them inert.

    `kind` is `listed`, `elsewhere` or `settled`. `origin` are the rule or category and the sources
    of a listed one, `note` is what its brackets end with, `text` the row itself.
    """

    kind: str
    name: str
    place: str
    title: str
    priority: Priority
    origin: tuple[str, ...] = ()
    note: str = ""
    text: str = ""


def read_rows(text: str) -> Iterator[StatedRow]:
    """The rows of a text, in their order."""
    for row in text.split("\n"):
        if len(row) <= _LONGEST and (found := _ROW.fullmatch(row.rstrip())):
            yield StatedRow(
                _KINDS[found["open"]],
                found["name"],
                plain_words(found["place"]),
                plain_words(found["title"]),
                Priority(found["priority"]),
                tuple(filter(None, map(_origin_words, found["origin"].split(" · ")))),
                found["note"] or "",
                found[0],
            )


def row_sources(row: StatedRow) -> tuple[str, ...]:
    """Who reported a listed finding: the tool of its rule, and the other names."""
    rule, *others = row.origin or ("",)
    names = [name for each in others for name in each.split(", ")]
    tool = [rule.partition("/")[0]] if "/" in rule else []
    return tuple(name for name in (*tool, *names) if not _MORE.fullmatch(name))


def _origin_words(text: str) -> str:
    linked = _RULE.fullmatch(text)
    return plain_words(linked["rule"] if linked else text)


def plain_words(text: str) -> str:
    """Words that were made inert, as they were."""
    return unescape(_MARKUP.sub("", text)).strip()


def listed_rows(listed: Sequence[PlacedFinding], url: str = "", commit: str = "") -> list[str]:
    """Rows of findings that the text alone says, with a heading."""
    most = _ROWS // len(listed)
    rows = [
        next(
            (row for words in _WORDS if len(row := _row(each, words, (url, commit))) <= most),
            _row(each, _WORDS[-1], ("", "")),
        )
        for each in listed
    ]
    return [_headed(len(listed)), *rows]


def _row(placed: PlacedFinding, words: int, where: tuple[str, str]) -> str:
    finding = placed.finding
    place = place_link(finding, words, *where)
    return (
        f"- **{finding.priority.value}** {place} {markdown_words(finding.title, words)} "
        f"({origin_text(finding, words)}; {placed.reason})"
    )


def kept_rows(rows: Sequence[StatedRow]) -> tuple[str, ...]:
    """Listed rows that stay, no longer than many of them may be, the most severe first; of more
    than a text holds the number."""
    left, kept = _KEPT, list[str]()
    for row in sorted(rows, key=lambda each: each.priority.value):
        text = _kept_row(row, _SHORT if len(rows) <= _FEW else _SHORT // 5)
        if len(text) > left:
            break
        left -= len(text)
        kept.append(text)
    more = len(rows) - len(kept)
    return (*kept, *([f"- {more:,} more, in earlier versions of this text"] if more else []))


def _kept_row(row: StatedRow, words: int) -> str:
    if len(row.text) <= 3 * words:
        return row.text
    place, title = code_place(row.place, words), markdown_words(row.title, words)
    origin = "".join(f"{markdown_words(each, _SHORT // 4)} · " for each in row.origin[:2])
    return f"- **{row.priority.value}** {place} {title} ({origin}`{row.name}`; {row.note})"


def elsewhere_row(finding: Finding, url: str) -> str:
    """The row of an open finding that another text or a comment says."""
    place = f"**{finding.priority.value}** {code_place(finding.location, _SHORT)}"
    title = markdown_words(finding.title, _SHORT)
    return f"- [{place}]({_diff_link(finding, url)}) {title} (`{finding.fingerprint}`)"


def settled_row(finding: Finding, note: str) -> str:
    """The row of a finding that is not open any more."""
    said = (finding.priority, finding.location, finding.title, finding.fingerprint)
    return _settled(said, f"; {markdown_words(note, 3 * _SHORT)}" if note else "")


def settled_comment(name: str, path: str, title: str, priority: Priority) -> str:
    """The same for a finding of which only its comment is known."""
    return _settled((priority, path, title, name), "")


def settled(row: StatedRow) -> str:
    """The same for one that was listed."""
    return _settled((row.priority, row.place, row.title, row.name), "")


def _settled(said: tuple[Priority, str, str, str], note: str) -> str:
    priority, place, title, name = said
    where = code_place(place, _SHORT)
    return f"- {priority.value} {where} {markdown_words(title, _SHORT)} (`{name}`{note})"


def without_findings(text: str, fingerprints: Collection[str]) -> str:
    """A posted text that does not list these findings."""
    names = [f"`{name}`" for name in fingerprints]
    rows = [
        row
        for row in text.split("\n")
        if not (row.startswith(_LISTED) and any(name in row for name in names))
    ]
    left = sum(row.startswith(_LISTED) for row in rows)
    head = [_headed(left)] if left else []
    return "\n".join(
        kept for row in rows for kept in (head if _HEADED.fullmatch(row.rstrip()) else [row])
    )


def _headed(number: int) -> str:
    whose = "its" if number == 1 else "their"
    return f"{_words.count_noun(number, 'finding')} without a comment of {whose} own:"


def code_place(location: str, words: int) -> str:
    """A path with its line, as code."""
    return code_table_cell(safe_line(location, words))


def origin_text(finding: Finding, words: int = 100) -> str:
    """The rule or category, who reported it, and the fingerprint."""
    said = finding.rule.partition("/")[0]
    sources = _words.join_first((source for source in finding.sources if source != said), 5)
    parts: Iterable[str] = (
        markdown_link(
            code_table_cell(safe_line(_words.rule_or_category(finding), words)), rule_page(finding)
        ),
        *([markdown_words(sources, words)] if sources else []),
        f"`{finding.fingerprint}`",
    )
    return " · ".join(parts)


def _diff_link(finding: Finding, url: str) -> str:
    """The line in the pull request's diff, where its comment stands."""
    if not _PAGE.fullmatch(url):
        return ""
    side = "L" if finding.side == "LEFT" else "R"
    line = f"{side}{finding.commented_line}" if finding.commented_line else ""
    name = sha256_hex(finding.commented_path)
    return f"{url}/files#diff-{name}{line}"


def place_link(finding: Finding, words: int, url: str = "", commit: str = "") -> str:
    """Its place as code, as a link to the line in the reviewed commit; of one that it took away, in
    the diff. `url` is the pull request's page."""
    page = _PAGE.fullmatch(url)
    link = place_url(finding, page["repository"], commit) if page else ""
    if finding.side == "LEFT" and is_valid_unicode(finding.path):
        link = _diff_link(finding, url)
    return markdown_link(code_place(finding.location, words), link)
