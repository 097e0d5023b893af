"""For orchestrators written in Python: an external review gate asked about a range, and the same review again where it gave no answer.

reviewer = DefaultReviewer(Path("/path/of/the/repository"))
with review_context(reviewer, "bd-12", title, body) as context:
    effect, result = await review_session(reviewer, range_since(reviewer, baseline, commit), context)
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import Protocol

from ..model.contract import GateAnswer, ReviewResult
from ..model.errors import UsageError
from ..model.values import dataclass
from ..reviewers._gate import Calling, Gate, SpawnFailed, open_gate
from ..reviewers._gate_find import GateMissing
from ..reviewers._gate_range import as_commits, seen_by_git
from ..steps import gate_dialect as words
from ..steps.lifecycle import Effect, after_review
from ..system.git import Git, open_repository
from ..system.git.ranges import parent
from ..system.store import HOME, write_atomic
from ..system.world import World
from .issue_context import context_name, context_text

DEFAULT_TIMEOUT = 300
MAX_RETRIES = 3
_NOTHING = "the gate found nothing to review although git shows a change: check the gate's own exclusions"


class CodeReviewer(Protocol):
    """Whoever reviews a range for an orchestrator."""

    async def __call__(self, diff_range: str, context_file: Path, timeout: int = DEFAULT_TIMEOUT) -> ReviewResult:
        """The review of `A..B`; the file says what the change is for; seconds."""


class ReviewEvents(Protocol):
    """What an orchestrator may want to hear of a review; attempts count from 1."""

    def on_review_started(self, attempt: int, attempts: int) -> None:
        """A review begins."""

    def on_review_passed(self, attempt: int) -> None:
        """It passed."""

    def on_review_retry(self, attempt: int, attempts: int, error: str) -> None:
        """It gave no answer, and is run again without the agent."""


@dataclass(frozen=True, slots=True)
class DefaultReviewer:
    """The installed external gate, run in the repository. With `retry` an empty range is no progress; else there is nothing to review.

    An empty range is found by git: nothing is spawned.
    """

    repo_path: Path
    calling: Calling = field(default_factory=Calling)
    retry: bool = False

    async def __call__(self, diff_range: str, context_file: Path, timeout: int = DEFAULT_TIMEOUT) -> ReviewResult:
        """The gate's answer; a gate that is missing is a fatal error, one that breaks a parse error."""
        return await asyncio.to_thread(self.review, diff_range, context_file, timeout)

    def review(self, diff_range: str, context_file: Path, timeout: int = DEFAULT_TIMEOUT) -> ReviewResult:
        """The same for callers that block.

        Raises:
            UsageError: this is not a repository, or it has no such range.
        """
        git, world = self.opened()
        base, head = _ends(git, diff_range)
        if not git.run("diff-tree", "-r", "--name-only", "-z", base, head):
            return self._nothing()
        try:
            gate = open_gate(self.calling, "review", self.repo_path, world)
            answer = self._ask(gate, git, as_commits(git, base, head), context_file, timeout)
        except GateMissing:
            return ReviewResult(False, fatal_error=True)
        except SpawnFailed as error:
            return ReviewResult(False, parse_error=error.message)
        return ReviewResult(False, parse_error=_NOTHING) if answer.outcome == "no_progress" else answer.result

    def opened(self) -> tuple[Git, World]:
        """The repository and its surroundings."""
        world = replace(World.here(), cwd=self.repo_path)
        return open_repository(self.repo_path, world.env), world

    def _ask(self, gate: Gate, git: Git, ends: tuple[str, str], context: Path, timeout: int) -> GateAnswer:
        gate = replace(gate, env={**gate.env, **seen_by_git(git)})
        dialect = words.dialect_of(gate.help_text(words.SPAWN))
        told = str(context.resolve()) if context.is_file() and context.read_bytes().strip() else ""
        return gate.ask(words.review_words(dialect, *ends, told, self.calling.spawn_args), timeout)

    def _nothing(self) -> ReviewResult:
        return ReviewResult(passed=not self.retry)


async def review_session(
    reviewer: CodeReviewer,
    diff_range: str,
    context_file: Path,
    timeout: int = DEFAULT_TIMEOUT,
    max_review_retries: int = MAX_RETRIES,
    events: ReviewEvents | None = None,
) -> tuple[Effect, ReviewResult]:
    """Review, and again while there is no answer and a retry left; what the session does next, and the last result."""
    for retries in range(max(max_review_retries, 0) + 1):
        if events:
            events.on_review_started(retries + 1, max_review_retries + 1)
        result = await reviewer(diff_range, context_file, timeout)
        effect = after_review(result, retries, max_review_retries)
        if events and effect is Effect.DONE:
            events.on_review_passed(retries + 1)
        if effect is not Effect.RUN_REVIEW:
            break
        if events:
            events.on_review_retry(retries + 1, max_review_retries + 1, result.parse_error or "")
    return effect, result


def range_since(reviewer: DefaultReviewer, baseline: str, commit: str) -> str:
    """From the baseline to the commit; without a baseline the commit alone, whose parent may be the empty tree."""
    git, _world = reviewer.opened()
    found = git.resolve(commit)
    if not found:
        raise UsageError(f"{commit!r} is not a commit here", "fetch it first")
    return f"{baseline or parent(git, found)}..{found}"


@contextmanager
def review_context(reviewer: DefaultReviewer, issue: str, title: str, body: str) -> Iterator[Path]:
    """The file with an issue's title and body, under a name of its own below the git directory; it goes at the end."""
    git, _world = reviewer.opened()
    file = git.common / HOME / "tmp" / context_name(issue)
    write_atomic(file, context_text(title, body))
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def _ends(git: Git, diff_range: str) -> tuple[str, str]:
    """The two ends as object ids."""
    left, dots, right = diff_range.partition("..")
    base, head = git.resolve(left) or git.resolve(left, "tree"), git.resolve(right)
    if not (dots and base and head):
        raise UsageError(f"{diff_range!r} is not a range of commits here", "write it as A..B")
    return base, head
