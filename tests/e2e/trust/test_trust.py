"""Nothing of a stranger executes here or loosens the verdict, whichever way it came into this
clone; what the user approves does."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.model.report import Report
from reviewgate_gh.reporters.json import load_report

from ...support import Ran, Repo
from ..pushing import ENV, Pushing, executable

CONFIG = ".reviewgate-gh.yaml"
WAIVERS = ".reviewgate-gh-waivers.yaml"
# Everything that a config can do to a review: a program, and that nothing is looked at or counts.
HOSTILE = """\
version: 1
policy: {exclude: ["**"], finding_threshold: none}
reviewers:
  linters: {type: linters}
  stranger: {type: command, options: {argv: [./run.sh], format: sarif}}
linters:
  actionlint: {args: [-shellcheck=./run.sh]}
"""
FORGED = "import subprocess\n\n\ndef run(word):\n    run_in_shell(word)  # noqa\n"
FIXED_TYPO = {"docs.txt": "a typo fixed\n"}


@dataclass
class Attack:
    """`it` is the user's clone with the hook installed; `canary` is made by any program of the
    stranger's that runs."""

    it: Pushing
    canary: Path

    @classmethod
    def make(cls, folder: Path) -> "Attack":
        return cls(Pushing.make(folder), folder / "canary")

    @property
    def repo(self) -> Repo:
        return self.it.repo

    def commit(self, files: Mapping[str, str] | None = None) -> str:
        """The user commits, and approves nothing by that."""
        return self.repo.commit(files, approve=False)

    def files(self) -> dict[str, str]:
        """What the stranger's commit holds."""
        return {CONFIG: HOSTILE, "run.sh": f"#!/bin/sh\ntouch {self.canary}\n", "app.py": FORGED}

    def stranger(self, name: str = "theirs") -> Repo:
        """A clone of origin with the stranger's commit on branch x; the author fields are the
        user's own."""
        theirs = self.it.bare.clone(self.repo.path.parent / name)
        theirs.branch("x")
        theirs.write(self.files())
        theirs.file("run.sh").chmod(0o755)
        theirs.commit(approve=False)
        return theirs

    def fetched(self) -> str:
        """The stranger's branch, fetched into the user's clone."""
        theirs = self.stranger()
        self.repo.git("remote", "add", "contributor", str(theirs.path))
        self.repo.git("fetch", "-q", "contributor")
        return "contributor/x"


def rebased(at: Attack) -> None:
    name = at.fetched()
    at.commit({"other.txt": "mine\n"})
    at.repo.git("switch", "-q", "-c", "work", "--no-track", name)
    at.repo.git("rebase", "-q", "main")


def cherry_picked(at: Attack) -> None:
    name = at.fetched()
    at.repo.branch("work")
    at.repo.git("cherry-pick", name)


def mailed(at: Attack) -> None:
    patch = at.stranger().git("format-patch", "--stdout", "main..x")
    at.repo.branch("work")
    at.repo.git("am", "-q", stdin=f"{patch}\n")


def amended(at: Attack) -> None:
    at.repo.git("switch", "-q", "-c", "work", "--no-track", at.fetched())
    at.repo.git("commit", "-q", "--amend", "--reset-author", "--no-edit")


def merged(at: Attack) -> None:
    name = at.fetched()
    at.repo.branch("work")
    at.repo.git("merge", "-q", "--no-ff", "-m", "merge", name)


def fast_forwarded(at: Attack) -> None:
    name = at.fetched()
    at.repo.branch("work")
    at.repo.git("merge", "-q", "--ff-only", name)


def squashed(at: Attack) -> None:
    name = at.fetched()
    at.repo.branch("work")
    at.repo.git("merge", "-q", "--squash", name)
    at.repo.git("commit", "-q", "-m", "squashed")


def applied(at: Attack) -> None:
    patch = at.stranger().git("diff", "--binary", "main..x")
    at.repo.branch("work")
    at.repo.git("apply", "--index", stdin=f"{patch}\n")
    at.repo.git("commit", "-q", "-m", "applied")


