"""Asking every reviewer at once; one that breaks is an answer too."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..model.change import Change
from ..model.config import Reviewer
from ..model.errors import ConfigError, GateError
from ..model.review import Request, Review, Status
from ..system import plugins
from ..system.kit import Kit
from ..system.settings import validate
from ..system.together import together
from .changes import Loading


@dataclass(frozen=True, slots=True)
class Question:
    """One reviewer and one part of it to ask."""

    name: str
    entry: Reviewer
    module: Any
    options: Any
    part: str


def questions(reviewers: Mapping[str, Reviewer], change: Change, kit: Kit) -> tuple[Question, ...]:
    """Everything there is to ask about this change.

    Raises:
        ConfigError: a plug-in does not exist, or its options are wrong.
    """
    found = []
    for name, entry in reviewers.items():
        module = plugins.load("reviewers", entry.type)
        options = _options(name, entry, module)
        found += [Question(name, entry, module, options, part) for part in module.parts(change, options, kit)]
    return tuple(found)


def _options(name: str, entry: Reviewer, module: Any) -> Any:
    return validate(dict(entry.options), module.Options, f"reviewers.{name}.options") if entry.options else module.Options()


def ask_all(asked: tuple[Question, ...], loading: Loading, kit: Kit, most: int) -> tuple[Review, ...]:
    """The answers, in the order of the questions; the wall time is the slowest one's."""
    return tuple(together(lambda question: _ask(question, loading, kit), asked, most))


def _ask(question: Question, loading: Loading, kit: Kit) -> Review:
    mine = replace(kit, timeout=min(kit.timeout, question.entry.timeout))
    started = kit.world.clock()
    try:
        review: Review = question.module.review(Request(loading.listed, question.part, loading.whole), question.options, mine)
    except ConfigError:
        raise
    except GateError as error:
        review = Review(question.name, question.part, Status.FAILED, error=error.message)
    except Exception as error:
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        review = Review(question.name, question.part, Status.FAILED, error=what)
    required = review.required and question.entry.required
    return replace(review, reviewer=question.name, required=required, seconds=round(kit.world.clock() - started, 3))
