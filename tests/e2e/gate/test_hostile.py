"""Changes that try not to be read: line ends, NUL bytes, attributes, settings and comments of their
own, files that git does not watch."""

import json
import os
import sys

import pytest

from tests.support import ROOT, Repo, run, tool

EVIL = "def f(x):\n    return evil(x)\n"
RULE = "ruff/F821"
FOREIGN = {"CI": "true"}
NAMED = ("server.key", ".npmrc", "deploy/.netrc", "prod.tfstate", "notes.ipynb")


def verdict(repo: Repo, *args: str, env=None):
    """Exit code, and (path, rule) of what stands open or is a further place of it."""
    done = repo.cli("review", "--output", "json", *(args or ("--commit", "HEAD")), env=env)
    assert done.stdout.startswith("{"), done.output
    found = {
        (f["path"], f["rule"])
        for f in json.loads(done.stdout)["findings"]
        if f["state"] in ("open", "duplicate")
    }
    return done.code, found


@pytest.mark.parametrize(
    ("path", "content", "rule"),
    [
        *((name, f"\0\nghp_{'0a1B2c3D4e5F' * 3}\n",
            "builtin/secret-github-token") for name in NAMED),
        ("a.py", "# 1\r# 2\r# 3\r# 4\n" + EVIL, RULE),
        ("a.py", EVIL.replace("\n", "\r"), RULE),
        ("a.js", ("// 1\r// 2\r// 3\n"
        "const a = 1; a = 2; export { a "
        "};\n"), "oxlint/eslint/no-const-assign"),
        ("a.py", f"# \0\n{EVIL}", RULE),
        ("a.py", EVIL.encode("utf-16"), "ruff/E902"),
        ("a.js", "// \0\nconst a = 1; a = 2; export { a };\n", "oxlint/eslint/no-const-assign"),
        ("run", "#!/bin/bash\n# \0\nlocal x=1\n", "shellcheck/SC2168"),
        ("key.txt", f"\0\nghp_{'0a1B2c3D4e5F' * 3}\n", "builtin/secret-github-token"),
        ("key.txt", f"\nghp_{'0a1B2c3D4e5F' * 3}\n".encode("utf-16"),
         "builtin/secret-github-token"),
    ],
    ids=[*(f"NUL in {name}" for name in NAMED), "CR before", "CR only", "CR in JavaScript", "NUL",
        "UTF-16", "NUL in JavaScript",
         "NUL in a script", "NUL and a secret", "UTF-16 and a secret"],
)  # fmt: skip
def test_no_byte_hides_a_defect(repo, path, content, rule):
    repo.commit({path: content})
    code, found = verdict(repo)
    assert code == 1 and (path, rule) in found, found


@pytest.mark.parametrize("path", ["tool.PY", "tool.pyw", "tool.cgi", "tool.2.py.bin"])
def test_a_python_program_is_read_whatever_its_name(repo, path):
    repo.write({path: f"#!/usr/bin/env python3\n{EVIL}"})
    repo.file(path).chmod(0o755)
    repo.commit()
    code, found = verdict(repo, env=FOREIGN)
    assert code == 1 and (path, RULE) in found


@pytest.mark.parametrize("setting", ["attributes", "threshold"])
def test_no_setting_of_the_clone_makes_code_binary(repo, setting):
    if setting == "attributes":
        repo.write({".git/info/attributes": "* -diff\n"})
    else:
        repo.git("config", "core.bigFileThreshold", "8")
    repo.commit({"a.py": EVIL, "notes.dat": "<<<<<<< a\n=======\n>>>>>>> b\n"})
    code, found = verdict(repo)
    assert code == 1 and {("a.py", RULE), ("notes.dat", "builtin/conflict-marker")} <= found


def test_a_real_binary_stays_one(repo):
    repo.commit({"logo.png": b"\x89PNG\r\n\x1a\n\0" + bytes(range(256)) * 9, "a.py": "x = 1\n"})
    assert verdict(repo) == (0, set())


