"""One line on a terminal while a command works."""

import sys

import click


def show_progress(text: str, last: bool) -> None:
    """The line in the place of the one before it, wiped after the last; nothing where nobody
    looks."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{text}", err=True, nl=False)
        if last:
            click.echo("\r\033[K", err=True, nl=False)
