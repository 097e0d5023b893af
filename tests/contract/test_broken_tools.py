"""A tool whose output and exit code do not fit together, or that does not say its version, is a
broken one: never a clean review.

What the codes mean was looked up with the real tools; `tests/unit/reviewers/linters/test_exits.py`
holds it against them.
"""

import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.system import plugins

from ..e2e.on_path import ASIDE, FILES, configs
from ..e2e.on_path import SAMPLES as ON_PATH
from ..e2e.pushing import executable
from ..support import Repo
from .linter_samples import TOOLS

pytestmark = pytest.mark.slow
TELLING = {name for name, tool in TOOLS.items() if tool.found_exit != tool.clean_exit}
SILENT = {name for name, tool in TOOLS.items() if not tool.nothing}
NAMES = plugins.names("linters")
# What the program does when it is asked for a review, and which tools that breaks.
BREAKS = {
    "it found something and printed nothing": ("exit @FOUND_EXIT@", set(TOOLS)),
    "it found something and printed that it did not": ("@NOTHING@; exit @FOUND_EXIT@", TELLING),
    "it found nothing and printed findings": ("@FOUND@; exit @CLEAN_EXIT@", TELLING),
    "it crashed after some output": ("@FOUND@; exit 70", set(TOOLS)),
    "it was killed after some output": ("@FOUND@; kill -9 $$", set(TOOLS)),
    "it printed nothing where it always prints something": (
        "exit @CLEAN_EXIT@",
        set(TOOLS) - SILENT,
    ),
    "half of its output is there, and it says that all is well": (
        "@FOUND@ | head -c 60; exit @CLEAN_EXIT@",
        set(TOOLS),
    ),
    "half of its output is there, and it says that it found something": (
        "@FOUND@ | head -c 60; exit @FOUND_EXIT@",
        set(TOOLS),
    ),
    "another code than its own": ("@NOTHING@; exit 42", set(TOOLS)),
}
VERSIONS = {
    "its version fails": "exit 3",
    "its version is nothing": "exit 0",
    "its version is not a number": "echo the very best",
    "its version is that of what it was built with": "echo 'it was built with go1.26.8'",
    "its version never comes": "sleep 60",
    "its version says so and fails": "echo 1.2.3; exit 1",
}
every = pytest.mark.parametrize("name", TOOLS)


def test_every_linter_is_here() -> None:
    # Both are the program of `ast_grep` once more, which can be put there for one of them only
    assert sorted([*TOOLS, "defects", "rules"]) == NAMES


def put(folder: Path, body: str, version: str = "echo tool 9.8.7") -> str:
    """Every tool, with this body for a review; gives a PATH that starts with the folder."""
    for name, tool in TOOLS.items():
        found = tool.found if isinstance(tool.found, str) else json.dumps(tool.found)
        texts = {"FOUND": found, "NOTHING": tool.nothing}
        text = body.replace("@FOUND_EXIT@", str(tool.found_exit)).replace(
            "@CLEAN_EXIT@", str(tool.clean_exit)
        )
        for word, said in texts.items():
            said_file = folder / f"{name}.{word}"
            said_file.parent.mkdir(parents=True, exist_ok=True)
            said_file.write_text(f"{said}\n" if said else "")
            text = text.replace(f"@{word}@", f'sed "s|@HERE@|$PWD|" {said_file}')
        shows = f'case "$*" in *--show-files*) echo "$PWD/a.py"; exit {tool.clean_exit};; esac\n'
        side = "exec >&2\n" if getattr(plugins.load("linters", name), "STDERR", False) else ""
        side += f"printf %s {shlex.quote(ASIDE.get(name, ''))} >&2\n"
        executable(
            folder / tool.program,
            f"case $1 in --version|version|-version) {version}; exit;; esac\n{shows}{side}{text}",
        )
    return f"{folder}:/usr/bin:/bin"


@cache
def reviewed(
    folder: Path, body: str, version: str = "echo tool 9.8.7"
) -> tuple[int, dict[str, Any]]:
    """All of them over one change: the exit code and the report."""
    repo = Repo.init(folder / "repo")
    limit = "enabled: true, timeout: 1" if version.startswith("sleep") else "enabled: true"
    linters = "".join(f"  {name}: {{{limit}}}\n" for name in TOOLS)
    repo.commit(
        {
            **configs(*ON_PATH),
            ".reviewgate-gh.yaml": f"reviewers: {{builtin: off}}\nlinters:\n{linters}",
        },
        "config",
    )
    repo.commit({**FILES, "a.sh": "ls\n"})
    done = repo.cli(
        "review",
        "--commit",
        "HEAD",
        "--output",
        "json",
        env={"PATH": put(folder / "bin", body, version)},
    )
    assert done.stdout.startswith("{"), done.output
    return done.code, json.loads(done.stdout)