OFF = "exclude = ['*']\n[lint]\nselect = []\n"
BASE = "[tool.ruff.lint]\nselect = ['F']\n"
SCRIPT = "#!/bin/bash\nlocal x=1\n"
WORKFLOW = (
    "on: push\npermissions: {}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: 'echo %s'}]}}\n"
)
BAD_WORKFLOW = WORKFLOW % "${{ github.event.issue.title }}"


@pytest.mark.parametrize(
    ("before", "added", "path", "content", "rule"),
    [
        ({"pyproject.toml": BASE}, {".ruff.toml": OFF}, "a.py", EVIL, RULE),
        ({"pyproject.toml": BASE}, {"sub/ruff.toml": OFF}, "sub/a.py", EVIL, RULE),
        ({"ruff.toml": "[lint]\nselect = ['F']\n"}, {"sub/pyproject.toml": ("[tool.ruff.lint]\n"
        "select = []\n")}, "sub/a.py", EVIL, RULE),
        ({"x/ruff.toml": "line-length = 99\n", "y/k": ""}, {"y/.ruff.toml": OFF}, "y/a.py", EVIL,
         RULE),
        ({".shellcheckrc": "disable=SC1090\n"}, {"s/.shellcheckrc": "disable=all\n"}, "s/a.sh",
         SCRIPT, "shellcheck/SC2168"),
        ({"s/shellcheckrc": "disable=SC1090\n"}, {"s/.shellcheckrc": "disable=all\n"}, "s/a.sh",
         SCRIPT, "shellcheck/SC2168"),
        ({"zizmor.yml": "rules: {}\n"}, {".github/zizmor.yml": ("rules: {template-injection: "
        "{disable: true}}\n")},
         ".github/workflows/a.yml", BAD_WORKFLOW, "zizmor/template-injection"),
        ({".github/workflows/zizmor.yml": WORKFLOW % "1"}, {}, ".github/workflows/zizmor.yml",
         BAD_WORKFLOW, "zizmor/template-injection"),
    ],
    ids=["stronger name", "nearer folder", "nearer pyproject", "other folder", "shellcheck",
        "its dot", "zizmor", "a workflow's name"],
)  # fmt: skip
def test_settings_that_a_foreign_change_brings_do_not_count(
    repo, before, added, path, content, rule
):
    repo.commit(before)
    repo.commit({**added, path: content})
    code, found = verdict(repo, env=FOREIGN)
    assert code == 1 and (path, rule) in found, found


def test_a_config_may_build_on_another_file_of_the_repository(repo):
    repo.commit({
        "ruff.toml": "extend = 'cfg/a.toml'\n", "cfg/a.toml": "extend = 'b.toml'\n",
        "cfg/b.toml": "[lint]\nselect = ['F']\n",
        ".oxlintrc.json": '{"extends": ["./cfg/ox.json"]}',
        "cfg/ox.json": ('{"rules": {"no-debugger": '
        '"error"}}'),
    })  # fmt: skip
    repo.commit({"sub/a.py": EVIL, "a.js": "debugger;\n", "cfg/b.toml": "[lint]\nselect = []\n"})
    code, found = verdict(repo, env=FOREIGN)
    assert code == 1 and {("sub/a.py", RULE), ("a.js", "oxlint/eslint/no-debugger")} <= found


@pytest.mark.parametrize(
    ("path", "content", "rule"),
    [
        ("a.py", "# ruff: file-ignore[F821]\n" + EVIL, RULE),
        ("a.py", "def f(x):\n    return evil(x)  #\u00a0noqa\n", RULE),
        (
            "a.sh",
            "#!/bin/bash\n# shellcheck shell=bash disable=all\nlocal x=1\n",
            "shellcheck/SC2168",
        ),
    ],
)
def test_no_comment_of_a_foreign_change_clears_a_critical_finding(repo, path, content, rule):
    repo.commit({path: content})
    code, found = verdict(repo, env=FOREIGN)
    assert code == 1 and {(path, rule), (path, "builtin/new-suppression")} <= found, found


