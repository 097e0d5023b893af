"""Which commits are reviewed: a defined range, or one clear line."""

import os

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.git.ranges import resolve_range
from reviewgate_gh.model.change import Selection
from reviewgate_gh.model.errors import UsageError
from tests.support import Repo


def found(repo: Repo, **wanted):
    return resolve_range(open_repository(repo.path, os.environ), Selection(**wanted))


@pytest.fixture
def pushed(repo, tmp_path) -> Repo:
    """main is on origin; one more commit is not."""
    repo.bare_remote(tmp_path / "origin.git")
    repo.git("push", "--quiet", "--set-upstream", "origin", "main")
    repo.commit({"new.py": "x = 1\n"}, "not pushed")
    return repo


def test_default_is_what_the_upstream_has_not(pushed):
    wanted = found(pushed)
    assert (wanted.base, wanted.head) == (pushed.rev("origin/main"), pushed.head)
    assert wanted.notes == ("changes since origin/main",)


def test_without_upstream_the_remote_default_branch_serves(pushed):
    pushed.branch("feature")
    assert found(pushed).base == pushed.rev("origin/main")


@pytest.mark.parametrize("upstream", [True, False], ids=["upstream", "default branch"])
def test_what_others_have_pushed_meanwhile_is_not_part_of_it(pushed, tmp_path, upstream):
    common = pushed.rev("origin/main")
    theirs = pushed.clone(tmp_path / "theirs")
    theirs.git("reset", "--quiet", "--hard", common)
    theirs.commit({"theirs.py": "y = 1\n"})
    theirs.git("push", "--quiet", str(tmp_path / "origin.git"), "HEAD:main")
    pushed.git("fetch", "--quiet", "origin")
    if not upstream:
        pushed.git("branch", "--unset-upstream")
    assert pushed.rev("origin/main") == theirs.head
    assert (found(pushed).base, found(pushed).head) == (common, pushed.head)


def test_the_remote_says_which_its_default_branch_is(pushed):
    pushed.git("push", "--quiet", "origin", "HEAD~:refs/heads/trunk", "HEAD~:refs/heads/master")
    first = pushed.rev("origin/main")
    pushed.git("update-ref", "-d", "refs/remotes/origin/main")
    pushed.git("update-ref", "refs/remotes/origin/master", pushed.head)
    pushed.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    pushed.branch("feature")
    assert found(pushed).base == first


def test_default_starts_at_the_merge_base(pushed):
    pushed.branch("feature", "HEAD~")
    pushed.commit({"b": "b\n"})
    assert found(pushed, base="main").base == pushed.rev("main~")


@pytest.mark.parametrize(
    ("wanted", "base", "head"),
    [
        ({"commit": "HEAD"}, "HEAD~", "HEAD"),
        ({"commit": "HEAD~"}, None, "HEAD~"),
        ({"range": "HEAD~..HEAD"}, "HEAD~", "HEAD"),
        ({"range": "HEAD~.."}, "HEAD~", "HEAD"),
        ({"range": "HEAD..HEAD~"}, "HEAD", "HEAD~"),
        ({"range": "HEAD~...HEAD"}, "HEAD~", "HEAD"),
        ({"all_files": True}, None, "HEAD"),
    ],
)
def test_named_ranges(pushed, wanted, base, head):
    empty = pushed.git("hash-object", "-t", "tree", "/dev/null")
    assert (found(pushed, **wanted).base, found(pushed, **wanted).head) == (
        pushed.rev(base) if base else empty,
        pushed.rev(head),
    )


def test_staged_and_uncommitted_are_trees_and_touch_nothing(pushed):
    pushed.write({"staged.txt": "s\n", "README.md": "changed\n"})
    pushed.git("add", "staged.txt")
    pushed.write({"new.txt": "n\n"})
    before = (
        pushed.git("status", "--porcelain"),
        pushed.git("count-objects"),
        pushed.file(".git/index").read_bytes(),
    )
    git = open_repository(pushed.path, os.environ)
    staged, everything = (
        resolve_range(git, Selection(**{name: True})) for name in ("staged", "uncommitted")
    )
    assert (
        pushed.git("status", "--porcelain"),
        pushed.git("count-objects"),
        pushed.file(".git/index").read_bytes(),
    ) == before
    listed = [
        git.run("diff-tree", "-r", "--name-only", wanted.base, wanted.head).decode().split()
        for wanted in (staged, everything)
    ]
    assert listed == [["staged.txt"], ["README.md", "new.txt", "staged.txt"]]


