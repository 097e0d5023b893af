"""`review --pr N`: a pull request of origin as objects only, judged by its base, and nothing of the
clone moved."""

import json

import pytest

from tests.e2e.forge import Forge
from tests.support import Repo

EVIL = "def f(x):\n    return evil(x)\n"
FINE = "def f(x):\n    return x\n"
LENIENT = "version: 1\npolicy: {finding_threshold: none}\n"


@pytest.fixture
def forge(make_repo, tmp_path) -> Forge:
    return Forge(make_repo, tmp_path)


def state(repo: Repo) -> dict[str, object]:
    """Everything of a clone that a review must leave alone."""
    git = repo.path / ".git"
    names = ("HEAD", "index", "config", "FETCH_HEAD", "packed-refs", "ORIG_HEAD", "shallow")
    refs = [
        row for row in repo.git("for-each-ref").splitlines() if "refs/reviewgate-gh/" not in row
    ]
    files = {
        path: path.read_bytes()
        for path in repo.path.rglob("*")
        if path.is_file() and git not in path.parents
    }
    logs = {path: path.read_bytes() for path in (git / "logs").rglob("*") if path.is_file()}
    return {
        "refs": refs,
        "files": files,
        "logs": logs,
        **{n: (git / n).read_bytes() if (git / n).exists() else None for n in names},
    }


def found(report) -> set[tuple[str, str]]:
    return {(each["path"], each["rule"]) for each in report["findings"] if each["state"] == "open"}


@pytest.mark.contract
@pytest.mark.req("R003-031", "R003-033")
def test_objects_are_fetched_and_nothing_else_is_touched(forge):
    head = forge.pull({"a.py": EVIL})
    forge.clone.write({"README.md": "# Edited\n", "new.txt": "x\n"})
    forge.clone.git("add", "new.txt")
    forge.onto({"later.txt": "x\n"})
    before = state(forge.clone)
    done, report = forge.review()
    assert done.code == 1 and ("a.py", "ruff/F821") in found(report), done.output
    assert (report["change"]["base"], report["change"]["head"]) == (forge.clone.rev("main"), head)
    assert state(forge.clone) == before
    assert "reviewgate-gh publish 1" in done.stderr
    forge.clone.git("reflog", "expire", "--expire=now", "--all")
    forge.clone.git("gc", "--quiet", "--prune=now")
    assert forge.clone.ran("cat-file", "-e", head).code == 0


@pytest.mark.contract(plain=False)
def test_a_pull_request_that_moved_is_fetched_anew(forge):
    forge.pull({"a.py": EVIL})
    assert forge.review()[0].code == 1
    forge.author.git("branch", "--force", "topic", "main")
    head = forge.pull({"a.py": FINE})
    done, report = forge.review("#1")
    assert done.code == 0 and report["change"]["head"] == head, done.output


@pytest.mark.req("R003-067", "R003-068")
@pytest.mark.parametrize("side", ["head", "base"])
def test_the_rules_are_the_base_s_even_where_the_commits_were_made_here(forge, side):
    """The author reviews his own pull request in the clone in which he made it."""
    if side == "base":
        forge.onto({".reviewgate-gh.yaml": LENIENT})
    forge.pull(
        {
            "a.py": "import os  # noqa\n" + EVIL.replace(")\n", ")  # noqa: F821\n", 2),
            **({".reviewgate-gh.yaml": LENIENT} if side == "head" else {}),
        }
    )
    forge.clone = forge.author
    done, report = forge.review()
    assert done.code == (1 if side == "head" else 0), done.output
    assert not report["change"]["trusted"] and ("a.py", "ruff/F821") in found(report)
    assert ("applies after the merge" in str(report["notices"])) == (side == "head")


@pytest.mark.parametrize(("published", "door"), [(True, "pr"), (False, "fork")])
def test_a_head_that_no_branch_of_the_remote_has_comes_through_the_door_of_forks(
    forge, published, door
):
    named = {name: {"type": "builtin", "where": [name]} for name in ("pr", "fork")}
    forge.onto(
        {".reviewgate-gh.yaml": json.dumps({"version": 1, "reviewers": {"change": False, **named}})}
    )
    forge.pull({"a.txt": "x\n"}, published=published)
    done, report = forge.review()
    assert [row["reviewer"] for row in report["reviews"]] == [door], done.output


def files_of(report) -> set[str]:
    return {each["path"] for each in report["change"]["files"]}


