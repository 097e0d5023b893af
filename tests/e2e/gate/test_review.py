"""`review` as a user runs it: real repositories, real linters, one verdict."""

import json
import os
import re
import subprocess
import sys
import sysconfig

import pytest

from tests.support import ROOT, Repo, run, run_on_terminal, tool

pytestmark = pytest.mark.contract(plain=False)
BAD = "import os\n\n\ndef f(cmd):\n    os.system(cmd)\n    return undefined_name\n"
GOOD = "def f(x):\n    return x\n"
CONFIG = ".reviewgate-gh.yaml"


def report(repo: Repo, *args: str, env=None):
    done = repo.cli("review", "--output", "json", *args, env=env)
    assert done.stdout.startswith("{"), done.output
    return done.code, json.loads(done.stdout)


def rules(data, state="open"):
    return sorted(f["rule"] for f in data["findings"] if f["state"] == state)


@pytest.fixture
def bad(repo) -> Repo:
    repo.commit({"bad.py": BAD}, "a defect")
    return repo


@pytest.fixture
def foreign(bad, tmp_path) -> Repo:
    """A fresh clone of the bad repository: nothing in it was made there."""
    return bad.clone(tmp_path / "clone")


@pytest.mark.contract
@pytest.mark.req("R003-014")
def test_a_real_defect_blocks_without_any_key(bad):
    code, data = report(bad, "--commit", "HEAD")
    assert code == 1 and data["verdict"]["outcome"] == "block"
    assert rules(data) == ["ruff/F821", "ruff/S605"]
    answered = {row["part"] or row["reviewer"] for row in data["reviews"]}
    assert answered == {"ruff", "builtin", "change"}
    assert data["tools"]["ruff"] and data["config_source"] == "defaults"


@pytest.mark.contract
def test_a_clean_change_passes_and_an_empty_one_says_so(repo):
    repo.commit({"good.py": GOOD})
    done = repo.cli("review", "--commit", "HEAD")
    assert done.code == 0 and "pass" in done.stdout and len(done.stdout.splitlines()) <= 2, (
        done.output
    )
    empty = repo.cli("review", "--range", "HEAD..HEAD")
    assert empty.code == 0 and "nothing to review" in empty.stdout, empty.output


def test_only_the_changed_lines_are_reported(bad):
    bad.commit({"bad.py": BAD + "\n\ny = 1\n"})
    code, data = report(bad, "--commit", "HEAD")
    row = next(row for row in data["reviews"] if row["part"] == "ruff")
    assert code == 0 and not data["findings"] and row["found"] == row["outside"] == 2


@pytest.mark.contract
def test_the_commits_count_and_not_the_work_tree(bad):
    bad.write({"bad.py": GOOD})
    assert report(bad, "--commit", "HEAD")[0] == 1
    assert report(bad, "--uncommitted")[0] == 0
    bad.git("add", "bad.py")
    assert report(bad, "--staged")[0] == 0


@pytest.mark.contract(plain=False)
@pytest.mark.req("R003-031")
def test_work_tree_index_and_head_are_never_touched(bad):
    bad.write({"bad.py": GOOD, "new.txt": "n\n"})
    before = [
        bad.git("status", "--porcelain"),
        bad.git("for-each-ref"),
        bad.head,
        bad.file(".git/index").read_bytes(),
    ]
    for args in (["--commit", "HEAD"], ["--uncommitted"], ["--all-files"]):
        report(bad, *args)
    assert [
        bad.git("status", "--porcelain"),
        bad.git("for-each-ref"),
        bad.head,
        bad.file(".git/index").read_bytes(),
    ] == before


def test_a_missing_default_linter_is_named_and_the_builtin_checks_still_cover(repo, tmp_path):
    """A Python with our packages and none of the programs beside it, and a PATH that holds git
    alone."""
    repo.commit({"x.sh": "#!/bin/sh\necho hi\n"})
    alone = tmp_path / "bin"
    alone.mkdir()
    for name, program in {"git": tool("git"), "python": os.path.realpath(sys.executable)}.items():
        (alone / name).symlink_to(program)
    packages = os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")])
    argv = [
        alone / "python",
        "-P",
        "-m",
        "reviewgate_gh",
        "review",
        "--commit",
        "HEAD",
        "--output",
        "json",
    ]
    done = run(argv, repo.path, {"PATH": str(alone), "PYTHONPATH": packages})
    row = next(row for row in json.loads(done.stdout)["reviews"] if row["part"] == "shellcheck")
    assert done.code == 0 and row["status"] == "unavailable" and "pip install" in row["error"], (
        done.output
    )


