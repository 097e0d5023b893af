"""The language models of a run: built once, asked through lenses, and their answers as reviews."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from ..findings.carry_over import relocate_to_full_change
from ..findings.code_search import CodeIndex
from ..findings.scope import ChangedLines
from ..model.config import Config, ReviewerConfig
from ..model.errors import GateError, UsageError
from ..model.finding import Finding
from ..model.question import Availability, ModelReply
from ..model.review import NO_USAGE, ModelCall, PartialReview, Review, ReviewCall, ReviewStatus
from ..reviewers._context import ModelContext
from ..reviewers.checks import secrets
from ..reviewers.checks._sources import CheckInput
from ..system.parallel import BackgroundCall, WorkSlots, call_once
from ..text.paths import denied_files, matching_paths
from ..text.visible import show_hidden
from .anchor import findings_of_claims
from .answer import VERDICTS, ReviewAnswer, read_review_answer
from .batches import Batch
from .budget import share_of_budget
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
from .consensus import ACROSS, failed_without_findings
from .context import PromptContext, build_context, files_for_models, intent_of_change
from .excerpts import ContextPack, join_packs
from .lenses import BUILD_AND_TEST, ISSUE_FIDELITY, ChosenLens, choose_lenses, load_lenses
from .looked_up import looked_up_pack
from .models import ModelReviewer, check_models
from .options import CollectedAnswers, ReviewRun
from .outcomes import JudgeFindings, ToolAnswers, collect_outcomes
from .own_checks import are_asked_by_default, own_checks
from .prompt import across_part, lens_part, outline_part
from .repository_tools import ReadableTree, RepositoryTools

if TYPE_CHECKING:
    from .incremental import LastReview


_MOST_NAMED = 20  # files in a notice


class Ensemble(Struct, frozen=True):
    """`models` can be asked, `unavailable` are the reviews of the others.

    `context` waits for the diff and a little for `tool_answers`; `looked_up` are the files that
    models read by tools so far, and `read_file` gives the lines at head of one.
    """

    run: ReviewRun
    client: ModelClient
    models: tuple[ModelReviewer, ...]
    unavailable: tuple[Review, ...]
    lenses: tuple[ChosenLens, ...]
    context: Callable[[], PromptContext]
    slots: WorkSlots
    check_output: Callable[[], str] = str
    notices: tuple[str, ...] = ()
    looked_up: Collection[str] = ()
    intent: str = ""
    tool_answers: ToolAnswers = field(default_factory=ToolAnswers)
    read_file: Callable[[str], Sequence[bytes]] = lambda _path: ()

    @property
    def min_seconds(self) -> float:
        """With fewer seconds left than this, the run asks no more questions."""
        return MIN_SECONDS

    def review_calls(self) -> list[ReviewCall]:
        """One question for each lens and each model assigned to it."""
        asked = _assigned(self.run.config, self.models, self.lenses)
        return [partial(self._look, at, model, lens) for at, (model, lens) in enumerate(asked)]

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
        return [self.client.models[name] for name in names if name in self.client.models]

    def all_notices(self, reviews: Sequence[Review]) -> tuple[str, ...]:
        """What a person should know of the questions and of who answered them."""
        read = sorted(self.looked_up)
        first = ", ".join(map(show_hidden, read[:_MOST_NAMED]))
        more = f" and {len(read) - _MOST_NAMED} more" if len(read) > _MOST_NAMED else ""
        by_tools = [f"models looked up {first}{more}"] if read else []
        told = (*by_tools, *_without_lookups(reviews), *_replaced(reviews))
        return (*self.notices, *self.context().notices, *told)

    def ask(self, model: ModelReviewer, part: str, own: str, about: Collection[str] = ()) -> Review:
        """One question for findings, as a review; about these files, or all of them."""
        every = range(len(self.context().batches))
        return joined_batches([said for _, said in self._ask_in(every, model, part, own, about)])

    def _ask_in(
        self,
        some: Collection[int],
        model: ModelReviewer,
        part: str,
        own: str,
        about: Collection[str],
    ) -> list[tuple[int, Review]]:
        """The question about these batches, by their numbers, as far as it is about them."""
        context = self.context()
        if not context.batches[0].paths and not context.cut_paths:
            nothing = (
                "models may read nothing of this change"
                if not context.carried_reviews
                else "nothing new since the last review"
            )
            return [(0, _skipped(model, part, nothing))]
        asked = [
            (at, each.limited_to(about) if about else each)
            for at, each in enumerate(context.batches)
            if _is_about(about, each)
        ]
        if not asked:
            why = "models are shown none of the files that it is about"
            return [(0, _skipped(model, part, why))] if 0 in some else []

        def ask(numbered: tuple[int, Batch]) -> tuple[int, Review]:
            return numbered[0], self._ask_batch(model, part, own, numbered[1])

        return self.slots.map_parts(ask, [each for each in asked if each[0] in some])

    def ask_across(self, model: ModelReviewer, reviews: Sequence[Review]) -> Review | None:
        """What no batch shows alone: one question over the outline of all files and what was said
        of each batch. None where there is one batch."""
        context = self.context()
        if len(context.batches) < 2:
            return None
        # Who read what the author promises may repeat it
        biased = {each.id for each in self.lenses if each.lens.reads_intent}
        said = [each.summaries for each in reviews if each.asked and each.part not in biased]
        own = across_part(context.outline, said, self.client.nonce)
        nothing_shared = Batch("", frozenset(), ())
        return self._ask_batch(model, ACROSS, own, nothing_shared)

    def _ask_batch(self, model: ModelReviewer, part: str, own: str, batch: Batch) -> Review:
        context = self.context()
        prompt = context.prompt(batch.shared_prompt, own, self.run.options.effort)
        read = partial(read_review_answer, nonce=self.client.nonce)
        heard = self.client.ask(model, part, prompt, read, again=True)
        review = review_of_response(heard, part, context, batch, self.read_file)
        return replace(review, required=model.config.required)

    def _look(
        self, number: int, model: ModelReviewer, chosen: ChosenLens
    ) -> tuple[PartialReview, ...]:
        """The answers to one question, batch by batch. What is asked about all of the change at
        once, or costs a run of the project's checks, belongs to the first batch."""
        mine, lens = self._batches(), chosen.lens
        if lens.runs_commands or lens.reads_intent:
            whole = (self._look_at_all(model, chosen),) if 0 in mine else ()
            return tuple(PartialReview(each, question=number) for each in whole)
        about = chosen.about
        own = lens_part(lens, self.client.nonce, about, "")
        said = self._ask_in(mine, model, chosen.id, own, about)
        return tuple(PartialReview(each, at, number) for at, each in said)

    def _batches(self) -> Collection[int]:
        """The numbers of the batches that this run asks about."""
        portion = self.run.options.portion
        return portion.batches if portion else range(len(self.context().batches))

    def _look_at_all(self, model: ModelReviewer, chosen: ChosenLens) -> Review:
        about = chosen.about
        try:
            extra = self.check_output() if chosen.lens.runs_commands else ""
        except GateError as error:
            why = f"the project's checks cannot be read: {error.message}"
            return _skipped(model, chosen.id, why)
        if chosen.lens.reads_intent:
            return self._compare_with_intent(model, chosen)
        own = lens_part(chosen.lens, self.client.nonce, about, extra)
        return self.ask(model, chosen.id, own, about)

    def _compare_with_intent(self, model: ModelReviewer, chosen: ChosenLens) -> Review:
        """One question about all of the change: a part of it keeps a part of the promises."""
        context, about = self.context(), chosen.about
        own = lens_part(chosen.lens, self.client.nonce, about, self.intent)
        if not context.is_whole:
            why = "only what is new is read: that keeps no whole promise"
            return _skipped(model, chosen.id, why)
        if len(context.batches) > 1:
            own = f"{outline_part(context.outline)}{own}"
            return self._ask_batch(model, chosen.id, own, Batch("", frozenset(), ()))
        return self.ask(model, chosen.id, own, about)


