"""Where renamed files went, on real histories."""

import os
from collections.abc import Callable

import pytest

from reviewgate_gh.git import Git, open_repository
from reviewgate_gh.git.renames import former_names, missing_paths
from tests.support import Repo

BODY = "".join(f"line {n} of a file\n" for n in range(30))


def opened(repo: Repo) -> Git:
    """The repository as the product opens it."""
    return open_repository(repo.path, dict(os.environ))


def names(repo: Repo, *paths: str) -> dict[str, tuple[str, ...]]:
    """former_names at HEAD."""
    return former_names(opened(repo), repo.head, paths)


def test_a_chain_of_renames_leads_to_the_name_of_today(repo: Repo) -> None:
    repo.commit({"a.py": BODY})
    for old, new in (("a.py", "b.py"), ("b.py", "dir/c d.py"), ("dir/c d.py", "ü.py")):
        repo.file(new).parent.mkdir(exist_ok=True)
        repo.git("mv", old, new)
        repo.commit({f"{new}.txt": "beside it\n"})
    assert names(repo, "a.py") == {"ü.py": ("a.py",)}
    found = names(repo, "a.py", "b.py", "README.md")
    assert {now: set(before) for now, before in found.items()} == {"ü.py": {"a.py", "b.py"}}


@pytest.mark.parametrize(
    "settings",
    [[], ["diff.renames=false", "log.follow=true", "log.diffMerges=on", "diff.orderFile=x"]],
)
def test_the_users_settings_change_nothing(repo: Repo, settings: list[str]) -> None:
    repo.commit({"a.py": BODY})
    repo.git("mv", "a.py", "b.py")
    repo.commit()
    for setting in settings:
        repo.git("config", *setting.split("=", 1))
    assert names(repo, "a.py") == {"b.py": ("a.py",)}


def test_a_file_that_was_deleted_or_never_was_leads_nowhere(repo: Repo) -> None:
    repo.commit({"gone.py": BODY})
    repo.commit({"gone.py": None})
    repo.commit({"other.py": BODY})
    assert names(repo, "gone.py", "never.py") == {}


def test_a_name_that_is_taken_again_is_no_former_name(repo: Repo) -> None:
    repo.commit({"a.py": BODY})
    repo.git("mv", "a.py", "b.py")
    repo.commit({"a.py": "something else\n"})
    assert names(repo, "a.py") == {}


def test_a_file_that_moved_there_and_was_deleted_is_gone(repo: Repo) -> None:
    repo.commit({"a.py": BODY})
    repo.git("mv", "a.py", "b.py")
    repo.commit()
    repo.commit({"b.py": None})
    assert names(repo, "a.py") == {}


def test_a_rename_on_a_merged_branch_is_found(repo: Repo) -> None:
    repo.commit({"a.py": BODY})
    repo.branch("side")
    repo.git("mv", "a.py", "b.py")
    repo.commit()
    repo.switch("main")
    repo.commit({"x.py": "x = 1\n"})
    repo.git("merge", "--quiet", "--no-edit", "side")
    assert names(repo, "a.py") == {"b.py": ("a.py",)}


def test_sha256_and_paths_that_git_quotes(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo("sha256", "--object-format=sha256")
    odd = ['tab\tand "quote".py', "new\nline.py", "caf\udce9.py", ":(glob)*.py"]
    repo.commit({name: f"{n}\n{BODY}" for n, name in enumerate(odd)})
    for n, name in enumerate(odd):
        repo.git("mv", "--", f"./{name}", f"moved{n}.py")
    repo.commit()
    assert names(repo, *odd) == {f"moved{n}.py": (name,) for n, name in enumerate(odd)}


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../up", "./a.py", "a//b", "a/../b", "nul\0", ".."]
)
def test_a_path_that_git_would_refuse_is_left_alone(repo: Repo, path: str) -> None:
    assert names(repo, path) == {}
    assert missing_paths(opened(repo), repo.head, [path, "README.md", "none"]) == {"none"}


def test_many_paths_are_asked_in_batches(repo: Repo) -> None:
    repo.commit({"a.py": BODY})
    repo.git("mv", "a.py", "b.py")
    repo.commit()
    assert names(repo, "a.py", *(f"none/{'x' * 200}{n}.py" for n in range(1200))) == {
        "b.py": ("a.py",)
    }
