"""One review on several machines is the review of one: linters, what compares the whole change, and
recorded models; and a machine that fails is never a pass."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewgate_gh.ensemble.options import AnswerOptions, ReviewOptions
from reviewgate_gh.gate.deliver import report_exit_code
from reviewgate_gh.gate.review import review
from reviewgate_gh.git import Git, open_repository
from reviewgate_gh.git.ranges import resolve_range
from reviewgate_gh.model.change import Selection
from reviewgate_gh.model.errors import Exit
from reviewgate_gh.model.report import Report
from reviewgate_gh.shards.answer import ShardAnswer, read_answer, write_answer
from reviewgate_gh.shards.ask import ask_shard, store_answer
from reviewgate_gh.shards.collect import gathering
from reviewgate_gh.system.environment import Environment
from tests.peers.model_server import ModelServer, serving
from tests.support import ROOT, Repo

from ..panels import claim, declared, panel

N = 10  # enough for the files of linters to be shared, too
NO_ANSWERS = AnswerOptions()
RANGE = ("--range", "HEAD~1..HEAD")
BAD = "def moved(a):\n    return a + undefined_{}\n"
LENSES = (
    "ensemble: {lenses: [correctness, security, tests], context_tokens: 1500, cache: false, "
    "context: {tokens: 300}}"
)


def _padding(name: str) -> str:
    return "".join(f"{name}_{at} = 'a value that takes some room {at}'\n" for at in range(40))


def _before() -> Mapping[str, str]:
    """`m_old.py` has code that a tool objects to, and loses it; `kept.py` keeps it."""
    return {
        "m_old.py": BAD.format(1) + "\n\ndef stays():\n    return 1\n",
        "kept.py": BAD.format(2),
        "api.py": "def public(a):\n    return a\n",
        "user.py": "from api import public\n\nprint(public(1))\n",
        "test_api.py": "from api import public\n\n\ndef test_it():\n    assert public(1) == 1\n",
    }


def _after() -> Mapping[str, str | None]:
    """The moved code stands at two ends of the change, of which one is new."""
    many = {f"pkg/mod{at}.py": f"{_padding('x')}print(undefined_{at})\n" for at in range(4)}
    return {
        **many,
        "a_first.py": BAD.format(1),
        "z_last.py": BAD.format(1),
        "m_old.py": "def stays():\n    return 1\n",
        "kept.py": BAD.format(2) + "\n\nMORE = 1\n",
        "api.py": "def public(a, b):\n    return a + b\n",
        "test_api.py": None,
        "run.sh": "#!/bin/sh\ncd $1\nrm -rf $2/*\n",
        "web.js": "export function f(a) {\n  debugger;\n  return a == 1;\n}\n",
    }


def _model(what: str) -> list[Mapping[str, Any]]:
    if what != "Correctness":
        return []
    quote = "def public(a, b):"
    return [claim(file="api.py", quote=quote, line_start=1, line_end=1, title="A caller breaks")]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with serving() as up:
        up.answer = panel(_model)
        yield up


@pytest.fixture
def changed(repo: Repo, server: ModelServer) -> Repo:
    """A change for every kind of reviewer; models read it in several batches."""
    config = declared({"one": server}, LENSES).replace("  change: off\n  callers: off\n", "")
    repo.commit({".reviewgate-gh.yaml": config}, "config")
    repo.commit(_before(), "before")
    repo.commit(_after(), "after")
    return repo


_TOOK = re.compile(r"^\d+ shards took \d+\.\d s in all, the longest \d+\.\d s \(shard \d+\)$")


def _plain(report: Mapping[str, Any] | Report) -> dict[str, Any]:
    """A report without the name of the run and its times."""
    data: dict[str, Any] = json.loads(json.dumps(report))
    for key in ("review_id", "started", "finished"):
        data.pop(key)
    for row in data["reviews"]:
        del row["seconds"], row["began"]
    data["notices"] = [each for each in data["notices"] if not _TOOK.search(each)]
    return data


def _json(repo: Repo, *args: str, code: int) -> dict[str, Any]:
    done = repo.cli(*args, "--output", "json")
    assert done.code == code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_many_machines_say_what_one_says(changed: Repo, tmp_path: Path) -> None:
    recorded, answers = str(tmp_path / "recorded"), tmp_path / "answers"
    whole = _json(changed, "review", *RANGE, "--record", recorded, code=1)
    matrix = json.loads(changed.cli("plan", *RANGE, "--shards", str(N), "--output", "json").stdout)
    assert [row["shard"] for row in matrix["include"]] == [f"{at}/{N}" for at in range(1, N + 1)]
    args = ("--replay", recorded, "--shard", f"1/{N}", "--output-path", str(answers / "1.json"))
    done = changed.cli("review", *RANGE, *args)
    assert (done.code, done.stdout) == (0, "") and f"shard 1 of {N} asked: " in done.stderr
    for at in range(2, N + 1):
        _ask(changed, f"{at}/{N}", answers / f"artifact-{at}/answer.json", Path(recorded))
    gathered = _json(changed, "gather", *RANGE, "--replay", recorded, str(answers), code=1)
    assert _plain(gathered) == _plain(whole)
    [took] = filter(_TOOK.search, gathered["notices"])
    assert took.startswith(f"{N} shards took ")
    heard = [read_answer(path.read_bytes()) for path in sorted(answers.rglob("*.json"))]
    _check_that_all_had_a_part(heard)
    new = [f for f in whole["findings"] if f["rule"] == "ruff/F821" and f["state"] == "open"]
    places = {place for f in new for place in (f["path"], *f["places"])}
    # One of two copies is what was moved; no machine saw both
    assert len([place for place in places if place.startswith(("a_first", "z_last"))]) == 1
    assert not [place for place in places if place.startswith("kept")]


def _check_that_all_had_a_part(heard: list[ShardAnswer]) -> None:
    parts = [part for answer in heard for part in answer.parts]
    ruff = [part for part in parts if part.review.name == "linters/ruff"]
    models = [part for part in parts if part.review.asked]
    assert len(ruff) > 1 and any(part.undecided for part in ruff)
    assert len({part.piece for part in models}) > 1
    assert len([answer for answer in heard if any(p.review.asked for p in answer.parts)]) > 1
    for name in ("builtin", "change"):
        assert len([part for part in parts if part.review.name == name]) == 1


@pytest.fixture
def sharded(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A change that passes, and its answers in `answers`."""
    monkeypatch.setenv("CI", "true")
    repo.commit({"b.py": "def f(a):\n    return a\n"}, "before")
    files = {f"pkg/m{at}.py": f"def f{at}(a):\n    return a\n" for at in range(6)}
    repo.commit(files, "after")
    for at in range(1, 4):
        _ask(repo, f"{at}/3", _place(repo, at))
    return repo