def _is_about(paths: Collection[str], batch: Batch) -> bool:
    return not paths or not batch.paths.isdisjoint(paths)


def _skipped(model: ModelReviewer, part: str, why: str) -> Review:
    return Review(
        model.name,
        part,
        ReviewStatus.SKIPPED,
        error=why,
        required=False,
        asked=ModelCall(),
    )


def joined_batches(reviews: Sequence[Review]) -> Review:
    """The answers about all batches as one: it is complete where all are."""
    if len(reviews) == 1:
        return reviews[0]
    reviews = [_founded(each) for each in reviews]
    broken = sum(each.status is not ReviewStatus.OK for each in reviews)
    first = min(reviews, key=_weight)
    where = f"{broken} of {len(reviews)} batches: " if broken else ""
    began, each_took = min(each.began for each in reviews), [each.seconds for each in reviews]
    # Asked at once, but some by other machines, whose clocks are others
    took = max(each.began + each.seconds for each in reviews) - began
    usage, findings = NO_USAGE, tuple(found for each in reviews for found in each.findings)
    for each in reviews:
        usage = usage.plus(each.asked.usage) if each.asked else usage
    return replace(
        first,
        error=f"{where}{first.error}",
        findings=findings,
        found=len(findings),
        covered=tuple(path for each in reviews for path in each.covered),
        seconds=round(min(sum(each_took), max(took, *each_took)), 3),
        began=began,
        said=max((each.said for each in reviews), key=("", *VERDICTS).index),
        asked=replace(first.asked, usage=usage) if first.asked else None,
        summaries=tuple(said for each in reviews for said in each.summaries),
    )


