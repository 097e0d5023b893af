"""Linters of the extra `languages`, and those that a machine has for a language: their weights,
what they leave out, and the real tools where they are here."""

import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import (
    _notebook,
    biome,
    buf,
    cppcheck,
    go_vet,
    hadolint,
    javac,
    luacheck,
    perlcritic,
    rubocop,
    ruff,
    rumdl,
    squawk,
    typos,
)
from reviewgate_gh.reviewers.linters._shared import LEFT_OUT
from tests.support import peer
from tests.unit.reviewers.linters.real import ODD, ask, found_in, takes


def test_javac_counts_what_no_missing_class_can_cause() -> None:
    text = (
        "a/A.java\t7\t\tcannot find symbol\n  symbol:   class Bar\n  location: class T\n"
        "a/A.java\t8\t\tincompatible types: Bar cannot be converted to int\n"
        "a/A.java\t9\t\tincompatible types: String cannot be converted to int\n"
        "a/A.java\t10\t\tmissing return statement\n"
        "a/A.java\t11\t[divzero] \twarning: division by zero\n"
        "a/A.java\t12\t\t';' expected\n"
        "-\t0\t\tNote: Some input files use unchecked or unsafe operations.\n"
        "5 errors\n1 warning\n"
    )
    assert found_in(javac, text) == [
        ("javac/incompatible-types", "a/A.java", 9, "P1"),
        ("javac/missing-return", "a/A.java", 10, "P1"),
        ("javac/divzero", "a/A.java", 11, "P2"),
        ("javac/syntax", "a/A.java", 12, "P0"),
    ]


def test_javac_is_no_judge_of_newer_java_or_of_a_second_class_of_a_name() -> None:
    newer = (
        "A.java\t1\t\t';' expected\n"
        "A.java\t1\t\tpatterns in switch statements are a preview feature and are disabled by "
        "default.\n  (use --enable-preview to enable patterns in switch statements)\n"
        "B.java\t3\t\tduplicate class: x.A\n"
        "C.java\t3\t\tunclosed string literal\n4 errors\n"
    )
    assert found_in(javac, newer) == [
        ("javac/left-out", "A.java", 0, LEFT_OUT),
        ("javac/left-out", "A.java", 0, LEFT_OUT),
        ("javac/left-out", "B.java", 0, LEFT_OUT),
        ("javac/syntax", "C.java", 3, "P0"),
    ]


def test_buf_says_nothing_of_names_where_an_import_is_missing() -> None:
    def row(path: str, line: int, message: str) -> str:
        place = {"path": path, "type": "COMPILE", "start_line": line, "end_line": line}
        return json.dumps({**place, "message": message}) + "\n"

    unknown = row("a.proto", 4, "cannot find `Foo` in this scope")
    number = row("a.proto", 5, "field number `1` used more than once")
    syntax = row("b.proto", 6, "unexpected `}` after definition")
    missing = row("b.proto", 1, "imported file does not exist")
    twice = row("b.proto", 2, "`Part` declared multiple times")
    assert found_in(buf, unknown + number + twice) == [
        ("buf/compile", "a.proto", 4, "P1"),
        ("buf/compile", "a.proto", 5, "P1"),
    ]
    assert found_in(buf, unknown + number + syntax + missing) == [
        ("buf/compile", "a.proto", 5, "P1"),
        ("buf/syntax", "b.proto", 6, "P0"),
    ]


def test_go_vet_tells_types_from_advice() -> None:
    text = (
        "# example.com/x/a\n# [example.com/x/a]\n"
        "vet: ./a.go:6:13: undefined: height\n"
        "vet: ./b.go:7:1: expected '}', found 'EOF'\n"
        "./c.go:12:15: fmt.Printf format %s has arg n of wrong type int\n"
    )
    assert found_in(go_vet, text) == [
        ("go-vet/types", "a.go", 6, "P1"),
        ("go-vet/syntax", "b.go", 7, "P0"),
        ("go-vet/vet", "c.go", 12, "P2"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "go: downloading x.example/y v1.0.0\na/a.go:7:2: module lookup disabled by GOPROXY=off",
        "a.go:3:8: no required module provides package x.example/y; to add it:\n\tgo get x",
        "go: go.mod file not found in current directory or any parent directory",
        "package x: build constraints exclude all Go files in /x",
    ],
)
def test_a_package_that_go_cannot_load_is_no_clean_one(line: str) -> None:
    with pytest.raises(ValueError, match=r"cannot load|not go vet's output"):
        found_in(go_vet, f"{line}\n")


