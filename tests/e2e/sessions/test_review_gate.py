"""`review-gate` as an orchestrator runs it: spawn, go away, wait."""

import json
import os
import signal
import sys
import time
import tomllib
import uuid
from importlib import import_module
from pathlib import Path

import pytest

from reviewgate_gh.model.config import KEYLESS

from ...support import ROOT, run
from ..gating import BAD, CONFLICT, SARIF, SLOW, gate, pids, sessions, spawn, wait, with_command


@pytest.fixture
def slow(repo, tmp_path, monkeypatch):
    """A repository with a slow reviewer, and the folder through which it is let go, at the latest
    when the test ends."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))  # what a killed worker leaves behind
    script = tmp_path / "slow.sh"
    script.write_text(SLOW.format(folder=tmp_path, sarif=SARIF))
    script.chmod(0o755)
    with_command(repo, script)
    repo.commit({"a.txt": "text\n"})
    yield repo, tmp_path
    (tmp_path / "go").touch()


@pytest.mark.contract
def test_the_script_is_installed_under_its_name():
    module, _, name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"][
        "review-gate"
    ].partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.contract
@pytest.mark.req("R001-001", "R001-004", "R001-005", "R001-006", "R001-026")
def test_a_defect_is_spawned_waited_for_and_fails(repo):
    base = repo.head
    head = repo.commit({"bad.py": BAD})
    spawned = spawn(repo, "--diff", f"{base}..{head}")
    assert (
        set(spawned) == {"session_key", "reviewers_spawned"}
        and str(uuid.UUID(spawned["session_key"])) == spawned["session_key"]
    )
    assert spawned["reviewers_spawned"] == [*KEYLESS]
    code, said = wait(repo, "--session-key", spawned["session_key"])
    assert code == 1 and said["consensus"]["verdict"] == said["consensus_verdict"] == "FAIL"
    (issue,) = said["issues"]
    assert issue["file"] == issue["file_path"] == "bad.py"
    assert issue["line_start"] == 2 and issue["priority"] == 1 and issue["reviewer"] == "linters"
    assert (
        set(said["reviewers"]) == set(spawned["reviewers_spawned"]) - {"callers"}
        and said["session_key"] == spawned["session_key"]
    )
    assert Path(said["session_dir"]).is_dir()


@pytest.mark.contract
@pytest.mark.req("R001-025")
def test_a_clean_change_passes_and_the_answer_can_be_had_again_from_elsewhere(repo, tmp_path):
    repo.commit({"good.py": "x = 1\n"})
    spawn(repo)
    first = wait(repo)
    assert first[0] == 0 and first[1]["consensus_verdict"] == "PASS" and first[1]["issues"] == []
    repo.git("worktree", "add", "--quiet", tmp_path / "other")
    assert wait(repo, cwd=tmp_path / "other") == wait(repo, "--timeout", "0") == first


@pytest.mark.req("R001-009")
def test_without_a_key_the_newest_session_answers(repo):
    base = repo.head
    repo.commit({"bad.py": BAD})
    failing = spawn(repo)["session_key"]
    passing = spawn(repo, "--commit", base)["session_key"]
    assert failing != passing
    assert wait(repo)[0] == 0 and wait(repo)[1]["session_key"] == passing
    assert wait(repo, "--session-key", failing)[0] == 1


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (("--diff", "main~1..main"), 0), (("--diff", "main~2...main"), 1), (("main~2..main~1",), 1),
        (("--commit", "main~1"), 1),
        (("--base", "main~1"), 0), (("--uncommitted",), 1), (("--diff", "main..main"), 0),
    ],
)  # fmt: skip
def test_every_way_to_name_the_commits(repo, asked, code):
    repo.commit({"bad.py": BAD})
    repo.commit({"good.py": "x = 1\n"})
    repo.write({"new.py": BAD})
    spawn(repo, *asked)
    assert wait(repo)[0] == code


def test_the_range_is_fixed_when_spawn_returns(slow):
    repo, folder = slow
    repo.write({"new.txt": CONFLICT})
    uncommitted = spawn(repo, "--uncommitted")["session_key"]
    repo.write({"new.txt": "resolved\n"})
    head = spawn(repo, "--commit", "HEAD")["session_key"]
    repo.commit({"later.txt": CONFLICT})
    (folder / "go").touch()
    assert wait(repo, "--session-key", uncommitted)[0] == 1
    assert wait(repo, "--session-key", head)[0] == 0


@pytest.mark.req("R001-028")
def test_the_worker_outlives_its_spawner_and_a_timeout_ends_only_the_waiting(slow):
    repo, folder = slow
    assert spawn(repo)["reviewers_spawned"] == ["own", "builtin"]
    worker, _reviewer = pids(folder)
    assert os.getsid(worker) == worker != os.getsid(0)
    code, said = wait(repo, "--timeout", "0")
    assert (
        code == 3
        and said["status"] == "timeout"
        and said["consensus"]["verdict"] is said["consensus_verdict"] is None
    )
    assert wait(repo, "--timeout", "1")[0] == 3
    (folder / "go").touch()
    assert wait(repo)[0] == 0


@pytest.mark.contract(plain=False)
@pytest.mark.req("R001-030")
def test_a_worker_that_dies_is_an_internal_error_and_no_hang(slow):
    repo, folder = slow
    spawn(repo)
    os.kill(pids(folder)[0], signal.SIGKILL)
    done = gate(repo, "wait", "--json")
    said = json.loads(done.stdout)
    assert done.code == 5 and said["status"] == "error" and said["consensus_verdict"] is None
    assert "died without a readable result" in said["parse_errors"][0] and "died" in done.stderr


@pytest.mark.contract(plain=False)
def test_a_damaged_result_is_never_a_pass(repo):
    spawn(repo)
    assert wait(repo)[0] == 0
    unresolved = '{"status": "resolved", "consensus_verdict": "PASS"}'
    for damage in ("", "{", "[]", '"PASS"', unresolved, "\udcff"):
        (sessions(repo)[0] / "result.json").write_text(damage, errors="surrogateescape")
        assert wait(repo)[0] == 5, damage


@pytest.mark.contract(plain=False)
@pytest.mark.req("R001-027", "R001-024", "R001-010")
def test_a_reviewer_that_answers_nonsense_is_exit_2_and_is_asked_once(repo, tmp_path):
    with_command(repo, "sh", "-c", f"echo asked >> {tmp_path}/asked; echo nonsense")
    repo.commit({"a.txt": "text\n"})
    spawn(repo)
    code, said = wait(repo)
    assert (
        code == 2
        and said["consensus_verdict"] == "ERROR"
        and said["reviewers"]["own"]["verdict"] == "ERROR"
    )
    assert [text.partition(":")[0] for text in said["parse_errors"]] == ["own"]
    assert said["parse_error_details"][0]["error"] == "invalid_output"
    assert (tmp_path / "asked").read_text() == "asked\n"
    spawn(repo, "--commit", "HEAD", "--consensus", "any")
    assert wait(repo)[0] == 0


@pytest.mark.contract(plain=False)
@pytest.mark.req("R001-029", "R001-013", "R001-059")
def test_no_reviewer_at_all_fails_closed_with_exit_4(repo):
    with_command(repo, "/no/such/program", more="")
    repo.commit({"a.txt": "text\n"})
    assert spawn(repo)["reviewers_spawned"] == ["own"]
    code, said = wait(repo)
    assert (
        code == 4
        and said["status"]
        == said["consensus"]["verdict"]
        == said["consensus_verdict"]
        == "no_reviewers"
    )


@pytest.mark.req("R001-005")
@pytest.mark.parametrize(
    ("files", "asked", "why"),
    [
        ({}, ("--diff", "nowhere..HEAD"), "'nowhere' is not a commit here"),
        ({}, ("--commit", "--output=x"), "is not a commit here"),
        ({".reviewgate-gh.yaml": "reviewerz: {}\n"}, ("--commit", "HEAD"), ".reviewgate-gh.yaml:1"),
    ],
)
def test_what_cannot_be_spawned_is_exit_1_with_the_reason_and_leaves_nothing(
    repo, files, asked, why
):
    repo.commit(files)
    repo.commit({"a.txt": "text\n"})  # a configuration of the reviewed commit itself does not count
    done = gate(repo, "spawn-code-review", *asked)
    assert done.code == 1 and done.stdout == "" and why in done.stderr, done.output
    assert sessions(repo) == []


def test_a_worker_that_ends_before_it_began_is_a_failed_spawn(repo):
    script = """if True:
        from reviewgate_gh.sessions.sessions import SessionRequest, spawn_session
        from reviewgate_gh.model.change import Selection
        from reviewgate_gh.system.environment import Environment

        def dies(key):
            raise RuntimeError("no memory")

        spawn_session(SessionRequest(Selection(commit="HEAD")), b"", dies, Environment.current())
    """
    done = run([sys.executable, "-c", script], repo.path, {"PYTHONPATH": str(ROOT)})
    assert (
        done.code == 1
        and "GateError: the worker exited immediately; its last output: RuntimeError: no memory"
        in done.stderr
    ), done.output
    assert sessions(repo) == [] and gate(repo, "wait", "--json").code == 5


def test_outside_a_repository_and_without_a_session(repo, tmp_path):
    (tmp_path / "none").mkdir()
    assert gate(repo, "spawn-code-review", "--commit", "HEAD", cwd=tmp_path / "none").code == 1
    done = gate(repo, "wait", "--json")
    assert (
        done.code == 5
        and "no session was spawned here" in done.stderr
        and json.loads(done.stdout)["status"] == "error"
    )
    key = str(uuid.uuid4())
    spawn(repo)
    code, said = wait(repo, "--session-key", key)
    assert code == 5 and said["parse_errors"] == [
        f"review-gate: no session {key} in this repository"
    ]


def test_a_folder_that_cannot_be_written_is_a_failed_spawn(repo):
    repo.write({".git/reviewgate-gh": "a file in the way"})
    done = gate(repo, "spawn-code-review", "--commit", "HEAD")
    assert done.code == 1 and "the session cannot be started" in done.stderr, done.output


@pytest.mark.contract(plain=[])
@pytest.mark.req("R001-001", "R001-003", "R001-007", "R001-061")
@pytest.mark.parametrize(
    "args",
    [
        "", "nothing", "spawn-code-review",
        "spawn-code-review --diff A..B --commit HEAD",
        "spawn-code-review A..B --uncommitted",
        "spawn-code-review --diff HEAD",
        "spawn-code-review --base=",
        "spawn-code-review --commit HEAD --codex-reasoning extreme",
        "spawn-code-review --commit HEAD --codex-thinking-mode x",
        "spawn-code-review --commit HEAD --mode slow",
        "spawn-code-review --commit HEAD --mode fast --codex-reasoning high",
        "spawn-code-review --commit HEAD --context-file missing",
        "spawn-code-review --commit HEAD --context-file empty",
        "wait", "wait --json --timeout -1", "wait --json --timeout nan",
        ("wait --json --session-key "
        "../x"),
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_2_and_one_clear_line(repo, args):
    repo.write({"empty": ""})
    done = gate(repo, *args.split())
    assert (
        done.code == 2
        and done.stdout == ""
        and len(done.stderr.splitlines()) == 2
        and "--help" in done.stderr
    ), done.output
    assert done.stderr.startswith("review-gate: "), "the name that the caller knows"
    assert sessions(repo) == []


@pytest.mark.req("R001-003")
@pytest.mark.parametrize(
    ("args", "effort"),
    [
        ((), "high"),
        (("--codex-reasoning", "low"), "low"),
        (("--mode", "smart"), "medium"),
        (("--mode", "max", "--codex-reasoning", "high"), "high"),
    ],
)
def test_context_and_effort_are_kept_with_the_session(repo, tmp_path, args, effort):
    (tmp_path / "context.md").write_bytes(b"what it is for\n\xff")
    spawn(repo, "--commit", "HEAD", "--context-file", tmp_path / "context.md", *args)
    (session,) = sessions(repo)
    assert (session / "context.txt").read_bytes() == b"what it is for\n\xff"
    assert json.loads((session / "request.json").read_text())["effort"] == effort


@pytest.mark.req("R001-008")
def test_the_timeout_is_300_seconds_by_default(repo):
    assert "default: 300" in gate(repo, "wait", "--help").stdout


def test_a_secret_reaches_no_answer_and_no_file_of_the_session(repo):
    secret = "AKIA" + "Z3MSJQ7LX2WPN5TB"
    repo.commit({"conf.py": f"KEY = {secret}\n"})
    spawn(repo)
    code, said = wait(repo)
    assert code == 1 and any("Undefined name" in issue["title"] for issue in said["issues"])
    assert secret not in json.dumps(said)
    assert not any(secret in file.read_text() for file in sessions(repo)[0].iterdir())


def test_a_path_that_is_no_text_comes_back_as_python_names_it(repo):
    name = os.fsdecode(b"b\xffd.txt")
    repo.commit({name: CONFLICT})
    spawn(repo)
    code, said = wait(repo)
    assert code == 1 and said["issues"][0]["file"] == name


def test_a_skip_that_was_meant_for_a_push_changes_nothing(repo):
    repo.commit({"bad.py": BAD})
    spawn(repo, env={"REVIEWGATE_GH_SKIP": "a push"})
    assert wait(repo)[0] == 1


def test_code_of_the_reviewed_tree_is_not_imported(repo):
    evil = "raise SystemExit(0)\n"
    repo.commit(
        {"click.py": evil, "json.py": evil, "reviewgate_gh/__init__.py": evil, "bad.py": BAD}
    )
    spawn(repo)
    assert wait(repo)[0] == 1


def test_old_sessions_go_and_living_ones_stay(slow):
    repo, folder = slow
    living = spawn(repo)["session_key"]
    pids(folder)
    home, now = sessions(repo)[0].parent, time.time()
    for number in range(60):
        (home / f"old-{number}").mkdir()
        os.utime(home / f"old-{number}", (now - 1000 + number, now - 1000 + number))
    os.utime(home / living, (1, 1))
    with_command(repo, "true", more="")
    last = spawn(repo)["session_key"]
    left = {entry.name for entry in sessions(repo)}
    assert {living, last, "old-59"} <= left and "old-0" not in left and len(left) == 51
    (folder / "go").touch()
    assert wait(repo, "--session-key", living)[0] == 0


def test_sessions_of_more_than_30_days_ago_go(repo):
    spawn(repo, env={"CLAUDE_SESSION_ID": "gone"})
    (aged,) = sessions(repo)
    assert wait(repo)[0] == 0
    young = time.time() - 29 * 86_400
    (aged.parent / "young").mkdir()
    os.utime(aged.parent / "young", (young, young))
    os.utime(aged, (young - 2 * 86_400, young - 2 * 86_400))
    last = spawn(repo)["session_key"]
    assert {entry.name for entry in sessions(repo)} == {"young", last}
    assert not list(aged.parent.glob("latest-*"))
