"""php, checkstyle, ktlint, stylelint, html-validate and phpstan: what their reports weigh, what is
left out, and the real tools where they are here."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from reviewgate_gh.model.config import LinterOptions
from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers.linters import (
    _shared,
    checkstyle,
    dotnet_format,
    html_validate,
    ktlint,
    php,
    phpstan,
    stylelint,
)
from reviewgate_gh.reviewers.linters._run import LinterFailed, LinterJob, ask_linter
from reviewgate_gh.reviewers.linters._shared import LEFT_OUT
from tests.e2e.pushing import executable
from tests.unit.reviewers.linters.real import DATA, ODD, ask, found_in, program_of, takes, write


def _heard(
    module: Any, folder: Path, files: Mapping[str, str], program: str, *, own: bool = False
) -> set[tuple[str, str, str]]:
    """What the gate hears of a program about these files: path, rule, priority."""
    write(folder, files)
    paths = tuple(name for name in files if takes(module, name, files[name].encode()[:256]))
    ours = DATA / module.DEFAULT_CONFIG if module.DEFAULT_CONFIG and not own else None
    env = {"PATH": f"{Path(program).parent}:/usr/bin:/bin", **getattr(module, "ENVIRONMENT", {})}
    name = module.__name__.rpartition(".")[2]
    job = LinterJob(name, module, LinterOptions(), program, env, paths, folder, ours)
    context: Any = SimpleNamespace(timeout=120.0)
    return {
        (f.path, f.rule, f.category if f.category == LEFT_OUT else f.priority.value)
        for f in ask_linter(job, context)
        if f.path
    }


@pytest.mark.parametrize(
    ("words", "weight"),
    [
        ('Parse error: syntax error, unexpected token ";", expecting "]"', "P0"),
        ('Parse error: syntax error, unexpected variable "$b"', "P0"),
        ('Parse error: syntax error, unexpected identifier "f", expecting "," or ";"', "P0"),
        ("Parse error: Unclosed '{' on line 3", "P0"),
        ("Parse error: syntax error, unexpected end of file", "P0"),
        ('Parse error: syntax error, unexpected identifier "retrun"', "P2"),
        ("Fatal error: 'break' not in the 'loop' or 'switch' context", "P1"),
        ("Fatal error: Cannot redeclare f() (previously declared in a.php:2)", "P1"),
        ("Fatal error: Cannot redeclare array_find()", "P2"),
        ("Fatal error: Redefinition of parameter $a", "P1"),
        # Typed constants, `new` without brackets, hooks, visibility of setters, pipes, enums
        ('Parse error: syntax error, unexpected identifier "X", expecting "="', LEFT_OUT),
        ('Parse error: syntax error, unexpected token "->", expecting ";"', LEFT_OUT),
        ('Parse error: syntax error, unexpected token "{", expecting "," or ";"', LEFT_OUT),
        ('Parse error: syntax error, unexpected token ")", expecting amp', LEFT_OUT),
        ("Fatal error: Multiple access type modifiers are not allowed", LEFT_OUT),
        ('Parse error: syntax error, unexpected token ">"', LEFT_OUT),
        ("Fatal error: Constant expression contains invalid operations", LEFT_OUT),
    ],
)
def test_what_a_later_php_may_read_is_no_mistake(words: str, weight: str) -> None:
    found = found_in(php, f"\n{words} in x/a.php on line 4\nErrors parsing x/a.php\n")
    assert [(path, how) for _rule, path, _line, how in found] == [("x/a.php", weight)]


@pytest.mark.parametrize("text", ["", "\n", "Deprecated: x in a.php on line 1\n"])
def test_php_says_of_each_file_how_it_went(text: str) -> None:
    with pytest.raises(ValueError, match="whether it has read the file"):
        found_in(php, text)
    assert found_in(php, f"{text}No syntax errors detected in a.php\n") == []


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("<?php\n$x $y;\n", "P0"),
        ("<?php\n(void) $x;\n", "P2"),
        ("<? if ($x): ?>\n<b>\n<?php endif ?>\n", "P3"),
        ('<?xml version="1.0"?>\n<?= $x $y ?>\n', "P0"),
    ],
)
def test_php_of_another_version_or_setting_weighs_less(text: str, priority: str) -> None:
    found = Finding(Priority.P0, "syntax", "php/syntax", "a.php", 2, 2, "t")
    assert php.relocate(found, text.encode).priority == priority


def test_a_template_of_laravel_is_no_php() -> None:
    assert takes(php, "a.php") and takes(php, "bin/x", b"#!/usr/bin/env php8.3\n")
    assert not takes(php, "a.blade.php") and not takes(php, "bin/x", b"#!/bin/sh\n# php\n")


def test_checkstyle_weighs_mistakes_and_style() -> None:
    errors = [
        ("coding.StringLiteralEqualityCheck", "error"),
        ("coding.EqualsHashCodeCheck", "warning"),
        ("sizes.LineLengthCheck", "error"),
    ]
    rows = "".join(
        f'<error line="3" severity="{severity}" message="m" '
        f'source="com.puppycrawl.tools.checkstyle.checks.{source}"/>'
        for source, severity in errors
    )
    text = f'<checkstyle version="10"><file name="x/A.java">{rows}</file></checkstyle>\n'
    assert found_in(checkstyle, text) == [
        ("checkstyle/StringLiteralEquality", "x/A.java", 3, "P2"),
        ("checkstyle/EqualsHashCode", "x/A.java", 3, "P3"),
        ("checkstyle/LineLength", "x/A.java", 3, "P3"),
    ]
    assert [checkstyle.spared(f) for f in checkstyle.parse([text.encode()])] == [0, 1, 0]


def test_checkstyles_files_beside_its_configuration_are_known() -> None:
    config = (
        b'<module name="SuppressionFilter">'
        b'<property name="file" value="config/suppressions.xml"/>'
        b'<property name="file" value="${config_loc}/x.xml"/></module>'
    )
    assert checkstyle.extends(config) == ["config/suppressions.xml"]


def _program(path: Path, body: str) -> str:
    executable(path, body)
    return str(path)


_STAND_IN = """
count=0
files=
for each in "$@"; do case $each in
  *B.java) printf 'x: Exception was thrown while processing %s\\n' "$each" >&2
    printf '\\tat x\\nCaused by: y: /t/B.java:1:18: unexpected token: {\\n' >&2
    exit 254;;
  *missing.java) ;;
  *.java) count=$((count + 1))
    error="<error line='1' severity='error' message='m' source='x'/>"
    files="$files<file name='$each'>$error</file>"
