"""Paths that collide, large files, symbolic links outside the repository, submodules."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.reviewers.checks import (
    case_paths,
    large_binaries,
    refused_paths,
    submodules,
    symlinks,
)
from tests.unit.reviewers.checks.support import NONE, edited, new, short, sources


@pytest.mark.parametrize(
    ("fresh", "head", "bad"),
    [
        (["src/Makefile"], ["src/Makefile", "src/makefile", "x"], ["src/Makefile"]),
        (["a", "A"], ["a", "A"], ["a", "A"]),
        (["Docs/a.md"], ["Docs/a.md", "docs/b.md"], []),
        (["Docs/a.md"], ["Docs/a.md", "docs/A.md"], ["Docs/a.md"]),
        (["a/x"], ["A", "a/x"], ["a/x"]),
        (["A"], ["A", "a/x"], ["A"]),
        (["straße"], ["straße", "STRASSE"], ["straße"]),
        (["caf\u00e9"], ["caf\u00e9", "cafe\u0301"], ["caf\u00e9"]),
        (["b"], ["a", "A", "b"], []),
        (["\udcffA"], ["\udcffA", "\udcffa"], ["\udcffA"]),
    ],
)
def test_case_collisions(fresh: list[str], head: list[str], bad: list[str]) -> None:
    given = sources(*map(new, fresh), head_paths=tuple(head))
    assert short(case_paths, given) == [("P1", "case-collision", path) for path in bad]


def test_a_collision_names_the_other_path_and_needs_a_new_name() -> None:
    found = list(case_paths.check(sources(new("README"), head_paths=("README", "readme"))))
    assert "It collides with readme:" in found[0].body
    assert short(case_paths, sources(edited("README", "+x"), head_paths=("README", "readme"))) == []
    moved = new("README", status="R", old_path="x")
    assert short(case_paths, sources(moved, head_paths=("README", "readme"))) == [
        ("P1", "case-collision", "README")
    ]


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("../a.py", True), ("a/../../b", True), ("/etc/a.py", True), ("a//b", True), ("./a", True),
        (".git/config", True), ("sub/.GIT/hooks/x", True),
        (".gitignore", False), ("a..b/c", False), ("...", False),
    ],
)  # fmt: skip
def test_paths_that_git_refuses(path: str, refused: bool) -> None:
    found = [("P0", "refused-path", path)] if refused else []
    assert short(refused_paths, sources(new(path))) == found


@pytest.mark.parametrize(
    ("binary", "size", "found"),
    [(True, 1_000_000, 0), (True, 1_000_001, 1), (False, 5_000_000, 0), (False, 5_000_001, 1)],
)
def test_large_files(binary: bool, size: int, found: int) -> None:
    given = sources(new("a.bin", binary=binary), sizes={"a.bin": size})
    assert short(large_binaries, given) == [("P2", "large-file", "a.bin")] * found


@pytest.mark.parametrize(
    ("path", "size", "priority"),
    [
        ("docs/images/a.png", 2_000_000, "P3"),
        ("docs/images/a.png", 6_000_000, "P2"),
        ("src/a.png", 2_000_000, "P2"),
        ("src/docset/a.png", 2_000_000, "P2"),
    ],
)
def test_a_manual_has_pictures(path: str, size: int, priority: str) -> None:
    given = sources(new(path, binary=True), sizes={path: size})
    assert [each[0] for each in short(large_binaries, given)] == [priority]


@pytest.mark.parametrize(("before", "priority"), [(1_000_001, "P3"), (1_000_000, "P2")])
def test_a_large_file_that_is_made_anew_is_a_habit(before: int, priority: str) -> None:
    file = new("a.wasm", binary=True, status="M", old_mode="100644", old_oid="2" * 40)
    given = sources(file, sizes={"a.wasm": 2_000_000})
    given = replace(given, before=lambda _file: b"x" * before)
    assert short(large_binaries, given) == [(priority, "large-file", "a.wasm")]


def test_a_large_file_that_only_moved_was_there_before() -> None:
    moved = new("b.bin", binary=True, status="R", old_oid="1" * 40)
    assert short(large_binaries, sources(moved, sizes={"b.bin": 9_000_000})) == []
    assert (
        "9.0 MB"
        in next(
            large_binaries.check(sources(new("b.bin", binary=True), sizes={"b.bin": 9_000_000}))
        ).body
    )


@pytest.mark.parametrize(
    ("path", "target", "why"),
    [
        ("link", "file", ""),
        ("a/b/link", "../../c", ""),
        ("a/link", "../.github/x", ""),
        ("a/link", "./b/../c", ""),
        ("a/b/link", "../../../c", "outside the repository"),
        ("link", "..", "outside the repository"),
        ("a/link", "x/../../../etc", "outside the repository"),
        ("link", "/etc/passwd", "absolute"),
        ("link", "C:\\Windows", "absolute"),
        ("link", "\\\\server\\share", "absolute"),
        ("link", ".git/config", ".git"),
        ("a/link", "../.GIT/hooks", ".git"),
        ("a/link", "../.g\u200cit/hooks", ".git"),
        ("link", "git~1/x", ".git"),
        ("link", "x" * 5000, "not a path"),
    ],
)
def test_symbolic_links(path: str, target: str, why: str) -> None:
    found = list(symlinks.check(sources(new(path, target, mode="120000"), contents={path: target})))
    assert [(f.priority.value, f.rule) for f in found] == [("P1", "builtin/symlink-target")] * bool(
        why
    )
    assert all(why in f.title for f in found)


def test_a_regular_file_is_no_link() -> None:
    assert short(symlinks, sources(new("a", "/etc/passwd"), contents={"a": "/etc/passwd"})) == []


def test_submodules() -> None:
    old, fresh = "abcdef0123456789" + "0" * 24, "123456789abcdef0" + "0" * 24
    moved = new(
        "lib",
        f"Subproject commit {fresh}",
        status="M",
        old_mode="160000",
        mode="160000",
        old_oid=old,
        oid=fresh,
    )
    added = new("lib", f"Subproject commit {fresh}", mode="160000", oid=fresh)
    was_file = new("lib", status="T", old_mode="100644", mode="160000", old_oid=old, oid=fresh)
    renamed = new("lib2", status="R", old_mode="160000", mode="160000", old_oid=fresh, oid=fresh)
    gone = new("lib", status="D", old_mode="160000", mode="000000", old_oid=old, oid=NONE)
    found = list(submodules.check(sources(moved, added, was_file, renamed, gone)))
    assert [f.title for f in found] == [
        ("submodule moved "
        "abcdef012345..123456789abc"), "submodule added at 123456789abc", ("submodule added at "
        "123456789abc"),
    ]  # fmt: skip
    assert {(f.priority.value, f.rule, f.location) for f in found} == {
        ("P3", "builtin/submodule", "lib:1")
    }
    assert short(submodules, sources(added, whole=True)) == []
