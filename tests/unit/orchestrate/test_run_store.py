"""`run_metadata.json`: fresh and resumed runs, old files, damage, many at once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewgate_gh.git import Git, open_repository
from reviewgate_gh.model.errors import UsageError
from reviewgate_gh.model.run import RunMetadata
from reviewgate_gh.orchestrate.run_store import (
    RUN_FILE,
    RunStore,
    open_run_store,
    parse_run,
    run_data,
)
from reviewgate_gh.orchestrate.runs import (
    BaselineMove,
    RunRequest,
    advance_baseline,
    current_run,
    start_run,
    update_run,
)
from reviewgate_gh.system.environment import Environment
from tests.support import ROOT, Repo

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))


@pytest.fixture
def git(repo: Repo) -> Git:
    return open_repository(repo.path, os.environ)


@pytest.fixture
def store(git: Git) -> RunStore:
    return open_run_store(git)


def begin(store: RunStore, git: Git, *issues: str, **more: Any):
    return start_run(store, git, Environment({}, Path.cwd()), RunRequest(issues, **more))


@pytest.mark.req("R000-062", "R000-063", "R000-068", "R000-072", "R000-073", "R000-074")
def test_a_fresh_run_notes_head_of_the_folder_it_begins_in(
    repo: Repo, git: Git, store: RunStore, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    Repo(tmp_path / "linked").commit(message="elsewhere")
    begun, before = begin(store, git, "a", "b")
    assert (before, begun.run_start_commit, begun.issues) == (None, repo.head, ("a", "b"))
    assert (
        begun.last_cumulative_review_commits == {}
        and begun.run_id != begin(store, git, "a", fresh=True)[0].run_id
    )
    assert store.path == repo.file(".git/reviewgate-gh/run_metadata.json")
    assert (
        RunMetadata().run_start_commit is None
        and RunMetadata().last_cumulative_review_commits == {}
    )
    linked = open_run_store(open_repository(tmp_path / "linked", os.environ))
    assert linked.load() is None and linked.path.parent.parent.parent.name == "worktrees"


@pytest.mark.req("R000-070", "R000-076", "R000-079", "R000-080", "R000-081")
def test_the_same_issues_go_on_with_all_that_is_remembered(
    repo: Repo, git: Git, store: RunStore
) -> None:
    first, _new = begin(store, git, "a", "b")
    advance_baseline(store, git, BaselineMove("run_end", "", repo.head))
    repo.commit(message="more")
    again, before = begin(store, git, "b", "a")
    assert before and before.run_start_commit
    assert again.run_id == first.run_id and again.run_start_commit == first.run_start_commit
    assert (
        again.last_cumulative_review_commits
        == {"run_end": repo.rev("HEAD~")}
        == current_run(store).last_cumulative_review_commits
    )


@pytest.mark.req("R000-075", "R000-077", "R000-078", "R000-079", "R000-080")
@pytest.mark.parametrize("way", ["fresh", "issues", "folder"])
def test_fresh_other_issues_or_another_folder_begin_anew(
    repo: Repo, git: Git, store: RunStore, way: str, tmp_path: Path
) -> None:
    first, _new = begin(store, git, "a")
    advance_baseline(store, git, BaselineMove("run_end", "", repo.head))
    repo.commit(message="more")
    where = RunStore(tmp_path / "out") if way == "folder" else store
    again, before = begin(
        where, git, *(["a", "c"] if way == "issues" else ["a"]), fresh=way == "fresh"
    )
    assert before is None and again.run_id != first.run_id
    assert (again.run_start_commit, again.last_cumulative_review_commits) == (repo.head, {})
    if way == "folder":
        assert (tmp_path / "out" / RUN_FILE).exists() and store.load() != again


@pytest.mark.req("R000-067", "R000-071", "R001-063", "R001-064", "R001-065")
def test_an_old_file_loads_and_its_first_commit_is_noted_late(
    repo: Repo, git: Git, store: RunStore
) -> None:
    old = {
        "run_id": "7",
        "issues": {"a": {"status": "success"}},
        "codex_review_enabled": False,
        "codex_review_log_path": "x",
        "config": {"k": 1},
    }
    store.folder.mkdir(parents=True)
    store.path.write_text(json.dumps(old))
    loaded = current_run(store)
    assert (loaded.run_start_commit, loaded.last_cumulative_review_commits, loaded.issues) == (
        None,
        {},
        ("a",),
    )
    assert (loaded.review_enabled, loaded.review_log_path) == (False, "x")
    begun, before = begin(store, git, "a")
    assert before == loaded and begun.run_start_commit == repo.head
    assert json.loads(store.path.read_text())["config"] == {"k": 1}, "what is not ours stays"
    assert begin(store, git, "a")[1] == begun


DAMAGE = {
    "empty": b"", "one byte": b"{", "NULs": b"\0" * 200, "half": b'{"run_id": "x", "ru',
    "a list": b"[]", "null": b"null", "text": b"no",
    "a wrong type": b'{"run_id": 3}', "a wrong map": (b'{"last_cumulative_review_commits": '
    b'{"run_end": 1}}'), "deep": b"[" * 100_000,
    "no UTF-8": b'{"run_id": "\xff"}',
}  # fmt: skip


@pytest.mark.parametrize("data", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_no_run_and_is_kept(git: Git, store: RunStore, data: bytes) -> None:
    store.folder.mkdir(parents=True)
    store.path.write_bytes(data)
    assert store.load() is None
    assert "is damaged" in store.messages[0] and not store.path.exists()
    [kept] = store.folder.glob("*.damaged-*")
    assert kept.read_bytes() == data
    with pytest.raises(UsageError, match="no run has been started here"):
        current_run(store)
    store.path.write_bytes(data)
    assert begin(store, git, "a")[1] is None


def test_a_byte_order_mark_is_no_damage_and_a_later_version_is_left_alone(
    git: Git, store: RunStore
) -> None:
    store.folder.mkdir(parents=True)
    store.path.write_bytes(b'\xef\xbb\xbf{"run_id": "x"}')
    assert current_run(store).run_id == "x"
    later = b'{"schema_version": 2, "run_id": "x"}'
    store.path.write_bytes(later)
    for call in (store.load, lambda: begin(store, git, "a", fresh=True)):
        with pytest.raises(UsageError, match="later version"):
            call()
    assert store.path.read_bytes() == later


def test_a_folder_that_cannot_be_written_is_said_to_be(git: Git, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be locked"):
        begin(RunStore(tmp_path / "file"), git)


def test_there_is_no_run_before_the_first_commit(make_repo: Any, tmp_path: Path) -> None:
    empty = open_repository(make_repo("empty").path, os.environ)
    with pytest.raises(UsageError, match="no commit yet"):
        begin(open_run_store(empty), empty)


def test_another_run_is_not_changed_by_what_an_earlier_one_remembers(
    git: Git, store: RunStore
) -> None:
    from msgspec.structs import replace

    old, _ = begin(store, git, "a")
    new, _ = begin(store, git, "b")
    assert (
        update_run(store, old, lambda run: replace(run, failed=("a",))) == new == current_run(store)
    )
    assert (
        update_run(store, new, lambda run: replace(run, failed=("b",))).failed
        == ("b",)
        == current_run(store).failed
    )


NAMES = st.lists(st.text(max_size=5), max_size=3, unique=True).map(tuple)
RUNS = st.builds(
    RunMetadata, st.text(), st.none() | st.text(min_size=1), st.dictionaries(st.text(), st.text()),
    NAMES, NAMES, NAMES, NAMES, st.text(),
    st.text(), st.booleans(), st.none() | st.text(min_size=1),
    st.dictionaries(st.sampled_from(["config", "x"]), st.integers()),
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(RUNS)
def test_what_is_written_is_read_back(run: RunMetadata) -> None:
    assert parse_run(json.loads(json.dumps(run_data(run)))) == run


WORKER = """
import os, sys
from pathlib import Path
from reviewgate_gh.orchestrate.runs import BaselineMove, advance_baseline
from reviewgate_gh.git import open_repository
from reviewgate_gh.orchestrate.run_store import open_run_store
git = open_repository(Path("."), os.environ)
for number in range(int(sys.argv[2])):
    move = BaselineMove(f"epic_completion:{sys.argv[1]}-{number}", "", git.resolve("HEAD"))
    advance_baseline(open_run_store(git), git, move)
