"""The range of every GitHub event, in real clones as actions/checkout makes them."""

import os
from functools import cache
from pathlib import Path

import pytest

from reviewgate_gh.action.range import event_range
from reviewgate_gh.git import open_repository
from reviewgate_gh.github.runner import GitHubEvent
from reviewgate_gh.model.change import Range
from reviewgate_gh.model.errors import UsageError
from tests.support import Repo, process_folder

UNKNOWN = "d" * 40
DEFAULT = {"default_branch": "main"}


def found(repo: Repo, event: GitHubEvent, base: str = "") -> Range:
    return event_range(event, open_repository(repo.path, os.environ), base)


def ends(repo: Repo, event: GitHubEvent, base: str = "") -> tuple[str, str]:
    """Base and head of the event's range."""
    wanted = found(repo, event, base)
    return wanted.base, wanted.head


def pull(base: str, head: str, name: str = "pull_request") -> GitHubEvent:
    return GitHubEvent(name, base, head, **DEFAULT)


def push(before: str, after: str, on_default: bool = False) -> GitHubEvent:
    return GitHubEvent("push", before, after, on_default=on_default, **DEFAULT)


def dispatch(head: str, on_default: bool = False) -> GitHubEvent:
    return GitHubEvent("workflow_dispatch", "", head, on_default=on_default, **DEFAULT)


def empty_tree(repo: Repo) -> str:
    return repo.git("hash-object", "-t", "tree", "/dev/null")


class Forge:
    """The repository that GitHub would hold: main with two commits, and a topic branch with two
    that parted after the first."""

    def __init__(self, repo: Repo, clones: Path) -> None:
        self.repo, self._clones = repo, clones
        named = ("topic~2", "topic~1", "topic", "main")
        self.first, self.one, self.tip, self.main = repo.git("rev-parse", *named).splitlines()

    def merged(self) -> str:
        """GitHub's test merge, refs/pull/1/merge."""
        self.repo.git("switch", "--quiet", "--detach", "main")
        self.repo.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")
        self.repo.git("update-ref", "refs/pull/1/merge", "HEAD")
        self.repo.switch("main")
        return self.repo.rev("refs/pull/1/merge")

    def checkout(self, ref: str, depth: int = 0) -> Repo:
        """What actions/checkout leaves behind: with depth 0 all branches and the ref, else the ref
        alone; HEAD is at it."""
        clone = Repo.init(self._clones / f"clone{len(list(self._clones.iterdir()))}")
        clone.git("remote", "add", "origin", f"file://{self.repo.path}")
        branch = ref.removeprefix("refs/heads/")
        mine = (
            f"+{ref}:refs/remotes/origin/{branch}"
            if branch != ref
            else f"+{ref}:refs/remotes/{ref.removeprefix('refs/')}"
        )
        specs = (
            [mine]
            if depth
            else ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*", mine]
        )
        clone.git(
            "fetch",
            "--quiet",
            "--no-tags",
            *([f"--depth={depth}"] if depth else []),
            "origin",
            *specs,
        )
        clone.git("switch", "--quiet", "--detach", mine.rpartition(":")[2])
        return clone


@cache
def _prepared() -> Repo:
    repo = Repo.init(process_folder() / "repo")
    repo.commit({"README.md": "# A project\n"}, "first")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    repo.branch("topic")
    repo.commit({"topic.txt": "1\n"})
    repo.commit({"topic.txt": "2\n"})
    repo.switch("main")
    repo.commit({"main.txt": "moved on\n"})
    return repo


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    (tmp_path / "clones").mkdir()
    return Forge(_prepared().copy(tmp_path / "repo"), tmp_path / "clones")


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_a_pull_request_is_its_own_commits_and_not_the_test_merge(forge: Forge, name: str) -> None:
    merge = forge.merged()
    clone = forge.checkout("refs/pull/1/merge")
    assert clone.head == merge
    assert ends(clone, pull(forge.main, forge.tip, name)) == (forge.first, forge.tip)
    assert ends(clone, pull(forge.first, forge.tip, name)) == (forge.first, forge.tip)


