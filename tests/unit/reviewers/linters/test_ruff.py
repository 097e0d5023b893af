"""ruff: the default rules' weights on real runs, and its output's oddities."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import _shared, ruff
from reviewgate_gh.reviewers.linters._edits import settle_edits
from reviewgate_gh.reviewers.linters._weights import table
from tests.support import ROOT, run
from tests.unit.reviewers.linters.real import ask, program_of, write

BAD = {
    "ruff/F821": ("print(undefined_name)\n", "P1"),
    "ruff/F822": ('__all__ = ["nothing"]\n', "P1"),
    "ruff/F823": ("x = 1\ndef f():\n    print(x)\n    x = 2\n", "P1"),
    "ruff/F706": ("return 1\n", "P1"),
    "ruff/PLE0604": ("__all__ = [1]\n", "P1"),
    "ruff/S102": ("def f(a):\n    exec(a)\n", "P2"),
    "ruff/S307": ("def f(a):\n    return eval(a)\n", "P2"),
    "ruff/S501": (
        'import requests\nrequests.get("https://x.example", verify=False, timeout=1)\n',
        "P1",
    ),
    "ruff/S506": ("import yaml\ndef f(a):\n    return yaml.load(a)\n", "P2"),
    "ruff/S602": ("import subprocess\ndef f(a):\n    subprocess.run(a, shell=True)\n", "P2"),
    "ruff/S604": ("def f(g, a):\n    g(a, shell=True)\n", "P2"),
    "ruff/S605": ("import os\ndef f(a):\n    os.system(a)\n", "P2"),
    "ruff/S608": ('def f(c, a):\n    c.execute("SELECT x FROM t WHERE a = \'" + a + "\'")\n', "P2"),
    "ruff/S113": ('import requests\nrequests.get("https://x.example")\n', "P2"),
    "ruff/S324": ("import hashlib\nhashlib.md5(b'x')\n", "P3"),
    "ruff/B006": ("def f(a=[]):\n    return a\n", "P2"),
    "ruff/ASYNC251": ("import time\nasync def f():\n    time.sleep(1)\n", "P2"),
    "ruff/F401": ("import os\n", "P3"),
    "ruff/E711": ("def f(a):\n    return a == None\n", "P3"),
    "ruff/E722": ("try:\n    f = 1\nexcept:\n    f = 2\n", "P3"),
    "ruff/invalid-syntax": ("def f(:\n", "P0"),
}
QUIET = {
    "b904.py": "try:\n    x = 1\nexcept ValueError:\n    raise KeyError\n",
    "b007.py": "for i in range(3):\n    print(1)\n",
    "b009.py": 'print(getattr(print, "a"))\n',
    "s101.py": "assert __name__\n",
    "s105.py": 'password = "x1y2z3"\n',
    "s108.py": 'print("/tmp/x")\n',
    "new.py": 'type X = int\nprint(f"{"a"}", X)\n',
    "clean.py": '"""A module."""\n\nprint("hello")\n',
}


@pytest.mark.parametrize("rule", sorted(BAD))
def test_default_rules_weigh_as_designed(rule: str, tmp_path: Path) -> None:
    source, priority = BAD[rule]
    asked = ask(ruff, tmp_path, {"bad.py": source})
    assert asked.code == 1
    assert asked.weights().get(rule) == priority, asked.findings
    assert {f.path for f in asked.findings} == {"bad.py"}


def test_noisy_rules_and_clean_files_say_nothing(tmp_path: Path) -> None:
    asked = ask(ruff, tmp_path, QUIET)
    assert (asked.code, asked.out, asked.findings) == (0, b"", ())


def test_a_shell_call_without_input_is_a_trifle(tmp_path: Path) -> None:
    asked = ask(ruff, tmp_path, {"a.py": 'import os\nos.system("ls")\n'})
    assert asked.weights()["ruff/S605"] == "P3"


def test_security_rules_weigh_less_in_tests_only(tmp_path: Path) -> None:
    source, _ = BAD["ruff/S307"]
    root = tmp_path / "test_folder_above"  # a name outside the repository counts for nothing
    root.mkdir()
    asked = ask(
        ruff,
        root,
        dict.fromkeys(
            ("src/a.py", "tests/a.py", "src/test_a.py", "latest/a.py", "tests/b.py"), source
        ),
    )
    assert {f.path: f.priority.value for f in asked.findings} == {
        "src/a.py": "P2",
        "latest/a.py": "P2",
        "tests/a.py": "P3",
        "tests/b.py": "P3",
        "src/test_a.py": "P3",
    }
    undefined = ask(ruff, root, {"tests/c.py": BAD["ruff/F821"][0]})
    assert undefined.weights()["ruff/F821"] == "P1"


def test_odd_names_and_files_without_suffix(tmp_path: Path) -> None:
    names = ("x b/ü '.py", "-dash.py", "a\nb.py", "100%25.py")
    asked = ask(
        ruff,
        tmp_path,
        {
            **dict.fromkeys(names, "print(q)\n"),
            "script": "#!/usr/bin/env -S python3 -u\nprint(q)\n",
        },
    )
    assert {f.path for f in asked.findings} == {*names, "script"}
    assert {f.line_start for f in asked.findings} == {1, 2}


def test_a_name_that_ruff_cannot_print_is_no_clean_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot print the name"):
        ask(ruff, tmp_path, {"n\udcff.py": "print(q)\n"})


def test_an_unreadable_file_is_critical(tmp_path: Path) -> None:
    asked = ask(ruff, tmp_path, {"l.py": b'x = "\xe9"\n'})
    (found,) = asked.findings
    assert (found.path, found.line_start, found.priority) == ("l.py", 0, Priority.P1)
    assert "UTF-8" in found.title


def test_the_projects_config_and_excludes_win(tmp_path: Path) -> None:
    config = (
        'extend-exclude = ["skipped"]\nfix = true\nfix-only = true\n[lint]\nselect = ["F401"]\n'
    )
    asked = ask(
        ruff,
        tmp_path,
        {"ruff.toml": config, "a.py": "import os\nprint(q)\n", "skipped/b.py": "import os\n"},
        own_config=True,
    )
    assert [(f.rule, f.path) for f in asked.findings] == [("ruff/F401", "a.py")]
    assert (tmp_path / "a.py").read_text().startswith("import os"), "a file was changed"


def test_nothing_hides_from_the_default_config(tmp_path: Path) -> None:
    run(["git", "init", "-q", "."], tmp_path)
    files = dict.fromkeys(("build/a.py", "dist/a.py", "ignored/a.py", "venv/a.py"), "print(q)\n")
    write(tmp_path, {".gitignore": "ignored/\n"})
    assert {f.path for f in ask(ruff, tmp_path, files).findings} == set(files)


def test_only_a_safe_fix_is_a_suggestion(tmp_path: Path) -> None:
    sources = {"a.py": "import os\nprint(1)\n", "b.py": "def f(a):\n    return a == None\n"}
    asked = ask(ruff, tmp_path, sources)
    by_rule = {f.rule: settle_edits(f, sources[f.path].encode) for f in asked.findings}
    removed, unsafe = by_rule["ruff/F401"], by_rule["ruff/E711"]
    assert (removed.suggestion, removed.line_start, removed.line_end) == ("", 1, 1)
    assert (removed.column_start, removed.column_end) == (8, 10)
    assert "Fix: Remove unused import" in removed.body
    assert unsafe.suggestion is None


def test_the_findings_come_one_by_one() -> None:
    def lines():  # type: ignore[no-untyped-def]
        yield json.dumps(_row()).encode() + b"\n"
        raise AssertionError("read ahead")

    assert next(iter(ruff.parse(lines()))).rule == "ruff/F821"


def _row(**changes: object) -> dict[str, object]:
    row = {
        "code": "F821", "filename": "/r/a.py", "fix": None, "message": "Undefined name",
        "severity": "error", "url": None,
        "location": {"row": 3, "column": 1}, "end_location": {"row": 3, "column": 9},
    }  # fmt: skip
    return {**row, **changes}


@pytest.mark.parametrize(
    "change",
    [
        {"filename": None}, {"filename": ""}, {"filename": "/r/\ufffd.py"}, {"location": None},
        {"location": {"row": -1}}, {"message": 3},
        {"code": ["F821"]}, {"end_location": {"row": "3", "column": 1}}, {"fix": {"edits": []}},
        {"severity": "fatal"}, {"url": 3},
    ],
)  # fmt: skip
def test_a_line_that_is_not_ruffs_is_refused(change: dict[str, object]) -> None:
    assert len(list(ruff.parse([json.dumps(_row()).encode()]))) == 1
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        list(ruff.parse([json.dumps(_row(**change)).encode()]))


def test_cut_output_is_refused(tmp_path: Path) -> None:
    out = ask(ruff, tmp_path, {"a.py": "import os\nprint(q)\n"}).out
    assert out.count(b"\n") == 2
    for end in range(1, len(out)):
        if out[end - 1 : end] == b"\n" or out[end : end + 1] == b"\n":
            continue  # whole lines: the exit code tells
        with pytest.raises(ValueError, match="ruff's JSON lines"):
            list(ruff.parse(out[:end].splitlines(keepends=True)))


def test_syntax_errors_of_older_versions() -> None:
    (found,) = ruff.parse([json.dumps(_row(code=None)).encode()])
    assert (found.rule, found.priority, found.category) == (
        "ruff/invalid-syntax",
        Priority.P0,
        "syntax",
    )


def test_a_rule_of_the_preview_that_has_a_name_alone_is_no_bad_syntax(tmp_path: Path) -> None:
    files = {
        "a.py": 'import tarfile\n\ntarfile.open("x", ignore_zeros=True)\n',
        "ruff.toml": '[lint]\npreview = true\nselect = ["ALL"]\n',
    }
    asked = ask(ruff, tmp_path, files, own_config=True)
    assert asked.weights()["ruff/tarfile-ignore-zeros-true"] == "P3"
    assert "ruff/invalid-syntax" not in asked.weights()


def test_it_runs_by_the_name_it_gives(tmp_path: Path) -> None:
    assert run([program_of(ruff), "--version"], tmp_path).stdout.startswith("ruff ")


@pytest.mark.parametrize(
    "path", ["a/tests/b.py", "test/x.py", "test_x/y.py", "conftest.py", "pkg/__tests__/a.py"]
)
def test_test_paths(path: str) -> None:
    assert _shared.is_test_path(path)
    assert not _shared.is_test_path(path.replace("test", "text"))


@pytest.mark.parametrize(
    ("rule", "source", "priority"),
    [
        ("S102", "exec(code, namespace)", "P3"),
        ("S307", "eval(code, {'a': 1})", "P3"),
        ("S307", "eval(\n    code,\n    globals(),\n)", "P3"),
        ("S102", "exec(compile(text, 'a', 'exec'))", "P3"),
        ("S307", "eval('1 + 1')", "P3"),
        ("S307", "eval(code)", "P2"),
        ("S307", "eval(code,)", "P2"),
        ("S307", "eval(f(code, 1))", "P2"),
        ("S307", "eval('1 +' + code)", "P2"),
        ("S307", "eval(f'{code}')", "P2"),
        ("S102", "exec(code) or exec(code, {})", "P2"),
        ("S605", "os.system('ls ' + shlex.quote(code))", "P3"),
        ("S605", "os.system(f'kill {int(code)}')", "P3"),
        ("S605", "os.system(settings.COMMAND)", "P2"),
        ("S605", "os.system(os.environ['PAGER'])", "P3"),
        ("S602", "subprocess.run(['ls', '-l'][0], shell=True)", "P3"),
        ("S602", "subprocess.run(code, shell=True)", "P2"),
        ("S604", "run(code, shell=True)", "P2"),
        ("S608", "q = f'SELECT a FROM {code}'", "P3"),  # the name of a table
        ("S608", "q = f'INSERT INTO {code}.{name} VALUES (?)'", "P3"),
        ("S608", "q = f'SELECT a FROM {code} WHERE b = {name}'", "P2"),
        ("S608", "q = f'SELECT a FROM {code}' + name", "P2"),
        ("S608", "q = f'SELECT {code} FROM t'", "P2"),
        ("S608", "q = f'SELECT a FROM t WHERE b = {int(code)}'", "P3"),
        ("S608", "q = 'SELECT a FROM t WHERE b IN (%s)' % ','.join('?' * len(code))", "P3"),
        ("S506", "yaml.load(open('a'), Loader=yaml.Loader)", "P2"),
        ("S301", "pickle.loads(code)", "P2"),
        ("S301", "pickle.loads(b'abc')", "P3"),
        ("S605", "this does not parse(", "P2"),
    ],
)
def test_calls_that_harm_with_input_alone_are_told_apart(
    rule: str, source: str, priority: str
) -> None:
    text = f"import os, pickle, shlex, subprocess, yaml\n{source}\n"
    found = Finding(Priority.P2, "security", f"ruff/{rule}", "a.py", 2, 2, "t")
    assert ruff.relocate(found, text.encode).priority == priority


@pytest.mark.parametrize(
    ("source", "priority"),
    [
        ("key = hashlib.md5(url).hexdigest()", Priority.P3),
        ("stored = hashlib.md5(password.encode()).hexdigest()", Priority.P1),
        ("def hash_password(text):\n    return hashlib.sha1(text).hexdigest()", Priority.P1),
        ("def etag(body):\n    return hashlib.md5(body).hexdigest()", Priority.P3),
    ],
)
def test_a_weak_hash_of_a_password_is_told_apart(source: str, priority: Priority) -> None:
    line = source.count("\n") + 1
    found = Finding(Priority.P3, "security", "ruff/S324", "a.py", line, line, "t")
    assert ruff.relocate(found, source.encode).priority is priority


@pytest.mark.parametrize(
    ("source", "priority"),
    [
        ("jinja2.Environment(loader=l)\nrender('Dockerfile.j2')", Priority.P3),
        ("jinja2.Environment(loader=l)\nrender('http.conf')", Priority.P3),
        ("jinja2.Environment(loader=l)\nrender('index.html')", Priority.P2),
        ("from flask import Flask\njinja2.Environment(loader=l)", Priority.P2),
    ],
)
def test_what_makes_no_pages_need_not_escape(source: str, priority: Priority) -> None:
    line = 1 + source[: source.index("jinja2")].count("\n")
    found = Finding(Priority.P2, "security", "ruff/S701", "a.py", line, line, "t")
    assert ruff.relocate(found, source.encode).priority is priority


@pytest.mark.parametrize(
    ("source", "priority"),
    [
        ("def f(a: 'Other | None') -> None:\n    print(a)\n", "P2"),
        ("def f(a: 'é' | \"Other\" = 1) -> None:\n    print(a)\n", "P2"),
        ("from typing import cast\n\nx = cast('list[Other]', 1)\n", "P2"),
        ("def f(a: Other) -> None:\n    print(a)\n", "P1"),
        ("print(f'{Other}')\n", "P1"),
        ("def f(a: \"int\", b: Other = 'x') -> None:\n    print(a, b)\n", "P1"),
    ],
)
def test_no_program_fails_at_an_unknown_type_in_quotes(
    source: str, priority: str, tmp_path: Path
) -> None:
    found = [f for f in ask(ruff, tmp_path, {"a.py": source}).findings if f.rule == "ruff/F821"]
    assert ["Other" in f.title for f in found].count(True) == 1
    for each in found:
        if "Other" in each.title:
            assert ruff.relocate(each, source.encode).priority.value == priority


@pytest.mark.parametrize(
    ("path", "priority"), [("tests/test_a.py", Priority.P3), ("src/a.py", Priority.P2)]
)
def test_an_expression_in_a_test_may_be_what_has_to_raise(path: str, priority: Priority) -> None:
    found = Finding(Priority.P2, "lint", "ruff/B018", path, 2, 2, "useless expression")
    source = "with raises(Error):\n    a.b\n"
    assert ruff.relocate(found, source.encode).priority is priority


@pytest.mark.parametrize(
    ("body", "priority"),
    [
        ("    run(a)\n    return [*a]\n", "P3"),
        ("    for each in a:\n        yield each\n", "P3"),
        ("    return a.get(b)\n", "P3"),
        ("    b = a.copy()\n    b.append(1)\n", "P3"),
        ("    b.append(a[0])\n", "P3"),
        ("    a.append(b)\n", "P2"),
        ("    a[b] = 1\n", "P2"),
        ("    del a[b]\n", "P2"),
        ("    a += [b]\n", "P2"),
        ("    return b or a\n", "P2"),
        ("    return b, a\n", "P2"),
        ("    b.a = a\n", "P2"),
        ("    b.a = {'a': a if b else None}\n", "P2"),
        ("    def g():\n        a.update(b)\n    g()\n", "P2"),
        ("    yield a\n", "P2"),
    ],
)
@pytest.mark.parametrize("head", ["def f(b, *, é='', a=[]):\n", "async def f(b, a: list = []):\n"])
def test_a_default_that_is_only_read_does_no_harm(
    head: str, body: str, priority: str, tmp_path: Path
) -> None:
    source = head + body
    (found,) = (f for f in ask(ruff, tmp_path, {"a.py": source}).findings if f.rule == "ruff/B006")
    assert ruff.relocate(found, source.encode).priority.value == priority


@pytest.mark.parametrize(
    ("line", "priority"),
    [
        ("#!/usr/bin/env ruby", Priority.P3),
        ("#!/usr/bin/env python3", Priority.P0),
        ("x ||=", Priority.P0),
    ],
)
def test_what_another_language_runs_is_no_broken_python(line: str, priority: Priority) -> None:
    found = Finding(Priority.P0, "syntax", "ruff/invalid-syntax", "bin/a.py", 2, 2, "t")
    assert ruff.relocate(found, f"{line}\nx ||= 1\n".encode).priority is priority


def test_the_docs_show_the_table_of_weights() -> None:
    docs = (ROOT / "docs/rules.md").read_text("utf-8")
    assert docs.partition("<!-- weights -->\n")[2].partition("<!-- /weights -->")[0] == table()


@pytest.mark.parametrize(
    ("path", "priority"),
    [
        ("pkg/test/fixtures/a/in.py", "P2"),
        ("testdata/a.py", "P2"),
        ("src/__snapshots__/a.py", "P2"),
        ("tests/a/data/b.py", "P2"),
        ("src/fixture_loader.py", "P0"),
        ("src/data/a.py", "P0"),
        ("tests/test_a.py", "P0"),
    ],
)
def test_samples_of_tests_may_be_broken(path: str, priority: str) -> None:
    found = Finding(Priority.P0, "syntax", "ruff/invalid-syntax", f"/r/{path}", 1, 1, "t")
    assert _shared.place_finding(found, "/r").priority == priority
    name = replace(found, category="lint", priority=Priority.P1)
    assert _shared.place_finding(name, "/r").priority == ("P3" if priority == "P2" else "P1")