def stashed(at: Attack) -> None:
    squash = at.fetched()
    at.repo.git("merge", "-q", "--squash", squash)
    at.repo.git("stash", "-q")
    at.repo.branch("work")
    at.repo.git("stash", "pop", "-q")
    at.repo.git("commit", "-q", "-a", "-m", "popped")


def replaced(at: Attack) -> None:
    name = at.fetched()
    at.repo.branch("work")
    at.repo.git("checkout", "-q", name, "--", ".")
    at.commit()


def typo_on_their_branch(at: Attack) -> None:
    at.repo.git("switch", "-q", "-c", "work", "--no-track", at.fetched())
    at.commit(FIXED_TYPO)


HISTORIES = (
    rebased, cherry_picked, mailed, amended, merged, fast_forwarded, squashed, applied, stashed,
    replaced, typo_on_their_branch,
)  # fmt: skip


@pytest.fixture
def at(tmp_path: Path) -> Attack:
    return Attack.make(tmp_path)


def refused(at: Attack, done: Ran) -> None:
    assert not at.canary.exists()
    assert done.code == 1, done.output
    assert (
        "F821" in done.output
        and "a suppression added by this change does not apply to it" in done.output
    )
    assert "reviewgate-gh trust" in done.output


@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.req("R008-001")
def test_a_push_runs_nothing_and_lets_nothing_out(
    at: Attack, history: Callable[[Attack], None]
) -> None:
    history(at)
    refused(at, at.it.push("origin", "work"))
    assert "refs/heads/work" not in at.it.refs()


@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.req("R008-001")
def test_a_review_by_hand_says_the_same(at: Attack, history: Callable[[Attack], None]) -> None:
    history(at)
    refused(at, at.repo.cli("review", "--base", "origin/main"))


@pytest.mark.parametrize("how", ["--uncommitted", "--staged"])
def test_what_is_not_committed_yet(at: Attack, how: str) -> None:
    at.repo.git("merge", "-q", "--squash", at.fetched())
    refused(at, at.repo.cli("review", how))


def test_a_push_to_the_remote_of_a_stranger(at: Attack) -> None:
    """Its own branch is the base there: what that holds of settings must not count for what is
    pushed to it."""
    typo_on_their_branch(at)
    at.commit({"more.py": FORGED})
    done = at.it.push("contributor", "work:refs/heads/y")
    assert not at.canary.exists()
    assert done.code == 1, done.output
    assert "more.py" in done.output and "F821" in done.output


@pytest.mark.req("R008-004")
def test_a_remote_that_is_added_later_is_not_believed(at: Attack) -> None:
    """The branch was recorded when the hook was installed, even where another remote poses as
    origin later."""
    name = at.fetched()
    at.repo.git("remote", "rename", "origin", "old")
    at.repo.git("remote", "rename", "contributor", "origin")
    at.repo.git("switch", "-q", "-c", "work", "--no-track", name.replace("contributor", "origin"))
    at.commit({"more.py": FORGED})
    done = at.repo.cli("review", "--base", "origin/x")
    assert not at.canary.exists()
    assert done.code in (1, 2), done.output
    assert "F821" in done.output


@pytest.mark.contract(plain=["push"])
@pytest.mark.parametrize("way", ["push", "review"])
def test_a_hostile_clone(at: Attack, way: str) -> None:
    """The default branch itself asks for a program: that does not run, and since it was to be
    asked, nothing passes without it."""
    theirs = at.stranger()
    theirs.write(
        {
            CONFIG: HOSTILE.replace(
                'exclude: ["**"], finding_threshold: none', "max_file_bytes: 5000000"
            )
        }
    )
    theirs.commit(approve=False)
    theirs.push("-q", "origin", "x:main")
    mine = at.it.bare.clone(at.repo.path.parent / "mine")
    clone = Repo(mine.path, ENV)
    assert clone.cli("hook", "install").code == 0
    clone.commit({"more.txt": "mine\n"})
    done = clone.push("origin", "main") if way == "push" else clone.cli("review")
    assert not at.canary.exists()
    assert done.code in (1, 2), done.output
    assert "stranger" in done.output and "reviewgate-gh trust" in done.output


