"""Triggers in the config: what is read, what is refused, what is said, and which review a session
gets."""

from typing import Any, get_args, get_type_hints

import pytest
import yaml
from msgspec import Struct
from msgspec.structs import fields, replace

from reviewgate_gh.model.config import Config
from reviewgate_gh.model.errors import ConfigError, UsageError
from reviewgate_gh.model.finding import Confidence, Finding, Priority
from reviewgate_gh.model.triggers import (
    Cerberus,
    CodeReview,
    CommandRef,
    EpicCompletion,
    RunEnd,
    SessionEnd,
    ValidationTriggers,
)
from reviewgate_gh.orchestrate.trigger_outcome import reaches_threshold
from reviewgate_gh.orchestrate.trigger_rules import (
    DeprecatedOptions,
    apply_deprecated_options,
    deprecation_lines,
    resolve_triggers,
)
from reviewgate_gh.settings.check import major_version
from reviewgate_gh.settings.floor import apply_floor
from reviewgate_gh.text.config_file import parse_settings

CUMULATIVE = ("epic_completion", "run_end")
EVERY = ("session_end", *CUMULATIVE)
FULL = {
    "enabled": True, "reviewer_type": "agent_sdk", "failure_mode": "abort", "max_retries": 7,
    "finding_threshold": "P2",
    "baseline": "since_last_review", "cerberus": {"timeout": 9, "spawn_args": ["a b", "$(x); 'y'"],
        "wait_args": ["-w"], "env": {"A": "1"}},
}  # fmt: skip


def config(tree: Any) -> Config:
    return parse_settings(yaml.safe_dump(tree).encode(), Config, "c.yaml")


def triggers(**named: Any) -> Config:
    return config({"validation_triggers": named})


def review(name: str, block: Any) -> CodeReview:
    found = getattr(
        triggers(**{name: {"code_review": block}}).validation_triggers, name
    ).code_review
    assert isinstance(found, CodeReview)
    return found


