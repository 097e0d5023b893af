"""The agent SDK as a reviewer of the config: its account, and a home of its own for the time of one review."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from ..model.config import Reviewer
from ..reviewers import agent_sdk
from ..reviewers._access import access, environment
from ..reviewers._anthropic import VENDOR
from ..reviewers._program import outside
from ..system.scratch import scratch
from ..system.world import World
from .seats import options_of
from .template_agent import Agent

SDK = "agent_sdk"


def is_installed() -> bool:
    """The SDK can be imported."""
    return find_spec("claude_agent_sdk") is not None


def hire(name: str, entry: Reviewer, world: World) -> Agent:
    """The agent that the config describes; its `error` says why it cannot be asked.

    Raises:
        ConfigError: the options are wrong.
    """
    options = options_of(name, entry, agent_sdk)
    missing = "" if is_installed() else "claude-agent-sdk is not installed"
    found = access(VENDOR, options, world)
    return Agent(name, options.model, options.path, entry.timeout, access=found, error=missing or found.error)


@contextmanager
def at_home(agent: Agent, tree: Path | None, world: World) -> Iterator[Agent]:
    """The same with an environment that holds its account and nothing else of ours, and a home that is gone afterwards."""
    if agent.access is None or agent.error:
        yield agent
        return
    with scratch(agent.access.files) as place:
        env = environment(world, agent.access, place.home, place.temporary)
        yield replace(agent, env={**env, "PATH": outside(world.env, tree, agent.path or sys.executable)})
