"""Files that were written to break the analysis: it ends, and says what it can."""

import pytest

from reviewgate_gh.reviewers.taint.engine import find_hits, judge_sinks

HEAD = "import os\nfrom flask import request\nx = request.args['a']\n"
SINK = "os.system(x)\n"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "x = " + "(" * 150 + "1" + ")" * 150,
        "x = " + "-" * 20_000 + "1",
        "x = " + "not " * 20_000 + "1",
        "x = a" + ".b" * 20_000,
        "x = a" + "[0]" * 20_000,
        "x = a" + "()" * 5_000,
        "x = " + "lambda: " * 5_000 + "1",
        "x = " + "1 if a else " * 5_000 + "2",
        "x = " + "{1: " * 1_000 + "1" + "}" * 1_000,
        "".join(f"{' ' * n}if a:\n" for n in range(99)) + " " * 99 + "pass\n",
        "x = 'a' * 10 ** 9 * 10 ** 9\n",
        "x = 9 ** 9 ** 9\n",
        "x = 'a'.replace('', 'b' * 400).replace('', 'c' * 400).replace('', 'd' * 400)\n",
        "def f(a):\n    return f(a) + g(a)\ndef g(a):\n    return f(g(a))\nf(request.args['a'])\n",
        "\0",
        "x = '\ud800'",
    ],
    ids=range(17),
)
def test_nothing_breaks_it(text: str) -> None:
    data = (HEAD + text).encode("utf-8", "surrogatepass")
    find_hits(data), judge_sinks(data)


def test_a_deep_expression_hides_no_other_one() -> None:
    deep = "y = a" + "()" * 200 + "\n"
    assert len(find_hits((HEAD + deep + SINK).encode())) == 1


def test_a_long_sum_is_read_to_its_end() -> None:
    text = HEAD + "os.system(" + " + ".join(["'a'"] * 900) + " + x)\n"
    assert len(find_hits(text.encode())) == 1


def test_a_long_chain_of_elifs_is_no_deep_nesting() -> None:
    chain = "".join(f"elif y == {n}:\n    z = {n}\n" for n in range(500))
    assert len(find_hits(f"{HEAD}if y == 'a':\n    z = x\n{chain}os.system(z)\n".encode())) == 1


def _followed(number: int) -> int:
    """How many nodes of followed calls are gone through."""
    import ast

    from reviewgate_gh.reviewers.taint.binding import Shared
    from reviewgate_gh.reviewers.taint.engine import _run

    calls = "".join(f"    f{n + 1}(a)\n    f{n + 1}(a)\n" for n in range(1))
    functions = "".join(f"def f{n}(a):\n" + calls.replace("f1", f"f{n + 1}") for n in range(number))
    shared = Shared(frozenset({"flask"}))
    _run(shared, ast.parse(f"{HEAD}{functions}" + "f0(x)\n" * number))
    return shared.inlined


@pytest.mark.contract(plain=False)
def test_followed_calls_are_bounded() -> None:
    assert _followed(2_000) <= 60_000
