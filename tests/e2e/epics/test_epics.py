"""An epic verified by each verifier, on real repositories: who is asked about what, what is told,
and what a failure leaves behind."""

import json
import os
from pathlib import Path

import pytest
import yaml

from reviewgate_gh.epics.verify import verify_completed_epic
from reviewgate_gh.git import open_repository
from reviewgate_gh.orchestrate.run_store import open_run_store
from reviewgate_gh.orchestrate.trigger_context import TriggerOptions, open_trigger_context
from reviewgate_gh.system.environment import Environment
from tests.e2e.panels import nonce
from tests.peers.gates import FakeGate, install_gate, register
from tests.support import Ran, Repo

DIALECTS = pytest.mark.parametrize("dialect", ["spec", "v1"])
ISSUE = {
    "file": "a.py",
    "line_start": 1,
    "line_end": 1,
    "priority": 1,
    "title": "It is not fast",
    "body": "See.",
    "reviewer": "codex",
}


def verify(repo: Repo, *args: str, env: dict[str, str] | None = None) -> tuple[Ran, dict]:
    """The verb as the command line has it, and what it says as data."""
    done = repo.cli("orchestrate", "verify-epic", *args, "--output", "json", env=env)
    return done, json.loads(done.stdout) if done.stdout else {}


def events(done: Ran) -> list[str]:
    """The events of an epic, as they are told on standard error."""
    rows = [
        line.partition("epic_verification_")[2]
        for line in done.stderr.splitlines()
        if " epic_verification_" in line
    ]
    return [" ".join(word.rpartition("=")[2] for word in row.split()) for row in rows]


def issues(repo: Repo) -> list[dict]:
    rows = [
        json.loads(row)
        for row in repo.file(".git/reviewgate-gh/issues.jsonl").read_text().splitlines()
    ]
    return [row for row in rows if "epic_verification" in row.get("notes", "")]


def configure(repo: Repo, more: dict | None = None, **own) -> None:
    repo.commit(
        {".reviewgate-gh.yaml": yaml.safe_dump({"epic_verification": own, **(more or {})})},
        "config",
    )