def test_a_folder_with_settings_that_becomes_a_file_breaks_no_linter(repo):
    repo.commit({"a/ruff.toml": "line-length = 99\n", "a/b.py": "x = 1\n"})
    repo.write({"a/ruff.toml": None, "a/b.py": None})
    os.rmdir(repo.file("a"))
    repo.commit({"a": "text\n", "c.py": EVIL})
    code, found = verdict(repo, env=FOREIGN)
    assert code == 1 and ("c.py", RULE) in found


@pytest.mark.parametrize("content", ["x = 1\n", None])
def test_a_file_that_changes_while_a_tool_reads_it_is_read_as_it_was_committed(repo, content):
    """Somebody goes on working during a push."""
    repo.commit({"a.py": EVIL, ".gitignore": ".venv/\n"})
    work = f"printf '{content}' > a.py" if content else "rm -f a.py"
    there = "[ ! -d .venv ] || { " + work + "; }"
    repo.write({".venv/bin/ruff": f'#!/bin/sh\n{there}\nexec {tool("ruff")} "$@"\n'})
    repo.file(".venv/bin/ruff").chmod(0o755)
    assert verdict(repo) == (1, {("a.py", RULE)})


@pytest.mark.parametrize("committed", [True, False])
def test_what_was_staged_after_the_commit_is_not_what_is_reviewed(repo, committed):
    """git has looked at the file since it was written to, so a tool begins with what lies there,
    and is asked again."""
    bad, good = {"a.py": EVIL}, {"a.py": "x = 1\n"}
    repo.commit(bad if committed else good)
    repo.write(good if committed else bad)
    repo.git("add", "--all")
    assert verdict(repo) == ((1, {("a.py", RULE)}) if committed else (0, set()))


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_files_that_git_does_not_watch_are_not_read_in_place(repo, flag):
    many = [f"f{number}.py" for number in range(320)]
    repo.commit(dict.fromkeys(many, EVIL))
    repo.write(dict.fromkeys(many, "def f(x):\n    return x\n"))
    repo.git("update-index", f"--{flag}", *many)
    code, found = verdict(repo)
    assert code == 1 and found == {(name, RULE) for name in many}


@pytest.mark.parametrize("name", ["a:b", 'a"b', "a\u2028b", "a\x1cb"])
def test_a_repository_may_lie_anywhere(make_repo, name):
    repo = make_repo(name)
    repo.commit({"k": "1\n"})
    repo.write({"a.py": EVIL})
    assert verdict(repo, "--uncommitted") == (1, {("a.py", RULE)})
    repo.git("add", "a.py")
    assert verdict(repo, "--staged")[0] == 1


def test_objects_of_a_partial_clone_that_are_not_here_are_asked_for_by_name(repo, tmp_path):
    repo.commit({"a.py": EVIL})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repo.git(
        "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{repo.path}", str(clone)
    )
    done = Repo(clone).cli("review", "--commit", "HEAD")
    assert done.code == 64 and "partial clone" in done.stderr and "git fetch" in done.stderr, (
        done.output
    )


def test_what_is_excluded_is_named(repo):
    repo.commit({".reviewgate-gh.yaml": "policy: {exclude: ['*']}\n", "a.py": EVIL})
    done = repo.cli("review", "--commit", "HEAD")
    assert done.code == 0 and "policy.exclude" in done.stdout and "a.py" in done.stdout, done.output


def test_a_gate_without_any_check_reviews_nothing(repo):
    from reviewgate_gh.system import plugins

    off = ", ".join(plugins.names("checks"))
    repo.commit(
        {
            ".reviewgate-gh.yaml": (
                f"reviewers: {{linters: off, change: off, callers: off, "
                f"builtin: {{type: builtin, options: {{disable: [{off}]}}}}}}\n"
            )
        }
    )
    assert repo.cli("review", "--commit", "HEAD").code == 4