def row(report: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [row for row in report["reviews"] if row["part"] == name]
    return dict(found)


@every
@pytest.mark.parametrize(
    "how", ["@FOUND@; exit @FOUND_EXIT@", "@NOTHING@; exit @CLEAN_EXIT@"], ids=["found", "clean"]
)
def test_what_fits_together_is_an_answer(
    tmp_path_factory: pytest.TempPathFactory, name: str, how: str
) -> None:
    _code, report = reviewed(tmp_path_factory.getbasetemp() / f"fits-{'NOTHING' in how}", how)
    assert (row(report, name)["status"], row(report, name)["found"]) == (
        "ok",
        int("@FOUND@" in how),
    ), row(report, name)
    assert report["tools"][name] == "9.8.7"


@every
@pytest.mark.parametrize("how", BREAKS)
def test_what_does_not_fit_together_is_no_review(
    tmp_path_factory: pytest.TempPathFactory, name: str, how: str
) -> None:
    body, broken = BREAKS[how]
    _code, report = reviewed(tmp_path_factory.getbasetemp() / how.replace(" ", "-"), body)
    said = row(report, name)
    if name not in broken:
        assert said["status"] == "ok", said
        return
    assert said["status"] in ("failed", "unparsable") and said["error"], said
    assert any(name in reason for reason in report["verdict"]["reasons"]), report["verdict"]


@pytest.mark.parametrize(
    "how", [how for how, (_body, broken) in BREAKS.items() if broken == set(TOOLS)]
)
def test_where_all_break_the_verdict_is_inconclusive(
    tmp_path_factory: pytest.TempPathFactory, how: str
) -> None:
    code, report = reviewed(tmp_path_factory.getbasetemp() / how.replace(" ", "-"), BREAKS[how][0])
    outcome = report["verdict"]["outcome"]
    if any(found["priority"] in ("P0", "P1") for found in report["findings"]):
        assert (code, outcome) == (1, "block")
    else:
        assert (code, outcome) == (2, "inconclusive")


@every
@pytest.mark.parametrize(
    "how", [how for how, (body, _broken) in BREAKS.items() if body.startswith("@FOUND@;")]
)
def test_what_a_broken_tool_found_is_kept(
    tmp_path_factory: pytest.TempPathFactory, name: str, how: str
) -> None:
    _code, report = reviewed(tmp_path_factory.getbasetemp() / how.replace(" ", "-"), BREAKS[how][0])
    assert row(report, name)["found"] == 1, row(report, name)
    assert any(name.replace("_", "-") in found["sources"] for found in report["findings"]), report[
        "findings"
    ]


def test_what_a_tool_without_a_version_found_is_kept(tmp_path: Path) -> None:
    code, report = reviewed(tmp_path, "@FOUND@; exit @FOUND_EXIT@", "exit 3")
    assert code == 1 and row(report, "ruff")["status"] == "failed"
    assert {name for found in report["findings"] for name in found["sources"]} >= {
        "ruff",
        "shellcheck",
        "mypy",
    }


def test_the_lines_before_a_broken_one_are_kept(tmp_path: Path) -> None:
    _code, report = reviewed(tmp_path, "@FOUND@; echo '{\"code'; exit @FOUND_EXIT@")
    assert row(report, "ruff")["status"] == "unparsable"
    assert any("ruff" in found["sources"] for found in report["findings"])


@every
@pytest.mark.parametrize("how", VERSIONS)
def test_a_version_that_is_none_breaks_the_review(
    tmp_path_factory: pytest.TempPathFactory, name: str, how: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / how.replace(" ", "-")
    code, report = reviewed(folder, "@NOTHING@; exit @CLEAN_EXIT@", VERSIONS[how])
    assert (code, report["verdict"]["outcome"]) == (2, "inconclusive")
    assert row(report, name)["status"] == "failed" and "--version" in row(report, name)["error"], (
        row(report, name)
    )


@pytest.mark.parametrize("name", ["gitleaks", "actionlint", "golangci_lint"])
def test_a_build_without_a_number_says_so(tmp_path: Path, name: str) -> None:
    tool = plugins.load("linters", name)
    _code, report = reviewed(
        tmp_path, "@NOTHING@; exit @CLEAN_EXIT@", f"echo 'built with go1.26.8: {tool.UNNUMBERED}'"
    )
    assert (row(report, name)["status"], report["tools"][name]) == ("ok", "unnumbered build")
