"""Broken YAML, JSON and TOML: what parsers refuse, what their readers take all the same, and what
must not hang."""

import json
import sys
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.model.change import FileDiff
from reviewgate_gh.reviewers.checks import syntax
from reviewgate_gh.reviewers.checks._toml import as_toml_1_0
from reviewgate_gh.reviewers.checks._yaml import scan_yaml
from reviewgate_gh.reviewers.checks.syntax import find_json_error
from tests.unit.reviewers.checks.support import edited, new, on, short, sources

DEEP = 300_000


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        # Where Python sees it
        ("a.json", '{\n  "a": 1,\n}\n', 3 if sys.version_info < (3, 13) else 2),
        ("package.json", '{\n  "a": 1\n  "b": 2\n}\n', 3),
        ("a.json", "{'a': 1}", 1),
        ("a.json", '{"a": [1, 2}', 1),
        ("a.json", b'{"a":\n"\xff"}', 2),
        ("a.webmanifest", "{", 1),
        ("a.json", '// why\n{\n  "a": 1,,\n}\n', 3),
        ("tsconfig.json", '{\n  // why\n  "a": [1 2]\n}\n', 3),
        ("a.yml", "a: 1\nb: [1, 2\nc: 3\n", 3),
        ("a.yaml", "a:\n  - b\n c: d\n", 3),
        ("a.yml", "a: b: c\n", 1),
        ("a.yml", "a: 'open\n", 1),
        ("a.yml", "\tkey: 1\n", 1),
        ("a.yml", "x: 1\ny: *gone\n", 2),
        ("a.yml", "&a x: 1\n---\ny: *a\n", 3),
        ("a.yml", b"x: 1\ny: \xff\xfe\n", 2),
        ("a.yml", "x: 1\ny: \x01\n", 2),
        (".github/workflows/ci.yml", "on: push\njobs:\n  a:\n  - ${{ x }}: [\n", 4),
        ("a.toml", "a = 1\nb = \n", 2),
        ("a.toml", "a = 1\na = 2\n", 2),
        ("a.toml", "[a\n", 1),
        ("a.toml", 'a = """x\n\n', 1),
        ("a.toml", b"a = 1\nb = '\xff'\n", 2),
    ],
)  # fmt: skip
def test_what_is_broken(path: str, text: str | bytes, line: int) -> None:
    found = list(syntax.check(sources(new(path, text), contents={path: text})))
    assert [(f.priority.value, f.category) for f in found] == [("P0", "syntax")]
    assert found[0].rule in ("builtin/json-syntax", "builtin/yaml-syntax", "builtin/toml-syntax")
    assert f"Line {line}:" in found[0].body


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", '{"a": [1, 2.5, null, NaN], "b": "// no comment, /* nor this */"}'),
        ("a.json", "\ufeff{}\n"),
        ("a.json", "  \n"),
        ("a.json", '{"n": ' + "9" * 5000 + "}"),
        ("a.json", '{"a": 1}\n{"a": 2}\n'),
        ("a.json", '// why\n{"a": "http://x//y"} /* that */\n'),
        ("tsconfig.json", '{\n  // why\n  "a": ["x,]", /* b */ 1,],\n}\n'),
        ("tsconfig.build.json", '{"a": 1,}'),
        (".vscode/settings.json", '{"a": 1,}'),
        ("docs/.cspell.json", '{"a": [1, // x\n],}'),
        ("sub/.devcontainer/devcontainer.json", '{"a": 1, // x\n}'),
        (".eslintrc", "root: true\nrules: {a: 1}\n"),
        (".babelrc", '{"presets": [], // x\n}'),
        ("cookie.json", '{"a": {{ cookiecutter.a }}, {% if x %}"b": 1{% endif %}}'),
        ("policy.json", '{# why #}\n{"a": "{{ b }}"}'),
        ("a.yml", "a: !Ref b\nc: !Sub {d: 1}\ne: !!python/object:os.system x\n"),
        ("a.yml", "a: 1\n---\nb: &x [1]\nc: *x\n...\n"),
        ("a.yml", "run: |\n  echo ${{ matrix.os }} {{ x }} {% y\n"),
        ("chart/templates/a.yaml", "{{- if .Values.x }}\na: {{ .Values.y }}\n{{- end }}\n"),
        ("a.yml", "a: {{ b }}: c\n"),
        ("a.yml", "a:\n  %{~ if b != [] ~}\n  c: ${d}\n  %{~ endif ~}\n"),
        ("database.yml", "a: 1\n<% if x? %>\n  b: [\n<% end %>\n"),
        ("a.yml", "<%= x %>\n - a: [\n"),
        ("a.toml", "a = 1979-05-27T07:32:00Z\n[b]\nc = [1, 2]\n"),
        ("a.json5", "{a: 1}"),
        ("a.py", "def ("),
    ],
)  # fmt: skip
def test_what_its_readers_take(path: str, text: str) -> None:
    assert on(syntax, path, text) == []


