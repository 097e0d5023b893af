"""The four linters that come with us: each that breaks is a failed review, and the project's own
goes before ours."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ...support import Repo, tool

WORKFLOW = ".github/workflows/w.yml"
# What each reads, with a defect that it finds.
FILES = {
    "ruff": ("a.py", "def f():\n    return undefined_name\n"),
    "shellcheck": ("run.sh", "#!/bin/sh\nfor f in $@; do rm $f; done\n"),
    "zizmor": (
        WORKFLOW,
        (
            "on: push\njobs: {a: {runs-on: x, steps: [{run: 'echo ${{ "
            "github.event.head_commit.message }}'}]}}\n"
        ),
    ),
    "oxlint": ("a.js", "for (const x of []) { x = 1; }\n"),
}
# A program in its place, and what the gate then says about it.
BROKEN = {
    "crash": ("#!/bin/sh\nexit 70\n", "failed", "exit code 70"),
    "killed": ("#!/bin/sh\nkill -9 $$\n", "failed", "exit code -9"),
    "no program": ("not a program", "failed", "cannot run"),
    "rubbish": ("#!/bin/sh\necho Everything is fine!\n", "unparsable", "not "),
    "cut": ("#!/bin/sh\n'@REAL@' \"$@\" | head -c 40\n", "unparsable", "not "),
    "hangs": ("#!/bin/sh\nsleep 60\n", "timeout", "deadline"),
}


def put(folder: Path, name: str, script: str) -> None:
    """The program in this folder; a name for the real one stands in its text."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(script.replace("@REAL@", tool(name)))
    (folder / name).chmod(0o755)


def reviewed(repo: Repo, path: Path | None = None, **env: str) -> tuple[int, dict[str, Any]]:
    """Exit code and report of the last commit, with a folder before all others on PATH."""
    more = {"PATH": f"{path}:{os.environ['PATH']}"} if path else {}
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={**env, **more})
    assert done.stdout.startswith("{"), done.output
    return done.code, json.loads(done.stdout)


@pytest.mark.contract
def test_each_finds_its_defect(repo: Repo) -> None:
    repo.commit(dict(FILES.values()))
    code, report = reviewed(repo)
    found = {finding["rule"].partition("/")[0] for finding in report["findings"]}
    assert code == 1 and set(FILES) <= found and set(FILES) <= set(report["tools"]), report


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize("how", BROKEN)
def test_one_that_breaks_is_shown_and_never_no_findings(
    repo: Repo, tmp_path: Path, how: str
) -> None:
    """All four at once."""
    script, status, words = BROKEN[how]
    timeouts = (
        "".join(f"  {name}: {{timeout: 1}}\n" for name in FILES) if status == "timeout" else ""
    )
    repo.commit(
        {".reviewgate-gh.yaml": f"linters:\n{timeouts}" if timeouts else "", **dict(FILES.values())}
    )
    for name in FILES:
        put(tmp_path / "bin", name, script)
    code, report = reviewed(repo, tmp_path / "bin")
    assert (code, report["verdict"]["outcome"]) == (2, "inconclusive")
    rows = {row["part"]: row for row in report["reviews"]}
    for name in FILES:
        assert rows[name]["status"] == status and words in rows[name]["error"], rows[name]
        assert any(name in reason for reason in report["verdict"]["reasons"]), report["verdict"]


def test_a_workflow_that_zizmor_cannot_read_is_named(repo: Repo) -> None:
    repo.commit(
        {
            WORKFLOW: FILES["zizmor"][1],
            ".github/workflows/x.yml": "on: push\njobs: {a: {steps: []}}\n",
        }
    )
    code, report = reviewed(repo)
    [row] = [row for row in report["reviews"] if row["part"] == "zizmor"]
    assert (code, row["status"]) == (2, "failed")
    assert re.fullmatch(
        r"exit code 1: failed to load \S+/workflows/x\.yml as workflow: \S.*required property",
        row["error"],
    )


@pytest.mark.parametrize("foreign", [False, True], ids=["own", "foreign"])
def test_the_one_that_is_installed_in_the_project_goes_before_ours(
    repo: Repo, tmp_path: Path, foreign: bool
) -> None:
    """Its version stands in the report. For a stranger's change ours is taken."""
    repo.commit(dict(FILES.values()))
    for name in FILES:
        place = repo.path / ("node_modules/.bin" if name == "oxlint" else ".venv/bin")
        put(
            place,
            name,
            '#!/bin/sh\n[ "$1" = --version ] || [ "$1" = -V ] || exec \'@REAL@\' "$@"\n'
            f'echo "{name} 9.8.7"\n',
        )
    env = {"CI": "true"} if foreign else {}
    code, report = reviewed(repo, **env)
    assert code == 1 and set(FILES) <= set(report["tools"])
    assert {name: report["tools"][name] == "9.8.7" for name in FILES} == dict.fromkeys(
        FILES, not foreign
    ), report["tools"]
    assert {row["status"] for row in report["reviews"]} == {"ok"}


def test_they_run_at_the_same_time(repo: Repo, tmp_path: Path) -> None:
    """Each waits until all four have begun: one after the other, the first would never end."""
    repo.commit(dict(FILES.values()))
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    here = (
        f"touch {meeting}/$$\nuntil [ $(ls {meeting} | wc -l) -ge {len(FILES)} ]; do sleep "
        ".05; done\n"
    )
    for name in FILES:
        put(
            tmp_path / "bin",
            name,
            f"#!/bin/sh\ncase $1 in --version|-V) ;; *) {here};; esac\nexec '@REAL@' \"$@\"\n",
        )
    code, report = reviewed(repo, tmp_path / "bin")
    assert code == 1 and {row["status"] for row in report["reviews"]} == {"ok"}, report["reviews"]


