"""The language models of a run: who is seated, which lens each looks through, and their answers as reviews."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ..model.asked import Effort, Prompt
from ..model.config import Config
from ..model.finding import Finding
from ..model.review import Review, Status
from ..model.usage import Asked
from ..model.values import dataclass
from ..steps.answer import Answer, read_review
from ..steps.answer_schema import REVIEW
from ..steps.carry import in_whole
from ..steps.code_search import Code
from ..steps.prompt import lens_part
from ..steps.quote import place
from ..steps.scope import Scope
from .desk import LEAST, Desk, Heard
from .lenses import Chosen
from .material import Material
from .seats import Panelist

Asking = Callable[[], Review]


@dataclass(frozen=True, slots=True)
class Ensemble:
    """`seated` can be asked, `absent` are the reviews of those that cannot; `material` waits for the diff."""

    desk: Desk
    config: Config
    seated: tuple[Panelist, ...]
    absent: tuple[Review, ...]
    lenses: tuple[Chosen, ...]
    material: Callable[[], Material]
    effort: Effort | None = None
    checks: Callable[[], str] = str
    notices: tuple[str, ...] = ()

    def answers(self, others: Sequence[Asking], ask_all: Callable[[Sequence[Asking], int], tuple[Review, ...]]) -> tuple[Review, ...]:
        """The review stage with all other reviewers in it: every request leaves at once."""
        with self.desk.progress:
            answers = ask_all([*others, *self._askings()], self.config.ensemble.max_parallel)
        return (*answers, *self._idle(), *self.absent, *self.material().carried)

    @property
    def least(self) -> float:
        """With fewer seconds left than this, the run asks no more questions."""
        return LEAST

    def _idle(self) -> tuple[Review, ...]:
        """Who could be asked where there is nothing to ask."""
        why = "no lens applies to this change"
        rows = (Review(each.name, status=Status.SKIPPED, error=why, required=False, asked=Asked()) for each in self.seated)
        return () if self.lenses else tuple(rows)

    def _askings(self) -> list[Asking]:
        """One question for each lens and each model assigned to it."""
        return [partial(self._look, panelist, lens) for panelist, lens in self._assigned()]

    def ask(self, panelist: Panelist, part: str, own: str, required: bool = True) -> Review:
        """One question for findings, as a review."""
        material = self.material()
        if not material.shown and not material.cut:
            nothing = "models may read nothing of this change" if not material.carried else "nothing new since the last review"
            return Review(panelist.name, part, Status.SKIPPED, error=nothing, required=False, asked=Asked())
        prompt = Prompt(material.shared, own, REVIEW, self.effort)
        heard = self.desk.put(panelist, part, prompt, partial(read_review, nonce=self.desk.nonce))
        return review_of(heard, part, material, required and panelist.entry.required)

    def _assigned(self) -> Iterator[tuple[Panelist, Chosen]]:
        """In turn, until every lens has a model and every model a lens: every configured model is asked."""
        if self.config.ensemble.assign == "cross":
            yield from ((panelist, lens) for lens in self.lenses for panelist in self.seated)
        elif self.seated and self.lenses:
            for at in range(max(len(self.seated), len(self.lenses))):
                yield self.seated[at % len(self.seated)], self.lenses[at % len(self.lenses)]

    def _look(self, panelist: Panelist, chosen: Chosen) -> Review:
        about = chosen.paths if chosen.lens.applies_to else ()
        extra = self.checks() if chosen.lens.runs_commands else ""
        return self.ask(panelist, chosen.id, lens_part(chosen.lens, self.desk.nonce, about, extra))


def review_of(heard: Heard[Answer], part: str, material: Material, required: bool) -> Review:
    """An answer as a review: each claim is a finding, at the lines that its quote has."""
    reply, answer = heard.reply, heard.answer
    bare = Review(
        heard.panelist.name,
        part,
        reply.status,
        error=reply.error,
        version=reply.version,
        required=required,
        seconds=heard.seconds,
        asked=heard.asked,
    )
    if answer is None:
        return bare
    findings = _placed(answer, material, bare.name)
    return replace(bare, findings=findings, found=len(findings), covered=material.shown, said=answer.verdict)


def _placed(answer: Answer, material: Material, name: str) -> tuple[Finding, ...]:
    scope = Scope(material.change)
    findings = place(answer.claims, scope, Code(scope), name)
    if material.change is material.whole:
        return findings
    whole = Scope(material.whole)
    code = Code(whole)
    return tuple(in_whole(finding, whole, code) for finding in findings)
