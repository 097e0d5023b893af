"""Commits between base and head: a push publishes them too, whatever the last of them takes out
again."""

import json

import pytest

from tests.support import Repo

TOKEN = "ghp_" + "0a1B2c3D4e5F" * 3
RULE = "builtin/secret-github-token"


def told(repo: Repo, *args: str, env=None) -> tuple[int, list[str]]:
    """Exit code, and the titles of the open findings of our rule."""
    done = repo.cli("review", "--output", "json", *args, env=env)
    assert TOKEN not in done.output
    found = json.loads(done.stdout)["findings"]
    return done.code, [f["title"] for f in found if f["rule"] == RULE and f["state"] == "open"]


@pytest.mark.parametrize("env", [{}, {"CI": "true"}], ids=["own", "foreign"])
@pytest.mark.parametrize(
    "later", [{"a.py": "key = 1\n"}, {"a.py": None}, {"a.py": None, "b.py": "x = 1\n"}]
)
def test_a_secret_that_a_later_commit_takes_out_is_found(repo: Repo, later, env):
    base = repo.commit({"README": "x\n"})
    guilty = repo.commit({"a.py": f'key = "{TOKEN}"\n'})
    repo.commit({"c.py": "y = 1\n"})
    repo.commit({**later, "c.py": None})
    assert told(repo, "--base", base, env=env) == (
        1,
        [f"a secret in commit {guilty[:12]}, removed by a later commit: github token"],
    )


def test_the_push_is_refused(repo: Repo, tmp_path):
    repo.commit({"README": "x\n"})
    repo.bare_remote(tmp_path / "origin.git")
    repo.push("--quiet", "--set-upstream", "origin", "main")
    repo.commit({"a.py": f'key = "{TOKEN}"\n'})
    repo.commit({"a.py": None})
    push = f"refs/heads/main {repo.head} refs/heads/main {repo.rev('origin/main')}\n"
    done = repo.cli("hook", "run", "origin", "url", stdin=push)
    assert done.code == 1 and RULE in done.output and TOKEN not in done.output, done.output


def test_what_stands_at_the_head_is_told_once(repo: Repo):
    base = repo.commit({"README": "x\n"})
    repo.commit({"a.py": f'key = "{TOKEN}"\n'})
    repo.commit({"a.py": f'# moved\n\nkey = "{TOKEN}"\n'})
    repo.git("mv", "a.py", "b.py")
    repo.commit()
    assert told(repo, "--base", base) == (1, ["a secret in the code: github token"])


def test_what_was_published_before_is_no_news(repo: Repo):
    base = repo.commit({"a.py": f'key = "{TOKEN}"\n', "z.py": "x = 1\n"})
    repo.commit({"a.py": None, "b.py": f'key = "{TOKEN}"\n'})
    repo.commit({"b.py": "key = 1\n"})
    assert told(repo, "--base", base) == (0, [])


def test_what_lies_beyond_the_edge_of_a_shallow_clone_is_no_news(repo: Repo, tmp_path):
    repo.commit({"old.py": f'key = "{TOKEN}"\n'})
    repo.branch("side")
    repo.commit({"a.py": "x = 1\n"})
    repo.switch("main")
    repo.commit({"b.py": "x = 1\n"})
    repo.git("merge", "--quiet", "--message", "both", "side")
    clone = repo.clone(tmp_path / "shallow", "--depth=2")
    assert told(clone, "--range", "HEAD^1..HEAD") == (0, [])


def test_names_that_look_like_the_beginning_of_a_commit_hide_none(repo: Repo):
    base = repo.commit({"README": "x\n"})
    first = repo.commit({f"x\n{'a' * 40}": "1\n"})
    guilty = repo.commit(
        {f"y\n{first}": "2\n", f"y\n{base}": "2\n", "a.py": f'key = "{TOKEN}"\n', "b.bin": b"\0\1"}
    )
    repo.git("rm", "--quiet", "-r", "a.py")
    repo.commit(message="gone")
    repo.commit(message="empty")
    assert told(repo, "--base", base)[1] == [
        f"a secret in commit {guilty[:12]}, removed by a later commit: github token"
    ]