@pytest.mark.parametrize(
    ("name", "unit", "before"),
    [("a.yml", "[", ""), ("a.yml", "{", ""), ("a.yml", "- ", ""), ("a.yml", "? ", ""),
     ("a.yml", "[[],", ""),
     ("a.json", "[", ""), ("a.json", '{"a":', ""), ("a.toml", "[", "a = "),
      ("a.toml", "{a=", "a = "),
     ("a.toml", "a.", ""), ("a.toml", "x" * 99 + ".a" * 100, "")],
)  # fmt: skip
def test_what_is_too_deep_to_judge_ends_and_is_no_finding(
    name: str, unit: str, before: str
) -> None:
    assert on(syntax, name, before + unit * min(DEEP, 990_000 // len(unit))) == []


@pytest.mark.parametrize("unit", ['"\\', "/* ", '"', "//"])
def test_what_is_never_closed_ends(unit: str) -> None:
    assert on(syntax, "tsconfig.json", unit * DEEP) == [("P0", "json-syntax", "tsconfig.json:1")]


def test_bombs_of_aliases_are_not_followed() -> None:
    rows = ["a0: &a0 [x]"] + [
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)
    ]
    assert on(syntax, "a.yml", "\n".join(rows)) == []


def test_a_file_over_the_limit_is_not_parsed() -> None:
    assert on(syntax, "a.toml", "a = [" + " " * 1_000_000) == []
    assert on(syntax, "a.yml", "a: [" + " " * 1_000_000) == [("P0", "yaml-syntax", "a.yml:1")]
    assert on(syntax, "a.yml", "a: [" + " " * 5_000_000) == []
    assert on(syntax, "a.json", "{" + " " * 1_000_000) == [("P0", "json-syntax", "a.json:1")]
    assert on(syntax, "a.json", "{" + " " * 5_000_000) == []


def test_an_error_off_the_diff_counts_for_the_file() -> None:
    text = "a: 1\nb: [1\n" + "c: 1\n" * 30
    file = edited("a.yml", " a: 1", " b: [1", "-  ]")
    found = list(syntax.check(sources(file, contents={"a.yml": text})))
    assert [(f.priority.value, f.location) for f in found] == [
        ("P0", "a.yml")
    ] and "Line 3:" in found[0].body


@pytest.mark.parametrize(
    ("file", "priorities"),
    [
        (edited("a.json", "+{", "-{ ", start=1), []),
        (edited("a.json", '-  "a": 0,', '+  "a": 1,', start=2), []),
        # It was elsewhere
        (
            replace(
                edited("a.json", '-  "a": 0,', '+  "a": 1,', start=2), status="R", old_path="b.json"
            ),
            ["P0"],
        ),
        (edited("a.json", ' "a": 1,', "-  b", "+  'b'", start=2), ["P0"]),  # its own line
        (edited("a.json", '-  "x" 1,', '   "a": 1,', start=2), ["P0"]),  # broken in another way
        (edited("a.json", "-  'c',", '   "a": 1,', start=2), ["P0"]),  # in the same way elsewhere
        (edited("a.json", "-", '   "a": 1,', start=2), []),  # further down
    ],
)
def test_what_was_broken_before_is_not_of_this_change(
    file: FileDiff, priorities: list[str]
) -> None:
    text = "{\n  \"a\": 1,\n  'b'\n}\n"
    assert [
        f.priority.value for f in syntax.check(sources(file, contents={"a.json": text}))
    ] == priorities


LATIN = ["{", ' "a": "Ren\xe9",', ' "b": 1,', ' "c": 2', "}", ""]
COMMAS = ["{", ' "a": [1,', " ],", ' "c": {"d": 1', " }", "}", ""]


@pytest.mark.parametrize(
    ("rows", "at", "row", "priorities"),
    [
        (LATIN, 2, ' "b": 3,', []),
        (LATIN, 2, ' "b": 1', ["P0"]),
        (COMMAS, 3, ' "c": {"d": 2', []),
        (COMMAS, 3, ' "c": "d": 1', ["P0"]),
    ],
)
def test_what_a_lenient_reader_takes_hides_nothing(
    rows: list[str], at: int, row: str, priorities: list[str]
) -> None:
    head = [*rows[:at], row, *rows[at + 1 :]]
    file = edited(
        "a.json",
        *(f" {row}" for row in rows[:at]),
        f"-{rows[at]}",
        f"+{row}",
        *(f" {row}" for row in rows[at + 1 : -1]),
    )
    [hunk] = file.hunks
    file = replace(file, hunks=(replace(hunk, body=hunk.body.decode().encode("latin-1")),))
    found = syntax.check(sources(file, contents={"a.json": "\n".join(head).encode("latin-1")}))
    assert [f.priority.value for f in found] == priorities


def test_a_text_without_a_newline_at_its_end_was_fine_before() -> None:
    file = edited("a.toml", '-s = """\r', "+s = 1\r", ' b = 2 c"""\r', "+more = 1")
    assert short(syntax, sources(file, contents={"a.toml": 's = 1\r\nb = 2 c"""\r\nmore = 1'})) == [
        ("P0", "toml-syntax", "a.toml:2")
    ]


@pytest.mark.parametrize(
    "text",
    [
        'a = {\n  # why\n  b = "}", # {\n  c = [\n    1,\n  ],\n}\n[d]\ne = {f = {\n}}\n',
        'a = "\\e[1m"\nb = "\\x41\\\\e"\nc = 07:32\nd = 1979-05-27T07:32Z\ne = [07:32, 08:00]\n',
    ],
    ids=["inline-tables", "escapes-and-times"],
)
def test_toml_1_1_is_no_broken_toml(text: str) -> None:
    assert on(syntax, "a.toml", text) == []


@pytest.mark.parametrize(
    "text", ["a = {\n  b = 1\n", "a = {\n  , }\n", "a = {\n  b = 1\n  c = 2\n}\n", 'a = "\\q"\n']
)
def test_what_no_version_of_toml_takes_is_broken(text: str) -> None:
    assert [rule for _priority, rule, _place in on(syntax, "a.toml", text)] == ["toml-syntax"]


@given(st.text(alphabet="{}[],\"'#=\n\\ a1:T-", max_size=60))
def test_toml_as_1_0_means_what_it_meant(text: str) -> None:
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        as_toml_1_0(text)
    else:
        assert tomllib.loads(as_toml_1_0(text)) == before


def test_what_is_broken_behind_the_end_is_of_the_last_line() -> None:
    same, own = (
        edited("a.yml", "-a: 0", "+a: 1", " b: [1"),
        edited("a.yml", "-a: [1", "+a: 1", "+b: [1"),
    )
    for file, found in ((same, []), (own, [("P0", "yaml-syntax", "a.yml:2")])):
        assert short(syntax, sources(file, contents={"a.yml": "a: 1\nb: [1\n"})) == found


def test_a_file_that_was_over_the_limit_is_not_parsed() -> None:
    file = edited("a.toml", "-" + "#" * 1_000_000, " a =")
    assert short(syntax, sources(file, contents={"a.toml": "a =\n"})) == [
        ("P0", "toml-syntax", "a.toml:1")
    ]


def test_files_that_another_check_asked_for_are_not_parsed() -> None:
    assert on(syntax, "a.lock", "{") == []


def test_untouched_content_is_not_judged() -> None:
    moved = new("b.json", status="R", old_path="a.json", old_oid="1" * 40)
    assert short(syntax, sources(moved, contents={"b.json": "{"})) == []
    assert (
        short(syntax, sources(new("link.json", "x", mode="120000"), contents={"link.json": "x"}))
        == []
    )


@pytest.mark.parametrize(
    "path",
    [
        "tests/fixtures/a.json",
        "testdata/a.json",
        "tests/Test Data/a.json",
        "spec/invalid/a.json",
        "tests/invalid.json",
        "x/fail12.json",
    ],
)
def test_samples_may_be_broken_on_purpose(path: str) -> None:
    assert on(syntax, path, "{") == [("P2", "json-syntax", f"{path}:1")]


def test_values_of_the_file_are_not_in_the_title() -> None:
    assert [
        f.title
        for f in syntax.check(sources(new("a.yml", "a: *secret"), contents={"a.yml": "a: *secret"}))
    ] == ["broken YAML"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(JSON, st.sampled_from([None, 1]))
def test_whatever_json_writes_is_whole(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent).encode()
    assert find_json_error("a.json", text) is None
    assert find_json_error("tsconfig.json", text) is None
    # YAML has no halves of a surrogate pair
    assert scan_yaml(text).error is None or b"\\ud" in text


@given(st.text(alphabet='{}[]",:/*\\ \na1', max_size=20))
def test_nothing_raises_and_strict_json_stays_so(text: str) -> None:
    answer = find_json_error("a.json", text.encode())
    try:
        json.loads(text)
    except ValueError:
        return
    assert answer is None


@given(st.text(alphabet='[]{}=."\n#a1', max_size=20))
def test_toml_is_what_the_standard_library_takes(text: str) -> None:
    found = on(syntax, "a.toml", text)
    try:
        tomllib.loads(text)
    except ValueError:
        assert len(found) == 1
    else:
        assert found == []


@pytest.mark.parametrize(
    ("text", "broken"),
    [("[a]\n  b = {{ .Value }}\n", 0), ("b = {{ 1 }\n", 1), ('b = "{{ .Value }}\n', 1)],
)
def test_toml_that_a_template_engine_completes(text: str, broken: int) -> None:
    given = sources(edited("a.toml", f"+{text}"), contents={"a.toml": text})
    assert len(list(syntax.check(given))) == broken


def test_a_template_that_was_none_is_broken() -> None:
    for old, broken in (("-b = {{ 2 }}\n", 0), ("-b = 1\n", 1)):
        file = edited("a.toml", old.rstrip(), "+b = {{ 1 }}", " a = 1")
        given = sources(file, contents={"a.toml": "b = {{ 1 }}\na = 1\n"})
        assert len(list(syntax.check(given))) == broken
