"""A program's version: from npm's own note where the file is that package's command, else from the program."""

import json
import sys
from pathlib import Path

import pytest

from reviewgate_gh.reviewers._version import version


def package(folder: Path, command: object, name: str = "package.json") -> Path:
    """An npm package of version 1.2.3 whose program says 9.9.9; the way there is a link, as npm makes it."""
    program = folder / "lib/agent/bin/agent.js"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\nprint('agent 9.9.9')\n")
    program.chmod(0o755)
    (folder / "lib/agent" / name).write_text(json.dumps({"version": "1.2.3", "bin": command}))
    link = folder / "agent"
    link.symlink_to(program)
    return link


def said(program: Path) -> str:
    return version((str(program), "--version"), "/usr/bin:/bin").result()


@pytest.mark.parametrize("command", ["bin/agent.js", "./bin/agent.js", {"agent": "bin/agent.js"}, {"a": "x.js", "b": "bin/agent.js"}])
def test_npm_knows_it(command: object, tmp_path: Path) -> None:
    assert said(package(tmp_path, command)) == "1.2.3"


@pytest.mark.parametrize("command", ["bin/other.js", {}, [], None, 3, {"agent": "agent.js"}])
def test_a_package_around_it_is_not_its_own(command: object, tmp_path: Path) -> None:
    assert said(package(tmp_path, command)) == "9.9.9"


@pytest.mark.parametrize(("words", "number"), [("x 1.2.3-beta (fake)", "1.2.3-beta"), ("none", ""), ("\x1b[2J", "")])
def test_else_the_program_says_it(words: str, number: str, tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text(f"#!/bin/sh\nprintf '%s' '{words}'\n")
    program.chmod(0o755)
    assert said(program) == number
    assert version((str(tmp_path / "gone"), "--version"), "/bin").result() == ""