def _place(repo: Repo, at: int, name: str = "answers") -> Path:
    return repo.path.parent / name / f"{at}.json"


def _ask(repo: Repo, shard: str, place: Path, replay: Path | None = None, **env: str) -> None:
    """What `review --shard` does, in this process."""
    environment = _environment(repo, **env)
    git = open_repository(repo.path, environment.variables)
    options = _options(git, AnswerOptions(replay=replay))
    store_answer(ask_shard(options, git, environment, shard), place)


def _options(git: Git, answers: AnswerOptions = NO_ANSWERS) -> ReviewOptions:
    return ReviewOptions(resolve_range(git, Selection(range=RANGE[1])), answers=answers)


def _environment(repo: Repo, **env: str) -> Environment:
    now = Environment.current()
    return replace(now, variables={**now.variables, **env}, cwd=repo.path)


def _gather(repo: Repo, shards: int | None = 3, *more: str) -> Report:
    environment = _environment(repo)
    git = open_repository(repo.path, environment.variables)
    options = _options(git)
    folders = [repo.path.parent / name for name in ("answers", *more)]
    return review(gathering(options, folders, shards), git, environment)


def _inconclusive(report: Report) -> list[str]:
    """The reviews that are missing, of a report that is no pass."""
    assert report_exit_code(report) is Exit.INCONCLUSIVE, report.verdict
    rows = [row for row in report.reviews if row.reviewer.startswith("shard ")]
    assert all(f"{row.name} gave no answer" in " ".join(report.verdict.reasons) for row in rows)
    return [f"{row.name}: {row.error}" for row in rows]


