"""The diff parser against git's own listings, on hostile repositories."""

import hashlib
import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewgate_gh.git import open_repository
from reviewgate_gh.git.diff import diff_trees, parse_diff, split_paths
from reviewgate_gh.model.change import Change, FileDiff, Range
from reviewgate_gh.model.errors import InternalError
from reviewgate_gh.reviewers._checkout import open_checkout
from reviewgate_gh.reviewers.checks._sources import base_line, content_at_base
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system.environment import Environment
from tests.support import Repo

HOSTILE_CONFIG = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "color.ui": "always",
    "color.diff": "always",
    "core.quotePath": "false",
    "diff.renames": "copies",
    "diff.renameLimit": "1",
    "log.showSignature": "true",
    "diff.external": "touch pwned;",
    "core.pager": "touch pwned",
    "diff.context": "9",
    "diff.interHunkContext": "5",
    "diff.suppressBlankEmpty": "true",
    "diff.algorithm": "patience",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "all",
    "diff.relative": "true",
    "diff.orderFile": "order-of-the-user",
    "diff.wordRegex": ".",
    "diff.colorMoved": "zebra",
    "core.whitespace": "trailing-space",
    "core.abbrev": "4",
    "diff.srcPrefix": "x/",
    "diff.dstPrefix": "y/",
    "diff.x.textconv": "touch pwned; cat",
    "diff.x.command": "touch pwned; true",
    "core.attributesFile": "attributes-of-the-user",
}


def parsed(repo: Repo, base: str, head: str) -> dict[str, FileDiff]:
    git = open_repository(repo.path, os.environ)
    return {file.path: file for file in parse_diff(diff_trees(git, repo.rev(base), repo.rev(head)))}


def numstat(repo: Repo, base: str, head: str) -> dict[bytes, tuple[bytes, bytes]]:
    """git's own counts by path at head."""
    argv = [
        "git",
        "diff-tree",
        "-r",
        "-z",
        "-M50%",
        "-l1000",
        "--numstat",
        "--no-commit-id",
        repo.rev(base),
        repo.rev(head),
    ]
    fields = subprocess.run(argv, cwd=repo.path, capture_output=True, check=True).stdout.split(
        b"\0"
    )
    rows, at = {}, 0
    while at < len(fields) and fields[at]:
        added, deleted, path = fields[at].split(b"\t", 2)
        if not path:
            path, at = fields[at + 2], at + 2
        rows[path] = (added, deleted)
        at += 1
    return rows


def statuses(repo: Repo, base: str, head: str) -> dict[str, tuple[str, str]]:
    """git's own letter and old path, by path at head."""
    argv = [
        "git",
        "diff-tree",
        "-r",
        "-z",
        "-M50%",
        "-l1000",
        "--name-status",
        "--no-commit-id",
        repo.rev(base),
        repo.rev(head),
    ]
    fields = iter(
        subprocess.run(argv, cwd=repo.path, capture_output=True, check=True).stdout.split(b"\0")[
            :-1
        ]
    )
    rows = {}
    for letter in fields:
        old = os.fsdecode(next(fields))
        rows[os.fsdecode(next(fields)) if letter[:1] in b"RC" else old] = (letter[:1].decode(), old)
    return rows


def listing(repo: Repo, tree: str) -> dict[str, tuple[str, str]]:
    """Mode and object id by path."""
    argv = ["git", "ls-tree", "-r", "-z", repo.rev(tree)]
    rows = subprocess.run(argv, cwd=repo.path, capture_output=True, check=True).stdout.split(b"\0")[
        :-1
    ]
    parts = ((row.partition(b"\t")[0].decode().split(" "), row.partition(b"\t")[2]) for row in rows)
    return {os.fsdecode(path): (mode, oid) for (mode, _kind, oid), path in parts}


