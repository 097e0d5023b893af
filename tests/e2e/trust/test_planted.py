"""Programs that lie in wait in settings of git: none is started by a review, of whatever it is
asked and wherever it stands."""

import os
import shutil
from pathlib import Path

import pytest

from ...support import Repo, run
from ..pushing import ENV

EVIL = "def f(x):\n    return evil(x)\n"
WAYS = (
    ["--commit", "HEAD"],
    ["--range", "HEAD~..HEAD"],
    ["--base", "HEAD~"],
    ["--staged"],
    ["--uncommitted"],
    ["--all-files"],
)

BARE, WITH_TREE = "[core]\n\tbare = true\n", "[core]\n\tbare = false\n\tworktree = .\n"


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """What each planted program leaves behind."""
    return tmp_path / "ran"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_settings_of_the_clone_start_nothing(repo: Repo, ran: Path, way: list[str]) -> None:
    repo.commit({"a.py": EVIL, ".gitattributes": "*.py diff=x\n"})
    repo.write({"b.py": EVIL})
    repo.git("add", "b.py")
    program = repo.path.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "diff.x.textconv",
                 "diff.x.command", "core.askPass", "core.sshCommand",
                 "core.alternateRefsCommand", "gpg.program", "credential.helper",
                 "pager.diff-tree"):  # fmt: skip
        repo.git("config", name, str(program))
    repo.git("config", "core.hooksPath", str(repo.path.parent / "hooks"))
    (repo.path.parent / "hooks").mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
        shutil.copy(program, repo.path.parent / "hooks" / hook)
        repo.git("config", "--add", "hook.a=b.c.event", hook)  # git 2.54 and newer
    repo.git("config", "hook.a=b.c.command", str(program))
    done = repo.cli("review", *way)
    assert done.code == 1 and "ruff/F821" in done.stdout and not ran.exists(), done.output
    repo.ran("status")
    assert ran.exists(), "git by itself does start one"


@pytest.mark.parametrize("key", ["clean", "process"])
@pytest.mark.req("R008-001")
def test_filters_of_the_clone_start_nothing(repo: Repo, ran: Path, key: str) -> None:
    """git starts them to compare a file whose time has changed."""
    repo.commit({"a.py": EVIL, ".gitattributes": "*.py filter=a=b\n"})
    program = repo.path.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
    program.chmod(0o755)
    repo.git("config", f"filter.a=b.{key}", str(program))
    repo.git("config", "filter.a=b.required", "true")
    os.utime(repo.file("a.py"), (1, 1))
    done = repo.cli("review", "--commit", "HEAD")
    assert done.code == 1 and "ruff/F821" in done.stdout and not ran.exists(), done.output
    assert "uncommitted" not in done.output
    repo.ran("status")
    assert ran.exists(), "git by itself does start one"


def planted(repo: Repo, ran: Path, config: str) -> Path:
    """A tracked folder that is a git directory: with a history that says that its commits were made
    here, and what they configure."""
    maker = Repo.init(repo.path.parent / "maker")
    # Its objects hold a NUL: what is compressed may look like any text
    maker.git("config", "core.looseCompression", "0")
    maker.commit(
        {
            ".reviewgate-gh.yaml": (
                f"reviewers: {{linters: off, change: off, callers: off, builtin: off, "
                f"x: {{type: command, options: {{argv: [touch, '{ran}']}}}}}}\n"
            )
        },
        approve=False,
    )
    maker.commit({"a": "words\n"})
    folder = repo.file("vendor/kit")
    shutil.copytree(maker.path / ".git", folder, ignore=shutil.ignore_patterns("hooks"))
    (folder / "config").write_text(
        f"{config}[user]\n\temail = ada@example.com\n[core]\n\tfsmonitor = touch '{ran}'; false\n"
    )
    for name in ("objects/info", "objects/pack", "refs/tags"):  # git tracks no empty folder
        (folder / name / ".keep").write_text("")
    shutil.copy(maker.path / "a", folder)
    shutil.copy(maker.path / ".reviewgate-gh.yaml", folder)
    repo.commit()
    return folder