esac; done
echo "<checkstyle>$files</checkstyle>"
"""


def test_a_file_that_stops_checkstyle_is_left_out_and_the_others_are_read(tmp_path: Path) -> None:
    program = _program(tmp_path / "bin/checkstyle", f"{_STAND_IN}exit $count")
    files = dict.fromkeys(("A.java", "B.java", "C.java", "missing.java"), "class A {}\n")
    assert _heard(checkstyle, tmp_path / "t", files, program) == {
        ("A.java", "checkstyle/x", "P3"),
        ("B.java", "checkstyle/left-out", LEFT_OUT),
        ("C.java", "checkstyle/x", "P3"),
        ("missing.java", "checkstyle/left-out", LEFT_OUT),
    }


def test_an_exit_code_that_is_no_count_of_the_errors_is_a_broken_run(tmp_path: Path) -> None:
    program = _program(tmp_path / "bin/checkstyle", f"{_STAND_IN}exit 70")
    with pytest.raises(LinterFailed, match="exit code 70 means as many errors, but it printed 1"):
        _heard(checkstyle, tmp_path / "t", {"A.java": "class A {}\n"}, program)


def test_php_reads_one_file_a_call(tmp_path: Path) -> None:
    """Before 8.3 it passes over all but the first."""
    text = (
        'for each; do :; done; echo "No syntax errors detected in $each"; echo "$each" >> ../read'
    )
    program = _program(tmp_path / "bin/php", text)
    files = dict.fromkeys(("a.php", "b.php", "-c.php"), "<?php\n")
    assert _heard(php, tmp_path / "t", files, program) == set()
    assert (tmp_path / "read").read_text().split() == ["a.php", "b.php", "./-c.php"]


def test_ktlint_tells_what_does_not_parse_from_style() -> None:
    def row(message: str, rule: str) -> dict[str, object]:
        return {"line": 2, "column": 1, "message": message, "rule": rule}

    rows = [
        row("Not a valid Kotlin file (2:1 expecting an expression)", ""),
        row("Unused import", "standard:no-unused-imports"),
        row("Internal Error (rule 'x') in file 'a.kt'", ""),
    ]
    text = json.dumps([{"file": "a.kt", "errors": rows}])
    assert found_in(ktlint, text) == [
        ("ktlint/syntax", "a.kt", 2, "P2"),
        ("ktlint/standard:no-unused-imports", "a.kt", 2, "P3"),
        ("ktlint/left-out", "a.kt", 0, LEFT_OUT),
    ]


def _sheet(source: str, *rows: tuple[str, str], **more: object) -> str:
    warnings = [
        {"line": 1, "column": 1, "rule": rule, "severity": "error", "text": text}
        for rule, text in rows
    ]
    return json.dumps([{"source": source, "warnings": warnings, **more}])


@pytest.mark.parametrize(
    ("path", "rule", "text", "weight"),
    [
        ("a.css", "CssSyntaxError", "Unclosed block (CssSyntaxError)", "P0"),
        ("a.scss", "CssSyntaxError", "Unknown word (CssSyntaxError)", "P3"),
        ("a.css", "CssSyntaxError", "All rules have already been disabled (CssSyntaxError)", "P3"),
        ("a.css", "color-no-invalid-hex", "m", "P2"),
        ("a.css", "property-no-unknown", "m", "P3"),
        ("a.css", "selector-class-pattern", "m", "P3"),
    ],
)
def test_stylelint_weighs_mistakes_and_style(path: str, rule: str, text: str, weight: str) -> None:
    ((_rule, where, _line, how),) = found_in(stylelint, _sheet(path, (rule, text)))
    assert (where, how) == (path, weight)


def test_what_stylelint_says_of_its_settings_is_no_finding() -> None:
    with pytest.raises(ValueError, match="its settings: Unknown rule no-such"):
        found_in(stylelint, _sheet("a.css", ("no-such", "Unknown rule no-such.")))
    wrong = [{"text": 'Unexpected option value "x" for rule "y"'}]
    with pytest.raises(ValueError, match="its settings: Unexpected option"):
        found_in(stylelint, _sheet("a.css", invalidOptionWarnings=wrong))
    assert found_in(stylelint, _sheet("a.css", ignored=True)) == [
        ("stylelint/left-out", "a.css", 0, LEFT_OUT)
    ]


@pytest.mark.parametrize("stream", [1, 2])
def test_stylelint_may_report_on_either_stream(tmp_path: Path, stream: int) -> None:
    """On standard error since version 16, beside what Node says there."""
    report = _sheet("a.css", ("color-no-invalid-hex", "m"))
    text = f"echo '(node:7) Warning: x' >&2\nprintf '%s' '{report}' >&{stream}\nexit 2"
    program = _program(tmp_path / "bin/stylelint", text)
    assert _heard(stylelint, tmp_path / "t", {"a.css": "a {}\n"}, program, own=True) == {
        ("a.css", "stylelint/color-no-invalid-hex", "P2")
    }


@pytest.mark.parametrize(
    ("data", "runs"),
    [
        (b"{}", False),
        (b'{"extends": ["html-validate:recommended"], "rules": {"void-style": "off"}}', False),
        (b'{"extends": ["./shared"]}', True),
        (b'{"extends": "html-validate:recommended"}', True),
        (b'{"plugins": ["./a.js"]}', True),
        (b'{"transform": {".*": "x"}}', True),
        (b'{"elements": ["./elements"]}', True),
        (b"export default {};\n", True),
        (b"", True),
    ],
)
def test_which_settings_of_html_validate_are_programs(data: bytes, runs: bool) -> None:
    assert html_validate.executes(data) is runs


def test_a_comment_of_html_validate_that_the_gate_made_unreadable_is_no_finding() -> None:
    unknown = {"ruleId": "parser-error", "severity": 2, "message": 'Unknown directive "xxxxxxx"',
               "line": 1}  # fmt: skip
    text = json.dumps([{"filePath": "a.html", "messages": [unknown]}])
    assert [f.category for f in html_validate.parse([text.encode()])] == [LEFT_OUT]
    assert html_validate.CLEAN_EXITS == (0, 1)  # it ends with 1 for it


def test_no_annotation_silences_what_checkstyle_finds_without_settings(tmp_path: Path) -> None:
    text = '@SuppressWarnings("all")\nclass A { boolean f(String s) { return s == "a"; } }\n'
    asked = ask(checkstyle, tmp_path, {"A.java": text})
    assert asked.weights() == {"checkstyle/StringLiteralEquality": "P2"}


def test_html_validate_weighs_what_a_browser_guesses_at() -> None:
    messages = [
        ("close-order", "Unclosed element '<div>'", 2),
        ("close-order", "Stray end tag '</p>'", 2),
        ("close-order", "End tag '</p>' seen but there were open elements", 2),
        ("no-dup-id", "Duplicate ID", 2),
        ("no-dup-id", "Duplicate ID", 1),
        ("void-style", "Expected omitted end tag", 2),
        ("parser-error", "failed to tokenize", 2),
    ]
    rows = [
        {"ruleId": rule, "message": words, "severity": severity, "line": 3, "column": 1}
        for rule, words, severity in messages
    ]
    text = json.dumps([{"filePath": "a.html", "messages": rows}])
    weights = [weight for _rule, _path, _line, weight in found_in(html_validate, text)]
    assert weights == ["P2", "P3", "P3", "P2", "P3", "P3", "P2"]
    unknown = {"ruleId": "x", "message": "Definition for rule 'x' was not found", "severity": 2}
    with pytest.raises(ValueError, match="its settings: Definition for rule 'x'"):
        found_in(html_validate, json.dumps([{"filePath": "undefined", "messages": [unknown]}]))


@pytest.mark.parametrize(
    "text", ["{% if x %}<div>", "{{ x }}", "<?php x ?>", '<a @click="b">', '<p *ngIf="x">', "${x}"]
)
def test_markup_that_a_program_fills_in_is_left_out(text: str) -> None:
    found = Finding(Priority.P2, "lint", "html-validate/close-order", "a.html", 1, 1, "t")
    assert html_validate.relocate(found, text.encode).category == LEFT_OUT
    assert html_validate.relocate(found, lambda: b"<p>a & b: {c}</p>") == found
    assert html_validate.relocate(found, lambda: b"<P>a</p>").priority is Priority.P3


def test_html_validate_takes_no_path_for_a_pattern() -> None:
    assert takes(html_validate, "a b/ü.html") and not takes(html_validate, "[id].html")


def test_phpstan_in_the_form_that_its_formatter_writes() -> None:
    """https://phpstan.org/user-guide/output-format"""

    def row(identifier: str, message: str = "m") -> dict[str, object]:
        return {"message": message, "line": 3, "ignorable": True, "identifier": identifier}

    rows = {
        "/r/a.php": {"errors": 4, "messages": [
            row("phpstan.parse", "Syntax error, unexpected ';'"), row("function.notFound"),
            row("arguments.count"), row("argument.type"), row("missingType.return"),
            {"message": "old", "line": None, "ignorable": True},
        ]},
        "/r/T.php (in context of class A\\B)": {"errors": 1, "messages": [row("method.notFound")]},
    }  # fmt: skip
    assert found_in(phpstan, json.dumps({"totals": {}, "files": rows, "errors": []})) == [
        ("phpstan/syntax", "/r/a.php", 3, "P0"),
        ("phpstan/function.notFound", "/r/a.php", 3, "P1"),
        ("phpstan/arguments.count", "/r/a.php", 3, "P1"),
        ("phpstan/argument.type", "/r/a.php", 3, "P2"),
        ("phpstan/missingType.return", "/r/a.php", 3, "P3"),
        ("phpstan/error", "/r/a.php", 0, "P2"),
        ("phpstan/method.notFound", "/r/T.php", 3, "P1"),
    ]
    assert found_in(phpstan, '{"totals": {}, "files": [], "errors": []}') == []
    with pytest.raises(ValueError, match="PHPStan failed: Internal error"):
        found_in(phpstan, '{"files": [], "errors": ["Internal error: x"]}')