def rows_of(data: bytes) -> list[bytes]:
    """The lines, each with its newline, where it has one."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def rebuilt(file: FileDiff, old: list[bytes], new: list[bytes]) -> bytes:
    """The text at head, made of the one at base and the hunks; each line of a hunk is on either
    side where it says."""
    made, at = [], 0
    for hunk in file.hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        made, at = made + old[at:start], start + hunk.old_count
        assert len(made) == (hunk.new_start - 1 if hunk.new_count else hunk.new_start)
        for line in hunk.lines():
            assert not line.old or old[line.old - 1].removesuffix(b"\n") == line.text
            assert not line.new or new[line.new - 1].removesuffix(b"\n") == line.text
        sign = b""
        for row in rows_of(hunk.body):
            if row.startswith(b"\\") and sign in b" +":
                made[-1] = made[-1].removesuffix(b"\n")
            sign = row[:1]
            made += [row[1:].removesuffix(b"\n") + b"\n"] if sign in b" +" else []
    return b"".join(made + old[at:])


def assert_equal_to_git(repo: Repo, base: str, head: str) -> None:
    files, sides = parsed(repo, base, head), (listing(repo, base), listing(repo, head))
    assert {path: (file.status, file.old_path) for path, file in files.items()} == statuses(
        repo, base, head
    )
    counts = {}
    for path, file in files.items():
        nothing = ("000000", "0" * len(file.oid))
        assert (file.old_mode, file.old_oid) == sides[0].get(
            file.old_path if file.status != "A" else "", nothing
        )
        assert (file.mode, file.oid) == sides[1].get(path, nothing)
        signs = [line.sign for hunk in file.hunks for line in hunk.lines()]
        # A moved file that is equal has no patch, and nothing tells that it is binary; of another
        # type, git's patch goes over all lines.
        if file.oid != file.old_oid and file.status != "T":
            own = (
                (b"-", b"-")
                if file.binary
                else (str(signs.count("+")).encode(), str(signs.count("-")).encode())
            )
            counts[os.fsencode(path)] = own
        if (
            not file.binary
            and "160000" not in (file.old_mode, file.mode)
            and file.oid != file.old_oid
        ):
            old, new = (rows_of(blob(repo, oid)) for oid in (file.old_oid, file.oid))
            if file.status == "T":
                assert (signs.count("-"), signs.count("+")) == (len(old), len(new))
            else:
                assert rebuilt(file, old, new) == b"".join(new)
                assert content_at_base(file, b"".join(new)).rstrip(b"\n") == b"".join(old).rstrip(
                    b"\n"
                )
                was = [base_line(file, number) for number in range(1, len(new) + 1)]
                assert was.count(0) == signs.count("+") and len({*was} - {0}) == len(
                    new
                ) - was.count(0)
                assert all(
                    old[at - 1].rstrip(b"\n") == row.rstrip(b"\n")
                    for at, row in zip(was, new, strict=True)
                    if at
                )
    listed = numstat(repo, base, head)
    assert counts == {path: row for path, row in listed.items() if path in counts} and len(
        listed
    ) == len(files)


def blob(repo: Repo, oid: str) -> bytes:
    if not oid.strip("0"):
        return b""
    return subprocess.run(
        ["git", "cat-file", "blob", oid], cwd=repo.path, capture_output=True, check=True
    ).stdout


@pytest.fixture
def torture(make_repo) -> Repo:
    repo = make_repo("torture")
    repo.write({
        "keep.txt": "one\ntwo\nthree\n",
        "x b/y": "a\n",
        "renamed-from.txt": "".join(f"line {n}\n" for n in range(20)),
        "pure.txt": "same\n" * 5,
        "mode.sh": "#!/bin/sh\necho hi\n",
        "bin.dat": b"\0\1\2",
        "no-newline": "a\nb",
        "crlf.txt": "a\r\nb\r\n",
        "odd-breaks.txt": b"form\x0cfeed\ncarriage\rreturn\nsep\xe2\x80\xa8arator\n",
        "latin1.txt": b"caf\xe9\n",
        "like-a-header": "-- a/x\n++ b/x\n@@ -1 +1 @@\ndiff --git a/q b/q\n",
        "gone.txt": "bye\n",
        "empty-then-full": "",
        'quote".txt': "q\n",
        "tab\there": "t\n",
        "new\nline": "n\n",
        "ünïcode": "u\n",
        "deep/er/file": "d\n",
    })  # fmt: skip
    repo.write({os.fsdecode(b"not-utf8-\xff\xfe"): "raw\n"})
    repo.file("link").symlink_to("keep.txt")
    repo.file("typechange").symlink_to("keep.txt")
    repo.commit(message="base")
    repo.write({
        "keep.txt": "one\nTWO\nthree\n",
        "x b/y": "a\nb\n",
        "renamed-to.txt": "".join(f"line {n}\n" for n in range(20)) + "more\n",
        "renamed-from.txt": None,
        "moved/pure.txt": "same\n" * 5,
        "pure.txt": None,
        "bin.dat": b"\0\1\3",
        "no-newline": "a\nc",
        "crlf.txt": "a\r\nB\r\n",
        "odd-breaks.txt": b"form\x0cfeed!\ncarriage\rreturn!\nsep\xe2\x80\xa8arator!\n",
        "latin1.txt": b"caf\xe9s\n",
        "like-a-header": "-- a/y\n++ b/y\n@@ -2 +2 @@\ndiff --git a/r b/r\n",
        "gone.txt": None,
        "empty-then-full": "now\n",
        "added-empty": "",
        'quote".txt': "q\nq\n",
        "tab\there": "t\nt\n",
        "new\nline": "n\nn\n",
        "ünïcode": "u\nu\n",
        "typechange": None,
        os.fsdecode(b"not-utf8-\xff\xfe"): "raw\nraw\n",
    })  # fmt: skip
    repo.file("typechange").write_text("a file now\n")
    repo.file("link").unlink()
    repo.file("link").symlink_to("x b/y")
    repo.file("mode.sh").chmod(0o755)
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.git("add", "--all", "--", ":!module")
    repo.git("commit", "--quiet", "--message", "head")
    return repo


def test_the_torture_repository_is_read_as_git_reads_it(torture):
    assert_equal_to_git(torture, "HEAD~", "HEAD")
    files = parsed(torture, "HEAD~", "HEAD")
    assert (files["renamed-to.txt"].status, files["renamed-to.txt"].old_path) == (
        "R",
        "renamed-from.txt",
    )
    assert files["moved/pure.txt"].status == "R" and not files["moved/pure.txt"].hunks
    assert (files["mode.sh"].old_mode, files["mode.sh"].mode) == ("100644", "100755")
    assert files["bin.dat"].binary
    assert files["typechange"].status == "T" and len(files["typechange"].hunks) == 2
    assert files["module"].is_submodule and files["link"].is_symlink
    assert files["added-empty"].status == "A" and not files["added-empty"].hunks
    assert "new\nline" in files and os.fsdecode(b"not-utf8-\xff\xfe") in files
    assert [line.text for line in files["odd-breaks.txt"].added_lines()] == [
        b"form\x0cfeed!", b"carriage\rreturn!", "sep\u2028arator!".encode(),
    ]  # fmt: skip
    assert [(line.new, line.text) for line in files["crlf.txt"].added_lines()] == [(2, b"B\r")]


def test_copies_are_read_when_git_reports_them():
    raw = (
        b":100644 100644 "
        + b"a" * 40
        + b" "
        + b"b" * 40
        + b" C075\0from\0to\0\0diff --git a/from b/to\nsimilarity index 75%\n"
    )
    (file,) = parse_diff(raw + b"copy from from\ncopy to to\n")
    assert (file.status, file.old_path, file.path) == ("C", "from", "to")


def test_no_config_of_the_user_changes_the_diff(torture):
    git = open_repository(torture.path, os.environ)
    pair = torture.rev("HEAD~"), torture.rev("HEAD")
    plain = diff_trees(git, *pair)
    torture.write({"attributes-of-the-user": "* -diff\n", "order-of-the-user": "x*\n*\n"})
    for name, value in HOSTILE_CONFIG.items():
        torture.git("config", "--global", name, value)
    assert diff_trees(open_repository(torture.path, os.environ), *pair) == plain
    assert not list(torture.path.rglob("pwned"))


def test_attributes_of_the_reviewed_tree_hide_nothing(repo):
    repo.commit({".gitattributes": "* -diff\n*.py binary diff=x\n", "bad.py": "eval(x)\n"})
    repo.git("config", "diff.x.textconv", "touch pwned; cat")
    assert [line.text for line in parsed(repo, "HEAD~", "HEAD")["bad.py"].added_lines()] == [
        b"eval(x)"
    ]
    assert not list(repo.path.rglob("pwned"))


def test_sha256_repositories(make_repo):
    repo = make_repo("sha256", "--object-format=sha256")
    repo.commit({"a": "1\n"})
    repo.commit({"a": "1\n2\n"})
    assert len(parsed(repo, "HEAD~", "HEAD")["a"].oid) == 64
    assert_equal_to_git(repo, "HEAD~", "HEAD")


LINES = st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"\n", b"")), max_size=12)
NAMES = st.binary(min_size=1, max_size=60).filter(
    lambda b: not set(b) & {0, 47} and b not in (b".", b"..") and b.lower()[:4] != b".git"
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(b"/".join)
MODES = ("100644", "100644", "100644", "100755", "120000", "160000")


FILES = st.builds(
    lambda lines, last: b"\n".join(lines) + last, LINES, st.sampled_from([b"", b"\n"])
)


@st.composite
def entries(draw, like: bytes | None = None):
    """Mode and content: a file, a link, or a submodule, whose content is a commit's id. `like`:
    some of it is cut out of that content."""
    mode, data = draw(st.sampled_from(MODES)), draw(FILES)
    if like is not None:
        at, to = sorted(draw(st.tuples(*[st.integers(0, len(like))] * 2)))
        data = like[:at] + data + like[to:]
    return mode, hashlib.sha1(data).hexdigest().encode() if mode == "160000" else data


@st.composite
def pairs(draw):
    """Two trees by path. A path is in one of them or in both, as it was or changed; a file may be
    where another's folder is."""
    before, after = {}, {}
    for path in draw(st.lists(PATHS, min_size=1, max_size=8, unique_by=lambda b: b.lower())):
        how = draw(st.sampled_from(["new", "gone", "same", "changed", "moved"]))
        old = draw(entries())
        if how != "new":
            before[path] = old
        if how == "moved":
            after[draw(PATHS)] = old
        elif how != "gone":
            after[path] = draw(entries(old[1])) if how == "changed" else old
    return before, after


