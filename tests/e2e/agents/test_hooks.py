"""The hooks as agents run them: an event on standard input, and the answer in the agent's own
form."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.agents import stop as stop_hook
from reviewgate_gh.agents.program import GO_ON, HookAnswer, HookEvent
from reviewgate_gh.agents.state import remember_session
from reviewgate_gh.agents.tool import before_tool
from reviewgate_gh.git import open_repository
from reviewgate_gh.system.environment import Environment
from tests.support import ROOT, Repo, run

BAD = "def f():\n    return missing()\n"
WORSE = "def f():\n    return missing() + absent()\n"


@pytest.fixture
def published(repo: Repo, tmp_path: Path) -> Repo:
    """A repository whose branch is on a remote."""
    repo.bare_remote(tmp_path / "remote.git")
    assert repo.push("-u", "origin", "main").code == 0
    return repo


def stop(repo: Repo, session: str = "one", again: bool = False) -> dict[str, Any]:
    """The answer of the Stop hook, in this process."""
    event = HookEvent(str(repo.path), session, again)
    answer = stop_hook.stop(event, "claude", Environment(dict(os.environ), repo.path))
    assert (answer.code, answer.stderr) == (0, "")
    return json.loads(answer.stdout) if answer.stdout else {}


def tool(repo: Repo, command: str, agent: str = "claude") -> HookAnswer:
    """The answer of the hook before a command."""
    event = HookEvent(str(repo.path), command=command)
    return before_tool(event, agent, Environment(dict(os.environ), repo.path))


@pytest.mark.contract(plain=False)
@pytest.mark.req("R010-010")
def test_an_agent_goes_on_until_its_work_passes_and_no_longer_than_that_helps(
    published: Repo,
) -> None:
    assert stop(published) == {}, "nothing has changed"
    published.write({"a.py": BAD})
    said = stop(published)
    assert said["decision"] == "block" and "a.py:2 [P1 ruff/F821" in said["reason"]
    # The same again, committed or not, is no reason to go on for ever
    said = stop(published, again=True)
    assert set(said) == {"systemMessage"} and "does not pass" in said["systemMessage"]
    published.commit({"a.py": WORSE})
    assert stop(published, again=True)["decision"] == "block", "what is new is told"
    assert stop(published, "two")["decision"] == "block", "another session has not heard of it"
    git = open_repository(published.path, os.environ)
    remember_session(git, "busy", [f"other {n}" for n in range(stop_hook.MOST_TIMES)])
    assert set(stop(published, "busy")) == {"systemMessage"}, "whatever is new, it ends"
    published.commit({"a.py": "def f():\n    return 1\n"})
    assert stop(published, again=True) == {}


@pytest.mark.contract
@pytest.mark.req("R010-011", "R010-012", "R010-013")
def test_a_push_that_the_gate_refuses_is_refused_in_each_agents_form(published: Repo) -> None:
    published.commit({"a.py": BAD})
    done = tool(published, "cd . && git push", "codex")
    inner = json.loads(done.stdout)["hookSpecificOutput"]
    assert inner["hookEventName"] == "PreToolUse" and inner["permissionDecision"] == "deny"
    assert "ruff/F821" in inner["permissionDecisionReason"]
    event = {"cwd": str(published.path), "tool_input": {"command": "git push --no-verify"}}
    ran = published.cli("agents", "tool", "gemini", stdin=json.dumps(event))
    assert (ran.code, ran.stdout) == (2, "") and "--no-verify" in ran.stderr
    done = tool(published, "REVIEWGATE_GH_SKIP=x git push", "copilot")
    assert json.loads(done.stdout)["permissionDecision"] == "deny"
    assert tool(published, "git status") == GO_ON
    here = Environment(dict(os.environ), published.path)
    for path, free in (
        (".git/reviewgate-gh/trust.json", False),
        ("x/../.git/hooks/y", False),
        ("a.py", True),
    ):
        answer = before_tool(HookEvent(str(published.path), path=path), "claude", here)
        assert (answer == GO_ON) is free, path
    # Both are told to the user, and in the verdict
    published.commit({"a.py": "x = 1\n"})
    said = stop(published)["systemMessage"]
    assert "Gemini CLI tried to push without the hook" in said and "Copilot CLI tried to" in said
    assert stop(published) == {}, "once"
    report = json.loads(published.cli("review", "--output", "json").stdout)
    assert report["verdict"]["outcome"] == "pass"
    assert [note for note in report["notices"] if "Copilot CLI tried to skip the review" in note]
    assert published.cli("agents", "clear").code == 0
    assert tool(published, "git push") == GO_ON, "now it may"


@pytest.mark.contract(plain=False)
@pytest.mark.req("R010-013", "R010-014")
def test_nothing_of_the_gate_is_loosened_from_an_agents_session(published: Repo) -> None:
    assert published.cli("hook", "install").code == 0
    published.commit({"a.py": BAD})
    agent = {"CLAUDECODE": "1", "REVIEWGATE_GH_SKIP": "it is late"}
    refused = Repo(published.path, agent).push()
    assert refused.code != 0 and "Only a person can push anyway." in refused.stderr, refused.output
    found = json.loads(published.cli("review", "--output", "json").stdout)["findings"]
    name = found[0]["fingerprint"]
    for args, words in (
        (("waive", "add", name, "--reason", "why not"), f"waive add {name} --reason 'why not'"),
        (("trust",), "reviewgate-gh trust"),
        (("hook", "uninstall"), "reviewgate-gh hook uninstall"),
        (("agents", "clear"), "reviewgate-gh agents clear"),
    ):
        done = published.cli(*args, env={"CLAUDECODE": "1"})
        assert done.code == 64 and words in done.stderr, done.output
        assert "Claude Code cannot" in done.stderr and "nothing was changed" in done.stderr
    assert not published.file(".reviewgate-gh-waivers.yaml").exists()
    text = stop(published)["reason"]
    assert "tried to skip the review with REVIEWGATE_GH_SKIP=it is late" in text
    assert f"tried to accept {name}" in text and "tried to remove the hook" in text
    # A person may
    assert published.cli("waive", "add", name, "--reason", "why not").code == 0


@pytest.mark.contract(plain=False)
@pytest.mark.req("R010-015")
def test_status_proves_that_the_hooks_run(repo: Repo, tmp_path: Path) -> None:
    done = repo.cli("init", "--agents=claude,gemini", "--no-workflow", "--no-hook", "--yes")
    assert done.code == 0 and "written: .claude/settings.json" in done.stdout, done.output
    program = tmp_path / "bin/reviewgate-gh"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P -m reviewgate_gh "$@"\n'
    )
    path = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    missing = repo.cli("agents", "status")
    assert missing.code == 1 and "is not found on PATH" in missing.stdout, missing.output
    program.chmod(0o755)
    done = repo.cli("agents", "status", env=path)
    assert done.code == 0, done.output
    assert "Claude Code: its hooks run the gate" in done.stdout
    assert "Gemini CLI: its hooks run the gate" in done.stdout

    settings = repo.file(".claude/settings.json")
    text = settings.read_text()
    ran = tmp_path / "ran"
    settings.write_text(text.replace("agents stop claude", f"agents stop claude; touch {ran}"))
    done = repo.cli("agents", "status", env=path)
    assert done.code == 1 and "was not tried" in done.stdout and not ran.exists(), done.output
    settings.write_text(json.dumps({**json.loads(text), "disableAllHooks": True}))
    done = repo.cli("agents", "status", env=path)
    assert done.code == 1 and "disableAllHooks" in done.stdout, done.output
    program.write_text("#!/bin/sh\nexit 0\n")
    done = repo.cli("agents", "status", "--output", "json", env=path)
    rows = {each["agent"]: each for each in json.loads(done.stdout)["agents"]}
    assert done.code == 1 and rows["gemini"]["is_set_up"], done.output
    assert "does not refuse a sample event" in rows["gemini"]["faults"][0]


def test_a_hook_outside_of_a_repository_says_nothing(tmp_path: Path) -> None:
    event = HookEvent(str(tmp_path), command="git push")
    here = Environment(dict(os.environ), tmp_path)
    assert stop_hook.stop(event, "claude", here) == GO_ON
    assert before_tool(event, "claude", here) == GO_ON


@pytest.mark.req("R010-010", "R010-012")
def test_a_repository_that_should_be_there_is_missed(published: Repo, tmp_path: Path) -> None:
    here = Environment(dict(os.environ), tmp_path)
    # What only a person may do is refused anywhere
    event = HookEvent(str(tmp_path), command="cd elsewhere && git push --no-verify")
    assert "--no-verify" in before_tool(event, "gemini", here).stderr
    # The repository that a command goes to is the one that counts
    published.commit({"a.py": BAD})
    event = HookEvent(str(tmp_path), command=f"cd {published.path.name} && git push")
    assert "ruff/F821" in before_tool(event, "gemini", here).stderr
    event = HookEvent(str(tmp_path), command=f"git -C {published.path} push")
    assert "ruff/F821" in before_tool(event, "gemini", here).stderr
    other = tmp_path / "other"
    assert run(["git", "init", "-q", other], tmp_path).code == 0
    for line in (
        f"cd {other} && git push; cd {published.path} && git push",
        f"git -C {other} push; bash -c 'cd {other}; git -C {published.path} push'",
    ):
        event = HookEvent(str(published.path), command=line)
        assert "ruff/F821" in before_tool(event, "gemini", here).stderr, line
    # A hook is started in a folder that is gone
    event_text = json.dumps({"cwd": str(published.path), "session_id": "x"})
    gone = 'mkdir x && cd x && rmdir ../x && exec "$@"'
    gate = [sys.executable, "-P", "-m", "reviewgate_gh", "agents", "stop", "claude"]
    ran = run(["sh", "-c", gone, "sh", *gate], tmp_path, {"PYTHONPATH": str(ROOT)}, event_text)
    assert ran.code == 0 and "ruff/F821" in json.loads(ran.stdout)["reason"], ran.output
    # Somebody breaks it, or takes it away
    assert published.cli("init", "--agents=claude", "--no-workflow", "--no-hook", "--yes").code == 0
    head = published.file(".git/HEAD")
    text = head.read_text()
    head.write_text("")
    assert "there is a .git" in stop(published)["reason"]
    assert "there is a .git" in tool(published, "git push", "qwen").stderr
    head.write_text(text)
    published.file(".git").rename(tmp_path / "taken")
    assert "the gate is set up in" in stop(published)["reason"]
    assert set(stop(published, again=True)) == {"systemMessage"}


@pytest.mark.req("R010-010")
def test_what_cannot_be_reviewed_is_no_pass(published: Repo) -> None:
    published.commit({".reviewgate-gh.yaml": "version: 1\nreviewers: {x: {type: nothing}}\n"})
    assert published.push().code == 0
    published.write({"a.py": "x = 1\n"})
    said = stop(published)
    assert said["decision"] == "block" and "not a pass" in said["reason"].lower(), said
    assert set(stop(published)) == {"systemMessage"}
    done = tool(published, "git commit -am x && git push")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    event = json.dumps({"tool_input": {"command": "git push"}})
    ran = published.cli("agents", "tool", "qwen", stdin=event, env={"PATH": "/nowhere"})
    assert ran.code == 2 and "the gate failed" in ran.stderr, ran.output
    ran = published.cli("agents", "stop", "claude", stdin="no JSON")
    assert ran.code == 0 and json.loads(ran.stdout)["decision"] == "block"


@pytest.mark.req("R010-013")
def test_an_edit_of_what_guards_the_repository_is_told(published: Repo) -> None:
    looser = {".reviewgate-gh.yaml": "version: 1\npolicy: {finding_threshold: none}\n"}
    published.commit({**looser, "a.py": BAD}, approve=False)
    reason = stop(published)["reason"]
    assert "ruff/F821" in reason, "it does not hold for its own change"
    told = "this change edits what guards the repository: .reviewgate-gh.yaml"
    assert f"Tell your user: {told}" in reason
    published.commit({"a.py": "x = 1\n"})
    assert told in stop(published, "two")["systemMessage"]


@pytest.mark.req("R010-013")
def test_what_guards_a_clone_and_was_changed_by_hand_is_told(published: Repo) -> None:
    assert published.cli("hook", "install").code == 0
    published.commit({".reviewgate-gh.yaml": "version: 1\n"})
    assert published.push().code == 0
    assert published.cli("trust").code == 0
    assert stop(published) == {}
    published.file(".git/hooks/pre-push").unlink()
    approvals = published.file(".git/reviewgate-gh/trust.json")
    approvals.write_text(approvals.read_text().replace('"files": [', '"files": [["x", "y"],'))
    said = stop(published)["systemMessage"]
    assert "Claude Code ended an answer while the pre-push hook is not run any more" in said
    assert f"the approvals in {approvals} were changed, and not by this program" in said
    assert stop(published) == {}, "once"
    report = json.loads(published.cli("review", "--output", "json").stdout)
    for words in ("the pre-push hook is not run any more", "the approvals in "):
        assert [note for note in report["notices"] if words in note], words
    audit = published.cli("history", "--audit")
    assert audit.code == 1 and "were changed, and not by this program" in audit.stdout
    # The log keeps what was cleared, too
    assert "attempt" in audit.stdout
    assert published.cli("hook", "install").code == published.cli("trust", "--revoke").code == 0
    assert published.cli("agents", "clear").code == 0
    assert stop(published, "two") == {}
    assert published.cli("hook", "uninstall").code == 0
    assert stop(published, "three") == {}, "whoever removes it by the command means it"


@pytest.mark.req("R010-010", "R010-011")
def test_a_review_that_takes_too_long_is_no_pass(published: Repo, tmp_path: Path) -> None:
    """An agent ends a hook that takes too long, and goes on as if there were none."""
    published.commit({"a.py": "x = 1\n"})
    started = tmp_path / "started"
    slow = tmp_path / "bin/ruff"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\necho $$ > {started}\nexec sleep 600\n")
    slow.chmod(0o755)
    event = {"cwd": str(published.path), "tool_input": {"command": "git push"}}
    env = {"PATH": f"{slow.parent}{os.pathsep}{os.environ['PATH']}"}
    ran = published.cli("agents", "stop", "claude", "--seconds=4", stdin=json.dumps(event), env=env)
    said = json.loads(ran.stdout)
    assert ran.code == 0 and said["decision"] == "block", ran.output
    assert "it took longer than 4 s" in said["reason"]
    ran = published.cli("agents", "tool", "gemini", "--seconds=1", stdin=json.dumps(event), env=env)
    assert ran.code == 2 and "it took longer than 1 s" in ran.stderr, ran.output
    if started.exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int(started.read_text()), 0)
