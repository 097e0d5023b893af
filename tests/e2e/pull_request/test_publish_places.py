"""Where comments stand: never on a line that GitHub's diff does not show, and in one hunk, whatever
the change looks like."""

import os
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.scope import ChangedLines, anchor_findings
from reviewgate_gh.git import open_repository
from reviewgate_gh.git.diff import diff_trees, parse_diff
from reviewgate_gh.model.change import Change
from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.pull_request.actions import PlacedFinding, Placement
from reviewgate_gh.pull_request.placement import AlreadyPosted, PlacementLimits, place_findings
from reviewgate_gh.reporters.json import load_report
from tests.peers.github.git import Git
from tests.peers.github.model import Pull, Repository
from tests.peers.github.placing import Unplaced, placed
from tests.support import Repo

from ..publishing import Stage

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, CHANGES, AT_ONCE = 20260104, 2_000 if FULL else 60, 10
NAMES = ("a.py", "b c.py", "d/é.txt", "-e", "f.bin", "g\tg.md", "new.py")
ENDS = ("\n", "\r\n")


def text(luck: random.Random) -> str:
    """Up to 60 lines, mostly of a few words, in either line end, with or without a newline at the
    end."""
    end = luck.choice(ENDS)
    lines = [
        luck.choice(
            (
                "",
                "x = 1",
                "    return",
                "@@ -1,2 +3,4 @@",
                "+plus",
                "-minus",
                "\\ No newline",
                f"line {luck.random()}",
            )
        )
        for _ in range(luck.randrange(60))
    ]
    return end.join(lines) + luck.choice(("", end))


def edited(luck: random.Random, old: str) -> str:
    """Some lines changed, added and removed, near the edges and far from one another."""
    lines = old.splitlines(keepends=True)
    for _ in range(luck.randrange(1, 6)):
        at = luck.choice((0, len(lines), luck.randrange(len(lines) + 1)))
        lines[at : at + luck.choice((0, 0, 1, 3))] = [
            f"new {luck.random()}{luck.choice(ENDS)}"
        ] * luck.choice((0, 1, 1, 2, 9))
    return "".join(lines)[: None if luck.random() < 0.8 else -1]


def change(luck: random.Random, repo: Repo, files: dict[str, bytes], folder: str) -> None:
    """A few operations on a few files of a folder, in the work tree."""
    for name in luck.sample([f"{folder}/{name}" for name in NAMES], luck.randrange(1, 5)):
        old, path = files.get(name), repo.file(name)
        what = luck.choice(
            ("edit", "edit", "edit", "new", "delete", "rename", "mode", "binary", "empty")
        )
        if old is None or what == "new":
            files[name] = text(luck).encode()
        elif what == "edit":
            files[name] = edited(luck, old.decode("utf-8", "replace")).encode()
        elif what == "delete":
            del files[name]
        elif what == "rename":
            files[f"{folder}/renamed-{luck.randrange(9)}.py"] = edited(
                luck, files.pop(name).decode("utf-8", "replace")
            ).encode()
        elif what == "mode":
            path.chmod(path.stat().st_mode ^ 0o111)
        else:
            files[name] = (
                bytes(luck.randrange(256) for _ in range(40)) + b"\0" if what == "binary" else b""
            )
        if name not in files and path.exists():
            path.unlink()
        repo.write(
            {each: content for each, content in files.items() if each.startswith(f"{folder}/")}
        )


def findings(luck: random.Random, files: dict[str, bytes], paths: list[str]) -> list[Finding]:
    """Anywhere: before, in, across and behind hunks, in files that are gone, binary or
    unchanged."""
    found = []
    for number in range(400):
        path = luck.choice([*paths, *paths, *files, "nowhere.py"])
        start = luck.randrange(files.get(path, b"").count(b"\n") + 4)
        end = start + luck.choice((0, 0, 1, 2, 5, 40))
        found.append(
            Finding(
                Priority.P1,
                "",
                f"rule/{number}",
                path,
                start,
                end,
                "Wrong",
                side=luck.choice(("RIGHT", "RIGHT", "LEFT")),
            )
        )
    return found


def wanted(each: PlacedFinding) -> dict[str, object]:
    """The comment as it is sent."""
    span = {"start_line": each.start, "start_side": "RIGHT"} if each.start else {}
    return {"path": each.finding.path, "line": each.line, "side": "RIGHT", **span}