_CALL = "<?php f();\n"
_UNREADABLE = "<?php\nfunction f( {\n"
_LEVEL = "parameters:\n    level: 5\n"
# What 2.1 says of these, in the end
_PHPSTAN_CASES = [
    ("one stops it", {"a.php": _CALL, "b.php": _UNREADABLE, "c.php": "<?php echo 1;\n"}, _LEVEL,
     {("a.php", "phpstan/function.notFound", "P1"), ("b.php", "phpstan/syntax", "P0")}),
    ("all stop it", {"b.php": _UNREADABLE}, _LEVEL, {("b.php", "phpstan/syntax", "P0")}),
    ("one is left out", {"a.php": _CALL, "c.php": _CALL},
     f"{_LEVEL}    excludePaths:\n        - c.php\n",
     {("a.php", "phpstan/function.notFound", "P1"), ("c.php", "phpstan/left-out", LEFT_OUT)}),
    ("all are left out", {"c.php": _CALL}, f"{_LEVEL}    excludePaths:\n        - c.php\n",
     {("c.php", "phpstan/left-out", LEFT_OUT)}),
]  # fmt: skip
# Stands for it: prints in the words of 2.1 what it says of files with these names
_LIKE_PHPSTAN = """import json, os, sys
files = [each for each in sys.argv if each.endswith(".php")]
left_out = "c.php" if "excludePaths" in open("phpstan.neon").read() else ""
read = [each for each in files if each != left_out]
sys.stderr.write("Note: Using configuration file /r/phpstan.neon.\\n")
if not read:
    sys.stderr.write("\\n [ERROR] No files found to analyse.      \\n\\n")
    sys.exit(1)
n = len(read)
sys.stderr.write(f" 0/{n} [....]   0%\\x1b[1G\\x1b[2K {n}/{n} [====] 100%\\n")
def said(identifier, message):
    row = {"message": message, "line": 1, "ignorable": False, "identifier": identifier}
    return {"errors": 1, "messages": [row]}
broken = {each: said("phpstan.parse", "Syntax error") for each in read if each == "b.php"}
calls = {each: said("function.notFound", "m") for each in read if "f();" in open(each).read()}
found = {f"{os.getcwd()}/{each}": what for each, what in (broken or calls).items()}
print(json.dumps({"totals": {}, "files": found or [], "errors": []}))
if broken:
    sys.stderr.write("\\u26a0 Result is incomplete because of severe errors. \\u26a0\\n")
sys.exit(1 if found else 0)
"""