def test_it_is_compared_with_the_remote_s_default_branch_whatever_this_clone_holds(forge):
    forge.onto({"later.txt": "x\n"})
    forge.pull({"a.py": FINE})
    forge.clone.git("update-ref", "-d", "refs/remotes/origin/HEAD")
    forge.clone.git("update-ref", "-d", "refs/remotes/origin/main")
    done, report = forge.review()
    assert done.code == 0 and files_of(report) == {"a.py"}, done.output
    assert "since the merge base with main" in str(report["change"]["notes"])


@pytest.mark.parametrize("base", ["develop", "origin/develop", "refs/heads/develop", "COMMIT"])
def test_another_base_is_a_branch_of_the_remote_or_a_commit_of_the_clone(forge, base):
    forge.author.git("branch", "develop")
    forge.author.git("push", "--quiet", "origin", "develop")
    made = forge.onto({"dev.txt": "x\n"}, "develop")
    forge.pull({"a.py": FINE}, branch="topic", base="develop")
    if base == "COMMIT":
        forge.clone.git("fetch", "--quiet", "origin", "develop")
        base = made
    done, report = forge.review("1", "--base", base)
    assert done.code == 0 and files_of(report) == {"a.py"} and report["change"]["base"] == made, (
        done.output
    )
    assert files_of(forge.review()[1]) == {"a.py", "dev.txt"}


