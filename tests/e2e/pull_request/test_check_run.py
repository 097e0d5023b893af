"""`publish.check_run`: the verdict as a check run on the reviewed commit, once, and never greener
than the gate."""

import json
import re

import pytest

from reviewgate_gh.trust.audit_chain import head_of
from reviewgate_gh.trust.audit_log import load_audit_log
from tests.support import Repo

from .. import publishing

EVIL = "def f(x):\n    return evil(x)\n"
HOSTILE = "# ghp_" + "0a1B2c3D4e5F" * 3 + "\n"
RIGHTS = {"contents": "read", "pull_requests": "write", "checks": "write", "statuses": "read"}


@pytest.fixture
def gate(github, repo: Repo):
    """A pull request whose base asks for a check run; the token is that of a workflow with `checks:
    write`."""

    class Gate(publishing.Gate):
        def open(self, files, **settings):
            self.opened(
                {
                    "version": 1,
                    "publish": {"check_run": True, **settings.pop("publish", {})},
                    **settings,
                },
                files,
            )

        def publish(self, *args: str, token: str = ""):
            return self.published(token or self.token, *args)

        token = github.token(**RIGHTS)

    return Gate(github, repo)


@pytest.mark.parametrize(
    ("files", "settings", "conclusion"),
    [
        ({"a.py": "x = 1\n"}, {}, "success"),
        ({"a.py": EVIL}, {"policy": {"finding_threshold": "P0"}}, "neutral"),
        ({"a.py": EVIL}, {}, "failure"),
        ({"a.py": EVIL}, {"mode": "warn"}, "neutral"),
        ({"a.txt": "0123456789abcdef\n" * 100_000}, {}, "failure"),
        ({"a.txt": "0123456789abcdef\n" * 100_000}, {"mode": "warn"}, "failure"),
    ],
    ids=["pass", "concerns", "block", "block, warn", "inconclusive", "inconclusive, warn"],
)
def test_the_conclusion_follows_the_gate_s_exit_code(gate, files, settings, conclusion):
    gate.open(files, **settings)
    done = gate.publish()
    [run] = gate.runs
    assert done.code == 0 and (run.status, run.conclusion, run.head_sha) == (
        "completed",
        conclusion,
        gate.repo.rev("topic"),
    ), done.output
    assert re.search(rf"{conclusion}, {len(run.annotations)} annotations?\b", done.stderr)


@pytest.mark.contract(plain=False)
def test_it_is_made_once_and_anew_when_the_verdict_is_another(gate):
    gate.open({"a.py": EVIL})
    gate.publish()
    [said] = re.findall(r"ends with `([0-9]+:[0-9a-f]{64})`", gate.runs[0].output["summary"])
    log = load_audit_log(gate.repo.path / ".git")
    assert said in [str(head_of(each)) for each in log.entries if each.kind == "publication"]
    before = len(gate.github.journal.created)
    assert (
        gate.publish().code == 0
        and len(gate.github.journal.created) == before
        and len(gate.runs) == 1
    )
    gate.repo.commit({"a.py": "x = 1\n"})
    gate.pull.push()
    gate.publish()
    assert [(run.conclusion, run.head_sha) for run in gate.runs] == [
        ("failure", gate.repo.rev("topic~1")), ("success", gate.repo.rev("topic"))
    ]  # fmt: skip


def test_every_finding_down_to_p2_is_annotated_where_it_is(gate):
    lines = "".join(f"def f{n}(x):\n    return evil(x + {n})\n\n\n" for n in range(119))
    gate.open({"a.py": lines, "script.sh": "#!/bin/sh\necho $1\n"}, publish={"max_inline": 1})
    done = gate.publish()
    [run] = gate.runs
    told = {
        (each["path"], each["start_line"], each["annotation_level"]) for each in run.annotations
    }
    assert done.code == 0 and len(run.annotations) == len(told) == 119, done.output
    assert {path for path, _line, _level in told} == {"a.py"} and ("a.py", 2, "failure") in told
    assert [
        len(each.json()["output"]["annotations"])
        for each in gate.github.journal.of(path="*/check-runs*")
        if each.body
    ] == [50, 50, 19]


def test_its_texts_hold_no_secret_and_command_nobody(gate):
    name = "@octocat fixes #1.py"
    gate.open({name: EVIL + HOSTILE, "b.py": "x = 1  # \u202e\n"})
    done = gate.publish()
    [run] = gate.runs
    said = json.dumps([run.output, run.annotations], ensure_ascii=False)
    assert done.code == 0 and "ghp_0a1B" not in said and "\u202e" not in said, said
    assert "`@octocat fixes #1.py" in run.output["summary"] and len(run.output["title"]) <= 250
    assert {each["path"] for each in run.annotations} == {name, "b.py"}


@pytest.mark.parametrize("who", ["a person", "a workflow without the permission"])
def test_a_token_that_may_not_is_told_so_and_the_review_stands(gate, who):
    gate.open({"a.py": EVIL})
    token = gate.github.token("grace", **RIGHTS) if who == "a person" else gate.github.token()
    done = gate.publish(token=token)
    assert done.code == 0 and "no check run" in done.stderr, done.output
    assert len(gate.pull.reviews) == 1 and not gate.runs


def test_a_dry_run_only_says_it(gate):
    gate.open({"a.py": EVIL})
    done = gate.publish("--dry-run")
    assert (
        "would create the check run" in done.stderr
        and not gate.runs
        and gate.github.journal.created == []
    ), done.output


def test_without_the_setting_there_is_none(gate):
    gate.open({"a.py": EVIL}, publish={"check_run": False})
    assert gate.publish().code == 0 and not gate.runs


@pytest.mark.parametrize("stored", [True, False], ids=["stored", "not stored"])
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_lost_answer_leaves_one_and_all_of_it(gate, method, stored):
    gate.open(
        {"a.py": "".join(f"def f{n}(x):\n    return evil(x + {n})\n\n\n" for n in range(60))},
        publish={"max_inline": 1},
    )
    gate.github.fault("502", method, "*/check-runs*", nth=1, stored=stored)
    done = gate.publish()
    [run] = gate.runs
    assert done.code == 0 and (run.conclusion, len(run.annotations)) == ("failure", 60), done.output