def _founded(review: Review) -> Review:
    """One that fails its batch and names nothing is no answer: beside another batch's findings it
    would not be seen."""
    if not failed_without_findings(review):
        return review
    why = "the answer is FAIL without a finding"
    return replace(review, status=ReviewStatus.FAILED, error=why, covered=())


def _weight(review: Review) -> tuple[bool, ...]:
    """Lowest of the answer that stands for all: what makes the verdict inconclusive is before what
    makes it `concerns`, and of whole answers a fallback's is first, so that it is said."""
    asked, status = review.asked, review.status
    counts = status.broken or review.required
    return (
        status is ReviewStatus.OK,
        not counts,
        status is ReviewStatus.UNPARSABLE,
        not (asked and asked.instead),
    )


def _assigned(
    config: Config, models: Sequence[ModelReviewer], lenses: Sequence[ChosenLens]
) -> Iterator[tuple[ModelReviewer, ChosenLens]]:
    """In turn, until every lens has a model and every model a lens: every configured model is
    asked."""
    if config.ensemble.assign == "cross":
        yield from ((model, lens) for lens in lenses for model in models)
    elif models and lenses:
        for at in range(max(len(models), len(lenses))):
            yield models[at % len(models)], lenses[at % len(lenses)]


def _sharing(
    asked: Sequence[tuple[ModelReviewer, ChosenLens]],
    context: Callable[[], PromptContext],
    name: str,
    prefix: str,
) -> int:
    """How many questions with this prefix a model is asked at once: those that come later find the
    cache full."""
    batches = context().batches
    lenses = [lens for model, lens in asked if model.name == name]
    if len(batches) > 1:  # what a change promises is asked about all of them
        lenses = [each for each in lenses if not each.lens.reads_intent]
    return sum(
        _is_about(each.about, batch)
        for batch in batches
        if batch.shared_prompt == prefix
        for each in lenses
    )


def _without_lookups(reviews: Sequence[Review]) -> Iterator[str]:
    """Whose answers would have been others if its program had done what it was told."""
    parts: dict[str, list[str]] = {}
    for review in reviews:
        if review.asked and review.asked.without_lookups and review.status is ReviewStatus.OK:
            parts.setdefault(review.reviewer, []).append(review.part)
    for who, asked in parts.items():
        yield (
            f"{who} answered {', '.join(asked)} without look-ups: its program did not start the "
            "gate's MCP server"
        )


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
    response: Response[ReviewAnswer],
    part: str,
    context: PromptContext,
    batch: Batch,
    read_file: Callable[[str], Sequence[bytes]] = lambda _path: (),
) -> Review:
    """An answer about a batch as a review: each claim is a finding, at the lines that its quote
    has, in what was shown or looked up."""
    reply, answer = response.reply, response.answer
    bare = Review(
        response.model.name,
        part,
        reply.status,
        error=reply.error,
        version=reply.version,
        seconds=response.seconds,
        began=response.began,
        asked=response.call,
    )
    if answer is None:
        return bare
    looked_up = looked_up_pack(reply.looked_up, context.change, read_file)
    findings = _placed(answer, context, join_packs([context.pack, looked_up]), bare.name)
    return replace(
        bare,
        findings=findings,
        found=len(findings),
        covered=batch.shown_paths,
        said=answer.verdict,
        summaries=(answer.summary,),
    )


def _placed(
    answer: ReviewAnswer, context: PromptContext, pack: ContextPack, name: str
) -> tuple[Finding, ...]:
    changed_lines, beside = ChangedLines(context.change), pack.beside(context.change)
    index = CodeIndex(beside.lines)
    findings = findings_of_claims(answer.claims, changed_lines, index, name, beside)
    if context.change is context.full_change:
        return findings
    whole = ChangedLines(context.full_change)
    index = CodeIndex(whole)
    return tuple(relocate_to_full_change(finding, whole, index) for finding in findings)