def test_the_hook_asks_the_floors_reviewers_too(repo, tmp_path):
    (tmp_path / "floor.yaml").write_text(
        "reviewers: {linters: {type: linters}, builtin: {type: builtin}}\n"
    )
    repo.commit({".reviewgate-gh.yaml": "hook: {reviewers: [builtin]}\n", "a.py": EVIL})
    push = f"refs/heads/main {repo.head} refs/heads/main {'0' * 40}\n"
    assert repo.cli("hook", "run", "origin", "url", stdin=push).code == 0
    assert (
        repo.cli(
            "hook",
            "run",
            "origin",
            "url",
            stdin=push,
            env={"REVIEWGATE_GH_POLICY": str(tmp_path / "floor.yaml")},
        ).code
        == 1
    )


@pytest.mark.parametrize("text", ["2030-01-01: x\n", "? !!binary aGVsbG8=\n: 1\n",
    (f"ensemble: {{max_parallel: "
f"0x{'f' * 5000}}}\n"),
                                  "linters: {ruff: {timeout: .nan}}\n"],
                                  ids=["date", "bytes", "digits", "no number"])  # fmt: skip
def test_odd_yaml_is_a_config_error(repo, text):
    repo.write({".reviewgate-gh.yaml": text})
    done = repo.cli("config", "check")
    assert done.code == 78 and "bug in reviewgate-gh" not in done.stderr, done.output


@pytest.mark.parametrize(
    "line",
    [
        "mode: {}\n",
        "mode: '" + "x" * 50 + " {}'\n",
        "{}: 1\n",
        "reviewers: {{linters: off, change: off, callers: off, builtin: off, a: {{type: {}}}}}\n",
    ],
)
def test_no_config_error_shows_a_secret(repo, line):
    token = "ghp_" + "0a1B2c3D4e5F" * 3
    repo.write({".reviewgate-gh.yaml": line.format(token)})
    done = repo.cli("config", "check")
    assert done.code == 78 and token[:20] not in done.output, done.output


@pytest.mark.parametrize("how", ["tracked", "linked", "tracked beside", "installed"])
def test_a_tool_that_git_tracks_is_not_run(repo, tmp_path, how):
    """The base may be somebody's branch that was only checked out; the user's own commit on top
    makes the change trusted."""
    mark = tmp_path / "mark"
    tool = f"#!/bin/sh\ntouch {mark}\n[ $1 != --version ] || echo ruff 9.8.7\n"
    place = {
        "tracked": ".venv/bin/ruff",
        "linked": "kit/bin/ruff",
        "tracked beside": ".venv/other",
    }.get(how)
    if place:
        repo.commit({place: tool if how != "tracked beside" else ""})
    if how == "linked":
        (repo.path / ".venv").symlink_to("kit")
        repo.git("add", ".venv")
        repo.git("commit", "--quiet", "--amend", "--no-edit")
    repo.commit({"a.py": EVIL})
    if how in ("installed", "tracked beside"):
        repo.write({".venv/bin/ruff": tool})
    (repo.path / ".venv/bin/ruff").resolve().chmod(0o755)
    code, _found = verdict(repo)
    assert mark.exists() == (how == "installed")
    assert code == (0 if how == "installed" else 1)


@pytest.mark.parametrize("env", [{}, FOREIGN], ids=["own", "foreign"])
@pytest.mark.parametrize("folder", [".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin"])
def test_the_tool_that_the_user_installed_in_the_project_goes_before_all_others(
    repo, tmp_path, folder, env
):
    """Its version stands in the report. For a stranger's change ours is taken."""
    repo.commit({"a.py": EVIL})
    for place, version in ((repo.path / folder, "9.8.7"), (tmp_path / "bin", "6.5.4")):
        place.mkdir(parents=True)
        (place / "ruff").write_text(f'#!/bin/sh\n[ "$1" != --version ] || echo "ruff {version}"\n')
        (place / "ruff").chmod(0o755)
    path = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={**env, **path})
    said = json.loads(done.stdout)["tools"]["ruff"]
    assert (done.code, said == "9.8.7", said == "6.5.4") == (
        (1, False, False) if env else (0, True, False)
    ), said


