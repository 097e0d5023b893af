"""Which commands a reviewing agent may run, and which files it may look at."""

import asyncio
import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.documents.guard import make_guard, refused_command

READS = [
    "git diff main",
    "git diff main...HEAD -- '*.py' \"docs/**\"",
    "git log --oneline -5",
    "git log -n 3 --format='%h %s'",
    "git show HEAD~3",
    "git show HEAD^:src/a.py",
    "git --no-pager diff --stat",
    "git status --short",
    "git blame -L 3,9 src/a.py",
    "git log --no-merges -S word",
    "git ls-files",
    "git merge-base main HEAD",
    "git diff --no-color --name-only",
    "git diff --output-indicator-new=x",
]
MORE = [
    "",
    "ls",
    "git",
    "sudo git log",
    "git push",
    "git commit -m x",
    "git checkout .",
    "git branch new",
    "git tag new",
    "git config -l",
    "git stash",
    "git grep -O x",
    "git -c core.pager=x log",
    "git -C /tmp log",
    "git --git-dir=/tmp log",
    "git --exec-path=x log",
    "git -p log",
    "git log | sh",
    "git log; ls",
    "git log && ls",
    "git log & ls",
    "git log > x",
    "git log < x",
    "git log $(ls)",
    "git log `ls`",
    "git log $HOME",
    "git log\nls",
    "git log \\\nls",
    "git log (ls)",
    "git log {a,b}",
    "git log *",
    "git log a?",
    "git log [a]",
    "git log '",
    "git log !x",
    "git diff --output=x",
    "git diff --output x",
    "git diff --outp=x",
    "git log --o=x",
    "git diff --ext-diff",
    "git show --textconv a",
    "git diff --ext",
    "git diff --no-index a b",
    "git diff --no-ind a b",
    "git diff /etc/passwd /etc/hosts",
    "git diff ../a ../b",
    "git log -- ..",
    "git diff ~/a b",
    "git diff -Oorder",
    "git blame --contents /etc/passwd a",
    "git blame -S x a",
    "git cat-file --filters HEAD:a",
    "git log # x",
    "env git log",
    "GIT_EXTERNAL_DIFF=x git diff",
    "git ls-files -X x",
    "/usr/bin/git log",
    "./git log",
    "git diff-files",
    "git archive HEAD",
    "git\tbisect run x",
]


@pytest.mark.req("R004-045")
@pytest.mark.parametrize("command", READS)
def test_reading_with_git_is_allowed(command):
    assert refused_command(command) == ""


@pytest.mark.req("R004-045")
@pytest.mark.parametrize("command", MORE)
def test_everything_else_is_refused(command):
    assert refused_command(command)


@given(
    st.lists(
        st.sampled_from(
            [
                "git",
                "log",
                "diff",
                "-",
                "--",
                "'",
                '"',
                " ",
                "~",
                "*",
                "x",
                "$",
                ";",
                "\\",
                "\n",
                "#",
                "=",
                "HEAD",
            ]
        )
    ).map("".join)
)
def test_a_shell_and_we_split_what_is_allowed_into_the_same_words(command):
    if refused_command(command) == "":
        shown = subprocess.run(
            ["bash", "-c", f"printf '%s\\n' {command}"],
            capture_output=True,
            text=True,
            cwd="/",
            check=True,
        ).stdout
        assert shown.splitlines() == shlex.split(command)


def decided(folder, tool, tools=("Read", "Glob", "Grep", "Bash"), **given):
    answer = asyncio.run(
        make_guard(folder, [folder], tools)({"tool_name": tool, "tool_input": given}, "id", None)
    )
    return answer.get("hookSpecificOutput", {}).get("permissionDecision", "")


def test_files_are_looked_at_below_the_roots_alone(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/link").symlink_to("/etc")
    inside = tmp_path / "in"
    assert [
        decided(inside, "Read", file_path=name)
        for name in ("a.md", str(inside / "a.md"), "sub/../a.md")
    ] == ["", "", ""]
    for name in ("/etc/passwd", "../a.md", "link/passwd", str(tmp_path)):
        assert decided(inside, "Read", file_path=name) == "deny", name
    assert (
        decided(inside, "Grep", pattern="x") == ""
        and decided(inside, "Grep", pattern="../x", path="sub") == ""
    )
    assert decided(inside, "Grep", pattern="x", path="/") == "deny"
    assert decided(inside, "Glob", pattern="**/*.py") == ""
    assert [decided(inside, "Glob", pattern=pattern) for pattern in ("/etc/*", "~/*", "../*")] == [
        "deny"
    ] * 3


def test_gits_own_folder_with_its_credentials_is_closed(tmp_path):
    assert (
        decided(tmp_path, "Read", file_path=".git/config") == "deny"
        and decided(tmp_path, "Grep", pattern="x", path=".git") == "deny"
    )
    assert (
        decided(tmp_path, "Glob", pattern=".git/**") == "deny"
        and decided(tmp_path, "Grep", pattern="x", glob=".git/*") == "deny"
    )
    assert (
        decided(tmp_path, "Grep", pattern="x", glob="{a,.git}/*") == "deny"
        and decided(tmp_path, "Read", file_path=".GIT/config") == "deny"
    )
    assert (
        decided(tmp_path, "Read", file_path=".github/workflows/ci.yml")
        == decided(tmp_path, "Glob", pattern=".github/**")
        == ""
    )


def test_a_tool_that_the_template_does_not_have_is_refused_and_so_is_what_cannot_be_understood(
    tmp_path,
):
    assert decided(tmp_path, "Bash", tools=("Read",), command="git log") == "deny"
    assert decided(tmp_path, "Edit", tools=("Edit",), file_path="a") == "deny"
    assert (
        decided(tmp_path, "Bash") == "deny" and decided(tmp_path, "Read", file_path=["a"]) == "deny"
    )
    assert decided(tmp_path, "Read", file_path="a\0b") == "deny"