@pytest.fixture
def repo(repo):
    """An epic with two closed issues, and their commits with others around them."""
    rows = [
        {
            "id": "E",
            "title": "Speed",
            "status": "open",
            "description": "Make it fast.",
            "acceptance_criteria": "- it is fast",
        },
        {"id": "E.1", "title": "One", "status": "closed"},
        {"id": "E.2", "title": "Two", "status": "closed"},
        {"id": "F", "title": "Later", "status": "open"},
        {"id": "F.1", "title": "Open", "status": "open"},
    ]
    repo.write({".git/reviewgate-gh/issues.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    return repo


def work(repo: Repo) -> list[str]:
    """The commits of the epic's issues, oldest first."""
    first = repo.commit({"a.py": "x = 1\n"}, "bd-E.1: one")
    repo.commit({"other.py": "y = 1\n"}, "bd-F.1: not this epic\n\nbd-E.1: a body is no subject")
    return [first, repo.commit({"a.py": "x = 2\n"}, "bd-E.2: two")]


@pytest.fixture
def gate(repo, tmp_path, request) -> FakeGate:
    """A gate of the test's dialect, which this repository's epics are verified by."""
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    configure(
        repo,
        reviewer_type="cerberus",
        max_retries=1,
        cerberus={"timeout": 77, "env": {"MY_NAME": "x"}},
    )
    return install_gate(tmp_path / "plugin", request.getfixturevalue("dialect"))


@pytest.mark.contract(plain=False)
@pytest.mark.req("R002-002", "R002-012", "R002-029", "R002-030", "R002-031", "R002-033", "R002-043")
@DIALECTS
def test_the_gate_is_given_the_epic_and_its_commits(repo, gate, dialect):
    commits = work(repo)
    done, said = verify(repo, "E")
    assert done.code == 0 and said["passed"] and said["verdict"]["confidence"] == 1.0, done.output
    assert events(done) == ["started E cerberus 1", "passed E cerberus 1"]
    (spawn,), (wait,) = gate.called("spawn-epic-verify"), gate.called("wait")
    file = spawn[0]
    assert (
        file.endswith("E.md")
        and not Path(file).exists()
        and spawn[1:] == (["--commit", *commits] if dialect == "spec" else [])
    )
    calls = [call for call in gate.calls if "--help" not in call["argv"]]
    (text,) = {text for call in calls for text in call["files"].values()}
    assert text.startswith("# Speed\n\nMake it fast.\n\n## Acceptance criteria\n\n- it is fast\n")
    assert [row for row in text.splitlines() if row in {f"- {oid}" for oid in commits}] == [
        f"- {oid}" for oid in commits
    ]
    (session,) = {call["env"]["CLAUDE_SESSION_ID"] for call in calls}
    assert session.startswith("E-") and len(session) == len("E-") + 12 and int(session[2:], 16) >= 0
    assert wait[-2:] == ["--timeout", "77"] and all(call["env"]["MY_NAME"] == "x" for call in calls)
    assert gate.alive == []


@pytest.mark.req("R002-033", "R002-059", "R002-038")
@DIALECTS
def test_each_attempt_has_a_session_of_its_own(repo, gate, dialect):
    work(repo)
    gate.plan(verdict=None, status="timeout")
    done, said = verify(repo, "E")
    assert (
        done.code == 3
        and said["failure_reason"] == "timeout"
        and said["attempts"] == 2
        and not said["aborts"]
    )
    assert events(done) == [
        "started E cerberus 1", "failed E cerberus 1 timeout", "started E cerberus 2",
        "failed E cerberus 2 timeout",
        "failed E cerberus 2 max_retries_exceeded",
    ]  # fmt: skip
    sessions = {
        call["env"]["CLAUDE_SESSION_ID"] for call in gate.calls if call["argv"][0] == "wait"
    }
    assert len(sessions) == 2


@pytest.mark.req("R002-065", "R002-066", "R002-063", "R002-062")
@DIALECTS
@pytest.mark.parametrize("mode", ["continue", "remediate", "abort"])
def test_what_is_missing_is_in_the_tracker_before_the_run_ends(repo, gate, mode, dialect):
    configure(repo, reviewer_type="cerberus", failure_mode=mode)
    work(repo)
    gate.plan(findings=[ISSUE, {**ISSUE, "title": "Document it", "priority": 3}])
    (first, _said), (done, said) = verify(repo, "E"), verify(repo, "E")
    assert (
        first.code == done.code == 1
        and said["failure_reason"] == "verdict_fail"
        and said["aborts"] == (mode == "abort")
    ), done.output
    made = issues(repo)
    assert [(row["title"], row["priority"],
        row["dependencies"][0]["depends_on_id"]) for row in made] == [
        ("Not met: It is not fast", 1, "E"), ("Not met: Document it", 3, "E"),
    ]  # fmt: skip
    assert "epic-remediation" in made[0]["labels"] and "epic-advisory" in made[1]["labels"]
    assert (
        first.stderr.index("issues (local): 2 new") > first.stderr.index("verdict_fail")
        and "issues (local)" not in done.stderr
    )
    assert [
        row["status"]
        for row in map(json.loads, repo.file(".git/reviewgate-gh/issues.jsonl").open())
        if row["id"] == "E"
    ] == ["open"]


@pytest.mark.contract(plain=[])
@pytest.mark.req("R002-028", "R002-062", "R002-063", "R002-064")
@pytest.mark.parametrize("dialect", ["v1"])
@pytest.mark.parametrize(
    ("mode", "aborts", "made"),
    [("continue", False, 0), ("remediate", False, 1), ("abort", True, 0)],
)
def test_without_a_verdict_the_failure_mode_decides(repo, gate, mode, aborts, made, dialect):
    configure(repo, reviewer_type="cerberus", failure_mode=mode, max_retries=0)
    work(repo)
    gate.plan(wait={"code": 2, "out": "{"})
    done, said = verify(repo, "E")
    assert done.code == 2 and said["failure_reason"] == "parse_error" and said["aborts"] is aborts
    assert len(issues(repo)) == made and "the epic E is not verified" in done.stderr


@pytest.mark.req(
    "R002-041",
    "R002-042",
    "R002-044",
    "R002-045",
    "R002-049",
    "R002-050",
    "R002-052",
    "R002-053",
    "R002-079",
)
@pytest.mark.parametrize("mode", ["abort", "continue", "remediate"])
@pytest.mark.parametrize("broken", ["no entry", "no file", "not executable"])
def test_a_gate_that_is_not_there_ends_the_run_whatever_the_mode(repo, tmp_path, mode, broken):
    configure(repo, reviewer_type="cerberus", failure_mode=mode)
    work(repo)
    if broken != "no entry":
        register(Path(os.environ["HOME"]), tmp_path / "plugin")
    if broken == "not executable":
        install_gate(tmp_path / "plugin", "v1").program.chmod(0o644)
    done, said = verify(repo, "E")
    assert (
        done.code == 4
        and said["aborts"]
        and said["attempts"] == 0
        and events(done) == ["failed E cerberus 1 cerberus_unavailable"]
    )
    assert (
        said["message"].startswith("Cerberus is required")
        and "Install the Cerberus plugin or use reviewer_type: agent_sdk." in said["message"]
    )
    assert issues(repo) == []


@pytest.mark.req("R002-046", "R002-047", "R002-048", "R002-049", "R002-085", "R002-086", "R002-067")
@DIALECTS
def test_a_gate_that_is_too_old_is_no_gate(repo, gate, dialect):
    work(repo)
    gate.plan(
        **{"help-spawn-epic-verify": {"code": 2, "out": "", "err": "unknown command " + "x" * 500}}
    )
    done, said = verify(repo, "E")
    assert (
        done.code == 4
        and events(done) == ["failed E cerberus 1 cerberus_unavailable"]
        and gate.called("spawn-epic-verify") == []
    )
    message = said["message"]
    assert (
        message.startswith(
            "Cerberus plugin does not support epic verification: unknown command xxx"
        )
        and message.count("x" * 180) == 1
    )
    assert (
        "x" * 200 not in message
        and "or use reviewer_type: agent_sdk." in message
        and "Update plugin" in message
    )


@pytest.mark.req("R002-051", "R002-052", "R002-049")
@pytest.mark.parametrize("dialect", ["v1"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\nexit 3\n", "exit 3"),
        ("#!/bin/sh\nkill -9 $$\n", "exit -9"),
        ("#!/no/such/shell\n", "cannot run"),
        ("\x7fELF is what it is not", "cannot run"),
    ],
)
def test_a_gate_that_is_there_and_fails_is_said_to_be_required(repo, gate, text, said, dialect):
    gate.program.write_text(text)
    work(repo)
    done, told = verify(repo, "E")
    assert (
        done.code == 4
        and events(done) == ["failed E cerberus 1 cerberus_unavailable"]
        and gate.calls == []
    ), done.output
    assert (
        "Cerberus is required" in told["message"]
        and said in told["message"]
        and "reviewer_type: agent_sdk" in told["message"]
    )


@pytest.mark.req("R002-032")
@pytest.mark.parametrize("dialect", ["spec"])
def test_without_commits_of_its_issues_it_is_what_the_run_has_made_else_the_work_tree(
    repo, gate, dialect
):
    assert verify(repo, "E")[0].code == 0
    assert gate.called("spawn-epic-verify")[-1][1:] == ["--uncommitted"]
    assert repo.cli("orchestrate", "start", "--issues", "E.1").code == 0
    start, head = repo.head, repo.commit({"b.py": "z = 1\n"}, "no issue is named")
    assert verify(repo, "E")[0].code == 0
    assert gate.called("spawn-epic-verify")[-1][1:] == [f"{start}..{head}"]


@pytest.mark.req("R002-021", "R002-019")
@pytest.mark.parametrize("dialect", ["v1"])
def test_an_epic_with_an_open_issue_is_not_verified(repo, gate, dialect):
    done, said = verify(repo, "F")
    assert (
        done.code == 2
        and said["skipped"] == "issues still open: F.1 (1 of 1)"
        and events(done) == []
        and gate.calls == []
    )
    done, said = verify(repo, "E.1")
    assert said["skipped"] == "it has no issues" and gate.calls == []
    done, _said = verify(repo, "nowhere")
    assert done.code == 64 and "has no epic nowhere" in done.stderr
    configure(repo, enabled=False)
    assert verify(repo, "E")[1]["skipped"] == "epic_verification.enabled is false"


def verdict(asked, *unmet: str, rows: list[dict] | None = None, **more) -> str:
    """What a model answers: these criteria are not met, or else one that is."""
    named = rows or [
        {"criterion": text, "priority": 1, "reason": "It is missing."} for text in unmet
    ]
    table = [{"evidence": [], "met": False, **each} for each in named] or [MET]
    said = {"nonce": nonce(asked), "criteria": table, "confidence": 0.75, "reasoning": "Read."}
    return json.dumps({**said, **more})


MET = {
    "criterion": "it is fast",
    "evidence": [{"file": "a.py", "line": 1}],
    "reason": "It is.",
    "met": True,
    "priority": 1,
}


def by_models(repo: Repo, **servers) -> None:
    options = {
        name: {"dialect": "openai", "url": server.url("openai"), "model": name}
        for name, server in servers.items()
    }
    entries = {name: {"type": "api", "options": own} for name, own in options.items()}
    configure(
        repo,
        {
            "reviewers": {
                "linters": False,
                "change": False,
                "callers": False,
                "builtin": {"type": "builtin"},
                **entries,
            }
        },
        reviewer_type="ensemble",
        max_retries=1,
    )


@pytest.mark.contract(plain=False)
@pytest.mark.req("R002-022", "R002-027", "R002-068")
def test_the_declared_models_verify_an_epic_together(repo, model_server):
    by_models(repo, one=model_server, two=model_server)
    work(repo)
    model_server.answer = verdict
    done, said = verify(repo, "E")
    assert (
        done.code == 0
        and said["passed"]
        and events(done) == ["started E ensemble 1", "passed E ensemble 1"]
    ), done.output
    asked = [each.prompt for each in model_server.requests]
    assert len(asked) == 2 and all(
        "- it is fast" in text and "x = 2" in text and "other.py" in text for text in asked
    )
    model_server.answer = lambda asked: (
        verdict(asked, "it is fast") if "two" in asked.body.decode() else verdict(asked)
    )
    done, said = verify(repo, "E")
    assert done.code == 1 and [each["criterion"] for each in said["verdict"]["unmet_criteria"]] == [
        "it is fast"
    ]
    assert said["verdict"]["confidence"] == 0.5 and [row["title"] for row in issues(repo)] == [
        "Not met: it is fast"
    ]


def test_documents_that_the_epic_or_its_issues_name_are_sent_as_they_were(repo, model_server):
    by_models(repo, one=model_server)
    secret = "AKIA" + "Z3MSJQ7LX2WPN5TB"
    config = repo.file(".reviewgate-gh.yaml").read_text()
    files = {
        "docs/speed.md": f"At most 3 s.\nkey {secret}\n",
        "docs/more.txt": "It is green.\n",
        "private/p.md": "hush\n",
    }
    repo.commit({**files, ".reviewgate-gh.yaml": config + "policy: {denied_paths: [private/]}\n"})
    rows = [json.loads(row) for row in repo.file(".git/reviewgate-gh/issues.jsonl").open()]
    rows[0]["description"] = "See [the spec](docs/speed.md#limits), `private/p.md` and no/file.md."
    rows[1]["description"] = "As ./docs/more.txt."
    repo.write({".git/reviewgate-gh/issues.jsonl": "".join(json.dumps(r) + "\n" for r in rows)})
    work(repo)
    repo.commit({"docs/speed.md": "At most 9 s.\n"}, "bd-E.2: a weaker spec")
    model_server.answer = lambda asked: verdict(asked, rows=[{**MET, "evidence": [SPEC]}])
    done, said = verify(repo, "E")
    (asked,) = [each.prompt for each in model_server.requests]
    assert "Document docs/speed.md, as it was before the change:" in asked
    assert "\n     1 | At most 3 s." in asked and "\n     1 | It is green." in asked
    assert secret not in asked and "hush" not in asked
    assert "Document private/p.md, not shown (policy.denied_paths)" in asked
    # A document that is not changed shows nothing of the code
    assert done.code == 1 and said["criteria"][0]["met"] is False, done.output


SPEC = {"file": "docs/more.txt", "line": 1}


@pytest.mark.req("R002-057", "R002-061")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda asked: "no JSON", "parse_error"),
        (lambda asked: verdict(asked, nonce="0" * 32), "parse_error"),
        (lambda asked: verdict(asked, "x", passed=True), "parse_error"),
    ],
)
def test_a_model_that_gives_no_verdict_passes_nothing(repo, model_server, answer, reason):
    by_models(repo, one=model_server)
    work(repo)
    model_server.answer = answer
    done, said = verify(repo, "E")
    assert (
        done.code == 2
        and said["failure_reason"] == reason
        and not said["passed"]
        and said["attempts"] == 2
    )
    assert "the same parse error twice" in done.stderr and "max_retries_exceeded" not in done.stderr