def test_commits_without_changes_and_merges_alone_are_no_trouble(repo: Repo):
    base = repo.commit({"README": "x\n"})
    repo.commit()
    repo.commit()
    assert told(repo, "--base", base) == (0, [])
    repo.branch("side", base)
    repo.commit()
    repo.git("merge", "--quiet", "--no-ff", "--message", "both", "main")
    assert told(repo, "--base", base) == (0, [])


@pytest.mark.parametrize("sides", [1, 3], ids=["two parents", "octopus"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", ""], ids=["lf", "crlf", "none"])
def test_what_a_merge_alone_brings_is_found(repo: Repo, sides: int, ending: str):
    base = repo.commit({"README": "x\n", "both.py": "a = 1\n\n\n\nb = 1\n"})
    names = [f"side{number}" for number in range(sides)]
    for number, name in enumerate(names):
        repo.branch(name, base)
        repo.commit(
            {
                f"{number}.py": "y = 1\n",
                **({"both.py": "a = 2\n\n\n\nb = 1\n"} if not number else {}),
            }
        )
    repo.branch("work", base)
    repo.commit({"both.py": "a = 1\n\n\n\nb = 2\n"})
    repo.git("merge", "--quiet", "--no-commit", *names)
    guilty = repo.commit({"n\nü.py": f'\rkey = "{TOKEN}"{ending}', "z.bin": b"\0\1"})
    repo.git("rm", "--quiet", "n\nü.py")
    repo.commit()
    assert told(repo, "--base", base) == (
        1,
        [f"a secret in commit {guilty[:12]}, removed by a later commit: github token"],
    )


def test_what_a_merge_brings_from_a_published_branch_is_no_news(repo: Repo):
    first = repo.commit({"both.py": "a = 1\n\n\n\nb = 1\n"})
    base = repo.commit({"both.py": f'a = "{TOKEN}"\n\n\n\nb = 1\n'})
    repo.branch("work", first)
    repo.commit({"both.py": "a = 1\n\n\n\nb = 2\n"})
    repo.git("merge", "--quiet", "--message", "both", "main")
    repo.commit({"both.py": "a = 3\n"})
    assert told(repo, "--base", base) == (0, [])


def test_a_clock_that_is_wrong_hides_none(repo: Repo):
    base = repo.commit({"README": "x\n"})
    late, early = (
        Repo(repo.path, {"GIT_COMMITTER_DATE": f"{year}-01-01T00:00:00Z"}) for year in (2030, 2020)
    )
    guilty = late.commit({"a.py": f'key = "{TOKEN}"\n'})
    early.commit({"a.py": None})
    late.branch("side", guilty)
    late.commit({"b.py": "x = 1\n"})
    late.git("merge", "--quiet", "--message", "both", "main")
    assert told(repo, "--base", base) == (
        1,
        [f"a secret in commit {guilty[:12]}, removed by a later commit: github token"],
    )


def test_more_commits_than_are_looked_at_are_no_pass(repo: Repo):
    base = repo.head
    row = (
        "commit refs/heads/main\ncommitter Ada Example <ada@example.com> {0} +0000\ndata 1\nx\n"
        "{1}M 644 inline a.txt\ndata {2}\n{3}\n"
    )
    texts = [f"{TOKEN}\n", *(f"{number}\n" for number in range(10_000))]
    rows = (
        row.format(1_700_000_000 + at, "" if at else f"from {base}\n", len(text), text)
        for at, text in enumerate(texts)
    )
    repo.git("fast-import", "--quiet", stdin="".join(rows))
    assert told(repo, "--range", f"{base}..main~1")[0] == 1
    done = repo.cli("review", "--range", f"{base}..main")
    assert done.code == 2 and "only the newest 10,000 commits" in done.stdout, done.output


def test_a_range_that_comes_back_to_where_it_was_is_read_too(repo: Repo):
    base = repo.commit({"README": "x\n"})
    repo.commit({"a.py": "x = 1\n"})
    repo.commit({"a.py": None})
    done = repo.cli("review", "--base", base)
    assert done.code == 0 and "reviewed by builtin" in done.stdout, done.output
