"""When two contents of a settings file say the same to a tool."""

import pytest

from reviewgate_gh.reviewers.linters._settings import is_same_for


@pytest.mark.parametrize(
    ("path", "old", "new", "same"),
    [
        (".oxlintrc.json", b'{"rules": {"a": 1}}', b'{\n  "rules": { "a": 1 }\n}\n', True),
        (".oxlintrc.json", b'{"rules": {"a": 1}}', b'{"rules": {"a": 2}}', False),
        (".oxlintrc.json", b'{"a": 1}', b'{"a": "1"}', False),
        (".oxlintrc.json", b'{"a": 1}', b'{"a": true}', False),
        (".oxlintrc.json", b'{"a": 1}', b'{"a": 2, "a": 1}', False),
        (".oxlintrc.json", b"{", b"{ ", False),
        ("package.json", b'{"xo": {}}', b'{"xo":{}}', True),
        ("ruff.toml", b"a = 1", b"a  = 1", False),
        ("pyproject.toml", b"[tool.ruff]\na = 1\n[x]\n", b"[tool.ruff]\na = 1\n[x]\nb = 1\n", True),
    ],
)
def test_json_that_is_laid_out_in_another_way_says_the_same(
    path: str, old: bytes, new: bytes, same: bool
) -> None:
    assert is_same_for("ruff", path, old, new) is same
