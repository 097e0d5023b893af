"""Building the ensemble of a run: its models, lenses, shared context, and client."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..git import Git
from ..model.change import Change
from ..model.config import Config, ReviewerConfig
from ..model.question import Availability, ModelReply
from ..model.review import ModelCall, Review, ReviewStatus
from ..reviewers._context import ModelContext
from ..reviewers.checks import secrets
from ..reviewers.checks._sources import CheckInput
from ..settings.change import LoadingChange
from ..settings.settings import AppliedSettings
from ..system.environment import Environment
from ..system.parallel import BackgroundCall, call_once
from ..text.paths import denied_files
from .budget import BudgetAccount
from .client import AnswerStore, CacheWarmup, ModelClient, open_answer_cache, question_digest
from .context import build_context, files_for_models
from .lenses import ChosenLens, choose_lenses, load_lenses
from .models import ModelReviewer, check_models
from .progress import Progress
from .project_commands import ProjectChecks, find_project_checks
from .reviews import Ensemble

if TYPE_CHECKING:
    from .incremental import LastReview
    from .incremental import LastReviewQuery as SinceAsked
    from .options import ReviewOptions


_CHECKS = ("own-checks", question_digest("own-checks"))


def build_ensemble(
    wanted: Mapping[str, ReviewerConfig],
    options: "ReviewOptions",
    loading: LoadingChange,
    settings: AppliedSettings,
    left_out: Collection[str],
    end: float,
    git: Git,
    environment: Environment,
) -> Ensemble:
    """The ensemble of these models for this change; `end` is the clock's time at which the run is
    over.

    Raises:
        ConfigError: a lens or a plug-in's options are wrong.
    """
    config, listed = settings.config, loading.without_hunks
    since = options.last_review if config.ensemble.incremental else None
    paths = tuple(file.path for file in listed.files if file.path not in left_out)
    hidden = denied_files(listed.files, config.policy.denied_paths)
    material = BackgroundCall(
        lambda: build_context(
            loading.complete(),
            left_out,
            config,
            git,
            _earlier(since, settings, wanted),
            environment.change_intent(),
        )
    )
    context = ModelContext(
        environment,
        end - environment.clock(),
        listed.trusted,
        git.tree,
        has_denied_files=bool(config.policy.denied_paths),
    )
    panel = _recorded_seats(options, check_models(_with_fallbacks(wanted, config), context))
    lenses = choose_lenses(
        load_lenses(config, listed, git), tuple(path for path in paths if path not in hidden)
    )
    seated = tuple(panel[name] for name in wanted if _answers(panel[name], panel))
    budget = BudgetAccount(config.ensemble.budget)
    client = ModelClient(
        environment.nonce(), context, end, budget, panel, Progress(environment),
        _kept(options, config, git, environment),
        AnswerStore(options.answers.record) if options.answers.record else None,
        AnswerStore(options.answers.replay) if options.answers.replay else None,
        CacheWarmup(budget) if config.ensemble.cache_warmup else None,
    )  # fmt: skip
    checks = _checks(lenses, options, listed, config, end, git, environment)
    notices = tuple(
        f"the lens {each.id} was skipped: {checks.unavailable_reason}"
        for each in lenses
        if each.lens.runs_commands and checks.unavailable_reason
    )
    lenses = tuple(
        each for each in lenses if not (each.lens.runs_commands and checks.unavailable_reason)
    )
    absent = _absent(wanted, panel, seated)
    return Ensemble(
        client,
        config,
        seated,
        absent,
        lenses,
        material.result,
        options.effort,
        call_once(checks.run or str),
        notices,
    )


def _earlier(
    since: "SinceAsked | None", settings: AppliedSettings, wanted: Collection[str]
) -> "LastReview | None":
    """The last review, where all of these models had a part in it: one that had none has not read
    what came before."""
    found = since(settings.digest) if since else None
    return found if found and found.models.issuperset(wanted) else None


def _checks(
    lenses: Collection[ChosenLens],
    options: "ReviewOptions",
    change: Change,
    config: Config,
    end: float,
    git: Git,
    environment: Environment,
) -> ProjectChecks:
    """The project's own checks, where a lens wants them; what they say, or why they are left out,
    belongs to a recording as answers do.

    Without either the lens is asked with no output, and no recorded answer is one to that.
    """
    if not any(each.lens.runs_commands for each in lenses):
        return ProjectChecks(None)
    if options.answers.replay:
        said = AnswerStore(options.answers.replay).get(*_CHECKS) or ModelReply(ReviewStatus.SKIPPED)
        return (
            ProjectChecks(lambda: said.text)
            if said.status is ReviewStatus.OK
            else ProjectChecks(None, said.error)
        )
    found, folder = (
        find_project_checks(change, config, end, git, environment),
        options.answers.record,
    )
    if folder is None:
        return found
    if found.run is None:
        AnswerStore(folder).save(
            *_CHECKS, ModelReply(ReviewStatus.SKIPPED, error=found.unavailable_reason)
        )
        return found
    return ProjectChecks(partial(_recorded, found.run, folder))


def _recorded(run: Callable[[], str], folder: Path) -> str:
    output = run()
    AnswerStore(folder).save(*_CHECKS, ModelReply(ReviewStatus.OK, output))
    return output


def _with_fallbacks(
    wanted: Mapping[str, ReviewerConfig], config: Config
) -> dict[str, ReviewerConfig]:
    names = (entry.fallback for entry in wanted.values() if entry.fallback)
    return {**{name: config.reviewers[name] for name in names}, **wanted}


def _recorded_seats(
    options: "ReviewOptions", panel: Mapping[str, ModelReviewer]
) -> Mapping[str, ModelReviewer]:
    """Who could be asked belongs to a recording: a replay needs none of the programs and keys."""
    if options.answers.replay:
        seats = AnswerStore(options.answers.replay)
        return {
            name: replace(each, availability=Availability(_absence(seats, name)))
            for name, each in panel.items()
        }
    if options.answers.record:
        for name, each in panel.items():
            status = (
                ReviewStatus.UNAVAILABLE if each.availability.error else ReviewStatus.OK
            )  # both: the folder may hold an older recording
            AnswerStore(options.answers.record).save(
                f"{name}/seat",
                question_digest(name),
                ModelReply(status, error=each.availability.error),
            )
    return panel


def _absence(seats: AnswerStore, name: str) -> str:
    recorded = seats.get(f"{name}/seat", question_digest(name))
    return recorded.error if recorded else ""


def _answers(model: ModelReviewer, panel: Mapping[str, ModelReviewer]) -> bool:
    """It can be asked, or its fallback can."""
    other = panel.get(model.config.fallback or "")
    return not model.availability.error or (other is not None and not other.availability.error)


def _absent(
    wanted: Mapping[str, ReviewerConfig],
    panel: Mapping[str, ModelReviewer],
    seated: Collection[ModelReviewer],
) -> tuple[Review, ...]:
    return tuple(
        Review(
            name,
            status=ReviewStatus.UNAVAILABLE,
            error=panel[name].availability.error,
            required=entry.required,
            asked=ModelCall(),
        )
        for name, entry in wanted.items()
        if panel[name] not in seated
    )


def _kept(
    options: "ReviewOptions", config: Config, git: Git, environment: Environment
) -> AnswerStore | None:
    """The answers of earlier runs: on a person's machine only, where nobody else can have written
    them."""
    if (
        environment.in_ci
        or not config.ensemble.cache
        or options.answers.fresh
        or options.answers.replay
    ):
        return None
    return open_answer_cache(git.common)


def find_redacted_secrets(change: Change, left_out: Collection[str], config: Config) -> Review:
    """It covers no file: searching a file for secrets does not count as reviewing it."""
    shown = replace(change, files=tuple(files_for_models(change, left_out, config)))
    found = tuple(secrets.check(CheckInput(shown, {}, {})))
    return Review("builtin", "secrets-check", findings=found, found=len(found))
