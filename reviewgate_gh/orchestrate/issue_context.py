"""The context for reviewers about the issue or epic whose commits they read: its title and text
from the tracker."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from msgspec.structs import replace

from ..epics.task import find_issue
from ..issues.tracked import Workspace
from ..model.config import Config, ReviewerConfig
from ..model.errors import GateError
from ..model.run import LogEvent
from ..reviewers.gates.client import safe_name_part
from ..system.environment import CONTEXT_VARIABLE, Environment
from ..system.temp_dirs import temp_dir

# What they find does not hang on what the change is for
_DEAF = ("linters", "builtin", "change")


@contextmanager
def with_issue_context(
    workspace: Workspace,
    name: str,
    asked: Iterable[ReviewerConfig],
    config: Config,
    log: Callable[[LogEvent], None],
) -> Iterator[Environment]:
    """The workspace's environment that gives reviewers this issue as context, if the tracker knows
    it and the caller names no file.

    A failing tracker or disk is reported, and changes nothing else.
    """
    environment = workspace.environment
    with ExitStack() as stack:
        told = environment
        if (
            name
            and not environment.variables.get(CONTEXT_VARIABLE)
            and any(each.type not in _DEAF for each in asked)
        ):
            try:
                if text := _text(name, config, workspace, log):
                    file = stack.enter_context(temp_dir("context")) / context_file_name(name)
                    file.write_bytes(text)
                    told = replace(
                        environment,
                        variables={**environment.variables, CONTEXT_VARIABLE: str(file)},
                    )
            except (GateError, OSError) as error:
                log(
                    LogEvent(
                        "WARN",
                        f"could not read the description of {name} for the reviewers: {error}",
                    )
                )
        yield told


def _text(
    name: str, config: Config, workspace: Workspace, log: Callable[[LogEvent], None]
) -> bytes:
    known = find_issue(name, config, workspace)
    for text in workspace.messages:
        log(LogEvent("WARN", text))
    return (
        context_text(known.title, known.description)
        if known and (known.title or known.description)
        else b""
    )


def context_file_name(issue: str) -> str:
    """The name of an issue's file."""
    return f"review-context-{safe_name_part(issue)}.txt"


def context_text(title: str, body: str) -> bytes:
    """The content of that file."""
    return f"# {title}\n\n{body}\n".encode("utf-8", "replace")
