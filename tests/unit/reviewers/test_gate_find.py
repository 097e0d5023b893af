"""Where an external gate is looked for."""

import json
from pathlib import Path

import pytest

from reviewgate_gh.reviewers.gates.find import GateMissing, find_gate
from reviewgate_gh.system.environment import Environment


def program(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def registered(home: Path, plain: object) -> None:
    registry = home / ".claude/plugins/installed_plugins.json"
    registry.parent.mkdir(parents=True, exist_ok=True)
    registry.write_text(plain if isinstance(plain, str) else json.dumps(plain))


def found(home: Path, path: str = "", **env: str) -> Path:
    return find_gate(path, Environment({"HOME": str(home), **env}, home))


def test_it_is_the_first_that_may_be_run_of_those_that_the_registry_names(tmp_path):
    program(tmp_path / "old/bin/review-gate", 0o644)
    second = program(tmp_path / "new/bin/review-gate")
    entries = [
        {"installPath": str(tmp_path / name), "version": "1"} for name in ("gone", "old", "new")
    ]
    registered(
        tmp_path,
        {"version": 2, "plugins": {"other@x": [{"installPath": "/"}], "My-Cerberus@x": entries}},
    )
    assert found(tmp_path) == second
    registered(tmp_path, {"plugins": {"cerberus@cerberus": entries[2]}})
    assert found(tmp_path) == second


def test_without_the_registry_it_is_looked_for_where_plugins_are_kept(tmp_path):
    plugins = tmp_path / ".claude/plugins"
    program(plugins / "cache/cerberus/cerberus/1.2.0/bin/review-gate")
    newer = program(plugins / "cache/cerberus/cerberus/1.3.0/bin/review-gate")
    assert found(tmp_path) == newer
    market = program(plugins / "marketplaces/cerberus/bin/review-gate")
    assert found(tmp_path) == market


def test_another_folder_of_claude_code_and_another_home(tmp_path):
    there = program(tmp_path / "config/plugins/marketplaces/cerberus/bin/review-gate")
    assert found(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "config")) == there
    with pytest.raises(GateMissing, match="is not installed"):
        found(tmp_path / "elsewhere")


@pytest.mark.parametrize(
    "plain",
    [
        "",
        "{",
        "[]",
        "null",
        {"plugins": []},
        {"plugins": {"cerberus": "x"}},
        {"plugins": {"cerberus": [1, {}]}},
    ],
)
def test_a_registry_that_names_none(tmp_path, plain):
    registered(tmp_path, plain)
    with pytest.raises(
        GateMissing, match=r"is not installed: .*installed_plugins\.json lists no cerberus plug-in"
    ):
        found(tmp_path)


@pytest.mark.parametrize(("mode", "why"), [(None, "does not exist"), (0o644, "is not executable")])
def test_a_program_that_cannot_be_run(tmp_path, mode, why):
    if mode is not None:
        program(tmp_path / "plugin/bin/review-gate", mode)
    registered(
        tmp_path, {"plugins": {"cerberus@cerberus": [{"installPath": str(tmp_path / "plugin")}]}}
    )
    with pytest.raises(GateMissing, match=why):
        found(tmp_path)


def test_a_path_of_the_config(tmp_path):
    named = program(tmp_path / "bin/gate")
    assert found(tmp_path, str(named)) == found(tmp_path, "~/bin/gate") == named
    assert found(tmp_path, "gate", PATH=f".:{tmp_path}/none:{tmp_path}/bin") == named
    for wrong in ("~/gate", str(tmp_path), "nosuch"):
        with pytest.raises(GateMissing):
            found(tmp_path, wrong, PATH="/usr/bin")


def test_our_own_script_is_passed_over(tmp_path):
    own = program(tmp_path / "a/review-gate")
    own.write_text("#!/usr/bin/python\nfrom reviewgate_gh.commands._gate import main\n")
    other = program(tmp_path / "b/review-gate")
    assert found(tmp_path, "review-gate", PATH=f"{tmp_path}/a:{tmp_path}/b") == other
    with pytest.raises(GateMissing, match="reviewgate-gh's own script"):
        found(tmp_path, "review-gate", PATH=f"{tmp_path}/a")
