"""What a reviewer, a language model and a linter must offer as plug-ins, and what they are handed
to work with."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from ..git import Git
from ..model.config import Config
from ..system.environment import Environment
from ..text.secrets.rules import SecretRules
from ._checkout import Checkout

if TYPE_CHECKING:
    from ..model.change import Change
    from ..model.config import Budget
    from ..model.coverage import ReadDepth
    from ..model.finding import Finding
    from ..model.question import Availability, ModelReply, Prompt, ReadLines, ToolSpec
    from ..model.review import Review, ReviewRequest, Usage


class ReviewContext(Struct, frozen=True):
    """The repository, the reviewed files on disk (made when first asked for), the surroundings, the
    config, seconds for this reviewer, seconds left of the whole review.

    `excluded` are the paths that linters and models do not read, `excluded_before` those that they
    did not read on the base; `while_running` is to be called when a program of theirs is at work;
    `refused_linters` says of some why they must not run; `secret_rules` which secrets the project
    accepts.
    """

    git: Git
    checkout: Checkout
    environment: Environment
    config: Config
    timeout: float
    excluded: frozenset[str] = frozenset()
    while_running: Callable[[], object] = bool
    refused_linters: Mapping[str, str] = field(default_factory=dict)
    secret_rules: SecretRules = SecretRules()
    run_timeout: float = math.inf
    excluded_before: frozenset[str] = frozenset()


class TurnAccount(Protocol):
    """The budget of a question that an agent answers in several turns, each of which is a call."""

    @property
    def budget(self) -> "Budget":
        """The limits of the run."""

    def count_turn(self, turn: object, usage: "Usage", continues: bool) -> str:
        """Count a message; why the turn that follows (`continues`) is beyond the budget."""

    def tools_answered(self) -> None:
        """Tools' answers came: a new turn may begin."""

    def reserve_turn(self, more: str) -> str:
        """One more turn of an agent that tells of none, which sends all again and this text; why it
        is beyond the budget."""


class ToolBox(Protocol):
    """What a model may look up while it answers one question."""

    specs: "Sequence[ToolSpec]"

    @property
    def is_used_up(self) -> bool:
        """No more calls are answered."""

    @property
    def shown(self) -> "tuple[ReadLines, ...]":
        """The lines at head that answers have shown so far."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The answer to a call of one of these functions; it says itself what is wrong with a
        call."""


class ModelContext(Struct, frozen=True):
    """What a language model is asked with: the surroundings, seconds left, and whether the change
    is the user's own.

    `work_tree` is the user's; only a model that is told so by its options may read it, and only for
    a trusted change. `may_retry` is to be asked before a question is sent once more: each time is a
    call of the budget. `turns` counts those of an agent that tells of each. `has_denied_files`:
    some files of the tree are denied to models, and no tool of its own could tell which. `tools`
    are ours, which can.
    """

    environment: Environment
    timeout: float
    trusted: bool = False
    work_tree: Path | None = None
    may_retry: Callable[[], bool] = lambda: True
    turns: TurnAccount | None = None
    has_denied_files: bool = False
    tools: ToolBox | None = None


class ReviewerPlugin(Protocol):
    """A module of `reviewers/`.

    It never raises for a reviewer that broke: that is a `Review` with its status.
    """

    Options: type  # a frozen dataclass, the plug-in's own part of the config
    # Optional: WHERE, the doors it answers at where the config names none; all where it is absent.

    def parts(self, change: "Change", options: Any, context: ReviewContext) -> tuple[str, ...]:
        """What to ask for separately (a linter's tools); ("",) for one question, () for nothing to
        ask."""

    def review(self, request: "ReviewRequest", options: Any, context: ReviewContext) -> "Review":
        """One answer."""

    # Optional: is_per_file(part) says that several machines can share the files of a part. Then
    # review_files(request, options, context, paths) is the answer about some of them, and
    # join_files(parts, request, options, context) makes one review of all such answers.


class ModelPlugin(Protocol):
    """A module of `reviewers/` that puts one question to a language model. The ensemble writes the
    questions and judges the answers.

    It never raises for a model that broke: that is a `Reply` with its status. What tells it from
    any other reviewer: it has no `parts`.
    """

    Options: type  # a frozen dataclass, the plug-in's own part of the config

    def check(self, options: Any, context: ModelContext) -> "Availability":
        """Whether it can be asked, without asking it and without the network."""

    def ask(self, prompt: "Prompt", options: Any, context: ModelContext) -> "ModelReply":
        """One answer, within the context's seconds."""

    # Optional: warm(prompt, options, context) fills the vendor's cache with what questions share,
    # and returns what that cost (a Usage). Optional: Options.cost(usage) is what tokens cost in US
    # dollars; without it nobody is asked where a budget holds dollars.


