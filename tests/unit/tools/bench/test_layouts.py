"""Data sets in each layout, whole and damaged."""

import json
import os
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.errors import ConfigError, GateError, UsageError
from reviewgate_gh.model.finding import Priority
from reviewgate_gh.tools.bench.case import (
    CommitSource,
    ExpectedPlace,
    Origin,
    OriginSource,
    PatchSource,
    TreeSource,
)
from reviewgate_gh.tools.bench.dataset import layouts, read_dataset
from reviewgate_gh.tools.bench.layouts import bcbench, folder, missed_caller
from reviewgate_gh.tools.bench.patch import read_sides
from tests.support import ROOT

from .cases import CODE, DIVISION, add_case, write

PATCH = "--- /dev/null\n+++ b/a.al\n@@ -0,0 +1 @@\n+x\n"
COMMENT = {"file": "a.al", "line_start": 1, "line_end": 1, "severity": "high", "domain": "style"}
BC = {
    "instance_id": "one",
    "patch": PATCH,
    "expected_comments": [{**COMMENT, "body": "Wrong name. Use another."}],
    "expect_findings": True,
    "description": "what is wrong here: the name",
}
STALE = {
    "id": "m1",
    "repo": "o/r",
    "base": "a" * 40,
    "commit": "b" * 40,
    "left_out": "use.py",
    "stale": ["use.py:3"],
    "also_stale": ["use.py:7"],
}
PULL = {
    "pr_title": "t",
    "url": "https://github.com/mirror/fork/pull/1",
    "original_url": "https://github.com/o/r/pull/22",
    "comments": [{"comment": "A race", "severity": "Critical", "category": "bug"}],
}


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_each_layout_is_recognised_by_its_content(tmp_path: Path) -> None:
    add_case(tmp_path / "own/deep/case", [DIVISION], {"a.py": CODE})
    clean = {**BC, "instance_id": "two", "expected_comments": [], "expect_findings": False}
    sets = {
        "bcbench": jsonl(tmp_path / "bc", BC, clean),
        "missed-caller": jsonl(tmp_path / "mc", STALE),
        "martian": tmp_path / "golden.json",
        "folder": tmp_path / "own",
    }
    sets["martian"].write_text(json.dumps([PULL]))
    assert sorted(sets) == sorted(layouts())
    found = {name: read_dataset(path) for name, path in sets.items()}
    assert {name: each.layout for name, each in found.items()} == {name: name for name in sets}
    one, two = found["bcbench"].cases
    assert one.source == PatchSource(PATCH.encode()) and two.expected == ()
    assert one.expected[0].places == (ExpectedPlace("a.al", 1, 1),)
    assert (one.expected[0].text, one.expected[0].priority) == (
        "Wrong name\nUse another.",
        Priority.P1,
    )
    [stale] = found["missed-caller"].cases
    assert stale.source == CommitSource("a" * 40, "b" * 40, "o/r", "use.py")
    assert stale.expected[0].places == (
        ExpectedPlace("use.py", 3, 3),
        ExpectedPlace("use.py", 7, 7),
    )
    [pull] = found["martian"].cases
    assert pull.source == OriginSource((Origin("mirror/fork", 1), Origin("o/r", 22)))
    assert (pull.expected[0].places, pull.expected[0].priority) == ((), Priority.P0)
    [own] = found["folder"].cases
    assert own.id == "deep/case" and isinstance(own.source, TreeSource)
    assert own.source.head == {"a.py": ("100644", CODE.encode())}


def test_nothing_of_a_data_set_but_the_change_is_in_what_is_reviewed() -> None:
    """Descriptions of cases tell what is wrong."""
    assert "description" not in bcbench._Row.__struct_fields__
    assert "symbol" not in missed_caller._Row.__struct_fields__


def test_the_keys_of_a_case_and_the_layouts_are_in_the_manual() -> None:
    text = (ROOT / "docs/bench.md").read_text("utf-8")
    keys = {*folder.CaseFile.__struct_fields__, *folder.Expected.__struct_fields__}
    missing = [name for name in (*keys, *layouts()) if not re.search(rf"`[^`]*\b{name}\b", text)]
    assert missing == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"patch": 1}, r"bc:2: Expected `str`, got `int` - at `\$.patch`"),
        ({"expect_findings": False}, "bc:2: expect_findings contradicts expected_comments"),
        ({"expected_comments": [{**COMMENT, "body": "b", "line_end": 0}]}, "bc:2: lines 1 to 0"),
        ({"expected_comments": [{**COMMENT, "body": "b", "severity": "x"}]}, "unknown severity"),
        ({"expected_comments": [{**COMMENT, "body": "b", "file": "../a"}]}, "not a valid path"),
        ({"instance_id": "one"}, "2 cases are called 'one'"),
    ],
)
def test_a_row_that_is_wrong_is_named_by_its_line(tmp_path: Path, wrong, why: str) -> None:
    path = jsonl(tmp_path / "bc", BC, {**BC, "instance_id": "two", **wrong})
    with pytest.raises(ConfigError, match=why):
        read_dataset(path)


