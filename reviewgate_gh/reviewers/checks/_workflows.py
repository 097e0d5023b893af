"""What of a workflow checks, comparisons and linters need to know."""

import re
from functools import lru_cache
from typing import Any

from ...text.yaml import compose

# Runs with the rights of the repository for what strangers send; `pull_request` of a fork only
# reads.
# https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
_FOR_STRANGERS = re.compile(
    r"(?:pull_request_target|workflow_run|workflow_call|issue_comment|issues|discussion\w*"
    r"|pull_request_review\w*|fork|watch)"
)
_NAMED = re.compile(rf"\b{_FOR_STRANGERS.pattern}\b".encode())


def is_for_strangers(data: bytes, called: bool = True) -> bool:
    """Somebody without rights may start the workflow, and it then has those of the repository.
    `called`: whoever calls it may do so for them.

    The words are also names of permissions (`issues: write`); where no event can be read, any
    place counts.
    """
    if not _NAMED.search(data):
        return False
    events = events_of(data.decode("utf-8", "replace"))
    if not called and events:
        events.discard("workflow_call")
        return any(map(_FOR_STRANGERS.fullmatch, events))
    return not events or any(map(_FOR_STRANGERS.fullmatch, events))


_FETCHES = re.compile(
    rb"\bcheckout\b|\bgit[ \t]+(?:clone|fetch|pull)\b|\bdownload-(?:\w+-)?artifact\b|https?://"
    rb"|\bcurl\b|\bwget\b|\bgh[ \t]+(?:run[ \t]+download|api)\b"
    rb"|[\s{,-][\"']?run[\"']?[ \t]*:|\\[xuU]"  # a script may do anything; escapes may hide a word
)
_USES = re.compile(rb"[\s{,-][\"']?uses[\"']?[ \t]*:[ \t]*[\"']?([^\s\"',}]*)")
_OF_GITHUB = (b"actions/", b"github/")


def may_run_code(data: bytes) -> bool:
    """It has scripts, actions that are not GitHub's own, or other workflows: each may get files of
    strangers and run them."""
    if _FETCHES.search(data):
        return True
    return not all(used.startswith(_OF_GITHUB) for used in _USES.findall(data))


def calls_own_workflow(data: bytes, line: int) -> bool:
    """What is called at the line, which may be a few lines above or below, is in the repository."""
    rows = data.split(b"\n")
    near = sorted(
        range(max(0, line - 10), min(len(rows), line + 9)), key=lambda at: abs(at + 1 - line)
    )
    called = next((found[1] for at in near if (found := _USES.search(b" " + rows[at]))), b"")
    return called.startswith(b"./")


def events_of(text: str) -> set[str]:
    """What starts a workflow of GitHub."""
    node = read_tree(text)
    if node is None or node.id != "mapping":
        return set()
    for key, value in node.value:
        if key.value == "on":
            if value.id == "scalar":
                return {value.value}
            keys = (pair[0] for pair in value.value) if value.id == "mapping" else value.value
            return {each.value for each in keys if each.id == "scalar"}
    return set()


def jobs_of(data: bytes) -> set[str]:
    """The names of a workflow's jobs."""
    node = read_tree(data.decode("utf-8", "replace"))
    if node is None or node.id != "mapping":
        return set()
    jobs = next((value for key, value in node.value if key.value == "jobs"), None)
    return {key.value for key, _job in jobs.value} if jobs and jobs.id == "mapping" else set()


# `if:` of a job, split at `||`: one event that it wants
_WANTS_EVENT = re.compile(r"\bgithub\.event_name\s*==\s*'(\w+)'")
_NOT_PLAIN = re.compile(r"[()]")


def keeps_strangers_out(data: bytes, line: int) -> bool:
    """The job at the line runs for events alone that no stranger causes, by its `if`."""
    job = _job_at(data.decode("utf-8", "replace"), line)
    condition = next((value for key, value in job if key.value == "if"), None)
    if condition is None or condition.id != "scalar" or _NOT_PLAIN.search(condition.value):
        return False
    found = [_WANTS_EVENT.search(part) for part in condition.value.split("||")]
    return all(each and not _FOR_STRANGERS.fullmatch(each[1]) for each in found)


def _job_at(text: str, line: int) -> list[tuple[Any, Any]]:
    """The fields of the job that holds the line; none outside of a job."""
    node = read_tree(text)
    pairs = node.value if node is not None and node.id == "mapping" else ()
    jobs = next((value for key, value in pairs if key.value == "jobs"), None)
    for _name, job in jobs.value if jobs is not None and jobs.id == "mapping" else ():
        inside = job.start_mark.line < line <= job.end_mark.line + 1
        if inside and job.id == "mapping":
            return [pair for pair in job.value if pair[0].id == "scalar"]
    return []


@lru_cache(64)
def read_tree(text: str) -> Any:
    """The root of a pipeline's YAML; None where it is none."""
    try:
        return compose(text) if text else None
    except (RecursionError, ValueError):
        return None