@pytest.mark.parametrize("config", [BARE, WITH_TREE], ids=["bare", "with a work tree"])
@pytest.mark.parametrize("place", ["vendor/kit", "vendor/kit/objects"])
@pytest.mark.parametrize(
    "args",
    [["review", "--commit", "HEAD"], ["doctor"], ["hook", "install"]],
    ids=lambda args: args[0],
)
def test_a_folder_that_poses_as_a_repository_is_none(
    repo: Repo, ran: Path, config: str, place: str, args: list[str]
) -> None:
    folder = planted(repo, ran, config)
    clone = repo.clone(repo.path.parent / "clone")
    top = clone.path / "vendor/kit"
    assert (
        run(["git", "rev-parse", "--absolute-git-dir"], clone.path / place, ENV).stdout
        == f"{top}\n"
    ), "git takes it for one"
    done = Repo(clone.path / place, ENV).cli(*args)
    assert (
        done.code == 64
        and f"{top} looks like a git repository, but is part of another one" in done.stderr
    ), done.output
    assert not ran.exists() and not (folder / "reviewgate-gh").exists()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_and_harms_no_review_of_what_holds_it(repo: Repo, ran: Path, way: list[str]) -> None:
    planted(repo, ran, WITH_TREE)
    repo.write({"vendor/kit/more": "words\n"})
    for place in (repo.path, repo.path / "vendor"):
        done = Repo(place, ENV).cli("review", *way)
        assert done.code == 0 and "verdict" not in done.stderr, done.output
    assert not ran.exists()


def test_one_folder_in_another_is_none_either(repo: Repo, ran: Path) -> None:
    outer = planted(repo, ran, BARE)
    shutil.copytree(outer, outer / "inner")
    done = Repo(outer / "inner", ENV).cli("review", "--commit", "HEAD")
    assert done.code == 64 and "looks like a git repository" in done.stderr and not ran.exists(), (
        done.output
    )


def test_a_bare_repository_that_nobody_tracks_is_one(repo: Repo) -> None:
    repo.commit({"a.py": EVIL})
    for path in (repo.path.parent / "apart.git", repo.path / "ignored.git"):
        repo.git("clone", "--quiet", "--bare", ".", path)
        assert Repo(path, ENV).cli("review", "--commit", "HEAD").code == 1
    inside = Repo(repo.path / ".git", ENV).cli("review", "--commit", "HEAD")
    assert inside.code == 1, inside.output


def test_every_call_of_git_is_pinned_and_asks_nobody(repo: Repo, tmp_path: Path) -> None:
    """A git on PATH that writes down how it was called; what a user sets in the environment does
    not reach it."""
    repo.bare_remote(tmp_path / "origin.git")
    repo.push("-q", "-u", "origin", "main")
    repo.commit({"a.py": EVIL})
    repo.git("config", "hook.a=b.c.command", "x")
    real, log = shutil.which("git"), tmp_path / "calls"
    log.mkdir()
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin/git"
    fake.write_text(
        f'#!/bin/sh\n{{ printf "%s\\037" "$@"; env -0 | tr "\\0" "\\037"; }} > "{log}/$$"\n'
        f'exec "{real}" "$@"\n'
    )
    fake.chmod(0o755)
    env = {"PATH": f"{fake.parent}:{os.environ['PATH']}", "GIT_TERMINAL_PROMPT": "1",
        "GIT_ASKPASS": "/bin/false", "GIT_SSH_COMMAND": "x",
           "GIT_TRACE": str(tmp_path / "trace"), "GIT_EXTERNAL_DIFF": "x", "GIT_PAGER": "x",
           "GITHUB_TOKEN": "canary"}  # fmt: skip
    for args in (
        ["review"],
        *(["review", *way] for way in WAYS),
        ["doctor"],
        ["config", "show"],
        ["backtest", "--last", "1"],
    ):
        assert repo.cli(*args, env=env).code in (0, 1), args
    rows = [row.split("\037") for path in log.iterdir() if (row := path.read_text())]
    assert len(rows) > 30
    wanted = {
        "GIT_TERMINAL_PROMPT=0",
        "GIT_ASKPASS=true",
        "GIT_NO_LAZY_FETCH=1",
        "GIT_OPTIONAL_LOCKS=0",
        "GIT_NO_REPLACE_OBJECTS=1",
    }
    pins = {
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "safe.bareRepository=explicit",
        "protocol.allow=never",
    }
    for row in rows:
        assert wanted <= {*row}, row
        assert not [
            word
            for word in row
            if word.startswith(("GIT_SSH", "GIT_TRACE", "GIT_EXTERNAL", "GIT_PAGER", "GITHUB_"))
        ], row
        assert pins <= {*row} or row[0] == "rev-parse", row
    writing = [row for row in rows if {"add", "read-tree", "update-index", "write-tree"} & {*row}]
    assert writing and all(
        "--config-env=hook.a=b.c.enabled=REVIEWGATE_GH_OFF" in row
        and "REVIEWGATE_GH_OFF=false" in row
        for row in writing
    )
    assert not (tmp_path / "trace").exists()
