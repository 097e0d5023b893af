"""The context for reviewers about the issue or epic whose commits they read: its title and text from the tracker."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from ..model.config import Config, Reviewer
from ..model.errors import GateError
from ..model.event import Event
from ..steps.gate_dialect import name_part
from ..system.git import Git
from ..system.lease import temporary
from ..system.site import Site
from ..system.world import CONTEXT, World
from .epics import issue_named

_DEAF = ("linters", "builtin")  # what they find does not hang on what the change is for


@contextmanager
def informed(world: World, name: str, asked: Iterable[Reviewer], config: Config, git: Git, log: Callable[[Event], None]) -> Iterator[World]:
    """The environment that gives reviewers this issue as context, if the tracker knows it and the caller names no file.

    A failing tracker or disk is reported, and changes nothing else.
    """
    with ExitStack() as stack:
        told = world
        if name and not world.env.get(CONTEXT) and any(each.type not in _DEAF for each in asked):
            try:
                if text := _text(name, config, Site(git, world, []), log):
                    file = stack.enter_context(temporary("context")) / context_name(name)
                    file.write_bytes(text)
                    told = replace(world, env={**world.env, CONTEXT: str(file)})
            except (GateError, OSError) as error:
                log(Event("WARN", f"could not read the description of {name} for the reviewers: {error}"))
        yield told


def _text(name: str, config: Config, site: Site, log: Callable[[Event], None]) -> bytes:
    known = issue_named(name, config, site)
    for text in site.told:
        log(Event("WARN", text))
    return context_text(known.title, known.description) if known and (known.title or known.description) else b""


def context_name(issue: str) -> str:
    """The name of an issue's file."""
    return f"review-context-{name_part(issue)}.txt"


def context_text(title: str, body: str) -> bytes:
    """The content of that file."""
    return f"# {title}\n\n{body}\n".encode("utf-8", "replace")
