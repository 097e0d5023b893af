"""An installed review gate as a reviewer: both dialects, hostile ones, our own one, and every way
in which it can be missing."""

import json
import os
import sys
from pathlib import Path

import pytest

from ...peers.gates import FINDING, FakeGate, install_gate, register
from ...support import ROOT, Repo
from ..gating import BAD

CONFIG = (
    "reviewers:\n  linters: off\n  change: off\n  callers: off\n"
    "  builtin: {{type: builtin}}\n  gate: {{type: review_gate{more}}}\n"
)
DIALECTS = pytest.mark.parametrize("dialect", ["spec", "v1"])


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def installed(repo, tmp_path, home, request):
    """A gate of the test's dialect, registered with Claude Code, and a change to review."""
    gate = install_gate(tmp_path / "plugin", request.getfixturevalue("dialect"))
    register(home, tmp_path / "plugin")
    configure(repo)
    repo.commit({"bad.py": BAD})
    return gate


def configure(repo: Repo, more: str = "") -> None:
    repo.commit({".reviewgate-gh.yaml": CONFIG.format(more=more)}, "config")


def reviewed(repo: Repo, *args: str, env: dict[str, str] | None = None) -> tuple[int, dict, dict]:
    """Exit code, report, and the gate's row of it."""
    done = repo.cli("review", *(args or ("--commit", "HEAD")), "--output", "json", env=env)
    report = json.loads(done.stdout)
    return done.code, report, next(row for row in report["reviews"] if row["reviewer"] == "gate")


@DIALECTS
@pytest.mark.parametrize("step", ["spawn", "wait"])
def test_a_gate_that_repeats_what_it_was_handed_is_not_repeated(repo, installed, dialect, step):
    account = {
        "OPENAI_API_KEY": "a-key-of-no-known-shape",
        "HTTPS_PROXY": "http://ann:a-word-or-2@proxy.example:1",
    }
    told = f"x {' '.join(account.values())} y"
    installed.plan(**{step: {"code": 1, "out": told, "err": f"Error: {told}\n"}})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env=account)
    kept = [
        path.read_text("utf-8", "replace")
        for path in (repo.path / ".git/reviewgate-gh").rglob("*")
        if path.is_file()
    ]
    assert done.code == 2 and "[REDACTED:value]" in done.output
    assert not [
        word for word in ("a-key-of-no", "a-word-or-2") if word in "".join([done.output, *kept])
    ]


@pytest.mark.contract(plain=False)
@DIALECTS
def test_a_gate_that_passes_is_called_as_its_dialect_has_it(repo, installed, dialect):
    code, report, row = reviewed(repo, env={"GITHUB_TOKEN": "no", "OPENAI_API_KEY": "yes"})
    assert code == 0 and row["status"] == "ok" and report["findings"] == [] and row["covered"] == 1
    (spawn,), (wait,) = installed.called("spawn-code-review"), installed.called("wait")
    span = f"{repo.rev('HEAD~1')}..{repo.head}"
    calls = [call for call in installed.calls if "--help" not in call["argv"]]
    (session,) = {call["env"]["CLAUDE_SESSION_ID"] for call in calls}
    if dialect == "spec":
        assert spawn == ["--diff", span] and wait[:3] == ["--json", "--session-key", session]
    else:
        assert spawn == [span] and wait[:4] == ["--json", "--finalize", "--session-id", session]
    assert (
        wait[-2:] == ["--timeout", "300"]  # as it is by default
        and session.startswith("review-")
        and len(session) == len("review-") + 12
    )
    assert all(
        call["cwd"] == str(repo.path) and call["env"]["REVIEWGATE_GH_INSIDE"] == "gate"
        for call in calls
    )
    assert all(
        call["env"].get("OPENAI_API_KEY") == "yes" and "GITHUB_TOKEN" not in call["env"]
        for call in calls
    )
    assert installed.alive == []


@pytest.mark.contract(plain=["v1"])
@DIALECTS
def test_its_findings_become_ours(repo, installed, dialect):
    installed.plan(
        findings=[
            FINDING,
            {
                **FINDING,
                "priority": None,
                "title": "Name it better",
                "line_start": 1,
                "line_end": 1,
            },
        ]
    )
    code, report, row = reviewed(repo)
    assert code == 1 and row["status"] == "ok" and row["said"] == "FAIL"
    found = [
        (f["priority"], f["path"], f["line_start"], f["title"], f["sources"])
        for f in report["findings"]
    ]
    assert found == [
        ("P2", "bad.py", 1, "Name it better", ["gate"]),
        ("P1", "bad.py", 2, "Undefined name", ["gate"]),
    ]
    assert "Reported by codex." in report["findings"][1]["body"]