@pytest.mark.parametrize("how", ["tool", "link to it", "its interpreter"])
def test_a_program_that_a_foreign_change_brings_is_not_run(repo, tmp_path, how):
    """A folder of the work tree may be on PATH."""
    mark, elsewhere = tmp_path / "mark", tmp_path / "elsewhere"
    elsewhere.mkdir()
    repo.commit({".hadolint.yaml": "ignored: []\n", "bin/setup": "#!/bin/sh\n"})
    name = "lint" if how == "its interpreter" else "hadolint"
    repo.commit(
        {"Dockerfile": "FROM scratch\n", f"bin/{name}": f"#!/bin/sh\ntouch {mark}\necho '[]'\n"}
    )
    repo.file(f"bin/{name}").chmod(0o755)
    if how == "link to it":
        (elsewhere / "hadolint").symlink_to(repo.path / "bin/hadolint")
    elif how == "its interpreter":
        (elsewhere / "hadolint").write_text("#!/usr/bin/env lint\n")
        (elsewhere / "hadolint").chmod(0o755)
    folders = [elsewhere, *([] if how == "link to it" else [repo.path / "bin"]), os.environ["PATH"]]
    done = repo.cli(
        "review", "--commit", "HEAD", env={**FOREIGN, "PATH": os.pathsep.join(map(str, folders))}
    )
    assert not mark.exists(), done.output
    if how != "its interpreter":
        assert "hadolint is not installed outside the work tree" in done.output


def test_a_file_that_turns_out_to_be_binary_keeps_its_tool_from_no_other(repo):
    repo.commit(
        {
            "a.py": EVIL,
            "music.sh": b"\0\1\2" * 9000,
            "b.ts": b"G" + b"\0" * 187 + b"G" + b"\xff" * 400,
        }
    )
    code, found = verdict(repo)
    assert code == 1 and ("a.py", RULE) in found


def test_a_large_file_without_a_suffix_is_not_held_in_memory(repo):
    repo.commit({"data": b"\0" * 150_000_000, "a.py": "x = 1\n"})
    program = (
        "import sys\nfrom reviewgate_gh.cli import run, cli\n"
        "code = run(cli, ['review', '--commit', 'HEAD'])\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if "
        "line.startswith('VmHWM')))\nsys.exit(code)"
    )
    done = run([sys.executable, "-c", program], repo.path, {"PYTHONPATH": str(ROOT)})
    assert done.code == 0, done.output
    assert int(done.stdout.splitlines()[-1]) < 120_000, done.output  # KiB


def test_a_name_that_no_disk_can_hold_is_a_failed_review(repo):
    blob = repo.git("hash-object", "-w", "--stdin", stdin=EVIL)
    tree = repo.git(
        "mktree",
        "-z",
        stdin="".join(f"100644 blob {blob}\t{name}.py\0" for name in ("x" * 300, "a")),
    )
    commit = repo.git("commit-tree", tree, "-p", "HEAD", "-m", "long")
    done = repo.cli("review", "--commit", commit)
    assert done.code == 2 and "linters/ruff failed: File name too long" in done.stdout, done.output


@pytest.mark.big
def test_fifty_thousand_changed_files(repo):
    repo.commit(
        {f"d{number % 500}/{number}.txt": f"{number}\n" for number in range(50_000)}
        | {"d7/bad.py": EVIL}
    )
    for args in (["--commit", "HEAD"], ["--base", "HEAD~"]):
        assert verdict(repo, *args) == (1, {("d7/bad.py", RULE)})
    repo.write({f"d{number % 500}/{number}.txt": f"{number}!\n" for number in range(50_000)})
    assert verdict(repo, "--uncommitted") == (0, set())
