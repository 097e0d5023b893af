"""What the checks of a commit say: their output and annotations, and the logs of GitHub's own
jobs."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from ..model.check_words import CONCLUSIONS, CheckResult
from ..model.pull_request import CheckOutput, CiReader
from ..system.parallel import call_once
from ..text.patterns import lazy_pattern
from ..text.safe import safe_block, safe_line
from .check_runs import has_own_external_id
from .client import Client
from .reading import JsonPart

_ACTIONS = "github-actions"
_JOB = lazy_pattern(r"/runs/[0-9]{1,20}/job/([0-9]{1,20})\Z")
# https://docs.github.com/en/actions/how-tos/monitor-workflows/use-workflow-run-logs
_STAMP = lazy_pattern(r"\A\ufeff?[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,20}Z ")
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
_ERROR = "##[error]"
_MOST_READ = 5  # failed checks whose annotations are asked for
_MOST_SEARCHED = 400  # lines of a log in which secrets are looked for
_MOST_ROWS = 40  # of a summary, and annotations of a check


def open_ci(client: Callable[[], Client], sha: str, own_run: str) -> CiReader:
    """The checks of a commit but our own, which are read when somebody asks. `own_run` is the
    workflow run that asks, "" outside of one."""
    return CiReader(
        call_once(lambda: _read_checks(client(), sha, own_run)),
        lambda job: _end_of_log(client().log(job)),
    )


def _read_checks(client: Client, sha: str, own_run: str) -> tuple[CheckOutput, ...]:
    """The failed ones first."""
    found = client.pages(
        client.path("commits", sha, "check-runs"), key="check_runs", filter="latest"
    ).items
    others = [each for each in found if not _is_own(each, own_run)]
    failed = [each for each in others if _has_failed(each)]
    rest = [_output(each) for each in others if not _has_failed(each)]
    return (*(_failed(client, each, at < _MOST_READ) for at, each in enumerate(failed)), *rest)


def _is_own(run: JsonPart, own_run: str) -> bool:
    place = run.optional("details_url")
    return has_own_external_id(run.optional("external_id")) or (
        bool(own_run) and f"/runs/{own_run}/" in f"{place}/"
    )


def _has_failed(run: JsonPart) -> bool:
    return CONCLUSIONS.get(run.optional("conclusion")) is CheckResult.FAILED


def _output(run: JsonPart) -> CheckOutput:
    said = run.optional("conclusion") or f"not finished ({run.text('status')})"
    return CheckOutput(safe_line(run.text("name")), safe_line(said))


def _failed(client: Client, run: JsonPart, annotated: bool) -> CheckOutput:
    bare = replace(_output(run), failed=True, job=_job(run))
    output = run.maybe("output")
    if output is None:
        return bare
    said = [row for key in ("title", "summary") for row in _rows(output.optional(key))]
    found: list[tuple[str, str]] = []
    if annotated and output.maybe("annotations_count") and output.number("annotations_count"):
        path = client.path("check-runs", run.number("id"), "annotations")
        for each in client.get(path, per_page=_MOST_ROWS):
            place = f"{safe_line(each.text('path'))}:{each.number('start_line')}"
            message = " ".join(_rows(each.optional("message")))
            level = safe_line(each.optional("annotation_level"))
            found.append((each.text("path"), f"{place}: {level}: {message}"))
    return replace(bare, said=tuple(said), annotations=tuple(found))


def _job(run: JsonPart) -> int:
    """Its number is in the address of its page; that of another app's check may be anything."""
    app = run.maybe("app")
    found = _JOB.search(run.optional("details_url"))
    return int(found[1]) if found and app and app.optional("slug") == _ACTIONS else 0


def _end_of_log(log: str) -> Sequence[str]:
    """The lines up to the last error; what follows it cleans up."""
    rows = [_STAMP.sub("", row) for row in log.splitlines()]
    last = max((at for at, row in enumerate(rows) if row.startswith(_ERROR)), default=len(rows) - 1)
    return _rows("\n".join(rows[max(0, last + 1 - _MOST_SEARCHED) : last + 1]))


def _rows(text: str) -> list[str]:
    """The last lines: there stands what failed."""
    rows = [row for row in safe_block(text).splitlines() if row.strip()]
    return [row[:500] for row in rows[-_MOST_ROWS:]]