def test_staged_on_an_unborn_branch(make_repo):
    repo = make_repo()
    repo.write({"a": "1\n"})
    repo.git("add", "a")
    assert found(repo, staged=True).base == repo.git("hash-object", "-t", "tree", "/dev/null")


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"base": "nowhere"}, "'nowhere' is not a commit here"),
        ({"base": "--output=x"}, "'--output=x' is not a commit here"),
        ({"base": "a\nb"}, "is not a commit here"),
        ({"base": "$(touch pwned)"}, "is not a commit here"),
        ({"base": "HEAD^{tree}"}, "is not a commit here"),
        ({"range": "HEAD"}, "--range takes A..B"),
        ({"range": "HEAD..gone"}, "'gone' is not a commit here"),
        ({"commit": "@{99}"}, "is not a commit here"),
        ({"commit": "HEAD", "staged": True}, "--commit and --staged cannot be used together"),
    ],
)
def test_what_cannot_be_compared_is_one_clear_line(repo, wanted, words):
    with pytest.raises(UsageError) as caught:
        found(repo, **wanted)
    assert words in caught.value.message and "\n" not in caught.value.message and caught.value.hint
    assert not repo.file("pwned").exists()


# What a ref, a path or a shell could make something else of. Where git itself would take one for a
# name, none is there.
ODD = (
    "-", "--", "-h", "--help", "--all", "--upload-pack=touch pwned", "--output=pwned", "-opwned",
    "--exec=touch pwned", "--no-index",
    "$(touch pwned)", "`touch pwned`", "${IFS}touch", ";touch pwned", "&&touch pwned",
    "|touch pwned", "a;b", "a&b", "a|b", "a>pwned",
    "..", "a..b", "...", "@{", "a@{b", "@{-1}", "HEAD@{9}", "a.lock", "a/.b", "/a", "a/", "a//b",
        "a.", "a~b", "a^b", "a:b", "a?b", "a*b",
    "a[b", "a\\b", " ", "a b", "\t", "a\tb", "\n", "a\nb", "\r", "\x1b[31m", "\0", "a\0b", "\x7f",
        "\udcff", "%s%n", "HEAD\n", " HEAD",
    "^HEAD", "HEAD^{", "HEAD^{/", ":", ":0", ":/", ":!a", "refs/heads/", "FETCH_HEAD",
        "--end-of-options", "0", "0" * 40, "f" * 40,
    "f" * 39,
)  # fmt: skip


@pytest.mark.contract(plain=["0", "3"])
@pytest.mark.parametrize("names", [ODD[at::6] for at in range(6)], ids=range(6))
def test_a_name_is_data_and_never_an_option_or_a_command(repo, monkeypatch, names):
    monkeypatch.chdir(repo.path)
    git = open_repository(repo.path, os.environ)
    for name in names:
        for wanted in (
            {"base": name},
            {"commit": name},
            {"range": f"{name}..HEAD"},
            {"range": f"HEAD..{name}"},
        ):
            with pytest.raises(UsageError) as caught:
                resolve_range(git, Selection(**wanted))
            assert "\n" not in caught.value.message and caught.value.hint, name
        assert sorted(path.name for path in repo.path.iterdir()) == [".git", "README.md"], name


def test_unborn_branch(make_repo):
    with pytest.raises(UsageError, match="there is no commit yet"):
        found(make_repo())


def test_shallow_clone_names_what_to_fetch(pushed, tmp_path):
    pushed.git("push", "--quiet")
    pushed.branch("feature", "main~")
    pushed.commit({"f": "f\n"})
    shallow = pushed.clone(tmp_path / "shallow", "--depth=1", "--no-single-branch")
    with pytest.raises(UsageError, match="shallow clone") as caught:
        found(shallow, base="origin/main")
    assert "git fetch --unshallow" in caught.value.hint
    with pytest.raises(UsageError, match=r"the parent of .* is not in this shallow clone"):
        found(shallow, commit="HEAD")


def test_unrelated_histories(repo):
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.commit({"o": "o\n"}, "unrelated")
    with pytest.raises(UsageError, match="no common ancestor"):
        found(repo, base="main")
    assert found(repo, range="main..other").head == repo.head


