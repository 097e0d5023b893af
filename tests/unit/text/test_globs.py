"""Names against globs: the same answers as `fnmatch` gives, one by one."""

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.text.paths import glob_matcher

_NAMES = st.text("ab.*?[]-!\n", max_size=6)


@given(st.lists(_NAMES, max_size=4), _NAMES)
def test_it_answers_as_fnmatch_does(globs: list[str], name: str) -> None:
    assert glob_matcher(globs)(name) == any(fnmatchcase(name, glob) for glob in globs)


def test_names_and_globs() -> None:
    fits = glob_matcher(["package.json", "eslint.config.*", "*.min.js"])
    assert [fits(name) for name in ("package.json", "eslint.config.mjs", "a.min.js")] == [True] * 3
    assert not any(map(fits, ("Package.json", "xpackage.json", "eslint.config", "a.min.jsx", "")))
    assert not glob_matcher([])("")
