"""Asking every reviewer at once; one that breaks is an answer too."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..ensemble.models import read_options
from ..model.config import ReviewerConfig
from ..model.errors import ConfigError, GateError
from ..model.review import Review, ReviewCall, ReviewRequest, ReviewStatus
from ..model.values import dataclass
from ..reviewers._context import ReviewContext
from ..settings.change import LoadingChange
from ..system import plugins
from ..system.parallel import map_parallel


@dataclass(frozen=True, slots=True)
class ReviewTask:
    """One reviewer and one part of it to ask."""

    name: str
    config: ReviewerConfig
    module: Any
    options: Any
    part: str


def review_calls(
    reviewers: Mapping[str, ReviewerConfig], loading: LoadingChange, context: ReviewContext
) -> list[ReviewCall]:
    """Everything there is to ask these reviewers, none of them a language model, about this change.

    Raises:
        ConfigError: a plug-in does not exist, or its options are wrong.
    """
    found: list[ReviewCall] = []
    for name, entry in reviewers.items():
        module = plugins.load("reviewers", entry.type)
        options = read_options(name, entry, module)
        parts = module.parts(loading.without_hunks, options, context)
        found += [
            partial(_ask, ReviewTask(name, entry, module, options, part), loading, context)
            for part in parts
        ]
    return found


def run_review_calls(asked: Sequence[ReviewCall], most: int) -> tuple[Review, ...]:
    """The answers, in the order of the questions; the wall time is the slowest one's."""
    return tuple(map_parallel(lambda asking: asking(), asked, most))


def _ask(question: ReviewTask, loading: LoadingChange, context: ReviewContext) -> Review:
    mine = replace(context, timeout=min(context.timeout, question.config.timeout))
    started = context.environment.clock()
    try:
        review: Review = question.module.review(
            ReviewRequest(loading.without_hunks, question.part, loading.complete),
            question.options,
            mine,
        )
    except ConfigError:
        raise
    except GateError as error:
        review = Review(question.name, question.part, ReviewStatus.FAILED, error=error.message)
    except OSError as error:
        review = Review(question.name, question.part, ReviewStatus.FAILED, error=_refused(error))
    except Exception as error:
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        review = Review(question.name, question.part, ReviewStatus.FAILED, error=what)
    required = review.required and question.config.required
    return replace(
        review,
        reviewer=question.name,
        required=required,
        seconds=round(context.environment.clock() - started, 3),
    )


def _refused(error: OSError) -> str:
    """In words that say what to fix; a full disk above all."""
    import tempfile

    place = (
        os.fsdecode(error.filename)
        if isinstance(error.filename, str | bytes)
        else tempfile.gettempdir()
    )
    return (
        f"{error.strerror or error} ({place}): check free space and write permission, or set "
        "TMPDIR to another folder"
    )
