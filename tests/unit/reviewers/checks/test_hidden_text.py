"""Hidden and look-alike characters: where they are an attack, where they belong."""

import pytest

from reviewgate_gh.reviewers.checks import hidden_text
from tests.unit.reviewers.checks.support import edited, new, on, short, sources

RLO, LRM, ZWSP, ZWNJ, BOM, SHY = "\u202e", "\u200e", "\u200b", "\u200c", "\ufeff", "\u00ad"
TAG = "\U000e0041"
CYRILLIC_A = "\u0430"


@pytest.mark.parametrize(
    ("character", "kind"),
    [(RLO, "bidi"), (LRM, "bidi"), (ZWSP, "zero-width"), (TAG, "tag")],
    ids=["rlo", "lrm", "zwsp", "tag"],
)
@pytest.mark.parametrize(
    "path",
    ["a.py", "a.c", "Makefile", "ci.yml", "CLAUDE.md", "pkg/AGENTS.md", ".cursor/rules/x.md"],
)
def test_hidden_text_in_code_and_instructions(path: str, character: str, kind: str) -> None:
    found = list(hidden_text.check(sources(new(path, f"one\nif (x{character}) two\n"))))
    assert [(f.priority.value, f.rule, f.line_start) for f in found] == [
        ("P0", f"builtin/hidden-{kind}", 2)
    ]
    assert (
        f"U+{ord(character):04X}" in found[0].title
        and "Column 6." in found[0].body
        and found[0].category == "hidden-text"
    )


def test_the_trojan_source_sample() -> None:
    text = (
        'access = "user"\nif access != "none\u202e\u2066": # Check if admin\u2069 \u2066\n'
        '    print("You are an admin.")\n'
    )
    assert on(hidden_text, "early.py", text) == [("P0", "hidden-bidi", "early.py:2")]


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("${name} \u2066(${share}%)\u2069", "P2"),
        ("${name} \u202a(${share}%)\u202c", "P2"),
        ("${name} \u202e\u2066(${share}%)\u2069", "P0"),
        ("\u05d0 \u2066(${share}%)\u2069", "P0"),
        ("${name} \u2067(${share}%)\u2069", "P0"),
    ],
)
def test_text_from_left_to_right_turns_nothing_around(text: str, priority: str) -> None:
    assert on(hidden_text, "a.ts", f"x = `{text}`") == [(priority, "hidden-bidi", "a.ts:1")]


def test_a_test_compares_what_runs_from_both_sides() -> None:
    name = "tests/a.test.ts"
    told = [(p, "hidden-bidi", f"{name}:1") for p in ("P2", "P0")]
    assert on(hidden_text, name, "is(x, '\u05d0 \u2066(9%)\u2069')") == told[:1]
    assert on(hidden_text, name, "is(x, '\u05d0 \u2067(9%)\u2069')") == told[1:]
    assert on(hidden_text, name, "is(\u05d0, \u2066x\u2069)") == told[1:]


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/a.rst",
        "po/ar.po",
        "locale/ar/messages.json",
        "src/i18n/he.yaml",
        "AUTHORS",
        "a.html",
    ],
)
def test_prose_and_translations_may_hold_joiners(path: str) -> None:
    assert on(hidden_text, path, f"a{ZWSP}b{ZWNJ}c{SHY}d {BOM}") == []
    embeds = "P3" if "/" in path and not path.startswith(("docs", "po")) else "P2"
    assert on(hidden_text, path, f"a{RLO}b") == [(embeds, "hidden-bidi", f"{path}:1")]
    assert on(hidden_text, path, f"a{TAG}b") == [("P2", "hidden-tag", f"{path}:1")]


def test_code_for_translations_may_hold_marks_but_no_overrides() -> None:
    assert on(hidden_text, "src/i18n/ar.ts", f"x = '{LRM}'") == [
        ("P3", "hidden-bidi", "src/i18n/ar.ts:1")
    ]
    assert on(hidden_text, "src/i18n/ar.ts", f"x = '{LRM}שלום'") == []
    assert on(hidden_text, "src/lang/fa.json", f'"a": "{LRM}سلام"') == []
    assert on(hidden_text, "lang/da/a.php", f"'a' => 'f{ZWSP}g'") == [
        ("P3", "hidden-zero-width", "lang/da/a.php:1")
    ]
    assert on(hidden_text, "src/i18n/ar.ts", f"x = '{RLO}'") == [
        ("P0", "hidden-bidi", "src/i18n/ar.ts:1")
    ]


def test_a_byte_order_mark_belongs_at_the_start_alone() -> None:
    assert on(hidden_text, "a.cs", f"{BOM}using System;\n") == []
    assert on(hidden_text, "a.cs", f"x\n{BOM}using System;\n") == [
        ("P0", "hidden-zero-width", "a.cs:2")
    ]
    late = edited("a.cs", f"+{BOM}x", start=7)
    assert short(hidden_text, sources(late)) == [("P0", "hidden-zero-width", "a.cs:7")]


