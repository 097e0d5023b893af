"""Runs of the bench in this process: a budget, broken cases, kept results, and whose settings
count."""

import json
import os
from pathlib import Path

import pytest

from reviewgate_gh.model.errors import ConfigError, NoReviewers, UsageError
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.tools.bench.results import CaseStatus, read_results
from reviewgate_gh.tools.bench.run import BenchRun, run_bench
from reviewgate_gh.tools.bench.score import summarise
from reviewgate_gh.tools.bench.setup import BenchOptions
from tests.e2e.panels import claim, declared, panel
from tests.peers.model_server import ModelServer, Say, Spoken

from .cases import CODE, DIVISION, add_case, write

QUICK = "linters: {ruff: {enabled: false}}"
SHORT = (
    f"ensemble: {{lenses: [correctness], verify: false, reverse_audit: {{max_rounds: 0}}}}\n{QUICK}"
)


def bench(tmp_path: Path, **more) -> BenchRun:
    options = {"dataset": Path("cases"), "config": Path("config.yaml"), **more}
    if not (tmp_path / "config.yaml").exists():
        write(tmp_path, {"config.yaml": QUICK})
    environment = Environment(dict(os.environ), tmp_path)
    return run_bench(BenchOptions(**options), environment)


@pytest.mark.contract(plain=False)
def test_no_question_is_asked_beyond_the_budget_and_the_next_run_goes_on(
    tmp_path: Path, model_server: ModelServer
) -> None:
    for name in ("one", "two", "three"):
        add_case(tmp_path / "cases" / name, [DIVISION], {"a.py": CODE})
    said = panel(lambda what: [claim()])
    model_server.answer = lambda asked: Spoken(said(asked), output=4000)
    price = {"input": 1000, "output": 1000}
    write(tmp_path, {"config.yaml": declared({"one": model_server}, SHORT, price=price)})
    most = 8.0  # dollars: one question is expected to cost more than half of that
    done = bench(tmp_path, budget=most)
    assert [each.case for each in done.results] == ["one"] and done.not_begun == 2
    assert len(model_server.requests) == 1
    assert [each.case for each in read_results(done.path).cases] == ["one"]
    whole = bench(tmp_path)
    assert [each.case for each in whole.results] == ["one", "three", "two"]
    assert whole.kept == 1 and len(model_server.requests) == 3
    assert summarise(whole.results).gate.right == 3


def test_a_case_that_breaks_is_no_silence_and_is_tried_again(tmp_path: Path) -> None:
    add_case(tmp_path / "cases/good", [], {"a.py": "X = 1\n"})
    wrong = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n"
    write(tmp_path, {"cases/bad/case.yaml": "expected: []", "cases/bad/change.patch": wrong})
    done = bench(tmp_path, jobs=2)
    bad, good = done.results
    assert bad.status is CaseStatus.BROKEN and "line 3 of the patch" in bad.reason
    assert good.status is CaseStatus.REVIEWED
    gate = summarise(done.results).gate
    assert (gate.cases, gate.unanswered, gate.clean, gate.silent) == (1, 1, 1, 1)
    right = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"
    write(tmp_path, {"cases/bad/change.patch": right})
    again = bench(tmp_path)
    assert again.kept == 1 and {each.status for each in again.results} == {CaseStatus.REVIEWED}


@pytest.mark.contract(plain=False)
def test_a_block_without_one_of_the_reviewers_is_inconclusive_and_tried_again(
    tmp_path: Path, model_server: ModelServer
) -> None:
    conflict = "<<<<<<< ours\nX = 1\n=======\nX = 2\n>>>>>>> theirs\n"
    add_case(tmp_path / "cases/one", [{"path": "a.py", "lines": 1}], {"a.py": conflict})
    model_server.answer = Say(401, {"error": {"message": "who are you"}})
    write(tmp_path, {"config.yaml": declared({"one": model_server}, SHORT)})
    [first] = bench(tmp_path).results
    assert first.status is CaseStatus.INCONCLUSIVE and first.reason.startswith("one: ")
    summary = summarise([first])
    assert (summary.gate.cases, summary.reviewers["builtin"].right) == (0, 1)
    model_server.answer = panel()
    again = bench(tmp_path)
    assert again.kept == 0 and again.results[0].status is CaseStatus.REVIEWED