def test_an_epic_that_is_more_than_models_are_shown_is_not_passed(repo, model_server):
    by_models(repo, one=model_server)
    config = yaml.safe_load(repo.file(".reviewgate-gh.yaml").read_text())
    repo.commit(
        {".reviewgate-gh.yaml": yaml.safe_dump({**config, "ensemble": {"context_tokens": 1000}})}
    )
    repo.commit({"big.txt": "word " * 9999 + "\n"}, "bd-E.1: much")
    model_server.answer = verdict
    done, said = verify(repo, "E")
    assert (
        done.code == 2
        and said["failure_reason"] == "execution_error"
        and "cannot be shown to models in full" in said["message"]
    )
    assert model_server.requests == []


@pytest.mark.req("R002-003", "R002-004", "R002-084")
@pytest.mark.parametrize("own", [{}, {"reviewer_type": "agent_sdk"}])
def test_without_the_sdk_its_verifier_gives_no_verdict_and_no_other_takes_its_place(
    repo, model_server, own
):
    options = {"dialect": "openai", "url": model_server.url("openai"), "model": "one"}
    configure(
        repo,
        {
            "reviewers": {
                "linters": False,
                "change": False,
                "callers": False,
                "builtin": False,
                "one": {"type": "api", "options": options},
                "sdk": {"type": "agent_sdk", "options": {"path": "/no/claude"}},
            }
        },
        **own,
    )
    work(repo)
    done, said = verify(repo, "E")
    assert (
        done.code == 78
        and said["reviewer_type"] == "agent_sdk"
        and said["failure_reason"] == "config_error"
        and said["attempts"] == 0
    ), done.output
    assert (
        "sdk: " in said["message"]
        and "reviewer_type" in said["message"]
        and model_server.requests == []
        and events(done) == ["failed E agent_sdk 1 config_error"]
    )


