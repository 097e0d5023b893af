"""Serve coding agents over the Model Context Protocol."""

from pathlib import Path

import click

from ..mcp.server import serve_standard_streams
from ..system.environment import Environment
from ._options import repo


@click.command("mcp")
@click.option(
    "--write",
    is_flag=True,
    help="Also offer the tools that edit files in the work tree.",
)
@repo
def command(write: bool, repo: Path) -> int:
    """Serve one coding agent on standard input and output: review, findings, explanations, previews
    of fixes and proposals for waivers, as tools.

    Agents start this themselves: `init --agents` adds it to their settings. Without --write no tool
    changes a file. No tool accepts a finding or lets a push through.
    """
    return serve_standard_streams(repo, Environment.current(), write)
