"""Options that several verbs share."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any

import click

FORMATS = (
    "terminal", "json", "markdown", "sarif", "annotations", "agent", "html", "checkstyle", "junit",
    "codeclimate",
)  # fmt: skip
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def combine_options(*options: Decorator) -> Decorator:
    """One decorator from many, first on top in --help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def gather(name: str, make: Callable[..., Any]) -> Decorator:
    """Several options as one parameter of this name, below them: `make` gets their values by the
    names of its own parameters."""
    taken = signature(make).parameters

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_gathered(**given: Any) -> Any:
            value = make(**{key: given.pop(key) for key in taken})
            return function(**{name: value}, **given)

        return with_gathered

    return decorate


def non_empty(_ctx: click.Context, option: click.Parameter, value: str | None) -> str:
    """The callback of an option that may be left out but not be empty, as a script's unset variable
    is."""
    if value == "":
        raise click.UsageError(f"{option.opts[0]} is empty")
    return value or ""


def non_empty_folder(ctx: click.Context, option: click.Parameter, value: str | None) -> Path | None:
    """The same for one that names a folder: an empty one would mean the current folder."""
    return None if value is None else Path(non_empty(ctx, option, value))


repo = click.option(
    "--repo",
    type=click.Path(path_type=Path),
    default=".",
    show_default=True,
    help="The repository, or a folder in it.",
)
trusted = click.option(
    "--trusted",
    is_flag=True,
    help=(
        "Treat the commits as your own: use their config, and run linters that execute project "
        "code."
    ),
)
policy = click.option(
    "--policy",
    callback=non_empty,
    metavar="FILE",
    help=(
        "The organisation's policy, which the config may tighten but not loosen.  [default: "
        "$REVIEWGATE_GH_POLICY]"
    ),
)
api_url = click.option(
    "--api-url",
    metavar="URL",
    help="GitHub's REST API.  [default: $GITHUB_API_URL, or the public one]",
)
result_form = click.option(
    "--output",
    "-o",
    "form",
    type=click.Choice(("terminal", "json")),
    default="terminal",
    show_default=True,
    help="Output format.",
)
output = combine_options(
    click.option(
        "--output",
        "--format",
        "-o",
        "form",
        type=click.Choice(FORMATS),
        default="terminal",
        show_default=True,
        help="Report format.",
    ),
    click.option(
        "--output-path",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write the report to this file instead.",
    ),
)