def imported(repo: Repo, *contents: dict[bytes, tuple[str, bytes]]) -> None:
    """A commit for each of these trees, on a new branch main."""
    stream = b""
    for content in contents:
        stream += b"commit refs/heads/main\ncommitter A <a@b> 0 +0000\ndata 0\n" + (
            b"deleteall\n" if stream else b""
        )
        for path, (mode, data) in content.items():
            quoted = b'"' + "".join(f"\\{byte:03o}" for byte in path).encode() + b'"'
            where, more = (
                (data, b"")
                if mode == "160000"
                else (b"inline", b"data %d\n%s\n" % (len(data), data))
            )
            stream += b"M %s %s %s\n%s" % (mode.encode(), where, quoted, more)
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"], cwd=repo.path, input=stream, check=True
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(pair=pairs())
@pytest.mark.slow
def test_every_pair_of_trees_is_read_as_git_reads_it(make_repo, pair):
    repo = make_repo()
    imported(repo, *pair)
    assert_equal_to_git(repo, "main~", "main")


PIECES = (
    b"a", b"B", b" ", b"\n", b"\t", b"\r", b'"', b"'", b"\\", b"\x1b[31m", b"\xe2\x80\xae", b"\xff",
        b"\xc3\xa9", b"-", b"*", b"?", b"[",
    b":", b"|", b"$(x)", b"CON", b"..", b"git~1", b"/dev/null", b"b/", b"=>", b"{", b"}", b"%s",
    b"\x7f", b"\x01", b"\xf0\x9f\x98\x80",
    b"x" * 40,
)  # fmt: skip
WICKED = (b"../out", b"/etc/out", b".git/out", b"sub/.GIT/out", b"a/../../out", b".git", b"..")