def test_all_answers_are_a_pass(sharded: Repo) -> None:
    report = _gather(sharded)
    assert report_exit_code(report) is Exit.OK and report.verdict.outcome == "pass"
    assert _gather(sharded, None).verdict == report.verdict  # the answers say how many there are


def test_where_nothing_changed_there_is_nothing_to_ask(sharded: Repo) -> None:
    sharded.commit({}, "nothing")
    for at in (1, 2, 3):
        _ask(sharded, f"{at}/3", _place(sharded, at))
    report = _gather(sharded)
    assert report_exit_code(report) is Exit.OK and not report.reviews


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_missing_shard_is_named(sharded: Repo, at: int) -> None:
    _place(sharded, at).unlink()
    [told] = _inconclusive(_gather(sharded))
    assert told == f"shard {at} of 3: it left no answer; run its job again"


def test_no_answer_at_all_is_no_pass(sharded: Repo) -> None:
    shutil.rmtree(_place(sharded, 1).parent)
    _place(sharded, 1).parent.mkdir()
    assert len(_inconclusive(_gather(sharded))) == 3
    assert len(_inconclusive(_gather(sharded, None))) == 1


def test_a_truncated_answer_is_named_and_the_next_run_replaces_it(sharded: Repo) -> None:
    place = _place(sharded, 2)
    place.write_bytes(place.read_bytes()[:-40])
    [told] = _inconclusive(_gather(sharded))
    assert told.startswith("shard 2 of 3: ") and "2.json: not an answer of a shard" in told
    _ask(sharded, "2/3", _place(sharded, 2, "again"), GITHUB_RUN_ATTEMPT="2")
    report = _gather(sharded, 3, "again")
    assert report_exit_code(report) is Exit.OK
    assert [note for note in report.notices if note.startswith("not used: ")]


def test_a_tampered_answer_is_named(sharded: Repo) -> None:
    place = _place(sharded, 1)
    data = json.loads(place.read_bytes())
    data["answer"]["parts"] = []
    place.write_text(json.dumps(data))
    [told] = _inconclusive(_gather(sharded))
    assert "its content was changed: the digest does not match" in told
    # With a digest that fits, what is missing tells
    answer = read_answer(write_answer(_forged(sharded)).encode())
    place.write_text(write_answer(answer))
    [told] = _inconclusive(_gather(sharded))
    assert "it has no answer of " in told


def _forged(repo: Repo) -> ShardAnswer:
    _ask(repo, "1/3", _place(repo, 1))
    return replace(read_answer(_place(repo, 1).read_bytes()), parts=())


def test_an_answer_about_another_commit_is_named(sharded: Repo) -> None:
    old = sharded.head
    sharded.git("commit", "--quiet", "--amend", "--message", "other words")
    _ask(sharded, "1/3", _place(sharded, 1))
    _ask(sharded, "3/3", _place(sharded, 3))
    [told] = _inconclusive(_gather(sharded))
    assert f"2.json: it is old: its head is {old:.12}, not {sharded.head:.12}" in told


def test_two_different_answers_of_one_run_are_named(sharded: Repo) -> None:
    place = _place(sharded, 2)
    answer = read_answer(place.read_bytes())
    place.with_name("copy.json").write_bytes(place.read_bytes())
    assert report_exit_code(_gather(sharded)) is Exit.OK  # the same twice
    place.with_name("copy.json").write_text(write_answer(replace(answer, late=True)))
    [told] = _inconclusive(_gather(sharded))
    assert told == "shard 2 of 3: 2 different answers of attempt 1; run its job again"
    _ask(sharded, "2/3", _place(sharded, 2, "again"), GITHUB_RUN_ATTEMPT="2")
    assert report_exit_code(_gather(sharded, 3, "again")) is Exit.OK