"""


@pytest.mark.req("R000-088", "R000-089")
@pytest.mark.contract(plain=False)
def test_twenty_processes_lose_no_baseline(
    repo: Repo, git: Git, store: RunStore, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = 50 if FULL else 2
    begin(store, git, "a")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    many = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(each), str(runs)], cwd=repo.path, env=env
        )
        for each in range(20)
    ]
    assert [process.wait(timeout=500) for process in many] == [0] * 20
    found = current_run(store).last_cumulative_review_commits
    due = {
        f"epic_completion:{each}-{number}": repo.head
        for each in range(20)
        for number in range(runs)
    }
    with capsys.disabled():
        print(
            f"\n20 processes, {runs} baselines each: {len(found)} of {len(due)} there, "
            f"{len(due.keys() - found.keys())} lost"
        )
    assert found == due


def test_a_baseline_that_another_command_moved_on_is_not_moved_back(
    repo: Repo, git: Git, store: RunStore
) -> None:
    begin(store, git)
    first, second = repo.head, repo.commit(message="two")
    side = repo.git("commit-tree", "-m", "side", "HEAD^{tree}")
    assert advance_baseline(store, git, BaselineMove("run_end", "", second)) == ("", second)
    assert advance_baseline(store, git, BaselineMove("run_end", "", first)) == (second, second), (
        "the other one includes it"
    )
    assert advance_baseline(store, git, BaselineMove("run_end", second, first)) == (
        second,
        first,
    ), "history was rewritten: this is what it began with"
    assert advance_baseline(store, git, BaselineMove("run_end", "", side)) == (first, side)
