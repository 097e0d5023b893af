"""What the project's own checks say of a change, for the lens that reads it: CI's results on a pull
request, else the commands of the project, where they may run."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ..model.config import LENSES
from ..model.errors import GateError
from ..model.pull_request import CheckOutput, CiReader
from ..model.question import ModelReply
from ..model.review import ReviewStatus
from .client import AnswerStore, question_digest
from .options import ReviewRun
from .project_commands import ProjectChecks, find_project_checks

_MOST_CHECKS = 100  # that did not fail
_MOST_LOGS = 5
_CHECKS = ("own-checks", question_digest("own-checks"))


def own_checks(run: ReviewRun, are_wanted: bool) -> ProjectChecks:
    """The project's own checks, where a lens wants them; what they say, or why they are left out,
    belongs to a recording as answers do.

    Without either the lens is asked with no output, and no recorded answer is one to that.
    """
    answers = run.options.answers
    if not are_wanted:
        return ProjectChecks(None)
    if answers.replay:
        said = AnswerStore(answers.replay).get(*_CHECKS) or ModelReply(ReviewStatus.SKIPPED)
        return (
            ProjectChecks(lambda: said.text)
            if said.status is ReviewStatus.OK
            else ProjectChecks(None, said.error)
        )
    # Of a pull request its own CI is read: nothing of strangers' code is run
    ci = run.options.ci
    found = ProjectChecks(partial(_as_text, ci)) if ci else _checks_of_project(run)
    if answers.record is None:
        return found
    if found.run is None:
        AnswerStore(answers.record).save(
            *_CHECKS, ModelReply(ReviewStatus.SKIPPED, error=found.unavailable_reason)
        )
        return found
    return ProjectChecks(partial(_recorded, found.run, answers.record))


def _as_text(ci: CiReader) -> str:
    """One block for each check."""
    checks = ci.checks()
    failed = [each for each in checks if each.failed]
    rest = [each.headline for each in checks if not each.failed]
    blocks = [
        "\n  ".join(_failed(each, ci if at < _MOST_LOGS else None))
        for at, each in enumerate(failed)
    ]
    blocks += rest[:_MOST_CHECKS]
    if (more := len(rest) - _MOST_CHECKS) > 0:
        blocks.append(f"and {more} more checks that did not fail")
    return "\n\n".join(blocks) or "No check has reported on this commit yet."


def _failed(check: CheckOutput, ci: CiReader | None) -> Iterator[str]:
    yield check.headline
    yield from check.said
    yield from (text for _path, text in check.annotations)
    if ci is None or not check.job:
        return
    try:
        rows = ci.log(check.job)
    except GateError as error:
        yield f"its log cannot be read: {error.message}"
    else:
        yield "the end of its log:"
        yield from (f"  {row}" for row in rows)


def _checks_of_project(run: ReviewRun) -> ProjectChecks:
    change = run.loading.without_hunks
    return find_project_checks(change, run.config, run.deadline, run.git, run.environment)


def are_asked_by_default(run: ReviewRun) -> bool:
    """The project's own checks may run here, there are some, and nobody has chosen the lenses. In
    CI they run anyway."""
    if run.config.ensemble.lenses != LENSES or run.options.ci or run.environment.in_ci:
        return False
    answers = run.options.answers
    if answers.replay:
        said = AnswerStore(answers.replay).get(*_CHECKS)
        return said is not None and said.status is ReviewStatus.OK
    can_run = _checks_of_project(run).run is not None
    if answers.record and not can_run:  # the folder may hold an older recording
        AnswerStore(answers.record).save(*_CHECKS, ModelReply(ReviewStatus.SKIPPED))
    return can_run


def _recorded(run: Callable[[], str], folder: Path) -> str:
    output = run()
    AnswerStore(folder).save(*_CHECKS, ModelReply(ReviewStatus.OK, output))
    return output