def test_settings_of_a_template_are_no_settings_and_its_python_is_read(repo: Repo) -> None:
    folder = "{{cookiecutter.slug}}"
    repo.commit(
        {f"{folder}/pyproject.toml": "[tool.ruff]\n{%- if x %}\n", "a.py": "x = 1\n"}, "base"
    )
    repo.commit({f"{folder}/page.py": "y = nowhere\n", "a.py": "x = 2\n"})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    report = json.loads(done.stdout)
    assert [row["status"] for row in report["reviews"] if row["part"] == "ruff"] == ["ok"]
    assert [(each["rule"], each["path"]) for each in report["findings"]] == [
        ("ruff/F821", f"{folder}/page.py")
    ]


@pytest.mark.parametrize(
    ("text", "priorities"),
    [("{% if shop %}\nx = 1\n{% endif %}\n", {"P3"}), ("if shop\n    x = 1\n", {"P0"})],
    ids=["template", "broken"],
)
def test_a_template_of_python_is_filled_in_before_it_runs(
    repo: Repo, text: str, priorities: set[str]
) -> None:
    repo.commit({"{{cookiecutter.slug}}/page.py": text})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    report = json.loads(done.stdout)
    told = [each for each in report["findings"] if each["rule"].startswith("ruff/")]
    assert {each["priority"] for each in told} == priorities
    # Nobody has read what the engine makes of it; of a broken file there is enough to say
    assert [row["missing"] for row in report["coverage"]["rows"]] == [priorities == {"P3"}]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f():\n    return g(\n"),
        ("a.js", "function f() {\n  g(\n"),
        ("a.sh", "#!/bin/sh\nif true; then\n  echo a\n"),
        ("a.ipynb", ""),
    ],
)
def test_what_nothing_closes_is_told_within_the_file(repo: Repo, path: str, text: str) -> None:
    """The tools name the line after the last one, which no diff has."""
    repo.commit({path: text})
    code, report = reviewed(repo)
    assert (code, report["verdict"]["outcome"]) == (1, "block")
    assert not any("not in the diff" in reason for reason in report["verdict"]["reasons"])
    last = text.count("\n")
    assert max(each["line_end"] for each in report["findings"]) == last


@pytest.mark.parametrize("sign", ["\u202e", "\u200b", "\u0008"], ids=["bidi", "zero", "control"])
def test_a_hidden_character_is_one_finding_whoever_sees_it(repo: Repo, sign: str) -> None:
    repo.commit({"a.py": f'x = "a{sign}b"\n'})
    _code, report = reviewed(repo)
    told = [each["rule"] for each in report["findings"] if each["state"] == "open"]
    assert len(told) == 1 and told[0].startswith("builtin/hidden-")


@pytest.mark.contract(plain=False)
def test_settings_for_another_version_of_a_tool_give_way_to_ours(repo: Repo) -> None:
    settings = '[tool.ruff.lint]\nselect = ["UP038", "F"]\n'  # a rule that ruff had until 0.13
    project = '[project]\nname = "a"\nversion = "{}"\n\n'
    repo.commit({"pyproject.toml": project.format("1") + settings, "a.py": "x = 1\n"})
    code, report = reviewed(repo)
    # The change itself brings them
    assert (code, report["verdict"]["outcome"]) == (2, "inconclusive"), report["verdict"]
    code_of_it = "def f():\n    return undefined_name\n"
    repo.commit({"a.py": code_of_it, "pyproject.toml": project.format("2") + settings})
    code, report = reviewed(repo)
    assert code == 1 and {f["rule"] for f in report["findings"]} == {"ruff/F821"}
    (row,) = (row for row in report["reviews"] if row["part"] == "ruff")
    assert (row["status"], row["covered"]) == ("ok", 1), row
    note = "ruff: read with the gate's own settings: exit code 2: Rule `UP038` was removed"
    assert any(each.startswith(note) for each in report["notices"]), report["notices"]


@pytest.mark.contract(plain=False)
def test_new_test_data_that_the_project_leaves_out_may_be_broken_and_nothing_else_may(
    repo: Repo,
) -> None:
    """By a linter and by a check of the gate's own."""
    old = {"test/hotCases/old.js": "f();\n", "test/hotCases/old.webmanifest": "{}\n"}
    repo.commit({".prettierignore": "test/**/*.*\n", **old}, "config")
    repo.commit(
        {
            "test/hotCases/new.js": "f();\n---\ng();\nh(;\n",
            "test/hotCases/new.webmanifest": "{ name: 1 }\n",
            "test/hotCases/old.js": "f();\nh(;\n",
            "test/hotCases/old.webmanifest": "{ name: 1 }\n",
            "src/new.js": "h(;\n",
        }
    )
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    report = json.loads(done.stdout)
    found = {
        each["path"]: (each["priority"], "leaves it out" in each["body"])
        for each in report["findings"]
        if each["category"] == "syntax"
    }
    assert found == {
        "test/hotCases/new.js": ("P2", True),
        "test/hotCases/new.webmanifest": ("P2", True),
        "test/hotCases/old.js": ("P0", False),
        "test/hotCases/old.webmanifest": ("P0", False),
        "src/new.js": ("P0", False),
    }
    missing = {each["path"] for each in report["coverage"]["rows"] if each["missing"]}
    assert missing == {"test/hotCases/new.js"}, report["coverage"]
