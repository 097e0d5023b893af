"""Linters whose config is a program: they run for the user's own work alone, whoever wrote the
config; and no linter sees a secret."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.system import plugins

from ...github import pull_request, step
from ...support import Repo
from ..on_path import FILES, calls, config_of, put
from ..pushing import ENV, Pushing

RUNS_CODE = (
    "ansible_lint",
    "clippy",
    "dotnet_format",
    "eslint",
    "golangci_lint",
    "mypy",
    "phpstan",
    "stylelint",
)
NAMES = (
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "ANTHROPIC_API_KEY",
    "ACTIONS_RUNTIME_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "SOME_PASSWORD",
)
SECRETS = dict.fromkeys(NAMES, "canary-5f1c")
WHY = "it executes the project's own code, so it runs only on changes that you made or approved"
every = pytest.mark.parametrize("name", RUNS_CODE)


def test_these_are_the_tools_that_say_so() -> None:
    assert set(RUNS_CODE) == {
        name for name in plugins.names("linters") if plugins.load("linters", name).EXECUTES_CONFIG
    }


def project(folder: Path, *names: str) -> Repo:
    """A change to a project whose base configures these tools; real mypy, should it run, leaves
    `ran` behind."""
    repo = Repo.init(folder / "author", env=ENV)
    plugin = (
        f"open({str(folder / 'ran')!r}, 'w').close()\ndef plugin(version):\n"
        "    from mypy.plugin import Plugin\n    return Plugin\n"
    )
    repo.commit(
        {**config_of(*names), "mypy.ini": "[mypy]\nplugins = plug.py\n", "plug.py": plugin},
        "config",
    )
    repo.branch("topic")
    repo.commit(FILES)
    return repo


def row(report: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [row for row in report["reviews"] if row["part"] == name]
    return found


def answer(repo: Repo, path: str, *args: str, **env: str) -> dict[str, Any]:
    done = repo.cli(
        "review",
        "--range",
        "HEAD~..HEAD",
        "--output",
        "json",
        *args,
        env={"PATH": path, **SECRETS, **env},
    )
    assert done.stdout.startswith("{"), done.output
    return json.loads(done.stdout)


@every
def test_it_runs_on_the_users_own_change_and_sees_no_secret(tmp_path: Path, name: str) -> None:
    repo, path = project(tmp_path, name), put(tmp_path / "bin", [name])
    found = row(answer(repo, path), name)
    assert (found["status"], found["found"]) == ("ok", 1), found
    [call] = calls(tmp_path / "bin", name)
    assert call[0] == str(repo.path), "where the config is, with what it needs beside it"
    seen = (tmp_path / "bin" / f"{name}.env").read_text()
    assert (
        "HOME=" in seen and "canary" not in seen and not any(secret in seen for secret in SECRETS)
    )


def fetched(folder: Path, name: str, door: str) -> dict[str, Any]:
    """The report of a change that was only fetched, which is checked out and unchanged, as a tool
    that must be run in place needs it."""
    clone, path = project(folder, name).clone(folder / "clone"), put(folder / "bin", [name])
    clone = Repo(clone.path, {**ENV, "PATH": path, **SECRETS})
    base = clone.rev("HEAD~")
    if door == "action":
        return step(
            clone, "pull_request", pull_request(base, clone.head), folder / "runner"
        ).report()
    if door == "command":
        return answer(clone, path)
    clone.git("remote", "remove", "origin")
    it = Pushing(clone, clone.bare_remote(folder / "origin.git"))
    assert (
        clone.push("-q", "origin", f"{base}:refs/heads/main").code == 0
        and clone.cli("hook", "install").code == 0
    )
    clone.push("origin", "HEAD:refs/heads/topic")
    [report] = it.reports()
    return report


@every
@pytest.mark.parametrize("door", ["command", "action", "hook"])
def test_it_does_not_run_on_a_fetched_change_though_the_base_configures_it(
    tmp_path: Path, name: str, door: str
) -> None:
    report = fetched(tmp_path, name, door)
    assert not report["change"]["trusted"]
    found = row(report, name)
    assert found["status"] == "skipped" and found["error"].startswith(WHY) and not found["required"]
    assert calls(tmp_path / "bin", name) == [] and not (tmp_path / "ran").exists()


@every
def test_nor_in_ci_nor_where_the_work_tree_is_another_state(tmp_path: Path, name: str) -> None:
    repo, path = project(tmp_path, name), put(tmp_path / "bin", [name])
    assert row(answer(repo, path, CI="true"), name)["status"] == "skipped"
    repo.write({"a.txt": "not committed\n"})
    assert row(answer(repo, path), name)["status"] == "skipped"
    assert calls(tmp_path / "bin", name) == [] and not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["bandit", "gitleaks", "hadolint"])
def test_one_that_reads_fetched_changes_sees_no_secret(tmp_path: Path, name: str) -> None:
    found = row(fetched(tmp_path, name, "command"), name)
    assert (found["status"], found["found"]) == ("ok", 1), found
    seen = (tmp_path / "bin" / f"{name}.env").read_text()
    assert "HOME=" in seen and "canary" not in seen
    [call] = calls(tmp_path / "bin", name)
    assert not Path(call[0]).is_relative_to(tmp_path / "clone")


CONFIGS = {
    "plug-in": b'{"jsPlugins": ["data:text/javascript,0"]}',
    "escaped key": b'{"\\u006asPlugins": ["./evil.js"]}',
    "extends behind a comment": b'{"extends": [/* ] */ "./evil.json"]}',
    "extends twice": b'{"extends": [], "extends": ["./evil.json"]}',
    "extends from outside": b'{"extends": ["../clone/evil.json"]}',
    "overrides": b'{"overrides": [{"files": ["*"], "jsPlugins": ["./evil.js"]}]}',
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_settings_of_oxlint_that_load_code_are_approved_first(
    tmp_path: Path, config: bytes
) -> None:
    """They come from the trusted branch, which in a hostile clone is the stranger's."""
    repo = Repo.init(tmp_path / "author", env=ENV)
    repo.commit(
        {".oxlintrc.json": config, "evil.json": b'{"jsPlugins": ["./evil.js"]}'}, approve=False
    )
    repo.branch("topic")
    repo.commit({"a.js": "debugger;\n"}, approve=False)
    found = row(answer(repo, os.environ["PATH"]), "oxlint")
    assert found["status"] == "skipped" and "it would execute .oxlintrc.json" in found["error"], (
        found
    )
    assert "reviewgate-gh trust" in found["error"]
    assert ".oxlintrc.json" in repo.cli("trust", "--dry-run").stdout


def test_plain_settings_of_oxlint_need_no_approval(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "author", env=ENV)
    repo.commit(
        {
            ".oxlintrc.json": b'{"extends": ["./more.json"]}',
            "more.json": b'{"rules": {"no-debugger": "error"}}',
        },
        approve=False,
    )
    repo.branch("topic")
    repo.commit({"a.js": "debugger;\n"}, approve=False)
    found = row(answer(repo, os.environ["PATH"]), "oxlint")
    assert (found["status"], found["found"]) == ("ok", 1), found
