"""A PHP older than the one that the project requires proves nothing by its syntax errors."""

import json

import pytest

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.model.review import Review
from reviewgate_gh.reviewers.linters._required_php import without_unproven


def _heard(path: str, title: str = 'unexpected token ";", expecting "("') -> Finding:
    return Finding(Priority.P0, "syntax", "php/syntax", path, 2, 2, title)


def _left(
    manifests: dict[str, object], *paths: str, version: str = "8.2.36", title: str = ""
) -> Review:
    found = tuple(_heard(path, title) if title else _heard(path) for path in paths)
    review = Review(
        "linters", "php", findings=found, found=len(found), covered=paths, version=version
    )
    texts = {path: json.dumps(data).encode() for path, data in manifests.items()}
    return without_unproven(review, lambda wanted: {p: texts[p] for p in wanted if p in texts})


def _php(constraint: str, **config: object) -> dict[str, object]:
    return {"require": {"php": constraint, "ext-json": "*"}, "config": config}


@pytest.mark.parametrize(
    ("constraint", "judges"),
    [
        ("^8.4", False),
        (">=8.3", False),
        (">= 8.3 <9", False),
        ("~8.3.0", False),
        ("8.3.*", False),
        ("v8.4", False),
        ("8.3 - 8.5", False),
        ("^8.3 || ^9.0", False),
        ("^8.3|^9.0", False),
        ("<9,>=8.3", False),
        ("^9", False),
        ("^8.2", True),
        (">=8.2.40", True),  # no new syntax comes with a patch
        ("^7.4 || ^8.4", True),
        ("<8.4", True),
        ("<8.4 || ^8.5", True),
        ("!=8.3", True),
        ("*", True),
        ("", True),
        ("dev-main", True),
    ],
)
def test_what_composer_json_requires_decides_whether_php_judges(
    constraint: str, judges: bool
) -> None:
    left = _left({"composer.json": _php(constraint)}, "src/a.php")
    assert (len(left.findings), left.found, len(left.covered)) == (judges, judges, judges), left
    assert bool(left.note) is not judges


def test_the_note_says_which_versions_these_are() -> None:
    left = _left({"composer.json": _php("^8.4")}, "a.php")
    assert left.note == (
        "php 8.2 is older than the 8.4 that composer.json requires, so that what it cannot parse "
        "is not reviewed"
    )


@pytest.mark.parametrize(
    ("manifests", "judges"),
    [
        ({"composer.json": _php("^8.1", platform={"php": "8.4.1"})}, False),
        ({"composer.json": {"config": {"platform": {"php": "8.4"}}}}, False),
        ({"composer.json": _php("^8.4", platform={"php": "8.2"})}, False),
        ({"p/composer.json": _php("^8.4"), "composer.json": _php("^7.4")}, False),
        ({"p/composer.json": {"name": "a/b"}, "composer.json": _php("^8.4")}, False),
        ({"p/composer.json": _php("^8.1"), "composer.json": _php("^8.4")}, True),
        ({"q/composer.json": _php("^8.4")}, True),
        ({"composer.json": {"require": ["php"]}}, True),
        ({"composer.json": 3}, True),
        ({}, True),
    ],
)
def test_the_nearest_manifest_that_says_so_counts(
    manifests: dict[str, object], judges: bool
) -> None:
    assert len(_left(manifests, "p/src/a.php").findings) == judges


@pytest.mark.parametrize(
    ("title", "version"),
    [("Unclosed '{'", "8.2.36"), ("", "8.4.1"), ("", "8.10.0"), ("", "")],
)
def test_what_no_version_reads_stays_and_so_does_what_one_that_is_new_enough_says(
    title: str, version: str
) -> None:
    left = _left({"composer.json": _php("^8.4")}, "a.php", title=title, version=version)
    assert len(left.findings) == left.found == 1 and not left.note


def test_files_below_another_manifest_are_still_judged() -> None:
    left = _left({"new/composer.json": _php("^8.4")}, "new/a.php", "old/a.php")
    assert [finding.path for finding in left.findings] == ["old/a.php"] == [*left.covered]
    assert left.found == 1
