"""Functions that a loop defines: which of them see the values of their own turn."""

import pytest

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import ruff

LOOP = """for x in xs:
    def get(key):
        return x[key]
    {}
{}
"""


@pytest.mark.parametrize(
    ("inside", "behind", "priority"),
    [
        ("print(get('a'), get('b'))", "", Priority.P3),
        ("if get('a'):\n        found = [get(k) for k in 'ab']", "", Priority.P3),
        ("kept.append(get)", "", Priority.P2),
        ("run(get)", "", Priority.P2),
        ("kept.append(lambda: get('a'))", "", Priority.P2),
        ("kept.append(get(k) for k in 'ab')", "", Priority.P2),
        ("def other():\n        return get('a')", "other()", Priority.P2),
        ("get('a')", "get('b')", Priority.P2),
        ("table = {'a': get}\n    get('a')", "", Priority.P2),
        ("pass", "", Priority.P2),
        ("get('a'", "", Priority.P2),
    ],
)
def test_what_the_loop_calls_itself_sees_its_turn(
    inside: str, behind: str, priority: Priority
) -> None:
    source = LOOP.format(inside, behind)
    found = Finding(Priority.P2, "lint", "ruff/B023", "a.py", 3, 3, "t")
    assert ruff.relocate(found, source.encode).priority is priority


@pytest.mark.parametrize(
    "source",
    [
        "for x in xs:\n    @register\n    def get():\n        return x\n    get()\n",
        "for x in xs:\n    def get():\n        yield x\n    kept.append(get())\n",
        "for x in xs:\n    async def get():\n        return x\n    kept.append(get())\n",
        "for x in xs:\n    kept.append(lambda: x)\n",
    ],
)
def test_what_is_kept_or_run_later_sees_the_last_turn(source: str) -> None:
    line = next(n for n, row in enumerate(source.split("\n"), 1) if row.strip().endswith(" x")
                or "lambda" in row)  # fmt: skip
    found = Finding(Priority.P2, "lint", "ruff/B023", "a.py", line, line, "t")
    assert ruff.relocate(found, source.encode).priority is Priority.P2