@pytest.mark.parametrize(
    ("change", "args", "code", "words"),
    [
        (lambda f: None, ("9",), 69, "origin has no pull request 9"),
        (lambda f: None, ("1", "--base", "nope"), 69, "'nope' is neither a branch"),
        (lambda f: f.clone.git("remote", "set-url", "origin", "/no/such/place.git"), ("1",), 69,
         "/no/such/place.git"),
        (lambda f: f.clone.git("remote", "set-url", "origin", "http://127.0.0.1:9/octo/repo.git"),
         ("1",), 69, "127.0.0.1"),
        (lambda f: f.clone.git("remote", "set-url", "origin", "ext::sh -c touch% pwned"), ("1",),
         69, "transport 'ext' not allowed"),
        (lambda f: f.clone.git("remote", "remove", "origin"), ("1",), 64, "no remote"),
        (lambda f: None, ("one",), 64, "neither a number nor an address"),
        (lambda f: None, ("",), 64, "--pr is empty"),
        (lambda f: None, ("1", "--staged"), 64, "--pr and --staged cannot be used together"),
        (lambda f: None, ("1", "--trusted"), 64, "--pr and --trusted cannot be used together"),
        (lambda f: None, ("1", "--publish"), 64, "--publish does not know"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_clear_line(forge, change, args, code, words):
    forge.pull({"a.py": EVIL})
    change(forge)
    done, _report = forge.review(*args)
    first, *rest = done.stderr.splitlines()
    assert done.code == code and words in first and len(rest) == 1 and not done.stdout, done.output
    assert not list(forge.clone.path.rglob("pwned"))


def test_publish_alone_is_for_a_pull_request(repo):
    done = repo.cli("review", "--publish")
    assert done.code == 64 and "--publish can only be used with --pr" in done.stderr, done.output


@pytest.mark.parametrize("depth", [1, 50])
def test_a_shallow_clone_is_read_as_far_as_it_reaches(forge, tmp_path, depth):
    for number in range(3):
        forge.onto({f"{number}.txt": "x\n"})
    forge.pull({"a.py": FINE}, base="main~2")
    forge.clone = forge.origin.clone(tmp_path / "shallow", f"--depth={depth}")
    done, report = forge.review()
    if depth == 1:
        assert done.code == 64 and "git fetch --unshallow" in done.stderr, done.output
    else:
        assert done.code == 0 and files_of(report) == {"a.py"}, done.output


def test_a_partial_clone_gets_the_files_that_the_review_needs(forge, tmp_path):
    forge.onto({"a.py": FINE, "other.py": FINE})
    forge.origin.git("config", "uploadpack.allowFilter", "true")
    forge.clone = forge.origin.clone(tmp_path / "partial", "--filter=blob:none")
    forge.pull({"a.py": EVIL})
    done, report = forge.review()
    assert done.code == 1 and ("a.py", "ruff/F821") in found(report), done.output


def test_no_program_that_the_clone_or_the_remote_name_is_run(forge, tmp_path):
    """Hooks, the remote's upload-pack, and what a fetch would do by settings alone."""
    mark = tmp_path / "mark"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    script.chmod(0o755)
    for hook in ("reference-transaction", "post-checkout", "pre-auto-gc", "post-merge"):
        target = forge.clone.path / ".git/hooks" / hook
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(script.read_bytes())
        target.chmod(0o755)
    forge.author.git("tag", "v1")
    forge.author.git("push", "--quiet", "origin", "v1")
    settings = {
        "remote.origin.uploadpack": str(script), "core.fsmonitor": str(script),
        "remote.origin.tagOpt": "--tags",
        "remote.origin.prune": "true", "remote.origin.mirror": "true",
        "fetch.recurseSubmodules": "true", "fetch.writeCommitGraph": "true",
        "core.logAllRefUpdates": "always",
    }  # fmt: skip
    for name, value in settings.items():
        forge.clone.git("config", name, value)
    forge.pull({"a.py": EVIL})
    forge.author.git("push", "--quiet", "origin", "--delete", "topic")
    refs = forge.clone.git("for-each-ref")
    done, _report = forge.review()
    now = "\n".join(
        row
        for row in forge.clone.git("for-each-ref").splitlines()
        if "refs/reviewgate-gh/" not in row
    )
    assert done.code == 1 and not mark.exists() and now == refs, done.output
    assert not (forge.clone.path / ".git/objects/info/commit-graphs").exists()


def test_the_user_s_credentials_serve_the_fetch_and_nobody_is_asked(forge, tmp_path):
    """A remote that wants a password gets the one that a credential helper knows; without it there
    is one clear line."""
    from tests.e2e.serving import served

    forge.pull({"a.py": EVIL})
    with served(forge.origin.path, "ada:sesame") as url:
        forge.clone.git("remote", "set-url", "origin", url)
        done, _report = forge.review()
        assert done.code == 69 and "cannot fetch from" in done.stderr, done.output
        store = tmp_path / "store"
        store.write_text(url.replace("http://", "http://ada:sesame@") + "\n")
        forge.clone.git("config", "--global", "credential.helper", f"store --file={store}")
        done, _report = forge.review()
        assert done.code == 1, done.output


def test_a_remote_s_address_may_be_relative(forge):
    forge.pull({"a.py": EVIL})
    forge.clone.git("remote", "set-url", "origin", "../origin.git")
    inside = forge.clone.path / "folder"
    inside.mkdir()
    done = forge.clone.cli("review", "--pr", "1", "--repo", str(inside))
    assert done.code == 1, done.output


def test_a_hook_s_environment_leads_nowhere_else(forge, make_repo):
    forge.pull({"a.py": EVIL})
    other = make_repo("other")
    env = {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_INDEX_FILE": str(other.path / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(other.path / "x"),
    }
    done, _report = forge.review(env=env)
    assert done.code == 1 and other.git("for-each-ref") == "", done.output


def test_two_targets_at_once_do_not_meet(forge):
    import threading

    for number in (1, 2):
        forge.pull({f"a{number}.py": EVIL}, number, f"topic{number}")
    ends = {}
    runs = [
        threading.Thread(target=lambda n=n: ends.update({n: forge.review(str(n))})) for n in (1, 2)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert {n: files_of(report) for n, (_done, report) in ends.items()} == {
        1: {"a1.py"},
        2: {"a2.py"},
    }, ends
    kept = {
        n: json.loads((forge.clone.path / f".git/reviewgate-gh/tmp/pr-{n}/report.json").read_text())
        for n in (1, 2)
    }
    assert {n: files_of(report) for n, report in kept.items()} == {1: {"a1.py"}, 2: {"a2.py"}}


def test_an_override_is_on_record_and_is_not_posted(forge):
    forge.pull({"a.py": EVIL})
    done, report = forge.review(env={"REVIEWGATE_GH_SKIP": "it burns"})
    assert (
        done.code == 0
        and report["skipped"] == "it burns"
        and report["verdict"]["outcome"] == "inconclusive"
    ), done.output


def test_a_sha256_repository(make_repo, tmp_path):
    forge = Forge(lambda name: make_repo(name, "--object-format=sha256"), tmp_path)
    head = forge.pull({"a.py": EVIL})
    done, report = forge.review()
    assert done.code == 1 and report["change"]["head"] == head and len(head) == 64, done.output
