"""The linters that fit the changed files, each asked separately; one module a tool: which files,
which command, how its output is read."""

from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import replace

from ...git.objects import read_blobs
from ...model.change import Change
from ...model.config import LinterOptions
from ...model.errors import GateError
from ...model.limits import ConfigSection
from ...model.review import PartialReview, Review, ReviewRequest, ReviewStatus
from ...system import plugins
from ...system.parallel import BackgroundCall
from ...text.paths import glob_matcher
from ...text.visible import show_hidden
from ...trust.named_files import unapproved_file
from .._context import ReviewContext
from .._program import find_program, is_program_installed
from ._job import (
    build_base_job,
    build_job,
    first_bytes,
    is_nameable,
    paths_read,
    readable_files,
    taken_paths,
)
from ._review import ask_files, join_parts, join_reviews
from ._run import LinterJob
from ._settings import (
    config_names,
    executes_code,
    find_linter_settings,
    is_same_for,
    known_settings,
    own_configs,
)

_APPROVE = "see what would run and approve it: reviewgate-gh trust"
_NO_TREE = (
    "it reads whole packages, so it runs only in a work tree that is the reviewed commit: commit "
    "or stash the rest"
)
_NOT_RUN = (ReviewStatus.UNAVAILABLE, ReviewStatus.SKIPPED)


class Options(ConfigSection, frozen=True):
    """None of its own: tools are set under `linters` of the config."""


def load_linters() -> None:
    """Read every linter, since all of them are asked whether they fit."""
    glob_matcher(config_names())


def parts(change: Change, options: Options, context: ReviewContext) -> tuple[str, ...]:
    """The tools that have something to read."""
    return tuple(name for name in files_of_tools(change, context) if _wanted(name, context))


def files_of_tools(change: Change, context: ReviewContext) -> dict[str, tuple[str, ...]]:
    """The files that each tool would read, whether or not it is wanted here; none without any."""
    files = readable_files(change, context)
    heads = first_bytes(files, context)
    taken = {
        name: taken_paths(plugins.load("linters", name), files, heads)
        for name in plugins.names("linters")
    }
    return {name: paths for name, paths in taken.items() if paths}


def is_expected(name: str, context: ReviewContext) -> bool:
    """It runs on every machine, and not only where it is installed."""
    enabled = context.config.linters.get(name, LinterOptions()).enabled
    return bool(plugins.load("linters", name).DEFAULT) if enabled is None else enabled


def _wanted(name: str, context: ReviewContext) -> bool:
    enabled = context.config.linters.get(name, LinterOptions()).enabled
    if enabled is not None:
        return enabled
    tool = plugins.load("linters", name)
    if hasattr(tool, "CONFIG_FOLDER"):
        return bool(own_configs(name, tool, context))
    return bool(tool.DEFAULT) or (
        is_program_installed(tool.PROGRAM, context.environment.variables.get("PATH", ""))
        and (getattr(tool, "WHEN_INSTALLED", False) or bool(own_configs(name, tool, context)))
    )


def _is_asked_for(name: str, context: ReviewContext) -> bool:
    """It belongs to the default gate, or the user or the project wants it."""
    tool, enabled = plugins.load("linters", name), context.config.linters.get(name, LinterOptions())
    return bool(tool.DEFAULT or enabled.enabled or own_configs(name, tool, context))


def review(request: ReviewRequest, options: Options, context: ReviewContext) -> Review:
    """One tool's answer.

    Of a tool that runs because it is installed here, no answer is no gap but for the languages that
    it reads: its findings stay, and its files count as not reviewed.
    """
    started = context.environment.clock()
    part, job = _ask(request, context)
    if job is None:
        return _excused(part.review, context)
    left = context.timeout - (context.environment.clock() - started)
    return _excused(join_parts([part], job, request, replace(context, timeout=left)), context)


def is_per_file(part: str) -> bool:
    """What this tool says of a file depends on no other file, so that several machines can share
    the files."""
    return getattr(plugins.load("linters", part), "PER_FILE", False)


def review_files(
    request: ReviewRequest, options: Options, context: ReviewContext, paths: Collection[str]
) -> PartialReview:
    """What the tool says of those of the files that are its own; `join_files` makes one review of
    all such answers."""
    return _ask(request, context, paths)[0]


def join_files(
    parts: Sequence[PartialReview],
    request: ReviewRequest,
    options: Options,
    context: ReviewContext,
) -> Review:
    """The answers of several machines about their files as one review. Where the base must be asked
    about more, that is done here."""
    if all(part.review.status in _NOT_RUN for part in parts):
        return _excused(join_reviews(parts), context)
    return _excused(join_parts(parts, build_base_job(request, context), request, context), context)


