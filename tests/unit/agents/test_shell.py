"""What a command line of an agent would do to the gate."""

import os
import random
import shutil
from pathlib import Path

import pytest

from reviewgate_gh.agents.shell import read_command
from tests.support import run

SKIP, VERIFY, HOOKS = "REVIEWGATE_GH_SKIP", "--no-verify", "git looks for hooks"
FILES = "hooks, git's settings or approvals"
FORBIDDEN = {
    "REVIEWGATE_GH_SKIP=now git push": SKIP,
    "cd . && env REVIEWGATE_GH_SKIP='a b' git -C . push": SKIP,
    "export REVIEWGATE_GH_SKIP=x": SKIP,
    "set -gx REVIEWGATE_GH_SKIP x": SKIP,
    "bash -c 'REVIEWGATE_GH_SKIP=x git push'": SKIP,
    'python -c \'import os; os.environ["REVIEWGATE_GH_SKIP"] = "x"; os.system("git push")\'': SKIP,
    "RE\"VIEWGATE_GH\"_SKIP=x g'i't push": SKIP,
    "git push --no-verify": VERIFY,
    "git push origin main --no-veri": VERIFY,
    'sh -c "git push --no-verify origin"': VERIFY,
    "(git push\t--no-verify)": VERIFY,
    "git -c core.hooksPath=/dev/null push": HOOKS,
    "git config core.hookspath /tmp/x": HOOKS,
    "git config --unset core.hooksPath": HOOKS,
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/x git push": HOOKS,
    "git -c alias.p='push --no-verify' p": VERIFY,
    "V=--no-verify; git push $V": VERIFY,
    "git -c include.path=/tmp/x push": HOOKS,
    "git --config-env=core.hooksPath=X push": HOOKS,
    "GIT_CONFIG_GLOBAL=/tmp/x git push": HOOKS,
    "HOME=/tmp git push": HOOKS,
    "rm .git/hooks/pre-push": FILES,
    "echo > .git/hooks/pre-push": FILES,
    "chmod -x .git/hooks/pre-push && git push": FILES,
    "sed -i s/x/y/ .git/config": FILES,
    "printf x >>.git/config": FILES,
    "env -uCLAUDECODE git push": "hide",
    "env --unset=GEMINI_CLI git push": "hide",
    "reviewgate-gh hook uninstall": "pre-push hook",
    "reviewgate-gh waive add abc --reason x": "accept findings",
    "python -m reviewgate_gh waive add --all-current --reason x": "accept findings",
    "/opt/bin/reviewgate-gh trust": "approve",
    "reviewgate-gh trust --change HEAD": "approve",
    "env -u CLAUDECODE reviewgate-gh review": "hide",
    "CLAUDECODE= git push": "hide",
    "env -i git push": "hide",
    "cp /tmp/x .git/reviewgate-gh/trust.json": FILES,
    "rm -rf .git/hooks": FILES,
    "rm -rf .git && git init": FILES,
    "cd .git && rm -rf hooks": FILES,
    "mv .git/hooks .git/h": FILES,
    "rm -r .git/reviewgate-gh": FILES,
    "cp x .git/reviewgate-gh/audit/log.jsonl": FILES,
    "perl -i -pe s/x/y/ .git/config": FILES,
    "find .git/hooks -name pre-push -delete": FILES,
    "ln -sf /bin/true $(git rev-parse --git-path hooks)/pre-push": FILES,
    'cat x > "$(git rev-parse --git-common-dir)/hooks/pre-push"': FILES,
    "git config --remove-section core": HOOKS,
    "git p --no-verify": VERIFY,
    "echo x; bash -c 'git push --no-verify'": VERIFY,
    "echo 'git push --no-verify' > x.sh; sh x.sh": VERIFY,
    "git commit -m x # y\ngit push --no-verify": VERIFY,
    "env -iS git push": "hide",
    "env FOO=1 --ignore-env git push": "hide",
    "exec -c git push": "hide",
    "review-gate waive add x": "accept findings",
    "reviewgate-gh waive migrate": "accept findings",
    "reviewgate-gh agents clear": "clear what agents tried",
    "python -m reviewgate_gh.__main__ trust": "approve",
    "gh pr merge 3 --squash --admin": "merge past required checks",
}
HARMLESS = (
    "ls",
    "git status",
    "git commit -m 'push it'",
    "git commit --no-verify -m x",
    "git config core.hooksPath",
    "cat .git/hooks/pre-push 2>/dev/null",
    "sed -n 1,9p .git/hooks/pre-push > /tmp/x",
    "git config include.path",
    "HOME=/tmp git status",
    "echo $CLAUDECODE",
    "grep -rn REVIEWGATE_GH_SKIP docs",
    "reviewgate-gh review",
    "reviewgate-gh hook status",
    "reviewgate-gh waive list",
    "reviewgate-gh trust --list",
    "reviewgate-gh trust --dry-run",
    "rm src/hooks/useFoo.ts",
    "git mv src/hooks/a.ts src/hooks/b.ts",
    "cat > web/hooks/x.js <<EOF\nx\nEOF",
    "cat .git/config && rm /tmp/x",
    "rm -rf /tmp/copy/.git .gitkeep",
    "echo '`reviewgate-gh trust` approves' >> docs/x.md",
    "grep -rn 'reviewgate-gh waive add' docs",
    "git commit -m 'docs: REVIEWGATE_GH_SKIP and git push'",
    "git commit -m 'core.hooksPath = x'",
    "git commit -m \"$(cat <<'EOF'\nNever git push --no-verify here\nEOF\n)\"",
    "cat <<'EOF' > docs/x.md && npm test\ngit push --no-verify\nEOF",
    "gh pr create --title x --body 'no git push --no-verify'",
    "gh pr merge 3 --squash",
    "env FOO=1 git push -",
    "git commit --no-verify -m x && git status",
)