@pytest.mark.req("R002-057")
@pytest.mark.parametrize("key", ["", "NO_SUCH_KEY"], ids=["no model", "a model without its key"])
def test_an_ensemble_that_cannot_be_asked_is_a_config_error_at_once(repo, model_server, key):
    options = {"dialect": "openai", "url": model_server.url("openai"), "model": "one", "key": key}
    models = {"one": {"type": "api", "options": options}} if key else {}
    configure(
        repo,
        {"reviewers": {"linters": False, "builtin": {"type": "builtin"}, **models}},
        reviewer_type="ensemble",
    )
    work(repo)
    done, said = verify(repo, "E")
    assert (done.code, said["attempts"], said["aborts"]) == (78, 0, True), done.output
    assert (key or "no language model is configured") in said["message"]
    assert model_server.requests == [] and events(done) == ["failed E ensemble 1 config_error"]


def test_on_a_terminal_it_is_a_few_lines(repo, tmp_path):
    gate = install_gate(tmp_path / "plugin", "v1")
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    configure(repo, reviewer_type="cerberus")
    work(repo)
    gate.plan(findings=[ISSUE])
    done = repo.cli("orchestrate", "verify-epic", "E")
    head = "epic E: 1 criterion is not met, according to cerberus (confidence 1.00)\n"
    assert done.stdout == head + "  P1 It is not fast\n     See.\n     \n     At a.py:1\n"