@DIALECTS
@pytest.mark.parametrize(
    ("issue", "outcome", "note"),
    [
        (
            {"file": "README.md", "line_start": 1},
            "inconclusive",
            "README.md:1, which is not a changed line",
        ),
        (
            {"line_start": 3, "line_end": 900},
            "inconclusive",
            "bad.py:3, which is not a changed line",
        ),
        ({"file": None}, "inconclusive", "no file"),
        (
            {"file": "elsewhere.py", "priority": 3},
            "concerns",
            "elsewhere.py:2, which is not a changed line",
        ),
    ],
)
def test_an_issue_that_is_nowhere_in_the_change_is_kept_and_a_severe_one_leaves_no_verdict(
    repo, installed, issue, outcome, note, dialect
):
    installed.plan(findings=[{**FINDING, **issue}])
    code, report, row = reviewed(repo)
    assert (
        row["status"] == "ok"
        and report["verdict"]["outcome"] == outcome
        and code == (2 if outcome == "inconclusive" else 0)
    )
    (finding,) = report["findings"]
    assert (
        finding["state"] == "open"
        and finding["note"] == f"the gate names {note}"
        and finding["sources"] == ["gate"]
    )


@DIALECTS
def test_arguments_and_environment_of_the_config_reach_their_command_and_no_shell(
    repo, installed, tmp_path, dialect
):
    odd = (
        ["--mode", "$(touch x); a b"]
        if dialect == "v1"
        else ["--codex-reasoning", "$(touch x); a b"]
    )
    options = {"spawn_args": odd, "wait_args": ["--timeout", "77"], "env": {"MY_NAME": "`id`"}}
    configure(repo, f", options: {json.dumps(options)}")
    repo.commit({"bad.py": BAD + "\n"})
    assert reviewed(repo)[2]["status"] == "ok"
    (spawn,), (wait,) = installed.called("spawn-code-review"), installed.called("wait")
    assert [word for word in spawn if word in odd] == odd and not set(odd) & set(wait)
    assert wait.count("--timeout") == 1 and wait[-1] == "77" and "77" not in spawn
    assert {call["env"].get("MY_NAME") for call in installed.calls} == {"`id`"}
    assert not (repo.path / "x").exists()


@DIALECTS
def test_the_context_is_handed_on(repo, installed, tmp_path, dialect):
    (tmp_path / "issue.md").write_text("# What it is for\n")
    assert (
        reviewed(repo, env={"REVIEWGATE_GH_CONTEXT": str(tmp_path / "issue.md")})[2]["status"]
        == "ok"
    )
    (call,) = [
        call
        for call in installed.calls
        if call["argv"][0] == "spawn-code-review" and "--help" not in call["argv"]
    ]
    assert [*call["files"].values()] == ["# What it is for\n"]
    (tmp_path / "issue.md").write_text(" \n")
    assert (
        reviewed(repo, env={"REVIEWGATE_GH_CONTEXT": str(tmp_path / "issue.md")})[2]["status"]
        == "ok"
    )
    assert "--context-file" not in installed.called("spawn-code-review")[1]


@DIALECTS
@pytest.mark.parametrize("asked", ["--staged", "--uncommitted"])
def test_what_was_never_committed_is_reviewed_without_a_trace(repo, installed, asked, dialect):
    repo.write({"bad.py": BAD + "# more\n"})
    repo.git("add", "--all")
    before = repo.git("count-objects", "-v")
    code, _report, row = reviewed(repo, asked)
    assert row["status"] == "ok" and code == 0, row
    assert repo.git("count-objects", "-v") == before


@DIALECTS
@pytest.mark.parametrize(
    ("plan", "status", "why"),
    [
        (
            {"spawn": {"code": 1, "err": "Error: no\n", "out": ""}},
            "failed",
            "spawn failed: Error: no",
        ),
        ({"spawn": {"code": 6, "out": ""}}, "failed", "spawn failed: "),
        ({"spawn": {"huge": 30}}, "failed", "stopped: more than 1 MB of output"),
        ({"help": {"huge": 1000}}, "failed", "--help was stopped"),
        ({"wait": {"out": "garbage", "code": 0}}, "unparsable", "exit 0, not a JSON answer"),
        (
            {"wait": {"out": "", "code": 1, "err": "Traceback\nboom\n"}},
            "unparsable",
            "it said: boom",
        ),
        (
            {"wait": {"out": "\u0000\ufffd[" * 9, "code": 0}},
            "unparsable",
            "exit 0, not a JSON answer",
        ),
        ({"wait": {"huge": 1000}}, "unparsable", "more than 20 MB of output"),
        (
            {"verdict": "FAIL", "wait": {"code": 0}},
            "unparsable",
            "exit 0 and FAIL contradict each other",
        ),
        (
            {"verdict": "PASS", "wait": {"code": 1}},
            "unparsable",
            "exit 1 and PASS contradict each other",
        ),
        (
            {"verdict": "PASS", "wait": {"code": 77}},
            "failed",
            "exit 77 and PASS contradict each other",
        ),
        ({"verdict": "no_reviewers", "status": "no_reviewers"}, "unavailable", ""),
        (
            {"verdict": "ERROR", "own": {"parse_errors": ["gemini: malformed JSON"]}},
            "unparsable",
            "gemini: malformed JSON",
        ),
        ({"verdict": None, "status": "timeout"}, "timeout", ""),
        ({"wait": {"code": 5, "out": ""}}, "failed", "exit 5"),
    ],
)
def test_a_gate_that_breaks_is_never_a_pass(repo, installed, plan, status, why, dialect):
    installed.plan(**plan)
    code, report, row = reviewed(repo)
    assert (code, row["status"]) == (2, status) and why in row["error"], row
    assert report["verdict"]["outcome"] == "inconclusive" and installed.alive == []


