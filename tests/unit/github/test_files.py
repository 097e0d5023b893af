"""Changed files by the API: what GitHub leaves out without a word is found out, read again, or told
as unread."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from msgspec.structs import replace

from reviewgate_gh.github.pull_requests import read_blob, read_changed_files, read_pull
from reviewgate_gh.github.reading import MalformedAnswer
from reviewgate_gh.model.errors import UpstreamError
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Say, Seen, Server


def changed(github: GitHub, repo: Repo, files) -> tuple:
    pull = pull_of(github, repo)
    repo.commit(files)
    pull.push()
    client = client_of(github)
    return pull, client, read_pull(client, 1)


def long(lines: int, text: str = "x") -> str:
    return "".join(f"{text} {number}\n" for number in range(lines))


def test_patches_that_were_left_out_are_read_again_in_small_answers(
    github_plain: GitHub, repo: Repo
):
    _, client, pull = changed(
        github_plain, repo, {f"big{number:02}.txt": long(1500) for number in range(25)}
    )
    found = read_changed_files(client, pull)
    assert len(found.rows) == 28 and found.unread == () and found.missing == 0
    assert all(
        row.additions == 1500 and row.patch for row in found.rows if row.path.startswith("big")
    )
    asked = [entry.target.partition("?")[2] for entry in github_plain.journal.of("GET", "*/files")]
    # code.py and big00 to big12 come whole; then windows of ten, of which none has as many lines.
    assert asked == ["per_page=100", "page=2&per_page=10", "page=3&per_page=10"]


def test_one_file_can_empty_all_that_follow_it(github_plain: GitHub, repo: Repo):
    files = {"huge.txt": long(21_000), **{f"later{number}.txt": long(5) for number in range(5)}}
    _, client, pull = changed(github_plain, repo, files)
    found = read_changed_files(client, pull)
    assert found.unread == ("huge.txt",) and sum(row.patch is not None for row in found.rows) == 8


def test_what_no_answer_shows_is_unread(github_plain: GitHub, repo: Repo):
    files = {
        "huge.txt": long(21_000),
        "data.bin": b"\x00\x01\xff",
        "empty.txt": "",
        "fine.txt": "x\n",
    }
    pull, client, _ = changed(github_plain, repo, files)
    repo.git("mv", "fine.txt", "moved.txt")
    repo.git("update-index", "--chmod=+x", "code.py")
    repo.git("commit", "--quiet", "--message", "move")
    pull.push()
    found = read_changed_files(client, read_pull(client, 1))
    assert found.unread == ("data.bin", "huge.txt") and found.missing == 0
    assert {row.path for row in found.rows} == {
        "code.py",
        "data.bin",
        "empty.txt",
        "gone.py",
        "huge.txt",
        "moved.txt",
        "new.py",
    }


def test_a_pure_rename_hides_nothing_and_a_mode_is_not_seen(github_plain: GitHub, repo: Repo):
    pull, client, _ = changed(github_plain, repo, {})
    repo.switch("main")
    repo.commit({"a.txt": long(30), "run.sh": "echo\n"}, "before")
    repo.git("rebase", "--quiet", "main", "topic")
    repo.git("mv", "a.txt", "b.txt")
    repo.git("update-index", "--chmod=+x", "run.sh")
    repo.git("commit", "--quiet", "--message", "both")
    pull.push()
    found = read_changed_files(client, read_pull(client, 1))
    renamed = next(row for row in found.rows if row.path == "b.txt")
    assert (renamed.old_path, renamed.status, renamed.patch) == ("a.txt", "renamed", None)
    assert found.unread == ("run.sh",), (
        "GitHub shows no difference between a mode and a patch that was left out"
    )


def test_more_than_a_page_of_files_with_names_of_every_kind(github_plain: GitHub, repo: Repo):
    names = [f"d/{number}.txt" for number in range(205)] + [
        "a b?c#d%20.txt",
        "\u00fc\u4e2d.txt",
        'quote".txt',
    ]
    _, client, pull = changed(github_plain, repo, {name: f"{name}\n" for name in names})
    found = read_changed_files(client, pull)
    assert (
        {row.path for row in found.rows} >= set(names) and found.unread == () and found.missing == 0
    )
    assert github_plain.journal.count("GET", "*/files") == 3


def test_a_head_that_moves_meanwhile_is_no_mixture(github_plain: GitHub, repo: Repo):
    pull, client, found = changed(github_plain, repo, {})
    repo.commit({"later.py": "x\n"})
    github_plain.faults.on("GET", "*/files", after=pull.push)
    with pytest.raises(UpstreamError, match="changed while"):
        read_changed_files(client, found)


def test_files_that_github_does_not_list_are_counted(github_plain: GitHub, repo: Repo):
    _, client, pull = changed(github_plain, repo, {})
    assert read_changed_files(client, replace(pull, changed_files=3_100)).missing == 3_097


ROW = {
    "filename": "a.py",
    "status": "modified",
    "additions": 1,
    "deletions": 1,
    "sha": "d" * 40,
    "patch": "@@ -1 +1 @@\n-a\n+b",
}


def rows(server: Server, client, *changes) -> tuple[str, ...]:
    listed = [{**ROW, "filename": f"{index}.py", **change} for index, change in enumerate(changes)]
    body = [{key: value for key, value in row.items() if value is not None} for row in listed]
    server.rule = lambda seen: (
        Say(200, body) if "per_page" in seen.path else Say(200, {"head": {"sha": "b" * 40}})
    )
    pull = type("Pull", (), {"number": 1, "head": "b" * 40, "changed_files": len(changes)})
    return read_changed_files(client, pull).unread


@pytest.mark.parametrize(
    ("change", "whole"),
    [
        ({}, True),
        ({"additions": 2}, False),
        ({"deletions": 0}, False),
        ({"patch": "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file"}, True),
        ({"patch": "@@ -1 +1 @@\n-a"}, False),
        ({"patch": None}, False),
        ({"patch": None, "additions": 0, "deletions": 0}, False),
        (
            {
                "patch": None,
                "additions": 0,
                "deletions": 0,
                "status": "renamed",
                "previous_filename": "b.py",
            },
            True,
        ),
        (
            {
                "patch": None,
                "additions": 0,
                "deletions": 0,
                "status": "added",
                "sha": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
            },
            True,
        ),
        (
            {
                "patch": None,
                "additions": 900,
                "deletions": 0,
                "status": "renamed",
                "previous_filename": "b.py",
            },
            False,
        ),
        ({"patch": "", "additions": 0, "deletions": 0}, True),
    ],
)
def test_a_patch_has_every_line_that_github_counts(server: Server, client, change, whole):
    assert rows(server, client, change) == (() if whole else ("0.py",))


@pytest.mark.contract(plain=False)
def test_there_is_an_end_to_asking_again(server: Server, client):
    silent = {**ROW, "patch": None, "additions": 0, "deletions": 0, "status": "renamed"}
    listed = [{**silent, "filename": f"{number}.py"} for number in range(300)]

    def rule(seen: Seen) -> Say:
        query = {key: int(value) for key, value in parse_qsl(urlsplit(seen.path).query)}
        if not query:
            return Say(200, {"head": {"sha": "b" * 40}})
        size, page = query["per_page"], query.get("page", 1)
        link = {
            "link": (
                f"<{server.url}{seen.path.partition('?')[0]}?per_page={size}&page={page + 1}>; "
                'rel="next"'
            )
        }
        return Say(200, listed[(page - 1) * size : page * size], link if page * size < 300 else {})

    server.rule = rule
    pull = type("Pull", (), {"number": 1, "head": "b" * 40, "changed_files": 300})
    found = read_changed_files(client, pull)
    assert len(server.seen) == 3 + 1 + 200 + 1 and [row.path for row in found.rows] == [
        row["filename"] for row in listed
    ]
    # A window of ten takes eleven requests, so 18 were looked at whole, and one in part; a rename
    # that nobody looked at is no pure rename.
    assert found.unread == tuple(f"{number}.py" for number in range(181, 300))


@pytest.mark.parametrize(
    "wrong", [{"filename": None}, {"status": None}, {"additions": "many"}, {"patch": 7}]
)
def test_a_row_of_the_wrong_shape_is_malformed(server: Server, client, wrong):
    with pytest.raises(MalformedAnswer):
        rows(server, client, wrong)


@pytest.mark.parametrize("content", ["YQpiCg==", "YQpi\nCg==\n", "YQpiCgo=", "!!!", "", "YQ"])
def test_a_blob_holds_what_its_name_says(server: Server, client, content):
    oid = "422c2b7ab3b3c668038da977e4e93a5fc623169c"  # of "a\nb\n"
    server.say(Say(200, {"content": content, "encoding": "base64"}))
    if content.startswith("YQpi") and "Cgo" not in content:
        assert read_blob(client, oid) == b"a\nb\n"
        return
    with pytest.raises(MalformedAnswer):
        read_blob(client, oid)
