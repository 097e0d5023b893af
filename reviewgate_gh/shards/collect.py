"""The answers of all shards, from folders: which belong to this review, and which are missing."""

import os
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.options import CollectedAnswers, ReviewOptions, ReviewRun
from ..gate.reviews import (
    FIRST_UNASKED,
    ReviewTask,
    direct_reviewers,
    is_empty,
    open_context,
    review_tasks,
)
from ..git import Git
from ..git.objects import list_paths
from ..model.errors import UsageError
from ..model.review import NO_USAGE, PartialReview, Portion, Review, ReviewStatus
from ..reviewers import linters
from ..reviewers._context import ReviewContext
from ..system import plugins
from ..text.visible import show_hidden
from .answer import (
    MOST_BYTES,
    ShardAnswer,
    foreign_plan,
    misplaced_part,
    read_answer,
)
from .plan import MOST_SHARDS, ShardPlan, make_plan
from .work import measure_work, plan_inputs

_MOST_FILES = 1_000
_MOST_TOGETHER = 500_000_000  # bytes
_TOO_MUCH = f"all answers together are larger than {_MOST_TOGETHER:,} bytes"
_AGAIN = "run its job again"


class AnswerFile(Struct, frozen=True):
    """A file with its answer, or why it has none."""

    place: Path
    answer: ShardAnswer | None
    trouble: str = ""

    @property
    def words(self) -> str:
        """For people."""
        return f"{show_hidden(str(self.place))}: {self.trouble}"


def gathering(
    options: ReviewOptions, folders: Sequence[Path], shards: int | None = None
) -> ReviewOptions:
    """The options of a review of what the files in these folders say; they are read at once.
    `shards` is how many there must be; None: as many as the answers say.

    Raises:
        UsageError: a folder is not there, or holds too many files.
    """
    return replace(options, collect=partial(_collect, tuple(_read(folders)), shards))


def _read(folders: Sequence[Path]) -> Iterator[AnswerFile]:
    total = 0  # bytes
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder", "name the folder with the answers")
        paths = sorted(_json_files(folder))
        if len(paths) > _MOST_FILES:
            raise UsageError(
                f"{folder} holds {len(paths):,} JSON files, more than {_MOST_FILES:,}",
                "put the answers of one review into a folder of their own",
            )
        for path in map(Path, paths):
            read = _read_file(path)
            total += path.lstat().st_size if read.answer else 0
            yield read if total <= _MOST_TOGETHER else AnswerFile(path, None, _TOO_MUCH)


def _json_files(folder: Path) -> Iterator[str]:
    """Those in the folder and below it; each artifact comes in a folder of its own."""
    for place, _folders, names in os.walk(folder, followlinks=False):
        yield from (os.path.join(place, name) for name in names if name.endswith(".json"))


def _read_file(path: Path) -> AnswerFile:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as file:
            kind = os.fstat(handle)
            if not stat.S_ISREG(kind.st_mode):
                return AnswerFile(path, None, "it is not a regular file")
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            return AnswerFile(path, None, f"it is larger than {MOST_BYTES:,} bytes")
        return AnswerFile(path, read_answer(data))
    except OSError as error:
        return AnswerFile(path, None, f"it cannot be read: {error.strerror}")
    except ValueError as error:
        return AnswerFile(path, None, str(error))


def _collect(files: Sequence[AnswerFile], shards: int | None, run: ReviewRun) -> CollectedAnswers:
    """The answers that count, one for each shard, and a failed review for each that has none."""
    plan = _plan(files, shards, run)
    judged = [*_judged(_without_committed(files, run.git), plan, run)]
    chosen, missing = list[ShardAnswer](), list[Review]()
    for portion in plan.portions:
        mine = [each for each in judged if each.answer and each.answer.shard == portion.piece]
        best, why = _newest([each.answer for each in mine if each.answer and not each.trouble])
        if best is not None:
            chosen.append(best)
            continue
        other = [each for each in judged if each.answer is None]
        told = [why] if why else [each.words for each in mine or other]
        error = f"{'; '.join(told) or 'it left no answer'}; {_AGAIN}"
        name = f"shard {portion.piece} of {plan.shards}"
        missing.append(Review(name, status=ReviewStatus.FAILED, error=error))
    unused = () if missing else (f"not used: {each.words}" for each in judged if each.trouble)
    return _together(chosen, tuple(missing), tuple(unused), run)