@pytest.mark.contract(plain=False)
@pytest.mark.req("R008-002")
def test_what_is_approved_runs_until_it_changes(at: Attack) -> None:
    at.repo.write({CONFIG: _own_config("./run.sh"), "helper.sh": ""})
    executable(at.repo.file("run.sh"), f"./helper.sh\necho ran >> {at.canary}\necho '{_SARIF}'")
    executable(at.repo.file("helper.sh"), ":")
    at.repo.branch("work")
    at.commit()
    shown = at.repo.cli("trust", "--dry-run")
    assert "./run.sh" in shown.stdout and "nothing was approved" in shown.stdout
    at.repo.cli("review", "--base", "main")
    assert not at.canary.exists()
    told = at.repo.cli("trust")
    assert told.code == 0
    assert all(name in told.stdout for name in (CONFIG, "run.sh", "helper.sh")), told.output
    assert "named by the configuration" in told.stdout
    assert at.repo.cli("review", "--base", "main").code == 0
    assert at.canary.read_text() == "ran\n"
    for name in ("helper.sh", "run.sh", CONFIG):
        before = at.repo.file(name).read_text()
        at.commit({name: f"{before}# changed\n"})
        done = at.repo.cli("review", "--base", "main")
        assert at.canary.read_text() == "ran\n", name
        assert "reviewgate-gh trust" in done.output
        at.commit({name: before})


def test_a_module_beside_an_approved_script_is_part_of_it(at: Attack) -> None:
    """Python imports from the script's own folder first, so a new file there runs without the
    script being touched."""
    at.repo.write(
        {
            CONFIG: _own_config("python3", "tools/check.py"),
            "tools/check.py": f"import json\nprint({_SARIF!r})\n",
        }
    )
    at.repo.branch("work")
    at.commit()
    assert at.repo.cli("trust").code == 0
    assert at.repo.cli("review", "--base", "main").code == 0
    at.commit({"tools/json.py": f"open({str(at.canary)!r}, 'w')\n"})
    done = at.repo.cli("review", "--base", "main")
    assert not at.canary.exists()
    assert done.code == 2 and "tools/json.py" in done.output


@pytest.mark.parametrize("argv", [("make", "lint"), ("npm", "run", "lint"), ("tox",)])
def test_the_file_that_a_program_takes_its_orders_from(at: Attack, argv: tuple[str, ...]) -> None:
    files = {
        "Makefile": "lint:\n\t@true\n",
        "package.json": '{"scripts": {"lint": "true"}}\n',
        "tox.ini": "[tox]\n",
    }
    at.repo.branch("work")
    at.commit({CONFIG: _own_config(*argv), **files})
    told = at.repo.cli("trust")
    mine = {"make": "Makefile", "npm": "package.json", "tox": "tox.ini"}[argv[0]]
    assert f"\n{mine} " in told.stdout, told.output
    at.commit({mine: f"{files[mine]}\n"})
    done = at.repo.cli("review", "--base", "main")
    assert done.code == 2 and f"it would run {mine}" in done.output


TRIGGERED = """\
version: 1
commands: {test: [sh, run.sh]}
validation_triggers: {session_end: {commands: [{ref: test}], failure_mode: abort}}
"""


def triggered(at: Attack) -> Ran:
    return at.repo.cli("orchestrate", "trigger", "session_end", "--issue", "1")


def test_a_command_of_a_trigger_runs_only_what_is_approved(at: Attack) -> None:
    """Taking a file over from somebody else makes a commit of one's own, and the file stays
    theirs."""
    name = at.fetched()
    at.repo.branch("work")
    at.commit({CONFIG: TRIGGERED, "run.sh": ":\n"})
    refused = at.repo.cli("orchestrate", "start", "--issues", "1")
    assert refused.code == 78 and "reviewgate-gh trust" in refused.stderr, refused.output
    at.repo.trust()
    assert at.repo.cli("orchestrate", "start", "--issues", "1").code == 0
    at.commit({"a.txt": "mine\n"})
    assert triggered(at).code == 0
    at.repo.git("checkout", "-q", name, "--", "run.sh")
    at.commit()
    done = triggered(at)
    assert not at.canary.exists()
    assert (
        done.code == 2
        and "not checked: no command was run: it would run run.sh" in done.output
        and "reviewgate-gh trust" in done.output
    )
    at.repo.trust()
    triggered(at)
    assert at.canary.exists()


