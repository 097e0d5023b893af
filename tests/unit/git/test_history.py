"""The commits of a range: read one by one where they are few and plain, and the same as git lists
them."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewgate_gh.git import open_repository
from reviewgate_gh.git.history import _line, _listed, commits_between
from tests.support import Repo

WORDS = st.text(st.sampled_from("ab <>\n\t\r\x0b\x1fé:-"), max_size=12) | st.sampled_from(
    ["a", "a: b", "a\n", "a\n\nb \n"]
)
HEADERS = st.sampled_from(["", "encoding ISO-8859-1\n", "x y\n"])


@pytest.mark.contract(plain=False)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(WORDS, min_size=1, max_size=3), author=WORDS, mail=WORDS, extra=HEADERS)
def test_what_is_read_is_what_git_lists(
    repo: Repo, messages: list[str], author: str, mail: str, extra: str
) -> None:
    tree, at = repo.git("rev-parse", "HEAD^{tree}"), repo.head
    one_line = author.replace("\n", " "), mail.replace("\n", " ")
    for message in messages:
        text = (
            f"tree {tree}\nparent {at}\nauthor {one_line[0]}<{one_line[1]}> 1 +0000\n"
            f"committer c <c@d> 1 +0000\n{extra}\n{message}"
        )
        at = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=text)
    git = open_repository(repo.path, os.environ)
    line = _line(git, repo.head, at)
    assert line in (None, _listed(git, repo.head, at))


def test_plain_commits_in_a_line_are_read_and_others_are_listed(repo: Repo) -> None:
    git, start = open_repository(repo.path, os.environ), repo.head
    first = repo.commit({"a": "1"}, "One change")
    second = repo.commit({"a": "2"}, "Another\n\nwith a body\n")
    assert [each.subject for each in _line(git, start, second) or ()] == ["Another", "One change"]
    assert _line(git, git.empty_tree, start) == _listed(git, git.empty_tree, start) != ()
    assert _line(git, second, second) == () == _listed(git, second, second)
    repo.git("checkout", "--quiet", "-b", "side", first)
    side = repo.commit({"b": "1"}, "Beside")
    assert _line(git, second, side) is None and [
        each.oid for each in commits_between(git, second, side)
    ] == [side]
    repo.git("merge", "--quiet", "--no-edit", second)
    assert _line(git, start, repo.head) is None and len(commits_between(git, start, repo.head)) == 4


@pytest.mark.parametrize("count", [8, 9])
def test_a_long_line_is_listed(repo: Repo, count: int) -> None:
    start = repo.head
    for number in range(count):
        repo.commit({"a": str(number)}, f"Change {number}")
    git = open_repository(repo.path, os.environ)
    assert (_line(git, start, repo.head) is None) is (count == 9)
    assert [each.subject for each in commits_between(git, start, repo.head)] == [
        f"Change {number}" for number in reversed(range(count))
    ]
    assert commits_between(git, start, repo.head) == _listed(git, start, repo.head)


def test_below_the_end_of_a_shallow_clone_there_is_nothing(repo: Repo, tmp_path) -> None:
    for number in range(4):
        repo.commit({"a": str(number)}, f"Change {number}")
    shallow = tmp_path / "shallow"
    repo.git("clone", "--quiet", "--depth=2", f"file://{repo.path}", str(shallow))
    git = open_repository(shallow, os.environ)
    assert len(commits_between(git, git.empty_tree, repo.head)) == 2