@pytest.mark.parametrize(
    ("files", "settings", "heard"),
    [case[1:] for case in _PHPSTAN_CASES],
    ids=[case[0] for case in _PHPSTAN_CASES],
)
@pytest.mark.parametrize("real", [pytest.param(True, marks=pytest.mark.peer), False])
def test_what_phpstan_does_not_name_it_has_not_always_read(
    tmp_path: Path, files: dict[str, str], settings: str, heard: set[Any], *, real: bool
) -> None:
    program = program_of(phpstan) if real else f"{tmp_path}/phpstan"
    (tmp_path / "like.py").write_text(_LIKE_PHPSTAN)
    executable(tmp_path / "phpstan", f'exec {sys.executable} {tmp_path}/like.py "$@"')
    here = {"phpstan.neon": settings, **files}
    assert _heard(phpstan, tmp_path / "x", here, program, own=True) == heard


def test_where_no_file_of_the_change_stopped_phpstan_it_has_failed(tmp_path: Path) -> None:
    stopper = {"message": "Syntax error", "line": 1, "identifier": "phpstan.parse"}
    said = json.dumps({"files": {f"{tmp_path}/x/t.php": {"messages": [stopper]}}, "errors": []})
    body = f"echo '{said}'; echo 'Result is incomplete because of severe errors.' >&2; exit 1"
    executable(tmp_path / "phpstan", body)
    with pytest.raises(LinterFailed, match="incomplete because of severe errors"):
        _heard(phpstan, tmp_path / "x", {"a.php": _CALL}, f"{tmp_path}/phpstan", own=True)