def refused(tree: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        config(tree)
    return f"{caught.value.message} | {caught.value.hint}"


@pytest.mark.req("R000-001", "R000-008", "R000-018")
def test_every_value_of_the_config_is_frozen() -> None:
    kinds, todo = set[type[Struct]](), list[type[Struct]]([Config])
    while todo:
        kind = todo.pop()
        kinds.add(kind)
        parts = [part for hint in get_type_hints(kind).values() for part in (hint, *get_args(hint))]
        todo += [
            part
            for part in parts
            if isinstance(part, type) and issubclass(part, Struct) and part not in kinds
        ]
    assert {Cerberus, CodeReview, RunEnd, ValidationTriggers, CommandRef} <= kinds
    for kind in kinds:
        assert kind.__struct_config__.frozen and kind.__struct_config__.forbid_unknown_fields


@pytest.mark.req("R000-002", "R000-003", "R000-004", "R000-005", "R000-007")
def test_the_external_gates_settings() -> None:
    assert review("run_end", {"enabled": True, "cerberus": None}).cerberus is None
    assert Cerberus() == Cerberus(timeout=300, spawn_args=(), wait_args=(), env={})
    read = review("run_end", FULL).cerberus
    assert read == Cerberus(
        timeout=9, spawn_args=("a b", "$(x); 'y'"), wait_args=("-w",), env={"A": "1"}
    )
    assert tuple(read.env.items()) == (("A", "1"),)


@pytest.mark.req("R000-002", "R000-003", "R000-004", "R000-005")
@pytest.mark.parametrize(
    "block",
    [
        {"timeout": True},
        {"timeout": "9"},
        {"timeout": 9.5},
        {"timeout": 0},
        {"spawn_args": "-v"},
        {"wait_args": [1]},
        {"env": {"A": 1}},
    ],
)
def test_other_types_are_refused(block: dict[str, Any]) -> None:
    assert "cerberus" in refused(
        {"validation_triggers": {"run_end": {"code_review": {"cerberus": block}}}}
    )


@pytest.mark.req("R000-009", "R000-010", "R000-011", "R000-012", "R000-013", "R000-014", "R000-015")
def test_the_defaults_of_a_review() -> None:
    assert CodeReview() == CodeReview(
        enabled=False,
        reviewer_type="cerberus",
        failure_mode="continue",
        max_retries=3,
        finding_threshold="none",
        baseline=None,
        cerberus=None,
    )
    assert review("run_end", {}) == CodeReview()


@pytest.mark.req("R000-009", "R000-011", "R000-012", "R000-013", "R000-014")
@pytest.mark.parametrize(
    "block",
    [
        {"enabled": "yes"},
        {"failure_mode": "retry"},
        {"max_retries": 1.5},
        {"finding_threshold": "P4"},
        {"baseline": "HEAD~3"},
        {"basline": 1},
    ],
)
def test_other_values_of_a_review_are_refused(block: dict[str, Any]) -> None:
    [key] = block
    assert f"validation_triggers.run_end.code_review.{key}" in refused(
        {"validation_triggers": {"run_end": {"code_review": block}}}
    )


@pytest.mark.req("R000-016", "R000-173")
@pytest.mark.parametrize("name", EVERY)
def test_the_same_block_is_read_the_same_under_each_trigger(name: str) -> None:
    assert review(name, FULL) == review("run_end", FULL)
    assert {f.name for f in fields(CodeReview)} == set(FULL)
    assert config({"per_issue_review": FULL}).per_issue_review == review(name, FULL)


@pytest.mark.req("R000-017", "R000-029")
def test_nothing_is_inherited() -> None:
    read = config(
        {
            "policy": {"finding_threshold": "P0"},
            "validation_triggers": {"epic_completion": {"code_review": FULL}, "run_end": {}},
        }
    )
    assert read.validation_triggers.run_end == RunEnd()
    assert read.validation_triggers.session_end is None
    settled = resolve_triggers(read, 0)
    assert [settled.review_of(name) is not None for name in EVERY] == [False, True, False]
    assert resolve_triggers(Config(), 0).warnings == ()


@pytest.mark.req(
    "R000-019",
    "R000-020",
    "R000-021",
    "R000-022",
    "R000-023",
    "R000-024",
    "R000-025",
    "R000-027",
    "R000-028",
)
def test_what_each_trigger_has() -> None:
    base = {
        "commands": [{"ref": "test"}],
        "failure_mode": "abort",
        "max_retries": 1,
        "code_review": {"enabled": True},
    }
    read = triggers(
        session_end=base,
        epic_completion={**base, "epic_depth": "all", "fire_on": "both"},
        run_end={**base, "fire_on": "failure"},
        periodic=base,
    ).validation_triggers
    mine = {
        "commands": (CommandRef(ref="test"),),
        "failure_mode": "abort",
        "max_retries": 1,
        "code_review": CodeReview(enabled=True),
    }
    assert read.session_end == SessionEnd(**mine)
    assert read.epic_completion == EpicCompletion(**mine, epic_depth="all", fire_on="both")
    assert read.run_end == RunEnd(**mine, fire_on="failure")
    assert read.periodic is not None and read.periodic.commands == mine["commands"]
    assert (SessionEnd().max_retries, SessionEnd().code_review) == (None, None)
    assert (RunEnd().fire_on, EpicCompletion().fire_on, EpicCompletion().epic_depth) == (
        "success",
        "success",
        "top_level",
    )
    assert (
        triggers(
            run_end={"commands": [], "code_review": {"enabled": True}}
        ).validation_triggers.run_end
        is not None
    )


@pytest.mark.req("R000-022", "R000-024", "R000-026")
@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            {"sesion_end": {}},
            "c.yaml:2: unknown key validation_triggers.sesion_end | did you mean session_end?",
        ),
        ({"run_end": {"fire_on": "never"}}, "validation_triggers.run_end.fire_on: must be"),
        (
            {"session_end": {"fire_on": "both"}},
            "unknown key validation_triggers.session_end.fire_on",
        ),
        (
            {"session_end": {"epic_depth": "all"}},
            "unknown key validation_triggers.session_end.epic_depth",
        ),
        (
            {"run_end": {"code_review": {"max_retires": 1}}},
            "validation_triggers.run_end.code_review.max_retires | did you mean max_retries?",
        ),
        (
            {"run_end": {"commands": [{"timeout": 5}]}},
            "validation_triggers.run_end.commands[0].ref: this key is missing",
        ),
        (
            {"run_end": {"commands": [{"reff": "x"}]}},
            "unknown key validation_triggers.run_end.commands[0].reff | did you mean ref?",
        ),
    ],
)
def test_a_wrong_key_is_named(named: dict[str, Any], said: str) -> None:
    assert said in refused({"validation_triggers": named})


