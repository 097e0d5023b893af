"""PHPStan without the packages that the project requires."""

import json
from pathlib import Path

import pytest

from reviewgate_gh.model.review import Review
from reviewgate_gh.reviewers.linters import phpstan
from reviewgate_gh.reviewers.linters._uninstalled_php import without_unknown_packages

_TIP = "Learn more at https://phpstan.org/user-guide/discovering-symbols"
_REQUIRES: dict[str, object] = {"require": {"php": "^8.1", "x/y": "^1"}}


def _review() -> Review:
    """As 2.1 answers: names that it does not know in one file, a mistake in both."""
    unknown = {"message": "Class X not found.", "line": 3, "identifier": "class.notFound"}
    method = {"message": "No method A::b().", "line": 4, "identifier": "method.notFound"}
    files = {
        "a.php": {"messages": [{**unknown, "tip": _TIP}, method]},
        "b.php": {"messages": [method]},
    }
    said = json.dumps({"files": files, "errors": []}).encode()
    found = tuple(phpstan.parse([said]))
    return Review("linters", "phpstan", findings=found, found=3, covered=("a.php", "b.php"))


@pytest.mark.parametrize(
    ("manifest", "place"),
    [
        (_REQUIRES, "vendor/autoload.php"),
        ({"require-dev": {"x/y": "*"}}, "vendor/autoload.php"),
        ({**_REQUIRES, "config": {"vendor-dir": "lib"}}, "lib/autoload.php"),
        ({**_REQUIRES, "config": {"vendor-dir": 3}}, "vendor/autoload.php"),
    ],
)
def test_a_name_that_a_package_may_bring_is_no_finding_before_it_is_installed(
    tmp_path: Path, manifest: dict[str, object], place: str
) -> None:
    (tmp_path / "composer.json").write_text(json.dumps(manifest))
    left = without_unknown_packages(_review(), tmp_path)
    assert [(each.path, each.rule) for each in left.findings] == [
        ("a.php", "phpstan/method.notFound"),
        ("b.php", "phpstan/method.notFound"),
    ]
    assert (left.found, left.covered) == (2, ("b.php",)) and f"no {place} is here" in left.note
    (tmp_path / place).parent.mkdir()
    (tmp_path / place).write_text("<?php\n")
    assert without_unknown_packages(_review(), tmp_path) == _review()


@pytest.mark.parametrize(
    "manifest", ['{"require": {"php": "^8.1", "ext-json": "*"}}', "{", "[]", '{"require": 3}', None]
)
def test_where_the_project_requires_no_package_the_name_is_missing(
    tmp_path: Path, manifest: str | None
) -> None:
    if manifest is not None:
        (tmp_path / "composer.json").write_text(manifest)
    assert without_unknown_packages(_review(), tmp_path) == _review()