@pytest.mark.contract(plain=False)
def test_config_and_suppressions_of_a_fetched_change_do_not_count(bad, tmp_path):
    bad.commit(
        {
            "bad.py": BAD + "\n\ndef g():\n    return also_undefined  # noqa: F821\n",
            "ruff.toml": "exclude = ['*']\n",
            CONFIG: "mode: warn\n",
        }
    )
    code, data = report(bad, "--commit", "HEAD", "--trusted")
    assert code == 0 and data["mode"] == "warn" and data["change"]["trusted"]
    clone = bad.clone(tmp_path / "clone")
    code, data = report(clone, "--commit", "HEAD")
    assert code == 1 and data["mode"] == "block" and not data["change"]["trusted"]
    assert "ruff/F821" in rules(data) and "builtin/new-suppression" in rules(data)
    assert any("applies after the merge" in notice for notice in data["notices"])


def test_trusted_on_the_command_line_is_recorded(foreign):
    assert report(foreign, "--commit", "HEAD")[1]["change"]["trusted"] is False
    assert report(foreign, "--commit", "HEAD", "--trusted")[1]["change"]["trusted"] is True
    assert report(foreign, "--commit", "HEAD", env={"CI": "true"})[1]["change"]["trusted"] is False


def test_in_ci_nothing_is_trusted_by_itself(bad):
    assert report(bad, "--commit", "HEAD", env={"CI": "true"})[1]["change"]["trusted"] is False


@pytest.mark.contract(plain=False)
def test_no_code_of_the_change_runs(repo, tmp_path):
    sentinel = tmp_path / "pwned"
    touch = f"import pathlib; pathlib.Path({str(sentinel)!r}).touch()\n"
    repo.commit({
        "sitecustomize.py": touch, "conftest.py": touch, "setup.py": touch, "ruff.py": touch,
        "click.py": touch, "json.py": touch, "yaml.py": touch,
        "package.json": json.dumps({"scripts": {"postinstall": f"touch {sentinel}"}}),
        "Makefile": f"all:\n\ttouch {sentinel}\n",
        ".npmrc": "", "eslint.config.js": (f"require('fs').writeFileSync({str(sentinel)!r}, "
        "'')\n"), "a.js": "var a = 1;\n",
        "mypy.ini": "[mypy]\nplugins = ./conftest.py\n", ".gitattributes": "* filter=x diff=x\n",
        ".reviewgate-gh.yaml": "linters: {mypy: {enabled: true}}\n",
        ".venv/bin/ruff": f"#!/bin/sh\ntouch {sentinel}\n",
    })  # fmt: skip
    repo.git("config", "filter.x.smudge", f"touch {sentinel}")
    repo.git("config", "diff.x.textconv", f"touch {sentinel}; cat")
    clone = repo.clone(tmp_path / "clone")
    clone.git("config", "filter.x.smudge", f"touch {sentinel}")
    clone.file(".venv/bin/ruff").chmod(0o755)
    sentinel.unlink(missing_ok=True)
    code, _data = report(clone, "--commit", "HEAD")
    assert code in (0, 1) and not sentinel.exists()


def test_excluded_files_are_read_for_secrets_only(repo):
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    repo.commit({"vendor/x.py": "import\n", "package-lock.json": "{broken\n"})
    assert report(repo, "--commit", "HEAD")[1]["verdict"]["outcome"] == "pass"
    repo.commit({"vendor/key.py": f"K = '{token}'\n"})
    code, data = report(repo, "--commit", "HEAD")
    assert (
        code == 1
        and rules(data) == ["builtin/secret-github-token"]
        and token not in json.dumps(data)
    )