def test_detached_head_and_mid_rebase(pushed):
    pushed.git("checkout", "--quiet", "--detach")
    assert found(pushed).head == pushed.head
    pushed.switch("main")
    pushed.branch("topic", "main~")
    pushed.commit({"new.py": "x = 2\n"}, "conflicts")
    assert pushed.ran("rebase", "main").code != 0
    assert found(pushed).base == pushed.rev("origin/main")
    with pytest.raises(UsageError, match="unresolved conflicts"):
        found(pushed, staged=True)


def test_mid_bisect(pushed):
    for number in range(4):
        pushed.commit({"new.py": f"x = {number}\n"})
    last = pushed.head
    pushed.git("bisect", "start", last, "HEAD~3")
    assert pushed.head != last, "another commit is checked out"
    here = found(pushed)
    assert (here.base, here.head) == (pushed.rev("origin/main"), pushed.head)
    pushed.write({"new.py": "changed\n"})
    assert (
        pushed.git("diff-tree", "-r", "--name-only", pushed.head, tree_of(pushed, uncommitted=True))
        == "new.py"
    )


def tree_of(repo, **wanted):
    """What is found, as a tree that the repository itself holds."""
    git = open_repository(repo.path, os.environ)
    head = resolve_range(git, Selection(**wanted)).head
    for path in (git.private_folder / "objects").rglob("*/*"):
        target = repo.path / ".git/objects" / path.relative_to(git.private_folder / "objects")
        target.parent.mkdir(exist_ok=True)
        if path.is_file() and not target.exists():
            target.write_bytes(path.read_bytes())
    return head


@pytest.mark.parametrize("index", ["sparse", "split"])
def test_an_index_that_holds_less_than_the_files(repo, index):
    repo.commit(
        {
            f"{folder}/{name}": f"{folder} {name}\n"
            for folder in ("in", "out", "out/deep")
            for name in ("a", "b")
        }
    )
    if index == "sparse":
        repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
        assert "out/\n" in repo.git("ls-files", "--sparse") + "\n" and not repo.file("out").exists()
    else:
        repo.git("update-index", "--split-index")
        assert list((repo.path / ".git").glob("sharedindex.*"))
    assert (
        repo.git("diff-tree", "-r", "--name-status", "HEAD", tree_of(repo, uncommitted=True)) == ""
    )
    repo.write({"in/a": "changed\n", "in/new": "new\n"})
    repo.git("add", "in/a")
    before = (repo.path / ".git/index").read_bytes()
    assert (
        repo.git("diff-tree", "-r", "--name-status", "HEAD", tree_of(repo, staged=True))
        == "M\tin/a"
    )
    assert (
        repo.git("diff-tree", "-r", "--name-status", "HEAD", tree_of(repo, uncommitted=True))
        == "M\tin/a\nA\tin/new"
    )
    assert (repo.path / ".git/index").read_bytes() == before


def test_where_nothing_is_in_the_sparse_checkout_there_is_nothing_uncommitted(repo):
    repo.git("update-index", "--skip-worktree", "README.md")
    repo.file("README.md").unlink()
    assert (
        repo.git("diff-tree", "-r", "--name-status", "HEAD", tree_of(repo, uncommitted=True)) == ""
    )
    repo.write({"new": "x\n"})
    assert (
        repo.git("diff-tree", "-r", "--name-status", "HEAD", tree_of(repo, uncommitted=True))
        == "A\tnew"
    )


def test_linked_worktree_and_subfolder_and_bare(pushed, tmp_path):
    pushed.git("worktree", "add", "--quiet", "-b", "linked", tmp_path / "linked", "main")
    linked = Repo(tmp_path / "linked")
    linked.commit({"deep/l": "l\n"})
    assert found(linked, base="main").head == linked.head != pushed.head
    assert found(Repo(linked.path / "deep"), base="main").head == linked.head
    bare = pushed.clone(tmp_path / "bare.git", "--bare")
    assert found(bare, range="main~..main").head == pushed.rev("main")
    with pytest.raises(UsageError, match="bare repository"):
        found(bare, uncommitted=True)


def test_a_submodule_that_is_checked_out(pushed, make_repo):
    top = make_repo("top")
    top.git("submodule", "--quiet", "add", pushed.path, "kit")
    kit = Repo(top.path / "kit")
    head = kit.commit({"k": "k\n"})
    assert (found(kit).base, found(kit).head) == (pushed.head, head)