def _plan(files: Sequence[AnswerFile], shards: int | None, run: ReviewRun) -> ShardPlan:
    """The plan, as this run makes it; where nobody says for how many shards, the one that most
    answers belong to. Each is about the whole change."""
    inputs, work = plan_inputs(run), measure_work(run)
    if shards is not None:
        return make_plan(inputs, work, shards)
    said = [each.answer for each in files if each.answer and each.answer.shards <= MOST_SHARDS]
    counts = sorted({max(1, each.shards) for each in said}) or [1]
    plans = [make_plan(inputs, work, count) for count in counts]
    return max(plans, key=lambda plan: sum(each.plan == plan.digest for each in said))


def _without_committed(files: Sequence[AnswerFile], git: Git) -> list[AnswerFile]:
    """A commit must not bring the answers about itself."""
    if git.tree is None:
        return [*files]
    tree = git.tree.resolve()
    places = [each.place.resolve() for each in files]
    names = [str(place.relative_to(tree)) if tree in place.parents else "" for place in places]
    known = frozenset(list_paths(git, "HEAD")) if any(names) else frozenset[str]()
    why = "it is a file of a commit"
    return [
        replace(each, answer=None, trouble=why) if name in known else each
        for each, name in zip(files, names, strict=True)
    ]


def _judged(files: Sequence[AnswerFile], plan: ShardPlan, run: ReviewRun) -> Iterator[AnswerFile]:
    """The files, those whose answer does not belong to this plan with the reason."""
    per_file = {
        f"{name}/{tool}"
        for name, entry in direct_reviewers(run).items()
        if entry.type == "linters"
        for tool in plugins.names("linters")
        if linters.is_per_file(tool)
    }
    with open_context(run) as context:
        tasks = () if is_empty(run) else review_tasks(run, context)
        for file in files:
            if file.answer is None:
                yield file
                continue
            why = foreign_plan(file.answer, plan)
            if not why:
                portion = plan.portions[file.answer.shard - 1]
                why = misplaced_part(
                    file.answer, portion, per_file, _expected(tasks, portion, context)
                )
            yield replace(file, trouble=why)


def _expected(tasks: Sequence[ReviewTask], portion: Portion, context: ReviewContext) -> list[str]:
    """Those that a machine asks whatever is installed on it."""
    return [
        task.whole_name
        for task in tasks
        if (task.config.type != "linters" or linters.is_expected(task.part, context))
        and (
            bool(portion.files)
            if task.is_per_file
            else bool({task.name, task.whole_name} & portion.whole)
        )
    ]


def _newest(answers: Sequence[ShardAnswer]) -> tuple[ShardAnswer | None, str]:
    """The answer of the last run of the shard's job; none where two of that run differ."""
    last = max((each.attempt for each in answers), default=0)
    newest = [each for each in answers if each.attempt == last]
    if any(each != newest[0] for each in newest[1:]):
        return None, f"{len(newest)} different answers of attempt {last}"
    return (newest[0] if newest else None), ""


def _together(
    answers: Sequence[ShardAnswer],
    missing: tuple[Review, ...],
    messages: tuple[str, ...],
    run: ReviewRun,
) -> CollectedAnswers:
    spent = NO_USAGE
    for answer in answers:
        spent = spent.plus(answer.spent)
    return CollectedAnswers(
        tuple(_parts(answers, run)),
        missing,
        (*messages, *_times(answers)),
        tuple(dict.fromkeys(notice for each in answers for notice in each.notices)),
        tuple(sorted({path for each in answers for path in each.looked_up})),
        spent,
        any(each.late for each in answers),
    )


def _times(answers: Sequence[ShardAnswer]) -> Iterator[str]:
    """What several machines cost, beside what gathering takes."""
    if len(answers) > 1:
        longest = max(answers, key=lambda each: each.seconds)
        total = sum(each.seconds for each in answers)
        yield (
            f"{len(answers)} shards took {total:.1f} s in all, the longest {longest.seconds:.1f} s "
            f"(shard {longest.shard})"
        )


def _parts(answers: Sequence[ShardAnswer], run: ReviewRun) -> Iterator[PartialReview]:
    """All answers, on this run's clock, in the order of the shards; what several shards say of a
    model that none could ask is said once."""
    said = set[tuple[str, str, str, str]]()
    for answer in answers:
        for part in answer.parts:
            review = part.review
            row = (review.reviewer, review.part, review.status.value, review.error)
            if part.question >= FIRST_UNASKED and row in said:
                continue
            said.add(row)
            # Files are in the order of the shards, too
            piece = part.piece if review.asked is not None else answer.shard
            review = replace(review, began=run.began + review.began)
            yield replace(part, review=review, piece=piece)
