"""A script that runs at install is seen however its manifest is written."""

import pytest

from reviewgate_gh.reviewers.comparisons.packages import install_scripts
from tests.unit.reviewers.comparisons.in_memory import comparison

_SCRIPTS = '"scripts": {"postinstall": "node run.js"}'


@pytest.mark.parametrize(
    "written",
    [
        f'\ufeff{{"name": "a", {_SCRIPTS}}}\n',
        f'{{"deep": {"[" * 3_000}{"]" * 3_000}, {_SCRIPTS}}}\n',
        f'{{"large": {"9" * 6_000}, {_SCRIPTS}}}\n',
        '{"scripts": {"post\\u0069nstall": "node run.js"}}\n',
        f'{{"scripts": {{}}, {_SCRIPTS}}}\n',
    ],
    ids=["byte order mark", "deep", "large number", "escaped", "twice"],
)
def test_it_is_seen(written: str) -> None:
    sources = comparison({"package.json": ('{"name": "a"}\n', written)})
    found = [finding.title for finding in install_scripts.compare(sources)]
    assert found == ["the postinstall script is new"]