@pytest.mark.slow
def test_ten_thousand_names_are_those_of_the_tree_and_nothing_is_written_elsewhere(make_repo):
    """A tree that no work tree could hold: its names are made of what quotes, breaks, hides and
    leads away."""
    repo, dice, names = make_repo(), random.Random(41), set()
    while len(names) < 10_000:
        names |= {b"".join(dice.choices(PIECES, k=dice.randint(1, 6))).replace(b"/", b"_")} - {
            b".."
        }
    blob = repo.git("hash-object", "-w", "--stdin", stdin="words\n")
    tree = b"".join(
        b"100644 %s\0" % name + bytes.fromhex(blob) for name in sorted(names | {*WICKED})
    )
    argv = ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
    head = (
        subprocess.run(argv, cwd=repo.path, input=tree, capture_output=True, check=True)
        .stdout.decode()
        .strip()
    )
    git = open_repository(repo.path, os.environ)
    found = parse_diff(diff_trees(git, git.empty_tree, head))
    rows = git.run("ls-tree", "-z", "--name-only", head).split(b"\0")[:-1]
    assert sorted(os.fsencode(file.path) for file in found) == sorted(rows) and {*rows} == names | {
        *WICKED
    }
    assert {(file.status, file.oid) for file in found} == {("A", blob)}
    before = everything(repo.path.parent)
    with open_checkout(
        git,
        Change("", git.empty_tree, head, False, git.empty_tree, files=tuple(found)),
    ) as files:
        folder = files.with_files(file.path for file in found)
        assert {os.fsencode(os.path.relpath(path, folder)) for path in everything(folder)} == names
        assert [path.name for path in folder.parent.iterdir() if "owner" not in path.name] == [
            "head"
        ] and everything(repo.path.parent) == before
    assert not any(
        Path(place).exists()
        for place in ("/etc/out", folder.parent / "out", folder.parent.parent / "out")
    )


