"""`init`: shown first, done with --yes, and nothing of the user's is overwritten."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ...support import ROOT, Repo
from ..pushing import BAD, ENV, GOOD, Pushing, executable, state

CONFIG, WORKFLOW = ".reviewgate-gh.yaml", ".github/workflows/reviewgate.yml"
COMMANDS = ".github/workflows/reviewgate-commands.yml"
ACTION = ("--action", f"octo/reviewgate-gh@{'0123456789' * 4}")


def hook(repo: Repo) -> bool:
    """The hook is there and may run."""
    return os.access(repo.path / ".git/hooks/pre-push", os.X_OK)


@pytest.mark.contract
def test_the_plan_changes_nothing_and_names_the_command(repo: Repo) -> None:
    done = repo.cli("init", "--no-workflow")
    assert done.code == 0, done.output
    assert (
        done.stdout.splitlines()[-1]
        == "Nothing has been changed. To do this: reviewgate-gh init --yes --no-workflow"
    )
    assert [line.split()[0] for line in done.stdout.splitlines()[:2]] == ["write", "install"]
    assert repo.git("status", "--porcelain") == ""
    assert not hook(repo)


@pytest.mark.contract(plain=False)
def test_yes_sets_everything_up_and_a_second_time_keeps_it(repo: Repo) -> None:
    done = repo.cli("init", "--yes", "--commands", *ACTION)
    assert done.code == 0, done.output
    assert hook(repo)
    for file in (WORKFLOW, COMMANDS):
        assert f"uses: {ACTION[1]}\n" in repo.file(file).read_text()
    assert repo.cli("config", "check").code == 0
    repo.write({CONFIG: "mode: warn\n"})
    again = repo.cli("init", "--yes", "--commands")
    assert again.code == 0, again.output
    assert [line.split()[:2] for line in again.stdout.splitlines()[:3]] == [
        ["kept", f"{CONFIG}:"],
        ["kept", f"{WORKFLOW}:"],
        ["kept", f"{COMMANDS}:"],
    ]
    assert repo.file(CONFIG).read_text() == "mode: warn\n"


def test_without_a_release_the_workflow_is_left_out_and_why_is_said(repo: Repo) -> None:
    """A package's name in an index may be anybody's."""
    done = repo.cli("init", "--yes")
    assert done.code == 0 and hook(repo) and not repo.file(WORKFLOW).exists(), done.output
    said = next(line for line in done.stdout.splitlines() if WORKFLOW in line)
    assert said.startswith("skip ") and "not a release build" in said and "--action" in said


@pytest.mark.parametrize("name", ["octo/gate", "octo/gate@v1", "gate@" + "0" * 40, "o/g@main\n"])
def test_only_a_commit_names_the_action(repo: Repo, name: str) -> None:
    done = repo.cli("init", "--yes", "--action", name)
    assert done.code == 64 and "OWNER/NAME@COMMIT" in done.stderr, done.output
    assert repo.git("status", "--porcelain") == ""


def test_a_second_time_there_is_nothing_to_do_until_something_differs(repo: Repo) -> None:
    repo.cli("init", "--yes", *ACTION)
    own = repo.path / ".git/hooks/pre-push"
    before = {
        path: path.stat().st_mtime_ns for path in (own, repo.file(CONFIG), repo.file(WORKFLOW))
    }
    for args in (("init",), ("init", "--yes")):
        lines = repo.cli(*args).stdout.splitlines()
        assert [line.split()[0] for line in lines] == ["kept", "kept", "kept", "nothing"]
        assert lines[-2:] == [f"kept     {own}: it is already installed", "nothing to do"]
    assert before == {path: path.stat().st_mtime_ns for path in before}
    own.chmod(0o644)
    again = repo.cli("init", "--yes")
    said = [f"renew    {own}: it reviews every push", f"updated: {own}", "done"]
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
    assert "the existing hook runs first" in done.stdout
    assert [path.read_text() for path in own.parent.glob("pre-push.reviewgate-gh-chained")] == [
        "#!/bin/sh\nexit 0\n"
    ]


@pytest.mark.parametrize("what", ["a link out", "a link within", "a link at the end", "a file"])
def test_nothing_is_written_where_a_folder_is_none(repo: Repo, tmp_path: Path, what: str) -> None:
    elsewhere = repo.path / "real" if what == "a link within" else tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = repo.file(".github/workflows" if what == "a link at the end" else ".github")
    folder.parent.mkdir(exist_ok=True)
    if what == "a file":
        folder.write_text("x")
    else:
        folder.symlink_to(elsewhere)
    done = repo.cli("init", "--yes", *ACTION)
    name = folder.relative_to(repo.path)
    assert (
        done.code,
        f"{name} is {'not a folder' if what == 'a file' else 'a symbolic link'}" in done.stderr,
    ) == (64, True), done.output
    assert list(elsewhere.iterdir()) == []
    assert repo.file(CONFIG).is_file() and hook(repo), "the rest is done"
    assert repo.cli("init", "--yes", "--no-workflow").code == 0


@pytest.mark.contract
def test_what_it_writes_passes_the_gate_and_a_push_runs_it(repo: Repo) -> None:
    repo.bare_remote(repo.path.parent / "remote.git")
    repo.push("-u", "origin", "main")
    assert repo.cli("init", "--yes", *ACTION).code == 0
    repo.commit(message="set up")
    done = repo.cli("review")
    assert "P0" not in done.stdout and "P1" not in done.stdout, done.output
    pushed = Repo(repo.path, {"PYTHONPATH": str(ROOT)}).push("origin", "main")
    assert pushed.code == 0 and "reviewgate-gh:" in pushed.stdout + pushed.stderr, pushed.output


def test_parts_can_be_left_out(repo: Repo) -> None:
    assert repo.cli("init", "--yes", "--no-hook", "--no-workflow").code == 0
    assert not hook(repo)
    assert repo.git("status", "--porcelain") == f"?? {CONFIG}"


# As husky 9 writes them into core.hooksPath: every hook calls `h`, which runs the project's file of
# that name.
HUSKY_HOOK = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"'
HUSKY_H = """\
#!/usr/bin/env sh
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n