@pytest.mark.req("R000-030", "R000-031", "R000-032", "R000-034", "R000-036", "R000-176")
@pytest.mark.parametrize("enabled", [True, False])
def test_values_that_do_not_apply_are_said_only_where_a_review_runs(enabled: bool) -> None:
    odd = {"enabled": enabled, "failure_mode": "remediate", "max_retries": 0}
    settled = resolve_triggers(triggers(session_end={"code_review": {**odd,
        "baseline": "since_last_review"}}, run_end={"code_review": odd},
                              epic_completion={"code_review": {"enabled": enabled}}),
                              0)  # fmt: skip
    assert settled.session_review is not None and settled.session_review.baseline is None
    assert (
        settled.triggers.run_end
        and settled.triggers.run_end.code_review
        and settled.triggers.epic_completion
    )
    assert settled.triggers.run_end.code_review.baseline == "since_run_start"
    assert (
        settled.triggers.epic_completion.code_review
        and settled.triggers.epic_completion.code_review.baseline == "since_run_start"
    )
    where = "validation_triggers.{}.code_review"
    assert list(settled.warnings) == ([
        (f"{where.format('session_end')}.baseline is ignored: a session's review starts at its "
        "issue's first commit"),
        (f"{where.format('session_end')}: failure_mode remediate with max_retries 0 behaves like "
        "continue"),
        f"{where.format('epic_completion')}.baseline is missing: since_run_start is used",
        f"{where.format('run_end')}.baseline is missing: since_run_start is used",
        (f"{where.format('run_end')}: failure_mode remediate with max_retries 0 behaves like "
        "continue"),
    ] if enabled else [])  # fmt: skip


def test_commands_that_nobody_may_mend_are_warned_of_too() -> None:
    [said] = resolve_triggers(
        triggers(
            run_end={"commands": [{"ref": "test"}], "failure_mode": "remediate", "max_retries": 0}
        ),
        0,
    ).warnings
    assert said == (
        "validation_triggers.run_end: failure_mode remediate with max_retries 0 behaves "
        "like continue"
    )


@pytest.mark.req("R000-010", "R000-033", "R000-034", "R000-035")
def test_what_fails_the_load_and_what_a_review_that_is_off_may_hold() -> None:
    bad = {"enabled": True, "reviewer_type": "codex"}
    assert "cerberus, agent_sdk, ensemble" in refused(
        {"validation_triggers": {"run_end": {"code_review": bad}}}
    )
    assert review("run_end", {**bad, "enabled": False}).reviewer_type == "codex"
    assert "max_retries must be 0 or more" in refused(
        {"validation_triggers": {"run_end": {"code_review": {"max_retries": -1}}}}
    )
    assert "max_retries must be 0 or more" in refused(
        {"validation_triggers": {"session_end": {"max_retries": -1}}}
    )
    for kind in ("cerberus", "agent_sdk", "ensemble"):
        assert review("session_end", {"enabled": True, "reviewer_type": kind}).reviewer_type == kind


DEPRECATION = """\
DEPRECATION: Top-level 'reviewer_type' is deprecated for per-issue reviews.
Add 'validation_triggers.session_end.code_review.enabled: true' to preserve current behavior.
Legacy implicit reviews will be removed in the next major version."""


@pytest.mark.req("R000-041", "R000-042", "R000-043", "R000-044", "R000-045", "R000-046", "R000-176")
def test_which_review_a_session_gets() -> None:
    own, other = {"enabled": True, "max_retries": 1}, {"enabled": True, "max_retries": 2}
    new = {"validation_triggers": {"session_end": {"code_review": own}}}
    old = {"reviewer_type": "agent_sdk"}
    first = resolve_triggers(config(new | old | {"per_issue_review": other}), major_version())
    assert (
        first.session_review and first.session_review.max_retries == 1 and first.deprecations == ()
    )
    assert first.warnings == (
        "per_issue_review is ignored: validation_triggers.session_end.code_review is set",
    )
    second = resolve_triggers(config(old | {"per_issue_review": other}), major_version())
    assert (
        second.session_review
        and second.session_review.max_retries == 2
        and second.deprecations == second.warnings == ()
    )
    third = resolve_triggers(config(old), major_version())
    assert third.session_review == CodeReview(
        enabled=True, reviewer_type="agent_sdk", failure_mode="remediate", max_retries=3
    )
    assert third.deprecations == (DEPRECATION,)
    off = resolve_triggers(
        config(old | {"validation_triggers": {"session_end": {"code_review": {"enabled": False}}}}),
        major_version(),
    )
    assert off.review_of("session_end") is None and off.deprecations == ()
    for nothing in (
        resolve_triggers(config(old), major_version() + 1),
        resolve_triggers(config({}), major_version()),
    ):
        assert (nothing.review_of("session_end"), nothing.deprecations, nothing.warnings) == (
            None,
            (),
            (),
        )
    assert "reviewer_type: must be" in refused({"reviewer_type": "codex"})


