"""Linters that a project configures, by the files that say so."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from ...support import Repo
from ..on_path import SAMPLES, calls, configs, put


def _parts(repo: Repo, path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The report, and its reviews by linter."""
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    assert done.stdout.startswith("{"), done.output
    report = json.loads(done.stdout)
    return report, {row["part"]: row for row in report["reviews"] if row["reviewer"] == "linters"}


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize(
    ("config", "runs"),
    [
        ("[*]\nindent_size = 2\n", False),
        ("[*.kt]\nktlint_code_style = intellij_idea\n", True),
        ("[*.kt]\nindent_size = 2\n  ktlint_standard = disabled\n", True),
    ],
)
def test_an_editorconfig_is_ktlints_where_it_says_so(
    repo: Repo, tmp_path: Path, config: str, runs: bool
) -> None:
    repo.commit({".editorconfig": config}, "config")
    repo.commit({"a.kt": "fun f(a:Int) {}\n"})
    _report, parts = _parts(repo, put(tmp_path / "bin", ["ktlint"]))
    assert ("ktlint" in parts) is runs
    assert not runs or parts["ktlint"]["status"] == "ok", parts


@pytest.mark.contract(plain=False)
def test_settings_of_html_validate_that_name_code_give_way_to_ours(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit({".htmlvalidate.json": '{"plugins": ["./p.js"]}\n'}, "config", approve=False)
    repo.commit({"a.html": "<p>Words.</p>\n"}, approve=False)
    folder = tmp_path / "bin"
    body = f"ls -A > {tmp_path}/seen; echo '[]'"
    _report, parts = _parts(repo, put(folder, ["html_validate"], body))
    assert (parts["html_validate"]["status"], parts["html_validate"]["covered"]) == ("ok", 1)
    assert (tmp_path / "seen").read_text().split() == ["a.html"]
    assert "html-validate-defaults.json" in " ".join(calls(folder, "html_validate")[0])


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize(
    ("linter", "config", "path"),
    [
        ("phpstan", "phpstan.neon", "a.php"),
        ("stylelint", ".stylelintrc.json", "a.css"),
    ],
)
def test_what_runs_the_projects_code_waits_for_approval(
    repo: Repo, tmp_path: Path, linter: str, config: str, path: str
) -> None:
    repo.commit({config: "{}\n", "b.txt": "x\n"}, "config", approve=False)
    repo.commit({path: "a { color: #ggg }\n"}, approve=False)
    folder = tmp_path / "bin"
    _report, parts = _parts(repo, put(folder, [linter]))
    assert parts[linter]["status"] == "skipped" and calls(folder, linter) == []


@pytest.mark.contract(plain=False)
def test_what_composer_installed_in_the_project_is_found(repo: Repo, tmp_path: Path) -> None:
    config = {
        ".reviewgate-gh.yaml": "linters: {phpstan: {enabled: true}}\n",
        ".gitignore": "vendor\n",
        "phpstan.neon": "parameters: {}\n",
    }
    repo.commit(config, "config")
    repo.trust()
    repo.commit({"a.php": "<?php f(;\n"})
    put(tmp_path / "bin", ["phpstan"])
    (repo.path / "vendor/bin").mkdir(parents=True)
    shutil.copy(tmp_path / "bin/phpstan", repo.path / "vendor/bin/phpstan")
    report, parts = _parts(repo, os.environ["PATH"])
    assert parts["phpstan"]["status"] == "ok", parts
    assert "phpstan/function.notFound" in {each["rule"] for each in report["findings"]}


@pytest.mark.contract(plain=False)
def test_a_checkstyle_configuration_that_it_cannot_load_gives_way_to_ours(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit({"checkstyle.xml": "<module>${x}</module>\n"}, "config")
    repo.commit({"A.java": "class A {}\n"})
    folder = tmp_path / "bin"
    body = (
        "case $* in *checkstyle-defaults*)\n"
        "echo '<checkstyle><file name=\"A.java\"/></checkstyle>';;\n"
        "*) echo 'x.CheckstyleException: Property ${x} has not been set' >&2; exit 254;; esac"
    )
    report, parts = _parts(repo, put(folder, ["checkstyle"], body))
    assert parts["checkstyle"]["status"] == "ok", parts
    notes = json.dumps(report)
    assert "read with the gate's own settings: exit code 254: x.CheckstyleException" in notes


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("installed", [False, True])
def test_a_name_that_phpstan_misses_refuses_nothing_before_packages_are_installed(
    repo: Repo, tmp_path: Path, installed: bool
) -> None:
    config = {
        ".reviewgate-gh.yaml": "linters: {phpstan: {enabled: true}}\n",
        ".gitignore": "vendor\n",
        "composer.json": '{"require": {"x/y": "^1"}}\n',
        **configs("phpstan"),
    }
    repo.commit(config, "config")
    repo.trust()
    repo.commit({"a.php": "<?php f();\n"})
    if installed:
        repo.write({"vendor/autoload.php": "<?php\n"})
    said = SAMPLES["phpstan"].text.replace(
        "x.example", "phpstan.org/user-guide/discovering-symbols"
    )
    (tmp_path / "answer").write_text(said)
    body = f'echo " 1/1 [=]" >&2; sed "s|@HERE@|$PWD|" {tmp_path}/answer; exit 1'
    report, parts = _parts(repo, put(tmp_path / "bin", ["phpstan"], body))
    assert parts["phpstan"]["status"] == "ok", parts
    rules = {each["rule"] for each in report["findings"]}
    assert ("phpstan/function.notFound" in rules) is installed, report["findings"]
    assert ("run `composer install`" in json.dumps(report)) is not installed