[ ! -f "$s" ] && exit 0

[ "${HUSKY-}" = "0" ] && exit 0

export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?

[ $c != 0 ] && echo "husky - $n script failed (code $c)"
exit $c
"""


def husky(repo: Repo) -> Path:
    """husky is installed and its project checks pushes; gives the file that is the user's to
    edit."""
    repo.write(
        {".husky/_/.gitignore": "*", ".husky/_/h": HUSKY_H, ".husky/pre-push": "cat > ../refs\n"}
    )
    for name in ("pre-commit", "pre-push", "post-merge"):
        repo.write({f".husky/_/{name}": HUSKY_HOOK})
        repo.file(f".husky/_/{name}").chmod(0o755)
    repo.git("config", "core.hooksPath", ".husky/_")
    repo.commit()
    return repo.file(".husky/pre-push")


def committed(repo: Repo) -> Path:
    """The project keeps its hooks in git; gives the one of a push."""
    executable(repo.file("githooks/pre-push"), "cat > ../refs")
    repo.git("config", "core.hooksPath", "githooks")
    repo.commit()
    return repo.file("githooks/pre-push")


@pytest.mark.parametrize("lay_out", [husky, committed])
def test_where_hooks_are_others_the_plan_gives_the_line_and_the_rest_is_done(
    tmp_path: Path, lay_out: Callable[[Repo], Path]
) -> None:
    it = Pushing.make(tmp_path, install=False)
    file = lay_out(it.repo)
    assert it.push("-q", "origin", "main").code == 0
    before = state(file.parent)
    shown = it.repo.cli("init", *ACTION)
    assert shown.code == 0, shown.output
    assert [row.split()[0] for row in shown.stdout.splitlines()[:3]] == ["write", "write", "left"]
    told = shown.stdout.splitlines()[2]
    assert (
        "is committed or written by a hook manager; add this line at the top of" in told
        and f"{file}, below its #! line: refs=$(mktemp) && " in told
    )
    assert it.repo.git("status", "--porcelain") == ""

    done = it.repo.cli("init", "--yes", *ACTION)
    assert done.code == 64 and "add this line at the top of" in done.stderr, done.output
    assert (
        done.stdout
        == shown.stdout.partition("\n\n")[0]
        + f"\nwritten: {CONFIG} (commit it)\nwritten: {WORKFLOW} (commit it)\n"
    )
    assert (
        it.repo.file(CONFIG).exists()
        and it.repo.file(WORKFLOW).exists()
        and state(file.parent) == before
    )
    assert it.repo.cli("init").code == 64 and it.repo.cli("init", "--no-hook").code == 0

    first, _, rest = file.read_text().rpartition("cat ")
    file.write_text(f"{first}{told.partition('#! line: ')[2]}\ncat {rest}")
    executable(tmp_path / "bin/reviewgate-gh", f'exec "{sys.executable}" -P -m reviewgate_gh "$@"')
    env = {**ENV, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    again = it.repo.cli("init", "--yes", env=env)
    assert again.code == 0 and again.stdout.splitlines()[-2:] == [
        f"kept     {file}: it already calls reviewgate-gh",
        "nothing to do",
    ], again.output
    (tmp_path / "refs").unlink()
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "main", env=env).code != 0 and not (tmp_path / "refs").exists()
    it.repo.commit({"a.txt": GOOD})
    assert it.push("-q", "origin", "main", env=env).code == 0
    assert "refs/heads/main" in (tmp_path / "refs").read_text()


def test_two_hooks_are_told_in_the_plan_too(repo: Repo) -> None:
    for name in ("pre-push", "pre-push.reviewgate-gh-chained"):
        executable(repo.path / ".git/hooks" / name, "exit 0")
    shown, done = repo.cli("init", *ACTION), repo.cli("init", "--yes", *ACTION)
    assert (
        shown.code == 0
        and "left     for you to do: there is a hook at " in shown.stdout
        and "keep one of the two" in shown.stdout
    )
    assert done.code == 64 and repo.file(CONFIG).exists() and repo.file(WORKFLOW).exists()
