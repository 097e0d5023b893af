"""A waiver of what a language model found is for that, and not for the next thing that one finds on
the same line."""

import json
from collections.abc import Iterator

import pytest
import yaml
from msgspec import to_builtins

from reviewgate_gh.reporters.json import load_report
from tests.peers.model_server import ModelServer, serving
from tests.support import Repo

from ..panels import CODE, claim, declare, panel

FILE = ".reviewgate-gh-waivers.yaml"
MORE = (
    "ensemble: {lenses: [correctness], verify: false, reverse_audit: {max_rounds: 0}, cache: false}"
)
FIRST = claim(
    priority="P1", category="security", title="Missing null check", body="items may be null"
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(panel(lambda what: [FIRST])) as up:
        yield up


@pytest.fixture
def waived(repo: Repo, server: ModelServer) -> Repo:
    """A change in whose second line a model found something that was waived."""
    declare(repo, {"one": server}, MORE)
    repo.commit({"a.py": CODE})
    code, [found] = review(repo)
    assert (code, found["state"]) == (1, "open")
    done = repo.cli("waive", "add", found["fingerprint"], "--reason", "never null")
    assert done.code == 0 and "Missing null check" in done.stdout, done.output
    repo.commit(message="waive")
    code, [after] = review(repo)
    assert (code, after["state"], after["note"]) == (0, "waived", "never null"), after
    return repo


def review(repo: Repo) -> tuple[int, list[dict[str, str]]]:
    """The exit code, and what models found in a.py since the configuration was made."""
    base = repo.git("log", "--format=%H", "--grep=^config$").split()[-1]
    done = repo.cli("review", "--range", f"{base}..HEAD", "--trusted", "--output", "json")
    assert done.stdout.startswith("{"), done.output
    found = [each for each in load_report(done.stdout).findings if not each.rule]
    return done.code, [{**to_builtins(each), "fingerprint": each.fingerprint} for each in found]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"title": "SQL injection", "priority": "P0"}, "it is P0, but the accepted finding was P1"),
        (
            {"title": "SQL injection", "priority": "P1"},
            "the accepted finding is 'Missing null check'",
        ),
        (
            {"title": "Missing bounds check", "priority": "P1"},
            "the accepted finding is 'Missing null check'",
        ),
        ({"priority": "P0"}, "it is P0, but the accepted finding was P1"),
    ],
)
def test_another_defect_or_a_more_severe_one_blocks_and_names_the_waiver(
    waived: Repo, server: ModelServer, more, why
) -> None:
    server.answer = panel(lambda what: [{**FIRST, **more}])
    code, [found] = review(waived)
    (entry,) = yaml.safe_load(waived.file(FILE).read_text())["waivers"]
    assert (code, found["state"], found["fingerprint"]) == (1, "open", entry["fingerprint"]), found
    assert found["note"] == f"its waiver {entry['fingerprint']} does not cover it: {why}"


def test_beside_the_waived_one_only_the_other_is_open_and_both_can_be_waived(
    waived: Repo, server: ModelServer
) -> None:
    server.answer = panel(
        lambda what: [FIRST, {**FIRST, "title": "SQL injection", "priority": "P0"}]
    )
    code, found = review(waived)
    assert (code, {each["title"]: each["state"] for each in found}) == (
        1,
        {"SQL injection": "open", "Missing null check": "waived"},
    )
    worse = next(each["fingerprint"] for each in found if each["state"] == "open")
    done = waived.cli("waive", "add", worse, "--reason", "internal")
    assert done.code == 0, done.output
    entries = yaml.safe_load(waived.file(FILE).read_text())["waivers"]
    assert [(each["title"], each["priority"]) for each in entries] == [
        ("Missing null check", "P1"),
        ("SQL injection", "P0"),
    ]
    waived.commit(message="waive both")
    assert review(waived)[0] == 0
    assert [
        row["status"] for row in json.loads(waived.cli("waive", "list", "-o", "json").stdout)
    ] == ["used", "used"]


def test_an_entry_of_an_earlier_version_covers_nothing_until_it_is_named_again(
    waived: Repo,
) -> None:
    (entry,) = yaml.safe_load(waived.file(FILE).read_text())["waivers"]
    waived.commit(
        {FILE: f"waivers:\n- {{fingerprint: {entry['fingerprint']}, reason: old, path: a.py}}\n"}
    )
    code, [found] = review(waived)
    assert (code, found["state"]) == (1, "open") and "has no title" in found["note"]
    assert waived.cli("waive", "add", entry["fingerprint"], "--reason", "again").stdout.startswith(
        "updated "
    )
    waived.commit(message="again")
    assert review(waived)[0] == 0


def test_two_entries_for_one_defect_are_a_mistake_and_for_two_they_are_not(waived: Repo) -> None:
    rows = [
        f"- {{fingerprint: aaaa, reason: x, title: {title}}}\n" for title in ("one", "two", "one")
    ]
    waived.commit({FILE: f"waivers:\n{''.join(rows[:2])}"})
    assert waived.cli("config", "check").code == 0
    waived.commit({FILE: f"waivers:\n{''.join(rows)}"})
    done = waived.cli("config", "check")
    assert done.code == 78 and f"{FILE}:4: aaaa is already waived on line 2" in done.stderr, (
        done.output
    )
    waived.commit({FILE: f"waivers:\n{rows[0]}- {{fingerprint: aaaa, reason: x}}\n"})
    assert waived.cli("config", "check").code == 78


def test_a_suppression_names_a_rule_and_models_have_none(repo: Repo, server: ModelServer) -> None:
    declare(repo, {"one": server}, MORE)
    repo.commit(
        {"a.py": CODE.replace("len(items)", "len(items)  # reviewgate-gh: ignore[ ] not so bad")}
    )
    code, [found] = review(repo)
    assert (code, found["state"]) == (1, "open"), found
    server.answer = panel(lambda what: [{**FIRST, "priority": "P2"}])
    repo.commit({"a.py": CODE.replace("len(items)", "len(items)  # noqa: S608")})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"CI": "true"})
    assert [each["state"] for each in json.loads(done.stdout)["findings"] if not each["rule"]] == [
        "open"
    ], done.output