@pytest.mark.req("R000-037", "R000-038", "R000-039", "R000-040")
def test_old_options_count_where_the_config_says_nothing() -> None:
    flags = DeprecatedOptions("ensemble", 5, 60, ("-v", "a b"), ("-w",), ("A=1=2",))
    mine = CodeReview(enabled=True)
    gate = Cerberus(timeout=60, spawn_args=("-v", "a b"), wait_args=("-w",), env={"A": "1=2"})
    meant = CodeReview(enabled=True, reviewer_type="ensemble", max_retries=5, cerberus=gate)
    assert apply_deprecated_options(flags, mine, {"enabled": True}, False) == meant
    said = {
        "reviewer_type": "cerberus",
        "max_retries": 3,
        "cerberus": {"timeout": 300, "spawn_args": [], "wait_args": [], "env": {}},
    }
    full = CodeReview(enabled=True, cerberus=Cerberus())
    assert apply_deprecated_options(flags, full, said, False) == full
    assert apply_deprecated_options(flags, None, {}, False) is None
    asked = apply_deprecated_options(flags, None, {}, True)
    assert asked and (
        asked.enabled,
        asked.reviewer_type,
        asked.failure_mode,
        asked.max_retries,
    ) == (True, "ensemble", "remediate", 5)
    assert apply_deprecated_options(DeprecatedOptions(), None, {}, True) is None
    assert deprecation_lines(flags, "run_end")[:3] == (
        "DEPRECATION: --reviewer-type is deprecated. Use "
        "'validation_triggers.run_end.code_review.reviewer_type'."
        " It will be removed in the next major version.",
        "DEPRECATION: --max-review-retries is deprecated. Use "
        "'validation_triggers.run_end.code_review.max_retries'."
        " It will be removed in the next major version.",
        "DEPRECATION: --review-timeout is deprecated. Use "
        "'validation_triggers.run_end.code_review.cerberus.timeout'."
        " It will be removed in the next major version.",
    )
    assert (
        len(deprecation_lines(flags, "run_end")) == 6
        and deprecation_lines(DeprecatedOptions(), "run_end") == ()
    )
    for wrong in (DeprecatedOptions(reviewer_type="codex"), DeprecatedOptions(env=("A",))):
        with pytest.raises(UsageError):
            apply_deprecated_options(wrong, mine, {}, True)


def test_a_floors_triggers_may_be_tightened_and_not_loosened() -> None:
    floor = {"validation_triggers": {"run_end": {"commands": [{"ref": "audit"}],
        "failure_mode": "abort",
                                                 "code_review": {"enabled": True,
                                                     "finding_threshold": "P1"}}},
             "commands": {"audit": ["make", "audit"]}}  # fmt: skip
    loose = {
        "run_end": {
            "fire_on": "failure",
            "commands": [{"ref": "test"}],
            "code_review": {"enabled": False, "finding_threshold": "none"},
        }
    }
    raised, keys = apply_floor(
        config({"validation_triggers": loose, "commands": {"audit": ["true"]}}),
        config(floor),
        floor,
    )
    end = raised.validation_triggers.run_end
    assert end and end.code_review and keys == ("commands", "validation_triggers")
    assert [command.ref for command in end.commands] == ["audit", "test"] and raised.commands == {
        "audit": ("make", "audit")
    }
    assert (
        end.failure_mode,
        end.fire_on,
        end.code_review.enabled,
        end.code_review.finding_threshold,
    ) == ("abort", "both", True, "P1")
    strict = {
        "run_end": {
            "code_review": {"enabled": True, "finding_threshold": "P3", "failure_mode": "abort"}
        },
        "session_end": {},
    }
    raised, _keys = apply_floor(config({"validation_triggers": strict}), config(floor), floor)
    end = raised.validation_triggers.run_end
    assert (
        end
        and end.code_review
        and (end.code_review.finding_threshold, end.code_review.failure_mode) == ("P3", "abort")
    )
    assert raised.validation_triggers.session_end == SessionEnd()
    assert apply_floor(config({"validation_triggers": strict}), Config(), {}) == (
        config({"validation_triggers": strict}),
        (),
    )


@pytest.mark.req("R000-138", "R000-139")
def test_what_is_over_a_threshold() -> None:
    """By severity alone, wherever it is; what only a person can judge fails no run."""
    for at, finding in enumerate(
        Finding(each, "quality", "r", "a", 1, 1, "t", "b") for each in Priority
    ):
        assert [reaches_threshold([finding], f"P{least}") for least in range(4)] == [
            at <= least for least in range(4)
        ]
        assert not reaches_threshold([finding], "none")
        assert not reaches_threshold([replace(finding, confidence=Confidence.LOW)], "P3")
        assert reaches_threshold([replace(finding, confidence=Confidence.LOW), finding], "P3")
