"""Check, show and describe the configuration."""

import json
from pathlib import Path

import click

from ..gate.deliver import write_stdout
from ..git import open_repository
from ..system.environment import Environment
from ..tools.config import (
    annotated_config,
    check_config_file,
    check_work_tree,
    config_reference,
    config_schema,
)
from ._options import policy, repo


@click.group("config")
def command() -> None:
    """Check, show and describe the configuration."""


@command.command("check", short_help="Validate the config and the waivers.")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@repo
def check(file: Path | None, repo: Path) -> int:
    """Validate the config and the waivers of the work tree, or one FILE. An error names file, line,
    key and value, with exit code 78."""
    environment = Environment.current()
    for line in (
        check_config_file(file, environment)
        if file
        else check_work_tree(open_repository(repo, environment.variables), environment)
    ):
        click.echo(line)
    return 0


@command.command("show", short_help="Print the effective config and where each value comes from.")
@policy
@repo
def show(policy: str, repo: Path) -> int:
    """Print the effective config as YAML; each line says where its value comes from: default, file
    and line, or policy floor."""
    environment = Environment.current()
    write_stdout(
        annotated_config(open_repository(repo, environment.variables), environment, policy)
    )
    return 0


@command.command("reference", short_help="Print every key with its meaning and its default.")
def reference() -> int:
    """Print every key with its meaning and its default, as YAML to copy from."""
    write_stdout(config_reference())
    return 0


@command.command("schema", short_help="Print the JSON schema of the config, for editors.")
def schema() -> int:
    """Print the JSON schema of the config, for editors and validators."""
    write_stdout(json.dumps(config_schema(), indent=2) + "\n")
    return 0
