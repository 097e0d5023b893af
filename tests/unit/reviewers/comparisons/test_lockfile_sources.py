"""Hosts of packages, some of which are not named here as one word: examples must work anywhere."""

import pytest

from reviewgate_gh.reviewers.comparisons.packages.lockfile_sources import compare
from tests.unit.reviewers.comparisons.in_memory import comparison

NPM = ".".join(("registry", "npmjs", "org"))
YARN = ".".join(("registry", "yarnpkg", "com"))
PYTHON = ".".join(("pypi", "org"))
PYTHON_FILES = ".".join(("files", "pythonhosted", "org"))
OTHER = "registry.example.org"


def entry(host: str, version: str) -> str:
    """A package of yarn's lockfile."""
    return f"""\
left@^1.0.0:
  version "{version}"
  resolved "https://{host}/left/-/left-{version}.tgz#a{version}"
"""


@pytest.mark.parametrize(("was", "now"), [(YARN, NPM), (NPM, YARN), (PYTHON_FILES, PYTHON)])
def test_two_names_of_one_registry_are_the_same_source(was: str, now: str) -> None:
    change = comparison({"yarn.lock": (entry(was, "1.0.0"), entry(now, "1.0.1"))})
    assert [*compare(change)] == []


@pytest.mark.parametrize(
    ("was", "now"),
    [(NPM, OTHER), (OTHER, NPM), (NPM, f"{NPM}.example.org"), (YARN, f"a{NPM}"), (PYTHON, NPM)],
)
def test_another_host_is_told(was: str, now: str) -> None:
    change = comparison({"yarn.lock": (entry(was, "1.0.0"), entry(now, "1.0.1"))})
    assert [finding.rule for finding in compare(change)] == ["change/package-source-changed"]


CRATES = ".".join(("index", "crates", "io"))
OF_CARGO = (
    '[[package]]\nname = "serde"\nversion = "1.0.0"\nsource = "{}"\nchecksum = "' + "a" * 64 + '"\n'
)


@pytest.mark.parametrize(("host", "told"), [(CRATES, 0), (f"{CRATES}.example.org", 1)])
def test_the_new_address_of_the_registry_of_cargo_is_the_same_source(host: str, told: int) -> None:
    old = "registry+https://github.com/rust-lang/" + ".".join(("crates", "io-index"))
    sides = (OF_CARGO.format(old), OF_CARGO.format(f"sparse+https://{host}/"))
    assert len([*compare(comparison({"Cargo.lock": sides}))]) == told


QUIET = (
    "packages:\n  left@1.0.0:\n    resolution: {{integrity: sha512-a{}}}\n    deprecated: see {}\n"
)
PAGE = "https://developer.example.org/left"


@pytest.mark.parametrize(("host", "told"), [(NPM.replace("org", "com"), 0), (OTHER, 1)])
def test_where_no_source_is_named_it_is_the_usual_registry(host: str, told: int) -> None:
    tarball = f", tarball: https://{host}/left/-/left-1.0.0.tgz"
    sides = (QUIET.format("", PAGE), QUIET.format(tarball, PAGE))
    assert len([*compare(comparison({"pnpm-lock.yaml": sides}))]) == told


NUGET = ".".join(("nuget", "org"))
FEEDS = (
    "<configuration>\n  <packageSources>\n    <clear/>\n{}  </packageSources>\n</configuration>\n"
)


@pytest.mark.parametrize(("host", "told"), [(f"www.{NUGET}", 0), (f"www.{NUGET}.example", 1)])
def test_the_former_address_of_the_registry_of_dotnet_is_no_stranger(host: str, told: int) -> None:
    feed = f'    <add key="feed" value="https://{host}/api/v2/" />\n'
    sides = (FEEDS.format(""), FEEDS.format(feed))
    assert len([*compare(comparison({"NuGet.config": sides}))]) == told