@pytest.mark.parametrize("dialect", ["v1"])
def test_at_the_completion_of_an_epic_what_cannot_be_verified_is_told_and_is_no_error(
    repo, gate, dialect
):
    git, told = open_repository(repo.path, os.environ), []
    engine = open_trigger_context(
        git,
        Environment(dict(os.environ), repo.path),
        open_run_store(git),
        TriggerOptions(),
        told.append,
    )
    assert verify_completed_epic(engine, "E").passed and not told[-1].name.startswith("the epic")
    for name, why in (("nowhere", "has no epic nowhere"), ("F", "still open")):
        result = verify_completed_epic(engine, name)
        assert (
            why in result.skipped
            and not result.aborts
            and not result.passed
            and why in told[-1].name
            and told[-1].level == "WARN"
        )


@pytest.mark.parametrize("dialect", ["v1"])
@pytest.mark.parametrize(("mode", "code", "reviewed"), [("abort", 1, False), ("continue", 0, True)])
def test_an_epic_is_verified_before_the_review_of_its_completion(
    repo, gate, dialect, mode, code, reviewed
):
    review = {"enabled": True, "reviewer_type": "ensemble", "baseline": "since_run_start"}
    trigger = {
        "epic_depth": "all",
        "fire_on": "both",
        "failure_mode": "continue",
        "code_review": review,
    }
    own = {"reviewer_type": "cerberus", "failure_mode": mode}
    configure(repo, {"validation_triggers": {"epic_completion": trigger}}, **own)
    assert repo.cli("orchestrate", "start").code == 0
    work(repo)
    gate.plan(findings=[ISSUE])
    done = repo.cli("orchestrate", "trigger", "epic_completion", "--epic", "E")
    assert done.code == code and "epic_verification_failed" in done.stderr, done.output
    assert ("Review started trigger_type=epic_completion" in done.stderr) == reviewed, done.output
    assert [issue["title"] for issue in issues(repo)] != []