@pytest.mark.contract(plain=False)
def test_a_case_that_has_changed_is_reviewed_again_and_damaged_lines_count_for_nothing(
    tmp_path: Path,
) -> None:
    for name in ("one", "two"):
        add_case(tmp_path / "cases" / name, [], {"a.py": "X = 1\n"})
    done = bench(tmp_path)
    lines = done.path.read_bytes().splitlines(keepends=True)
    done.path.write_bytes(b"".join(lines[:2]) + lines[2][: len(lines[2]) // 2])
    assert [each.case for each in read_results(done.path).cases] == ["one"]
    assert read_results(done.path).damaged == 1
    assert bench(tmp_path).kept == 1
    assert read_results(done.path).damaged == 0
    add_case(tmp_path / "cases/one", [], {"a.py": "X = 2\n"})
    assert bench(tmp_path).kept == 1
    (tmp_path / "cases/two").rename(tmp_path / "cases/three")
    assert bench(tmp_path).kept == 1
    assert {each.case for each in read_results(done.path).cases} == {"one", "three"}
    add_case(tmp_path / "other/cases/four", [], {"a.py": "X = 1\n"})
    with pytest.raises(UsageError, match="has results of other cases"):
        bench(tmp_path, dataset=Path("other/cases"))


def test_results_of_another_configuration_are_not_continued(tmp_path: Path) -> None:
    add_case(tmp_path / "cases/one", [], {"a.py": "X = 1\n"})
    done = bench(tmp_path)
    write(tmp_path, {"config.yaml": "policy: {finding_threshold: P0}\n" + QUICK})
    with pytest.raises(UsageError, match="results of another run \\(other config\\)"):
        bench(tmp_path)
    assert bench(tmp_path, fresh=True).kept == 0
    (tmp_path / "notes.jsonl").write_text('{"mine": 1}\n')
    with pytest.raises(ConfigError, match=r"notes\.jsonl is not a results file"):
        bench(tmp_path, results=Path("notes.jsonl"), fresh=True)
    assert (tmp_path / "notes.jsonl").read_text() == '{"mine": 1}\n'
    assert done.path.exists()


def test_settings_of_the_case_do_not_count_and_nothing_of_it_is_run(tmp_path: Path) -> None:
    theirs = {
        ".reviewgate-gh.yaml": (
            "builtin: off\nreviewers: {evil: {type: command, options: {argv: [./x]}}}"
        ),
        ".reviewgate-gh-waivers.yaml": "waivers: []",
        "conflict.py": "<<<<<<< ours\nX = 1\n=======\nX = 2\n>>>>>>> theirs\n",
    }
    expected = [{"path": "conflict.py", "lines": 1, "priority": "P0"}]
    mark = tmp_path / "mark"
    own = {"type": "command", "options": {"argv": ["touch", str(mark)]}}
    write(tmp_path, {"config.yaml": f"reviewers: {{own: {json.dumps(own)}}}\n{QUICK}"})
    add_case(tmp_path / "cases/one", expected, theirs)
    done = bench(tmp_path)
    assert {row.reviewer for row in done.results[0].reviews} <= {
        "linters", "builtin", "change", "callers",
    }  # fmt: skip
    assert not mark.exists() and done.header.left_out == ("own",)
    with pytest.raises(NoReviewers, match="run in a work tree"):
        bench(tmp_path, reviewers=("own",))
    assert summarise(done.results).gate.critical_right == 1


def test_models_of_a_file_that_nobody_approved_or_that_cannot_be_asked_are_an_error_at_once(
    tmp_path: Path, repo, model_server: ModelServer
) -> None:
    add_case(tmp_path / "cases/one", [], {"a.py": "X = 1\n"})
    config = declared({"one": model_server}, SHORT)
    repo.commit({".reviewgate-gh.yaml": config}, approve=False)
    with pytest.raises(ConfigError, match="not approved on this machine, so one cannot be asked"):
        bench(tmp_path, config=None, repo=repo.path)
    repo.commit({".reviewgate-gh.yaml": f"{config}\n"})
    assert bench(tmp_path, config=None, repo=repo.path, max_cases=1).results
    with pytest.raises(ConfigError, match="the price of one is not known"):
        bench(tmp_path, config=None, repo=repo.path, budget=1.0)
    needs = json.dumps({"type": "api", "options": {"dialect": "openai", "model": "m", "key": "NO"}})
    write(tmp_path, {"config.yaml": f"reviewers:\n  far: {needs}\n"})
    with pytest.raises(NoReviewers, match="far cannot be asked"):
        bench(tmp_path, results=Path("other.jsonl"))
