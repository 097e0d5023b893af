"""`findings` and the outbox where the disk fails or the process is killed at any operation;
trackers that fail at any call."""

import os
import sys
from pathlib import Path

import pytest

from tests.orchestrating import DEFECTS, Place, data, review
from tests.peers import beads
from tests.peers.github.handle import GATE
from tests.support import Ran, Repo, run

from ..faulty import FULL, HOWS, TRACKER, Faulty, damaged, outbox
from ..sampling import sample

SYNC, TRIGGER = ("findings", "sync"), ("orchestrate", "trigger", "run_end")
WORK = {"a.py": DEFECTS["P1"], "b.py": DEFECTS["P2"], "c.py": DEFECTS["P3"]}


@pytest.fixture
def place(repo: Repo) -> Place:
    return Place(repo)


def listed(place: Place, **env: str) -> list[dict]:
    """The findings, open, closed and waiting, each with its path."""
    return [
        row
        for row in data(place.repo.cli("findings", "list", "--all", "--output", "json", env=env))
        if row["path"]
    ]


@pytest.mark.parametrize("how", HOWS if FULL else HOWS[::2])
def test_a_sync_at_any_operation(
    place: Place, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place.repo.branch("topic")
    place.repo.commit(WORK)
    assert place.repo.cli("review", "--base", "main").code == 1
    faulty = Faulty(place, how, SYNC)
    undisturbed, names = faulty.undisturbed()
    wanted, cells = (
        sorted(row["fingerprint"] for row in listed(undisturbed)),
        faulty.cells(names, TRACKER),
    )
    for nth, copy, done in faulty.each(cells):
        assert len(copy.issues()) in (0, 3) and (
            copy.issues() or how == "kill" or faulty.error in done.output
        ), (nth, done.output)
        assert copy.repo.cli(*SYNC).code == 0
        rows = listed(copy)
        assert sorted(row["fingerprint"] for row in rows) == wanted and {
            row["status"] for row in rows
        } == {"open"}, (nth, done.output)
        assert not outbox(copy) and not damaged(copy), nth
    with capsys.disabled():
        print(f"\nsync, {how}: {len(cells)} of {len(names)} operations, 0 lost, 0 twice")


@pytest.mark.parametrize("how", HOWS if FULL else HOWS[::2])
def test_a_close_at_any_operation(
    place: Place, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place.repo.branch("topic")
    place.repo.commit(WORK)
    assert place.repo.cli("review", "--base", "main").code == 1 and place.repo.cli(*SYNC).code == 0
    name = listed(place)[0]["fingerprint"]
    close = ("findings", "close", name, "--reason", "by design")
    faulty = Faulty(place, how, close)
    _undisturbed, names = faulty.undisturbed()
    cells = faulty.cells(names, TRACKER)
    for nth, copy, done in faulty.each(cells):
        rows = {row["fingerprint"]: row["status"] for row in listed(copy)}
        assert len(rows) == 3 and [*rows.values()].count("open") == (
            2 if rows[name] == "closed" else 3
        ), nth
        assert done.code != 0 or rows[name] == "closed", (nth, done.output)
        again = copy.repo.cli(*close)
        assert again.code == (64 if rows[name] == "closed" else 0) and not damaged(copy), (
            nth,
            again.output,
        )
    with capsys.disabled():
        print(f"\nclose, {how}: {len(cells)} of {len(names)} operations, none half done")


@pytest.mark.parametrize("how", HOWS if FULL else HOWS[::2])
def test_an_outbox_at_any_operation(
    place: Place, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tracker is down and the disk fails as well: the verdict stays, and the report that is
    kept still has the findings."""
    block = review(baseline="since_last_review", finding_threshold="P1")
    place.configure(validation_triggers={"run_end": {"code_review": block}})
    place.begin("1")
    place.repo.commit(WORK, "work")
    file = ".git/reviewgate-gh/issues.jsonl"
    place.repo.file(file).mkdir(parents=True)
    faulty = Faulty(place, how, TRIGGER)
    undisturbed, names = faulty.undisturbed(1)
    assert outbox(undisturbed).count('"fingerprint"') == 3
    waits = [nth for nth, name in enumerate(names, 1) if "/outbox/tracker" in name]
    report = [nth for nth, name in enumerate(names, 1) if "/reviews/" in name]
    assert {names[nth - 1].split()[0] for nth in waits} >= {
        "open",
        "write",
        "fsync",
        "os.rename",
    }, names
    cells = (
        waits
        if FULL
        else sample(waits, 4, f"outbox {how}", lambda nth: names[nth - 1].startswith("write "))
    )
    for nth, copy, done in faulty.each(sorted({*cells, *(report if FULL else report[:1])})):
        assert how == "kill" or (done.code == 1 and "the tracker local failed" in done.stderr), (
            nth,
            done.output,
        )
        copy.repo.file(file).rmdir()
        copy.repo.cli(*TRIGGER)
        assert copy.repo.cli(*SYNC).code == 0, nth
        rows = listed(copy)
        assert (
            len(rows) == 3 and {row["status"] for row in rows} == {"open"} and not outbox(copy)
        ), (nth, names[nth - 1], done.output)
    with capsys.disabled():
        print(
            f"\noutbox, {how}: {len(cells)} of {len(waits)} operations on it, 0 of 3 findings lost"
        )


def work(place: Place, tracker: str) -> None:
    """A run whose end has three findings, one of them over the threshold."""
    place.repo.write({".gitignore": ".beads/\n"})
    block = review(baseline="since_run_start", finding_threshold="P1")
    place.configure(
        tracker={"type": tracker}, validation_triggers={"run_end": {"code_review": block}}
    )
    place.begin("1", epics=("9",))
    place.repo.commit(WORK, "work")


# Counts its calls; the nth one fails, when it has done nothing or all of it.
FAILING = """\
#!/bin/sh
echo "$1" >> {calls}
if [ "$(wc -l < {calls})" -eq {nth} ]; then
    [ {when} = after ] && {python} {bd} "$@" > {calls}.out
    echo "the database is locked" >&2
    exit 1
fi
exec {python} {bd} "$@"
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_bd_that_fails_at_any_call(
    place: Place, tmp_path: Path, when: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program = beads.install(tmp_path / "bin") / "bd"
    env = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    assert run(["bd", "init"], place.repo.path, env).code == 0
    work(place, "beads")
    calls = tmp_path / "calls"

    def fail(nth: int) -> None:
        calls.write_text("")
        program.write_text(
            FAILING.format(
                calls=calls, nth=nth, when=when, python=sys.executable, bd=beads.__file__
            )
        )

    faulty = Faulty(place, "bd", TRIGGER)
    fail(0)
    undisturbed = faulty.copy(0)
    assert undisturbed.repo.cli(*TRIGGER, env=env).code == 1
    verbs, wanted = (
        calls.read_text().split(),
        sorted(row["fingerprint"] for row in listed(undisturbed, **env)),
    )
    assert verbs.count("create") == len(wanted) == 3
    cells = sample(
        [*range(1, len(verbs) + 1)],
        len(verbs) if FULL else 3,
        f"bd {when}",
        lambda nth: verbs[nth - 1] == "create",
    )
    for nth in cells:
        copy = faulty.copy(nth)
        fail(nth)
        failed = copy.repo.cli(*TRIGGER, env=env)
        assert (
            failed.code == 1
            and "the tracker beads failed" in failed.stderr
            and "3 findings saved" in failed.stderr
        ), (nth, failed.output)
        fail(0)
        assert copy.repo.cli(*TRIGGER, env=env).code == 1
        assert sorted(row["fingerprint"] for row in listed(copy, **env)) == wanted and not outbox(
            copy
        ), nth
    with capsys.disabled():
        print(
            f"\nbd fails {when} its work: {len(cells)} of {len(verbs)} calls, 0 of 3 findings "
            "lost, 0 twice"
        )


MODES = [
    ("500", False),
    ("500", True),
    ("reset", False),
    ("reset", True),
    ("cut", True),
    ("bad-json", True),
    ("403", False),
]


def test_a_github_that_fails_at_any_request(
    place: Place, github_plain, capsys: pytest.CaptureFixture[str]
) -> None:
    work(place, "github")
    token = github_plain.token(**{**GATE, "issues": "write"})
    faulty = Faulty(place, "github", TRIGGER)

    def there(number: int) -> tuple[Place, dict[str, str], list, str]:
        copy, name = faulty.copy(number), f"octo/r{number}"
        hosted = github_plain.repository(copy.repo.path, name)
        return copy, github_plain.env(token, name), hosted.stored.issues, f"/repos/{name}/issues*"

    undisturbed, env, issues, path = there(0)
    assert undisturbed.repo.cli(*TRIGGER, env=env).code == 1
    asked = [entry.method for entry in github_plain.journal.entries if "/issues" in entry.path]
    wanted = sorted(row["fingerprint"] for row in listed(undisturbed, **env))
    assert asked.count("POST") == len(wanted) == len(issues) == 3
    every = [(nth, mode) for nth in range(1, len(asked) + 1) for mode in MODES]
    posts = [
        lambda cell, mode=mode: asked[cell[0] - 1] == "POST" and cell[1] == mode
        for mode in MODES[:3]
    ]
    cells = every if FULL else sample(every, 4, "github", *posts)
    for number, (nth, (mode, stored)) in enumerate(cells, 1):
        copy, env, issues, path = there(number)
        github_plain.fault(mode, path=path, nth=nth, stored=stored)
        failed: Ran = copy.repo.cli(*TRIGGER, env=env)
        assert failed.code == 1, (nth, mode, failed.output)
        assert len(issues) == 3 or "3 findings saved" in failed.stderr, (nth, mode, failed.output)
        again = copy.repo.cli(*TRIGGER, env=env)
        assert (
            again.code == 1 and sorted(row["fingerprint"] for row in listed(copy, **env)) == wanted
        ), (nth, mode, failed.output)
        assert len(issues) == 3 and not outbox(copy), (nth, mode, failed.output, again.output)
    with capsys.disabled():
        print(f"\nGitHub fails: {len(cells)} of {len(every)} faults, 0 of 3 findings lost, 0 twice")