def test_a_file_that_phpstan_broke_at_is_not_reviewed() -> None:
    rows = [{"message": "Reflection error: X not found.", "line": 1, "identifier": each}
            for each in ("phpstan.internal", "phpstan.reflection", "phpstan.path")]  # fmt: skip
    text = json.dumps({"files": {"/r/a.php": {"messages": rows}}, "errors": []})
    assert {found[3] for found in found_in(phpstan, text)} == {LEFT_OUT}


def test_phpstan_says_why_between_its_settings_and_its_usage() -> None:
    assert (
        phpstan.why(
            "Note: Using configuration file /r/phpstan.neon.\n\nIn NeonAdapter.php line 55:\n   \n"
            "  Error while loading /r/phpstan.neon: Bad indentation on\n   line 3.   \n\n"
            "analyse [-c|--configuration CONFIGURATION] [--] [<paths>...]\n"
        )
        == "Error while loading /r/phpstan.neon: Bad indentation on line 3."
    )


_NO_COMMAND = """Could not execute because the specified command or file was not found.
Possible reasons for this include:
  * You misspelled a built-in dotnet command.
  * You intended to execute a .NET Core program, but dotnet-format does not exist.
"""


@pytest.mark.parametrize(
    ("said", "code", "reason"),
    [
        (_NO_COMMAND, 1, r"not found\. `dotnet format` comes with \.NET SDK 6"),
        ("Process terminated. Couldn't find a valid ICU package.\n   at System.A()\n", 134,
         "134: Process terminated"),
        ("/r/a.cs(1,1): error IDE0055: m [/r/a.csproj]\nUnhandled exception: x\n   at A()\n", 1,
         "1: Unhandled exception: x"),
    ],
)  # fmt: skip
def test_a_dotnet_that_cannot_format_has_failed(
    tmp_path: Path, said: str, code: int, reason: str
) -> None:
    """As SDK 3.1 answers, and one without the libraries that it needs."""
    executable(tmp_path / "dotnet", f"cat >&2 <<'END'\n{said}END\nexit {code}")
    with pytest.raises(LinterFailed, match=reason) as failed:
        _heard(dotnet_format, tmp_path / "x", {"a.cs": "class A {}\n"}, f"{tmp_path}/dotnet")
    assert failed.value.status is ReviewStatus.FAILED


