"""`history --audit`: its options, and what it prints."""

import json
import sys
from typing import NamedTuple

import click
from msgspec import to_builtins

from ..gate.deliver import write_stdout
from ..git import Git
from ..reporters._look import OutputStyle
from ..text.safe import json_without_commands
from ..tools.audit import (
    AuditRequest,
    audit_exit_code,
    export_csv,
    export_jsonl,
    read_audit,
    render_audit,
    verification_text,
)


class AuditOptions(NamedTuple):
    """The options beside the form."""

    audit: bool
    commit: str
    known_end: str
    export: str | None

    @property
    def is_asked(self) -> bool:
        """The audit log is asked for.

        Raises:
            click.UsageError: only options of it are given.
        """
        if not self.audit and any((self.commit, self.known_end, self.export)):
            raise click.UsageError(
                "--commit, --known-end and --export can only be used with --audit"
            )
        return self.audit


def show_audit(asked: AuditOptions, shape: tuple[int, str], git: Git, style: OutputStyle) -> int:
    """Print the audit log; `shape` are how many entries a table has, and the form of the output.
    What is exported is whole, and what is wrong with it goes to standard error."""
    most, form = shape
    request = AuditRequest(asked.commit, asked.known_end, most)
    log = read_audit(request, git)
    if asked.export:
        write_stdout({"csv": export_csv, "jsonl": export_jsonl}[asked.export](log.entries))
        print(verification_text(log), end="", file=sys.stderr)
    elif form == "json":
        write_stdout(json_without_commands(json.dumps(to_builtins(log), indent=2)) + "\n")
    else:
        write_stdout(render_audit(log, request, style))
    return audit_exit_code(log)