def build_ensemble(
    run: ReviewRun, wanted: Mapping[str, ReviewerConfig], judge: JudgeFindings
) -> Ensemble:
    """The ensemble of these models for this run; `judge` says what the answers of the other
    reviewers come to.

    Raises:
        ConfigError: a lens or a plug-in's options are wrong.
    """
    config, listed = run.config, run.loading.without_hunks
    paths = tuple(file.path for file in listed.files if file.path not in run.excluded)
    hidden = denied_files(listed.files, config.policy.denied_paths)
    earlier = call_once(partial(_earlier, run, wanted))
    answers = ToolAnswers()
    known = BackgroundCall(collect_outcomes, run, answers, judge)
    context = BackgroundCall(lambda: build_context(run, earlier(), known.result))
    asking = ModelContext(
        run.environment,
        run.deadline - run.environment.clock(),
        listed.trusted,
        run.git.tree,
        has_denied_files=bool(config.policy.denied_paths),
    )
    panel = _recorded_availability(run, check_models(_with_fallbacks(wanted, config), asking))
    models = tuple(panel[name] for name in wanted if _answers(panel[name], panel))
    intent, unknown = intent_of_change(run, lambda: bool(models) and earlier() is None)
    by_themselves = {
        BUILD_AND_TEST: are_asked_by_default(run),
        ISSUE_FIDELITY: bool(intent),
    }
    lenses = choose_lenses(
        load_lenses(config, listed, run.git, [*filter(by_themselves.get, by_themselves)]),
        tuple(path for path in paths if path not in hidden),
    )
    client = _open_client(run, panel, asking)
    checks = own_checks(run, any(each.lens.runs_commands for each in lenses))
    why = checks.unavailable_reason
    skipped = [each for each in lenses if each.lens.runs_commands and why]
    notices = (
        *filter(None, (unknown,)),
        *(f"the lens {each.id} was skipped: {why}" for each in skipped),
    )
    lenses = tuple(each for each in lenses if each not in skipped)
    unavailable = _unavailable(wanted, panel, models)
    tree = _readable(run, hidden)
    if config.ensemble.context.tools:
        client = replace(client, tools=lambda: RepositoryTools(tree), tree=listed.head)
    if config.ensemble.cache_warmup is not False:
        asked = [*_assigned(config, models, lenses)]
        many = None if config.ensemble.cache_warmup else partial(_sharing, asked, context.result)
        client = replace(client, warmup=CacheWarmup(client.budget, many))
    return Ensemble(
        run,
        client,
        models,
        unavailable,
        lenses,
        context.result,
        WorkSlots(config.ensemble.max_parallel),
        call_once(checks.run or str),
        notices,
        tree.read,
        intent,
        answers,
        cache(tree.lines_at_head),
    )


def _open_client(
    run: ReviewRun, panel: Mapping[str, ModelReviewer], asking: ModelContext
) -> ModelClient:
    """The client of this run, with its progress, its answers and its part of the budget."""
    config = run.config
    kept = open_kept_answers(run.options.answers, config, run.git, run.environment)
    client = replace(
        open_model_client(panel, asking, run.deadline, config, kept), progress=run.progress
    )
    client.budget.shared = run.options.spending
    if run.options.portion:
        client.budget.budget = share_of_budget(config.ensemble.budget, run.options.portion.share)
    return client


def with_collected_answers(ensemble: Ensemble, answers: CollectedAnswers) -> Ensemble:
    """The ensemble after its questions were asked on other machines: it has spent what they cost,
    and knows what they had to say."""
    ensemble.client.budget.spent = answers.spent
    return replace(
        ensemble,
        notices=answers.notices,
        looked_up={*ensemble.looked_up, *answers.looked_up},
    )


def _readable(run: ReviewRun, denied: frozenset[str]) -> ReadableTree:
    """The trees of a change, without what models may not read."""
    patterns = (run.config.policy.denied_paths, run.config.policy.exclude)

    def hidden(paths: Collection[str]) -> Collection[str]:
        return denied.union(run.excluded, *(matching_paths(paths, each) for each in patterns))

    change = run.loading.without_hunks
    return ReadableTree(run.git, change.base, change.head, hidden)


def _earlier(run: ReviewRun, wanted: Collection[str]) -> "LastReview | None":
    """The last review, where all of these models had a part in it: one that had none has not read
    what came before."""
    options, change = run.options, run.loading.without_hunks
    uses = run.config.ensemble.incremental or options.asks_no_models
    found = options.last_review(run.settings.digest) if options.last_review and uses else None
    if found and not found.models.issuperset(wanted):
        found = None
    is_read = found is not None and (found.read, found.base) == (change.head, change.base)
    if options.asks_no_models and not is_read:
        raise UsageError(
            f"language models have not read {change.head:.12} to the end under these settings",
            "ask for a review",
        )
    return found


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