@pytest.mark.req("R010-012")
@pytest.mark.parametrize("line", FORBIDDEN)
def test_what_only_a_person_may_do_is_seen(line: str) -> None:
    assert any(FORBIDDEN[line] in what for what in read_command(line).forbidden)


@pytest.mark.parametrize("line", HARMLESS)
def test_everything_else_is_left_alone(line: str) -> None:
    assert read_command(line).forbidden == ()


@pytest.mark.parametrize(
    ("line", "pushes", "commits"),
    [
        ("git push", True, False),
        ("git commit -am x && git push -u origin HEAD", True, True),
        ("/usr/bin/git -C x push", True, False),
        ("eval 'git pu''sh'", True, False),
        ("git send-pack origin main", True, False),
        ("git stash; npm run build", False, False),
        ("docker push image", False, False),
        ("git commit -m 'add push notifications'", False, False),
        ("git stash push", False, False),
        ("git log --grep push | head", False, False),
        ("git checkout -b feature/push", False, False),
        ("sed -n 1,50p docs/push.md && git status", False, False),
        ("bash -lc 'git commit -m \"add push\"'", False, False),
        ("if git diff --quiet; then echo 'no git push'; fi", False, False),
        ("sh <<'EOF'; echo hi\ngit push\nEOF", True, False),
        ("cat <<A | sh\ngit push\nA", True, False),
        ("cat <<A\n$(git push)\nA", True, False),
        ("{ echo git push; } | bash", True, False),
        ("echo 'git push' > x.sh; sh *.sh", True, False),
        ("x='$(git push)'; echo ${x@P}", True, False),
        ("test -v 'a[$(git push)]'", True, False),
        ("git grep -O'git push' x", True, False),
        ("git -c alias.log='!git push' log", True, False),
        ("echo() { git push; }; echo", True, False),
        ("echo x &> f git push", True, False),  # two commands in sh
        ("", False, False),
    ],
)
def test_a_push_is_seen(line: str, pushes: bool, commits: bool) -> None:
    command = read_command(line)
    assert (command.pushes, command.commits) == (pushes, commits)


