"""Words in the tree of a commit: what git finds is what a plain reading of the files finds."""

import os
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reviewgate_gh.git import grep, open_repository
from tests.support import Repo

WORDS = st.text(st.sampled_from("ab_1.-$(|[\\*+?{^) é"), min_size=1, max_size=4)


def _holds(row: str, word: str) -> bool:
    """As git sees it: the bytes beside the word are no letter, digit or underscore of ASCII."""
    found = re.finditer(f"(?={re.escape(word)})", row)
    sides = ((row[at.start() - 1 : at.start()], row[at.start() + len(word) :][:1]) for at in found)
    return any(
        not re.match(r"\w", f"{left}", re.ASCII) and not re.match(r"\w", right, re.ASCII)
        for left, right in sides
    )


@pytest.mark.contract(plain=False)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(WORDS | st.builds("{} {}".format, WORDS, WORDS), max_size=8),
    words=st.sets(WORDS, max_size=6),
)
@example(rows=["a.b", "a.bb", "ab a"], words={"a", "a.b", "ab"})
@example(rows=["a(b|c)", "$a^"], words={"(b|c)", "$a", "[", "*"})
def test_what_git_finds_is_what_stands_there(repo: Repo, rows: list[str], words: set[str]) -> None:
    repo.commit({"a.txt": "".join(f"{row}\n" for row in rows) + "zzz"})
    git = open_repository(repo.path, os.environ)
    found = {hit.number for hit in grep.find_words(git, repo.head, words)}
    assert found == {n for n, row in enumerate(rows, 1) if any(_holds(row, w) for w in words)}


def test_what_no_line_can_hold_is_not_found(repo: Repo) -> None:
    repo.commit({"a.txt": "one\ntwo\n"})
    git = open_repository(repo.path, os.environ)
    assert grep.find_words(git, repo.head, ["one\ntwo", "", "a\0b", "\udcff"]) == []


@pytest.mark.parametrize("most", [32_000_000, 40_000])
def test_words_that_are_all_over_hide_no_others(repo: Repo, most: int) -> None:
    """Neither in a file with more lines than are kept, nor where not all of the output is read."""
    loud = "first = second\n" * 60
    repo.commit({f"d/{n:03}.py": loud for n in range(120)} | {"z.py": f"{loud}rare()\nodd.one\n"})
    git = open_repository(repo.path, os.environ)
    words = {"first", "second", "rare", "odd.one", "absent", ""}
    found = grep.find_each_word(git, repo.head, words, 500, most)
    places = {word: [hit[:2] for hit in hits] for word, hits in found.items()}
    assert places.keys() == words
    assert (places["rare"], places["odd.one"]) == ([("z.py", 61)], [("z.py", 62)])
    assert (places["absent"], places[""]) == ([], [])
    assert sum(path == "d/000.py" for path, _line in places["first"]) == 50
    assert len(places["first"]) == len(places["second"])
    assert len(places["first"]) == 5000 or most == 40_000


def test_the_end_of_a_long_line_is_not_read(repo: Repo) -> None:
    repo.commit({"a.py": f"{'x ' * 300}late\nlate é-late\n"})
    git = open_repository(repo.path, os.environ)
    for words in (["late"], ["late", "other"]):
        hits = grep.find_each_word(git, repo.head, words, 500)["late"]
        assert [hit.number for hit in hits] == [2]
