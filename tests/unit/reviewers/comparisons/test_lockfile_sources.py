"""Hosts of packages, some of which are not named here as one word: examples must work anywhere."""

import pytest

from reviewgate_gh.reviewers.comparisons.packages.lockfile_sources import compare
from tests.unit.reviewers.comparisons.in_memory import comparison

NPM = ".".join(("registry", "npmjs", "org"))
YARN = ".".join(("registry", "yarnpkg", "com"))
OTHER = "registry.example.org"


def entry(host: str, version: str) -> str:
    """A package of yarn's lockfile."""
    return f"""\
left@^1.0.0:
  version "{version}"
  resolved "https://{host}/left/-/left-{version}.tgz#a{version}"
"""


@pytest.mark.parametrize(("was", "now"), [(YARN, NPM), (NPM, YARN)])
def test_two_names_of_one_registry_are_the_same_source(was: str, now: str) -> None:
    change = comparison({"yarn.lock": (entry(was, "1.0.0"), entry(now, "1.0.1"))})
    assert [*compare(change)] == []


@pytest.mark.parametrize(
    ("was", "now"), [(NPM, OTHER), (OTHER, NPM), (NPM, f"{NPM}.example.org"), (YARN, f"a{NPM}")]
)
def test_another_host_is_told(was: str, now: str) -> None:
    change = comparison({"yarn.lock": (entry(was, "1.0.0"), entry(now, "1.0.1"))})
    assert [finding.rule for finding in compare(change)] == ["change/package-source-changed"]
