"""Linters of compiled languages that a project has: what they weigh, which packages they look at,
and the real tools where they are here."""

import json
from pathlib import Path

import pytest

from reviewgate_gh.reviewers.linters import clippy, dotnet_format, staticcheck, swiftlint
from tests.unit.reviewers.linters.real import ask, found_in, program_of

Found = list[tuple[str, str, int, str]]


def _problem(code: str, message: str, file: str = "", line: int = 0) -> str:
    place = {"file": file, "line": line, "column": 1}
    return json.dumps({"code": code, "location": place, "end": {}, "message": message}) + "\n"


def _go(code: str, message: str, file: str = "", line: int = 0) -> Found:
    return found_in(staticcheck, _problem(code, message, file, line).replace('"end": {}, ', ""))


@pytest.mark.parametrize(
    ("code", "priority"),
    [("SA5000", "P1"), ("SA5007", "P1"), ("SA4000", "P2"), ("SA1029", "P3"), ("SA4006", "P3")],
)
def test_staticcheck_weighs_what_fails_when_it_is_run(code: str, priority: str) -> None:
    assert _go(code, "m", "/r/a.go", 3) == [(f"staticcheck/{code}", "/r/a.go", 3, priority)]


def test_staticcheck_reads_what_the_compiler_says_of_a_package() -> None:
    said = "# x/b\n./b.go:3:12: undefined: height\n./c.go:4:9: syntax error: unexpected {"
    assert _go("compile", said) == [
        ("staticcheck/types", "b.go", 3, "P1"),
        ("staticcheck/syntax", "c.go", 4, "P0"),
    ]


@pytest.mark.parametrize(
    ("code", "message", "file"),
    [
        (
            "compile",
            "no required module provides package x.example/y; to add it:\n\tgo get",
            "d.go",
        ),
        ("compile", "no Go files in /r/e", ""),
        ("config", "unexpected EOF; expected value", "/r/staticcheck.conf"),
    ],
)
def test_a_package_that_staticcheck_cannot_load_is_no_clean_one(
    code: str, message: str, file: str
) -> None:
    with pytest.raises(ValueError, match=r"cannot load|stopped|its settings"):
        _go(code, message, file, 3)


GO_MOD = {"go.mod": "module x\n\ngo 1.20\n"}


@pytest.mark.peer
@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("func F(n int) bool { return n == 1 || n == 1 }", {"staticcheck/SA4000": "P2"}),
        ("func F(n int) int { return F(n) }", {"staticcheck/SA5007": "P1"}),
        ('func F() { var m map[string]int; m["a"] = 1 }', {"staticcheck/SA5000": "P1"}),
        ("func F(n int) int { for { break }; return n }\nfunc unused() {}", {}),
    ],
    ids=["equal", "endless", "nil map", "style"],
)
def test_the_real_staticcheck_finds_mistakes_alone(
    text: str, weights: dict[str, str], tmp_path: Path
) -> None:
    conf = {"staticcheck.conf": 'checks = ["none"]\n'}  # of the change, perhaps
    asked = ask(staticcheck, tmp_path, {**GO_MOD, **conf, "x b'ü.go": f"package a\n\n{text}\n"})
    assert asked.weights() == weights, asked


def _cargo(*messages: dict[str, object], over: bool = True) -> str:
    rows: list[dict[str, object]] = [{"reason": "compiler-artifact", "filenames": []}]
    rows += [{"reason": "compiler-message", "message": message} for message in messages]
    rows += [{"reason": "build-finished", "success": False}] if over else []
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _message(
    code: str, level: str, message: str = "m", file: str = "src/a.rs", **more: object
) -> dict[str, object]:
    span = {"file_name": file, "line_start": 2, "line_end": 2, "is_primary": True}
    named = {"code": code, "explanation": None} if code else None
    return {"code": named, "level": level, "message": message, "spans": [span], **more}


BY_DEFAULT = {"children": [{"message": "`#[deny(clippy::eq_op)]` on by default"}]}


@pytest.mark.parametrize(
    ("message", "rule", "priority"),
    [
        (_message("", "error", "expected `;`, found `}`"), "clippy/syntax", "P0"),
        (_message("E0765", "error", "unterminated double quote string"), "clippy/syntax", "P0"),
        (_message("E0308", "error", "mismatched types"), "clippy/E0308", "P1"),
        (_message("", "error", "words of the project's own macro"), "clippy/build", "P1"),
        (_message("clippy::eq_op", "error", **BY_DEFAULT), "clippy/eq_op", "P2"),
        (_message("clippy::len_zero", "error"), "clippy/len_zero", "P3"),
        (_message("unused_variables", "warning"), "clippy/unused_variables", "P3"),
    ],
)
def test_clippy_weighs_what_is_an_error_by_default(
    message: dict[str, object], rule: str, priority: str
) -> None:
    assert found_in(clippy, _cargo(message)) == [(rule, "src/a.rs", 2, priority)]


