"""Waivers, from the report that names a finding to the review that lets it through."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from reviewgate_gh.reporters.json import load_report

from ...support import Ran, Repo

FILE = ".reviewgate-gh-waivers.yaml"
BAD = "def f():\n    return missing\n"


@pytest.fixture
def bad(repo: Repo) -> Repo:
    """A commit with one undefined name, reviewed."""
    repo.commit({"bad.py": BAD}, "bad")
    assert review(repo).code == 1
    return repo


def review(repo: Repo, *args: str) -> Ran:
    """The last commit, or another range."""
    return repo.cli("review", *(args or ("--commit", "HEAD")), "--trusted")


def findings(repo: Repo, *args: str) -> list[dict[str, str]]:
    """The findings of a review, open or not, as the JSON report has them."""
    done = repo.cli("review", *(args or ("--commit", "HEAD")), "--trusted", "--output", "json")
    return [
        finding
        for finding in json.loads(done.stdout)["findings"]
        if finding["rule"].startswith("ruff/")
    ]


def fingerprint(ran: Ran, rule: str = "ruff/F821") -> str:
    """The fingerprint that a person reads below a finding."""
    found = re.search(rf"{rule} · ruff · (\S+)", ran.stdout)
    assert found, ran.output
    return found[1]


def waivers(repo: Repo) -> list[dict[str, object]]:
    """What the file of the work tree says."""
    found: list[dict[str, object]] = yaml.safe_load(repo.file(FILE).read_text())["waivers"]
    return found


@pytest.mark.contract
def test_a_waived_finding_blocks_no_more_once_the_waiver_is_committed(bad: Repo) -> None:
    name = fingerprint(review(bad))
    done = bad.cli("waive", "add", name, "--reason", "known; see the docs", "--days", "30")
    assert done.code == 0, done.output
    until = (datetime.now(UTC) + timedelta(days=30)).strftime("%Y-%m-%d")
    seen = {
        "rule": "ruff/F821",
        "path": "bad.py",
        "unit": "f",
        "priority": "P1",
        "title": "Undefined name `missing`",
    }
    assert waivers(bad) == [
        {"fingerprint": name, **seen, "reason": "known; see the docs", "expires": until}
    ]
    assert f"commit {FILE}" in done.stdout
    assert bad.file(FILE).stat().st_mode & 0o777 == 0o644
    bad.commit(message="waive")
    after = review(bad, "--range", "HEAD~2..HEAD")
    assert after.code == 0, after.output
    assert "1 waived" in after.stdout


@pytest.mark.contract(plain=False)
def test_list_tells_used_unused_and_expired(bad: Repo) -> None:
    name = fingerprint(review(bad))
    bad.write(
        {
            FILE: (
                "waivers:\n- {fingerprint: aaaa, reason: never}\n"
                "- {fingerprint: bbbb, reason: old, expires: 2020-01-01}\n"
            )
        }
    )
    bad.cli("waive", "add", name, "--reason", "known")
    bad.commit(message="waive")
    review(bad, "--range", "HEAD~2..HEAD")
    rows = json.loads(bad.cli("waive", "list", "--output", "json").stdout)
    assert {row["fingerprint"]: row["status"] for row in rows} == {
        "aaaa": "unused",
        "bbbb": "expired",
        name: "used",
    }
    lines = bad.cli("waive", "list").stdout.splitlines()
    assert lines[0].split() == [
        "fingerprint",
        "status",
        "expires",
        "count",
        "rule",
        "path",
        "accepts",
        "reason",
    ]
    assert lines[3].split() == [
        name,
        "used",
        "-",
        "1",
        "ruff/F821",
        "bad.py",
        "P1",
        "Undefined",
        "name",
        "`missing`",
        "known",
    ]


@pytest.mark.parametrize(
    ("day", "state", "code"), [("2020-01-01", "open", 1), ("2999-01-01", "waived", 0)]
)
def test_a_waiver_that_ran_out_waives_nothing(bad: Repo, day: str, state: str, code: int) -> None:
    name = fingerprint(review(bad))
    bad.commit(
        {FILE: f"waivers:\n- {{fingerprint: {name}, reason: old, expires: {day}}}\n"}, "waive"
    )
    [found] = findings(bad, "--range", "HEAD~2..HEAD")
    note = f"its waiver expired on {day}" if code else f"old (until {day})"
    assert (found["state"], found["note"]) == (state, note)
    assert review(bad, "--range", "HEAD~2..HEAD").code == code


def test_an_unknown_fingerprint_or_no_report_is_one_line(bad: Repo, tmp_path: Path) -> None:
    done = bad.cli("waive", "add", "feedfeedfeedfeed", "--reason", "x")
    assert done.code == 64, done.output
    assert done.stderr.splitlines() == [
        "reviewgate-gh: no saved report contains the finding feedfeedfeedfeed",
        "  list the fingerprints with: reviewgate-gh review",
    ]
    assert not bad.file(FILE).exists()
    fresh = bad.clone(tmp_path / "fresh").cli("waive", "add", "--all-current", "--reason", "x")
    assert (fresh.code, "no saved report" in fresh.stderr) == (64, True), fresh.output


@pytest.mark.contract(plain=False)
def test_what_makes_no_waiver_is_refused(bad: Repo) -> None:
    for args, word in (
        ((), "--all-current"),
        (("abc", "--all-current"), "--all-current"),
        (("abc", "--expires", "2020-01-01"), "is in the past"),
        (("--all-current", "--expires", "soon"), "2030-12-31"),
        (("abc", "--days", "3", "--expires", "2030-01-01"), "cannot be used together"),
        (("abc", "--days", "9999999999"), "is too large"),
        (("abc", "--days", "0"), "--days"),
    ):
        done = bad.cli("waive", "add", *args, "--reason", "x")
        assert done.code == 64, done.output
        assert word in done.stderr
        assert not bad.file(FILE).exists()


def test_all_current_lets_the_same_commits_through(repo: Repo) -> None:
    repo.commit({f"{name}.py": BAD for name in "abcde"} | {"x.sh": "#!/bin/sh\necho $@\n"}, "many")
    assert review(repo).code == 1
    done = repo.cli("waive", "add", "--all-current", "--reason", "before we came")
    assert done.code == 0, done.output
    assert {row["path"] for row in waivers(repo)} >= {f"{name}.py" for name in "abcde"}
    repo.commit(message="waive")
    after = repo.cli("review", "--range", "HEAD~2..HEAD", "--trusted", "--output", "json")
    states = [f["state"] for f in json.loads(after.stdout)["findings"] if f["path"] != FILE]
    assert set(states) == {"waived"}, after.output
    assert after.code == 0


def test_the_places_of_a_pattern_are_waived_together(repo: Repo) -> None:
    repo.commit({f"{name}.py": BAD for name in "abcd"}, "pattern")
    name = fingerprint(review(repo))
    repo.cli("waive", "add", name, "--reason", "generated")
    assert [row["path"] for row in waivers(repo)] == [f"{name}.py" for name in "abcd"]
    repo.commit(message="waive")
    assert review(repo, "--range", "HEAD~2..HEAD").code == 0


def test_one_more_of_the_same_stays_open(repo: Repo) -> None:
    once = "def f():\n    return missing\n\n\n# end\n"
    repo.commit({"bad.py": once}, "once")
    name = fingerprint(review(repo))
    repo.cli("waive", "add", name, "--reason", "x")
    repo.commit({"bad.py": once + once}, "twice")
    after = review(repo, "--range", "HEAD~2..HEAD")
    assert after.code == 1, after.output
    assert "its waiver has count 1, and this is one more" in after.stdout
    again = repo.cli("waive", "add", f"{name}-2", "--reason", "both")
    assert again.stdout.startswith(f"updated {name}"), again.output
    assert [(row["fingerprint"], row["count"], row["reason"]) for row in waivers(repo)] == [
        (name, 2, "both")
    ]
    repo.commit(message="waive")
    assert review(repo, "--range", "HEAD~3..HEAD").code == 0


def test_a_persons_comments_stay_and_a_broken_file_is_not_touched(bad: Repo) -> None:
    mine = "# ours\nwaivers:\n  # why\n  - fingerprint: aaaa # first\n    reason: x\n"
    name = fingerprint(review(bad))
    bad.write({FILE: mine})
    bad.cli("waive", "add", name, "--reason", "known")
    assert bad.file(FILE).read_text().startswith(mine)
    broken = "waivers:\n- {fingerprint: aaaa\n"
    bad.write({FILE: broken})
    done = bad.cli("waive", "add", name, "--reason", "known")
    assert (done.code, bad.file(FILE).read_text()) == (78, broken), done.output


def test_a_layout_that_cannot_be_edited_is_written_anew_and_says_so(bad: Repo) -> None:
    bad.write({FILE: "waivers: [{fingerprint: aaaa, reason: x}] # in one line\n"})
    done = bad.cli("waive", "add", fingerprint(review(bad)), "--reason", "known")
    assert "rewritten without its comments" in done.stdout
    assert [row["reason"] for row in waivers(bad)] == ["x", "known"]


def test_a_reason_is_shown_without_its_control_characters(bad: Repo) -> None:
    done = bad.cli("waive", "add", fingerprint(review(bad)), "--reason", "a\x1b[2Jb\nc: 'd'")
    assert done.code == 0, done.output
    assert "\x1b" not in bad.cli("waive", "list").stdout
    assert "\x1b" not in bad.file(FILE).read_text()


@pytest.mark.contract
def test_prune_removes_what_can_never_be_used_again(repo: Repo) -> None:
    body = "".join(f"line {n}\n" for n in range(20))
    repo.commit({"here.py": body, "gone.py": body.upper(), "old.py": body.replace("line", "row")})
    repo.git("mv", "old.py", "new.py")
    repo.commit({"gone.py": None})
    entries = {"1": "here.py", "2": "gone.py", "3": "old.py", "4": "untracked.py", "5": ""}
    text = "# keep me\nwaivers:\n" + "".join(
        f"- {{fingerprint: '{name}', reason: x, path: '{path}'}}\n"
        for name, path in entries.items()
    )
    repo.write(
        {FILE: text + "- {fingerprint: '6', reason: x, expires: 2020-01-01}\n", "untracked.py": ""}
    )
    done = repo.cli("waive", "prune")
    assert done.code == 0, done.output
    assert [row["fingerprint"] for row in waivers(repo)] == ["1", "3", "4", "5"]
    assert repo.file(FILE).read_text().startswith("# keep me\n")
    assert [line.partition(": ")[2] for line in done.stdout.splitlines()[:2]] == [
        "gone.py is gone",
        "expired on 2020-01-01",
    ]
    assert repo.cli("waive", "prune").stdout == "nothing to remove\n"


def test_a_waiver_holds_after_its_file_was_renamed_in_an_earlier_commit(repo: Repo) -> None:
    body = "".join(f"LINE_{n} = {n}\n" for n in range(30)) + BAD
    repo.commit({"old.py": body}, "bad")
    repo.cli("waive", "add", fingerprint(review(repo)), "--reason", "known")
    repo.commit(message="waive")
    for old, new in (("old.py", "middle.py"), ("middle.py", "new.py")):
        repo.git("mv", old, new)
        repo.commit(message=f"to {new}")
    (found,) = findings(repo, "--all-files")
    assert (found["path"], found["state"]) == ("new.py", "waived")
    assert json.loads(repo.cli("waive", "list", "-o", "json").stdout)[0]["status"] == "used"
    repo.commit({"new.py": body.replace("return missing", "return another")}, "worse")
    (worse,) = findings(repo)
    assert worse["state"] == "open"


def test_a_waiver_holds_for_a_file_that_the_change_adds_and_renames_twice(repo: Repo) -> None:
    base = repo.commit({"README": "x\n"})
    repo.commit({"old.py": BAD}, "bad")
    repo.cli("waive", "add", fingerprint(review(repo, "--base", base)), "--reason", "known")
    repo.commit(message="waive")
    for old, new in (("old.py", "middle.py"), ("middle.py", "new.py")):
        repo.git("mv", old, new)
        repo.commit(message=f"to {new}")
    found = findings(repo, "--base", base)
    assert [f["state"] for f in found if f["path"] == "new.py"] == ["waived"]


def test_a_path_in_the_file_that_git_refuses_harms_nothing(bad: Repo) -> None:
    bad.write(
        {
            FILE: (
                "waivers:\n- {fingerprint: a, reason: x, path: ../up.py}\n"
                "- {fingerprint: b, reason: x, path: /etc/passwd}\n"
            )
        }
    )
    bad.commit(message="odd")
    assert review(bad, "--range", "HEAD~2..HEAD").code == 1


def test_a_path_that_no_disk_can_hold_is_one_that_is_gone(bad: Repo) -> None:
    bad.write({FILE: f"waivers:\n- {{fingerprint: a, reason: x, path: {'x' * 5000}}}\n"})
    done = bad.cli("waive", "prune")
    assert (done.code, "fingerprint" in bad.file(FILE).read_text()) == (0, False), done.output


def test_a_reason_that_is_no_utf8_is_written_as_it_can_be_read(bad: Repo) -> None:
    review(bad)
    done = bad.cli("waive", "add", "--all-current", "--reason", "caf\udce9")
    assert (done.code, r"caf\udce9" in bad.file(FILE).read_text()) == (0, True), done.output


def test_a_bare_repository_has_no_place_for_waivers(repo: Repo, tmp_path: Path) -> None:
    done = repo.clone(tmp_path / "bare.git", "--bare").cli("waive", "list")
    assert (done.code, "bare repository" in done.stderr) == (64, True), done.output


def test_a_finding_of_an_earlier_report_can_be_waived(bad: Repo) -> None:
    name = fingerprint(review(bad))
    bad.commit({"good.py": "X = 1\n"})
    assert review(bad).code == 0
    bad.cli("review", "--commit", "HEAD~1", env={"REVIEWGATE_GH_SKIP": "known"})
    done = bad.cli("waive", "add", name, "--reason", "known")
    assert done.code == 0, done.output
    assert [waiver["fingerprint"] for waiver in waivers(bad)] == [name]
    assert "no open finding" in bad.cli("waive", "add", "--all-current", "--reason", "x").stdout


TWICE = """\
waivers:
- fingerprint: aaaa
  reason: x
