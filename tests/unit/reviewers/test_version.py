"""A program's version: from npm's own note where the file is that package's command, else from the
program."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewgate_gh.reviewers._program import program_version
from tests.agents import Fake


def package(folder: Path, command: object, name: str = "package.json") -> Path:
    """An npm package of version 1.2.3 whose program says 9.9.9; the way there is a link, as npm
    makes it."""
    return packed(folder, json.dumps({"version": "1.2.3", "bin": command}).encode(), name)


def packed(folder: Path, content: bytes, name: str = "package.json") -> Path:
    program = folder / "lib/agent/bin/agent.js"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\nprint('agent 9.9.9')\n")
    program.chmod(0o755)
    (folder / "lib/agent" / name).write_bytes(content)
    link = folder / "agent"
    link.symlink_to(program)
    return link


def said(program: Path) -> str:
    found = program_version((str(program), "--version"), "/usr/bin:/bin").result()
    assert bool(found.number) is not bool(found.error)
    return found.number


@pytest.mark.parametrize(
    "command",
    [
        "bin/agent.js",
        "./bin/agent.js",
        {"agent": "bin/agent.js"},
        {"a": "x.js", "b": "bin/agent.js"},
    ],
)
def test_npm_knows_it(command: object, tmp_path: Path) -> None:
    assert said(package(tmp_path, command)) == "1.2.3"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "bin/other.js",
            {},
            [],
            None,
            3,
            {"agent": "agent.js"},
            ["bin/agent.js"],
            True,
            "",
            "\0",
            "\ud800",
            {"agent": None},
        ),
        *(
            {"agent": ["bin/agent.js"]},
            {"agent": {"agent": "bin/agent.js"}},
            {"agent": "\0"},
            "x" * 100_000,
            "loop",
            "../" * 9000,
        ),
    ],
    ids=lambda command: ascii(command)[:40],
)
def test_a_package_around_it_is_not_its_own(command: object, tmp_path: Path) -> None:
    program = package(tmp_path, command)
    (tmp_path / "lib/agent/loop").symlink_to("loop")
    assert said(program) == "9.9.9"


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"",
            b"{",
            b"null",
            b"3",
            b'"x"',
            b"[]",
            b"{}",
            b'[{"bin": "bin/agent.js", "version": "1.2.3"}]',
            b"\xff\xfe{",
            b"\0",
        ),
        *(
            b"[" * 100_000,
            b'{"bin": "bin/agent.js"}',
            b'{"bin": "bin/agent.js", "version": 3}',
            b'{"version": "1.2.3"}',
            b" " * 2_000_000,
        ),
        *(
            b'{"bin": "bin/agent.js", "version": ""}',
            b'{"bin": "bin/agent.js", "version": {}}',
            b'{"bin": 1e999, "version": "1.2.3"}',
        ),
    ],
    ids=lambda content: ascii(content[:30]),
)
def test_a_file_that_is_no_package_is_passed_over(content: bytes, tmp_path: Path) -> None:
    assert said(packed(tmp_path, content)) == "9.9.9"


def _loop(file: Path) -> None:
    file.symlink_to(file.name)


@pytest.mark.parametrize(
    "make",
    [
        Path.mkdir,
        os.mkfifo,
        _loop,
        lambda file: file.symlink_to("/dev/zero"),
        lambda file: file.symlink_to("gone"),
    ],
)
@pytest.mark.parametrize("place", ["lib/agent", "lib/agent/bin", "lib", "."])
def test_whatever_lies_there_in_its_place_is_passed_over(
    make: Callable[[Path], object], place: str, tmp_path: Path
) -> None:
    program = packed(tmp_path, b"", "other.json")
    make(tmp_path / place / "package.json")
    assert said(program) == "9.9.9"


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("x 1.2.3-beta (fake)", "1.2.3-beta"),
        ("v1.2", "1.2"),
        ("x-1.2.3", "1.2.3"),
        ("none", ""),
        ("\x1b[2J", ""),
        ("with go1.26.8", ""),
    ],
)
def test_else_the_program_says_it(words: str, number: str, tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text(f"#!/bin/sh\nprintf '%s' '{words}'\n")
    program.chmod(0o755)
    assert said(program) == number


def test_one_that_is_gone_says_so() -> None:
    assert "No such file" in program_version(("/nowhere/gone", "--version"), "/bin").result().error


@pytest.mark.contract(plain=["sys.exit(3)-claude", "sys.exit(3)-codex"])
@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "qwen"])
@pytest.mark.parametrize(
    "how", ["sys.exit(3)", "print('none')", "pass", "print('1.2.3'); sys.exit(1)"]
)
def test_an_agent_that_does_not_say_it_gives_no_answer(name: str, how: str, tmp_path: Path) -> None:
    fake = Fake.make(name, tmp_path)
    program = tmp_path / "bin" / name
    assert fake.ask().version == "9.8.7"
    other = Fake.make(name, tmp_path / "other")
    program = tmp_path / "other/bin" / name
    program.write_text(program.read_text().replace('print("9.8.7 (a fake)")', how))
    reply = other.ask()
    assert (reply.status.value, reply.text, reply.version) == (
        "failed",
        "",
        "",
    ) and "--version" in reply.error, reply
