"""shfmt, sqruff, taplo and yamllint in whole reviews: under the project's settings, and what those
must not do."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ...support import Repo, peer

pytestmark = [pytest.mark.peer, pytest.mark.slow]


def reviewed(
    repo: Repo, env: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The report of the last commit, and its rows by tool."""
    path = f"{peer('venv/bin/sqruff').parent}:{os.environ['PATH']}"
    done = repo.cli(
        "review", "--commit", "HEAD", "--output", "json", env={"PATH": path, **(env or {})}
    )
    assert done.stdout.startswith("{"), done.output
    report = json.loads(done.stdout)
    return report, {row["part"]: row for row in report["reviews"]}


def heard(report: dict[str, Any], tool: str) -> list[tuple[str, str, str]]:
    return sorted(
        (f["path"], f["rule"], f["priority"])
        for f in report["findings"]
        if tool in f["sources"] and f["state"] != "duplicate"
    )


def test_without_settings_shfmt_alone_runs(repo: Repo) -> None:
    repo.commit({".editorconfig": "[*]\nindent_style = space\n", ".sqlfluff": "[sqlfluff]\n"})
    repo.commit(
        {
            "a.bats": "@test 'x' {\n  run ls\n",
            "b.bats": "@test 'x' {\n     run   ls\n}\n",
            "a.sql": "select  a from b where a = null;\n",
            "a.toml": "a   =   1\n",
            "a.yml": "a:   1\n",
        }
    )
    report, rows = reviewed(repo)
    assert rows.keys().isdisjoint({"sqruff", "taplo", "yamllint"})
    assert heard(report, "shfmt") == [("a.bats", "shfmt/syntax", "P0")]
    assert rows["shfmt"]["status"] == "ok"


def test_settings_hold_with_the_files_that_they_name(repo: Repo) -> None:
    repo.commit(
        {
            ".yamllint": "extends: lint/base.yaml\nignore-from-file: .yamlignore\n",
            "lint/base.yaml": "rules: {colons: enable, key-duplicates: enable}\n",
            ".yamlignore": "vendor.yml\n",
            ".editorconfig": "[*.sh]\nindent_style = space\nbinary_next_line = true\n",
            ".sqruff": "[sqruff]\ndialect = postgres\n",
            ".sqruffignore": "vendor.sql\n",
            ".taplo.toml": "[formatting]\nindent_tables = true\n",
        },
        "config",
    )
    repo.commit(
        {
            "a.yml": "a:   1\nb: 1\nb: 2\n",
            "vendor.yml": "a:   1\n",
            "a.sh": "#!/bin/sh\nls   -l\n",
            "a.sql": "SELECT a FROM b WHERE a = NULL;\n",
            "vendor.sql": "SELECT a FROM b WHERE a = NULL;\n",
            "a.toml": "a   =   1\n",
        }
    )
    report, rows = reviewed(repo)
    assert {rows[name]["status"] for name in ("shfmt", "sqruff", "taplo", "yamllint")} == {"ok"}
    assert heard(report, "yamllint") == [
        ("a.yml", "builtin/yaml-duplicate-key", "P2"),
        ("a.yml", "yamllint/colons", "P3"),
    ]
    assert heard(report, "shfmt") == [("a.sh", "shfmt/format", "P3")]
    assert heard(report, "sqruff") == [("a.sql", "sqruff/CV05", "P2")]
    assert heard(report, "taplo") == [("a.toml", "taplo/format", "P3")]
    ways = {row["path"]: row["how"] for row in report["coverage"]["rows"]}
    assert (ways["a.sql"], ways["vendor.sql"]) == ("reviewed", "scanned")


def test_settings_of_sqlfluff_in_the_work_tree_are_not_taken(repo: Repo) -> None:
    """They may name modules to load, and are another program's."""
    repo.commit(
        {
            ".reviewgate-gh.yaml": "linters: {sqruff: {enabled: true}}\n",
            ".sqlfluff": "[sqlfluff]\ndialect = none-such\n",
        },
        "config",
    )
    repo.commit({"a.sql": "SELECT a FROM b WHERE a = NULL;\n"})
    repo.trust("--change", "HEAD")  # so that it may read the work tree
    report, rows = reviewed(repo)
    assert rows["sqruff"]["status"] == "ok", rows["sqruff"]
    assert heard(report, "sqruff") == [("a.sql", "sqruff/CV05", "P2")]


def test_settings_of_templates_are_approved_first(repo: Repo) -> None:
    repo.commit({".sqruff": "[sqruff]\ntemplater = jinja\n"}, "config", approve=False)
    repo.commit({"a.sql": "SELECT 1;\n"}, approve=False)
    _report, rows = reviewed(repo)
    assert rows["sqruff"]["status"] == "skipped" and ".sqruff" in rows["sqruff"]["error"]


@pytest.mark.parametrize(
    ("settings", "files", "name", "why"),
    [
        ({".yamllint": "extends: default\n"}, {"a.yml": b"a: \xff\n"}, "yamllint", "UnicodeDecode"),
        ({".sqruff": "[sqruff]\nrules = XX99\n"}, {"a.sql": "SELECT 1;\n"}, "sqruff", "Unknown"),
        ({".taplo.toml": "[formatting\n"}, {"a.toml": "a = 1\n"}, "taplo", "invalid configuration"),
    ],
    ids=["yamllint", "sqruff", "taplo"],
)
def test_one_that_comes_to_no_end_is_no_clean_review(
    repo: Repo, settings: dict[str, str], files: dict[str, str | bytes], name: str, why: str
) -> None:
    repo.commit(settings, "config")
    repo.commit(files)
    _report, rows = reviewed(repo)
    assert rows[name]["status"] in ("failed", "unparsable") and why in rows[name]["error"]


def test_sqruff_takes_no_settings_of_this_machine(repo: Repo, tmp_path: Path) -> None:
    """It mixes those of the home, and of the folders above, with the project's."""
    none = "[sqruff]\nrules = LT01\nexclude_rules = CV05\n"
    (repo.path.parent / ".sqruff").write_text(none)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".sqruff").write_text(none)
    repo.commit({".sqruff": "[sqruff]\ndialect = postgres\n"}, "config")
    repo.commit({"a.sql": "SELECT a FROM b WHERE a = NULL;\n"})
    for more in ({}, {"CI": "true"}):
        report, _rows = reviewed(repo, {"HOME": str(home), **more})
        assert ("a.sql", "sqruff/CV05", "P2") in heard(report, "sqruff")
