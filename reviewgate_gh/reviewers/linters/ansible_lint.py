"""ansible-lint: playbooks and roles, in the project's own environment. It prints relative paths and
one JSON list in every case."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "ansible-lint"
DEFAULT = False
# https://docs.ansible.com/projects/lint/custom-rules/ and the plug-ins that ansible-playbook loads
EXECUTES_CONFIG = True
ARGS_EXECUTE = True
CONFIG = (".ansible-lint", ".ansible-lint.yml", ".ansible-lint.yaml", "ansible-lint.yml",
          "ansible-lint.yaml")  # fmt: skip
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0, 2)  # 2 also for a file that breaks it
# https://github.com/ansible/ansible-lint/blob/main/src/ansiblelint/constants.py
FOUND_EXITS = (2,)  # --strict
ENVIRONMENT: Mapping[str, str] = {"ANSIBLE_LINT_SKIP_SCHEMA_UPDATE": "1"}
CAUSED_ELSEWHERE = ("ansible-lint/syntax-check", "ansible-lint/load-failure")
FILES = ("*.yml", "*.yaml")
LANGUAGES = ("Ansible playbook",)
INSTALL = "install it in the project's own environment with `pip install ansible-lint`"

_INTERNAL = "internal-error"
_UNREAD = "load-failure"
_YAML = "load-failure[yaml]"
# A collection that is not installed here, since nothing is downloaded
_ELSEWHERE = ("syntax-check[unknown-module]", "load-failure[not-found]")
_CERTAIN = ("syntax-check", "load-failure", "parser-error")
# https://docs.ansible.com/projects/lint/rules/
_LIKELY = ("args", "jinja[invalid]", "no-log-password", "partial-become", "risky-octal", "schema",
           "yaml[key-duplicates]")  # fmt: skip


def fits(path: str, head: bytes) -> bool:
    """It lies in no folder with a dot: other tools have theirs there."""
    return "/." not in f"/{path}"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, *args, "--offline", "--strict", "--format=json", "--nocolor", "-q"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not ansible-lint's JSON, or cut short.
    """
    return [_finding(row) for row in _shared.json_document(lines, list[_Issue], "ansible-lint")]


class _Line(Struct, frozen=True):
    begin: strict.WholeNumber


class _Point(Struct, frozen=True):
    line: strict.WholeNumber
    column: strict.WholeNumber = 0


class _Positions(Struct, frozen=True):
    begin: _Point


class _Location(Struct, frozen=True):
    path: str
    lines: _Line | None = None
    positions: _Positions | None = None


class _Content(Struct, frozen=True):
    body: str


class _Issue(Struct, frozen=True):
    check_name: str
    description: str
    location: _Location
    url: str = ""
    content: _Content | None = None


def _finding(row: _Issue) -> Finding:
    path = _shared.tool_path(row.location.path, "path")
    if row.check_name == _INTERNAL:
        return _shared.left_out("ansible-lint", path, row.description)
    at = row.location.positions
    line = at.begin.line if at else row.location.lines.begin if row.location.lines else 0
    return strict.tool_finding(
        "ansible-lint",
        row.check_name,
        _priority(row.check_name),
        path,
        (line, line),
        row.description,
        category="syntax" if row.check_name.startswith(_UNREAD) else "lint",
        body=row.content.body if row.content else "",
        page=row.url,
        columns=(at.begin.column if at else 0, 0),
    )


def _priority(name: str) -> Priority:
    if name == _YAML:
        return Priority.P0
    if name.startswith(_CERTAIN) and name not in _ELSEWHERE:
        return Priority.P1
    return Priority.P2 if name.startswith(_LIKELY) else Priority.P3
