"""What passes between a step and GitHub's runner, read back as the runner reads it."""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewgate_gh.github.runner import (
    StepLog,
    add_summary,
    event_payload,
    read_flag,
    read_input,
    set_output,
    temporary_path,
    workspace_path,
)
from reviewgate_gh.model.errors import UsageError
from reviewgate_gh.system.environment import Environment

SUMMARY_LIMIT = 1024 * 1024


def environment(cwd: Path, **env: object) -> Environment:
    """Surroundings with nothing but these variables."""
    return Environment({name: str(value) for name, value in env.items()}, cwd)


def read_outputs(text: str) -> dict[str, str]:
    """The key and value pairs of a GITHUB_OUTPUT file, by the runner's rules: NAME=VALUE, or
    NAME<<END up to the line END."""
    found: dict[str, str] = {}
    lines = iter(re.split(r"\r?\n", text))
    for line in lines:
        if not line:
            continue
        heredoc = line.find("<<")
        if heredoc >= 0 and not 0 <= line.find("=") < heredoc:
            name, end, value = line[:heredoc], line[heredoc + 2 :], []
            for inner in lines:
                if inner == end:
                    break
                value.append(inner)
            else:
                raise AssertionError(f"no end of {name}")
            found[name] = "\n".join(value)
        else:
            assert "=" in line, f"neither form: {line!r}"
            name, _, found[name] = line.partition("=")
    return found


def outputs(folder: Path, values: dict[str, str]) -> dict[str, str]:
    """What the runner makes of `set_output`."""
    file = folder / "output"
    file.unlink(missing_ok=True)
    set_output(environment(folder, GITHUB_OUTPUT=file), values)
    return read_outputs(file.read_bytes().decode())


TRICKS = [
    "x\nGITHUB_TOKEN=stolen", "x\nPATH<<E\n/evil\nE", "<<", "a<<b", "a=b", "\n", "\nverdict=pass\n",
    "EOF\nverdict=pass", "$(touch x)",
    ("reviewgate_0\nverdict=pass\n"
    "reviewgate_0"), f"reviewgate_{'0' * 32}\nverdict=pass", "ünï", "🙂", "",
]  # fmt: skip


@pytest.mark.parametrize("value", TRICKS, ids=repr)
def test_a_value_sets_its_own_name_alone(tmp_path: Path, value: str) -> None:
    given_values = {"verdict": "block", "json": value, "sarif": "/tmp/x"}
    assert outputs(tmp_path, given_values) == given_values


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(alphabet="a=<\n_E0123 \t", max_size=30), min_size=1, max_size=3))
def test_any_value_comes_back_whole(tmp_path: Path, values: list[str]) -> None:
    named = {f"name-{number}": value for number, value in enumerate(values)}
    assert outputs(tmp_path, named) == named


def test_the_end_of_a_value_cannot_be_guessed(tmp_path: Path) -> None:
    ends = set()
    for number in range(20):
        file = tmp_path / str(number)
        set_output(environment(tmp_path, GITHUB_OUTPUT=file), {"a": "1", "b": "2"})
        ends |= set(re.findall(r"<<(\S{32,})\n", file.read_text()))
    assert len(ends) == 40


def test_earlier_outputs_stay_and_bytes_of_no_encoding_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "output"
    file.write_text("earlier=1\n")
    set_output(environment(tmp_path, GITHUB_OUTPUT=file), {"json": os.fsdecode(b"raw-\xff")})
    assert read_outputs(file.read_text()) == {"earlier": "1", "json": r"raw-\udcff"}


def test_outside_a_workflow_nothing_is_written(tmp_path: Path) -> None:
    set_output(environment(tmp_path), {"a": "1"})
    add_summary(environment(tmp_path), "text")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write GITHUB_OUTPUT"):
        set_output(environment(tmp_path, GITHUB_OUTPUT=tmp_path), {"a": "1"})
    with pytest.raises(UsageError, match="cannot write GITHUB_STEP_SUMMARY"):
        add_summary(environment(tmp_path, GITHUB_STEP_SUMMARY=tmp_path / "no/such/folder"), "text")


