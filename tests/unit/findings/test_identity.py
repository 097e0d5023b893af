"""By what findings are recognised again, and which earlier one each of them is."""

import random
import string
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.findings.identity import (
    Identity,
    Match,
    all_names,
    identity_of,
    locate_in_code,
    recognise,
    unit_digest,
)
from reviewgate_gh.findings.source_text import SourceText
from reviewgate_gh.model.finding import Finding, Priority, QuotedLine
from tests.unit.support import finding

CALL = 'def archive(folder):\n    name = "x"\n    run(\n        "ls",\n        shell=True,\n    )\n'


def located(code: str, line: int, path: str = "a.py", **fields: object) -> Finding:
    """The finding at that line of the code."""
    at = replace(finding(path, line), **fields)
    [done] = locate_in_code([at], SourceText(path, code.encode()))
    return done


@pytest.mark.req("R007-001")
def test_lines_above_and_beside_it_change_nothing() -> None:
    before = located(CALL, 3)
    assert before.unit == "archive"
    for edited, line in (
        (f"import os\n\n\n{CALL}", 6),
        (CALL.replace('name = "x"', 'name = "another"'), 3),
        (f"{CALL}    return name\n", 3),
        (CALL.replace("    run(", "    run(  # as before"), 3),
    ):
        assert located(edited, line).fingerprint == before.fingerprint, edited


@pytest.mark.parametrize(
    ("old", "new"), [("True", "False"), ('"ls"', "user"), ("archive", "restore"), ("run", "call")]
)
@pytest.mark.req("R007-001")
def test_any_part_of_the_statement_and_the_unit_count(old: str, new: str) -> None:
    assert located(CALL.replace(old, new), 3).fingerprint != located(CALL, 3).fingerprint


@pytest.mark.contract(plain=False)
def test_another_secret_at_the_same_place_is_another_finding() -> None:
    """And the secret itself has so small a part in it that nobody can find it by trying."""
    pick = random.Random(5)

    def with_key() -> str:
        key = "AKIA" + "".join(pick.choices(string.ascii_uppercase + "234567", k=16))
        return located(f'KEY = "{key}"\n', 1).code

    many = [with_key() for _ in range(6_000)]
    assert many[0] != many[1]
    assert 3_000 < len(set(many)) <= 4_096


def test_the_lines_of_a_private_key_count() -> None:
    pick = random.Random(6)

    def key() -> str:
        body = "\n".join("".join(pick.choices(string.ascii_letters, k=64)) for _ in range(5))
        kind = "RSA PRIV" + "ATE KEY"
        return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"

    one, other = (located(key(), 1, line_end=7) for _ in range(2))
    assert one.fingerprint != other.fingerprint


def test_every_name_that_it_may_be_known_by() -> None:
    quote = (QuotedLine(3, "    run("),)
    now = located(CALL, 3, path="new.py", origin="old.py", ordinal=2, excerpt=quote)
    names = all_names(now, {"old.py": ("oldest.py",)})
    assert names[0] == now.fingerprint and names[0].endswith("-2")
    for path in ("old.py", "oldest.py"):
        assert replace(now, path=path).fingerprint in names
        assert replace(now, origin=path).former_fingerprint in names


def said(name: str, title: str = "", **fields: object) -> Identity:
    return replace(Identity((name,), title), **fields)


def matched(known: Identity, now: Identity) -> bool | None:
    """Whether it is the same code; None for another finding."""
    match = recognise([known], [now]).get(0)
    return match and match.same_code


ONE, TWO = "1" * 16, "2" * 16
NULL, INJECTION = "Missing null check on user", "SQL injection through the user's name"


@pytest.mark.parametrize(
    ("known", "now", "same_code"),
    [
        (said(ONE), said(ONE, says_rule=True), True),
        (said(ONE, "as it was"), said(ONE, "in other words", says_rule=True), True),
        (said(ONE, NULL), said(ONE, "user may be null: check is missing"), True),
        (said(ONE, NULL), said(ONE, INJECTION), None),
        (said(ONE), said(ONE, INJECTION), True),
        (said(f"{ONE}-2"), said(ONE, says_rule=True), True),
        (said(ONE, place="p"), said(TWO, place="p"), False),
        (said(ONE, "Use of x1", unit="u"), said(TWO, "Use of x2", unit="u", says_rule=True), False),
        (said(ONE, "Use of x", unit="u"), said(TWO, "Use of y", unit="u", says_rule=True), None),
        (said(ONE, NULL, unit="u"), said(TWO, NULL, unit="u"), False),
        (said(ONE, NULL, path="a", line=7), said(TWO, NULL, path="a", line=11), False),
        (said(ONE, NULL, path="a", line=7), said(TWO, NULL, path="a", line=12), None),
        (said(ONE, NULL, path="a", line=7), said(TWO, NULL, path="b", line=7), None),
        (said(ONE, path="a", line=7), said(TWO, NULL, path="a", line=7), None),
    ],
)
def test_what_is_the_same_and_what_is_not(
    known: Identity, now: Identity, same_code: bool | None
) -> None:
    assert matched(known, now) is same_code


@pytest.mark.req("R007-002")
def test_the_best_match_goes_first() -> None:
    """Of equal statements of which one was edited, the other ones keep what was said of them."""
    code = "def f(a):\n    eval(a)\n    eval(b)\n"
    before = [identity_of(located(code, line, title="Use of eval"), {}) for line in (2, 3)]
    edited = code.replace("eval(a)", "eval(c)")
    after = [identity_of(located(edited, line, title="Use of eval"), {}) for line in (2, 3)]
    assert recognise(before, after) == {1: Match(1, True), 0: Match(0, False)}


def test_at_the_top_of_a_file_an_edited_statement_is_another_one() -> None:
    assert unit_digest(located("eval(a)\n", 1)) == ""


_IDENTITIES = st.lists(
    st.builds(
        Identity,
        st.sampled_from([(ONE,), (TWO,), (ONE, TWO), (f"{ONE}-2",), ("3" * 16,)]),
        st.sampled_from(["", NULL, INJECTION, "Use of eval"]),
        says_rule=st.booleans(),
        place=st.sampled_from(["", "p", "q"]),
        unit=st.sampled_from(["", "u"]),
        path=st.sampled_from(["a", "b"]),
        line=st.integers(0, 9),
    ),
    max_size=6,
)


@given(_IDENTITIES, _IDENTITIES)
@pytest.mark.req("R007-002")
def test_each_is_one_at_most_and_itself_above_all(
    known: list[Identity], now: list[Identity]
) -> None:
    found = recognise(known, now)
    numbers = [match.number for match in found.values()]
    assert len(numbers) == len(set(numbers)) and set(found) <= set(range(len(known)))
    assert recognise(known, now) == found
    free = [now[at] for at in range(len(now)) if at not in numbers]
    for old, new in product((known[at] for at in range(len(known)) if at not in found), free):
        assert matched(old, new) is None, "two that are left over are not the same"


def test_very_many_equal_ones_are_matched_in_their_order() -> None:
    known = [said(f"{ONE}-{at}" if at > 1 else ONE) for at in range(1, 3_001)]
    now = [replace(each, says_rule=True) for each in known]
    assert recognise(known, now) == {at: Match(at, True) for at in range(3_000)}
    assert len(recognise(known, now[:10])) == 10


def test_a_priority_is_no_part_of_it() -> None:
    assert (
        located(CALL, 3, priority=Priority.P0).fingerprint
        == located(CALL, 3, priority=Priority.P3).fingerprint
    )