@pytest.mark.contract(plain=False)
def test_a_file_that_is_too_large_is_named_and_the_verdict_inconclusive(repo):
    repo.commit({CONFIG: "policy: {max_file_bytes: 1000}\n", "big.dat": "word\n" * 1000})
    code, data = report(repo, "--commit", "HEAD")
    assert code == 2 and data["verdict"]["not_reviewed"] == ["big.dat"]


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("mod: warn\n", f"{CONFIG}:1: unknown key mod"),
        (
            "policy:\n  finding_threshold: P9\n",
            (
                f"{CONFIG}:2: policy.finding_threshold: must be 'P0', 'P1', 'P2', 'P3' or 'none' "
                "(it "
                'is "P9")'
            ),
        ),
        ("linters: {rof: {}}\n", "linters.rof: unknown linter"),
        (
            "reviewers: {linters: off, change: off, callers: off, "
            "builtin: off, x: {type: nothing}}\n",
            "unknown plug-in 'nothing' in reviewers",
        ),
        (
            "reviewers: {linters: off, change: off, callers: off, "
            "builtin: {type: builtin, options: {disable: [nonsense]}}}\n",
            "nonsense",
        ),
        ("required_version: '>=99'\n", "but the config requires >=99"),
        ("a: [\n", f"{CONFIG}:"),
    ],
)
def test_a_wrong_config_is_one_line_and_78(repo, config, words):
    repo.commit({CONFIG: config, "a.py": GOOD}, approve=False)
    told = repo.cli("review", "--commit", "HEAD")
    assert told.code in (0, 1) and f"the change to {CONFIG} " in told.stdout, told.output
    repo.commit({"a.py": f"{GOOD}\n"})
    done = repo.cli("review", "--commit", "HEAD")
    assert (
        done.code == 78
        and words in done.stderr
        and "Traceback" not in done.stderr
        and not done.stdout
    ), done.output
    assert len(done.stderr.splitlines()) <= 2


@pytest.mark.contract
def test_no_declared_reviewer_is_4_and_never_a_pass(repo):
    repo.commit(
        {
            CONFIG: "reviewers: {linters: off, change: off, callers: off, "
            "builtin: {type: builtin, where: [pr]}}\n",
            "a.py": GOOD,
        }
    )
    done = repo.cli("review", "--commit", "HEAD")
    assert done.code == 4 and "no reviewer could be asked" in done.stderr, done.output


@pytest.mark.contract
def test_the_runs_own_deadline_is_3(repo, tmp_path):
    slow = tmp_path / "bin" / "ruff"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    repo.commit({CONFIG: "ensemble: {deadline: 1}\n", "a.py": GOOD})
    code, data = report(
        repo, "--commit", "HEAD", env={"PATH": f"{slow.parent}:{os.environ['PATH']}"}
    )
    assert code == 3 and data["verdict"]["outcome"] == "inconclusive" and data["late"]


@pytest.mark.contract(plain=False)
def test_mode_warn_and_exit_zero(bad):
    bad.commit({CONFIG: "mode: warn\n"})
    done = bad.cli("review", "--range", "HEAD~2..HEAD")
    assert done.code == 0 and "would block" in done.stdout, done.output
    assert bad.cli("review", "--commit", "HEAD~").code == 1
    assert bad.cli("review", "--commit", "HEAD~", "--exit-zero").code == 0


def test_a_policy_floor_tightens_and_never_loosens(bad, tmp_path):
    floor = tmp_path / "floor.yaml"
    floor.write_text("mode: block\npolicy: {finding_threshold: P2}\n")
    bad.commit(
        {
            CONFIG: "mode: warn\npolicy: {finding_threshold: none}\n",
            "bad.py": BAD + "\n\nx = [a for a in 1]\n\n\ndef g(y=[]):\n    return y\n",
        }
    )
    assert report(bad, "--commit", "HEAD")[0] == 0
    for how in (["--policy", str(floor)], []):
        code, data = report(
            bad, "--commit", "HEAD", *how, env={} if how else {"REVIEWGATE_GH_POLICY": str(floor)}
        )
        assert (code, data["mode"], data["threshold"]) == (1, "block", "P2")
    assert bad.cli("review", "--commit", "HEAD", "--policy", "nowhere.yaml").code == 78