def test_what_the_base_has_since_got_is_not_part_of_it(forge: Forge) -> None:
    forge.repo.switch("topic")
    forge.repo.git("merge", "--quiet", "--no-edit", "main")
    tip = forge.repo.head
    later = forge.repo.git("commit-tree", "-p", forge.main, "-m", "later", "main^{tree}")
    forge.repo.git("branch", "--force", "main", later)
    assert ends(forge.checkout("refs/heads/topic"), pull(later, tip)) == (forge.main, tip)


def test_a_chosen_base_wins_for_every_event(forge: Forge) -> None:
    clone = forge.checkout("refs/heads/topic")
    group = GitHubEvent("merge_group", UNKNOWN, forge.tip, compare_trees=True)
    for event in (
        pull(forge.main, forge.tip),
        push(forge.first, forge.tip),
        dispatch(forge.tip),
        group,
    ):
        assert ends(clone, event, forge.one) == (forge.one, forge.tip)
        assert ends(clone, event, "main") == (forge.first, forge.tip)
        assert ends(clone, event, "origin/main") == (forge.first, forge.tip)


@pytest.mark.parametrize(
    "base", ["nowhere", "--all", "main..topic", "-h", "", "main\nmain", "$(touch x)"]
)
def test_a_base_that_is_none_is_refused(forge: Forge, base: str) -> None:
    clone = forge.checkout("refs/heads/topic")
    if not base:
        assert ends(clone, dispatch(forge.tip), base) == (forge.first, forge.tip)
        return
    with pytest.raises(UsageError, match="is not a commit here"):
        found(clone, dispatch(forge.tip), base)


def test_a_push_is_what_it_added(forge: Forge) -> None:
    clone = forge.checkout("refs/heads/topic")
    assert ends(clone, push(forge.one, forge.tip)) == (forge.one, forge.tip)
    assert ends(clone, push(forge.tip, forge.tip)) == (forge.tip, forge.tip)


def test_a_push_to_the_default_branch(forge: Forge) -> None:
    clone = forge.checkout("refs/heads/main")
    assert ends(clone, push(forge.first, forge.main, on_default=True)) == (forge.first, forge.main)


def test_a_forced_push_whose_old_tip_is_here_is_what_is_new_since_they_parted(forge: Forge) -> None:
    forge.repo.git("tag", "old", "topic")
    forge.repo.git("switch", "--quiet", "--force-create", "topic", forge.one)
    tip = forge.repo.commit({"other.txt": "1\n"})
    assert ends(forge.checkout("refs/heads/topic"), push(forge.tip, tip)) == (forge.one, tip)


@pytest.mark.parametrize("before", ["", UNKNOWN], ids=["new", "forced"])
def test_a_branch_whose_old_tip_is_not_here_is_what_it_adds_to_the_default_branch(
    forge: Forge, before: str
) -> None:
    assert ends(forge.checkout("refs/heads/topic"), push(before, forge.tip)) == (
        forge.first,
        forge.tip,
    )


def test_a_new_branch_without_commits_of_its_own_is_empty(forge: Forge) -> None:
    forge.repo.git("branch", "copy", "main")
    clone = forge.checkout("refs/heads/copy")
    assert ends(clone, push("", forge.main)) == (forge.main, forge.main)
    assert ends(clone, dispatch(forge.main)) == (forge.main, forge.main)


@pytest.mark.parametrize("options", [[], ["--annotate", "--message=1"]], ids=["light", "annotated"])
def test_a_tag_of_a_commit_that_the_default_branch_has_is_empty(
    forge: Forge, options: list[str]
) -> None:
    forge.repo.git("tag", *options, "v1", "main")
    clone = forge.checkout("refs/tags/v1")
    assert ends(clone, push("", forge.repo.rev("v1"))) == (forge.main, forge.main)


@pytest.mark.parametrize("before", ["", UNKNOWN])
def test_a_branch_with_a_history_of_its_own_is_new_as_a_whole(forge: Forge, before: str) -> None:
    forge.repo.git("switch", "--quiet", "--orphan", "pages")
    tip = forge.repo.commit({"index.html": "<p>\n"})
    clone = forge.checkout("refs/heads/pages")
    assert ends(clone, push(before, tip)) == (empty_tree(clone), tip)
    assert ends(clone, push(forge.main, tip)) == (empty_tree(clone), tip)


