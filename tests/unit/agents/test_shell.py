"""What a command line of an agent would do to the gate."""

import pytest

from reviewgate_gh.agents.shell import read_command

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
        ("", False, False),
    ],
)
def test_a_push_is_seen(line: str, pushes: bool, commits: bool) -> None:
    command = read_command(line)
    assert (command.pushes, command.commits) == (pushes, commits)