def test_clippy_says_once_what_library_and_tests_share_and_knows_a_lint_again() -> None:
    first = _message("clippy::eq_op", "error", **BY_DEFAULT)
    again = _message("clippy::eq_op", "error", file="src/b.rs")
    assert found_in(clippy, _cargo(first, first, again)) == [
        ("clippy/eq_op", "src/a.rs", 2, "P2"),
        ("clippy/eq_op", "src/b.rs", 2, "P2"),
    ]


def test_what_a_macro_of_others_makes_is_found_where_it_is_used() -> None:
    used = {"file_name": "src/a.rs", "line_start": 7, "line_end": 7, "is_primary": False}
    message = _message("E0308", "error", file="/rustc/x/library/core/src/macros/mod.rs")
    message["spans"] = [{**message["spans"][0], "expansion": {"span": used}}]  # type: ignore[index]
    assert found_in(clippy, _cargo(message)) == [("clippy/E0308", "src/a.rs", 7, "P1")]


def test_a_build_that_breaks_elsewhere_is_no_clean_one() -> None:
    with pytest.raises(ValueError, match="cannot build it: linking with `cc` failed"):
        found_in(clippy, _cargo({**_message("", "error", "linking with `cc` failed"), "spans": []}))
    with pytest.raises(ValueError, match="did not come to its end"):
        found_in(clippy, _cargo(over=False))


def test_clippy_looks_at_each_workspace_once(tmp_path: Path) -> None:
    manifests = {
        "Cargo.toml": '[workspace]\nmembers = ["a", "b/*"]\nexclude = ["apart"]\n',
        "a/Cargo.toml": "[package]\n",
        "b/c/Cargo.toml": "[package]\n",
        "apart/Cargo.toml": "[package]\n",
        "own/Cargo.toml": "[package]\n[workspace]\n",
        "broken/Cargo.toml": "[",
    }
    for name, text in manifests.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = ["a/src/x.rs", "b/c/src/y.rs", "build.rs", "broken/z.rs"]
    assert clippy.folders(tmp_path, paths) == [""]
    assert clippy.folders(tmp_path, ["apart/src/x.rs", "own/x.rs"]) == ["apart", "own"]
    assert clippy.folders(tmp_path / "apart", ["src/x.rs"]) == [""]


@pytest.mark.parametrize(
    ("path", "text", "configures"),
    [
        ("clippy.toml", "", True),
        ("Cargo.toml", "[package]\n", False),
        ("Cargo.toml", '[lints.rust]\nunsafe_code = "forbid"\n', False),
        ("Cargo.toml", '[lints.clippy]\nall = "warn"\n', True),
        ("Cargo.toml", '[workspace.lints]\nclippy = { all = "warn" }\n', True),
        ("Cargo.toml", "[lints", False),
        ("Cargo.toml", 'lints = "clippy"\nworkspace = 3\n', False),
    ],
)
def test_a_manifest_configures_clippy_with_lints_alone(
    path: str, text: str, configures: bool
) -> None:
    assert clippy.configures(path, text.encode()) is configures


PACKAGE = {
    "Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 4\n\n[[package]]\nname = "p"\nversion = "0.1.0"\n',
}


