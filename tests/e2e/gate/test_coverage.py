"""Code that no linter or model for its language read is no plain pass, at any door."""

import importlib.util
import json
import os
import re
import zipfile
from io import BytesIO

import pytest

from tests.support import Repo, peer

from ...github import pull_request
from ..acting import act
from ..pushing import Pushing, executable

GO = "package main\nfunc main() {}\n"
KOTLIN = "fun main() {}\n"
REASON = "2 files were not reviewed: 1 Go (cmd/main.go), 1 Kotlin (app/Main.kt); 2 parsed only"
CODE = {"cmd/main.go": GO, "app/Main.kt": KOTLIN, "a.py": "x = 1\n", "notes.md": "# Notes\n"}
WORKFLOW = (
    "on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n"
    "    steps: [{run: 'echo ${{ github.head_ref }}'}]\n"
)

_ACTION = "name: a\ndescription: a\nruns:\n  using: node20\n  main: {}\n"


def report(repo: Repo, *args: str, **env: str):
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", *args, env=env)
    return done.code, json.loads(done.stdout)


def rows(repo: Repo, *args: str):
    return {row["path"]: row for row in report(repo, *args)[1]["coverage"]["rows"]}


@pytest.mark.contract(plain=False)
@pytest.mark.req("R005-001")
def test_code_without_a_linter_makes_concerns_and_the_exit_code_stays_0(repo: Repo) -> None:
    repo.commit(CODE)
    code, found = report(repo)
    verdict = found["verdict"]
    assert (code, verdict["outcome"], verdict["reasons"]) == (0, "concerns", [REASON])
    assert verdict["not_reviewed"] == ["app/Main.kt", "cmd/main.go"]
    assert {row["path"]: row["how"] for row in found["coverage"]["rows"]} == {
        "a.py": "reviewed", "app/Main.kt": "parsed", "cmd/main.go": "parsed",
        "notes.md": "parsed",
    }  # fmt: skip


def test_code_that_is_too_large_to_be_compared_is_no_plain_pass(repo: Repo) -> None:
    repo.commit({"a.py": "def f(x):\n    check(x)\n    return x\n"})
    repo.commit({"a.py": "def f(x):\n    return x\n" + f"# {'x' * 77}\n" * 26_000})
    code, found = report(repo)
    assert (code, found["verdict"]["outcome"]) == (0, "concerns")
    [row] = found["coverage"]["rows"]
    assert row["how"] == "reviewed" and row["missing"]
    assert "base and head were not compared (larger than 2,000,000 bytes)" in row["why"]


def test_code_that_moves_to_where_nobody_reads_it_is_no_plain_pass(repo: Repo) -> None:
    text = "".join(f"def f{n}(x):\n    return x + {n}\n\n\n" for n in range(9))
    repo.commit({"api/a.py": text, "vendor/b/b.py": text.replace("f", "g")})
    repo.git("mv", "api", "vendor/api")
    repo.git("mv", "vendor/b", "vendor/c")
    repo.commit({"vendor/api/a.py": f"{text}x = 1\n"})
    seen = rows(repo)
    assert [path for path, row in seen.items() if row["missing"]] == ["vendor/api/a.py"]
    assert "subject to review as api/a.py" in seen["vendor/api/a.py"]["why"]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "A.java",
            "a.rs",
            "a.rb",
            "a.php",
            "a.c",
            "a.cs",
            "a.swift",
            "a.scala",
            "a.pl",
            "a.nim",
            "a.hs",
            "a.sql",
            "a.tf",
            "Dockerfile",
        ),
        *(
            "Makefile",
            "a.proto",
            "a.inc",
            "X.GO",
            "a.zsh",
            "a.ps1",
            "a.html.j2",
            ".gitlab-ci.yml",
            "a.pth",
            "a.tf.json",
        ),
    ],
)
@pytest.mark.req("R005-002")
def test_a_change_of_one_file_that_nobody_reads_is_no_pass(repo: Repo, path: str) -> None:
    repo.commit({path: "\n"})
    code, found = report(repo)
    assert (code, found["verdict"]["outcome"]) == (0, "concerns"), found["verdict"]


