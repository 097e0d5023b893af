"""docs/specification.md is made of behaviours.txt and of the marks: `python -m tests.specification`
writes it.

A behaviour is a line of behaviours.txt; a test that shows it is marked
`@pytest.mark.req("R003-047")`.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent
DOCUMENT = TESTS.parent / "docs/specification.md"
_HEAD = """\
# Specification

Each row is a behaviour that users may rely on, with the files of the tests that show it. An id
never changes, and is never given to another behaviour; their numbers have gaps.

This file is generated. To add a behaviour, add a line to `tests/behaviours.txt`, mark its test with
`@pytest.mark.req("R003-047")`, and run `.venv/bin/python -m tests.specification`.
"""
_SUBJECTS = {
    "R000": "Reviews of several issues in an orchestrated run",
    "R001": "The review-gate contract and external gates",
    "R002": "Epic verification",
    "R003": "Review, publishing and presubmit",
    "R004": "Reviews of documents",
    "R005": "Coverage: who read each changed file",
    "R006": "What counts as new in a change",
    "R007": "Identity of findings",
    "R008": "Trust",
    "R009": "Bounds, and how runs end",
    "R010": "Coding agents that use the gate",
}


def behaviours() -> list[tuple[str, str]]:
    """The lines of behaviours.txt: id and behaviour."""
    lines = (TESTS / "behaviours.txt").read_text("utf-8").splitlines()
    return [(key, text) for key, _, text in (line.partition(" ") for line in lines)]


@cache
def marked() -> dict[str, list[str]]:
    """Which files of tests name an id with `pytest.mark.req`, `pytest.param(marks=...)` and
    `pytestmark` included."""
    files = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        name = path.relative_to(TESTS)
        if name.parts[0] != "peers":
            for key in _ids(path):
                files[key].add(name.as_posix())
    return {key: sorted(names) for key, names in files.items()}


def _ids(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if "mark.req(" in text else ():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "req"
        ):
            yield from (ast.literal_eval(argument) for argument in node.args)


def document() -> str:
    """What docs/specification.md holds."""
    files, text = marked(), _HEAD
    for subject, title in _SUBJECTS.items():
        rows = [(key, said) for key, said in behaviours() if key.startswith(subject)]
        shown = (
            f"| {key} | {said} | {' '.join(map(_link, files.get(key, ())))} |\n"
            for key, said in rows
        )
        text += f"\n## {title}\n\n| id | behaviour | tests |\n| --- | --- | --- |\n{''.join(shown)}"
    return text


def _link(name: str) -> str:
    return f"[{Path(name).stem.removeprefix('test_')}](../tests/{name})"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")