@given(drawn=st.data())
def test_damaged_rows_are_one_line_of_error_or_all_cases(drawn, tmp_path_factory) -> None:
    row = drawn.draw(st.sampled_from([BC, STALE]))
    text = b"".join(
        json.dumps({**row, name: f"case{at}"}).encode() + b"\n"
        for at in range(3)
        for name in ("instance_id", "id")
        if name in row
    )
    at = drawn.draw(st.integers(0, len(text)))
    cut = drawn.draw(st.integers(0, 40))
    noise = drawn.draw(
        st.one_of(st.binary(max_size=30), st.sampled_from([b"NaN", b"1e999", b"[["]))
    )
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    path.write_bytes(text[:at] + noise + text[at + cut :])
    try:
        found = read_dataset(path)
    except GateError as error:
        found = error
    if isinstance(found, GateError):
        assert found.exit in (64, 78) and "\n" not in found.message and found.hint
    else:
        # A cut may join two rows to one, or end before the last
        assert 1 <= len(found.cases) <= 3


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"case.yaml": "expected: []"}, "a case needs one of change.patch, head/ and `commits`"),
        ({"case.yaml": "{}", "change.patch": PATCH}, "expected"),
        (
            {"case.yaml": "expected: [{path: a, lines: 3-1, text: t}]", "change.patch": PATCH},
            "lines must be like 12 or 12-14, not 3-1",
        ),
        (
            {"case.yaml": "expected: [{lines: 3}]", "change.patch": PATCH},
            "one must say what is expected",
        ),
        ({"case.yaml": "{expected: [], commits: main..HEAD}"}, "'main' is not a commit"),
        ({"case.yaml": "{expected: [], repository: x}", "change.patch": PATCH}, "without commits"),
        ({"case.yaml": "{expected: [], lines: 1}", "change.patch": PATCH}, "lines"),
    ],
)
def test_a_case_of_ones_own_that_is_wrong_is_named(tmp_path: Path, files, why: str) -> None:
    write(tmp_path / "cases/one", files)
    with pytest.raises(ConfigError, match="cases/one") as caught:
        read_dataset(tmp_path / "cases")
    assert why in caught.value.message


def test_no_link_leads_out_of_a_data_set_and_no_pipe_is_waited_for(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, {"secret.txt": "mine", "case.yaml": "expected: []", "p": PATCH})
    add_case(tmp_path / "cases/one", [], {"a.py": CODE})
    one = tmp_path / "cases/one"
    (one / "head/link").symlink_to("/etc/passwd")
    (one / "head/folder").symlink_to(outside)
    [case] = read_dataset(tmp_path / "cases").cases
    assert case.source.head["link"] == ("120000", b"/etc/passwd")
    assert case.source.head["folder"] == ("120000", os.fsencode(outside))
    assert len(case.source.head) == 3
    (tmp_path / "cases/two").symlink_to(outside)
    assert len(read_dataset(tmp_path / "cases").cases) == 1
    for name, target in (("head", outside), ("base", outside), ("change.patch", outside / "p")):
        bad = tmp_path / name / "bad"
        more = {"change.patch": PATCH} if name == "base" else {}
        write(bad, {"case.yaml": "expected: []", **more})
        (bad / name).symlink_to(target)
        with pytest.raises(ConfigError, match="is not a"):
            read_dataset(tmp_path / name)
    os.mkfifo(one / "head/pipe")
    with pytest.raises(ConfigError, match="pipe is not a regular file"):
        read_dataset(tmp_path / "cases")


def test_what_is_no_data_set_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path, jsonl(tmp_path / "x", {"a": 1})):
        with pytest.raises(UsageError):
            read_dataset(path)
    with pytest.raises(ConfigError, match="x:1: Object missing required field"):
        read_dataset(tmp_path / "x", "bcbench")


def test_the_digest_of_a_case_is_of_its_content(tmp_path: Path) -> None:
    for name in ("here", "there"):
        add_case(tmp_path / name / "one", [DIVISION], {"a.py": CODE})
    here, there = (read_dataset(tmp_path / name).cases[0] for name in ("here", "there"))
    assert here.digest == there.digest and here.folder != there.folder
    expected = [{**DIVISION, "lines": "2-3"}]
    (tmp_path / "here/one/case.yaml").write_text(yaml.safe_dump({"expected": expected}))
    assert read_dataset(tmp_path / "here").cases[0].digest != there.digest


@pytest.mark.peer
def test_the_real_data_sets_are_read_and_their_places_are_in_the_patches(data: Path) -> None:
    found = read_dataset(data / "bcbench-dev.jsonl")
    assert len(found.cases) == 76 and sum(len(each.expected) for each in found.cases) == 104
    for case in found.cases:
        _base, head = read_sides(case.source.patch, None)
        for expected in case.expected:
            [place] = expected.places
            assert place.line_end <= head[place.path][1].count(b"\n")
    assert len(read_dataset(data / "missed-caller-dev.jsonl").cases) == 72