def test_go_vet_looks_at_each_package_once() -> None:
    assert go_vet.folders(Path(), ["a.go", "b/c.go", "b/d.go"]) == ["", "b"]


def test_of_html_biome_counts_attributes_alone() -> None:
    def row(path: str, rule: str, message: str = "m") -> dict[str, object]:
        place = {"start": {"line": 3, "column": 1}, "end": {"line": 3, "column": 9}}
        return {
            "code": {"value": rule},
            "location": {"path": path, "range": place},
            "message": message,
        }

    rows = [
        row("a.html", "parse"),
        row("a.html", "lint/correctness/noUnusedVariables"),
        row("a.html", "lint/nursery/noDuplicateAttributes"),
        row("a.css", "parse", "expected `}` but instead the file ends"),
        row("a.css", "parse", "Unexpected value or character."),
        row("a.css", "lint/correctness/noUnknownProperty"),
        row("a.graphql", "parse"),
    ]
    text = json.dumps({"source": {"name": "Biome"}, "diagnostics": rows})
    assert found_in(biome, text) == [
        ("biome/noDuplicateAttributes", "a.html", 3, "P2"),
        ("biome/syntax", "a.css", 3, "P2"),
        ("biome/syntax", "a.css", 3, "P3"),
        ("biome/noUnknownProperty", "a.css", 3, "P3"),
        ("biome/syntax", "a.graphql", 3, "P0"),
    ]


@pytest.mark.parametrize(
    ("row", "priority"),
    [("wl_list_for_each_safe(pos, next, &list, link) {", "P3"), ("while (pick(pos)) {", "P2")],
)
def test_a_macro_may_give_a_variable_its_value(row: str, priority: str) -> None:
    text = f"void f(void)\n{{\n\tstruct item *pos, *next;\n\t{row}\n\t\tuse(pos->name);\n\t}}\n}}\n"
    (found,) = cppcheck.parse([b"a.c\t5\terror\tuninitvar\tUninitialized variable: pos->name\n"])
    assert cppcheck.relocate(found, text.encode).priority == priority


def test_cppcheck_does_not_judge_what_it_cannot_parse() -> None:
    text = (
        "a.c\t3\terror\tunknownMacro\tThere is an unknown macro here somewhere.\n"
        "b.c\t4\terror\tarrayIndexOutOfBounds\tArray 'a[4]' accessed at index 4.\n"
        "b.c\t5\terror\tnullPointer\tNull pointer dereference: p\n"
        "b.c\t6\terror\tva_list_usedBeforeStarted\tva_list 'c' used before va_start().\n"
        "b.c\t7\terror\toverlappingWriteUnion\tOverlapping read/write of union.\n"
        "\t0\tinformation\tactiveCheckers\tActive checkers: 1\n"
    )
    assert found_in(cppcheck, text) == [
        ("cppcheck/left-out", "a.c", 0, LEFT_OUT),
        ("cppcheck/arrayIndexOutOfBounds", "b.c", 4, "P1"),
        ("cppcheck/nullPointer", "b.c", 5, "P2"),
        ("cppcheck/va_list_usedBeforeStarted", "b.c", 6, "P3"),
        ("cppcheck/overlappingWriteUnion", "b.c", 7, "P3"),
    ]


