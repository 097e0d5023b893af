"""A linter that runs because it is installed: it reviews its language without a word in any
configuration, and where it breaks the review goes on without it, and says so."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ...support import Repo, peer
from ..on_path import calls, put
from ..pushing import executable


def reviewed(
    repo: Repo, folder: Path, body: str = "", config: str = ""
) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Exit code, verdict and hadolint's row for a Dockerfile that its stand-in complains about."""
    repo.commit({".reviewgate-gh.yaml": config} if config else {}, "config")
    repo.commit({"Dockerfile": "FROM debian\n"})
    path = put(folder, ["hadolint"], body)
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    assert done.stdout.startswith("{"), done.output
    report = json.loads(done.stdout)
    rows = [row for row in report["reviews"] if row["part"] == "hadolint"]
    return done.code, report, rows[0] if rows else {}


@pytest.mark.contract
def test_it_reviews_without_a_configuration(repo: Repo, tmp_path: Path) -> None:
    code, report, row = reviewed(repo, tmp_path / "bin")
    assert (code, row["status"], row["found"]) == (0, "ok", 1)
    (coverage,) = report["coverage"]["rows"]
    assert (coverage["how"], coverage["by"]) == ("reviewed", ["linters/hadolint"])
    assert report["tools"]["hadolint"] == "9.8.7"


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize("body", ["exit 70", "echo Fine!", "kill -9 $$", "exit 0"])
def test_one_that_breaks_makes_its_files_unreviewed(repo: Repo, tmp_path: Path, body: str) -> None:
    code, report, row = reviewed(repo, tmp_path / "bin", body)
    assert (code, report["verdict"]["outcome"]) == (0, "concerns")
    assert row["status"] == "skipped" and row["error"]
    (coverage,) = report["coverage"]["rows"]
    assert coverage["missing"] and row["error"] in coverage["why"]


@pytest.mark.contract(plain=False)
def test_one_that_the_user_wants_must_answer(repo: Repo, tmp_path: Path) -> None:
    config = "linters: {hadolint: {enabled: true}}\n"
    code, report, row = reviewed(repo, tmp_path / "bin", "exit 70", config)
    assert (code, report["verdict"]["outcome"], row["status"]) == (2, "inconclusive", "failed")


@pytest.mark.contract(plain=False)
def test_it_can_be_switched_off(repo: Repo, tmp_path: Path) -> None:
    config = "linters: {hadolint: {enabled: false}}\n"
    _code, report, row = reviewed(repo, tmp_path / "bin", config=config)
    assert not row and "is disabled" in report["coverage"]["rows"][0]["why"]


def test_what_is_not_installed_is_named_with_the_line_that_installs_it(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit({"Dockerfile": "FROM debian\n"})
    done = repo.cli("review", "--commit", "HEAD")
    assert "hadolint can read it: install it with `pip install 'reviewgate-gh[languages]'`;" in (
        done.output
    )


@pytest.mark.contract(plain=False)
def test_settings_that_could_run_code_give_way_to_ours(repo: Repo, tmp_path: Path) -> None:
    """A rubocop configuration is a program. It is not approved here, so nobody gives it to the
    tool."""
    repo.commit({".rubocop.yml": "<% system('touch ran') %>\n", "a.rb": "x = 1\n"}, approve=False)
    repo.commit({"a.rb": "x = 2\n"})
    path = put(tmp_path / "bin", ["rubocop"], f"ls -A > {tmp_path}/seen; echo '{{\"files\":[]}}'")
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    report = json.loads(done.stdout)
    (row,) = (row for row in report["reviews"] if row["part"] == "rubocop")
    assert (row["status"], row["covered"]) == ("ok", 1), row
    assert "rubocop: read with the gate's own settings: it " in done.stdout
    assert (tmp_path / "seen").read_text().split() == ["a.rb"]
    assert "rubocop-defaults.yml" in " ".join(calls(tmp_path / "bin", "rubocop")[0])


@pytest.mark.contract(plain=False)
def test_settings_for_another_version_give_way_to_ours(repo: Repo, tmp_path: Path) -> None:
    """Biome says so in words, where it was asked for JSON."""
    repo.commit(
        {"biome.json": '{"linter": {"rules": {"preset": "recommended"}}}', "a.css": "a {}\n"}
    )
    repo.commit({"a.css": "a { color: red }\n"})
    refuses = 'case "$*" in *--config-path*) ;; *) echo "x Biome exited"; exit 1;; esac'
    answer = '{"source":{"name":"Biome"},"diagnostics":[]}'
    path = put(tmp_path / "bin", ["biome"], f"{refuses}\necho '{answer}'")
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    (row,) = (row for row in json.loads(done.stdout)["reviews"] if row["part"] == "biome")
    assert row["status"] == "ok", row
    assert "biome: read with the gate's own settings: not biome's JSON" in done.stdout


@pytest.mark.contract(plain=False)
def test_a_change_to_such_settings_is_not_run_beside_them(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.rb": "x = 1\n"})
    repo.commit({".rubocop": "--require ./a\n", "a.rb": "x = 2\n"}, approve=False)
    path = put(tmp_path / "bin", ["rubocop"], f"ls -A > {tmp_path}/seen; echo '{{\"files\":[]}}'")
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    (row,) = (row for row in json.loads(done.stdout)["reviews"] if row["part"] == "rubocop")
    assert row["status"] == "ok" and (tmp_path / "seen").read_text().split() == ["a.rb"]


@pytest.mark.peer
@pytest.mark.parametrize(
    ("config", "found"),
    [
        ("{}", ["biome/noUnknownProperty"]),
        ('{"root": true}', ["biome/noUnknownProperty"]),
        ('// of the page {\n{"linter": {"enabled": false}}', []),
    ],
    ids=["empty", "said to be the root", "without rules"],
)
def test_a_configuration_of_a_folder_alone_holds_there(
    repo: Repo, config: str, found: list[str]
) -> None:
    repo.commit({"web/biome.jsonc": config, "web/old.css": "a {\n  color: red;\n}\n"}, "config")
    repo.commit({"web/page.css": "a {\n  colour: red;\n}\n"})
    path = f"{peer('venv/bin/biome').parent}:{os.environ['PATH']}"
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    report = json.loads(done.stdout)
    assert [row["status"] for row in report["reviews"] if row["part"] == "biome"] == ["ok"]
    assert [each["rule"] for each in report["findings"]] == found


_OLD_PHP = """case $1 in --version|-v) echo 'PHP 8.2.36 (cli)'; exit;; esac
for path; do :; done
echo; echo 'Parse error: syntax error, unexpected token ";", expecting "(" in '"$path on line 2"
echo "Errors parsing $path"; exit 255"""


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize(("required", "judges"), [("^8.3", False), ("^8.1", True)])
def test_a_php_older_than_the_project_requires_refuses_nothing_and_reviews_nothing(
    repo: Repo, tmp_path: Path, required: str, judges: bool
) -> None:
    repo.commit({"composer.json": json.dumps({"require": {"php": required}}) + "\n"}, "config")
    repo.commit({"a.php": "<?php\necho A::{$name};\n"})
    executable(tmp_path / "bin/php", _OLD_PHP)
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    report = json.loads(done.stdout)
    rules = {each["rule"]: each["priority"] for each in report["findings"]}
    assert rules == ({"php/syntax": "P0"} if judges else {}), report["findings"]
    assert report["verdict"]["outcome"] == ("block" if judges else "concerns")
    (row,) = report["coverage"]["rows"]
    assert row["missing"] and judges is ("php 8.2 is older than the 8.3" not in row["why"]), row
