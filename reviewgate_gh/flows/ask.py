"""Asking every reviewer at once; one that breaks is an answer too."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..model.config import Reviewer
from ..model.errors import ConfigError, GateError
from ..model.review import Request, Review, Status
from ..model.values import dataclass
from ..system import plugins
from ..system.kit import Kit
from ..system.together import together
from .changes import Loading
from .seats import options_of

Asking = Callable[[], Review]


@dataclass(frozen=True, slots=True)
class Question:
    """One reviewer and one part of it to ask."""

    name: str
    entry: Reviewer
    module: Any
    options: Any
    part: str


def askings(reviewers: Mapping[str, Reviewer], loading: Loading, kit: Kit) -> list[Asking]:
    """Everything there is to ask these reviewers, none of them a language model, about this change.

    Raises:
        ConfigError: a plug-in does not exist, or its options are wrong.
    """
    found: list[Asking] = []
    for name, entry in reviewers.items():
        module = plugins.load("reviewers", entry.type)
        options = options_of(name, entry, module)
        parts = module.parts(loading.listed, options, kit)
        found += [partial(_ask, Question(name, entry, module, options, part), loading, kit) for part in parts]
    return found


def ask_all(asked: Sequence[Asking], most: int) -> tuple[Review, ...]:
    """The answers, in the order of the questions; the wall time is the slowest one's."""
    return tuple(together(lambda asking: asking(), asked, most))


def _ask(question: Question, loading: Loading, kit: Kit) -> Review:
    mine = replace(kit, timeout=min(kit.timeout, question.entry.timeout))
    started = kit.world.clock()
    try:
        review: Review = question.module.review(Request(loading.listed, question.part, loading.whole), question.options, mine)
    except ConfigError:
        raise
    except GateError as error:
        review = Review(question.name, question.part, Status.FAILED, error=error.message)
    except OSError as error:
        review = Review(question.name, question.part, Status.FAILED, error=_refused(error))
    except Exception as error:
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        review = Review(question.name, question.part, Status.FAILED, error=what)
    required = review.required and question.entry.required
    return replace(review, reviewer=question.name, required=required, seconds=round(kit.world.clock() - started, 3))


def _refused(error: OSError) -> str:
    """In words that say what to fix; a full disk above all."""
    import tempfile

    place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else tempfile.gettempdir()
    return f"{error.strerror or error} ({place}): check free space and write permission, or set TMPDIR to another folder"
