"""What every language model plug-in offers, and that nothing which is missing makes it raise or
pass."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.model.limits import ConfigSection
from reviewgate_gh.model.question import Availability, ModelReply, Prompt
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.system import plugins
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.text.config_file import validate_settings

from ..agents import KEY, NAME, SCHEMA
from ..support import Repo

NAMES = [
    name
    for name in plugins.names("reviewers")
    if not hasattr(plugins.load("reviewers", name), "review")
]
MODELS = [plugins.load("reviewers", name) for name in NAMES]
# What a config must say at least.
LEAST: dict[str, dict[str, Any]] = {
    "api": {"dialect": "openai", "model": "m-1", "url": "http://127.0.0.1:9/v1"}
}
PROMPT = Prompt("shared", "own", SCHEMA)
NOWHERE = {"PATH": "/nowhere", "HOME": "/nowhere"}
every = pytest.mark.parametrize("model", MODELS, ids=NAMES)


def _id(model: ModuleType) -> str:
    return model.__name__.rpartition(".")[2]


def options(model: ModuleType, **more: Any) -> Any:
    """The plug-in's options, as a config would give them."""
    return validate_settings(
        {**LEAST.get(_id(model), {}), **more}, model.Options, "reviewers.x.options"
    )


def seat(env: dict[str, str], **more: Any) -> ModelContext:
    return ModelContext(Environment(env, Path.cwd()), 5, **more)


def test_all_of_them_are_tested_here() -> None:
    assert {"agent_sdk", "api", "claude", "codex", "gemini", "qwen"} <= set(NAMES)


@every
def test_it_offers_what_the_protocol_names(model: ModuleType) -> None:
    assert model.__doc__ and model.check.__doc__ and model.ask.__doc__ and model.Options.__doc__
    assert not hasattr(model, "review") and not hasattr(model, "parts")
    assert issubclass(model.Options, ConfigSection)
    with pytest.raises(AttributeError):
        options(model, key=NAME).key = "OTHER"
    with pytest.raises(ConfigError):
        options(model, surely_not_an_option=1)


@every
@pytest.mark.parametrize("ci", [{}, {"CI": "true"}], ids=["own machine", "CI"])
def test_a_key_that_is_not_there_is_named(model: ModuleType, ci: dict[str, str]) -> None:
    named = options(model, key=NAME)
    for standing in (
        model.check(named, seat({**NOWHERE, **ci})),
        model.check(named, seat({**NOWHERE, **ci, NAME: ""})),
    ):
        assert isinstance(standing, Availability) and standing.error and "\n" not in standing.error
    reply = model.ask(PROMPT, named, seat({**NOWHERE, **ci}))
    assert isinstance(reply, ModelReply)
    assert (reply.status, reply.text) == (ReviewStatus.UNAVAILABLE, "")
    # What to do next is a part of it: a name to set, or a program to install.
    assert NAME in reply.error or "install" in reply.error


@every
def test_nothing_at_all_is_unavailable_or_a_failure_and_never_an_answer(model: ModuleType) -> None:
    for env in ({}, {"PATH": ""}, {"CI": "1"}, NOWHERE, {**NOWHERE, NAME: KEY}):
        standing, reply = (
            model.check(options(model, key=NAME), seat(env)),
            model.ask(PROMPT, options(model, key=NAME), seat(env)),
        )
        assert isinstance(standing, Availability) and isinstance(reply, ModelReply)
        assert (
            reply.status is not ReviewStatus.OK
            and not reply.text
            and reply.error
            and "\n" not in reply.error
        )


@every
def test_the_key_stands_in_nothing_that_is_told(model: ModuleType) -> None:
    env = {**NOWHERE, NAME: KEY}
    for said in (
        model.check(options(model, key=NAME), seat(env)),
        model.ask(PROMPT, options(model, key=NAME), seat(env)),
    ):
        assert KEY not in repr(said)


@every
def test_no_key_is_taken_for_its_own_value(model: ModuleType, repo: Repo) -> None:
    with pytest.raises(ConfigError, match="key"):
        options(model, key="sk-ant-0123456789abcdef")