@pytest.mark.parametrize("mine", ["", "required_version: '>=0'\n"])
def test_a_policy_floor_may_ask_for_a_version(bad, tmp_path, mine):
    (tmp_path / "floor.yaml").write_text("required_version: '>=99'\n")
    bad.commit({CONFIG: f"mode: warn\n{mine}"})
    done = bad.cli("review", "--commit", "HEAD", "--policy", str(tmp_path / "floor.yaml"))
    assert done.code == 78 and ">=99" in done.stderr and done.stdout == "", done.output


FORMS = ["terminal", "json", "markdown", "sarif", "annotations", "agent"]


@pytest.mark.contract(plain=["markdown"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_goes_to_standard_output(bad, form):
    printed = bad.cli("review", "--commit", "HEAD", "--output", form)
    assert printed.code == 1 and "F821" in printed.stdout


@pytest.mark.contract(plain=False)
def test_every_form_goes_to_a_file(bad):
    more = [word for form in FORMS for word in ("--report", f"{form}=out/{form}")]
    written = bad.cli("review", "--commit", "HEAD", "--output-path", "out/report", *more)
    assert written.code == 1 and not written.stdout
    for form in ("report", *FORMS):
        assert "F821" in bad.file(f"out/{form}").read_text(), form


@pytest.mark.contract(plain=False)
@pytest.mark.req("R007-007")
def test_reports_of_other_tools_join(repo, tmp_path):
    repo.commit({"a.py": GOOD})
    imported = tmp_path / "lint.json"
    imported.write_text(json.dumps({"source": {"name": "own"}, "diagnostics": [
        {"message": "on a changed line", "severity": "ERROR",
         "location": {"path": "a.py", "range": {"start": {"line": 1}}},
         "code": {"value": "X1"}},
        {"message": "elsewhere", "severity": "ERROR",
         "location": {"path": "README.md", "range": {"start": {"line": 1}}},
         "code": {"value": "X1"}},
    ]}))  # fmt: skip
    code, data = report(repo, "--commit", "HEAD", "--import", str(imported))
    assert code == 1 and rules(data) == ["own/X1"] and rules(data, "outside_diff") == ["own/X1"]
    imported.write_text("{}")
    code, data = report(repo, "--commit", "HEAD", "--import", str(imported))
    assert code == 2 and data["verdict"]["outcome"] == "inconclusive"


IMPORTS = {
    "sarif": {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "own"}}, "results": [
        {"ruleId": "X1", "level": "error", "message": {"text": "no"}, "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": "a.py"},
             "region": {"startLine": 1}}}]}]}]},
    "shellcheck": {"comments": [{"file": "a.py", "line": 1, "endLine": 1, "column": 1,
        "endColumn": 2, "level": "error", "code": 1009,
                                 "message": "no", "fix": None}]},
    "checkstyle": ('<checkstyle><file name="a.py"><error line="1" severity="error" message="no" '
    'source="own.X1"/></file></checkstyle>'),
}  # fmt: skip


@pytest.mark.parametrize("form", IMPORTS)
def test_each_format_joins_at_the_command_line(repo, tmp_path, form):
    repo.commit({"a.py": GOOD})
    imported, text = tmp_path / "report", IMPORTS[form]
    imported.write_text(text if isinstance(text, str) else json.dumps(text))
    code, data = report(repo, "--commit", "HEAD", "--import", str(imported))
    assert code == 1 and [(f["path"], f["line_start"]) for f in data["findings"]] == [
        ("a.py", 1)
    ], data["reviews"]


@pytest.mark.contract(plain=False)
def test_no_secret_is_stored(repo):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    repo.commit({"a.py": f'key = "{secret}"\n'})
    assert repo.cli("review", "--commit", "HEAD").code == 1
    kept = [path for path in repo.file(".git/reviewgate-gh").rglob("*") if path.is_file()]
    assert kept and not [path for path in kept if secret.encode() in path.read_bytes()]


def test_paths_of_every_kind_are_reviewed(repo):
    names = [
        "with space.py",
        "ünï.py",
        "quo'te.py",
        'dou"ble.py',
        "-dash.py",
        "new\nline.py",
        "$(touch x).py",
        "a;b.py",
        os.fsdecode(b"raw-\xff.py"),
    ]
    repo.commit(dict.fromkeys(names, "x = undefined_name\n"))
    code, data = report(repo, "--commit", "HEAD")
    found = {
        place.rpartition(":")[0]
        for f in data["findings"]
        if f["rule"] == "ruff/F821"
        for place in f["places"] or [f["path"] + ":1"]
    }
    assert code == 1 and data["verdict"]["not_reviewed"] == sorted(names), (
        "ruff gave no answer about one, so for none it is known"
    )
    assert found == set(names[:-1])
    row = next(row for row in data["reviews"] if row["part"] == "ruff")
    assert row["status"] == "failed" and r"raw-\xff.py" in row["error"]


