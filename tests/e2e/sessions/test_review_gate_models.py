"""`review-gate` with language models behind it: what they are told, and epics."""

import json

import pytest

from tests.e2e import panels
from tests.e2e.gating import gate, sessions, wait
from tests.e2e.panels import nonce


def declare(repo, *servers, **options):
    """A config with an api reviewer for each server, m0 and on."""
    own = [
        {"dialect": "openai", "url": server.url("openai"), "model": f"m{at}", **options}
        for at, server in enumerate(servers)
    ]
    rows = [
        f"  m{at}: {json.dumps({'type': 'api', 'options': each})}" for at, each in enumerate(own)
    ]
    repo.commit(
        {
            ".reviewgate-gh.yaml": "\n".join(
                [
                    "reviewers:",
                    "  linters: off",
                    "  change: off",
                    "  callers: off",
                    "  builtin: {type: builtin}",
                    *rows,
                    "ensemble: {lenses: [correctness]}",
                    "",
                ]
            )
        }
    )


@pytest.mark.req("R001-002", "R001-003")
@pytest.mark.parametrize(
    ("args", "effort"),
    [((), "high"), (("--codex-reasoning", "low"), "low"), (("--mode", "smart"), "medium")],
)
def test_models_are_told_the_context_and_asked_with_the_effort(
    repo, model_server, tmp_path, args, effort
):
    declare(repo, model_server, effort="medium")
    repo.commit({"a.py": panels.CODE})
    model_server.answer = panels.panel()
    (tmp_path / "issue.md").write_text("# Mean of a list\n\nAn empty list has the mean 0.\n")
    done = gate(
        repo,
        "spawn-code-review",
        "--commit",
        "HEAD",
        "--context-file",
        tmp_path / "issue.md",
        *args,
    )
    assert json.loads(done.stdout)["reviewers_spawned"] == ["builtin", "m0"]
    assert wait(repo)[0] == 0
    told = [each for each in model_server.requests if "An empty list has the mean" in each.prompt]
    assert [panels.kind(each) for each in told] == ["Issue fidelity"], (
        "a claim of the author's makes the other reviewers see less"
    )
    assert {panels.kind(each) for each in model_server.requests} > {"Correctness", "audit"}
    assert {asked.json().get("reasoning_effort") for asked in model_server.requests} == {effort}


def verdict(asked, *unmet):
    rows = [
        {"criterion": text, "priority": priority, "met": False} for text, priority in unmet
    ] or [{"criterion": "It is fast", "priority": 1, "met": True}]
    place = {"file": "a.py", "line": 1}
    said = {
        "nonce": nonce(asked),
        "criteria": [{**row, "evidence": [place], "reason": "It is missing."} for row in rows],
        "confidence": 1,
        "reasoning": "Read.",
    }
    return json.dumps(said)


def verified(repo, *args, **more):
    done = gate(repo, "spawn-epic-verify", *args, **more)
    assert done.code == 0, done.output
    return json.loads(done.stdout), *wait(repo)


@pytest.mark.parametrize(
    ("answer", "code", "word", "issues"),
    [
        (lambda asked: verdict(asked), 0, "PASS", []),
        (lambda asked: verdict(asked, ("It is fast", 1)), 1, "FAIL", [("It is fast", 1)]),
        (lambda asked: verdict(asked, ("It is nice", 3)), 1, "NEEDS_WORK", [("It is nice", 3)]),
        (lambda asked: "no verdict", 2, "ERROR", []),
    ],
)
def test_an_epic_is_verified_in_the_words_of_the_contract(
    repo, model_server, tmp_path, answer, code, word, issues
):
    declare(repo, model_server)
    first, _other, last = (
        repo.commit({"a.py": "x = 1\n"}),
        repo.commit({"b.py": "y = 1\n"}),
        repo.commit({"a.py": "x = 2\n"}),
    )
    repo.commit({"c.py": "z = 1\n"})
    (tmp_path / "Epic 7.md").write_text(
        f"# Speed\n\n## Acceptance criteria\n\n- It is fast\n\n- {first}\n- {last}\n"
    )
    model_server.answer = answer
    spawned, ended, said = verified(repo, tmp_path / "Epic 7.md")
    assert spawned["reviewers_spawned"] == ["m0"] and ended == code, said
    assert (
        said["consensus_verdict"]
        == said["consensus"]["verdict"]
        == said["reviewers"]["m0"]["verdict"]
        == word
    )
    assert [(each["title"], each["priority"]) for each in said["aggregated_findings"]] == issues
    assert [bool(said["parse_errors"]), said["session_key"]] == [code == 2, spawned["session_key"]]
    (prompt,) = model_server.prompts
    assert (
        "- It is fast" in prompt
        and "x = 2" in prompt
        and "y = 1" in prompt
        and "z = 1" not in prompt
    )


