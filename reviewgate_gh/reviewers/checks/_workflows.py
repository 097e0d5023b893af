"""What of a workflow checks, comparisons and linters need to know."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ...text.patterns import lazy_pattern
from ...text.yaml import compose

# Runs with the rights of the repository for what strangers send; `pull_request` of a fork only
# reads.
# https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
_FOR_STRANGERS = lazy_pattern(
    r"(?:pull_request_target|workflow_run|workflow_call|issue_comment|issues|discussion\w*"
    r"|pull_request_review\w*|fork|watch)"
)
_NAMED = lazy_pattern(rf"\b{_FOR_STRANGERS.pattern}\b".encode())


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


_FETCHES = lazy_pattern(
    rb"\bcheckout\b|\bgit[ \t]+(?:clone|fetch|pull)\b|\bdownload-(?:\w+-)?artifact\b|https?://"
    rb"|\bcurl\b|\bwget\b|\bgh[ \t]+(?:run[ \t]+download|api)\b"
    rb"|[\s{,-][\"']?run[\"']?[ \t]*:|\\[xuU]"  # a script may do anything; escapes may hide a word
)
# Of the gh client: what labels, greets and closes, alone in a line of a script
_TALKS = lazy_pattern(
    r"gh (?:issue|pr) (?:comment|edit|close|reopen|lock|unlock)\b[^\"'`;&|<>()]*"
    r"|set -[a-z]+(?: pipefail)?|\#.*|"
)
_QUOTED = lazy_pattern(r"'[^']*'|\"(?:[^\"`$\\]|\$(?!\())*\"")
_CONTINUED = lazy_pattern(r"\\\n\s*")
_EXPRESSION = lazy_pattern(r"\$\{\{(.*?)\}\}", re.DOTALL)
_OF_NO_TEXT = lazy_pattern(
    r"\s*(?:secrets\.\w+|vars\.\w+|github\.(?:token|repository|repository_owner|actor|server_url"
    r"|run_id|event\.(?:number|(?:issue|pull_request|discussion)\.(?:number|html_url|user\.login)"
    r"|label\.name)))\s*"
)
_USES = lazy_pattern(rb"[\s{,-][\"']?uses[\"']?[ \t]*:[ \t]*[\"']?([^\s\"',}]*)")
_OF_GITHUB = (b"actions/", b"github/")


def may_run_code(data: bytes) -> bool:
    """It has scripts, actions that are not GitHub's own, or other workflows: each may get files of
    strangers and run them."""
    if _FETCHES.search(_without_talk(data)):
        return True
    return not all(used.startswith(_OF_GITHUB) for used in _USES.findall(data))


def _without_talk(data: bytes) -> bytes:
    """Without the scripts that only talk by the gh client, in words that stand in them."""
    text = data.decode("utf-8", "replace")
    rows = text.split("\n")
    for step in reversed([*_steps_of(text)]):
        for key, script in step.value if step.id == "mapping" else ():
            if key.value == "run" and script.id == "scalar" and _only_talks(script.value):
                first, last = key.start_mark, script.end_mark
                before, after = rows[first.line][: first.column], rows[last.line :][:1]
                rest = [row[last.column :] for row in after]
                rows[first.line : last.line + 1] = [before, *rest]
    return "\n".join(rows).encode()


def _only_talks(script: str) -> bool:
    used = _EXPRESSION.findall(script)
    lines = _CONTINUED.sub(" ", _QUOTED.sub("0", _EXPRESSION.sub("0", script))).split("\n")
    return all(map(_OF_NO_TEXT.fullmatch, used)) and all(
        _TALKS.fullmatch(line.strip()) for line in lines
    )


def _steps_of(text: str) -> Iterator[Any]:
    for job in _fields(_fields(read_tree(text)).get("jobs")).values():
        steps = _fields(job).get("steps")
        yield from steps.value if steps is not None and steps.id == "sequence" else ()


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
    value = _fields(read_tree(text)).get("on")
    if value is None or value.id == "scalar":
        return {value.value} if value is not None else set()
    if value.id == "mapping":
        return set(_fields(value))
    return {each.value for each in value.value if each.id == "scalar"}


def jobs_of(data: bytes) -> set[str]:
    """The names of a workflow's jobs."""
    return set(_fields(_fields(read_tree(data.decode("utf-8", "replace"))).get("jobs")))


