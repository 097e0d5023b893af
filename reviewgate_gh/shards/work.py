"""How much there is to ask about a change, by who reads which files: what a plan divides."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from .. import __version__
from ..ensemble.context import build_context
from ..ensemble.models import model_reviewers
from ..ensemble.options import ReviewRun
from ..ensemble.prompt import estimate_tokens
from ..gate.reviews import allowed_reviewers, direct_reviewers, open_context
from ..git.objects import read_sizes
from ..model.config import KEYLESS
from ..reviewers import linters
from ..system import plugins
from .plan import PlanInputs, Question, ShardPlan, Work, make_plan, suitable_shards

# Seconds, measured on one core: docs/sharding.md. They need not be right, only alike everywhere.
_OF_A_FILE, _OF_A_BYTE = 0.002, 2e-7
_OF_OURS, _OF_ANOTHER = 1.0, 30.0
_KEYLESS_READS = ("builtin", "callers")
_OF_A_CALL, _OF_A_TOKEN = 30.0, 1e-4


def plan_run(run: ReviewRun, shards: int | None = None, exactly: int | None = None) -> ShardPlan:
    """The plan for a run: in `shards` (None: by its cost), or `exactly` so many, where somebody has
    planned already."""
    work = measure_work(run)
    return make_plan(plan_inputs(run), work, exactly or suitable_shards(work, shards))


def plan_inputs(run: ReviewRun) -> PlanInputs:
    """What a plan for this run is made for."""
    change, options = run.loading.without_hunks, run.options
    return PlanInputs(
        change.base,
        change.head,
        change.settings_commit,
        run.settings.digest,
        __version__,
        options.entry_point,
        options.reviewers,
        change.trusted,
    )


def measure_work(run: ReviewRun) -> Work:
    """All that is to be asked. What is installed here decides nothing of it."""
    change = run.loading.without_hunks
    by_oid = read_sizes(run.git, (file.oid for file in change.files if file.is_text_file))
    sizes = {file.path: by_oid.get(file.oid, 0) for file in change.files}
    shared = defaultdict[str, float](float)
    questions = list[Question]()
    for name, entry in direct_reviewers(run).items():
        if entry.type != "linters":
            read = _seconds(sizes, sizes) if entry.type in _KEYLESS_READS else 0.0
            base = _OF_OURS if entry.type in KEYLESS else _OF_ANOTHER
            questions.append(Question(name, base + read))
            continue
        with open_context(run) as context:
            taken = linters.files_of_tools(change, context)
        for tool, paths in taken.items():
            if not linters.is_per_file(tool):
                questions.append(Question(f"{name}/{tool}", _tool_seconds(tool, paths, sizes)))
            elif linters.is_expected(tool, context):
                for path in paths:
                    shared[path] += _seconds([path], sizes)
    files = tuple((file.path, shared[file.path]) for file in change.files if file.path in shared)
    return Work((*questions, *_batches(run)), files, run.config.ensemble.budget.calls)


def _seconds(paths: Collection[str], sizes: Mapping[str, int]) -> float:
    return _OF_A_FILE * len(paths) + _OF_A_BYTE * sum(sizes.get(path, 0) for path in paths)


def _tool_seconds(tool: str, paths: Collection[str], sizes: Mapping[str, int]) -> float:
    """One that reads more than the changed files takes longer to start."""
    reads_tree = getattr(plugins.load("linters", tool), "NEEDS_TREE", False)
    return _seconds(paths, sizes) + (_OF_ANOTHER if reads_tree else 0.0)


def _batches(run: ReviewRun) -> Iterator[Question]:
    """What language models read together; all that is asked about it is asked on one machine, whose
    questions share what vendors cache."""
    wanted = model_reviewers(allowed_reviewers(run))
    if not wanted or not run.loading.without_hunks.files:
        return
    config = run.config.ensemble
    asked = len(config.lenses) * (len(wanted) if config.assign == "cross" else 1)
    rounds = -(-max(asked, len(wanted)) // config.max_parallel)
    for at, batch in enumerate(build_context(run, None).batches):
        tokens = estimate_tokens(batch.shared_prompt)
        seconds = rounds * (_OF_A_CALL + _OF_A_TOKEN * tokens)
        yield Question(f"batch {at + 1}", seconds, at, tokens)