def test_no_comment_is_off_the_diff(repo: Repo, capsys: pytest.CaptureFixture[str]):
    luck, files = random.Random(SEED), dict[str, bytes]()
    inline = several = 0
    product = open_repository(repo.path, os.environ)
    hosted = Repository(1, "octo/repo", Git(repo.path))
    for _ in range(CHANGES // AT_ONCE):
        base = repo.head
        for folder in range(AT_ONCE):
            change(luck, repo, files, str(folder))
        head = repo.commit()
        diff = parse_diff(diff_trees(product, base, head))
        of = Change("r", base, head, True, base, files=diff)
        pull = Pull(1, 1, base, base, "octo/repo", "main", head)
        anchored = anchor_findings(
            findings(luck, files, [file.path for file in diff]), ChangedLines(of), "t"
        )
        for each in place_findings(anchored, AlreadyPosted(), PlacementLimits(max_inline=1_000)):
            if each.placement is Placement.INLINE:
                try:
                    placed(hosted, pull, head, wanted(each))
                except Unplaced as problem:
                    raise AssertionError(f"{each}: {problem.sentence('thread')}") from None
                inline, several = inline + 1, several + bool(each.start)
    with capsys.disabled():
        print(
            f"\n{CHANGES} changes, {inline} comments, {several} of several lines: none off the diff"
        )
    assert inline > 4 * CHANGES and several > CHANGES / 2


def rows(count: int) -> bytes:
    """So many lines, each another one."""
    return b"".join(b"x%d = 1\n" % number for number in range(count))


ZOO = {
    "crlf.py": (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = evil(a)\r\nc = 3"),
    "gone.py": (b"a = 1\n", None),
    "mode.sh": (b"#!/bin/sh\nexit 0\n", b"#!/bin/sh\nexit 0\n"),
    "image.bin": (bytes(range(256)), bytes(range(255, -1, -1))),
    "edges.py": (
        b"".join(b"x%d = 1\n" % n for n in range(40)),
        b"first = 1\n" + b"".join(b"x%d = 1\n" % n for n in range(40) if n != 20) + b"last = 1",
    ),
    "old name.py": (b"".join(b"y%d = 1\n" % n for n in range(20)), None),
    "new name.py": (None, b"".join(b"y%d = 1\n" % n for n in range(19)) + b"y19 = evil(y1)\n"),
    "empty.py": (None, b""),
    "caf\u00e9 \U0001f600.py": (None, b"one = 1\ntwo = 2\nthree = 3\n"),
}


def test_github_s_own_description_takes_every_place(github, repo: Repo, tmp_path: Path):
    """Real files of every kind, findings on each line of each, through Prism."""
    repo.commit({name: old for name, (old, _) in ZOO.items() if old is not None})
    repo.branch("topic")
    repo.write(
        {name: new for name, (old, new) in ZOO.items() if new is not None or old is not None}
    )
    repo.file("mode.sh").chmod(0o755)
    head = repo.commit()
    path = tmp_path / "report.json"
    assert repo.cli(
        "review", "--base", "main", "--output", "json", "--output-path", str(path)
    ).code in (0, 1)
    report = load_report(path.read_text())
    files = parse_diff(diff_trees(open_repository(repo.path, os.environ), report.change.base, head))
    of = Change("r", report.change.base, head, True, report.change.base, files=files)
    spans = [(start, start + more) for start in range(0, 43) for more in (0, 1, 3)]
    made = [
        Finding(
            Priority.P1,
            "",
            f"rule/{number}",
            file.path,
            start,
            end,
            f"Lines {start} to {end}",
            suggestion="x = 1" if end % 2 else None,
        )
        for file in files
        for number, (start, end) in enumerate(spans)
    ]
    anchored = anchor_findings(made, ChangedLines(of), "t")
    stored = github.repository(repo.path)
    stored.pull("topic")
    stage = Stage(github, repo.path / ".git", github.token(), {"max_inline": 1_000})
    done = stage.run(replace(report, findings=anchored))
    assert done.code == 0, done
    posts = github.journal.of("POST", "/repos/*/reviews")
    assert {each.status for each in posts} == {200} and max(
        len(each.json()["comments"]) for each in posts
    ) == 30
    at = {(each.origin.path, each.origin.line) for each in stage.pull.inline}
    assert {
        ("crlf.py", 3),
        ("edges.py", 1),
        ("edges.py", 41),
        ("new name.py", 20),
        ("caf\u00e9 \U0001f600.py", 1),
    } <= at
    assert not {name for name, _ in at} & {
        "gone.py",
        "mode.sh",
        "image.bin",
        "old name.py",
        "empty.py",
    }
    planned = [
        each
        for each in place_findings(anchored, AlreadyPosted(), PlacementLimits(max_inline=1_000))
        if each.placement is Placement.INLINE
    ]
    assert len(stage.pull.inline) == len(planned) > 80