def test_a_commit_brings_no_answers(sharded: Repo) -> None:
    inside = sharded.file("answers")
    shutil.copytree(_place(sharded, 1).parent, inside)
    sharded.commit({}, "answers")
    sharded.git("reset", "--quiet", "--soft", "HEAD~1")
    sharded.git("commit", "--quiet", "--amend", "--no-edit")
    for at in (1, 2, 3):
        _place(sharded, at).unlink()
    told = _inconclusive(_gather(sharded, 3, "repo/answers"))
    assert len(told) == 3 and all("it is a file of a commit" in each for each in told)


def test_what_broke_on_a_machine_breaks_the_review(sharded: Repo, server: ModelServer) -> None:
    """A reviewer that breaks is an answer: the job is well, the verdict is what it is on one
    machine."""
    gone = '{"dialect": "openai", "url": "http://127.0.0.1:1/v1", "model": "m"}'
    config = declared({"one": server}, LENSES)
    down = f"  two: {{type: api, options: {gone}}}\nensemble:"
    whole, report = _both(sharded, config.replace("ensemble:", down))
    assert report_exit_code(report) is Exit.INCONCLUSIVE and not _rows(report)
    ends = {row.name: row.status.value for row in whole.reviews}
    assert "failed" in ends.values()
    assert {row.name: row.status.value for row in report.reviews} == ends
    assert report.verdict.reasons == whole.verdict.reasons


def test_all_machines_together_keep_to_the_budget(sharded: Repo, server: ModelServer) -> None:
    asked = len(server.requests)
    config = declared({"one": server}, f"{LENSES[:-1]}, budget: {{calls: 2}}}}")
    whole, report = _both(sharded, config)
    assert len(server.requests) - asked == 4  # two each
    for each in (whole, report):
        assert report_exit_code(each) is Exit.INCONCLUSIVE
        beyond = [row for row in each.reviews if "over the budget of 2 calls" in row.error]
        assert len(beyond) >= 1 and all(row.status == "skipped" for row in beyond)


def _both(repo: Repo, config: str) -> tuple[Report, Report]:
    """The reports of one machine and of three under this config."""
    repo.commit({".reviewgate-gh.yaml": config}, "config")
    repo.commit({"c.py": "def g(a):\n    return a\n"}, "more")
    environment = _environment(repo)
    git = open_repository(repo.path, environment.variables)
    whole = review(_options(git), git, environment)
    for at in (1, 2, 3):
        _ask(repo, f"{at}/3", _place(repo, at))
    return whole, _gather(repo)


def _rows(report: Report) -> list[str]:
    return [row.reviewer for row in report.reviews if row.reviewer.startswith("shard ")]


@pytest.mark.contract
def test_the_commands_of_the_docs_work_one_after_another(repo: Repo, tmp_path: Path) -> None:
    repo.bare_remote(tmp_path / "bare")
    repo.push("-q", "-u", "origin", "main")
    repo.commit({f"a{at}.py": f"def f():\n    return missing_{at}\n" for at in range(3)})
    text = (ROOT / "docs/sharding.md").read_text("utf-8")
    lines = text.partition("```sh\n")[2].partition("```")[0].splitlines()
    assert [line.split()[1] for line in lines] == ["plan", "review", "review", "gather"]
    done = [repo.cli(*line.split()[1:]) for line in lines]
    assert [each.code for each in done] == [0, 0, 0, 1]
    assert done[0].stdout.startswith("shard  about  asks\n1/2 ")
    assert "block" in done[3].stdout and "missing_2" in done[3].stdout


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("review", "--shard", "1/2"), "--shard needs --output-path"),
        (("review", "--shard", "1/2", "--output", "json"), "--shard and --output cannot be"),
        (("review", "--shard", "3/2", "--output-path", "x"), "'3/2' is not a shard"),
        (("review", "--shard", "1/2", "--publish", "--output-path", "x"), "--shard and --publish"),
        (("plan", "--pr", "https://github.com/o/r/pull/1"), "cannot be divided among several"),
        (("plan", "--shards", "0"), "'0' is not a number of shards"),
        (("gather", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_done_is_told(repo: Repo, args: tuple[str, ...], why: str) -> None:
    repo.commit({"a.py": "a = 1\n"})
    done = repo.cli(*args)
    assert done.code == 64 and why in done.stderr, done.output
