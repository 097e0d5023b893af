"""List and test the project's own rules."""

import json
from pathlib import Path

import click
from msgspec import to_builtins

from ..gate.deliver import output_style, write_stdout
from ..git import open_repository
from ..model.errors import Exit
from ..reporters._layout import render_table
from ..reporters._words import count_noun
from ..system.environment import Environment
from ..text.safe import safe_line
from ..tools.rules import list_rules, run_rule_tests
from ._options import repo, result_form


@click.group("rules")
def command() -> None:
    """List and test the rules in .reviewgate-gh/rules (docs/rules.md)."""


@command.command("list", short_help="List the rules of the work tree.")
@result_form
@repo
def show_all(form: str, repo: Path) -> int:
    """List the rules of the work tree. A review takes them from the trusted side."""
    environment = Environment.current()
    found = list_rules(open_repository(repo, environment.variables))
    if form == "json":
        write_stdout(json.dumps([to_builtins(rule) for rule in found], indent=2) + "\n")
        return 0
    header = ("id", "priority", "language", "file", "message")
    cells = [
        [
            (text, "")
            for text in (rule.id, rule.priority or "off", rule.language, rule.file, rule.message)
        ]
        for rule in found
    ]
    drawn = render_table(header, cells, output_style(environment)) if found else "no rules\n"
    write_stdout(drawn)
    return 0


@command.command("test", short_help="Try each rule on its snippets.")
@repo
def test(repo: Path) -> int:
    """Try each rule on the snippets of its metadata and of .reviewgate-gh/rules/tests: it must find
    something in each `invalid` one and nothing in each `valid` one. The exit code is 1 if it does
    not."""
    environment = Environment.current()
    git = open_repository(repo, environment.variables)
    tried, failed = set(), 0
    count = 0
    for result in run_rule_tests(git, environment):
        tried.add(result.rule)
        count += 1
        if result.wrong:
            failed += 1
            snippet = safe_line(result.snippet.strip(), 100)
            click.echo(f"{safe_line(result.rule)}: {result.kind}: {result.wrong}: {snippet}")
    for rule in list_rules(git):
        if rule.id not in tried:
            click.echo(f"{safe_line(rule.id)}: no tests")
    click.echo(f"{count_noun(count, 'snippet')}, {failed} failed")
    return Exit.BLOCK if failed else 0
