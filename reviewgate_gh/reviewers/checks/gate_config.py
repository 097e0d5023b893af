"""Changes to what decides how code is reviewed: the gate's own files, agents' instructions, hooks,
and workflows' rights."""

import re
from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ._paths import is_agent_file
from ._sources import CheckInput, added_lines, mentions_any

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_KINDS = (
    (
        "gate-config",
        "the gate's config, waivers or rules",
        re.compile(r"\.reviewgate-gh(?:(?:-waivers)?\.yaml|/rules/[^/]+\.ya?ml)\Z"),
    ),
    (
        "hooks",
        "git hooks",
        re.compile(
            r"(?:\A|/)(?:\.husky/.+|\.githooks/.+|\.pre-commit-config\.ya?ml"
            r"|\.?lefthook(?:-local)?\.\w+)\Z"
        ),
    ),
    (
        "code-owners",
        "the code owners",
        re.compile(r"(?:\A|\A\.github/|\A\.gitlab/|\Adocs/)CODEOWNERS\Z"),
    ),
    (
        "git-settings",
        "git attributes or submodules",
        re.compile(r"(?:\A|/)\.git(?:attributes|modules)\Z"),
    ),
)
_WORKFLOW = re.compile(r"\.github/workflows/[^/]+\.ya?ml\Z|(?:\A|/)action\.ya?ml\Z")
_WORDS = (b"write", b"pull_request_target", b"workflow_run", b"inherit")
_SCOPES = (
    "actions|artifact-metadata|attestations|checks|contents|deployments|discussions|id-token"
    "|issues|models|packages|pages|pull-requests"
    "|repository-projects|security-events|statuses"
)
# Possessive: a line of blanks is read once, not again from each of them.
_TRIGGERS = r"^\s*+(?:[\"']?on[\"']?\s*+:)?[\[{\-\s\"',\w]*"
_RIGHTS = (
    (re.compile(r"\bpermissions[\"']?\s*:\s*[\"']?write-all\b"), "write-all permissions"),
    (re.compile(rf"(?:^|[\s{{,\"'])(?:{_SCOPES})[\"']?\s*:\s*[\"']?write\b"), "a write permission"),
    (re.compile(rf"{_TRIGGERS}\bpull_request_target\b"), "a pull_request_target trigger"),
    (re.compile(rf"{_TRIGGERS}\bworkflow_run\b"), "a workflow_run trigger"),
    (
        re.compile(r"\bsecrets[\"']?\s*:\s*[\"']?inherit\b"),
        "a called workflow that inherits all secrets",
    ),
)
# A version or a commit; a branch is none
_REVISION = re.compile(
    rb"[+-]\s*(?:-\s+)?(?:rev|ref)\s*:\s*[\"']?(?:v?\d+(?:\.\d+)+[\w.+-]*|[0-9a-f]{40})[\"']?"
    rb"(?:\s+#[^\n]*)?\s*"
)
_UPDATE_BODY = "These revisions run on the machines of everybody who has the hooks installed."
_COMMENT = re.compile(r"\s#.*|\A#.*")
_BODY = (
    "This takes effect as soon as it is merged: a person should approve it, whatever the rest "
    "of the review says."
)
_RIGHTS_BODY = (
    "Check that the job needs it, and that no step with this permission runs code or text from "
    "an untrusted pull request."
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a file; in workflows, one a line that raises rights.

    A whole tree changes nothing.
    """
    if sources.change.whole_tree:
        return
    for file in sources.change.files:
        kind = _kind(file.path) or _kind(file.old_path)
        if kind:
            yield _changed(file, *kind)
        elif _WORKFLOW.search(file.path) and mentions_any(file, _WORDS):
            yield from _raised(file)


def _kind(path: str) -> tuple[str, str] | None:
    if is_agent_file(path):
        return "agent-instructions", "the instructions or permissions of coding agents"
    return next(((rule, what) for rule, what, pattern in _KINDS if pattern.search(path)), None)


def _changed(file: FileDiff, rule: str, what: str) -> Finding:
    if rule == "hooks" and _only_updates(file):
        return Finding(
            Priority.P3,
            "gate-config",
            "builtin/hook-version",
            file.path,
            _first_added(file),
            _first_added(file),
            "this updates pinned git hooks",
            _UPDATE_BODY,
        )
    line = _first_added(file)
    return Finding(
        Priority.P2,
        "gate-config",
        f"builtin/{rule}",
        file.path,
        line,
        line,
        f"this changes {what}",
        _BODY,
    )


def _first_added(file: FileDiff) -> int:
    return next((first for hunk in file.hunks for first, _last in hunk.added_runs()), 0)


def _only_updates(file: FileDiff) -> bool:
    """Nothing but revisions change, from one version or commit to another."""
    rows = [row for hunk in file.hunks for row in hunk.body.split(b"\n") if row[:1] in (b"+", b"-")]
    old, new = (sum(row[:1] == sign for row in rows) for sign in (b"-", b"+"))
    pinned = all(_REVISION.fullmatch(row) for row in rows)
    return file.status == "M" and old == new > 0 and pinned


def _raised(file: FileDiff) -> Iterator[Finding]:
    for number, line in added_lines(file):
        code = _COMMENT.sub("", line)
        for pattern, what in _RIGHTS:
            if pattern.search(code):
                title = f"this workflow gains {what}"
                yield Finding(
                    Priority.P2,
                    "gate-config",
                    "builtin/workflow-rights",
                    file.path,
                    number,
                    number,
                    title,
                    _RIGHTS_BODY,
                )