def test_a_config_of_head_that_does_not_count_is_named(at: Attack) -> None:
    at.commit({CONFIG: TRIGGERED, "run.sh": ":\n"})
    at.repo.trust()
    at.repo.git("push", "-q", "--no-verify", "origin", "HEAD")
    at.repo.branch("work")
    assert at.repo.cli("orchestrate", "start", "--issues", "1").code == 0
    at.commit({CONFIG: TRIGGERED.replace("run.sh", "other.sh")})
    done = triggered(at)
    assert (
        done.code == 0
        and "of HEAD is ignored" in done.stderr
        and "reviewgate-gh trust" in done.stderr
    ), done.output


def test_without_a_run_a_trigger_needs_the_change_approved(at: Attack) -> None:
    at.repo.branch("work")
    at.commit({CONFIG: TRIGGERED, "run.sh": f"touch {at.canary}\n"})
    at.repo.trust()
    at.commit({"a.txt": "mine\n"})
    done = triggered(at)
    assert not at.canary.exists()
    assert done.code == 2 and "orchestrate start" in done.output and "trust --change" in done.output
    at.repo.trust("--change", "HEAD")
    assert triggered(at).code == 0
    assert at.canary.exists()


def test_a_link_is_never_approved(at: Attack) -> None:
    at.repo.branch("work")
    executable(at.repo.path.parent / "outside.sh", f"touch {at.canary}")
    at.repo.file("run.sh").symlink_to("../outside.sh")
    at.commit({CONFIG: _own_config("./run.sh")})
    assert "it cannot be approved" in at.repo.cli("trust").stdout
    done = at.repo.cli("review", "--base", "main")
    assert not at.canary.exists()
    assert done.code != 0 and "it would run run.sh" in done.output


def test_an_approved_change_counts_as_a_whole(at: Attack) -> None:
    """`trust --change` is about one tree: the next commit is not approved by it."""
    at.repo.branch("work")
    at.commit({"app.py": FORGED})
    assert at.repo.cli("review", "--base", "main").code == 1
    done = at.repo.cli("trust", "--change", "main..work")
    assert done.code == 0 and "1 commit" in done.stdout
    assert at.repo.cli("review", "--base", "main").code == 0
    at.commit({"more.py": FORGED})
    assert at.repo.cli("review", "--base", "main").code == 1


def test_an_edited_config_counts_after_trust(at: Attack) -> None:
    at.repo.branch("work")
    at.commit(
        {
            CONFIG: "version: 1\npolicy: {finding_threshold: none}\n",
            "a.py": "import subprocess\nsubprocess.run('x', shell=undefined)\n",
        }
    )
    before = at.repo.cli("review", "--base", "main")
    assert (
        before.code == 1
        and "it applies after the merge, or once approved with: reviewgate-gh trust"
        in before.output
    )
    assert at.repo.cli("trust").code == 0
    after = at.repo.cli("review", "--base", "main")
    assert after.code == 0 and "because you approved it" in after.output


def test_settings_of_a_linter_count_after_trust_or_merge(at: Attack) -> None:
    at.repo.branch("work")
    at.commit(
        {
            "ruff.toml": 'lint.ignore = ["F821"]\nlint.select = ["E4"]\n',
            "a.py": "print(undefined)\n",
        }
    )
    assert at.repo.cli("review", "--base", "main").code == 1
    assert "settings of ruff" in at.repo.cli("trust").stdout
    assert at.repo.cli("review", "--base", "main").code == 0


def test_what_init_and_waive_write_needs_no_other_step(at: Attack) -> None:
    at.repo.branch("work")
    assert at.repo.cli("init", "--yes", "--no-workflow").code == 0
    at.commit({"a.py": "print(undefined)\n"})
    done = at.repo.cli("review", "--base", "main", "--output", "json")
    assert done.code == 1
    report = load_report(done.stdout)
    assert report.config_source == f"{CONFIG} of the approved content"
    [finding] = critical(report)
    assert at.repo.cli("waive", "add", finding.fingerprint, "--reason", "a test").code == 0
    at.commit()
    assert at.repo.cli("review", "--base", "main").code == 0
    assert at.it.push("origin", "work").code == 0


