"""How many broken callers are found, and how many ordinary commits alarmed: printed, not asserted.

`REVIEWGATE_GH_DATA` names the folder with missed-caller-dev.jsonl, `REVIEWGATE_GH_MIRRORS` one with
bare repositories (OWNER+NAME/repo). A case is a commit that repairs a use of what it changes,
without that repair.
"""

import json
import os
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.model.review import Review
from tests.unit.reviewers.python.asking import review_change

pytestmark = pytest.mark.bench
MIRRORS = Path(os.environ.get("REVIEWGATE_GH_MIRRORS", "/nonexistent"))
COMMITS = int(os.environ.get("REVIEWGATE_GH_COMMITS", "20"))  # of each repository
WHO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))
}


def git(place: Path, *args: str, **more: str) -> str:
    env = {**os.environ, **WHO, **more}
    done = subprocess.run(
        ["git", "--git-dir", place, *args], check=True, capture_output=True, text=True, env=env
    )
    return done.stdout.strip()


def borrowed(mirror: Path, folder: Path) -> Path:
    """A repository of our own that has the mirror's objects."""
    if not folder.exists():
        subprocess.run(["git", "clone", "-q", "--bare", "--shared", mirror, folder], check=True)
    return folder


def faulty(place: Path, case: Mapping[str, Any]) -> str:
    """The commit without its edit of the file that uses the definition."""
    index = {"GIT_INDEX_FILE": str(place / "case-index")}
    left_out = case["left_out"]
    mode, _kind, blob = git(place, "ls-tree", case["base"], "--", left_out).split()[:3]
    git(place, "read-tree", case["commit"], **index)
    git(place, "update-index", "--add", "--cacheinfo", f"{mode},{blob},{left_out}", **index)
    tree = git(place, "write-tree", "--missing-ok", **index)
    return git(place, "commit-tree", tree, "-p", case["base"], "-m", "change")


def cases(data: Path) -> Iterator[Mapping[str, Any]]:
    for line in (data / "missed-caller-dev.jsonl").read_text().splitlines():
        case = json.loads(line)
        if case["language"] == "python" and mirror(case["repo"]).exists():
            yield case


def mirror(name: str) -> Path:
    return MIRRORS / name.replace("/", "+") / "repo"


def places(review: Review | None) -> set[str]:
    return {
        f"{found.path}:{line}"
        for found in (review.findings if review else ())
        for line in range(found.line_start, found.line_end + 1)
    }


def test_broken_callers(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")  # without its cache
    found, seconds = defaultdict[str, list[bool]](list), list[float]()
    for case in cases(data):
        place = borrowed(mirror(case["repo"]), tmp_path / case["repo"].replace("/", "+"))
        head, began = faulty(place, case), time.perf_counter()
        said = places(review_change(place, case["base"], head))
        seconds.append(time.perf_counter() - began)
        found[case["kind"]].append(not said.isdisjoint({*case["stale"], *case["also_stale"]}))
    if not seconds:
        pytest.skip("REVIEWGATE_GH_MIRRORS names no folder with these repositories")
    with capsys.disabled():
        print()
        for kind, hits in [
            *found.items(),
            ("all", [hit for each in found.values() for hit in each]),
        ]:
            print(f"{kind:16} {sum(hits):3} of {len(hits):3}  {sum(hits) / len(hits):.0%}")
        print(f"seconds: median {statistics.median(seconds):.1f}, most {max(seconds):.1f}")


def test_ordinary_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    total, alarms = 0, list[str]()
    for folder in sorted(MIRRORS.glob("*/repo")):
        place = borrowed(folder, tmp_path / folder.parent.name)
        log = ("log", "--no-merges", f"-n{COMMITS}", "--format=%H %P", "HEAD", "--", "*.py")
        for row in git(place, *log).splitlines():
            head, *parents = row.split()
            if parents:
                total += 1
                review = review_change(place, parents[0], head)
                alarms += [
                    f"{folder.parent.name} {head[:12]} {each.location} {each.title}"
                    for each in (review.findings if review else ())
                ]
    if not total:
        pytest.skip("REVIEWGATE_GH_MIRRORS names no folder with repositories")
    with capsys.disabled():
        print(f"\n{total} commits, {len(alarms)} remarks", *alarms, sep="\n")
