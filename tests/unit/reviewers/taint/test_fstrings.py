"""F-strings of newer Pythons, for the parser of an older one."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.reviewers.taint.engine import find_hits
from reviewgate_gh.reviewers.taint.fstrings import for_older_parser

NEWER = [
    "f'{d['a']}'", 'f"{d["a"]}"', "f'{'\\n'.join(a)}'", "f'{x!r:>{w}}'", "f'a{{b}}{c}'",
    "f'{x:%H:%M}'", "f'{\n  x  # comment }\n}'", "f'{a if b else 'c'}\\'q\\''",
    "f'say \"hi\" {x['a']}'",
    "f'{x=}'", "f'{x==1}'", "f'{d[1:2]}'", "rf'\\d{x['a']}'", "f'{x!=1}'", "b'a' + f'{x['b']}'",
    "f'{'\"'}'", "f\"{x['a']}\" 'b'", "f'{a['b']}' f'{c}'", "f'{x:{'a'}}'", "f'{x:\n{w}\n}'",
    "f'{'a\\\nb'}'", "f'{'a' 'b'}'",
    "f'{'' if x else ''}'", "f'{f'{x}'}'", "f'{f'a\\n{x}'}'", "f'{x.replace('\\'', '')}'",
]  # fmt: skip


@pytest.mark.parametrize("text", NEWER)
def test_any_parser_takes_it(text: str) -> None:
    rewritten = for_older_parser(text)
    assert rewritten.count("\n") == text.count("\n")
    ast.parse(rewritten, feature_version=(3, 11))


def test_the_flow_through_one_is_found() -> None:
    text = (
        "import os\nfrom flask import request\nd = {'a': request.args['q']}\n"
        "os.system(f'ls {d['a']} {'x'}')\nos.system(f'ls {d['b']}')\n"
    )
    assert [hit.first for hit in find_hits(text.encode())] == [4]


def test_an_escaped_quote_is_still_one() -> None:
    text = (
        "import sqlite3\nfrom flask import request\nc = sqlite3.connect('a')\n"
        "q = request.args['q']\n"
        "c.execute(f'SELECT a FROM b WHERE c = {q.replace('\\'', '')}')\n"
    )
    assert find_hits(text.encode()) == ()


@given(st.text(alphabet="f'\"{}()[]!:#\\\\ \nab=", max_size=60))
def test_it_ends_and_keeps_all_lines(text: str) -> None:
    assert for_older_parser(text).count("\n") == text.count("\n")


@given(st.lists(st.sampled_from(["a", " ", "{x}", "{{", '"', "{x + 1}", "{y['k']}"]), max_size=8))
def test_what_every_parser_takes_means_the_same(parts: list[str]) -> None:
    text = f"x = f'''{''.join(parts)}'''\nz = 1"
    before, after = ast.parse(text), ast.parse(for_older_parser(text))
    assert ast.dump(before) == ast.dump(after)