@pytest.mark.parametrize(
    "line", ["#!/usr/bin/env ruby", "#!/usr/bin/env -i zsh", "#!/opt/acme/run", ""]
)
@pytest.mark.req("R005-003")
def test_programs_without_a_suffix_are_code(repo: Repo, line: str) -> None:
    repo.write({"deploy": f"{line}\nrun\n"})
    repo.file("deploy").chmod(0o755)
    repo.commit()
    assert report(repo)[1]["verdict"]["outcome"] == "concerns"


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "x = 1\n"},
        {"a.md": "# A\n", "a.json": "{}\n", "a.css": "a {}\n"},
        {"a.html": "<p>Words</p>\n"},
    ],
)
def test_what_is_read_or_is_no_code_still_passes(repo: Repo, files) -> None:
    repo.commit(files)
    assert report(repo)[1]["verdict"] | {"counts": {}} == {
        "outcome": "pass",
        "reasons": [],
        "counts": {},
        "not_reviewed": [],
        "quorum": "",
    }


@pytest.mark.parametrize(
    "line",
    ["#!/usr/bin/env -S uv run --script", "#!/usr/bin/env -i python3", "#!/usr/bin/env -u A pypy3"],
)
def test_python_behind_any_first_line_is_read(repo: Repo, line: str) -> None:
    repo.commit({"tool": f"{line}\nundefined_name()\n"})
    code, found = report(repo)
    assert code == 1 and [each["rule"] for each in found["findings"]] == ["ruff/F821"]
    assert rows(repo)["tool"]["how"] == "reviewed"


def test_a_linter_that_is_switched_off_or_missing_leaves_its_language_unread(repo: Repo) -> None:
    repo.commit({".reviewgate-gh.yaml": "linters: {ruff: {enabled: false}}\n"})
    repo.commit({"a.py": "x = 1\n"})
    code, found = report(repo)
    [row] = found["coverage"]["rows"]
    assert (code, found["verdict"]["outcome"]) == (
        0,
        "concerns",
    ) and "ruff is disabled (linters.ruff.enabled)" in row["why"]


@pytest.mark.req("R005-004")
def test_settings_of_the_project_that_leave_a_file_out_do_not_hide_it(repo: Repo) -> None:
    repo.commit({"ruff.toml": 'exclude = ["a.py"]\n'})
    repo.commit({"a.py": "import os\n"})
    assert (
        rows(repo)["a.py"]["missing"]
        and "ruff skips it with the settings here" in rows(repo)["a.py"]["why"]
    )


@pytest.mark.parametrize(
    "others",
    [{}, {"b.js": "debugger;\n"}, {f"{n}.js": "x;\n" for n in range(9)}],
    ids=["alone", "of two", "of ten"],
)
@pytest.mark.req("R005-004")
def test_settings_of_oxlint_that_leave_a_file_out_do_not_hide_it(repo: Repo, others) -> None:
    repo.commit({".oxlintrc.json": '{"ignorePatterns": ["gen/**"]}\n'})
    repo.commit({"gen/a.js": "eval(x)\n", **others})
    code, found = report(repo)
    assert (code, found["verdict"]["outcome"], found["verdict"]["not_reviewed"]) == (
        0,
        "concerns",
        ["gen/a.js"],
    )


def test_arguments_of_a_linter_that_leave_a_file_out_do_not_hide_it(repo: Repo) -> None:
    repo.commit({".reviewgate-gh.yaml": "version: 1\nlinters: {ruff: {args: [--exclude, a.py]}}\n"})
    repo.commit(dict.fromkeys(("a.py", "b.py", "build/c.py"), "x = 1\n"))
    assert report(repo)[1]["verdict"]["not_reviewed"] == ["a.py"]


@pytest.mark.peer
@pytest.mark.req("R005-004")
def test_settings_of_eslint_that_leave_a_file_out_do_not_hide_it(repo: Repo) -> None:
    config = 'export default [{ignores: ["gen/**"]}, {rules: {"no-undef": "error"}}];\n'
    repo.commit(
        {
            ".reviewgate-gh.yaml": "linters: {eslint: {enabled: true}, oxlint: {enabled: false}}\n",
            "eslint.config.mjs": config,
        }
    )
    repo.trust()
    repo.commit({"gen/a.js": "eval(x)\n", "b.js": "1;\n"})
    path = f"{peer('node_modules/.bin/eslint').parent}:{os.environ['PATH']}"
    code, found = report(repo, PATH=path)
    assert (code, found["verdict"]["outcome"], found["verdict"]["not_reviewed"]) == (
        0,
        "concerns",
        ["gen/a.js"],
    ), found
    assert found["findings"] == []