@pytest.mark.peer
@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("pub fn f(x: i32) -> bool {\n    x == x\n}\n", "P2"),
        ('pub fn f(x: i32) -> bool {\n    "a"\n}\n', "P1"),
        ("pub fn f(x: i32) -> bool {\n    (true\n}\n", "P0"),
        ("pub fn f() -> &'static str {\n    \"a\n}\n", "P0"),
    ],
)
def test_the_real_clippy_writes_nothing_beside_the_code(
    text: str, priority: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = program_of(clippy)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = ask(clippy, tmp_path / "p", {**PACKAGE, "src/lib.rs": text}, program=program)
    assert priority in asked.weights().values() and asked.code in clippy.FOUND_EXITS, asked
    here = {path.relative_to(tmp_path / "p").as_posix() for path in (tmp_path / "p").rglob("*")}
    assert here == {*PACKAGE, "src", "src/lib.rs"}


def test_clippy_says_why_cargo_did_not_begin() -> None:
    err = "error: cannot create the lock file /r/Cargo.lock\nhelp: to do so, remove the flag\n"
    assert clippy.why(err) == "error: cannot create the lock file /r/Cargo.lock"


def test_dotnet_format_is_about_style() -> None:
    text = (
        "/r/src/a.cs(20,31): error WHITESPACE: Fix whitespace formatting. Delete 1 characters. "
        "[/r/src/a.csproj]\n"
        "/r/src/x (1) b'ü.cs(1,1): warning IDE0073: A header [is] required [/r/src/a.csproj]\n"
        "/r/src/c.cs(3,2): error CA2211: Fields should not be visible\n"
        "Warnings were encountered while loading the workspace. Set the verbosity option\n"
    )
    assert found_in(dotnet_format, text) == [
        ("dotnet-format/WHITESPACE", "/r/src/a.cs", 20, "P3"),
        ("dotnet-format/IDE0073", "/r/src/x (1) b'ü.cs", 1, "P3"),
        ("dotnet-format/CA2211", "/r/src/c.cs", 3, "P3"),
    ]


def test_a_project_whose_packages_are_not_there_is_not_read() -> None:
    text = (
        "Required references did not load for a or referenced project. Run `dotnet restore` "
        "prior to formatting.\n"
    )
    with pytest.raises(ValueError, match="dotnet restore"):
        found_in(dotnet_format, text)


@pytest.mark.parametrize(
    ("text", "configures"),
    [
        ("[*]\nindent_size = 4\n", False),
        ("[*.cs]\ndotnet_sort_system_directives_first = true\n", True),
        ("[*.cs]\n  csharp_new_line_before_open_brace = all\n", True),
        ("# dotnet_x\n", False),
    ],
)
def test_an_editorconfig_configures_dotnet_format_with_settings_of_its_own(
    text: str, configures: bool
) -> None:
    assert dotnet_format.configures(".editorconfig", text.encode()) is configures


def test_swiftlint_tells_mistakes_from_style() -> None:
    def row(rule: str, severity: str, file: str | None = "/r/a.swift") -> dict[str, object]:
        place = {"file": file, "line": 3 if file else None, "character": None}
        return {**place, "reason": "m", "rule_id": rule, "severity": severity, "type": "T"}

    rows = [
        row("duplicate_enum_cases", "Error"),
        row("line_length", "Error"),
        row("invalid_swiftlint_command", "Warning"),
        row("warning_threshold", "Error", None),
        row("warning_threshold", "Error", ""),
    ]
    newer = "\nCould not check latest SwiftLint version\n"  # check_for_updates
    assert found_in(swiftlint, f"{json.dumps(rows, indent=2)}{newer}") == [
        ("swiftlint/duplicate_enum_cases", "/r/a.swift", 3, "P2"),
        ("swiftlint/line_length", "/r/a.swift", 3, "P3"),
    ]


_DONE = "Done linting! Found 0 violations, 0 serious in {} files.\n"


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("Linting 'a.swift' (1/1)\nDone linting! Found 1 violation, 0 serious in 1 file.\n", 1),
        (_DONE.format(0), 0),
        (f"Could not read contents of `/r/a.swift`\n{_DONE.format(2)}", 1),
        (f"Linting 'Done linting! in 9 files.swift' (1/1)\n{_DONE.format(2)}", 2),
        (f"warning: Invalid configuration for 'x' rule. Falling back to default.\n"
         f"{_DONE.format(2)}", 2),
        ("", None),
        (f"a: [\n^ – Falling back to default configuration\n{_DONE.format(2)}", None),
        (f"warning: SourceKit-based rules will be skipped because sourcekitd has failed.\n"
         f"{_DONE.format(2)}", None),
    ],
)  # fmt: skip
def test_swiftlint_says_how_many_files_it_read_by_the_projects_rules(
    said: str, number: int | None
) -> None:
    lines = said.encode().splitlines(keepends=True)
    if number is None:
        with pytest.raises(ValueError, match=r"says?|Falling back|will be skipped"):
            swiftlint.counts(lines)
    else:
        assert swiftlint.counts(lines) == number


def test_swiftlint_without_swift_says_what_it_needs() -> None:
    fatal = "x.swift:58: Fatal error: Loading libsourcekitdInProc.so failed"
    assert swiftlint.why(f"Linting 'a.swift' (1/1)\n{fatal}\n\n*** Signal 4: Backtracing") == (
        f"{fatal}; it needs SourceKit: install Swift, so that `swift` is on PATH"
    )
    assert swiftlint.why("it is broken") == "it is broken"


@pytest.mark.parametrize(
    ("text", "executes", "extends"),
    [
        ("parent_config: https://x.example/a.yml\n", True, ["https://x.example/a.yml"]),
        ('"parent\\u005fconfig": x\n', True, []),
        ("disabled_rules: [line_length]\n", False, []),
        ("parent_config: ../base.yml # why\nchild_config: 'more.yml'\n", False,
         ["../base.yml", "more.yml"]),
    ],
)  # fmt: skip
def test_settings_of_swiftlint_that_are_downloaded_are_approved_first(
    text: str, executes: bool, extends: list[str]
) -> None:
    assert swiftlint.executes(text.encode()) is executes
    assert list(swiftlint.extends(text.encode())) == extends
