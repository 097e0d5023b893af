"""The same finding is one issue however its lines move, its file is renamed and its title is
worded; different ones are several."""

import os

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.identity import locate_in_code
from reviewgate_gh.findings.scope import ChangedLines, anchor_findings
from reviewgate_gh.findings.source_text import SourceText
from reviewgate_gh.git import Git, open_repository
from reviewgate_gh.git.objects import read_objects
from reviewgate_gh.issues.sync import track_report
from reviewgate_gh.issues.tracked import Workspace
from reviewgate_gh.model.config import Config
from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.settings.change import diff_between
from reviewgate_gh.system.environment import Environment
from tests.orchestrating import Place
from tests.support import Repo
from tests.tracking import report_of
from tests.unit.support import change

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
MOST = 500 if FULL else 60
CLEAN = "def f(x):\n    return x\n\ndef g(x):\n    return x\n\ndef h(x):\n    return x\n"
EVIL = (
    "def f(x):\n    return eval(x)\n\ndef g(x):\n    exec(x); eval(x)\n\ndef h(x):\n"
    "    return eval(x)\n"
)
# Two of them on one line, two with the same code
FOUND = ((2, "ruff/S307"), (5, "ruff/S102"), (5, "ruff/S307"), (8, "ruff/S307"))


def moving(repo: Repo, before: str) -> list[tuple[str, str]]:
    """A commit for every n: the code n lines below, the file renamed now and then; each commit and
    the file's name in it.

    The first has `before` instead of the code: "" for no file at all.
    """
    stream, names = list[str](), list[str]()
    for number in range(MOST + 1):
        name, text = (
            f"{'abcdefg'[number * 6 // MOST]}.py",
            "# a line\n" * number + (EVIL if number else before),
        )
        stream += [
            (
                f"commit refs/heads/moving\nmark :{number + 1}\n"
                f"committer Ada <ada@example.com> {number} +0000\ndata 1\nx"
            )
        ]
        stream += [
            "deleteall",
            *([f"M 100644 inline {name}\ndata {len(text)}\n{text}"] if text else []),
        ]
        names.append(name)
    repo.git("fast-import", "--quiet", stdin="\n".join([*stream, "done", ""]))
    return [*zip(repo.git("rev-list", "--reverse", "moving").splitlines(), names, strict=True)]


def found(git: Git, base: str, head: str, path: str, shift: int) -> tuple[Finding, ...]:
    """What a linter finds there, in the diff that git really makes, in words of its own each
    time."""
    changed_lines = ChangedLines(change(*diff_between(git, base, head)))
    plain = [
        Finding(
            Priority.P1, "security", rule, path, n + shift, n + shift, f"{rule}, seen {shift} times"
        )
        for n, rule in FOUND
    ]
    anchored = anchor_findings(plain, changed_lines, "linters/ruff")
    [blob] = read_objects(git, [f"{head}:{path}"])
    return tuple(locate_in_code(anchored, SourceText(path, blob.data)))


@pytest.mark.contract(plain=False)
@pytest.mark.req("R000-112", "R000-124")
@pytest.mark.parametrize("before", ["", CLEAN], ids=["a new file", "a changed file"])
def test_every_shift_many_renames_and_other_words(
    repo: Repo, before: str, capsys: pytest.CaptureFixture[str]
) -> None:
    git, commits = open_repository(repo.path, os.environ), moving(repo, before)
    workspace, prints = Workspace(git, Environment({}, repo.path), []), set[str]()
    base = commits[0][0]
    for shift, (head, path) in enumerate(commits[1:], 1):
        findings = found(git, base, head, path, shift)
        prints |= {replace(finding, path="a.py", origin="").fingerprint for finding in findings}
        if FULL or shift % 20 in (0, 1, 7, 19):
            track_report(
                replace(report_of(*findings, base=base, head=head), review_id=str(shift)),
                Config(),
                workspace,
            )
    issues = Place(repo).issues()
    with capsys.disabled():
        print(
            f"\n{len(FOUND)} findings, shifted by each of 1 to {MOST}, "
            f"{len({path for _, path in commits}) - 1} renames,"
            f" a new title each time: {len(prints)} fingerprints, {len(issues)} issues, "
            f"{len(issues) - len(FOUND)} twice"
        )
    assert (len(prints), len(issues)) == (len(FOUND), len(FOUND))


def test_a_finding_that_takes_the_place_of_another_one_is_an_issue_of_its_own(repo: Repo) -> None:
    """The same rule in a function that is put before: now it stands where the other one stood,
    under the same title."""
    git, issues = open_repository(repo.path, os.environ), []
    workspace, base = Workspace(git, Environment({}, repo.path), []), repo.head
    one, other = "def f(x):\n    return eval(x)\n", "def g(y):\n    return eval(y)\n"
    for text, lines in ((one, [2]), (other + one, [2, 4])):
        head = repo.commit({"a.py": text})
        changed_lines = ChangedLines(change(*diff_between(git, base, head)))
        plain = [
            Finding(Priority.P1, "security", "ruff/S307", "a.py", line, line, "Use of eval")
            for line in lines
        ]
        track_report(
            report_of(*anchor_findings(plain, changed_lines, "ruff"), base=base, head=head),
            Config(),
            workspace,
        )
        issues.append([row["notes"] for row in Place(repo).issues()])
    assert [len(each) for each in issues] == [1, 2]
    assert ["Location: a.py:4" in notes for notes in issues[1]] == [True, False]