def test_joiners_in_emoji_and_in_scripts_that_need_them() -> None:
    assert (
        on(
            hidden_text,
            "a.py",
            "x = '\U0001f469\u200d\U0001f4bb' # "
            "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        )
        == []
    )
    assert on(hidden_text, "a.py", f"na{ZWNJ}me = 1") == [("P0", "hidden-zero-width", "a.py:1")]


def test_mild_kinds_are_told_once_a_file() -> None:
    assert on(hidden_text, "a.sh", "\x1b[1m\nplain\n\x1b[0m\n") == [
        ("P2", "hidden-control", "a.sh:1")
    ]
    assert on(hidden_text, "a.py", f"{SHY}\n{SHY}") == [("P2", "hidden-soft-hyphen", "a.py:1")]
    assert on(hidden_text, "data.json", f'["{ZWSP}"]\n["{RLO}"]') == [
        ("P2", "hidden-zero-width", "data.json:1"),
        ("P0", "hidden-bidi", "data.json:2"),
    ]


@pytest.mark.parametrize(
    ("path", "priority"),
    [
        ("tests/ref/scroll/term.recording", "P3"),
        ("ref/scroll/term.recording", "P2"),
        ("tests/ref/scroll.py", "P3"),
        ("ref/scroll.py", "P2"),
        ("tests/ref/scroll", "P2"),
        ("pkg/testdata/apply/log", "P3"),
    ],
)
def test_what_a_terminal_was_sent_is_data_of_a_test(path: str, priority: str) -> None:
    assert on(hidden_text, path, "\x1b[1m\n") == [(priority, "hidden-control", f"{path}:1")]


@pytest.mark.parametrize(
    ("path", "priority"), [("tests/odb/objects/02/6a84", "P3"), ("odb/objects/02/6a84", "P2")]
)
def test_an_object_of_git_in_a_test_is_no_text(path: str, priority: str) -> None:
    found = on(hidden_text, path, b"x\x01\x95\xceQ\n")
    assert [(each[0], each[1]) for each in found] == [(priority, "hidden-control")]


def test_plain_text_of_any_language_is_fine() -> None:
    assert on(hidden_text, "a.py", "\tx = 'Grüße, Привет, 你好, שלום'\r\n\x0c\ny = 'naïve'\n") == []
    assert on(hidden_text, "a.c", b"/* caf\xe9 \x85 \x93quoted\x94 */\n") == []


@pytest.mark.parametrize(
    "name", [f"{CYRILLIC_A}dmin", "say\u041dello", "p\u03b1ssword", f"is_{CYRILLIC_A}dmin_x"]
)
def test_look_alike_names(name: str) -> None:
    found = list(hidden_text.check(sources(new("a.py", f"x = 1\n{name} = 2\n"))))
    assert [(f.priority.value, f.rule, f.line_start) for f in found] == [
        ("P1", "builtin/mixed-script", 2)
    ]
    assert "Column 1." in found[0].body
    assert on(hidden_text, "tests/a.py", f"{name} = 2") == [("P2", "mixed-script", "tests/a.py:1")]
    for row in (f"same('{name}', \"admin\")", f"`{name}`"):
        assert on(hidden_text, "tests/a.py", row) == [("P3", "mixed-script", "tests/a.py:1")]
        assert on(hidden_text, "src/a.py", row) == [("P1", "mixed-script", "src/a.py:1")]
    row = f"'{name}' == {name}"
    assert on(hidden_text, "tests/a.py", row) == [("P2", "mixed-script", "tests/a.py:1")]
    assert on(hidden_text, "a.md", name) == []


@pytest.mark.parametrize(
    ("path", "row", "priority"),
    [
        ("main.tf", f"# Publi{CYRILLIC_A}c subnets", "P3"),
        ("a.go", f"\t// s{CYRILLIC_A}ve it", "P3"),
        ("a.py", f"x = 1  # s{CYRILLIC_A}ve it", "P1"),
        ("a.c", f"# define s{CYRILLIC_A}ve 1", "P1"),
        ("a.js", f"  #s{CYRILLIC_A}ve = 1;", "P1"),
        ("AGENTS.md", f"# S{CYRILLIC_A}ve it", "P1"),
    ],
)
def test_look_alike_words_in_a_comment_name_nothing(path: str, row: str, priority: str) -> None:
    assert [found[0] for found in on(hidden_text, path, row)] == [priority]


@pytest.mark.parametrize(
    "name",
    [
        "\u0394x",
        "\u03c1_air",
        "\u03c1s",
        "\u03bcs",
        "sql\u0437апрос",
        "привет_world",
        "'\\n\u0430 \u0441'",
        "naïve",
    ],
)
def test_formulas_and_other_languages_are_no_disguise(name: str) -> None:
    assert on(hidden_text, "a.py", f"x = {name}") == []


def test_only_added_lines_count() -> None:
    file = edited("a.py", f" a{RLO}", f"-b{RLO}", "+c", start=3)
    assert short(hidden_text, sources(file)) == []


@pytest.mark.parametrize(
    ("path", "found"), [("logo.ai", 0), ("paper.PDF", 0), ("figure.eps", 0), ("a.js", 1)]
)
def test_drawn_pages_are_no_text(path: str, found: int) -> None:
    assert len(on(hidden_text, path, b"%PDF-1.4\n\x8e}" + RLO.encode() + b"\xfc\xe5v\n")) == found


@pytest.mark.parametrize("path", ["site/search_index.json", "html/searchindex.js"])
def test_in_a_generated_index_of_texts_it_is_no_attack(path: str) -> None:
    words = f'["{"word " * 500}{RLO}"]'
    assert on(hidden_text, path, words) == [("P2", "hidden-bidi", f"{path}:1")]
    assert on(hidden_text, path, f'["{RLO}"]') == [("P0", "hidden-bidi", f"{path}:1")]
    assert on(hidden_text, "a.py", words) == [("P0", "hidden-bidi", "a.py:1")]
    assert on(hidden_text, ".mcp.json", words) == [("P0", "hidden-bidi", ".mcp.json:1")]


def test_what_an_index_of_one_line_held_before_is_not_new() -> None:
    path, word = "html/searchindex.js", f"far to the left of {RLO} right of it"
    rows = [f'["{f"{first} " * 500}{word}"]' for first in ("word", "term")]
    assert short(hidden_text, sources(edited(path, f"-{rows[0]}", f"+{rows[1]}"))) == []
    another = f"+{rows[1]}{RLO}"
    told = [("P2", "hidden-bidi", f"{path}:1")]
    assert short(hidden_text, sources(edited(path, f"-{rows[0]}", another))) == told


def test_a_line_that_is_indented_in_another_way_held_it_before() -> None:
    row = f"'name' => 'a{RLO}',"
    file = edited("a.php", f"-  {row}", f"+\t{row}")
    assert short(hidden_text, sources(file)) == []
    sign = edited("a.php", "-  'name' => 'a',", "+  \x1f'name' => 'a',")
    assert [each[0] for each in short(hidden_text, sources(sign))] == ["P2"]
    other = edited("a.php", f"-  {row}", f"+\t{row.replace('name', 'title')}")
    assert short(hidden_text, sources(other)) == [("P0", "hidden-bidi", "a.php:1")]


def test_a_bundle_has_tables_of_numbers_that_are_written_as_characters() -> None:
    table = f"var table='{'x;' * 1000}a\u2060b\u00adc\x7fd;{CYRILLIC_A}dmin'"
    told = on(hidden_text, "public/app.js", table)
    assert {(priority, rule) for priority, rule, _at in told} == {
        ("P3", "hidden-zero-width"),
        ("P3", "hidden-soft-hyphen"),
        ("P3", "hidden-control"),
        ("P3", "mixed-script"),
    }
    assert ("P1", "mixed-script", "app.js:1") in on(hidden_text, "app.js", f"x='{CYRILLIC_A}dmin'")


def test_data_of_tests_holds_it_on_purpose_but_not_their_code_or_configuration() -> None:
    line = f'  "input": "http://example.com/{RLO}/foo"'
    assert on(hidden_text, "tests/urls.json", line) == [("P2", "hidden-bidi", "tests/urls.json:1")]
    for path in ("tests/test_urls.py", "tests/compose.yml", "package.json"):
        assert on(hidden_text, path, line) == [("P0", "hidden-bidi", f"{path}:1")]


@pytest.mark.parametrize(
    ("path", "line", "told"),
    [
        ("lang/auth.py", f"def {CYRILLIC_A}dmin(user):", [("P1", "mixed-script")]),
        ("lang/ru.php", f"  'key' => '{CYRILLIC_A}dmin',", []),
        ("lang/app_ru.ts", f"  <translation>{CYRILLIC_A}dmin</translation>", []),
        ("i18n/auth.js", f"const is{ZWNJ}Admin = true;", [("P0", "hidden-zero-width")]),
        ("i18n/fa.js", f"  title: 'is{ZWNJ}Admin',", [("P3", "hidden-zero-width")]),
        (".github/workflows/i18n.yml", f"  - run: echo {RLO}", [("P0", "hidden-bidi")]),
        ("i18n/ar.yml", f"  a: b {RLO}", [("P3", "hidden-bidi")]),
    ],
)
def test_a_folder_of_translations_may_hold_code(
    path: str, line: str, told: list[tuple[str, str]]
) -> None:
    found = on(hidden_text, path, f"{line}\n")
    assert [(priority, rule) for priority, rule, _place in found] == told
