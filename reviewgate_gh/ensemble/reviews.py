"""The language models of a run: who is seated, which lens each looks through, and their answers as
reviews."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ..findings.carry_over import relocate_to_full_change
from ..findings.code_search import CodeIndex
from ..findings.scope import ChangedLines
from ..model.config import Config
from ..model.finding import Finding
from ..model.question import Effort, Prompt
from ..model.review import ModelCall, Review, ReviewCall, ReviewStatus
from ..model.values import dataclass
from .anchor import findings_of_claims
from .answer import REVIEW, ReviewAnswer, read_review_answer
from .client import MIN_SECONDS, ModelClient, Response
from .context import PromptContext
from .lenses import ChosenLens
from .models import ModelReviewer
from .prompt import lens_part


@dataclass(frozen=True, slots=True)
class Ensemble:
    """`seated` can be asked, `absent` are the reviews of those that cannot; `material` waits for
    the diff."""

    client: ModelClient
    config: Config
    models: tuple[ModelReviewer, ...]
    unavailable: tuple[Review, ...]
    lenses: tuple[ChosenLens, ...]
    context: Callable[[], PromptContext]
    effort: Effort | None = None
    check_output: Callable[[], str] = str
    notices: tuple[str, ...] = ()

    def collect_reviews(
        self,
        others: Sequence[ReviewCall],
        ask_all: Callable[[Sequence[ReviewCall], int], tuple[Review, ...]],
    ) -> tuple[Review, ...]:
        """The review stage with all other reviewers in it: every request leaves at once."""
        with self.client.progress:
            answers = ask_all([*others, *self._review_calls()], self.config.ensemble.max_parallel)
        return (*answers, *self._idle(), *self.unavailable, *self.context().carried_reviews)

    @property
    def min_seconds(self) -> float:
        """With fewer seconds left than this, the run asks no more questions."""
        return MIN_SECONDS

    def _idle(self) -> tuple[Review, ...]:
        """Who could be asked where there is nothing to ask."""
        why = "no lens applies to this change"
        rows = (
            Review(
                each.name, status=ReviewStatus.SKIPPED, error=why, required=False, asked=ModelCall()
            )
            for each in self.models
        )
        return () if self.lenses else tuple(rows)

    def _review_calls(self) -> list[ReviewCall]:
        """One question for each lens and each model assigned to it."""
        return [partial(self._look, model, lens) for model, lens in self._assigned()]

    def ask(self, model: ModelReviewer, part: str, own: str, required: bool = True) -> Review:
        """One question for findings, as a review."""
        material = self.context()
        if not material.shown_paths and not material.cut_paths:
            nothing = (
                "models may read nothing of this change"
                if not material.carried_reviews
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
        prompt = Prompt(material.shared_prompt, own, REVIEW, self.effort)
        heard = self.client.ask(
            model, part, prompt, partial(read_review_answer, nonce=self.client.nonce)
        )
        return review_of_response(heard, part, material, required and model.config.required)

    def _assigned(self) -> Iterator[tuple[ModelReviewer, ChosenLens]]:
        """In turn, until every lens has a model and every model a lens: every configured model is
        asked."""
        if self.config.ensemble.assign == "cross":
            yield from ((model, lens) for lens in self.lenses for model in self.models)
        elif self.models and self.lenses:
            for at in range(max(len(self.models), len(self.lenses))):
                yield self.models[at % len(self.models)], self.lenses[at % len(self.lenses)]

    def _look(self, model: ModelReviewer, chosen: ChosenLens) -> Review:
        about = chosen.paths if chosen.lens.applies_to else ()
        extra = self.check_output() if chosen.lens.runs_commands else ""
        return self.ask(model, chosen.id, lens_part(chosen.lens, self.client.nonce, about, extra))


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
    changed_lines = ChangedLines(context.change)
    findings = findings_of_claims(answer.claims, changed_lines, CodeIndex(changed_lines), name)
    if context.change is context.full_change:
        return findings
    whole = ChangedLines(context.full_change)
    index = CodeIndex(whole)
    return tuple(relocate_to_full_change(finding, whole, index) for finding in findings)