@pytest.mark.contract
def test_other_verbs_of_the_command_line(cli):
    assert cli("--version").stdout.startswith("reviewgate-gh, version")
    assert cli("nonsense").code == 64 and cli("review", "--nonsense").code == 64
    outside = cli("review")
    assert (
        outside.code == 64
        and "is not in a git repository" in outside.stderr
        and "Traceback" not in outside.stderr
    )


def test_a_closed_output_is_quiet(bad):
    command = f"{sys.executable} -P -m reviewgate_gh review --commit HEAD | head -c 1"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=bad.path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
    )
    assert b"Traceback" not in done.stderr and b"BrokenPipe" not in done.stderr


def test_a_name_that_the_change_takes_away_is_found_where_it_is_used(repo):
    far = "".join(f"A{n} = os.sep\n" for n in range(20))
    repo.commit(
        {"a.py": f"import os\nimport sys\n{far}\n\ndef f():\n    return sys.argv, missing_before\n"}
    )
    repo.commit({"a.py": f"import os\n{far}\n\ndef f():\n    return sys.argv, missing_before\n"})
    code, data = report(repo, "--commit", "HEAD")
    (found,) = data["findings"]
    assert (
        code == 1
        and found["title"] == "Undefined name `sys`"
        and found["line_start"] == 25
        and found["note"] == "new in this change, on a line that the diff does not show"
    )
    row = next(row for row in data["reviews"] if row["part"] == "ruff")
    assert (row["found"], row["outside"]) == (2, 1)


def test_files_are_linted_in_place_only_where_they_are_the_reviewed_ones(repo):
    repo.commit(
        {f"m{n}.py": "x = undefined_name\n" for n in range(3)}
        | {"pyproject.toml": "[project]\nname = 'x'\n"}
    )
    off = "[tool.ruff]\nexclude = ['*']\n"
    for disturb in (
        {},
        {"ruff.toml": "exclude = ['*']\n"},
        {"ruff.toml": None, "pyproject.toml": off},
        {"m0.py": "x = 1\n"},
    ):
        repo.write(disturb)
        data = report(repo, "--commit", "HEAD")[1]
        assert next(row for row in data["reviews"] if row["part"] == "ruff")["found"] == 3
    nested = {
        "sub/ruff.toml": "lint.select = ['E711']\n",
        "sub/b.py": "y = undefined_name\nz = y == None\n",
    }
    repo.commit(nested)
    assert rules(report(repo, "--commit", "HEAD")[1]) == ["ruff/E711"]


def test_in_a_whole_tree_no_suppression_is_new(bad, tmp_path):
    bad.commit({"bad.py": "def f():\n    return undefined_name  # noqa: F821\n"})
    clone = bad.clone(tmp_path / "clone")
    code, data = report(clone, "--all-files")
    assert code == 0 and not rules(data) and not data["change"]["trusted"]


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize(
    "option", ["--base", "--range", "--commit", "--policy", "--record", "--replay"]
)
def test_an_unset_variable_of_a_script_is_no_value(bad, option):
    done = bad.cli("review", option, "")
    assert (done.code, done.stderr.splitlines()[0]) == (64, f"reviewgate-gh: {option} is empty"), (
        done.output
    )


def test_a_range_without_a_start_is_refused(repo):
    for span in ("..", "...", "..HEAD", "...HEAD"):
        done = repo.cli("review", "--range", span)
        assert done.code == 64 and "has no start" in done.stderr, done.output


def test_a_report_that_goes_to_a_file_is_said_in_one_line(bad):
    done = bad.cli("review", "--commit", "HEAD", "--output", "json", "--output-path", "out.json")
    assert done.code == 1 and done.stdout == ""
    assert done.stderr.startswith(
        "reviewgate-gh: block · 1 P1, 1 P2 in 1 file"
    ) and done.stderr.endswith("written to out.json\n"), done.output


