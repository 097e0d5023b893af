"""Who read which changed file: what a verdict may rely on."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from .limits import ConfigSection

_MOST_NAMED = 3
CoverageMode = Literal["report", "require"]


class ReadDepth(StrEnum):
    """How a file was read.

    Only REVIEWED is a review: a linter, a type checker or a model that knows its language. PARSED
    is a grammar alone: it is code of that language, whatever it does.
    """

    REVIEWED = "reviewed"
    PARSED = "parsed"
    SCANNED = "scanned"
    UNREAD = "unread"


class CoverageRow(Struct, frozen=True, forbid_unknown_fields=True):
    """One changed file. `language` is "" for prose and data; `by` are the reviewers that count.

    `missing`: it is code that somebody should have read, and `why` says who could; else `why` says
    why nobody need, or what of its effect elsewhere was not checked.
    """

    path: str
    language: str
    how: ReadDepth
    by: tuple[str, ...] = ()
    missing: bool = False
    why: str = ""


class Coverage(Struct, frozen=True, forbid_unknown_fields=True):
    """A row for each changed file; `mode` says what missing ones make of the verdict: concerns
    (report) or inconclusive (require)."""

    rows: tuple[CoverageRow, ...] = ()
    mode: CoverageMode = "report"
    excluded: int = 0

    @property
    def missing(self) -> tuple[CoverageRow, ...]:
        """The code that nobody for its language read."""
        return tuple(row for row in self.rows if row.missing)

    @property
    def reason(self) -> str:
        """`2 files were not reviewed: 1 Go (cmd/main.go), 1 Kotlin (app/Main.kt); 1 parsed only`;
        "" where all was."""
        number = len(self.missing)
        many = f"{number:,} files were" if number > 1 else "1 file was"
        parsed = f"; {self._parsed:,} parsed only" if self._parsed else ""
        return f"{many} not reviewed: {', '.join(self._named())}{parsed}" if number else ""

    @property
    def summary(self) -> str:
        """The same in short: `2 not reviewed: 1 Go, 1 Kotlin (1 parsed only)`."""
        languages = ", ".join(
            f"{len(paths):,} {language}" for language, paths in self._by_language()
        )
        parsed = f" ({self._parsed:,} parsed only)" if self._parsed else ""
        return f"{len(self.missing):,} not reviewed: {languages}{parsed}" if languages else ""

    @property
    def advice(self) -> tuple[str, ...]:
        """What would have read it, a line for each language and reason."""
        order = [language for language, _paths in self._by_language()]
        rows = sorted(self.missing, key=lambda row: order.index(row.language))
        return tuple(
            f"{language}: {why}"
            for language, why in dict.fromkeys((row.language, row.why) for row in rows)
        )

    @property
    def _parsed(self) -> int:
        return sum(row.how is ReadDepth.PARSED for row in self.missing)

    def _named(self) -> Iterator[str]:
        for language, paths in self._by_language():
            more = f" and {len(paths) - _MOST_NAMED:,} more" if len(paths) > _MOST_NAMED else ""
            yield f"{len(paths):,} {language} ({', '.join(paths[:_MOST_NAMED])}{more})"

    def _by_language(self) -> list[tuple[str, list[str]]]:
        """The most frequent first."""
        places: dict[str, list[str]] = {}
        for row in self.missing:
            places.setdefault(row.language, []).append(row.path)
        return sorted(places.items(), key=lambda item: (-len(item[1]), item[0].lower()))

    @property
    def allowed(self) -> int:
        """How much of it the configuration allows."""
        return sum(row.why == ALLOW_KEY for row in self.rows)


ALLOW_KEY = "policy.coverage.allow"


class CoveragePolicy(ConfigSection, frozen=True, kw_only=True):
    """What code comes to that no reviewer for its language read, and the languages for which that
    is fine."""

    unread: CoverageMode = "report"
    allow: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_languages("allow", self.allow)


def check_languages(key: str, names: Iterable[str]) -> None:
    """Nothing, where each name is one of a language, in whatever capitals.

    Raises:
        ValueError: one is not.
    """
    if names:
        from .language_table import ALL_LANGUAGES

        known = {name.lower() for name in ALL_LANGUAGES}
        for name in names:
            if name.lower() not in known:
                raise ValueError(f"{key}: unknown language {name!r}")
