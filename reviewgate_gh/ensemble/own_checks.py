"""What the project's own checks say of a change, for the lens that reads it: CI's results on a pull
request, else the commands of the project, where they may run."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ..model.config import LENSES
from ..model.pull_request import CheckOutput
from ..model.question import ModelReply
from ..model.review import ReviewStatus
from .client import AnswerStore, question_digest
from .options import ReviewRun
from .project_commands import ProjectChecks, find_project_checks

_MOST_CHECKS = 100  # that did not fail
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
    read = run.options.ci_output
    found = ProjectChecks(lambda: _as_text(read())) if read else _checks_of_project(run)
    if answers.record is None:
        return found
    if found.run is None:
        AnswerStore(answers.record).save(
            *_CHECKS, ModelReply(ReviewStatus.SKIPPED, error=found.unavailable_reason)
        )
        return found
    return ProjectChecks(partial(_recorded, found.run, answers.record))


def _as_text(checks: Sequence[CheckOutput]) -> str:
    """One block for each check."""
    failed = [each for each in checks if each.failed]
    rest = [each.headline for each in checks if not each.failed]
    blocks = [
        "\n  ".join((each.headline, *each.said, *(text for _path, text in each.annotations)))
        for each in failed
    ]
    blocks += rest[:_MOST_CHECKS]
    if (more := len(rest) - _MOST_CHECKS) > 0:
        blocks.append(f"and {more} more checks that did not fail")
    return "\n\n".join(blocks) or "No check has reported on this commit yet."


def _checks_of_project(run: ReviewRun) -> ProjectChecks:
    change = run.loading.without_hunks
    return find_project_checks(change, run.config, run.deadline, run.git, run.environment)


def are_asked_by_default(run: ReviewRun) -> bool:
    """The project's own checks may run here, there are some, and nobody has chosen the lenses. In
    CI they run anyway."""
    if run.config.ensemble.lenses != LENSES or run.options.ci_output or run.environment.in_ci:
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
