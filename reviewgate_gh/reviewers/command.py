"""Any program of the config that prints SARIF, rdjson, rdjsonl, Checkstyle XML or ShellCheck json1.
It runs in the user's work tree."""

from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from ..model.change import Change
from ..model.coverage import check_languages
from ..model.finding import Finding
from ..model.limits import ConfigSection
from ..model.review import Review, ReviewRequest, ReviewStatus
from ..system import process
from . import imports
from ._context import ReviewContext
from ._lines import adjust_line_ends
from .linters._run import batches


class Options(ConfigSection, frozen=True, kw_only=True):
    """The program and its arguments, what it prints, whether the changed paths follow, and the exit
    codes that mean "it ran".

    Of these any but 0 says that it found something: without a finding beside it the review has
    failed. `languages` are those that it reviews: of the paths that follow, or else in the whole
    tree; null: whatever paths follow.
    """

    argv: tuple[str, ...]
    format: Literal["auto", "sarif", "rdjson", "rdjsonl", "checkstyle", "shellcheck"] = "auto"
    pass_paths: bool = False
    ok_exits: tuple[int, ...] = (0, 1)
    languages: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not self.argv or not self.argv[0]:
            raise ValueError("argv must name a program")
        check_languages("languages", self.languages or ())


RUNS_IN_TREE = True  # a program of the user's choice, in the user's work tree


def parts(change: Change, options: Options, context: ReviewContext) -> tuple[str, ...]:
    """One question; none where the program would get paths and there are none."""
    return ("",) if not options.pass_paths or _paths(change, context) else ()


def review(request: ReviewRequest, options: Options, context: ReviewContext) -> Review:
    """The program's answer; with very many paths it runs more than once, and one broken run breaks
    the review."""
    tree = context.git.tree
    if tree is None:
        return Review(
            "command",
            status=ReviewStatus.SKIPPED,
            error="it runs only in a work tree, and this repository is bare",
        )
    paths = _paths(request.change, context) if options.pass_paths else ()
    whole = Review("command", covered=paths)
    for batch in batches(paths) if paths else [[]]:
        answer = _run(
            [*options.argv, *batch], options, tree, context, context.timeout - whole.seconds
        )
        findings, seconds = whole.findings + answer.findings, whole.seconds + answer.seconds
        whole = replace(whole, findings=findings, found=len(findings), seconds=seconds)
        if answer.status is not ReviewStatus.OK:
            whole = replace(whole, status=answer.status, error=answer.error, covered=())
            break
    return adjust_line_ends(whole, request.change, context.git)


def _paths(change: Change, context: ReviewContext) -> tuple[str, ...]:
    return tuple(
        file.path
        for file in change.files
        if file.is_text_file and file.path not in context.excluded
    )


def _run(
    argv: list[str], options: Options, tree: Path, context: ReviewContext, timeout: float
) -> Review:
    env = process.clean_environment(context.environment.variables, {"NO_COLOR": "1"})
    try:
        answer = process.run_process(argv, cwd=tree, env=env, deadline=max(0.1, timeout))
    except process.ToolMissing as error:
        return Review("command", status=ReviewStatus.UNAVAILABLE, error=error.message)
    try:
        return _heard(answer, options, tree)
    finally:
        answer.close()


def _heard(answer: process.ProcessResult, options: Options, tree: Path) -> Review:
    """The review; what a program found before it broke is kept, as far as it can be read."""
    status, reason = _broken(answer, options)
    # Interrupted, or more output than anybody should read
    if answer.killed_reason not in ("", "deadline"):
        return Review("command", status=status, error=reason, seconds=answer.seconds)
    findings: tuple[Finding, ...] = ()
    try:
        findings = tuple(imports.parse(answer.out, str(tree), options.format))
    except ValueError as error:
        status, reason = (status, reason) if reason else (ReviewStatus.UNPARSABLE, f"{error}")
    if answer.code and not findings and not reason:
        status, reason = (
            ReviewStatus.FAILED,
            f"exit code {answer.code} means findings, but it printed none",
        )
    return Review(
        "command",
        status=status,
        findings=findings,
        found=len(findings),
        error=reason,
        seconds=answer.seconds,
    )


def _broken(answer: process.ProcessResult, options: Options) -> tuple[ReviewStatus, str]:
    """What kind of failure it was and why; no reason for a run that went well."""
    if answer.killed_reason:
        status = ReviewStatus.TIMEOUT if answer.killed_reason == "deadline" else ReviewStatus.FAILED
        return status, f"stopped after {answer.seconds:.0f} s: {answer.killed_reason}"
    if answer.code not in options.ok_exits:
        last = answer.err.splitlines()[-1] if answer.err else "no error output"
        return ReviewStatus.FAILED, f"exit code {answer.code}: {last}"
    return ReviewStatus.OK, ""
