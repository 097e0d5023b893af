"""`review arch|tasks|code|list` and the project's own templates: each template's inputs are its
command's arguments and options."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..documents.registry import OURS, describe_templates, find_template, template_order
from ..documents.report import TemplateDelivery, deliver_result
from ..documents.review import TemplateReviewOptions, run_template_review
from ..documents.template import InputDef, ReviewTemplate
from ..documents.trusted_side import find_trusted_side
from ..gate.deliver import write_stdout
from ..system import plugins
from ..system.environment import Environment
from ._options import FORMATS, Decorator, combine_options, non_empty, policy

_ARGUMENT = "input"  # a required input of this name is given without an option
_VALUES = {"against": "CONTEXT", "cwd": "DIR", "files": "PATTERN", "diff": "REF"}
_FORMS = (*FORMATS, "file")
_TRUSTED = f"{__name__}.trusted"
_OWN = frozenset({"output", "output_path", "reviewer", "exit_zero", "trusted", "policy", "help"})


class TemplateCommand(click.Command):
    """A template's command: `--output file` takes the path that follows."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments, `--output file PATH` as one option."""
        return super().parse_args(ctx, _joined(args))


class TemplateGroup(click.Group):
    """The verb `review` where a template follows it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The built-in templates, and `list`."""
        return sorted([*plugins.data_names(OURS), "list"], key=template_order)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The named template; --trusted must be known first, as it decides whose templates
        apply."""
        ctx.meta[_TRUSTED] = "--trusted" in args
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        """The template's command, made from its inputs."""
        if name == "list":
            return show_all

        return _command(
            find_template(
                name, find_trusted_side(Environment.current(), ctx.meta.get(_TRUSTED, False))
            )
        )


group = TemplateGroup("review", help="Review documents and code by a template.")


@click.command("list")
def show_all() -> int:
    """List the review templates: the built-in ones, and the project's own in
    .reviewgate-gh/templates."""
    write_stdout(describe_templates(Environment.current()))
    return 0


def _command(template: "ReviewTemplate") -> click.Command:
    @click.command(
        template.name,
        cls=TemplateCommand,
        help=f"{template.description}.",
        short_help=template.description,
    )
    @combine_options(
        *(_required(wanted) for wanted in template.required_inputs),
        *(_optional(wanted) for wanted in template.optional_inputs),
        click.option(
            "--reviewer",
            default="",
            metavar="NAME",
            help=(
                "Use this reviewer from the config.  [default: the agent SDK, else the first model]"
            ),
        ),
        click.option(
            "--output",
            "-o",
            default="terminal",
            show_default=True,
            metavar="FORM",
            help=(
                f"Output format: {', '.join(FORMATS)}; or `file PATH`, which writes JSON to "
                "that file."
            ),
        ),
        click.option(
            "--output-path",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Write the result to this file instead.",
        ),
        click.option("--exit-zero", is_flag=True, help="Report only: exit 0 whatever the verdict."),
        click.option(
            "--trusted",
            is_flag=True,
            help="Treat the work tree as your own: use its config, templates and settings.",
        ),
        policy,
    )
    def command(**given: Any) -> int:
        return _run(template, given)

    return command


def _run(template: "ReviewTemplate", given: dict[str, Any]) -> int:
    environment, shown = (
        Environment.current(),
        _shown(given["output"], given["output_path"], given["exit_zero"]),
    )
    inputs = {name: value for name, value in given.items() if name not in _OWN and value}
    wanted = TemplateReviewOptions(
        template, inputs, given["reviewer"], given["trusted"], given["policy"]
    )
    result, side = run_template_review(wanted, environment)
    return deliver_result(result, side, shown, environment)


def _shown(output: str, path: Path | None, exit_zero: bool) -> "TemplateDelivery":
    form, _, named = output.partition(":")
    if form not in _FORMS or (named and form != "file"):
        raise click.UsageError(f"--output {output}: use {', '.join(FORMATS)}, or file PATH")
    if form == "file" and bool(named) == (path is not None):
        raise click.UsageError(
            "--output file and --output-path cannot be used together"
            if named
            else "--output file needs a path: --output file PATH"
        )
    return TemplateDelivery(
        "json" if form == "file" else form, Path(named) if named else path, exit_zero
    )


def _joined(args: list[str]) -> list[str]:
    """`--output file PATH` as `--output file:PATH`, unless the path is given by its own option."""
    joined = list(args)
    apart = any(arg.partition("=")[0] == "--output-path" for arg in args)
    for at, arg in enumerate(args[:-1]):
        form, path = args[at + 1], args[at + 2] if at + 2 < len(args) else ""
        if (
            arg in ("--output", "-o")
            and form == "file"
            and path
            and not path.startswith("-")
            and not apart
        ):
            joined[at + 1 : at + 3] = [f"file:{path}"]
            break
    return joined


def _required(wanted: "InputDef") -> Decorator:
    if wanted.name == _ARGUMENT:
        return click.argument(_ARGUMENT, callback=non_empty)
    return _option(wanted, required=True, help=wanted.description)


def _optional(wanted: "InputDef") -> Decorator:
    shown = f"  [default: {wanted.default}]" if wanted.default else ""
    return _option(wanted, callback=non_empty, help=f"{wanted.description}{shown}")


def _option(wanted: "InputDef", **more: Any) -> Callable[..., Any]:
    if wanted.name in _OWN:
        raise click.UsageError(
            f"the template's input {wanted.name} has the name of a built-in option: rename the "
            "input"
        )
    return click.option(
        f"--{wanted.name.replace('_', '-')}",
        wanted.name,
        metavar=_VALUES.get(wanted.name, "TEXT"),
        **more,
    )
