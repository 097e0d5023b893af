"""The section `epic_verification`, and what a verdict may be."""

import pytest

from reviewgate_gh.model.config import Config
from reviewgate_gh.model.epic_verification import EpicVerdict, EpicVerification, UnmetCriterion
from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.model.triggers import Cerberus
from reviewgate_gh.settings.floor import apply_floor
from reviewgate_gh.text.config_file import parse_settings

EXAMPLE = b"""\
epic_verification:
  enabled: true
  reviewer_type: cerberus  # or "agent_sdk"
  timeout: 600
  max_retries: 3
  failure_mode: continue  # "abort", "continue", or "remediate"
  cerberus:
    timeout: 300
    spawn_args: []
    wait_args: []
"""


def read(text: str | bytes) -> EpicVerification:
    data = text if isinstance(text, bytes) else f"epic_verification: {text}\n".encode()
    return parse_settings(data, Config, "x.yaml").epic_verification


@pytest.mark.req(
    "R002-001",
    "R002-004",
    "R002-005",
    "R002-006",
    "R002-007",
    "R002-008",
    "R002-010",
    "R002-011",
    "R002-018",
)
def test_defaults_are_there_once_it_is_read():
    own = read("{cerberus: {}}")
    assert (own.enabled, own.reviewer_type, own.timeout, own.max_retries, own.failure_mode) == (
        True,
        "agent_sdk",
        600,
        3,
        "continue",
    )
    assert own.cerberus is not None and own.cerberus.spawn_args == own.cerberus.wait_args == ()
    assert (
        parse_settings(b"version: 1\n", Config, "x").epic_verification
        == Config().epic_verification
        == read("{}")
        == EpicVerification()
    )


@pytest.mark.req("R002-009", "R002-012", "R002-013")
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("{}", 600),
        ("{reviewer_type: cerberus}", 600),
        ("{reviewer_type: cerberus, cerberus: {}}", 600),
        ("{reviewer_type: cerberus, cerberus: {timeout: 300}}", 300),
        ("{reviewer_type: cerberus, timeout: 100, cerberus: {timeout: 300}}", 300),
        ("{reviewer_type: agent_sdk, timeout: 100, cerberus: {timeout: 300}}", 100),
        ("{reviewer_type: ensemble, cerberus: {timeout: 300}}", 600),
    ],
)
def test_the_gates_own_timeout_counts_where_it_is_written_and_the_gate_verifies(text, seconds):
    assert read(text).seconds == seconds
    assert Cerberus().timeout == 300


@pytest.mark.req("R002-014", "R002-020")
def test_a_whole_section_beside_the_others():
    own = parse_settings(
        EXAMPLE + b"per_issue_review: {}\nvalidation_triggers: {}\n", Config, "x"
    ).epic_verification
    assert (
        own.reviewer_type == "cerberus" and own.cerberus is not None and own.cerberus.timeout == 300
    )


@pytest.mark.req("R002-016", "R002-017")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "{reviewer_type: claude}",
            ("epic_verification.reviewer_type", "cerberus", "agent_sdk", "ensemble"),
        ),
        ("{enabled: false, reviewer_type: claude}", ("epic_verification.reviewer_type",)),
        ("{reviewer: cerberus}", ("unknown key epic_verification.reviewer",)),
        ("{cerberus: {path: x}}", ("unknown key epic_verification.cerberus.path",)),
        ("{failure_mode: stop}", ("failure_mode", "abort", "continue", "remediate")),
        ("{timeout: 0}", ("timeout must be 1 or more",)),
        ("{timeout: true}", ("epic_verification.timeout",)),
        ("{max_retries: -1}", ("max_retries must be 0 or more",)),
        ("{enabled: 1}", ("epic_verification.enabled",)),
        ("{cerberus: {spawn_args: a b}}", ("spawn_args",)),
    ],
)
def test_mistakes_are_found_when_it_is_read(text, words):
    with pytest.raises(ConfigError) as caught:
        read(text)
    assert all(word in caught.value.message for word in words), caught.value.message


def test_a_floor_decides_how_epics_are_verified():
    floor = Config(epic_verification=EpicVerification(failure_mode="abort"))
    assert (
        apply_floor(Config(), floor, {"epic_verification": {}})[0].epic_verification.failure_mode
        == "abort"
    )
    assert apply_floor(Config(), floor, {})[0].epic_verification.failure_mode == "continue"


CRITERION = UnmetCriterion("It is fast", 1, "It is not")


@pytest.mark.req("R002-023", "R002-024", "R002-025", "R002-026")
def test_the_shape_of_a_verdict():
    assert [*EpicVerdict.__struct_fields__] == [
        "passed",
        "unmet_criteria",
        "confidence",
        "reasoning",
    ]
    assert not EpicVerdict.__struct_defaults__
    EpicVerdict(True, (), 0, ""), EpicVerdict(False, (CRITERION,), 1, "")
    for passed, unmet, confidence in (
        (True, (CRITERION,), 1),
        (False, (), 1),
        (True, (), 1.1),
        (True, (), -0.1),
        (True, (), float("nan")),
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
            EpicVerdict(passed, unmet, confidence, "")
    for text, priority in (("", 1), ("x", 4), ("x", -1), ("x", True)):
        with pytest.raises(ValueError, match="unmet criterion"):
            UnmetCriterion(text, priority, "")