def test_no_repository(tmp_path):
    with pytest.raises(UsageError, match="is not in a git repository"):
        open_repository(tmp_path, os.environ)


def test_a_place_without_a_usable_repository_is_named_for_what_it_is(repo, tmp_path):
    with pytest.raises(UsageError, match=r"README\.md is not a folder"):
        open_repository(repo.path / "README.md", os.environ)
    with repo.file(".git/config").open("a") as file:
        file.write("[broken\n")
    with pytest.raises(UsageError, match="bad config line"):
        open_repository(repo.path, os.environ)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_somebody_else_is_not_read_and_git_says_how_to_trust_it(repo):
    head = repo.head
    os.chown(repo.path / ".git", 12345, 12345)
    os.chown(repo.path, 12345, 12345)
    with pytest.raises(
        UsageError, match=r"dubious ownership .* git config --global --add safe.directory"
    ):
        open_repository(repo.path, os.environ)
    trusting = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": str(repo.path),
    }
    assert open_repository(repo.path, os.environ | trusting).resolve("HEAD") == head


def test_names_that_git_allows_are_taken_as_they_are(repo):
    for name in (
        "#1",
        "a+b",
        "x,y",
        "@x",
        "_u",
        "ünï",
        "per%cent",
        "semi;colon",
        "do$llar",
        "quo'te",
        'dou"ble',
        "amp&ersand",
        "pi|pe",
    ):
        repo.git("branch", name)
        assert found(repo, base=f"refs/heads/{name}").head == repo.head


def test_variables_of_a_calling_hook_lead_nowhere_else(repo, make_repo, monkeypatch):
    other = make_repo("other")
    other.commit({"o": "o\n"})
    for name, value in {
        "GIT_DIR": ".git",
        "GIT_INDEX_FILE": ".git/index",
        "GIT_OBJECT_DIRECTORY": ".git/objects",
        "GIT_COMMON_DIR": ".git",
    }.items():
        monkeypatch.setenv(name, str(other.path / value))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    git = open_repository(repo.path, dict(os.environ))
    assert resolve_range(git, Selection(all_files=True)).head == git.resolve("HEAD")
    for name in (
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_COMMON_DIR",
        "GIT_WORK_TREE",
    ):
        monkeypatch.delenv(name)
    assert git.resolve("HEAD") == repo.head != other.head


def test_a_commit_by_its_message(pushed):
    """git's `:/TEXT`, to which nothing can be added."""
    pushed.commit({"b": "b\n"}, "the second one")
    assert found(pushed, commit=":/the second").head == pushed.head
    assert found(pushed, base=":/not pushed").base == pushed.rev("HEAD~")
    assert found(pushed, range=":/not pushed..HEAD").base == pushed.rev("HEAD~")
    with pytest.raises(UsageError, match="is not a commit here"):
        found(pushed, commit=":/nobody wrote this")


@pytest.mark.parametrize("kind", ["tip", "tag", "merge", "root"])
def test_a_commit_and_its_first_parent(repo, kind):
    repo.commit({"a": "a\n"})
    root, forked = repo.git("rev-list", "--max-parents=0", "HEAD").strip(), repo.head
    repo.commit({"a": "b\n"}, "second")
    second = repo.head
    repo.git("tag", "--annotate", "--message", "parent 0000", "v1")
    repo.branch("side", "HEAD~")
    repo.commit({"c": "c\n"})
    repo.git("checkout", "--quiet", second)
    repo.git("merge", "--quiet", "--no-ff", "--message", "parent of none\n\nparent 0000", "side")
    base, name = {
        "tip": (second, "HEAD"),
        "tag": (forked, "v1"),
        "merge": (second, repo.head),
        "root": (None, root),
    }[kind]
    wanted = found(repo, commit=name)
    assert (wanted.base, wanted.head) == (
        base or open_repository(repo.path, os.environ).empty_tree,
        repo.rev(f"{name}^{{commit}}"),
    )


@pytest.mark.parametrize(
    "name",
    [
        "HEAD^{tree}",
        "HEAD:a",
        "nobody",
        "HEAD..HEAD",
        "^HEAD",
        "--all",
        "HEAD\nHEAD",
        "HEAD ",
        "@{u}",
    ],
)
def test_what_names_no_single_commit(repo, name):
    repo.commit({"a": "a\n"})
    with pytest.raises(UsageError, match="is not a commit here"):
        found(repo, commit=name)