def test_the_first_push_of_the_default_branch_is_all_of_it(forge: Forge) -> None:
    clone = forge.checkout("refs/heads/main")
    assert ends(clone, push("", forge.main, on_default=True)) == (empty_tree(clone), forge.main)


def test_a_forced_push_to_the_default_branch_is_never_guessed(forge: Forge) -> None:
    clone = forge.checkout("refs/heads/main")
    with pytest.raises(
        UsageError,
        match="dddddddddddd, the head of the branch before this push, is not in this clone",
    ) as refused:
        found(clone, push(UNKNOWN, forge.main, on_default=True))
    assert (
        "fetch-depth: 0" in refused.value.hint
        and f"git fetch origin {UNKNOWN}" in refused.value.hint
    )
    lost = forge.repo.git("commit-tree", "-p", forge.first, "-m", "lost", "topic^{tree}")
    clone.git("fetch", "--quiet", "origin", lost)
    assert ends(clone, push(lost, forge.main, on_default=True)) == (forge.first, forge.main)


def test_a_default_branch_that_was_replaced_is_compared_as_it_is(forge: Forge) -> None:
    forge.repo.git("tag", "old", "main")
    forge.repo.git("switch", "--quiet", "--orphan", "fresh")
    tip = forge.repo.commit({"fresh.txt": "1\n"})
    forge.repo.git("branch", "--force", "main", tip)
    assert ends(forge.checkout("refs/heads/main"), push(forge.main, tip, on_default=True)) == (
        forge.main,
        tip,
    )


def test_a_merge_group_is_compared_as_it_is(forge: Forge) -> None:
    merge = forge.merged()
    forge.repo.git("update-ref", "refs/heads/gh-readonly-queue/main/pr-1", merge)
    clone = forge.checkout("refs/heads/gh-readonly-queue/main/pr-1")
    assert ends(clone, GitHubEvent("merge_group", forge.main, merge, True, "main")) == (
        forge.main,
        merge,
    )
    assert ends(clone, GitHubEvent("merge_group", forge.main, forge.tip, True, "main")) == (
        forge.main,
        forge.tip,
    )
    with pytest.raises(UsageError, match="dddddddddddd is not in this clone"):
        found(clone, GitHubEvent("merge_group", UNKNOWN, merge, True, "main"))


def test_a_dispatch_on_a_branch_is_what_it_adds(forge: Forge) -> None:
    assert ends(forge.checkout("refs/heads/topic"), dispatch(forge.tip)) == (forge.first, forge.tip)


def test_a_dispatch_on_the_default_branch_is_its_last_commit(forge: Forge) -> None:
    clone = forge.checkout("refs/heads/main")
    assert ends(clone, dispatch(forge.main, on_default=True)) == (forge.first, forge.main)
    later = forge.repo.commit({"main.txt": "later\n"})
    clone.git("fetch", "--quiet", "origin")
    assert clone.rev("origin/main") == later
    assert ends(clone, dispatch(forge.main, on_default=True)) == (forge.first, forge.main)


def test_a_dispatch_on_the_only_commit_is_all_of_it(make_repo, tmp_path: Path) -> None:
    made = make_repo()
    only = made.commit({"a.txt": "1\n"})
    clone = made.clone(tmp_path / "clone")
    assert ends(clone, dispatch(only, on_default=True)) == (empty_tree(clone), only)


def test_an_event_that_does_not_name_the_default_branch_takes_the_remotes(
    forge: Forge, tmp_path: Path
) -> None:
    assert ends(forge.repo.clone(tmp_path / "clone"), GitHubEvent("push", "", forge.tip)) == (
        forge.first,
        forge.tip,
    )
    with pytest.raises(UsageError, match="origin's default branch is not in this clone"):
        found(forge.repo, GitHubEvent("push", "", forge.tip))