def everything(folder):
    """Every file below it."""
    return {os.path.join(top, name) for top, _folders, names in os.walk(folder) for name in names}


def test_added_runs_are_the_added_lines(torture):
    for file in parsed(torture, "HEAD~", "HEAD").values():
        for hunk in file.hunks:
            numbers = [n for start, end in hunk.added_runs() for n in range(start, end + 1)]
            assert numbers == [line.new for line in hunk.added_lines()]


def test_a_cut_answer_is_refused_or_a_true_beginning(torture):
    """git's exit code tells of a cut; the parser for its part never reads a hunk that is not
    there."""
    git = open_repository(torture.path, os.environ)
    whole = diff_trees(git, torture.rev("HEAD~"), torture.rev("HEAD"))
    full, refused = parse_diff(whole), 0
    for end in range(1, len(whole) - 1, 7):
        try:
            cut = parse_diff(whole[:end])
        except InternalError:
            refused += 1
            continue
        for ours, git_s in zip(cut, full, strict=True):
            known = [(h.new_start, h.new_count, h.old_start, h.old_count) for h in git_s.hunks]
            assert [
                (h.new_start, h.new_count, h.old_start, h.old_count) for h in ours.hunks
            ] == known[: len(ours.hunks)]
    assert refused > len(whole) // 7 * 0.8


def test_a_large_change_is_read_in_portions_and_is_the_same(make_repo):
    repo = make_repo()
    repo.commit(
        {f"d{n % 7}/f{n}": f"{n}\n" * 9 for n in range(300)}
        | {f"r{n}": f"moved {n}\n" * 20 for n in range(5)}
        | {":(glob)*": "a\n", "a.png": b"\x89PNG\r\n\0\0", "b.png": b"\x89PNG\r\n\0\1"}
    )
    repo.write(
        {f"d{n % 7}/f{n}": f"{n}\n" * 8 + "changed\n" for n in range(250)}
        | {f"d{n % 7}/f{n}": None for n in range(250, 280)}
    )
    repo.write(
        {f"r{n}": None for n in range(5)}
        | {f"to/r{n}": f"moved {n}\n" * 20 + "x\n" for n in range(5)}
        | {":(glob)*": "b\n", "a.png": b"\x89PNG\r\n\0\2", "c.png": b"\x89PNG\r\n\0\3"}
    )
    repo.commit()
    git = open_repository(repo.path, os.environ)
    base, head = repo.rev("HEAD~"), repo.head
    whole = parse_diff(diff_trees(git, base, head))
    assert len(split_paths(list(whole), 3)) == 3
    change = load_change(git, Range(base, head), Environment(os.environ, repo.path), True)
    assert {file.path for file in change.files if file.binary} == {"a.png", "c.png"}
    assert change.files == whole and sum(file.status == "R" for file in whole) == 5