@pytest.mark.parametrize(
    ("line", "folders"),
    [
        ("git push", ("",)),
        ("cd sub && git push", ("sub",)),
        ("(cd /a; cd b; git -C c push origin x)", ("/a/b/c",)),
        ("cd a && git push; cd ../b && git push", ("a", "a/../b")),
        ("cd $x; git push", ("",)),
        ("cd a; git --git-dir=/b/.git push", ("",)),
        ("cd a; git push; sh -c 'cd ..; git push'", ("a", "")),
    ],
)
def test_the_folders_that_a_line_pushes_from_are_known(line: str, folders: tuple[str, ...]) -> None:
    assert read_command(line).folders == folders


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("filling", [">", "includeif.", "unset", "env ", "$(echo ", "cd ", "| "])
def test_no_command_line_takes_longer_than_an_agent_waits(filling: str) -> None:
    """A line that were read in the square of its length would take hours."""
    assert read_command(f"git push {filling * (100_000 // len(filling))}").pushes


PARTS = (
    *("git", "push", "git push", " git push ", "echo", "cat", "grep", "sh", "sh -c", "eval", "log"),
    *(
        " ",
        " ",
        " ",
        "'",
        '"',
        "'",
        '"',
        "\\",
        "\n",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "$(",
        ")",
        "(",
        "`",
    ),
    *(
        "{",
        " }",
        "#",
        "x=",
        "$x",
        "${x}",
        "<<E",
        "<<'E'",
        "<<-E",
        "\nE\n",
        "<<<",
        ">f",
        "<f",
        "&>f",
    ),
    *("2>&1", "if true; then ", "; fi", "! ", "commit -m", "$'", "\t", "true", "[", "]", "printf"),
    *(
        "$((",
        "))",
        'e"c"ho',
        "E",
        "-c",
        "alias.p=push",
        "p",
        "xargs",
        "\\\n",
        "*",
        "./f",
        "|&",
        ".",
    ),
)
STUB = """#!/bin/sh
case "$1,$2,$3" in push,*|-c,alias.p=push,p) echo "$NUMBER" >> "$LOG" ;; esac
"""
DRIVE = """
NUMBER=0
while [ $NUMBER -lt $LINES_OF ]; do
  export NUMBER
  bash ../lines/$NUMBER < /dev/null > /dev/null 2>&1
  rm -f f
  NUMBER=$((NUMBER + 1))
done
wait
"""


@pytest.mark.contract(plain=False)
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_whatever_a_real_shell_pushes_is_seen(tmp_path: Path) -> None:
    """Random command lines, run by bash with a git that only notes that it was to push."""
    count = 20_000 if os.environ.get("REVIEWGATE_GH_FULL") else 150
    chance = random.Random(int(os.environ.get("REVIEWGATE_GH_SEED", "28")))
    lines = list[str]()
    for _ in range(count):
        parts = [chance.choice(PARTS) for _ in range(chance.randint(1, 12))]
        parts.insert(chance.randint(0, len(parts)), chance.choice(("git push", "git push ")))
        lines.append(("" if chance.random() < 0.4 else " ").join(parts))
    programs, log = tmp_path / "bin", tmp_path / "log"
    for folder in (programs, tmp_path / "lines", tmp_path / "work"):
        folder.mkdir()
    (programs / "git").write_text(STUB)
    (programs / "git").chmod(0o755)
    for name in ("bash", "cat", "grep", "rm", "sh", "xargs"):
        (programs / name).symlink_to(str(shutil.which(name)))
    for number, line in enumerate(lines):
        (tmp_path / "lines" / str(number)).write_text(line, newline="")
    variables = {"PATH": str(programs), "LOG": str(log), "LINES_OF": str(count)}
    run(["bash", "-c", DRIVE], tmp_path / "work", variables)
    pushed = {int(number) for number in log.read_text().split()}
    assert len(pushed) > count // 40, "the shell did run them"
    assert [lines[n] for n in sorted(pushed) if not read_command(lines[n]).pushes] == []