def test_a_waiver_of_a_stranger_does_not_count_beside_mine(at: Attack) -> None:
    """`waive` edits a file that somebody else has written to: only the entries that it wrote are
    approved."""
    at.repo.branch("work")
    at.commit({"a.py": "print(undefined)\n", "b.py": "print(unknown)\n"})
    found = critical(
        load_report(at.repo.cli("review", "--base", "main", "--output", "json").stdout)
    )
    ids = {finding.path: finding.fingerprint for finding in found}
    theirs = f"version: 1\nwaivers:\n  - fingerprint: {ids['a.py']}\n    reason: theirs\n"
    at.commit({WAIVERS: theirs})
    assert at.repo.cli("waive", "add", ids["b.py"], "--reason", "mine").code == 0
    at.commit()
    report = load_report(at.repo.cli("review", "--base", "main", "--output", "json").stdout)
    states = {finding.path: finding.state.value for finding in critical(report)}
    assert states == {"a.py": "open", "b.py": "waived"}


@pytest.mark.contract
@pytest.mark.req("R008-003")
def test_list_and_revoke(at: Attack) -> None:
    at.repo.branch("work")
    at.commit({CONFIG: _own_config("./run.sh"), "run.sh": "#!/bin/sh\n"})
    at.repo.cli("trust")
    listed = json.loads(at.repo.cli("trust", "--list", "--output", "json").stdout)
    assert listed["branch"] == "refs/remotes/origin/main" and listed["recorded"]
    assert {row["path"] for row in listed["files"]} == {CONFIG, "run.sh"}
    assert at.repo.cli("trust", "--revoke", "run.sh").stdout == "revoked 1 approval\n"
    assert at.repo.cli("trust", "--revoke", "run.sh").code == 64
    assert at.repo.cli("trust", "--revoke").stdout == "revoked 1 approval\n"
    assert json.loads(at.repo.cli("trust", "--list", "--output", "json").stdout)["files"] == []


def test_a_damaged_file_of_approvals_approves_nothing(at: Attack) -> None:
    at.repo.branch("work")
    at.commit(
        {CONFIG: "version: 1\npolicy: {finding_threshold: none}\n", "a.py": "print(undefined)\n"}
    )
    at.repo.cli("trust")
    kept = at.repo.file(".git/reviewgate-gh/trust.json")
    whole = kept.read_text()
    for damaged in (
        whole[: len(whole) // 2],
        "[]",
        whole.replace('"version": 1', '"version": 2'),
        "\0",
        "[" * 100_000,
    ):
        kept.write_text(damaged)
        done = at.repo.cli("review", "--base", "main")
        assert (
            done.code == 1
            and "trust.json cannot be read or is damaged, so nothing is approved" in done.output
        )
    assert at.repo.cli("trust").code == 0
    assert "damaged" not in at.repo.cli("review", "--base", "main").output
    assert len(list(kept.parent.glob("trust.json.damaged-*"))) == 1
    assert at.repo.cli("review", "--base", "main").code == 0


@pytest.mark.contract(plain=["args2-is not a commit here"])
@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--list", "--revoke"), "cannot be used together"),
        (("run.sh",), "PATH can only be used with --revoke"),
        (("--change", "nowhere"), "is not a commit here"),
        (("--branch", "nowhere"), "is not a branch here"),
    ],
)
def test_mistakes_are_told(at: Attack, args: tuple[str, ...], says: str) -> None:
    done = at.repo.cli("trust", *args)
    assert done.code == 64 and says in done.stderr


def critical(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.priority is Priority.P1]


_SARIF = json.dumps(
    {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "own"}}, "results": []}]}
)


def _own_config(*argv: str) -> str:
    listed = json.dumps(list(argv))
    keyless = "  linters: {type: linters}\n  builtin: {type: builtin}\n"
    return (
        f"version: 1\nreviewers:\n{keyless}  own: {{type: command, options: {{argv: {listed}, "
        f"format: sarif}}}}\n"
    )
