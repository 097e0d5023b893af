"""What a bench is run with: the configuration that all cases share, checked before anything is
reviewed."""

from pathlib import Path

from msgspec import Struct

from ...ensemble.models import ModelReviewer, check_models, declared_reviewers, model_reviewers
from ...ensemble.options import AnswerOptions
from ...git import open_repository
from ...git.tree_files import read_existing, read_own_file
from ...model.config import KEYLESS, Config
from ...model.errors import ConfigError, NoReviewers, UsageError
from ...model.review import Usage
from ...reviewers._context import ModelContext
from ...settings.settings import parse_config
from ...system.environment import CONTEXT_VARIABLE, SKIP_VARIABLE, Environment
from ...text.config_file import CONFIG_FILE
from ...trust.approvals import approved_content, load_approvals
from ...trust.may_run import runs_in_tree
from .materialise import FOLDER, CaseSetup

_DOOR = "cli"
_MOST_FILES = 1000  # of lenses and rules
_SECONDS = 30.0  # to look for a program and its version
_HIDDEN = (SKIP_VARIABLE, CONTEXT_VARIABLE)  # they speak of another change
_CLONE = "make it, and clone there what the data set names (docs/bench.md)"
_OTHERS = "name others with --reviewer"
_FIX = "set it up, leave it out with --reviewer NAME, or replay a recording: --replay DIR"


class BenchOptions(Struct, frozen=True):
    """What to run and with what: the data set and the folder of clones for it, the configuration
    and the floor, who is asked, the most US dollars and cases, how many at once, and the file of
    results, which is begun anew with `fresh`."""

    dataset: Path
    layout: str | None = None
    sources: Path | None = None
    config: Path | None = None
    policy: str = ""
    reviewers: tuple[str, ...] = ()
    answers: AnswerOptions = AnswerOptions()
    budget: float | None = None
    max_cases: int | None = None
    jobs: int = 1
    results: Path | None = None
    fresh: bool = False
    repo: Path = Path()


class BenchSetup(Struct, frozen=True):
    """What each case is laid out with, the configuration as it counts, and who is asked; those who
    are `left_out` run in a work tree, which no case has."""

    cases: CaseSetup
    config: Config
    options: BenchOptions
    reviewers: tuple[str, ...]
    left_out: tuple[str, ...]


def prepare(options: BenchOptions, environment: Environment) -> BenchSetup:
    """The set-up for all cases.

    Raises:
        ConfigError: the configuration is wrong, or not approved; or a price is not known that the
            budget needs.
        NoReviewers: a language model that is to be asked cannot be asked, or nobody is left.
        UsageError: there is no folder of clones.
    """
    if options.sources is not None and not (environment.cwd / options.sources).is_dir():
        raise UsageError(f"--sources: the folder {options.sources} does not exist", _CLONE)
    top, data, approved = _config_file(options, environment)
    config = parse_config(data, str(options.config or "work tree"), environment, options.policy)
    settings = {**({} if data is None else {CONFIG_FILE: data}), **_own_files(top)}
    every = declared_reviewers(config, _DOOR, options.reviewers)
    wanted = {name: entry for name, entry in every.items() if not runs_in_tree(entry)}
    if not wanted:
        raise NoReviewers("all of these reviewers run in a work tree, and no case has one", _OTHERS)
    if not approved and (paid := [n for n, each in wanted.items() if each.type not in KEYLESS]):
        raise ConfigError(
            f"{CONFIG_FILE} is not approved on this machine, so {', '.join(paid)} cannot be asked",
            f"approve it (reviewgate-gh trust), or name it: --config {CONFIG_FILE}",
        )
    if not options.answers.replay:
        asking = ModelContext(
            environment, _SECONDS, has_denied_files=bool(config.policy.denied_paths)
        )
        for model in check_models(model_reviewers(wanted), asking).values():
            _require_usable(model, options.budget)
    quiet = Environment(
        {
            **{n: text for n, text in environment.variables.items() if n not in _HIDDEN},
            "TERM": "dumb",  # the bench has its own line of progress
        },
        environment.cwd,
    )
    return BenchSetup(
        CaseSetup(quiet, options.sources and environment.cwd / options.sources, settings, approved),
        config,
        options,
        tuple(wanted),
        tuple(name for name in every if name not in wanted),
    )


def _require_usable(model: ModelReviewer, budget: float | None) -> None:
    error = model.availability.error
    if error and not model.config.fallback:
        raise NoReviewers(f"{model.name} cannot be asked: {error}", _FIX)
    cost = getattr(model.options, "cost", None)
    if budget is not None and (cost is None or cost(Usage(1, 1000, output=1000)) is None):
        raise ConfigError(
            f"the price of {model.name} is not known, so --budget cannot be kept",
            "set the price in the reviewer's options, install the extra `prices`, or leave out "
            "--budget",
        )


def _config_file(
    options: BenchOptions, environment: Environment
) -> tuple[Path | None, bytes | None, bool]:
    """The folder of the configuration, its content, and whether it may run programs and send code
    away: as approved in this clone, or because the user names the file, as with a policy."""
    if options.config is not None:
        path = environment.cwd / options.config
        return path.parent, read_existing(path), True
    try:
        git = open_repository(environment.cwd / options.repo, environment.variables)
    except UsageError:  # a bench needs no repository; then the defaults count
        return None, None, False
    data = read_own_file(git, CONFIG_FILE) if git.tree else None
    known = load_approvals(git)
    return git.tree, data, data is not None and approved_content(git, known, CONFIG_FILE, data)


def _own_files(top: Path | None) -> dict[str, bytes]:
    """The lenses and rules beside the configuration; links are left out."""
    found: dict[str, bytes] = {}
    if top is None or (top / FOLDER).is_symlink():
        return found
    for path in sorted((top / FOLDER).rglob("*")):
        if path.is_file() and not path.is_symlink():
            found[path.relative_to(top).as_posix()] = read_existing(path)
            if len(found) > _MOST_FILES:
                raise ConfigError(
                    f"{top / FOLDER} has more than {_MOST_FILES:,} files", "take out what is no "
                    "lens and no rule"
                )  # fmt: skip
    return found
