"""`orchestrate check`: what a run would do here, and what is missing, before anything runs."""

import json

import pytest

from tests.support import Repo

from ..pushing import executable

CONFIG = """\
commands:
  lint: [lint-it, --fast]
remediation:
  fixer: [{fixer}]
validation_triggers:
  session_end:
    commands: [{{ref: lint}}]
    failure_mode: abort
    code_review: {{enabled: true, reviewer_type: ensemble, finding_threshold: P1}}
  run_end: {{commands: [{{ref: {ref}}}]}}
"""


def config(fixer: str = "sh", ref: str = "lint") -> str:
    return CONFIG.format(fixer=fixer, ref=ref)


def checked(repo: Repo, **env: str) -> tuple[int, dict[str, list[tuple[str, str]]]]:
    done = repo.cli("orchestrate", "check", "--output", "json", env=env)
    found: dict[str, list[tuple[str, str]]] = {}
    for row in json.loads(done.stdout)["checks"]:
        found.setdefault(row["name"], []).append((row["state"], row["detail"]))
    return done.code, found


@pytest.mark.contract(plain=False)
def test_without_triggers_nothing_is_on_and_nothing_is_missing(repo: Repo) -> None:
    code, found = checked(repo)
    assert code == 0
    assert {found[f"trigger {name}"][0][1] for name in ("session_end", "run_end")} == {
        "off: it does nothing"
    }
    assert "triggers" not in repo.cli("config", "check").stdout
    assert "trigger session_end" not in repo.cli("doctor").stdout


@pytest.mark.contract(plain=False)
def test_what_is_on_and_what_is_missing(repo: Repo) -> None:
    repo.commit({".reviewgate-gh.yaml": config(fixer="no-such-fixer")})
    repo.file(".git/reviewgate-gh/trust.json").unlink()
    code, found = checked(repo)
    assert code == 4
    assert found["trigger session_end"] == [
        ("missing", "commands not found: lint (lint-it)"),
        ("ok", "review by ensemble; it fails on findings from P1; without an answer: continue"),
    ]
    assert found["reviewer_type ensemble"] == [
        ("missing", "no language model is configured under reviewers")
    ]
    assert found["remediation fixer"] == [("missing", "no-such-fixer was not found")]
    assert found["configuration"][0][0] == "warning" and "trust" in found["configuration"][0][1]
    assert found["trigger epic_completion"] == [("ok", "off: it does nothing")]
    assert "commands of session_end may use the network" in found["network"][0][1]
    assert repo.git("status", "--porcelain") == ""
    shown = repo.cli("orchestrate", "check").stdout
    assert "trigger session_end" in shown and "commands not found" in shown
    assert "triggers: session_end, run_end" in repo.cli("config", "check").stdout
    assert "reviewer_type ensemble" in repo.cli("doctor").stdout


def test_all_is_there_once_it_is_approved(repo: Repo) -> None:
    text = config().replace("    code_review: {enabled: true", "    code_review: {enabled: false")
    repo.commit({".reviewgate-gh.yaml": text})
    executable(repo.path.parent / "bin/lint-it", "exit 0")
    assert repo.cli("trust").code == 0
    code, found = checked(repo, PATH=f"{repo.path.parent / 'bin'}:/usr/bin:/bin")
    assert code == 0, found
    assert found["trigger session_end"] == [("ok", "1 command (lint); a failure: abort")]
    assert found["configuration"] == [("ok", "approved")]
    assert found["remediation fixer"] == [("ok", "sh")]
    repo.write({".reviewgate-gh.yaml": f"# more\n{text}"})
    assert "not committed as it is" in checked(repo)[1]["configuration"][0][1]
    assert checked(repo, CI="true")[1]["commits"][0][0] == "warning"


def test_an_unknown_command_and_a_broken_configuration_are_configuration_errors(repo: Repo) -> None:
    repo.commit({".reviewgate-gh.yaml": config(ref="nothing")})
    code, found = checked(repo)
    assert (code, found["trigger run_end"][0][0]) == (78, "broken")
    assert "unknown command 'nothing'" in found["trigger run_end"][0][1]
    repo.write({".reviewgate-gh.yaml": "validation_triggers: 1\n"})
    code, found = checked(repo)
    assert (code, list(found)) == (78, ["config"])


def test_the_gate_behind_cerberus_is_looked_for(repo: Repo) -> None:
    review = "{enabled: true, reviewer_type: cerberus, baseline: since_run_start}"
    text = f"validation_triggers: {{run_end: {{code_review: {review}}}}}\n"
    repo.commit({".reviewgate-gh.yaml": text})
    code, found = checked(repo)
    assert (code, found["reviewer_type cerberus"][0][0]) == (4, "missing")
    assert "not installed" in found["reviewer_type cerberus"][0][1]