def test_columns_hold_in_a_pipe_too(bad):
    narrow = bad.cli("review", "--commit", "HEAD", env={"COLUMNS": "40"}).stdout.splitlines()
    wide = bad.cli("review", "--commit", "HEAD").stdout.splitlines()
    assert len(narrow) > len(wide) and "P2  bad.py:5:5" in narrow and "P2  bad.py:5:5" not in wide


@pytest.mark.parametrize("verb", [(), ("waive",), ("hook",), ("config",)])
def test_a_verb_is_missing_and_the_help_is_readable(cli, verb):
    done = cli(*verb)
    assert done.code == 64 and done.stdout == ""
    assert (
        done.stderr.startswith("Usage: ")
        and "\nCommands:\n" in done.stderr
        and "..." not in done.stderr.partition("Commands:")[2]
    )


@pytest.mark.contract(plain=False)
def test_an_overridden_run_says_so_once_and_claims_nothing(bad):
    done = bad.cli("review", "--commit", "HEAD", env={"REVIEWGATE_GH_SKIP": "known"})
    assert (
        done.stdout.splitlines()[-1]
        == "reviewgate-gh: inconclusive, overridden · nothing was reviewed in 1 file"
    )
    assert "incomplete" not in done.stdout and "nothing found" not in done.stdout


def test_what_was_not_reviewed_says_why(repo):
    repo.commit(
        {CONFIG: "policy: {max_file_bytes: 1000}\n", "big.dat": "word\n" * 1000, "small.txt": "x\n"}
    )
    said = repo.cli("review", "--commit", "HEAD").output
    assert "incomplete: 1 file not reviewed: too large (policy.max_file_bytes)" in said, said
    assert (
        "note: policy.max_file_bytes: larger than 1,000 bytes, so not reviewed: big.dat\n" in said
    )


def test_a_whole_tree_changes_no_gate_file(repo):
    repo.commit({CONFIG: "mode: warn\n"})
    assert (
        report(repo, "--commit", "HEAD")[1]["notices"]
        and report(repo, "--all-files")[1]["notices"] == []
    )


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize(
    ("env", "colour"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_only_where_it_is_wanted(bad, env, colour):
    assert ("\x1b[" in bad.cli("review", "--commit", "HEAD", env=env).stdout) is colour


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize(
    ("env", "colour"),
    [
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
    ],
)
def test_on_a_terminal_the_same_is_told_in_colour(bad, env, colour):
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--commit", "HEAD"]
    code, seen = run_on_terminal(argv, bad.path, {"PYTHONPATH": str(ROOT), **env}, errors=False)
    assert (code, "\x1b[" in seen) == (1, colour), seen
    plain = re.sub(r"\x1b(?:\[[0-9;]*m|\]8;[^\x1b]*\x1b\\)", "", seen.replace("\r\n", "\n"))
    piped = bad.cli("review", "--commit", "HEAD", env={"COLUMNS": "80"}).stdout
    assert plain.split() == piped.split()
    assert (f"file://{bad.path}/bad.py" in seen) is colour


@pytest.mark.parametrize("config", ["[tool.ruff]\n", "[tool.ruff]\nextend-exclude = ['kept']\n"])
def test_what_the_projects_own_settings_leave_out_is_not_covered(repo, config):
    """ruff leaves out some folders by itself, and others where it is told to."""
    repo.commit({"pyproject.toml": config, "a.py": GOOD, "venv/b.py": GOOD, "kept/c.py": GOOD})
    data = report(repo, "--commit", "HEAD", "--reviewer", "linters")[1]
    assert [row["covered"] for row in data["reviews"] if row["part"] == "ruff"] == [
        2 if "kept" not in config else 1
    ]
    assert set(data["verdict"]["not_reviewed"]) == {
        "pyproject.toml",
        "venv/b.py",
        *(["kept/c.py"] if "kept" in config else []),
    }


def test_an_import_without_end_is_refused(bad):
    done = bad.cli("review", "--commit", "HEAD", "--import", "/dev/zero")
    assert (
        done.code == 64
        and done.stderr.splitlines()[0] == "reviewgate-gh: /dev/zero is larger than 200 MB"
    )
