"""Reviewing the cases of a data set: several at once, within one budget, each result kept as soon
as it is there."""

import threading
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ... import __version__
from ...ensemble.budget import BudgetAccount
from ...ensemble.context_pack import PackSources, build_pack
from ...ensemble.options import AnswerOptions, ReviewOptions
from ...findings.scope import ChangedLines
from ...gate.review import review
from ...git import Git
from ...model.change import Range
from ...model.config import Budget
from ...model.errors import GateError
from ...model.finding import sha256_hex
from ...model.report import Outcome, Report, ShownCode
from ...settings.change import load_change
from ...system.environment import Environment
from ...system.parallel import map_parallel
from ...system.progress import Progress
from ...system.signals import was_interrupted
from ...text.config_file import CONFIG_FILE, settings_digest
from ...text.patterns import lazy_pattern
from ...text.redact import redact
from .case import Case, ExpectedFinding
from .dataset import DataSet, read_dataset
from .materialise import open_case, require_sources
from .results import CaseResult, CaseStatus, ResultsFile, ResultsHeader, open_results
from .score import lacks_answer
from .setup import BenchOptions, BenchSetup, prepare

_BUDGET = "--budget"
_NOT_A_NAME = lazy_pattern(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 60


class BenchRun(Struct, frozen=True):
    """What came of it: the results of all chosen cases that are done, in their order; how many of
    these stood in the file already; how many were not begun, because the budget was spent."""

    header: ResultsHeader
    path: Path
    results: tuple[CaseResult, ...]
    kept: int
    not_begun: int


def run_bench(options: BenchOptions, environment: Environment) -> BenchRun:
    """Review the cases that no earlier run has reviewed.

    Raises:
        GateError: the data set, the configuration or the file of results cannot be used.
    """
    dataset = read_dataset(environment.cwd / options.dataset, options.layout or "")
    setup = prepare(options, environment)
    chosen = dataset.cases[: options.max_cases]
    require_sources(chosen, setup.cases)
    path = environment.cwd / (options.results or f"{_stem(dataset.name)}.results.jsonl")
    with open_results(path, _header(dataset, setup), dataset.cases, options.fresh) as file:
        known = {(each.case, each.digest): each for each in file.kept}
        todo = [case for case in chosen if (case.id, case.digest) not in known]
        with Progress(environment) as progress:
            runner = _Runner(setup, file, progress, len(todo))
            done = map_parallel(runner.run, todo, options.jobs)
        new = {each.case: each for each in done if each is not None}
    results = [new.get(case.id) or known.get((case.id, case.digest)) for case in chosen]
    found = tuple(each for each in results if each is not None)
    kept = len(chosen) - len(todo)
    return BenchRun(_header(dataset, setup), path, found, kept, len(chosen) - len(found))


def _stem(name: str) -> str:
    return name.removesuffix(".jsonl").removesuffix(".json")


def _header(dataset: DataSet, setup: BenchSetup) -> ResultsHeader:
    options = setup.options
    return ResultsHeader(
        dataset.name,
        dataset.layout,
        len(dataset.cases),
        _settings_digest(setup),
        tuple(sorted(setup.reviewers)),
        setup.left_out,
        options.answers.replay is not None,
        __version__,
    )


def _settings_digest(setup: BenchSetup) -> str:
    """Of the configuration as it counts, and of the lenses and rules beside it."""
    files = {
        path: sha256_hex(data.decode("utf-8", "surrogateescape"))
        for path, data in setup.cases.settings.items()
        if path != CONFIG_FILE
    }
    return sha256_hex(f"{settings_digest(setup.config)} {sorted(files.items())}", 12)


class _Runner:
    """Reviews case after case; several threads call it."""

    def __init__(
        self, setup: BenchSetup, file: ResultsFile, progress: Progress, total: int
    ) -> None:
        self._setup, self._file, self._progress, self._total = setup, file, progress, total
        budget = Budget(calls=None, input_tokens=None, cost_usd=setup.options.budget)
        self._account = BudgetAccount(budget, named=_BUDGET)
        self._lock = threading.Lock()
        self._done, self._spent = 0, False

    def run(self, case: Case) -> CaseResult | None:
        """The result of a case, or None where the budget was spent, or the user ended the run,
        before it was done."""
        if self._spent or was_interrupted():
            return None
        result = self._reviewed(case)
        with self._lock:
            if was_interrupted():  # which ended what the review was waiting for
                return None
            if any(f"({_BUDGET})" in row.error for row in result.reviews):
                self._spent = True
                return None
            self._file.add(result)
            self._done += 1
            self._progress.at(f"{self._done} of {self._total} cases reviewed")
        return result

    def _reviewed(self, case: Case) -> CaseResult:
        setup = self._setup
        clock = setup.cases.environment.clock
        bare = CaseResult(case.id, case.digest, CaseStatus.BROKEN, expected=case.expected)
        started = clock()
        try:
            with open_case(case, setup.cases) as (git, wanted):
                report = review(self._options(case, wanted), git, setup.cases.environment)
                shown = _shown(case.expected, report, git, wanted, setup)
        except GateError as error:
            why = "; ".join(filter(None, (error.message, error.hint)))
            return replace(bare, reason=redact(why))
        status, reason = _ending(report)
        return replace(
            bare,
            status=status,
            reason=reason,
            findings=report.findings,
            reviews=report.reviews,
            shown=shown,
            seconds=round(clock() - started, 3),
        )

    def _options(self, case: Case, wanted: Range) -> ReviewOptions:
        options = self._setup.options
        answers = options.answers
        return ReviewOptions(
            wanted,
            policy=options.policy,
            reviewers=self._setup.reviewers,
            answers=AnswerOptions(
                answers.fresh, _of_case(answers.record, case), _of_case(answers.replay, case)
            ),
            spending=self._account,
            progress=self._progress,
        )


def _of_case(folder: Path | None, case: Case) -> Path | None:
    """The answers of one case have a folder of their own."""
    name = _NOT_A_NAME.sub("-", case.id)[:_LONGEST_NAME]
    return folder and folder / f"{name}-{sha256_hex(case.id, 8)}"


def _ending(report: Report) -> tuple[CaseStatus, str]:
    """How the review ended, and why it does not count where it does not.

    The gate blocks for what one reviewer says whoever else is missing; but it was not all of them.
    """
    reasons = "; ".join(report.verdict.reasons)
    if report.late:
        return CaseStatus.BROKEN, reasons
    missing = {f"{row.reviewer}: {row.error}": None for row in report.reviews if lacks_answer(row)}
    if report.verdict.outcome is Outcome.INCONCLUSIVE:
        return CaseStatus.INCONCLUSIVE, reasons
    return (CaseStatus.INCONCLUSIVE, "; ".join(missing)) if missing else (CaseStatus.REVIEWED, "")


def _shown(
    expected: Sequence[ExpectedFinding],
    report: Report,
    git: Git,
    wanted: Range,
    setup: BenchSetup,
) -> tuple[bool, ...]:
    """Of each expected finding with a place, whether the diff or the code beside it shows one of
    its lines to language models, or would if there were any."""
    placed = [each for each in expected if each.places]
    if not placed:
        return ()
    change = load_change(git, wanted, setup.cases.environment, trusted=False)
    lines, context = ChangedLines(change), report.context
    if not any(row.asked for row in report.reviews):
        tokens = setup.config.ensemble.context.tokens
        context = build_pack(PackSources(git, change), tokens).listed
    return tuple(_is_shown(each, lines, context) for each in placed)


def _is_shown(expected: ExpectedFinding, lines: ChangedLines, context: Sequence[ShownCode]) -> bool:
    return any(
        any(lines.shows(place.path, line) for line in place.numbers)
        or any(place.holds(each.path, each.line_start, each.line_end) for each in context)
        or (not place.line_start and place.path in lines.files)
        for place in expected.places
    )