@DIALECTS
def test_a_gate_that_hangs_is_stopped_with_all_it_started(repo, installed, dialect):
    configure(repo, ", timeout: 4")
    repo.commit({"bad.py": BAD + "\n"})
    installed.plan(wait={"hang": 100})
    code, _report, row = reviewed(repo)
    assert code == 2 and row["status"] == "timeout" and installed.alive == []
    installed.plan(spawn={"hang": 100})
    code, _report, row = reviewed(repo)
    assert (
        code == 2
        and row["status"] == "failed"
        and "spawn failed: stopped: deadline" in row["error"]
        and installed.alive == []
    )


@DIALECTS
def test_a_gate_left_over_from_before_is_resolved_once(repo, installed, dialect):
    installed.plan(stale=True)
    assert reviewed(repo)[2]["status"] == "ok"
    assert len(installed.called("resolve")) == 1 and len(installed.called("spawn-code-review")) == 2
    installed.plan(spawn={"code": 2, "err": "a gate is already active\n"})
    row = reviewed(repo)[2]
    assert (
        row["status"] == "failed"
        and "already active" in row["error"]
        and len(installed.called("resolve")) == 2
    )


@DIALECTS
def test_what_the_gate_did_not_look_at_was_not_read(repo, installed, dialect):
    installed.plan(nothing=True)
    code, _report, row = reviewed(repo)
    assert row["status"] == "skipped" and row["covered"] == 0 and code == 2, (
        "a required gate that read nothing is no pass"
    )
    assert "finds nothing to review" in row["error"]
    repo.commit(
        {
            ".reviewgate-gh.yaml": "reviewers: {linters: off, change: off, callers: off, "
            "builtin: off, "
            "gate: {type: review_gate}}\n"
        }
    )
    repo.commit({"bad.py": BAD + "\n"})
    code, report, _row = reviewed(repo)
    assert code == 2 and report["verdict"]["not_reviewed"] == ["bad.py"]


def test_words_about_no_changes_beside_a_session_are_no_answer(repo, tmp_path, home):
    gate = install_gate(tmp_path / "plugin", "spec")
    register(home, tmp_path / "plugin")
    configure(repo)
    repo.commit({"bad.py": BAD})
    gate.plan(
        spawn={"err": "warning: no changes found in CLAUDE.md\n"},
        verdict="FAIL",
        findings=[FINDING],
    )
    code, _report, row = reviewed(repo)
    assert code == 1 and row["found"] == 1 and len(gate.called("wait")) == 1


def own_script(folder: Path) -> Path:
    """Our script as an installer writes it."""
    program = folder / "bin/review-gate"
    program.parent.mkdir(parents=True)
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from reviewgate_gh.commands._gate import main\nmain()\n"
    )
    program.chmod(0o755)
    return program


def test_our_own_script_is_no_gate_behind_ourselves(repo, tmp_path, home):
    own = own_script(tmp_path / "plugin")
    register(home, tmp_path / "plugin")
    configure(repo)
    repo.commit({"bad.py": BAD})
    code, _report, row = reviewed(repo)
    assert (
        code == 2
        and row["status"] == "unavailable"
        and "is reviewgate-gh's own script" in row["error"]
    )
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(f'#!/bin/sh\nexec {own} "$@"\n')  # which names us nowhere
    wrapper.chmod(0o755)
    configure(repo, f', options: {{path: "{wrapper}"}}')
    repo.commit({"bad.py": BAD + "\n"})
    code, _report, row = reviewed(repo)
    assert code == 2 and row["status"] == "failed" and "inside a review" in row["error"]
    assert not (repo.path / ".git/reviewgate-gh/sessions").exists()


@DIALECTS
def test_inside_of_a_gate_no_gate_is_asked(repo, installed, dialect):
    code, _report, row = reviewed(repo, env={"REVIEWGATE_GH_INSIDE": "gate"})
    assert (
        code == 2
        and row["status"] == "unavailable"
        and "inside an external gate" in row["error"]
        and installed.calls == []
    )
    assert reviewed(repo, env={"REVIEWGATE_GH_INSIDE": "session"})[0] == 0