@pytest.mark.parametrize(
    ("code", "level", "priority"),
    [
        ("DL1000", "error", "P0"),
        ("DL3024", "error", "P1"),
        ("DL3004", "error", "P2"),
        ("DL4000", "error", "P3"),
        ("DL3000", "error", "P3"),
        ("DL3006", "warning", "P3"),
        ("DL4003", "warning", "P2"),
    ],
)
def test_hadolint_weighs_what_breaks_an_image(code: str, level: str, priority: str) -> None:
    row = {"code": code, "level": level, "file": "Dockerfile", "line": 1, "message": "m"}
    ((_rule, _path, _line, weight),) = found_in(hadolint, json.dumps([row]))
    assert weight == priority


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("COPY a.json b.json .", "P3"),
        ('COPY ["a.json", "b.json", "."]', "P3"),
        ("COPY --chown=x a.json \\\n  b.json ..", "P3"),
        ("COPY a.json b.json dist", "P1"),
        ("COPY a.json b.json .cache", "P1"),
        ("COPY a.json \\\n  b.json dist\nRUN ls .", "P1"),
    ],
)
def test_the_folder_where_one_is_needs_no_slash(text: str, priority: str) -> None:
    found = Finding(Priority.P1, "lint", "hadolint/DL3021", "Dockerfile", 1, 1, "t")
    assert hadolint.relocate(found, text.encode).priority == priority


def test_a_template_is_no_dockerfile() -> None:
    for name in ("Dockerfile", "Dockerfile.dev", "a/Containerfile", "web.dockerfile"):
        assert takes(hadolint, name)
    for name in ("Dockerfile.j2", "a/Dockerfile.tmpl", "Dockerfile.in", "Dockerfile.web.erb"):
        assert not takes(hadolint, name)


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("$red: #f00;\na { color: $red }", "P3"),
        ("@include x;\na { b: c }", "P3"),
        ("a { color: }", "P2"),
        ("a{color:}" * 300, "P2"),
        ("a::before { content: '$'; color: }", "P2"),
    ],
)
def test_what_is_compiled_to_a_style_sheet_is_none(text: str, priority: str) -> None:
    found = Finding(Priority.P2, "syntax", "biome/syntax", "a.css", 1, 1, "t")
    assert biome.relocate(found, text.encode).priority == priority


def test_a_packed_style_sheet_is_read_by_nobody() -> None:
    found = Finding(Priority.P2, "lint", "biome/noShorthandPropertyOverrides", "a.css", 1, 1, "t")
    assert biome.relocate(found, lambda: b"a{b:c}" * 500).priority == "P3"
    assert biome.relocate(found, lambda: b"a { b: c }").priority == "P2"


@pytest.mark.parametrize(
    ("path", "priority"),
    [("test/cases/a.css", "P3"), ("src/a.css", "P2"), ("test/a.graphql", "P2")],
)
def test_a_style_sheet_beside_tests_is_read_by_them(path: str, priority: str) -> None:
    found = Finding(Priority.P2, "lint", "biome/noDuplicateProperties", path, 1, 1, "t")
    assert biome.relocate(found, lambda: b"a { b: c }").priority == priority


@pytest.mark.contract(plain=False)
def test_an_assignment_that_is_a_condition_is_a_habit_of_ruby(tmp_path: Path) -> None:
    text = "while (line = gets)\n  puts line\nend\nwhile row = gets\n  puts row\nend\n"
    asked = ask(rubocop, tmp_path, {"a.rb": text})
    assert asked.weights() == {"rubocop/Lint/AssignmentInCondition": "P3"}


@pytest.mark.contract(plain=False)
def test_arguments_may_be_passed_on_without_a_name(tmp_path: Path) -> None:
    """Since Ruby 3.2."""
    text = "def icon(name, **)\n  sprite(name, **)\nend\n"
    assert ask(rubocop, tmp_path, {"a.rb": text}).weights() == {}


BAD = {
    biome: ("css", "a { color: red; widht: 1px }\n", "P3", "venv/bin/biome"),
    buf: ("proto", 'syntax = "proto3";\nmessage A { strin a = 1; }\n', "P1", "venv/bin/buf"),
    cppcheck: ("c", "int f(void) { int *p = 0; return *p; }\n", "P2", "venv/bin/cppcheck"),
    javac: ("java", "class A { int f() { return 1; int a; } }\n", "P1", ""),
    luacheck: ("lua", "local t = { a = 1, a = 2 }\nreturn t\n", "P2", ""),
    perlcritic: ("pl", "my $x = eval $ARGV[0];\n", "P3", ""),
    rubocop: ("rb", "def f(a)\n  a = a\nend\n", "P2", ""),
    rumdl: ("md", "# A\n\n[x](#nothing)\n", "P3", "venv/bin/rumdl"),
    squawk: ("sql", "DROP TABLE a;\n", "P2", "venv/bin/squawk"),
    typos: ("md", "An adress.\n", "P3", "venv/bin/typos"),
}
every = pytest.mark.parametrize("tool", BAD, ids=lambda tool: tool.PROGRAM)


