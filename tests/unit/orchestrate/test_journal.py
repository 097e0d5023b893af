"""A file of records that many processes add to."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reviewgate_gh.orchestrate.events import append_record, read_records
from tests.support import ROOT


def test_a_line_that_was_cut_off_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep/events.jsonl"
    append_record(path, '{"n": 1}')
    with path.open("ab") as file:
        file.write(b'{"n": 2, "cu')
    append_record(path, '{"n": 3}')
    with path.open("ab") as file:
        file.write(b"[4]\n\xff\n" + b"[" * 100_000 + b"\n")
    assert read_records(path) == [{"n": 1}, {"n": 3}] and read_records(tmp_path / "none") == []


def test_a_long_file_gives_way_and_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"n": 1}\n' + "x" * 5_000_001 + "\n")
    append_record(path, '{"n": 2}')
    assert path.read_text() == '{"n": 2}\n' and read_records(path) == [{"n": 1}, {"n": 2}]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        append_record(tmp_path / "file/events.jsonl", "{}")


WORKER = """
import sys
from pathlib import Path
from reviewgate_gh.orchestrate.events import append_record
for number in range(100):
    record = '{"of": %s, "n": %d, "text": "%s"}' % (sys.argv[1], number, "x" * 500)
    append_record(Path("events.jsonl"), record)
"""


@pytest.mark.contract(plain=False)
def test_many_at_once_tear_no_line(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    many = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(each)], cwd=tmp_path, env=env)
        for each in range(10)
    ]
    assert [process.wait(timeout=200) for process in many] == [0] * 10
    found = read_records(tmp_path / "events.jsonl")
    assert len(found) == 1000 == len((tmp_path / "events.jsonl").read_text().splitlines())
    assert sorted((row["of"], row["n"]) for row in found) == [
        (of, n) for of in range(10) for n in range(100)
    ]
    assert json.loads((tmp_path / "events.jsonl").read_text().splitlines()[-1])


def test_while_another_one_writes_its_line_this_one_waits(tmp_path: Path) -> None:
    """Half a line of one that is still at work is no line that was cut off."""
    path = tmp_path / "events.jsonl"
    with path.open("ab", buffering=0) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write(b'{"n": 1, ')
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        late = subprocess.Popen(
            [sys.executable, "-c", ONE], cwd=tmp_path, env=env, stdout=subprocess.PIPE
        )
        assert late.stdout
        assert late.stdout.readline() == b"ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            late.wait(0.5)
        other.write(b'"by": "the first"}\n')
    assert late.wait(60) == 0
    assert read_records(path) == [{"n": 1, "by": "the first"}, {"n": 2}]


ONE = """
from pathlib import Path
from reviewgate_gh.orchestrate.events import append_record
print("ready", flush=True)
append_record(Path("events.jsonl"), '{"n": 2}')
"""