@pytest.mark.contract(plain=False)
def test_without_a_gate_it_says_what_is_missing(repo, tmp_path, home):
    configure(repo)
    repo.commit({"bad.py": BAD})
    code, _report, row = reviewed(repo)
    assert (
        code == 2
        and row["status"] == "unavailable"
        and "the Cerberus review-gate is not installed" in row["error"]
    )


@pytest.mark.parametrize("path", ["bin/review-gate", "./gate", "../gate"])
def test_a_path_inside_of_whatever_is_reviewed_is_a_config_error(repo, path):
    configure(repo, f', options: {{path: "{path}"}}')
    repo.commit({"a.txt": "text\n"})
    done = repo.cli("review", "--commit", "HEAD")
    assert done.code == 78 and "path must be absolute" in done.stderr, done.output


@DIALECTS
def test_commits_of_somebody_else_are_not_shown_to_it(repo, installed, dialect):
    repo.git(
        "-c",
        "user.email=eve@example.com",
        "commit",
        "--quiet",
        "--amend",
        "--no-edit",
        "--reset-author",
    )
    code, _report, row = reviewed(repo, env={"CI": "true"})
    assert (
        code == 2
        and row["status"] == "skipped"
        and "approved" in row["error"]
        and installed.calls == []
    )


@DIALECTS
@pytest.mark.parametrize(("denied", "asked"), [("bad.py", False), ("elsewhere/", True)])
def test_what_the_policy_denies_to_models_is_not_shown_to_those_of_a_gate(
    repo, installed, dialect, denied, asked
):
    config = (
        repo.file(".reviewgate-gh.yaml").read_text() + f"policy: {{denied_paths: [{denied}]}}\n"
    )
    repo.commit({".reviewgate-gh.yaml": config}, "policy")
    repo.commit({"bad.py": BAD + "\n"})
    code, _report, row = reviewed(repo)
    assert bool(installed.calls) is asked
    assert asked or (
        code == 2 and row["status"] == "skipped" and "policy.denied_paths" in row["error"]
    )


def test_fake_gates_are_strict(tmp_path, repo):
    """What the tests above rest on: a gate refuses the words of the other dialect."""
    import subprocess

    spec, v1 = install_gate(tmp_path / "spec", "spec"), install_gate(tmp_path / "v1", "v1")
    env = {**os.environ, "CLAUDE_SESSION_ID": "x"}

    def code(gate: FakeGate, *argv: str) -> int:
        return subprocess.run(
            [gate.program, *argv],
            cwd=repo.path,
            env=env,
            capture_output=True,
            check=False,
            timeout=60,
        ).returncode

    assert (
        code(v1, "spawn-code-review", "--diff", "HEAD..HEAD")
        == code(spec, "spawn-code-review", "HEAD..HEAD")
        == 2
    )
    assert (
        code(spec, "spawn-code-review", "--diff", "HEAD..HEAD")
        == code(v1, "spawn-code-review", "HEAD..HEAD")
        == 0
    )
    assert (
        code(v1, "spawn-code-review", "--codex-reasoning", "low")
        == code(v1, "wait")
        == code(v1, "wait", "--json")
        == 2
    )


@DIALECTS
def test_it_is_not_asked_in_a_push_unless_the_config_says_so(repo, installed, tmp_path, dialect):
    repo.bare_remote(tmp_path / "remote.git")
    assert repo.cli("hook", "install").code == 0
    pushing = Repo(repo.path, {"PYTHONPATH": str(ROOT)})
    assert pushing.push("origin", "main").code == 0 and installed.calls == []
    configure(repo, ", where: [cli, hook]")
    repo.commit({"good.py": "x = 1\n"})
    pushed = pushing.push("origin", "main")
    assert pushed.code == 0 and len(installed.called("spawn-code-review")) == 1, pushed.output


@DIALECTS
def test_reviewers_of_a_gate_that_passes_and_broke_are_named(repo, installed, dialect):
    installed.plan(own={"parse_errors": [{"reviewer": "gemini", "error": "reviewer_failed"}]})
    code, _report, row = reviewed(repo)
    assert code == 0 and row["said"] == "PASS; gemini: reviewer_failed"


def test_the_key_of_a_session_is_a_word(repo, tmp_path, home):
    gate = install_gate(tmp_path / "plugin", "spec")
    register(home, tmp_path / "plugin")
    configure(repo)
    repo.commit({"bad.py": BAD})
    gate.plan(spawn={"out": {"session_key": "--timeout=1"}})
    assert reviewed(repo)[2]["status"] == "ok"
    assert "--session-id" in gate.called("wait")[0] and "--timeout=1" not in gate.called("wait")[0]