def _excused(answer: Review, context: ReviewContext) -> Review:
    if not answer.status.broken or _is_asked_for(answer.part, context):
        return answer
    return replace(answer, status=ReviewStatus.SKIPPED, required=False)


def _ask(
    request: ReviewRequest, context: ReviewContext, only: Collection[str] | None = None
) -> tuple[PartialReview, LinterJob | None]:
    """The tool's answer as it comes, about these of its files (None: all), and how it was asked;
    None where it was not.

    It is asked before the hunks are known, and anew where files turn out to be binary.
    """
    name, tool = request.part, plugins.load("linters", request.part)
    path = context.environment.variables.get("PATH", "")
    if why := context.refused_linters.get(name):
        return _not_asked(name, ReviewStatus.SKIPPED, why)
    program = find_program(
        tool.PROGRAM,
        context.git,
        request.without_hunks.trusted or not context.environment.in_ci,
        path,
    )
    if program is None:
        return _not_installed(name, tool, path, context)
    if getattr(tool, "NEEDS_TREE", False) and context.checkout.work_tree_at_head is None:
        return _not_asked(name, ReviewStatus.SKIPPED, _NO_TREE, required=False)
    if executes_code(name, tool, context) and (
        reason := _must_not_execute(name, tool, request.change, context)
    ):
        return _ask_without_code(request, context, program, reason)
    job = build_job(name, program, request.without_hunks, context)
    answer = _answer(job.limited_to(only), request, context)
    asked, readable = (
        paths_read(tool, change, context) for change in (request.without_hunks, request.change)
    )
    if readable != asked:
        job = replace(job, paths=tuple(path for path in readable if is_nameable(tool, path)))
        answer = _answer(job.limited_to(only), request, context)
    if _may_be_its_settings(answer.review, job, context):
        answer, job = _ask_with_ours(request, context, job, answer, only)
    unnamed = tuple(
        path for path in readable if not is_nameable(tool, path) and (only is None or path in only)
    )
    return replace(answer, review=_without(answer.review, unnamed)), job


def _not_installed(
    name: str, tool: Any, path: str, context: ReviewContext
) -> tuple[PartialReview, None]:
    where = (
        " outside the work tree (a copy inside it may come from this change)"
        if is_program_installed(tool.PROGRAM, path)
        else ""
    )
    reason = f"{tool.PROGRAM} is not installed{where}; {tool.INSTALL}"
    enabled = context.config.linters.get(name, LinterOptions()).enabled
    # A project's own rules are wanted wherever there are such
    required = enabled is True or hasattr(tool, "CONFIG_FOLDER")
    return _not_asked(name, ReviewStatus.UNAVAILABLE, reason, required)


def _ask_without_code(
    request: ReviewRequest, context: ReviewContext, program: str, reason: str
) -> tuple[PartialReview, LinterJob | None]:
    """What the tool says with the gate's own settings, where the project's may run code."""
    name, tool = request.part, plugins.load("linters", request.part)
    if not _may_use_ours(tool, request.change):
        return _not_asked(name, ReviewStatus.SKIPPED, reason, required=False)
    job = build_job(name, program, request.without_hunks, context, ours=True)
    return _noted(ask_files(job, request, context), reason), job


def _ask_with_ours(
    request: ReviewRequest,
    context: ReviewContext,
    job: LinterJob,
    answer: PartialReview,
    only: Collection[str] | None,
) -> tuple[PartialReview, LinterJob]:
    """Its answer with the gate's own settings, if it has one then and this change is not what broke
    the project's."""
    if _brings_settings(job, request.change, context):
        return answer, job
    ours = build_job(request.part, job.program, request.without_hunks, context, ours=True)
    again = ask_files(ours.limited_to(only), request, context)
    if again.review.status is not ReviewStatus.OK:
        return answer, job
    return _noted(again, answer.review.error), ours


def _noted(answer: PartialReview, reason: str) -> PartialReview:
    note = f"read with the gate's own settings: {reason}"
    return replace(answer, review=replace(answer.review, note=note))


def _not_asked(
    name: str, status: ReviewStatus, why: str, required: bool = True
) -> tuple[PartialReview, None]:
    return PartialReview(Review("linters", name, status, error=why, required=required)), None