@DIALECTS
@pytest.mark.parametrize(("denied", "code"), [("a.py", None), ("gone.py", None), ("elsewhere/", 0)])
def test_an_epic_that_touches_what_is_denied_is_not_shown_to_a_gate(
    repo, gate, dialect, denied, code
):
    """Not a file, either, that one commit added and a later one took out again."""
    configure(repo, {"policy": {"denied_paths": [denied]}}, reviewer_type="cerberus")
    repo.commit({"gone.py": "x = 1\n"}, "bd-E.1: one")
    repo.commit({"gone.py": None, "a.py": "x = 2\n"}, "bd-E.2: two")
    done, said = verify(repo, "E")
    assert bool(gate.called("spawn-epic-verify")) == (code == 0) and (done.code == 0) == (
        code == 0
    ), done.output
    assert code == 0 or (
        "policy.denied_paths" in done.stderr and said["failure_reason"] == "config_error"
    ), said


@pytest.mark.req("R002-004", "R002-005", "R002-019")
@pytest.mark.parametrize(
    "own", [None, {}, {"enabled": False}], ids=["no section", "an empty one", "switched off"]
)
def test_a_completed_epic_is_verified_unless_that_is_switched_off(repo, own):
    """No section and an empty one mean the defaults that `config show` prints: the agent SDK. It is
    not there, which ends the run of those who wrote the section; the others are told."""
    trigger = {
        "code_review": {"enabled": True, "reviewer_type": "ensemble", "baseline": "since_run_start"}
    }
    tree = {
        "validation_triggers": {"epic_completion": trigger},
        **({} if own is None else {"epic_verification": own}),
    }
    tree["reviewers"] = {
        "builtin": {"type": "builtin"},
        "sdk": {"type": "agent_sdk", "options": {"path": "/no/claude"}},
    }
    repo.commit({".reviewgate-gh.yaml": yaml.safe_dump(tree)}, "config")
    assert repo.cli("orchestrate", "start").code == 0
    work(repo)
    fired = repo.cli("orchestrate", "trigger", "epic_completion", "--epic", "E")
    off, goes_on = own == {"enabled": False}, own != {}
    reviewed = "Review started trigger_type=epic_completion" in fired.stderr
    assert (fired.code, reviewed) == ((0, True) if goes_on else (78, False)), fired.output
    assert events(fired)[:1] == ([] if off else ["failed E agent_sdk 1 config_error"]), fired.output
    assert ("is not verified: " in fired.stdout) != off, fired.output
    done, said = verify(repo, "E")
    assert done.code == (2 if off else 78), done.output
    assert (said["skipped"] == "epic_verification.enabled is false") == off