@pytest.mark.peer
@every
def test_the_real_tool_reads_odd_names_and_finds_what_is_bad(
    tool: ModuleType, tmp_path: Path
) -> None:
    suffix, text, priority, where = BAD[tool]
    names = [f"{ODD}.{suffix}", f"-dash.{suffix}", f"@at.{suffix}"]
    asked = ask(
        tool, tmp_path, dict.fromkeys(names, text), program=str(peer(where)) if where else ""
    )
    heard = {(f.path, f.priority.value) for f in asked.findings if f.category != LEFT_OUT}
    # Three classes, or messages, of one name: all but the first are left out
    wanted = {(name, priority) for name in names}
    assert wanted <= heard or (tool in (javac, buf) and heard and heard <= wanted), asked


def test_a_short_name_of_code_or_one_with_two_meanings_is_no_typo() -> None:
    def said(path: str, word: str, *better: str) -> bool:
        row = {"type": "typo", "path": path, "line_num": 1, "typo": word, "corrections": better}
        found = typos.parse([json.dumps(row).encode()])
        return any(finding.category != LEFT_OUT for finding in found)

    assert said("a.js", "lenght", "length")
    assert not said("a.js", "byt", "byte")
    assert not said("a.js", "ecretly", "secretly", "erectly")
    assert said("a.md", "byt", "byte")


@pytest.mark.peer
def test_a_word_that_is_no_typo_by_itself_is_no_reason_to_distrust_typos(tmp_path: Path) -> None:
    files = {"a.js": "const byt = 1;\n"}
    asked = ask(typos, tmp_path, files, program=str(peer("venv/bin/typos")))
    assert b"byt" in asked.out and {f.category for f in asked.findings} == {LEFT_OUT}
    # Else its exit code would say that it found something of which nothing is left
    assert asked.code in typos.CLEAN_EXITS


@pytest.mark.peer
def test_cppcheck_takes_no_two_files_for_one_program(tmp_path: Path) -> None:
    text = "class A { public: A() : a(0) {} int a; };\nint f(A x) { return x.a; }\n"
    files = {"one/a.cpp": text, "two/a.cpp": text.replace("(0)", "(1)")}
    asked = ask(cppcheck, tmp_path, files, program=str(peer("venv/bin/cppcheck")))
    assert b"ctuOneDefinitionRuleViolation" in asked.out + asked.err.encode()
    assert [f for f in asked.findings if f.category != LEFT_OUT] == []


@pytest.mark.peer
def test_javac_takes_no_options_from_a_file_of_the_change(tmp_path: Path) -> None:
    files = {"@Opts.java": "class A { int f() { } }\n", "Opts.java": "-version\n"}
    asked = ask(javac, tmp_path, files)
    assert ("@Opts.java", "javac/missing-return") in {(f.path, f.rule) for f in asked.findings}


@pytest.mark.peer
@pytest.mark.parametrize(
    ("tool", "text"),
    [
        (biome, "@tailwind base;\n.a { @apply px-2; field-sizing: content; color: red }\n"),
        (rumdl, "#Heading\n* a\n- b\n<br>\nhttp://x.example\n"),
        (typos, "Sha 1a2b3c4d5e6, `seperate`, <a href='adress'>, https://x.example/adress\n"),
        (hadolint, "FROM debian:12\nRUN apt-get update && apt-get install -y curl | cat\n"),
        (cppcheck, "#include <x.h>\nFOO(a)\nint f(int n) { return BAR(n); }\n"),
        (luacheck, "local a, b = 1, 2\nfunction vim.x(self) return a end\n"),
        (perlcritic, "print 'a';\nsub f { return undef }\n"),
        (rubocop, "def f a\n  puts 'x';  x = 1\nend\n"),
        (javac, "import q.Q;\nclass A extends Q { int f() { return g(); } Q h = 1; }\n"),
        (
            javac,
            "class A { q.Q a, b; void f() { a = x -> 1; b = A::g; } static int g() { return 1; } }",
        ),
    ],
    ids=lambda value: getattr(value, "PROGRAM", ""),
)
def test_style_and_what_it_cannot_know_is_not_its_business(
    tool: ModuleType, text: str, tmp_path: Path
) -> None:
    """What a maintainer would call wrong."""
    where = TOOL_AT.get(tool, "")
    name = NAMES[tool]
    asked = ask(tool, tmp_path, {name: text}, program=str(peer(where)) if where else "")
    assert [f for f in asked.findings if f.category != LEFT_OUT] == [], asked
    assert asked.code in tool.CLEAN_EXITS


