"""A change that one question does not hold."""

from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.ensemble.batches import MAX_BATCHES, outline, split_files
from reviewgate_gh.ensemble.prompt import estimate_tokens
from reviewgate_gh.findings.code_search import CodeIndex
from reviewgate_gh.findings.lines import FileText, file_text
from reviewgate_gh.findings.scope import ChangedLines
from tests.unit.support import change, edited

FILE = edited(
    "store.py",
    " import os",
    "-import json",
    "+import yaml",
    " ",
    "-def save(item):",
    "-    total = item",
    "+async def save(item, step):",
    "+    return item",
    "+LIMIT = 3",
    " class Other:",
    start=3,
)


def text(number: int, tokens: int, cut: bool = False) -> FileText:
    return FileText(f"f{number}", "x" * (4 * tokens), cut)


def paths(batches: list[list[FileText]]) -> list[list[str]]:
    return [[each.path for each in batch] for batch in batches]


def test_files_that_fit_are_one_batch():
    texts = [text(1, 40), text(2, 60)]
    assert split_files(texts, 100, 20) == ([texts], ())
    assert split_files([], 100, 20) == ([[]], ())


def test_more_files_are_read_in_their_order_and_leave_room_for_the_code_beside_them():
    batches, cut = split_files([text(at, 30) for at in range(7)], 120, 20)
    assert paths(batches) == [["f0", "f1", "f2"], ["f3", "f4", "f5"], ["f6"]] and not cut


def test_a_file_that_fits_a_batch_alone_leaves_no_room_beside_it():
    batches, cut = split_files([text(1, 97), text(2, 10), text(3, 60)], 100, 20)
    assert paths(batches) == [["f1"], ["f2", "f3"]] and not cut


def test_a_file_that_no_batch_holds_and_one_that_is_cut_are_named():
    batches, cut = split_files([text(1, 50), text(2, 101), text(3, 30, cut=True)], 100, 0)
    assert (paths(batches), cut) == ([["f1", "f3"]], ("f2", "f3"))


def test_files_that_use_what_others_define_are_read_together():
    """Each caller is with what it calls, however far apart their paths are; names that many files
    define or mention tie nothing together."""

    def shown(path: str, *rows: str) -> FileText:
        body = [f"+{at:>6} | {row}" for at, row in enumerate(rows, 1)]
        return FileText(path, "\n".join([f"=== {path} (modified)", "@@", *body, "x" * 160]), False)

    texts = [
        shown("a/one.py", "def load_items(path):", "    common = 1"),
        shown("b/two.py", "class Basket:", "    common = 2"),
        shown("m/plain.py", "value = 3", "    common = 3"),
        shown("y/other.py", "    Basket().fill()", "    common"),
        shown("z/user.py", "    load_items(here)", "    common"),
    ]
    size = max(estimate_tokens(each.text) for each in texts)
    batches, cut = split_files(texts, 2 * size + 2, 0)
    assert paths(batches) == [["a/one.py", "z/user.py"], ["b/two.py", "y/other.py"], ["m/plain.py"]]
    assert not cut
    batches, _cut = split_files(texts, size, 0)
    assert [len(batch) for batch in batches] == [1] * 5, "there is no room for two"


@given(st.lists(st.integers(0, 300), max_size=40), st.integers(-10, 250), st.integers(0, 50))
def test_no_file_is_lost_and_no_batch_is_too_large(sizes, room, beside):
    texts = [text(at, size) for at, size in enumerate(sizes)]
    batches, cut = split_files(texts, room, beside)
    read = [path for batch in paths(batches) for path in batch]
    assert sorted([*read, *cut]) == sorted(each.path for each in texts)
    numbers = [[int(path.removeprefix("f")) for path in batch] for batch in paths(batches)]
    assert numbers == [sorted(batch) for batch in numbers]
    assert 1 <= len(batches) <= MAX_BATCHES
    for batch in batches:
        assert sum(estimate_tokens(each.text) for each in batch) <= max(0, room)


def test_the_outline_shows_what_others_depend_on_where_it_stands():
    assert outline([file_text(FILE)], 1000) == (
        "=== store.py (modified)\n@@\n-     4 | import json\n+     4 | import yaml\n"
        "@@\n-     6 | def save(item):\n@@\n+     6 | async def save(item, step):\n"
        "@@\n+     8 | LIMIT = 3\n"
    )
    index = CodeIndex(ChangedLines(change(FILE)))
    place = index.find("store.py", "async def save(item, step):", 0)
    assert place and (place.side, place.start) == ("RIGHT", 6)


def test_what_the_outline_does_not_hold_is_counted():
    files = [edited(f"f{at}.py", f"+def f{at}():") for at in range(9)]
    said = outline(map(file_text, files), 30)
    assert said.startswith("=== f0.py") and said.endswith("\nand 7 more files"), said
    many = edited("a.py", *(f"+def f{at}():" for at in range(99)))
    assert outline([file_text(many)], 9999).count("+") == 40


def test_a_secret_of_several_lines_is_none_the_less_one_in_the_outline():
    key = ["-----BEGIN RSA PRIVATE " + "KEY-----", "MIIEpAIBAAKCAQEA" * 4, "hUnTeR2sEcReTtAiL=="]
    rows = [f"+{row}" for row in (*key, "-----END RSA PRIVATE " + "KEY-----", "NAME = 1")]
    said = outline([file_text(edited("notes.txt", *rows))], 1000)
    assert said == "=== notes.txt (modified)\n@@\n+     5 | NAME = 1\n"
