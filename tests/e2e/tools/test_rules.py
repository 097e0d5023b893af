"""Rules of one's own: listed, tested, and run as the trusted side has them."""

import json

import pytest

from ...support import Repo

FOLDER = ".reviewgate-gh/rules"
RULE = """\
id: no-print
language: go
severity: error
message: No printing here
note: Use the log.
rule: {pattern: println($A)}
fix: log($A)
metadata: {valid: ["log(1)"], invalid: ["println(1)"]}
"""
GO = "package a\n\nfunc f() {\n%s}\n"


def findings(repo: Repo, **env: str):
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env=env)
    report = json.loads(done.stdout)
    return done.code, [f for f in report["findings"] if f["rule"].startswith("rules/")], report


@pytest.fixture
def ruled(repo: Repo) -> Repo:
    repo.commit({f"{FOLDER}/a.yml": RULE, "old.go": GO % "\tprintln(0)\n"})
    return repo


def test_a_rule_finds_what_is_new_with_its_words_and_fix(ruled: Repo) -> None:
    ruled.commit({"old.go": GO % "\tprintln(0)\n\tprintln(1) // why\n"})
    code, [found], report = findings(ruled)
    assert (code, found["priority"], found["title"], found["body"]) == (
        1, "P1", "No printing here", "Use the log."
    )  # fmt: skip
    assert (found["rule"], found["line_start"]) == ("rules/no-print", 5)
    assert found["suggestion"] == "\tlog(1) // why"
    # The project's own rules are no review of the language
    assert [row["how"] for row in report["coverage"]["rows"]] == ["parsed"]


def test_a_change_cannot_touch_the_rules_that_judge_it(ruled: Repo) -> None:
    other = RULE.replace("no-print", "other").replace("println", "other")
    files = {
        f"{FOLDER}/a.yml": None,
        f"{FOLDER}/b.yml": other,
        "b.go": GO % "\tprintln(1)\n\tother(1)\n",
    }
    ruled.commit(files, approve=False)
    _code, found, report = findings(ruled)
    assert [f["rule"] for f in found] == ["rules/no-print"]
    rules = {f["path"] for f in report["findings"] if f["rule"] == "builtin/gate-config"}
    assert rules == {f"{FOLDER}/a.yml", f"{FOLDER}/b.yml"}


def test_a_comment_that_the_change_adds_silences_no_rule(ruled: Repo) -> None:
    ruled.commit({"b.go": GO % "\t// ast-grep-ignore\n\tprintln(1)\n"})
    code, found, _report = findings(ruled, CI="true")
    assert (code, [f["state"] for f in found]) == (1, ["open"])


@pytest.mark.parametrize("wrong", ["id: x\nlanguage: klingon\nrule: {kind: q}\n", "{"])
def test_rules_that_cannot_run_are_no_pass(ruled: Repo, wrong: str) -> None:
    ruled.commit({f"{FOLDER}/wrong.yml": wrong})
    ruled.commit({"b.go": GO % ""})
    code, _found, report = findings(ruled)
    assert (code, report["verdict"]["outcome"]) == (2, "inconclusive")
    assert "linters/rules" in report["verdict"]["reasons"][0]


@pytest.mark.contract
def test_rules_are_listed_and_tested(ruled: Repo) -> None:
    done = ruled.cli("rules", "list")
    assert done.code == 0 and done.stdout.split("\n")[1].split() == [
        "no-print", "P1", "go", f"{FOLDER}/a.yml", "No", "printing", "here"
    ]  # fmt: skip
    assert f"# rule no-print: P1  # {FOLDER}/a.yml" in ruled.cli("config", "show").stdout
    done = ruled.cli("rules", "test")
    assert (done.code, done.stdout) == (0, "2 snippets, 0 failed\n")
    ruled.write({f"{FOLDER}/tests/a.yml": 'id: no-print\nvalid: ["println(2)"]\ninvalid: [x]\n'})
    done = ruled.cli("rules", "test")
    assert (done.code, done.stdout.splitlines()) == (
        1,
        [
            "no-print: valid: it finds something here: println(2)",
            "no-print: invalid: it finds nothing here: x",
            "4 snippets, 2 failed",
        ],
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "not YAML"),
        ("id: a\n", "a rule without 'language'"),
        ("- a\n", "a rule is a mapping"),
        (f"{RULE}---\nid: b\nlanguage: go\nrule: {{}}\n", "a rule without 'rule'"),
    ],
)
def test_a_file_that_holds_no_rule_is_named(repo: Repo, text: str, said: str) -> None:
    repo.write({f"{FOLDER}/a.yml": text})
    done = repo.cli("rules", "test")
    assert done.code == 78 and f"{FOLDER}/a.yml" in done.output and said in done.output