def test_nothing_need_read_what_is_gone_empty_or_only_moved(repo: Repo) -> None:
    repo.commit({"gone.go": KOTLIN, "here/a.go": GO, "mode.go": "package x\n"})
    repo.write({"gone.go": None, "here/a.go": None, "there/a.go": GO, "empty.go": ""})
    repo.file("mode.go").chmod(0o755)
    repo.file("link.go").symlink_to("empty.go")
    repo.commit()
    _code, found = report(repo)
    assert found["verdict"]["outcome"] == "pass", found["verdict"]
    assert {row["path"]: row["why"] for row in found["coverage"]["rows"]} == {
        "gone.go": "deleted", "there/a.go": "unchanged content", "empty.go": "empty",
        "mode.go": "unchanged content",
        "link.go": "a symbolic link",
    }  # fmt: skip


@pytest.mark.req("R005-003")
def test_a_mode_that_makes_a_program_of_text_without_a_language_is_not_reviewed(repo: Repo) -> None:
    repo.commit({"by-mode": "rm -rf x\n"})
    repo.file("by-mode").chmod(0o755)
    repo.commit()
    assert report(repo)[1]["verdict"]["not_reviewed"] == ["by-mode"]


@pytest.mark.parametrize(
    "path", [".github/workflows/x.generated.yml", "dist/action.yml", "vendor/action.yml"]
)
@pytest.mark.req("R005-005")
def test_nothing_that_a_machine_executes_is_left_out_by_its_name(repo: Repo, path: str) -> None:
    action = (
        "name: a\ndescription: b\nruns:\n  using: composite\n"
        "  steps: [{run: 'echo ${{ github.head_ref }}', shell: bash}]\n"
    )
    repo.commit({path: WORKFLOW if "workflows" in path else action})
    code, found = report(repo)
    assert code == 1 and any(
        each["rule"] == "zizmor/template-injection" for each in found["findings"]
    ), found["verdict"]
    assert found["coverage"]["excluded"] == 0


@pytest.mark.req("R005-006")
def test_a_program_in_a_vendored_folder_is_read_and_the_rest_of_it_is_counted(repo: Repo) -> None:
    repo.write(
        {
            "vendor/run": "#!/usr/bin/env python3\nundefined_name()\n",
            "vendor/a.py": "undefined_name()\n",
            "vendor/x.go": GO,
        }
    )
    repo.file("vendor/run").chmod(0o755)
    repo.commit()
    code, found = report(repo)
    assert code == 1 and {each["path"] for each in found["findings"]} == {"vendor/run"}
    assert found["coverage"]["excluded"] == 2 and found["verdict"]["not_reviewed"] == []
    assert repo.cli("review", "--commit", "HEAD").stdout.rstrip().endswith(" · 2 excluded")


@pytest.mark.parametrize(
    ("policy", "outcome", "code"),
    [
        ("require", "inconclusive", 2),
        ("{unread: require}", "inconclusive", 2),
        ("report", "concerns", 0),
        ("{allow: [go, Kotlin]}", "pass", 0),
        ("{allow: [Go]}", "concerns", 0),
        ("{unread: require, allow: [Go, Kotlin]}", "pass", 0),
    ],
)
@pytest.mark.req("R005-010")
def test_the_policy_says_what_it_comes_to(repo: Repo, policy: str, outcome: str, code: int) -> None:
    repo.commit({".reviewgate-gh.yaml": f"policy: {{coverage: {policy}}}\n"})
    repo.commit(CODE)
    got, found = report(repo)
    assert (found["verdict"]["outcome"], got) == (outcome, code)


def test_a_floor_is_met(repo: Repo) -> None:
    repo.write({"../floor.yaml": "policy: {coverage: {unread: require, allow: [Go]}}\n"})
    repo.commit({".reviewgate-gh.yaml": "policy: {coverage: {allow: [Go, Kotlin]}}\n"})
    repo.commit(CODE)
    code, found = report(repo, "--policy", "../floor.yaml")
    assert (code, found["verdict"]["not_reviewed"]) == (2, ["app/Main.kt"])
    shown = repo.cli("config", "show", "--policy", "../floor.yaml").stdout
    assert re.search(r"unread: require +# policy floor", shown) and re.search(
        r"allow: \[Go\] +# policy floor", shown
    ), shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nope", "policy.coverage: must be 'report' or 'require'"),
        ("{allow: [Gopher]}", "'Gopher'"),
        ("{allowed: [Go]}", "unknown key policy.coverage.allowed"),
    ],
)
def test_a_mistake_in_the_policy_is_told(repo: Repo, text: str, told: str) -> None:
    repo.write({".reviewgate-gh.yaml": f"policy: {{coverage: {text}}}\n"})
    done = repo.cli("config", "check")
    assert done.code == 78 and told in done.stderr, done.output