class LinterPlugin(Protocol):
    """A module of `linters/`.

    Paths are relative to the folder the tool runs in, which holds the files of the head commit.
    """

    PROGRAM: str  # its name on PATH
    # Part of the keyless gate; others run when the project configures them or the user enables them
    DEFAULT: bool
    # A config or plug-in of the project runs code: approved content only, in the user's own tree
    EXECUTES_CONFIG: bool
    # Globs on base names of the files that it reads
    FILES: tuple[str, ...]
    # Optional, False where absent: they hold for names in other case, too.
    ANY_CASE: bool
    # Optional: languages whose scripts it also reads, by their `#!` lines
    SCRIPTS: tuple[str, ...]
    # By their names in model/languages.py: what it reads of these is reviewed
    LANGUAGES: tuple[str, ...]
    # Optional: PARSED of a tool that looks at grammar alone, whose files are not reviewed
    DEPTH: "ReadDepth"
    # Globs on base names of the files that configure it, which come from the trusted side; none for
    # a tool that always runs with our own config
    CONFIG: tuple[str, ...]
    # Optional: a folder at the root of the trusted side whose YAML files configure it, which
    # assemble(files) makes one file of. It runs wherever there are such.
    CONFIG_FOLDER: str
    # What its exit codes mean under the arguments of `argv`: it found nothing, it found something;
    # in both: the code does not say. The first that is clean is that of a run with nothing to say;
    # beside another it has said something, if only what does not count. Any other one is a failure,
    # and so is a code that its output contradicts.
    CLEAN_EXITS: tuple[int, ...]
    FOUND_EXITS: tuple[int, ...]
    DEFAULT_CONFIG: str | None  # our config for projects without one: a file in linters/data
    INSTALL: str  # what to do when it is missing
    # Optional, False where absent: it takes no paths and reads all of its folder; one that runs no
    # code gets the changed files alone.
    WHOLE_TREE: bool
    # Its arguments can start a program or name what runs code, so those of the config count only
    # where approved
    ARGS_EXECUTE: bool
    # Optional: files at the root of the trusted side in which the project lists the findings that
    # it accepts.
    ACCEPTED: tuple[str, ...]
    # Optional: globs on base names of files that it does not read, but asks the disk for under the
    # project's own config.
    NEIGHBOURS: tuple[str, ...]
    # Optional, of a tool that runs the project's code, so that its base is not compared as a whole:
    # beginnings of rules whose findings on unchanged lines the base is asked about.
    CAUSED_ELSEWHERE: tuple[str, ...]
    # Optional: beginnings of rules whose findings count only where the tool can be asked about the
    # base, and finds nothing of the kind there.
    BASE_DECIDES: tuple[str, ...]
    # Optional, False where absent: it also runs where it is installed and nobody configured it. It
    # says little, runs no code of the project, and a review goes on without it where it breaks.
    WHEN_INSTALLED: bool
    # Optional, False where absent: what it says of a file does not depend on which others it is
    # asked about with it, so that several machines can share the files.
    PER_FILE: bool
    # Optional, False where absent: it reads more of the tree than the changed files. So it runs in
    # a work tree that is the reviewed commit alone, and its base is not compared.
    NEEDS_TREE: bool
    # Optional: its time limit where the user has not enabled it.
    SECONDS: float
    # Optional, False where absent: what it finds it prints on standard error, if only in some
    # versions.
    STDERR: bool
    # Optional, False where absent: its exit code is the number of its findings that are not spared.
    EXIT_COUNTS: bool
    # Optional, False where absent: it reads one file a call.
    ONE_BY_ONE: bool
    # Optional, False where absent: its grammar may be older than the code, so that a file that
    # stops it (`unreadable`) is left out, and no finding.
    LAGS: bool
    # Optional: variables of its environment that are set for it.
    ENVIRONMENT: Mapping[str, str]
    # Optional: the words that make it print its version; `--version` where absent.
    VERSION: tuple[str, ...]
    # Optional: what that prints in place of a number where nobody gave the build one.
    UNNUMBERED: str
    # Optional: spared(finding) is whether its exit code may be one of CLEAN_EXITS in spite of this
    # finding. Optional: explain(program, rule) is a command that prints what the tool documents
    # about a rule, and explanation(data) says of its output why the rule matters; it raises
    # ValueError for anything else. Optional, beside WHOLE_TREE: folders(root, paths) are those
    # below the root, one run each, whose trees hold the paths. Optional: shows(program, args) is a
    # command that prints those of the paths it reads under the project's own config. Optional:
    # reads(lines) are the paths that it has read, by the lines of its standard error, and
    # answered(lines) those that its answer on standard output names. Optional: why(err) is what its
    # standard error says of a failure, where that is more than the last line. Optional:
    # unreadable(err) is the one file that stopped it, and why ("", "" where it names none): it is
    # asked about the others. Optional: stopped(err) is whether its answer is about those files
    # alone that stopped it, which its findings name: it is asked about the others. Optional:
    # counts(lines) is how many files it has read, by its standard output, or by standard error
    # where COUNTS_ASIDE is true. Optional: passed_over(out, err) is whether it failed because the
    # project's settings leave out all files that it was given. Optional:
    # crashed(err) is why it came to no end, by its standard error, where its exit code may be that
    # of findings; "" where it did. Optional: configures(path, data) is whether a file of CONFIG
    # says something to this tool, where others have settings of that name. Optional: executes(data)
    # is whether a config with this content runs code, though most do not. Optional: extends(data)
    # names the files, relative to itself, that a config with this content builds on. Optional:
    # nested_config(data) is the content of a config that lies in some folders alone, as one below
    # ours, where the tool refuses two that are not written for each other.
    # Optional: fits(path, head) is whether it reads one of FILES or SCRIPTS, by its path and first
    # 256 bytes. Optional: relocate(finding, read) is the finding at its line of the file, whose
    # content read() gives, where the tool counts otherwise.

    def argv(self, program: str, config: Path | None, args: Sequence[str]) -> list[str]:
        """The command without paths; `config` is the file to use when the project has none of its
        own."""

    def parse(self, lines: Iterable[bytes]) -> Iterable["Finding"]:
        """The findings in the tool's standard output; raises ValueError for anything that is not
        its format."""