def missing_needs(data: bytes) -> dict[tuple[str, str], int]:
    """Each job and the name that it waits for, where no job has that name, with its line."""
    jobs = _fields(_fields(read_tree(data.decode("utf-8", "replace"))).get("jobs"))
    return {
        (name, need.value): need.start_mark.line + 1
        for name, job in jobs.items()
        for need in _scalars(_fields(job).get("needs"))
        if need.value and need.value not in jobs
    }


def _scalars(node: Any) -> list[Any]:
    """A text, or the texts of a list."""
    parts = node.value if node is not None and node.id == "sequence" else (node,)
    return [part for part in parts if part is not None and part.id == "scalar"]


def no_longer_says_rights(base: bytes, head: bytes) -> bool:
    """A job has the rights that the project's settings give, and had those that the workflow named;
    or such a job is gone, and a new one may be it."""
    before, now = _rights_said(base), _rights_said(head)
    lost = [name for name, said in before.items() if said and not now.get(name, said)]
    gone = [name for name, said in before.items() if said and name not in now]
    fresh = [name for name, said in now.items() if not said and name not in before]
    return bool(lost or (gone and fresh))


def _rights_said(data: bytes) -> dict[str, bool]:
    """Whether the rights of each job are said, by itself or for all."""
    top = _fields(read_tree(data.decode("utf-8", "replace")))
    for_all = "permissions" in top
    return {
        name: for_all or "permissions" in _fields(job)
        for name, job in _fields(top.get("jobs")).items()
    }


def _fields(node: Any) -> dict[str, Any]:
    """A mapping's values by their keys; nothing of another node."""
    pairs = node.value if node is not None and node.id == "mapping" else ()
    return {key.value: value for key, value in pairs if key.id == "scalar"}


# `if:` of a job, split at `||`: one event that it wants
_WANTS_EVENT = lazy_pattern(r"\bgithub\.event_name\s*==\s*'(\w+)'")
# Of the person who causes the event; a name of a bot can be had by others.
# https://docs.zizmor.sh/audits/#bot-conditions
_WANTS_PERSON = lazy_pattern(
    r"\bgithub\.event\.(?P<what>issue|pull_request|discussion|comment|review|sender)"
    r"(?:\.user)?\.(?:login\s*==\s*'(?![^']*\[bot\])[^']+'"
    r"|author_association\s*==\s*'(?:OWNER|MEMBER|COLLABORATOR)')"
)
# Anybody comments on what a member opened
_OF_COMMENTS = lazy_pattern(rb"\b(?:issue_comment|discussion_comment|pull_request_review\w*)\b")
# One comparison alone, which is no argument of a call: a space may stand before its bracket
_IN_BRACKETS = lazy_pattern(r"(?P<before>(?:\A|[&|{(])\s*)\((?P<asked>[^()&|]*)\)")
_NOT_PLAIN = lazy_pattern(r"[()]|!(?!=)")


def keeps_strangers_out(data: bytes, line: int) -> bool:
    """The job at the line runs for events alone that no stranger causes, by its `if`: by their
    names, or by who causes them."""
    condition = _job_at(data.decode("utf-8", "replace"), line).get("if")
    if condition is None or condition.id != "scalar":
        return False
    asked = _IN_BRACKETS.sub(r"\g<before>\g<asked>", condition.value)
    if _NOT_PLAIN.search(asked):
        return False
    return all(_keeps_out(part, data) for part in asked.split("||"))


def _keeps_out(condition: str, data: bytes) -> bool:
    event, person = _WANTS_EVENT.search(condition), _WANTS_PERSON.search(condition)
    if person and (person["what"] in _ACTS or not _OF_COMMENTS.search(data)):
        return True
    return event is not None and not _FOR_STRANGERS.fullmatch(event[1])


_ACTS = ("comment", "review", "sender")


def _job_at(text: str, line: int) -> dict[str, Any]:
    """The fields of the job that holds the line; none outside of a job."""
    for job in _fields(_fields(read_tree(text)).get("jobs")).values():
        if job.start_mark.line < line <= job.end_mark.line + 1:
            return _fields(job)
    return {}


@lru_cache(64)
def read_tree(text: str) -> Any:
    """The root of a pipeline's YAML; None where it is none."""
    try:
        return compose(text) if text else None
    except (RecursionError, ValueError):
        return None
