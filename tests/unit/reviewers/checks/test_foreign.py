"""What findings weigh in copies of libraries, and that what a machine starts is none of them."""

from types import ModuleType

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.change import FileDiff
from reviewgate_gh.reviewers.checks import (
    conflict_markers,
    gate_config,
    hidden_text,
    json_keys,
    secrets,
    structure,
    syntax,
    yaml_keys,
)
from reviewgate_gh.reviewers.checks._foreign import may_start, weigh_foreign
from reviewgate_gh.reviewers.checks._paths import is_foreign
from tests.unit.reviewers.checks.support import edited, new, sources
from tests.unit.reviewers.checks.test_secrets import KEY, PASSWORD, TOKEN

RLO, NO_WIDTH = "\u202e", "\u200b"
CONFLICT = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"


@pytest.mark.parametrize(
    ("path", "foreign"),
    [
        ("vendor/a/b.go", True),
        ("web/vendors/a.js", True),
        ("static/js/jquery-3.7.1.js", True),
        ("static/core/coreapi-0.1.1.8851fb9336c9.js", True),
        ("static/js/app-v2.js", False),
        ("public/build/app-rtl.7ffe5d96.css", True),
        ("src/orders.deadbeef.js", False),
        ("src/third_party/a.c", True),
        ("3rdparty/a.c", True),
        ("app/node_modules/a/index.js", True),
        ("static/jquery.min.js", True),
        ("static/app.bundle.js", True),
        ("dist/index.js", True),
        ("deps/redis/a.c", True),
        ("external/a/b.c", True),
        ("app/api/deps/auth.py", False),
        ("deps/auth.py", False),
        ("src/external/client.py", False),
        ("src/vendor.py", False),
        ("distribution/a.py", False),
    ],
)
def test_copies_by_their_path(path: str, foreign: bool) -> None:
    assert is_foreign(path) is foreign


def weighed(check: ModuleType, *files: FileDiff, starts: bool = False, text: str = "") -> set[str]:
    given = replace(
        sources(*files, contents={file.path: text for file in files}), starts=lambda _file: starts
    )
    return {finding.priority.value for finding in weigh_foreign(check.check(given), given)}


@pytest.mark.parametrize(
    ("check", "name", "text", "own", "copy"),
    [
        (secrets, "a.py", f"api_token = '{PASSWORD}'\n", "P0", "P3"),
        (secrets, "a.py", f"x = '{TOKEN}'\n", "P0", "P0"),
        (secrets, "a.py", KEY, "P0", "P0"),
        (secrets, "README.md", KEY, "P0", "P3"),
        (secrets, "docs/a.md", KEY, "P0", "P3"),
        (hidden_text, "a.py", f"x = 1 {NO_WIDTH}\n", "P0", "P3"),
        (hidden_text, "a.py", "x = 1 \x08\n", "P2", "P3"),
        (hidden_text, "a.py", f"x = 1 {RLO}\n", "P0", "P0"),
        (hidden_text, "a.py", "\u0430dmin = 1\n", "P1", "P3"),
        (conflict_markers, "a.py", CONFLICT, "P0", "P3"),
        (json_keys, "a.json", '{"a": 1,\n"a": 2}\n', "P2", "P3"),
        (yaml_keys, "a.yml", "a: 1\na: 2\n", "P2", "P3"),
        (structure, "a.css", "a {\n", "P2", "P3"),
        (syntax, "a.json", "{\n", "P0", "P3"),
        (gate_config, ".husky/pre-commit", "curl x\n", "P2", "P3"),
        (gate_config, ".gitattributes", "*.js -diff\n", "P2", "P2"),
    ],
)
def test_what_says_nothing_of_this_project_is_a_hint(
    check: ModuleType, name: str, text: str, own: str, copy: str
) -> None:
    assert weighed(check, new(f"src/{name}", text), text=text) == {own}
    for folder in ("vendor/lib", "deps/lib"):
        assert weighed(check, new(f"{folder}/{name}", text), text=text) == {copy}


def test_what_a_machine_starts_keeps_its_weight() -> None:
    text = f"#!/bin/sh\napi_token='{PASSWORD}' # {NO_WIDTH}\n"
    for check in (secrets, hidden_text):
        assert weighed(check, new("vendor/a.sh", text)) == {"P3"}
        assert weighed(check, new("vendor/a.sh", text), starts=True) == {"P0"}


def test_a_merge_leaves_markers_in_a_copy_that_was_there() -> None:
    file = edited("deps/lib/a.c", " a", *(f"+{row}" for row in CONFLICT.splitlines()))
    assert weighed(conflict_markers, file) == {"P0"}


@pytest.mark.parametrize(
    ("path", "starts"),
    [
        (".github/workflows/ci.yml", True),
        ("Makefile", True),
        ("docker/Dockerfile", True),
        ("package.json", True),
        ("scripts/build.sh", True),
        ("vendor/a/Makefile", False),
        ("templates/index.html", False),
        ("README.md", False),
        ("src/app.js", False),
    ],
)
def test_files_whose_commands_a_machine_runs(path: str, starts: bool) -> None:
    assert may_start(path) is starts
