"""`init`: shown first, done with --yes, and nothing of the user's is overwritten."""

import os

from reviewgate_gh import __version__

from ..support import ROOT, Repo

CONFIG, WORKFLOW = ".reviewgate-gh.yaml", ".github/workflows/reviewgate.yml"


def hook(repo: Repo) -> bool:
    """The hook is there and may run."""
    return os.access(repo.path / ".git/hooks/pre-push", os.X_OK)


def test_the_plan_changes_nothing_and_names_the_command(repo: Repo) -> None:
    done = repo.cli("init", "--no-workflow")
    assert done.code == 0, done.output
    assert done.stdout.splitlines()[-1] == "Nothing has been changed. To do this: reviewgate-gh init --yes --no-workflow"
    assert [line.split()[0] for line in done.stdout.splitlines()[:2]] == ["write", "install"]
    assert repo.git("status", "--porcelain") == ""
    assert not hook(repo)


def test_yes_sets_everything_up_and_a_second_time_keeps_it(repo: Repo) -> None:
    done = repo.cli("init", "--yes")
    assert done.code == 0, done.output
    assert hook(repo)
    assert f'"reviewgate-gh[linters]=={__version__}"' in repo.file(WORKFLOW).read_text()
    assert repo.cli("config", "check").code == 0
    repo.write({CONFIG: "mode: warn\n"})
    again = repo.cli("init", "--yes")
    assert again.code == 0, again.output
    assert [line.split()[:2] for line in again.stdout.splitlines()[:2]] == [["kept", f"{CONFIG}:"], ["kept", f"{WORKFLOW}:"]]
    assert repo.file(CONFIG).read_text() == "mode: warn\n"


def test_a_second_time_there_is_nothing_to_do_until_something_differs(repo: Repo) -> None:
    repo.cli("init", "--yes")
    own = repo.path / ".git/hooks/pre-push"
    before = {path: path.stat().st_mtime_ns for path in (own, repo.file(CONFIG), repo.file(WORKFLOW))}
    for args in (("init",), ("init", "--yes")):
        lines = repo.cli(*args).stdout.splitlines()
        assert [line.split()[0] for line in lines] == ["kept", "kept", "kept", "there"]
        assert lines[-2:] == [f"kept     {own}: it is installed already", "there is nothing to do"]
    assert before == {path: path.stat().st_mtime_ns for path in before}
    own.chmod(0o644)
    again = repo.cli("init", "--yes")
    said = [f"renew    {own}: the gate before every push", f"brought up to date: {own}", "done"]
    assert again.stdout.splitlines()[-3:] == said, again.output
    assert hook(repo)


def test_a_dangling_link_and_a_foreign_hook_are_kept(repo: Repo) -> None:
    repo.file(CONFIG).symlink_to("nowhere")
    own = repo.path / ".git/hooks/pre-push"
    own.write_text("#!/bin/sh\nexit 0\n")
    own.chmod(0o755)
    done = repo.cli("init", "--yes", "--no-workflow")
    assert done.code == 0, done.output
    assert repo.file(CONFIG).is_symlink()
    assert "the hook that is there runs first" in done.stdout
    assert [path.read_text() for path in own.parent.glob("pre-push.reviewgate-gh-chained")] == ["#!/bin/sh\nexit 0\n"]


def test_what_it_writes_passes_the_gate_and_a_push_runs_it(repo: Repo) -> None:
    repo.bare_remote(repo.path.parent / "remote.git")
    repo.push("-u", "origin", "main")
    assert repo.cli("init", "--yes").code == 0
    repo.commit(message="set up")
    done = repo.cli("review")
    assert "P0" not in done.stdout and "P1" not in done.stdout, done.output
    pushed = Repo(repo.path, {"PYTHONPATH": str(ROOT)}).push("origin", "main")
    assert pushed.code == 0 and "reviewgate-gh:" in pushed.stdout + pushed.stderr, pushed.output


def test_parts_can_be_left_out(repo: Repo) -> None:
    assert repo.cli("init", "--yes", "--no-hook", "--no-workflow").code == 0
    assert not hook(repo)
    assert repo.git("status", "--porcelain") == f"?? {CONFIG}"
