"""What `doctor` says of what leaves the machine, for every tracker and trigger there is."""

from typing import get_args

import pytest
from msgspec import convert

from reviewgate_gh.model.config import Config, TrackerConfig
from reviewgate_gh.model.question import Availability
from reviewgate_gh.model.triggers import TriggerType
from reviewgate_gh.system import plugins
from reviewgate_gh.tools.destinations import data_destinations


def said(**sections: object) -> str:
    return "; ".join(data_destinations(convert(sections, Config), {}))


def test_the_defaults_send_nothing() -> None:
    assert data_destinations(Config(), {}) == []


@pytest.mark.parametrize("kind", plugins.names("trackers"))
def test_every_tracker_outside_of_the_clone_is_named(kind: str) -> None:
    found = data_destinations(Config(tracker=TrackerConfig(type=kind)), {})
    inside = plugins.load("trackers", kind).IN_CLONE
    assert found == ([] if inside else [f"findings go to the tracker {kind} as issues"])


def test_a_tracker_that_does_not_exist_is_somebody_elses_line() -> None:
    assert data_destinations(Config(tracker=TrackerConfig(type="nothing")), {}) == []


@pytest.mark.parametrize("name", get_args(TriggerType))
def test_every_trigger_that_asks_or_runs_something_is_named(name: str) -> None:
    review = {"enabled": True, "reviewer_type": "cerberus"}
    text = said(validation_triggers={name: {"code_review": review}})
    assert f"at {name} the change goes to an external review gate" in text
    text = said(validation_triggers={name: {"commands": [{"ref": "test"}]}})
    assert f"unknown: the commands of {name} may use the network" in text


def test_epics_and_fixers_are_named() -> None:
    assert "when they are verified" in said(validation_triggers={"epic_completion": {}})
    assert "remediation" in said(remediation={"fixer": ["fix"]})


def test_a_model_that_cannot_be_asked_yet_is_named() -> None:
    config = convert({"reviewers": {"m": {"type": "api"}, "mine": {"type": "command"}}}, Config)
    model = Availability(error="KEY is not set", destination="https://models.example")
    assert data_destinations(config, {"m": model}) == [
        "m would send the change to https://models.example if it could be asked",
        "unknown: mine may use the network",
    ]
