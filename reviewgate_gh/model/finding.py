"""A finding: one remark about one place, and the identity by which it is recognised everywhere."""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

__all__ = ["sha1", "sha256", "sha256_hex"]


try:
    from _sha1 import sha1  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    from hashlib import sha1
try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,no-redef,unused-ignore]
    except ImportError:
        from hashlib import sha256


def sha256_hex(text: str, digits: int = 64) -> str:
    """Its first hex digits by SHA-256; what is no Unicode in it counts as the bytes it came from,
    half a character as it is."""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogatepass")
    found: str = sha256(data).hexdigest()
    return found[:digits]


class Priority(StrEnum):
    """P0 and P1 are critical, P2 a suggestion, P3 nice to have; the order of the members is the
    order of severity."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"

    def reaches(self, threshold: str) -> bool:
        """At least as severe as the threshold; nothing reaches "none"."""
        return threshold != "none" and self.value <= threshold


class FindingState(StrEnum):
    """Where a finding stands; it is marked, never deleted."""

    OPEN = "open"
    OUTSIDE_DIFF = "outside_diff"
    WAIVED = "waived"
    DISMISSED = "dismissed"
    DUPLICATE = "duplicate"
    REFUTED = "refuted"


class Confidence(StrEnum):
    """Low confidence is shown to people and never decides."""

    HIGH = "high"
    LOW = "low"


class QuotedLine(NamedTuple):
    """A line of code as shown beside a finding, already redacted."""

    number: int
    text: str


class CausingPlace(NamedTuple):
    """The line of the change, at head, that breaks code which the change leaves alone; line 0
    where the file is gone or the diff shows no line."""

    path: str
    line: int

    @property
    def location(self) -> str:
        """`path:line` for people."""
        return f"{self.path}:{self.line}" if self.line else self.path


class Finding(Struct, frozen=True, forbid_unknown_fields=True):
    """One remark. Lines count from 1 on `side` ("RIGHT" head, "LEFT" base); line_start 0 means the
    whole file. Columns are characters from 1 in the first and the last line, the end exclusive; 0
    where nobody named them.

    `origin` is the path before a rename. `excerpt` holds the anchored lines between their nearest
    non-blank neighbours; a producer leaves it empty and the anchor step fills it. `unit` names the
    definition around it, `code` is a digest of the statement that it is about; both are "" until
    the file was read. `ordinal` tells findings apart that are otherwise equal. `seconded`: of a
    tool's finding a model says the same, certainly and as severely. `compared`: its tool was asked
    about the base and does not report it there, so it is new wherever its line is; `older` are
    equal ones that it does report there. `cause`: it stands in code that the change leaves alone,
    and this place in the change breaks that. `waiver` is the fingerprint of the waiver that covers
    it. `rule_page` is the address of the page about the rule, from the tool's own metadata; its
    body ends with it, too.
    """

    priority: Priority
    category: str
    rule: str
    path: str
    line_start: int
    line_end: int
    title: str
    body: str = ""
    side: str = "RIGHT"
    suggestion: str | None = None
    anchor: str = ""
    confidence: Confidence = Confidence.HIGH
    placed: bool = False
    sources: tuple[str, ...] = ()
    state: FindingState = FindingState.OPEN
    note: str = ""
    origin: str = ""
    excerpt: tuple[QuotedLine, ...] = ()
    places: tuple[str, ...] = ()
    ordinal: int = 1
    seconded: bool = False
    compared: bool = False
    older: int = 0
    unit: str = ""
    code: str = ""
    waiver: str = ""
    cause: CausingPlace | None = None
    column_start: int = 0
    column_end: int = 0
    rule_page: str = ""

    @property
    def fingerprint(self) -> str:
        """16 hex digits over rule, path, unit and statement (no line number, no neighbouring line,
        no title), and "-2" and on for equals."""
        code = self.code or "".join(
            "".join(line.text.split()) for line in self.excerpt if self.anchors(line)
        )
        return self._name(self.rule or self.category, self.path, self.unit, code)

    @property
    def former_fingerprint(self) -> str:
        """The same as versions before 0.2 made it: over rule, path, and the quoted lines with their
        neighbours."""
        quoted = [
            f"{'>' if self.anchors(line) else ' '}{' '.join(line.text.split())}"
            for line in self.excerpt
        ]
        return self._name(self.rule or self.category, self.origin or self.path, *quoted)

    def _name(self, *parts: str) -> str:
        name = sha256_hex("\0".join(parts), 16)
        return name if self.ordinal == 1 else f"{name}-{self.ordinal}"

    def anchors(self, line: QuotedLine) -> bool:
        """The line is one that the finding is about, not a neighbour."""
        return self.line_start <= line.number <= max(self.line_start, self.line_end)

    @property
    def has_specific_rule(self) -> bool:
        """Its rule says what is wrong: a model's finding has none, and a tool that is named alone
        can mean anything."""
        return bool(self.rule) and self.rule not in self.sources

    @property
    def is_located(self) -> bool:
        """It is known what it is about: the diff shows the place or what causes it, or its tool
        compared both sides."""
        return self.placed or self.compared or self.cause is not None

    @property
    def commented_path(self) -> str:
        """The file of the change in which it is commented on: its own, or that of the hunk that
        causes it."""
        return self.cause.path if self.cause else self.path

    @property
    def commented_line(self) -> int:
        """The last line of such a comment, 0 where there is none."""
        return self.cause.line if self.cause else max(self.line_start, self.line_end)

    @property
    def location(self) -> str:
        """`path:line` for people."""
        return f"{self.path}:{self.line_start}" if self.line_start else self.path

    @property
    def position(self) -> str:
        """`path:line:column`, as editors and terminals open it; without what nobody named."""
        return f"{self.location}:{self.column_start}" if self.column_start else self.location