def test_what_a_test_of_java_reads_weighs_little() -> None:
    found = Finding(Priority.P0, "syntax", "php/syntax", "m/src/test/resources/a.php", 1, 1, "t")
    assert _shared.place_finding(found, "/r").priority == "P2"


# Three obvious defects each: file, text, rule and priority
DEFECTS: dict[ModuleType, list[tuple[str, str, str, str]]] = {
    php: [
        ("a.php", "<?php\n$a = 1\n$b = 2;\n", "php/syntax", "P0"),
        ("b.php", "<?php\nfunction f($a, $a) {}\n", "php/duplicate-parameter", "P1"),
        ("c.php", "<?php\nif (1) {\n", "php/syntax", "P0"),
        (f"{ODD}.php", "<?php\nf(;\n", "php/syntax", "P0"),
        ("-d.php", "<?php\ncontinue;\n", "php/outside", "P1"),
        ("@at.php", "<?php\nfunction f() {}\nfunction f() {}\n", "php/redeclared", "P1"),
    ],
    checkstyle: [
        (
            "A.java",
            'class A { boolean f(String s) { return s == "x"; } }\n',
            "checkstyle/StringLiteralEquality",
            "P2",
        ),
        (
            "-B.java",
            "class B { public boolean equals(Object o) { return true; } }\n",
            "checkstyle/EqualsHashCode",
            "P2",
        ),
        (
            f"{ODD}.java",
            "class C { public boolean equals(C o) { return true; } }\n",
            "checkstyle/CovariantEquals",
            "P2",
        ),
        ("D.java", "class D { int f( { }\n", "checkstyle/left-out", LEFT_OUT),
    ],
    ktlint: [
        ("-a.kt", "fun f( {\n", "ktlint/syntax", "P2"),
        (f"{ODD}.kt", "fun f() { val x = }\n", "ktlint/syntax", "P2"),
        ("[id].kts", "val x = \n", "ktlint/syntax", "P2"),
    ],
    stylelint: [
        (f"{ODD}.css", "a { color: #ggg }\n", "stylelint/color-no-invalid-hex", "P2"),
        ("-a.css", "a { color: red\n", "stylelint/syntax", "P0"),
        ("[id].css", "a { colr: red }\n", "stylelint/property-no-unknown", "P3"),
    ],
    html_validate: [
        (f"{ODD}.html", "<p id=a>x</p><p id=a>y</p>\n", "html-validate/no-dup-id", "P2"),
        ("-a.html", "<div><span>x</div>\n", "html-validate/close-order", "P2"),
        ("b.html", '<p <b "\n', "html-validate/syntax", "P2"),
    ],
}
_RULES = '{"rules": {"color-no-invalid-hex": true, "property-no-unknown": true}}\n'