def test_one_model_of_two_is_enough_to_say_no(repo, model_server, tmp_path):
    declare(repo, model_server, model_server)
    repo.commit({"a.py": "x = 1\n"})
    (tmp_path / "e.md").write_text("- It is fast\n")
    model_server.answer = lambda asked: (
        verdict(asked, ("It is fast", 0)) if asked.json()["model"] == "m1" else verdict(asked)
    )
    spawned, ended, said = verified(
        repo, tmp_path / "e.md", "--commit", "HEAD", env={"CLAUDE_SESSION_ID": "E-1"}
    )
    assert spawned["reviewers_spawned"] == ["m0", "m1"] and ended == 1
    assert {name: row["verdict"] for name, row in said["reviewers"].items()} == {
        "m0": "PASS",
        "m1": "FAIL",
    }
    assert [each["reviewer"] for each in said["issues"]] == ["m1"] and wait(
        repo, "--session-id", "E-1"
    )[0] == 1


def test_without_models_nobody_verifies_an_epic(repo, tmp_path):
    (tmp_path / "e.md").write_text("- It is fast\n")
    spawned, ended, said = verified(repo, tmp_path / "e.md", "--uncommitted")
    assert spawned["reviewers_spawned"] == [] and ended == 4 and said["status"] == "no_reviewers"


def test_the_work_tree_is_verified_as_it_was_when_it_was_spawned(repo, model_server, tmp_path):
    declare(repo, model_server)
    repo.write({"a.py": "x = 'spawned'\n"})
    (tmp_path / "e.md").write_text("- It is fast\n")
    model_server.answer = verdict
    model_server.latency = 0.5
    assert gate(repo, "spawn-epic-verify", tmp_path / "e.md", "--uncommitted").code == 0
    repo.write({"a.py": "x = 'later'\n"})
    assert (
        wait(repo)[0] == 0
        and "'spawned'" in model_server.prompts[0]
        and "'later'" not in model_server.prompts[0]
    )


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["none.md"],
        ["empty.md", "--uncommitted"],
        ["e.md"],
        ["e.md", "A..B", "--uncommitted"],
        ["e.md", "--mode", "x"],
    ],
)
def test_wrong_usage_spawns_nothing(repo, args):
    repo.write({"e.md": "no commit is named\n", "empty.md": " \n"})
    done = gate(repo, "spawn-epic-verify", *args)
    assert done.code == 2 and done.stdout == "" and sessions(repo) == [], done.output


def test_what_cannot_be_verified_is_not_spawned(repo):
    repo.write({"e.md": f"- {'ab' * 20}\n"})
    done = gate(repo, "spawn-epic-verify", "e.md")
    assert done.code == 1 and "is not a commit here" in done.stderr and sessions(repo) == []
    assert (
        gate(repo, "spawn-epic-verify", "--help").code == 0
        and "--commit" in gate(repo, "spawn-epic-verify", "--help").stdout
    )
    assert (
        gate(
            repo, "spawn-epic-verify", "e.md", "--uncommitted", env={"REVIEWGATE_GH_INSIDE": "gate"}
        ).code
        == 1
    )