def test_a_reviewer_of_its_own_counts_for_the_languages_that_it_names(repo: Repo) -> None:
    command = (
        "reviewers:\n  linters: off\n  change: off\n  callers: off\n  builtin: {type: builtin}\n"
        "  acme: {type: command, options: {argv: ['true'], format: rdjsonl%s}}\n"
    )
    for more, missing in (
        ("", ["app/Main.kt", "cmd/main.go"]),
        (", languages: [Go]", ["app/Main.kt"]),
        (", pass_paths: true", []),
    ):
        repo.commit(
            {
                ".reviewgate-gh.yaml": command % more,
                "cmd/main.go": f"package a{len(more)}\n",
                "app/Main.kt": f"val a = {len(more)}\n",
            }
        )
        repo.commit({"cmd/main.go": GO, "app/Main.kt": KOTLIN})
        found = report(repo)[1]
        assert found["verdict"]["not_reviewed"] == missing, found


@pytest.mark.contract(plain=False)
def test_a_push_goes_through_and_says_it(tmp_path) -> None:
    it = Pushing.make(tmp_path)
    it.repo.commit(CODE)
    done = it.push("origin", "main")
    assert (
        done.code == 0
        and REASON in done.stdout
        and "staticcheck can read it: install" in done.stdout
    ), done.output
    [kept] = it.reports()
    assert kept["verdict"]["outcome"] == "concerns"


@pytest.mark.contract(plain=False)
def test_the_action_says_it_on_the_page_and_in_a_warning(repo: Repo, tmp_path) -> None:
    base = repo.commit({"README.md": "# A\n"})
    head = repo.commit(CODE)
    done = act(repo, "pull_request", pull_request(base, head), tmp_path / "act")
    assert not done.codes, done.ran.output
    assert REASON in done.summary and "cmd/main.go (Go)" in done.summary
    assert [level for level, _place, text in done.annotations if REASON in text] == ["warning"]


def test_a_file_that_no_longer_parses_is_refused_and_one_that_never_did_is_not(repo: Repo) -> None:
    repo.commit({"old.go": "package a\n\nfunc f( {\n", "new.go": "package a\n"})
    repo.commit({"old.go": "package a\n\nfunc g( {\n"})
    code, found = report(repo)
    assert (code, found["verdict"]["outcome"]) == (0, "concerns")
    assert rows(repo)["old.go"]["how"] == "scanned"
    repo.commit({"new.go": "package a\n\nfunc f( {\n"})
    code, found = report(repo)
    assert (code, [(f["rule"], f["priority"]) for f in found["findings"]]) == (
        1,
        [("ast-grep/syntax", "P0")],
    )


def zip_of(*names: str) -> bytes:
    held = BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "a")
    return held.getvalue()


_ELF, _PNG = b"\x7fELF\2\1\1\0", b"\x89PNG\r\n\x1a\n\0"
_JAR, _ZIPAPP = zip_of("META-INF/MANIFEST.MF", "A.class"), zip_of("__main__.py")
_COMPILED = importlib.util.MAGIC_NUMBER + bytes(12)