- reason: y
  fingerprint: bbbb
- reason: z
  expires: 2020-01-01
  fingerprint: aaaa
"""


def test_two_waivers_for_one_finding_are_an_error_that_names_both_lines(bad: Repo) -> None:
    name = fingerprint(review(bad))
    bad.write({FILE: TWICE})
    for line in (
        "config check",
        f"config check {FILE}",
        "waive list",
        "waive prune",
        f"waive add {name} --reason x",
    ):
        done = bad.cli(*line.split())
        assert (done.code, done.stdout) == (78, ""), done.output
        assert (
            done.stderr.splitlines()[0]
            == f"reviewgate-gh: {FILE}:8: aaaa is already waived on line 2"
        )
    assert bad.file(FILE).read_text() == TWICE
    bad.commit(message="twice")
    mine = review(bad)
    assert (mine.code, f"{FILE}:8: aaaa is already waived on line 2" in mine.stderr) == (
        78,
        True,
    ), mine.output
    theirs = bad.cli("review", "--commit", "HEAD", env={"CI": "true"})
    assert "it is not valid" in theirs.stdout and "already waived on line 2" in theirs.stdout, (
        theirs.output
    )


def test_adding_what_is_there_renews_it_and_makes_no_second_entry(bad: Repo) -> None:
    name = fingerprint(review(bad))
    bad.write({FILE: f"waivers:\n- {{fingerprint: {name}, reason: old, expires: 2020-01-01}}\n"})
    done = bad.cli("waive", "add", name, name, "--reason", "new")
    assert done.stdout.startswith(f"updated {name} "), done.output
    assert bad.cli("waive", "add", "--all-current", "--reason", "newer").code == 0
    assert [(row["fingerprint"], row["reason"]) for row in waivers(bad)] == [(name, "newer")]
    assert bad.cli("config", "check").code == 0


AROUND = "import os\n\n\ndef f():\n    note = 1\n    return missing\n"


@pytest.fixture
def accepted(repo: Repo) -> Repo:
    """A commit whose undefined name was accepted, with the waiver behind it."""
    repo.commit({"bad.py": AROUND}, "bad")
    name = fingerprint(review(repo))
    assert repo.cli("waive", "add", name, "--reason", "known").code == 0
    repo.git("add", FILE)
    repo.commit({}, "accept it")
    return repo


@pytest.mark.parametrize(
    "edited",
    [
        AROUND.replace("note = 1", "note = 2"),
        AROUND.replace("    note = 1\n", ""),
        f"{AROUND}    # the end\n",
        AROUND.replace("return missing", "return  missing  # see above"),
        f"import sys\n{AROUND}\n\nprint(sys.argv, os.name)\n",
    ],
)
@pytest.mark.req("R007-004")
def test_an_edit_beside_the_accepted_statement_changes_nothing(accepted: Repo, edited: str) -> None:
    accepted.commit({"bad.py": edited})
    [found] = [f for f in findings(accepted, "--base", "main~3") if f["rule"] == "ruff/F821"]
    assert found["state"] == "waived" and found["waiver"] == waivers(accepted)[0]["fingerprint"]


@pytest.mark.req("R007-004")
def test_an_edit_of_the_accepted_statement_opens_it_again_and_names_the_waiver(
    accepted: Repo,
) -> None:
    accepted.commit({"bad.py": AROUND.replace("return missing", "return missing + note")})
    [found] = [f for f in findings(accepted, "--base", "main~3") if f["rule"] == "ruff/F821"]
    assert found["state"] == "open" and found["note"] == (
        f"its waiver {waivers(accepted)[0]['fingerprint']} does not cover it: the code has changed"
    )


def test_another_secret_in_the_accepted_place_is_open(repo: Repo) -> None:
    """The report shows neither of them, so that they look the same there."""
    one, other = ("AKIA" + letters for letters in ("QYLPMN5HHVTNDJ2X", "R5K2ZCQ3UWXB7DTA"))
    repo.commit({"keys.py": f'ACCESS = "{one}"\n'})
    [found] = [f for f in everything(repo) if f["priority"] == "P0"]
    name = found["fingerprint"]
    assert repo.cli("waive", "add", name, "--reason", "revoked").code == 0
    repo.git("add", FILE)
    repo.commit({}, "accept it")
    assert [f["state"] for f in everything(repo, "--base", "main~2") if f["priority"] == "P0"] == [
        "waived"
    ]
    repo.commit({"keys.py": f'ACCESS = "{other}"\n'})
    [again] = [f for f in everything(repo) if f["priority"] == "P0"]
    assert again["state"] == "open" and again["fingerprint"] != name


def everything(repo: Repo, *args: str) -> list[dict[str, str]]:
    """The findings of all reviewers."""
    done = repo.cli("review", *(args or ("--commit", "HEAD")), "--trusted", "--output", "json")
    found: list[dict[str, str]] = json.loads(done.stdout)["findings"]
    return found


@pytest.mark.contract(plain=False)
@pytest.mark.req("R007-008")
def test_a_waiver_of_the_first_format_holds_and_can_be_updated(bad: Repo) -> None:
    done = bad.cli("review", "--commit", "HEAD", "--trusted", "--output", "json")
    [found] = [f for f in load_report(done.stdout).findings if f.rule == "ruff/F821"]
    old = {"fingerprint": found.former_fingerprint, "reason": "known", "rule": "ruff/F821"}
    gone = {"fingerprint": "feed" * 4, "reason": "long gone", "path": "other.py"}
    entries = [{**old, "path": "bad.py", "title": found.title, "priority": "P1"}, gone]
    text = yaml.safe_dump({"version": 1, "waivers": entries}, sort_keys=False)
    bad.commit({FILE: f"# ours\n{text}"}, "accept it")
    told = review(bad, "--base", "main~2")
    assert told.code == 0, told.output
    assert "1 waiver has an old fingerprint: update with reviewgate-gh waive migrate" in told.output
    updated = bad.cli("waive", "migrate")
    assert updated.code == 0 and found.fingerprint in updated.stdout, updated.output
    assert "not used by the latest report feedfeedfeedfeed" in updated.stdout
    now = {**entries[0], "fingerprint": found.fingerprint, "unit": "f"}
    assert waivers(bad) == [now, gone] and bad.file(FILE).read_text().startswith("# ours\n")
    bad.git("add", FILE)
    bad.commit({}, "update it")
    after = review(bad, "--base", "main~3")
    assert after.code == 0 and "waive migrate" not in after.output, after.output
    assert "nothing to update" in bad.cli("waive", "migrate").stdout