TOOL_AT = {tool: row[3] for tool, row in BAD.items()} | {hadolint: "venv/bin/hadolint"}
NAMES = {tool: f"a.{row[0]}" for tool, row in BAD.items()} | {
    hadolint: "Dockerfile",
    javac: "A.java",
}


def test_a_cell_is_found_in_its_file() -> None:
    book = {"cells": [
        {"cell_type": "markdown", "source": ["a\n", "b"]},
        {"cell_type": "code", "source": "x = 1\nprint(y)"},
        {"cell_type": "code", "outputs": [], "source": ["import os\n", "\n", "z = 1"]},
    ]}  # fmt: skip
    data = json.dumps(book, indent=1).encode()
    lines = data.decode().split("\n")
    shown = _notebook.lines_of_cells(data)
    assert [len(cell) for cell in shown] == [2, 2, 3]
    assert [lines[n - 1].strip() for n in shown[2]] == ['"import os\\n",', '"\\n",', '"z = 1"']
    assert len(set(shown[1])) == 1 and "print(y)" in lines[shown[1][0] - 1]


@given(st.lists(st.lists(st.text(max_size=6), max_size=4), max_size=4), st.integers(0, 2))
def test_every_line_of_every_cell_is_found(cells: list[list[str]], indent: int) -> None:
    texts = [[f"{row}\n" for line in cell for row in line.split("\n")] for cell in cells]
    book = {"x": [{}], "cells": [{"metadata": {"source": 1}, "source": rows} for rows in texts]}
    data = json.dumps(book, indent=indent or None).encode()
    lines = data.decode().split("\n")
    shown = _notebook.lines_of_cells(data)
    assert [len(cell) for cell in shown] == [len(rows) for rows in texts]
    for numbers, rows in zip(shown, texts, strict=True):
        assert all(json.dumps(row) in lines[n - 1] for n, row in zip(numbers, rows, strict=True))


@pytest.mark.parametrize("data", [b"", b"{", b'{"cells": [', b'{"cells": 3}', b"[1]", b"\xff" * 9])
def test_what_is_no_notebook_has_no_cells(data: bytes) -> None:
    assert all(not cell for cell in _notebook.lines_of_cells(data))


def test_ruff_reads_notebooks_and_names_cell_and_line(tmp_path: Path) -> None:
    book = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# T"]},
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
             "source": ["%matplotlib inline\n", "x = 1\n", "print(yy)"]},
        ],
        "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    data = json.dumps(book, indent=1)
    asked = ask(ruff, tmp_path, {"a.ipynb": data})
    (found,) = (ruff.relocate(f, data.encode) for f in asked.findings)
    assert (found.rule, found.priority.value) == ("ruff/F821", "P2")
    assert found.title == "cell 2, line 3: Undefined name `yy`" and found.suggestion is None
    assert '"print(yy)"' in data.split("\n")[found.line_start - 1]


@pytest.mark.parametrize(("text", "priority"), [("x = <%= y %>\n", "P3"), ("x = <\n", "P2")])
def test_a_template_is_no_broken_ruby(text: str, priority: str) -> None:
    found = Finding(Priority.P2, "syntax", "rubocop/Lint/Syntax", "lib/templates/a.rb", 1, 1, "t")
    assert rubocop.relocate(found, text.encode).priority == priority