@pytest.mark.peer
@pytest.mark.parametrize("module", DEFECTS, ids=lambda module: module.PROGRAM)
def test_the_real_tool_finds_what_is_bad_under_odd_names(
    module: ModuleType, tmp_path: Path
) -> None:
    files = {name: text for name, text, _rule, _priority in DEFECTS[module]}
    own = {".stylelintrc.json": _RULES} if module is stylelint else {}
    heard = _heard(module, tmp_path, {**own, **files}, program_of(module), own=bool(own))
    wanted = {(name, rule, priority) for name, _text, rule, priority in DEFECTS[module]}
    assert wanted <= heard, heard


@pytest.mark.peer
@pytest.mark.parametrize(
    ("module", "name", "text"),
    [
        (
            php,
            "a.php",
            "<b>\n<?php foreach (x() as $y): ?><b><?= $y ?></b>\n<?php endforeach ?>",
        ),
        (php, "b.php", "#!/usr/bin/env php\n<?php\necho undefined($x, A::B);\n"),
        (checkstyle, "A.java", "public class a\n{ int X_y=1;\tB b; }\n"),
        (html_validate, "a.html", "<ul><li>a<li>b</ul><p>c<br/><img src=x>\n"),
        (html_validate, "c.html", "<svg><linearGradient/></svg><dl><dt>x<dd>y</dl>\n"),
        (html_validate, "b.html", "{% if a %}<div>{% else %}<div class=b>{% endif %}</div>\n"),
    ],
    ids=lambda value: getattr(value, "PROGRAM", ""),
)
def test_style_and_what_it_cannot_know_is_not_its_business(
    module: ModuleType, name: str, text: str, tmp_path: Path
) -> None:
    heard = _heard(module, tmp_path, {name: text}, program_of(module))
    assert [row for row in heard if row[2] != LEFT_OUT] == []


@pytest.mark.peer
def test_php_runs_nothing_of_what_it_reads(tmp_path: Path) -> None:
    write(tmp_path, {"php.ini": f"auto_prepend_file={tmp_path}/a.php\n", ".user.ini": "x=1\n"})
    text = f"<?php\nfile_put_contents('{tmp_path}/ran', 'x');\n"
    assert _heard(php, tmp_path, {"a.php": text}, program_of(php)) == set()
    assert not (tmp_path / "ran").exists()