@pytest.mark.parametrize(
    ("path", "data", "mode"),
    [
        ("tool.pyz", b"#!/usr/bin/env python3\nPK\3\4\0\0", 0o755),
        ("tool.dat", b"#!/bin/sh\necho\n\0\0", 0o644),
        ("bin/run", _ELF, 0o755), ("lib/a.node", _ELF, 0o644),
        ("a.data", b"MZ" + bytes(70), 0o644), ("a.blob", b"\1\2\0\3", 0o755),
        ("gradle-wrapper.jar", _JAR, 0o644), ("a.png", _PNG + _ZIPAPP, 0o644),
        ("a.pyc", _COMPILED, 0o644),
    ],
)  # fmt: skip
@pytest.mark.req("R005-013")
def test_a_binary_program_is_not_reviewed(repo: Repo, path: str, data: bytes, mode: int) -> None:
    repo.file(path).parent.mkdir(exist_ok=True)
    repo.file(path).write_bytes(data)
    repo.file(path).chmod(mode)
    repo.commit()
    _code, found = report(repo)
    assert (found["verdict"]["outcome"], found["verdict"]["not_reviewed"]) == ("concerns", [path])
    row = rows(repo)[path]
    assert row["language"] == "binary program" and "commit its source" in row["why"]
    repo.commit({"README.md": "# a\n"})
    assert report(repo)[1]["verdict"]["outcome"] == "pass"


@pytest.mark.parametrize(
    ("path", "data", "mode"),
    [
        ("a.png", _PNG, 0o755),
        ("a.gz", b"\x1f\x8b\0", 0o755),
        ("vendor/a.node", _ELF, 0o644),
        ("a.zip", zip_of("README.md", "data.csv"), 0o755),
        ("cut.jar", _JAR[:60], 0o755),
    ],
)
def test_data_is_no_program(repo: Repo, path: str, data: bytes, mode: int) -> None:
    repo.file(path).parent.mkdir(parents=True, exist_ok=True)
    repo.file(path).write_bytes(data)
    repo.file(path).chmod(mode)
    repo.commit()
    assert not rows(repo)[path]["missing"]


@pytest.mark.req("R005-007")
def test_a_ruff_that_says_nothing_has_read_nothing(repo: Repo) -> None:
    """One that was not installed with us says which files it reads; silence is no review."""
    program = repo.path.parent / "bin/ruff"
    executable(program, 'case "$1" in --version) echo "ruff 0.17.6";; esac')
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    repo.commit({"a.py": "import os\nos.system(undefined)\n"})
    _code, found = report(repo, PATH=path)
    assert (found["verdict"]["outcome"], found["verdict"]["not_reviewed"]) == ("concerns", ["a.py"])


_PIPELINE = (
    "on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n"
    "    steps: [{run: 'sh ./vendor/run.sh; cat vendor/data.json'}]\n"
)


def test_what_a_pipeline_runs_is_reviewed_wherever_it_lies(repo: Repo) -> None:
    code = "#!/bin/sh\nrm -rf $1/\n"
    repo.commit({".github/workflows/w.yml": _PIPELINE, "vendor/run.sh": "#!/bin/sh\n"})
    repo.commit({"vendor/run.sh": code, "vendor/other.sh": code, "vendor/data.json": "{}\n"})
    found = report(repo)[1]
    assert {each["path"] for each in found["findings"]} == {"vendor/run.sh"}
    assert found["coverage"]["excluded"] == 2


def test_a_pipeline_that_begins_to_run_what_was_left_out_is_not_reviewed(repo: Repo) -> None:
    before = _PIPELINE.replace("sh ./vendor/run.sh; ", "")
    repo.commit({".github/workflows/w.yml": before, "vendor/run.sh": "#!/bin/sh\n"})
    repo.commit({".github/workflows/w.yml": _PIPELINE})
    why = rows(repo)[".github/workflows/w.yml"]["why"]
    assert why == "it starts vendor/run.sh, which is not subject to review"


@pytest.mark.parametrize(
    ("manifest", "before", "after"),
    [
        ("package.json", '{"name": "a"}\n', '{"name": "a", "bin": {"a": "dist/run.js"}}\n'),
        ("action.yml", _ACTION.format("lib/run.js"), _ACTION.format("dist/run.js")),
    ],
)
@pytest.mark.req("R005-005")
def test_what_a_manifest_begins_to_start_is_not_reviewed_where_it_was_left_out(
    repo: Repo, manifest: str, before: str, after: str
) -> None:
    code = {"dist/run.js": "let a = 1;\n", "lib/run.js": "let a = 1;\n"}
    repo.commit({**code, manifest: before})
    repo.commit({manifest: after})
    assert report(repo)[1]["verdict"]["not_reviewed"] == [manifest]
    assert rows(repo)[manifest]["why"] == "it starts dist/run.js, which is not subject to review"
    repo.commit({manifest: f"{after}\n"})
    assert report(repo)[1]["verdict"]["not_reviewed"] == []