def shallow(forge: Forge, depth: int) -> list[tuple[Repo, GitHubEvent]]:
    """Each event in the clone that actions/checkout makes with that depth."""
    merge = forge.merged()
    forge.repo.git("update-ref", "refs/heads/queue", merge)
    forge.repo.switch("main")
    later = forge.repo.commit({"main.txt": "later\n"})
    return [
        (forge.checkout("refs/pull/1/merge", depth), pull(forge.main, forge.tip)),
        (
            forge.checkout("refs/heads/main", depth),
            pull(forge.main, forge.tip, "pull_request_target"),
        ),
        (forge.checkout("refs/heads/topic", depth), push(forge.first, forge.tip)),
        (forge.checkout("refs/heads/topic", depth), push("", forge.tip)),
        (forge.checkout("refs/heads/topic", depth), push(UNKNOWN, forge.tip)),
        (forge.checkout("refs/heads/main", depth), push(forge.first, later, on_default=True)),
        (forge.checkout("refs/heads/topic", depth), dispatch(forge.tip)),
    ]


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("depth", [1, 2])
def test_a_shallow_checkout_says_what_to_do(forge: Forge, depth: int) -> None:
    for clone, event in shallow(forge, depth):
        with pytest.raises(UsageError) as refused:
            found(clone, event)
        assert "fetch-depth: 0" in refused.value.hint, (event, refused.value.message)


def test_the_parent_that_a_shallow_checkout_cut_off(forge: Forge) -> None:
    merge = forge.merged()
    forge.repo.git("update-ref", "refs/heads/queue", merge)
    for ref, event in (
        ("main", dispatch(forge.main, on_default=True)),
        ("queue", GitHubEvent("merge_group", forge.main, merge, True)),
    ):
        with pytest.raises(UsageError) as refused:
            found(forge.checkout(f"refs/heads/{ref}", 1), event)
        assert "fetch-depth: 0" in refused.value.hint


def test_histories_that_a_shallow_checkout_cut_apart_are_not_taken_for_unrelated_ones(
    forge: Forge,
) -> None:
    on_default = forge.checkout("refs/heads/main", 1)
    on_default.git("fetch", "--quiet", "--depth=1", "origin", forge.first)
    on_branch = forge.checkout("refs/heads/topic", 1)
    on_branch.git("fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main")
    for clone, event in (
        (on_default, push(forge.first, forge.main, on_default=True)),
        (on_branch, push("", forge.tip)),
    ):
        with pytest.raises(UsageError) as refused:
            found(clone, event)
        assert "fetch-depth: 0" in refused.value.hint


def test_a_shallow_checkout_that_is_deep_enough(forge: Forge) -> None:
    assert ends(forge.checkout("refs/heads/topic", 2), push(forge.one, forge.tip)) == (
        forge.one,
        forge.tip,
    )
    assert ends(forge.checkout("refs/heads/main", 2), dispatch(forge.main, on_default=True)) == (
        forge.first,
        forge.main,
    )


def test_long_object_ids(make_repo, tmp_path: Path) -> None:
    made = make_repo("long", "--object-format=sha256")
    base = made.commit({"a.txt": "1\n"})
    made.branch("topic")
    tip = made.commit({"a.txt": "2\n"})
    clone = made.clone(tmp_path / "clone")
    assert (
        ends(clone, pull(base, tip))
        == ends(clone, push(base, tip))
        == ends(clone, push("0" * 64, tip))
        == (base, tip)
    )


def test_a_schedule_reviews_the_last_day_of_the_branch(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = []
    for day in (1, 2, 4):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2030-01-0{day}T12:00:00Z")
        days.append(repo.commit({"a.py": f"x = {day}\n"}))
    event = GitHubEvent("schedule", "", days[2], on_default=True, **DEFAULT)
    assert ends(repo, event) == (days[1], days[2])
    shallow = repo.clone(repo.path.parent / "shallow", "--depth=1")
    with pytest.raises(UsageError, match="is not in this clone"):
        found(shallow, event)


def test_a_branch_of_one_day_is_new_as_a_whole(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    event = GitHubEvent("schedule", "", repo.commit({"a.py": "x = 1\n"}), **DEFAULT)
    assert found(repo, event).base == open_repository(repo.path, os.environ).empty_tree