def test_the_summary_stays_below_githubs_limit(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    add_summary(environment(tmp_path, GITHUB_STEP_SUMMARY=file), "first\n")
    add_summary(environment(tmp_path, GITHUB_STEP_SUMMARY=file), "é" * SUMMARY_LIMIT)
    written = file.read_bytes()
    assert 900_000 < len(written) < SUMMARY_LIMIT
    assert set(written.decode()) == set("first\né")


def obeyed(text: str) -> list[str]:
    """The commands that the runner would obey, in both of its forms; only the right token ends its
    deafness."""
    found, token = [], ""
    for line in text.splitlines():
        command = re.match(r"\s*::([\w-]+)(?: [^:]*)?::(.*)|.*##\[([\w-]+)[^\]]*\](.*)", line)
        name = (command[1] or command[3]).lower() if command else ""
        if token:
            token = "" if name == token else token
        elif name == "stop-commands" and command:
            token = command[2]
        elif name:
            found.append(line)
    return found


COMMANDS = [
    "::error::x",
    "  ::add-mask::e",
    "::STOP-COMMANDS::x\n::x::\n::error::y",
    "a ##[error]x",
    "::stop-commands::\n::::\n::error::y",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_text_is_no_command_until_it_is_meant(text: str) -> None:
    log = StepLog()
    assert obeyed(text)
    assert obeyed(f"{log.stop}{text}\n") == []
    assert obeyed(f"{log.stop}{text}\n{log.with_commands('')}{text}\n") == []
    for ours in ("::notice::ours", "::notice::ours\n"):
        assert obeyed(f"{log.stop}{text}\n{log.with_commands(ours)}{text}\n") == ["::notice::ours"]


def test_each_run_has_a_token_of_its_own() -> None:
    stops = {StepLog().stop for _ in range(20)}
    assert len(stops) == 20 and all(
        re.fullmatch(r"::stop-commands::[0-9a-f]{32}\n", stop) for stop in stops
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b"\xff\xfe{}",
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b'{"a": 1' + b"0" * 5000 + b"}x",
    ],
    ids=[
        "empty",
        "cut",
        "list",
        "text",
        "null",
        "encoding",
        "deep list",
        "deep object",
        "trailing",
    ],
)
def test_a_damaged_event_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "event.json").write_bytes(content)
    with pytest.raises(UsageError, match="names no readable event"):
        event_payload(environment(tmp_path, GITHUB_EVENT_PATH=tmp_path / "event.json"))


@pytest.mark.parametrize("path", ["", "/no/such/file", "/", "/dev/null", "/dev/zero"])
def test_no_event_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageError, match="names no readable event"):
        event_payload(environment(tmp_path, GITHUB_EVENT_PATH=path))


def test_a_huge_event_is_refused_and_a_large_one_is_read(tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps({"a": "x" * 20_000_000}))
    assert len(event_payload(environment(tmp_path, GITHUB_EVENT_PATH=file))["a"]) == 20_000_000
    file.write_text(json.dumps({"a": "x" * 31_000_000}))
    with pytest.raises(UsageError, match="names no readable event"):
        event_payload(environment(tmp_path, GITHUB_EVENT_PATH=file))


def test_inputs(tmp_path: Path) -> None:
    given_inputs = {"FAIL_ON": " never ", "TRUSTED": "True", "I_UNDERSTAND": "yes"}
    here = environment(
        tmp_path, **{f"REVIEWGATE_GH_INPUT_{name}": value for name, value in given_inputs.items()}
    )
    assert read_input(here, "fail-on") == "never" and read_input(here, "base") == ""
    assert read_flag(here, "trusted") and not read_flag(here, "other")
    with pytest.raises(UsageError, match="the input i-understand must be true or false, not 'yes'"):
        read_flag(here, "i-understand")


def test_where_reports_go(tmp_path: Path) -> None:
    here = environment(tmp_path / "work", RUNNER_TEMP=tmp_path / "temp")
    (tmp_path / "work").mkdir()
    assert temporary_path(here, "a.json") == tmp_path / "temp/a.json"
    assert workspace_path(here, "out/a.json") == tmp_path / "work/out/a.json"
    assert workspace_path(here, "../a.json") == tmp_path / "a.json"
    assert workspace_path(here, "/else/a.json") == Path("/else/a.json")


@pytest.mark.parametrize(
    "name", ["out/a.json", "out/deep/a.json", "link.json", "./out/../out/a.json"]
)
def test_a_link_of_the_checkout_leads_nowhere(tmp_path: Path, name: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "out").symlink_to(tmp_path)
    (work / "link.json").symlink_to("real.json")
    with pytest.raises(UsageError, match="a symbolic link in the checkout"):
        workspace_path(environment(work), name)


def test_a_link_above_the_checkout_is_the_machines_own(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert workspace_path(environment(tmp_path / "link"), "a.json") == tmp_path / "real/a.json"
