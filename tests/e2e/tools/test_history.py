"""`review --since-last` and `history`."""

import json

import pytest

from tests.orchestrating import CLEAN, DEFECTS, Place, data, review
from tests.support import Repo


@pytest.mark.contract(plain=False)
def test_each_review_begins_where_the_last_one_passed(repo: Repo) -> None:
    remote = repo.bare_remote(repo.path.parent / "remote.git")
    repo.push("-u", "origin", "main")
    repo.commit({"a.py": CLEAN}, "one")
    first = repo.cli("review", "--since-last", "--output", "json")
    assert first.code == 0 and data(first)["change"]["base"] == remote.rev("main"), first.output
    repo.commit({"b.py": DEFECTS["P1"]}, "two")
    for _ in range(2):  # what blocks is not forgotten
        done = repo.cli("review", "--since-last", "--output", "json")
        assert done.code == 1 and [file["path"] for file in data(done)["change"]["files"]] == [
            "b.py"
        ], done.output
    repo.commit({"b.py": CLEAN}, "three")
    assert repo.cli("review", "--since-last").code == 0
    again = repo.cli("review", "--since-last", "--output", "json")
    assert again.code == 0 and data(again)["change"]["files"] == []
    assert repo.cli("review", "--since-last", "--base", "HEAD~").code == 64


def test_a_run_is_where_it_begins_and_a_lost_commit_is_said(repo: Repo) -> None:
    place = Place(repo)
    place.begin()
    start = repo.head
    repo.commit({"a.py": CLEAN}, "one")
    assert data(repo.cli("review", "--since-last", "--output", "json"))["change"]["base"] == start
    path = repo.file(".git/reviewgate-gh/run_metadata.json")
    run = json.loads(path.read_text())
    assert run["last_cumulative_review_commits"] == {"review": repo.head}
    path.write_text(json.dumps(run | {"last_cumulative_review_commits": {"review": "1" * 40}}))
    lost = repo.cli("review", "--since-last")
    assert lost.code == 64 and "1111111" in lost.stderr


@pytest.mark.contract
def test_history_shows_reviews_and_runs(repo: Repo) -> None:
    assert repo.cli("history").stdout == "no reviews yet\n"
    place = Place(repo)
    place.configure(
        validation_triggers={"run_end": {"code_review": review(baseline="since_run_start")}}
    )
    begun = data(repo.cli("orchestrate", "start", "--output", "json"))
    repo.commit({"a.py": DEFECTS["P1"]}, "work")
    assert repo.cli("review", "--commit", "HEAD").code == 1
    assert (
        repo.cli("review", "--commit", "HEAD", env={"REVIEWGATE_GH_SKIP": "in a hurry"}).code == 0
    )
    assert repo.cli("orchestrate", "trigger", "run_end").code == 0
    broken = repo.file(".git/reviewgate-gh/reviews/20200101T000000000000Z-00000000/report.json")
    broken.parent.mkdir()
    broken.write_text("{")
    past = data(repo.cli("history", "--output", "json"))
    assert [row["outcome"] for row in past["reviews"]] == ["block", "inconclusive", "block"]
    assert (
        past["reviews"][0]["counts"]["P1"] == 1
        and past["reviews"][1]["overridden"] == "in a hurry"
        and past["damaged"] == 1
    )
    assert [(run["run_id"], run["reviews"], run["errors"]) for run in past["runs"]] == [
        (begun["run_id"], 1, 0)
    ]
    assert past["reviews"][0]["seconds"] >= 0 and past["reviews"][0]["cost"] is None
    assert repo.cli("history", "--html", "trend.html").stdout == "3 reviews written to trend.html\n"
    assert (
        "3 reviews, 2 of which blocked. Each bar is a day." in repo.file("trend.html").read_text()
    )
    shown = repo.cli("history", "--last", "2").stdout
    assert (
        "overridden: in a hurry" in shown and shown.count("block") == 1 and begun["run_id"] in shown
    )
