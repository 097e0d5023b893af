"""What a model has looked up is code that it may quote, as far as it has to do with the change."""

import pytest

from reviewgate_gh.ensemble.looked_up import looked_up_index, looked_up_pack
from reviewgate_gh.model.finding import CausingPlace
from reviewgate_gh.model.question import ReadLines
from tests.unit.support import change, edited

FILE = edited(
    "store.py",
    " def save(item):",
    "-    return item, legacy_id",
    "+    return item",
    "+    # return the item alone, as item_only() does",
    start=3,
)
TEXT = [
    b"import store",
    *[b""] * 30,
    b"pair = store.save_all(item_only)",
    *[b""] * 9,
    b"value = pair[1]",
    *[b""] * 30,
    b"use(legacy_id)",
    b"for return in if_none: pass",
]


def pack(*lines: ReadLines):
    texts = {"use.py": TEXT, "store.py": [b""] * 9}
    return looked_up_pack(lines, change(FILE), texts.__getitem__)


def test_a_line_names_the_change_by_the_rarest_name_that_both_have():
    causes = pack(ReadLines("use.py", 1, len(TEXT))).causes
    assert causes["use.py", 32] == CausingPlace("store.py", 5), "item_only is rarer than item"
    assert causes["use.py", 73] == CausingPlace("store.py", 3), "of what is gone, the line before"


@pytest.mark.parametrize(("line", "is_shown"), [(1, False), (22, True), (42, True), (43, False)])
def test_ten_lines_around_belong_to_it_and_others_do_not(line, is_shown):
    found = pack(ReadLines("use.py", 1, 60))
    assert (("use.py", line) in found.causes) is is_shown


def test_what_was_not_read_is_not_there_and_what_the_change_shows_is_its_own():
    assert pack() == pack(ReadLines("store.py", 4, 5)) and not pack().files
    assert ("use.py", 32) not in pack(ReadLines("use.py", 33, 40)).causes
    beyond = pack(ReadLines("use.py", 70, 10**15))
    assert max(line for _, line in beyond.causes) == len(TEXT)


def test_all_that_was_read_may_prove_something():
    texts = {"use.py": TEXT}
    code = looked_up_index(
        [ReadLines("use.py", 40, 45), ReadLines("use.py", 1, 1)], change(FILE), texts.__getitem__
    )
    assert code.contains("use.py", "value = pair[1]") and code.contains("", "import store")
    assert not code.contains("use.py", "use(legacy_id)")
