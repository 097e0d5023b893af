"""What a plug-in must offer, which ones there are, and how they are loaded: the module is the plug-in, its file name its id."""

import importlib
import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..model.errors import ConfigError

if TYPE_CHECKING:
    from ..model.asked import Prompt, Reply, Standing
    from ..model.change import Change
    from ..model.finding import Finding
    from ..model.review import Request, Review
    from ..model.tracked import Tracked
    from .kit import Kit, Seat
    from .site import Site

PACKAGE = "reviewgate_gh"


class Reviewer(Protocol):
    """A module of `reviewers/`. It never raises for a reviewer that broke: that is a `Review` with its status."""

    Options: type  # a frozen dataclass, the plug-in's own part of the config
    # Optional: WHERE, the doors it answers at where the config names none; all where it is absent.

    def parts(self, change: "Change", options: Any, kit: "Kit") -> tuple[str, ...]:
        """What to ask for separately (a linter's tools); ("",) for one question, () for nothing to ask."""

    def review(self, request: "Request", options: Any, kit: "Kit") -> "Review":
        """One answer."""


class Model(Protocol):
    """A module of `reviewers/` that puts one question to a language model. The ensemble writes the questions and judges the answers.

    It never raises for a model that broke: that is a `Reply` with its status. What tells it from any other reviewer: it has no `parts`.
    """

    Options: type  # a frozen dataclass, the plug-in's own part of the config

    def check(self, options: Any, seat: "Seat") -> "Standing":
        """Whether it can be asked, without asking it and without the network."""

    def ask(self, prompt: "Prompt", options: Any, seat: "Seat") -> "Reply":
        """One answer, within the seat's seconds."""

    # Optional: warm(prompt, options, seat) fills the vendor's cache with what questions share, and returns what that cost (a Usage).
    # Optional: Options.cost(usage) is what tokens cost in US dollars; without it nobody is asked where a budget holds dollars.


class Linter(Protocol):
    """A module of `linters/`. Paths are relative to the folder the tool runs in, which holds the files of the head commit."""

    PROGRAM: str  # its name on PATH
    DEFAULT: bool  # part of the keyless gate; others run when the project configures them or the user enables them
    EXECUTES_CONFIG: bool  # a config or plug-in of the project runs code: approved content only, in the user's own tree
    LANGUAGES: tuple[str, ...]  # by their names in model/languages.py: what it reads of these is reviewed
    CONFIG: tuple[str, ...]  # globs on base names of the files that configure it; they come from the trusted side
    # What its exit codes mean under the arguments of `argv`: it found nothing, it found something; in both: the code does not say.
    # Any other one is a failure, and so is a code that its output contradicts.
    CLEAN_EXITS: tuple[int, ...]
    FOUND_EXITS: tuple[int, ...]
    DEFAULT_CONFIG: str | None  # our config for projects without one: a file in linters/data
    INSTALL: str  # what to do when it is missing
    # Optional, False where absent: it takes no paths and reads all of its folder; one that runs no code gets the changed files alone.
    WHOLE_TREE: bool
    ARGS_EXECUTE: bool  # its arguments can start a program or name what runs code, so those of the config count only where approved
    # Optional: files at the root of the trusted side in which the project lists the findings that it accepts.
    ACCEPTED: tuple[str, ...]
    # Optional: globs on base names of files that it does not read, but asks the disk for under the project's own config.
    NEIGHBOURS: tuple[str, ...]
    # Optional: beginnings of rules whose findings on unchanged lines may come from this change; the base is asked too then.
    CAUSED_ELSEWHERE: tuple[str, ...]
    # Optional: the words that make it print its version; `--version` where absent.
    VERSION: tuple[str, ...]
    # Optional: what that prints in place of a number where nobody gave the build one.
    UNNUMBERED: str
    # Optional: spared(finding) is whether its exit code may be one of CLEAN_EXITS in spite of this finding.
    # Optional, beside WHOLE_TREE: folders(root, paths) are those below the root, one run each, whose trees hold the paths.
    # Optional: shows(program, args) is a command that prints those of the paths it reads under the project's own config.
    # Optional: why(err) is what its standard error says of a failure, where that is more than the last line.
    # Optional: extends(data) names the files, relative to itself, that a config with this content builds on.

    def takes(self, path: str, head: bytes) -> bool:
        """Whether this file is the tool's; `head` is the first 256 bytes."""

    def argv(self, program: str, config: Path | None, args: Sequence[str]) -> list[str]:
        """The command without paths; `config` is the file to use when the project has none of its own."""

    def parse(self, lines: Iterable[bytes]) -> Iterable["Finding"]:
        """The findings in the tool's standard output; raises ValueError for anything that is not its format."""


class Ledger(Protocol):
    """An open tracker. Each method raises a GateError or an OSError for a tracker that fails; a caller then counts nothing as done."""

    def find(self, names: Collection[str] | None) -> Sequence["Tracked"]:
        """Our issues, open and closed, whose fingerprint or place is among the names; all of them for None."""

    def add(self, issue: "Tracked") -> str:
        """Make the issue, and return the tracker's name for it."""

    def change(self, before: "Tracked", after: "Tracked") -> None:
        """Bring notes, priority, status and reason from one to the other; what people write beside that stays."""


class Tracker(Protocol):
    """A module of `trackers/`. The caller holds the repository's lock for as long as it is open."""

    Options: type  # a frozen dataclass, the plug-in's own part of the config
    IN_CLONE: bool  # it lives in this clone alone: where clones are thrown away nothing is written unless somebody asks
    # Optional: epic(options, site, name) gives the `Epic` of that name, None where the tracker does not know it;
    # issue(options, site, name) any issue in that form, without what is below it.

    def lacks(self, options: Any, site: "Site") -> str:
        """What it would need here and has not got, "" for nothing; found out without the network."""

    def opened(self, options: Any, site: "Site") -> AbstractContextManager[Ledger]:
        """The tracker; what was added and changed is safe when the context has ended well."""


@cache
def names(kind: str) -> list[str]:
    """The ids of the plug-ins that come with us: the public modules of the folder."""
    folder = Path(__file__).parent.parent.joinpath(*kind.split("."))
    return sorted(entry.name[:-3] for entry in os.scandir(folder) if entry.name.endswith(".py") and not entry.name.startswith("_"))


def load(kind: str, name: str) -> Any:
    """The plug-in's module; outside packages join through the entry point group `reviewgate_gh.<kind>`.

    Raises:
        ConfigError: there is no such plug-in.
    """
    if name in names(kind):
        return importlib.import_module(f"{PACKAGE}.{kind}.{name}")
    return _installed(kind, name)


def _installed(kind: str, name: str) -> Any:
    from importlib.metadata import entry_points

    for entry in entry_points(group=f"{PACKAGE}.{kind}", name=name):
        return entry.load()
    raise ConfigError(f"unknown plug-in {name!r} in {kind}", f"use one of: {', '.join(names(kind))}")


def is_model(name: str) -> bool:
    """The reviewer of that id puts questions to a language model."""
    return not hasattr(load("reviewers", name), "parts")
