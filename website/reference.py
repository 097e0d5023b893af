"""The reference pages of the site, made from the code: commands, configuration, exit codes, rules,
and the JSON report."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from reviewgate_gh.cli import HIDDEN
from reviewgate_gh.cli import cli as program
from reviewgate_gh.commands._gate import gate
from reviewgate_gh.model.errors import Exit
from reviewgate_gh.reviewers.comparisons._remark import ComparisonRule
from reviewgate_gh.reviewers.linters._weights import WEIGHTS
from reviewgate_gh.system import plugins
from reviewgate_gh.text.secrets.table import KINDS
from reviewgate_gh.tools.config import config_reference

_WIDTH = 80
_MEANS = {
    Exit.OK: "pass or concerns; under `mode: warn` block too",
    Exit.BLOCK: "block",
    Exit.INCONCLUSIVE: "inconclusive: not a pass",
    Exit.DEADLINE: "the run's own deadline was reached",
    Exit.NO_REVIEWERS: "no declared reviewer was available",
    Exit.INTERNAL: "an internal error",
    Exit.USAGE: "a usage error, or a repository state in which there is no defined range",
    Exit.UPSTREAM: "a service refused or could not be reached",
    Exit.CONFIG: "an error in the configuration",
    Exit.INTERRUPTED: "interrupted",
}


def pages(root: Path) -> dict[str, str]:
    """Every page by its path in the site; `root` is the repository's folder."""
    made = {
        "commands": _commands(),
        "configuration": _configuration(),
        "exit-codes": _exit_codes(),
        "rules": _rules(),
        "report": _report(json.loads((root / "docs/report.schema.json").read_text("utf-8"))),
    }
    return {f"reference/{name}.md": "\n".join(rows) + "\n" for name, rows in made.items()}


def _commands() -> Iterator[str]:
    yield "# Commands\n\nWhat `--help` says, for every command."
    for name, command in (("reviewgate-gh", program), ("review-gate", gate)):
        yield from _command(command, _context(command, name))


def _context(
    command: click.Command, name: str, parent: click.Context | None = None
) -> click.Context:
    settings: dict[str, Any] = {**command.context_settings, "terminal_width": _WIDTH}
    return click.Context(command, parent, name, **settings)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    deep = context.command_path.count(" ")
    yield f"\n{'#' * (2 + min(deep, 2))} {context.command_path}\n"
    yield f"```text\n{command.get_help(context).rstrip()}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden and name not in HIDDEN:
                yield from _command(inner, _context(inner, name, context))


def _configuration() -> Iterator[str]:
    yield "# Configuration\n\nEvery key of `.reviewgate-gh.yaml`, its meaning and its default. "
    yield "`reviewgate-gh config reference` prints the same, `config schema` a schema for editors."
    yield f"\n```yaml\n{config_reference().rstrip()}\n```"


def _exit_codes() -> Iterator[str]:
    yield "# Exit codes\n\n| exit | name | means |\n| --- | --- | --- |"
    for code in Exit:
        yield f"| {int(code)} | {code.name} | {_MEANS[code]} |"
    yield "\n`--exit-zero` always exits with 0. What `review-gate wait` and the templates return, "
    yield "and how a skip is recorded, is in [Review gates](../gates.md) and "
    yield "[Templates](../templates.md)."


def _rules() -> Iterator[str]:
    yield "# Rules\n\nA finding names its rule as `TOOL/RULE`. The page of a linter's rule is the "
    yield "linter's own; findings link to it. [What a rule weighs can be changed](../rules.md)."
    yield "\n## Comparisons of base and head\n\nThe reviewer `change` reports these.\n"
    yield "| rule | priority | why it matters |\n| --- | --- | --- |"
    for rule in sorted(_comparison_rules(), key=lambda each: each.name):
        yield f"| `change/{rule.name}` | {rule.priority.value} | {_cell(rule.advice)} |"
    yield "\n## Built-in checks\n\nThe reviewer `builtin` runs these on every change.\n"
    yield "| check | what it looks for |\n| --- | --- |"
    for name in plugins.names("checks"):
        yield f"| {name.replace('_', ' ')} | {_first(plugins.load('checks', name))} |"
    yield "\n## What linters' rules weigh\n\nWhere the severity that a linter states does not say "
    yield "enough. The first row that fits counts.\n"
    yield "| tool | rules | priority | why |\n| --- | --- | --- | --- |"
    for tool, weights in WEIGHTS.items():
        for weight in weights:
            codes = ", ".join(f"`{code}`" if code else "all others" for code in weight.codes)
            yield f"| {tool} | {codes} | {weight.priority.value} | {_cell(weight.why)} |"
    yield f"\n## Kinds of secrets\n\n{len(KINDS)} kinds, each with the page where it is revoked.\n"
    yield "| kind | revoke it at |\n| --- | --- |"
    for name, kind in sorted(KINDS.items()):
        yield f"| `{name}` | {_cell(kind.revoke)} |"


def _comparison_rules() -> set[ComparisonRule]:
    found = set[ComparisonRule]()
    for name in plugins.names("comparisons"):
        for value in vars(plugins.load("comparisons", name)).values():
            held = value.values() if isinstance(value, dict) else value
            many = held if isinstance(value, dict | tuple | list) else (value,)
            found |= {each for each in many if isinstance(each, ComparisonRule)}
    return found


def _report(schema: dict[str, Any]) -> Iterator[str]:
    yield "# JSON report\n\nWhat `--output json` prints. The schema itself is "
    yield "[report.schema.json](../report.schema.json)."
    for name, each in sorted(schema["$defs"].items(), key=lambda pair: pair[0] != "Report"):
        yield f"\n## {name}\n\n{each.get('description', '').split(chr(10) * 2)[0]}\n"
        if "enum" in each:
            yield f"One of {', '.join(f'`{value}`' for value in each['enum'])}."
        if rows := each.get("properties"):
            yield "| field | type | always there |\n| --- | --- | --- |"
            for field, said in rows.items():
                there = "yes" if field in each.get("required", ()) else ""
                yield f"| `{field}` | {_type(said)} | {there} |"


def _type(said: dict[str, Any]) -> str:
    if "$ref" in said:
        name = said["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in said:
        return " or ".join(_type(each) for each in said["anyOf"])
    if said.get("type") == "array":
        return f"list of {_type(said['items'])}" if isinstance(said.get("items"), dict) else "list"
    if "const" in said or "enum" in said:
        return ", ".join(f"`{value}`" for value in said.get("enum", [said.get("const")]))
    return str(said.get("type", "any"))


def _first(module: Any) -> str:
    return _cell((module.__doc__ or "").split("\n\n")[0])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
