"""The language models of a run: built once, asked through lenses, and their answers as reviews."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ..findings.carry_over import relocate_to_full_change
from ..findings.code_search import CodeIndex
from ..findings.scope import ChangedLines
from ..model.config import Config, ReviewerConfig
from ..model.finding import Finding
from ..model.question import Availability, ModelReply, Prompt
from ..model.review import ModelCall, Review, ReviewCall, ReviewStatus
from ..reviewers._context import ModelContext
from ..reviewers.checks import secrets
from ..reviewers.checks._sources import CheckInput
from ..system.parallel import BackgroundCall, call_once
from ..text.paths import denied_files
from .anchor import findings_of_claims
from .answer import REVIEW, ReviewAnswer, read_review_answer
from .client import (
    MIN_SECONDS,
    AnswerStore,
    CacheWarmup,
    ModelClient,
    Response,
    open_kept_answers,
    open_model_client,
    question_digest,
)
from .context import PromptContext, build_context, files_for_models
from .lenses import ChosenLens, choose_lenses, load_lenses
from .models import ModelReviewer, check_models
from .options import ReviewRun
from .project_commands import ProjectChecks, find_project_checks
from .prompt import lens_part

if TYPE_CHECKING:
    from .incremental import LastReview


_CHECKS = ("own-checks", question_digest("own-checks"))


class Ensemble(Struct, frozen=True):
    """`models` can be asked, `unavailable` are the reviews of the others.

    `context` waits for the diff.
    """

    run: ReviewRun
    client: ModelClient
    models: tuple[ModelReviewer, ...]
    unavailable: tuple[Review, ...]
    lenses: tuple[ChosenLens, ...]
    context: Callable[[], PromptContext]
    check_output: Callable[[], str] = str
    notices: tuple[str, ...] = ()

    @property
    def min_seconds(self) -> float:
        """With fewer seconds left than this, the run asks no more questions."""
        return MIN_SECONDS

    def review_calls(self) -> list[ReviewCall]:
        """One question for each lens and each model assigned to it."""
        return [partial(self._look, model, lens) for model, lens in self._assigned()]

    def unasked_reviews(self) -> tuple[Review, ...]:
        """Models without a question, those that cannot be asked, and what was open last time."""
        why = "no lens applies to this change"
        idle = [
            Review(
                each.name, status=ReviewStatus.SKIPPED, error=why, required=False, asked=ModelCall()
            )
            for each in self.models
        ]
        return (*(() if self.lenses else idle), *self.unavailable, *self.context().carried_reviews)

    def models_that_answered(self, reviews: Sequence[Review]) -> list[ModelReviewer]:
        """The models that gave an answer; a fallback can verify and audit as well as it reviews."""
        names = dict.fromkeys(
            review.reviewer
            for review in reviews
            if review.asked and review.status is ReviewStatus.OK
        )
        return [self.client.models[name] for name in names]

    def all_notices(self, reviews: Sequence[Review]) -> tuple[str, ...]:
        """What a person should know of the questions and of who answered them."""
        return (*self.notices, *self.context().notices, *_replaced(reviews))

    def ask(self, model: ModelReviewer, part: str, own: str, required: bool = True) -> Review:
        """One question for findings, as a review."""
        context = self.context()
        if not context.shown_paths and not context.cut_paths:
            nothing = (
                "models may read nothing of this change"
                if not context.carried_reviews
                else "nothing new since the last review"
            )
            return Review(
                model.name,
                part,
                ReviewStatus.SKIPPED,
                error=nothing,
                required=False,
                asked=ModelCall(),
            )
        prompt = Prompt(context.shared_prompt, own, REVIEW, self.run.options.effort)
        read = partial(read_review_answer, nonce=self.client.nonce)
        heard = self.client.ask(model, part, prompt, read, again=True)
        return review_of_response(heard, part, context, required and model.config.required)

    def _assigned(self) -> Iterator[tuple[ModelReviewer, ChosenLens]]:
        """In turn, until every lens has a model and every model a lens: every configured model is
        asked."""
        if self.run.config.ensemble.assign == "cross":
            yield from ((model, lens) for lens in self.lenses for model in self.models)
        elif self.models and self.lenses:
            for at in range(max(len(self.models), len(self.lenses))):
                yield self.models[at % len(self.models)], self.lenses[at % len(self.lenses)]

    def _look(self, model: ModelReviewer, chosen: ChosenLens) -> Review:
        about = chosen.paths if chosen.lens.applies_to else ()
        extra = self.check_output() if chosen.lens.runs_commands else ""
        return self.ask(model, chosen.id, lens_part(chosen.lens, self.client.nonce, about, extra))


def _replaced(reviews: Sequence[Review]) -> tuple[str, ...]:
    """Who answered for whom, a line for each reason."""
    lines: dict[tuple[str, str], list[str]] = {}
    for review in reviews:
        if review.asked and review.asked.instead:
            lines.setdefault((review.reviewer, review.asked.instead), []).append(review.part)
    return tuple(
        f"{who} answered {', '.join(parts)} in place of {whom}"
        for (who, whom), parts in lines.items()
    )


def review_of_response(
    response: Response[ReviewAnswer], part: str, context: PromptContext, required: bool
) -> Review:
    """An answer as a review: each claim is a finding, at the lines that its quote has."""
    reply, answer = response.reply, response.answer
    bare = Review(
        response.model.name,
        part,
        reply.status,
        error=reply.error,
        version=reply.version,
        required=required,
        seconds=response.seconds,
        asked=response.call,
    )
    if answer is None:
        return bare
    findings = _placed(answer, context, bare.name)
    return replace(
        bare,
        findings=findings,
        found=len(findings),
        covered=context.shown_paths,
        said=answer.verdict,
    )


def _placed(answer: ReviewAnswer, context: PromptContext, name: str) -> tuple[Finding, ...]:
    changed_lines, beside = ChangedLines(context.change), context.pack.beside(context.change)
    index = CodeIndex(beside.lines)
    findings = findings_of_claims(answer.claims, changed_lines, index, name, beside)
    if context.change is context.full_change:
        return findings
    whole = ChangedLines(context.full_change)
    index = CodeIndex(whole)
    return tuple(relocate_to_full_change(finding, whole, index) for finding in findings)


def build_ensemble(run: ReviewRun, wanted: Mapping[str, ReviewerConfig]) -> Ensemble:
    """The ensemble of these models for this run.

    Raises:
        ConfigError: a lens or a plug-in's options are wrong.
    """
    config, listed = run.config, run.loading.without_hunks
    paths = tuple(file.path for file in listed.files if file.path not in run.excluded)
    hidden = denied_files(listed.files, config.policy.denied_paths)
    context = BackgroundCall(lambda: build_context(run, _earlier(run, wanted)))
    asking = ModelContext(
        run.environment,
        run.deadline - run.environment.clock(),
        listed.trusted,
        run.git.tree,
        has_denied_files=bool(config.policy.denied_paths),
    )
    panel = _recorded_availability(run, check_models(_with_fallbacks(wanted, config), asking))
    lenses = choose_lenses(
        load_lenses(config, listed, run.git), tuple(path for path in paths if path not in hidden)
    )
    models = tuple(panel[name] for name in wanted if _answers(panel[name], panel))
    kept = open_kept_answers(run.options.answers, config, run.git, run.environment)
    client = open_model_client(panel, asking, run.deadline, config, kept)
    if config.ensemble.cache_warmup:
        client = replace(client, warmup=CacheWarmup(client.budget))
    checks = _checks(run, lenses)
    notices = tuple(
        f"the lens {each.id} was skipped: {checks.unavailable_reason}"
        for each in lenses
        if each.lens.runs_commands and checks.unavailable_reason
    )
    lenses = tuple(
        each for each in lenses if not (each.lens.runs_commands and checks.unavailable_reason)
    )
    unavailable = _unavailable(wanted, panel, models)
    return Ensemble(
        run,
        client,
        models,
        unavailable,
        lenses,
        context.result,
        call_once(checks.run or str),
        notices,
    )


def _earlier(run: ReviewRun, wanted: Collection[str]) -> "LastReview | None":
    """The last review, where all of these models had a part in it: one that had none has not read
    what came before."""
    last_review = run.options.last_review if run.config.ensemble.incremental else None
    found = last_review(run.settings.digest) if last_review else None
    return found if found and found.models.issuperset(wanted) else None


def _checks(run: ReviewRun, lenses: Collection[ChosenLens]) -> ProjectChecks:
    """The project's own checks, where a lens wants them; what they say, or why they are left out,
    belongs to a recording as answers do.

    Without either the lens is asked with no output, and no recorded answer is one to that.
    """
    answers = run.options.answers
    if not any(each.lens.runs_commands for each in lenses):
        return ProjectChecks(None)
    if answers.replay:
        said = AnswerStore(answers.replay).get(*_CHECKS) or ModelReply(ReviewStatus.SKIPPED)
        return (
            ProjectChecks(lambda: said.text)
            if said.status is ReviewStatus.OK
            else ProjectChecks(None, said.error)
        )
    found = find_project_checks(
        run.loading.without_hunks, run.config, run.deadline, run.git, run.environment
    )
    if answers.record is None:
        return found
    if found.run is None:
        AnswerStore(answers.record).save(
            *_CHECKS, ModelReply(ReviewStatus.SKIPPED, error=found.unavailable_reason)
        )
        return found
    return ProjectChecks(partial(_recorded, found.run, answers.record))


def _recorded(run: Callable[[], str], folder: Path) -> str:
    output = run()
    AnswerStore(folder).save(*_CHECKS, ModelReply(ReviewStatus.OK, output))
    return output


def _with_fallbacks(
    wanted: Mapping[str, ReviewerConfig], config: Config
) -> dict[str, ReviewerConfig]:
    names = (entry.fallback for entry in wanted.values() if entry.fallback)
    return {**{name: config.reviewers[name] for name in names}, **wanted}


def _recorded_availability(
    run: ReviewRun, panel: Mapping[str, ModelReviewer]
) -> Mapping[str, ModelReviewer]:
    """Who could be asked belongs to a recording: a replay needs none of the programs and keys."""
    answers = run.options.answers
    if answers.replay:
        recorded = AnswerStore(answers.replay)
        return {
            name: replace(each, availability=Availability(_recorded_error(recorded, name)))
            for name, each in panel.items()
        }
    if answers.record:
        for name, each in panel.items():
            error = each.availability.error
            # Both: the folder may hold an older recording
            status = ReviewStatus.UNAVAILABLE if error else ReviewStatus.OK
            AnswerStore(answers.record).save(
                f"{name}/seat", question_digest(name), ModelReply(status, error=error)
            )
    return panel


def _recorded_error(recorded: AnswerStore, name: str) -> str:
    found = recorded.get(f"{name}/seat", question_digest(name))
    return found.error if found else ""


def _answers(model: ModelReviewer, panel: Mapping[str, ModelReviewer]) -> bool:
    """It can be asked, or its fallback can."""
    other = panel.get(model.config.fallback or "")
    return not model.availability.error or (other is not None and not other.availability.error)


def _unavailable(
    wanted: Mapping[str, ReviewerConfig],
    panel: Mapping[str, ModelReviewer],
    models: Collection[ModelReviewer],
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
        if panel[name] not in models
    )


def find_redacted_secrets(run: ReviewRun) -> Review:
    """It covers no file: searching a file for secrets does not count as reviewing it."""
    shown = replace(run.change, files=tuple(files_for_models(run.change, run.excluded, run.config)))
    found = tuple(secrets.check(CheckInput(shown, {}, {}, rules=run.settings.secret_rules)))
    return Review("builtin", "secrets-check", findings=found, found=len(found))