def _may_use_ours(tool: Any, change: Change) -> bool:
    """A tool whose settings here may run code can read the files under ours in their place: no
    settings are laid beside them, since the change has none."""
    return (
        getattr(tool, "WHEN_INSTALLED", False)
        and tool.DEFAULT_CONFIG is not None
        and _leaves_settings(tool, change)
    )


def _leaves_settings(tool: Any, change: Change) -> bool:
    is_its = glob_matcher(tool.CONFIG)
    return not any(is_its(file.path.rpartition("/")[2]) for file in change.files)


def _brings_settings(job: LinterJob, change: Change, context: ReviewContext) -> bool:
    """The change says something else to the tool than the base did."""
    is_its = glob_matcher(job.tool.CONFIG)
    files = [file for file in change.files if is_its(file.path.rpartition("/")[2])]
    blobs = read_blobs(context.git, [oid for file in files for oid in (file.old_oid, file.oid)])
    return any(
        not is_same_for(job.name, file.path, blobs.get(file.old_oid, b""), blobs.get(file.oid, b""))
        for file in files
    )


def _may_be_its_settings(answer: Review, job: LinterJob, context: ReviewContext) -> bool:
    """It ended without a finding under the project's settings, which another version of it may have
    been meant for: they name a rule that is gone, or a version that is wanted."""
    return (
        answer.status in (ReviewStatus.FAILED, ReviewStatus.UNPARSABLE)
        and not answer.found
        and job.tool.DEFAULT_CONFIG is not None
        and job.config is None
        and bool(own_configs(job.name, job.tool, context))
    )


def _must_not_execute(name: str, tool: Any, change: Change, context: ReviewContext) -> str:
    """Why a tool that runs the project's own code is left out; "" where that code is approved, as a
    change or by its content."""
    if not (change.trusted or change.made_here):
        return (
            "it executes the project's own code, so it runs only on changes that you made or "
            f"approved; {_APPROVE}"
        )
    if context.checkout.work_tree_at_head is None:
        return (
            "it executes the project's own code, so it runs only in a work tree that is the "
            "reviewed commit"
        )
    if change.trusted:
        return ""
    if context.checkout.differs_from_head(path for path in paths_read(tool, change, context)):
        return (
            "this change adds comments that may suppress its findings, and it reads the work "
            f"tree directly; {_APPROVE}"
        )
    # Untracked ones, too
    here = (
        path
        for each in find_linter_settings(context.git)
        if each.name == name
        for path in each.paths
    )
    configs = {path for path, _data in own_configs(name, tool, context)} | {
        *context.checkout.head_settings(glob_matcher(tool.CONFIG)),
        *here,
    }
    if not configs:
        return (
            "it executes the project's own code, and has no configuration here that could be "
            f"approved; {_APPROVE}"
        )
    try:
        file = unapproved_file(context.git, change.approvals, [tool.PROGRAM], configs)
    except GateError as error:
        return f"{error.message}; {error.hint}"
    return (
        f"it would execute {file}, whose current content is not approved; {_APPROVE}"
        if file
        else ""
    )


def _answer(job: LinterJob, request: ReviewRequest, context: ReviewContext) -> PartialReview:
    """What it says of the commit's files: where it read the user's own, and these changed
    meanwhile, it is asked about copies."""
    if job.root != context.git.tree:
        return ask_files(job, request, context)
    known = known_settings(job.tool, context)
    # While the tool is at work
    before = BackgroundCall(context.checkout.work_tree_if_equal, job.paths, known)
    answer = ask_files(job, request, context)
    if before.result() and context.checkout.work_tree_if_equal(job.paths, known):
        return answer
    if job.tool.EXECUTES_CONFIG or getattr(job.tool, "NEEDS_TREE", False):
        why = "the work tree changed while it was running: run this again"
        failed = replace(answer.review, status=ReviewStatus.FAILED, error=why)
        return replace(answer, review=failed)
    return ask_files(replace(job, root=context.checkout.with_files(job.paths)), request, context)


def _without(answer: Review, unnamed: tuple[str, ...]) -> Review:
    """Most tools cannot print a name that is not UTF-8, and those that print a line a finding none
    with a line break, so what they would say about such a file would be lost.

    Where there is no other file the tool was not asked, and that is no review of this one either.
    """
    if not unnamed or answer.status not in (ReviewStatus.OK, ReviewStatus.SKIPPED):
        return answer
    name = show_hidden(unnamed[0]).replace("\n", "\\n")
    error = f"it cannot name {name}: give the file a name in UTF-8, without line breaks"
    return replace(answer, status=ReviewStatus.FAILED, error=error, required=True)
