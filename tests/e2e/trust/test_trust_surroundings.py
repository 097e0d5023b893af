"""What lies around approved content decides nothing: links, submodules, other branches, ignored
files, tags, line ends, remotes."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.documents.trusted_side import find_trusted_side
from reviewgate_gh.system.environment import Environment

from ...support import Repo
from ..pushing import ENV, Pushing, executable
from .test_trust import CONFIG, FORGED, Attack
from .test_trust_files import PRINT, SARIF, SAY, own_config


@pytest.fixture
def at(tmp_path: Path) -> Attack:
    return Attack.make(tmp_path)


def approved(at: Attack, argv: list[str], files: dict[str, str]) -> None:
    """A branch whose command is approved, and runs."""
    at.repo.branch("work")
    at.repo.write({**files, CONFIG: own_config(*argv)})
    at.repo.commit()
    at.repo.trust()
    done = at.repo.cli("review", "--base", "main")
    assert done.code == 0 and not at.canary.exists(), done.output


def no_more(at: Attack) -> None:
    done = at.repo.cli("review", "--base", "main")
    assert not at.canary.exists()
    assert done.code == 2 and "whose current content is not approved" in done.output, done.output


def test_a_link_takes_the_place_of_a_folder(at: Attack) -> None:
    approved(at, ["sh", "tools/run.sh"], {"tools/run.sh": SAY})
    at.repo.git("rm", "-rq", "tools")
    at.repo.write({"other/run.sh": f"touch {at.canary}\n{SAY}"})
    at.repo.file("tools").symlink_to("other")
    at.repo.commit()
    no_more(at)


def test_a_submodule_is_never_approved(at: Attack) -> None:
    sub = Repo.init(at.repo.path.parent / "sub", env=ENV)
    sub.commit({"run.sh": f"touch {at.canary}\n{SAY}"})
    at.repo.branch("work")
    at.repo.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(sub.path), "vendor/sub"
    )
    at.repo.commit({CONFIG: own_config("sh", "vendor/sub/run.sh")})
    assert "vendor/sub not a regular file: it cannot be approved" in at.repo.cli("trust").stdout
    no_more(at)


def test_compiled_code_that_is_never_compared_with_its_source(at: Attack) -> None:
    approved(
        at,
        ["python3", "tools/check.py"],
        {"tools/check.py": f"import helper\n{PRINT}", "tools/helper.py": "A = 1\n"},
    )
    source = at.repo.path.parent / "helper.py"
    source.write_text(f"open({str(at.canary)!r}, 'w')\n")
    compiling = (
        "import py_compile, sys\n"
        "place = f'{sys.argv[2]}/helper.{sys.implementation.cache_tag}.pyc'\n"
        "py_compile.compile(sys.argv[1], place, "
        "invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\n"
    )
    subprocess.run(
        ["python3", "-c", compiling, source, at.repo.file("tools/__pycache__")], check=True
    )
    at.repo.git("add", "-f", "tools/__pycache__")
    at.repo.commit()
    no_more(at)


def test_a_folder_of_the_work_tree_on_path(at: Attack) -> None:
    at.repo.branch("tools")
    executable(at.repo.file("bin/lint-all"), SAY)
    at.repo.commit()
    with_path = Repo(at.repo.path, {**ENV, "PATH": f"{at.repo.path}/bin:{os.environ['PATH']}"})
    at = Attack(Pushing(with_path, at.it.bare), at.canary)
    approved(at, ["lint-all"], {})
    executable(at.repo.file("bin/lint-all"), f"touch {at.canary}\n{SAY}")
    at.repo.commit()
    no_more(at)


def test_a_patch_that_hides_what_it_brings(at: Attack) -> None:
    """`git apply` leaves new files untracked, and a .gitignore among them counts at once."""
    approved(at, ["python3", "tools/check.py"], {"tools/check.py": PRINT})
    at.repo.write(
        {"tools/json.py": f"open({str(at.canary)!r}, 'w')\n", ".gitignore": "json.py\n.gitignore\n"}
    )
    no_more(at)


@pytest.mark.parametrize("how", ["another branch", "an edit", "a new file"])
def test_an_approved_tree_says_nothing_of_another_one(at: Attack, how: str) -> None:
    """Commands run in the work tree, and what lies there is not what was approved."""
    at.repo.branch("work")
    at.repo.write({"tools/run.py": PRINT, CONFIG: own_config("python3", "tools/run.py")})
    at.repo.commit()
    at.repo.trust("--change", "main..work")
    evil = f"open({str(at.canary)!r}, 'w')\n"
    if how == "another branch":
        at.repo.branch("theirs", "main")
        at.repo.commit({"tools/run.py": evil})
    else:
        at.repo.write({"tools/run.py" if how == "an edit" else "tools/json.py": evil})
    assert at.it.push("origin", "work").code != 0
    assert not at.canary.exists()


def counts(repo: Repo) -> None:
    """The approved config and the command that it declares."""
    report = json.loads(repo.cli("review", "--base", "main", "--output", "json").stdout)
    assert report["config_source"] == f"{CONFIG} of the approved content"
    assert {row["reviewer"]: row["status"] for row in report["reviews"]}["own"] == "ok"


def test_line_ends_as_git_writes_them(at: Attack) -> None:
    """With core.autocrlf a commit holds other bytes than the work tree: approved here as there,
    before and after."""
    at.repo.branch("work")
    at.repo.write({"run.py": f"print({SARIF!r})\n", CONFIG: own_config("python3", "run.py")})
    at.repo.commit()
    at.repo.trust()
    at.repo.git("config", "core.autocrlf", "true")
    at.repo.git("rm", "-q", "--cached", "-r", ".")
    at.repo.git("reset", "-q", "--hard")
    assert b"\r\n" in at.repo.file("run.py").read_bytes()
    counts(at.repo)
    at.repo.cli("trust", "--revoke")
    at.repo.trust()
    counts(at.repo)


@pytest.mark.parametrize(
    "args",
    [
        ("--base", "origin/main"),
        ("--range", "origin/main..work"),
        ("--range", "origin/main~0..work"),
    ],
)
def test_a_tag_that_poses_as_a_branch(at: Attack, args: tuple[str, ...]) -> None:
    """Tags of what is fetched come along, and git takes a tag before a branch of the same name."""
    theirs = at.stranger()
    theirs.git("tag", "origin/main", "x")
    at.repo.git("remote", "add", "contributor", str(theirs.path))
    at.repo.git("fetch", "-q", "contributor")
    at.repo.git("switch", "-q", "-c", "work", "--no-track", "contributor/x")
    done = at.repo.cli("review", *args)
    assert done.code == 64 and "is both a tag and a branch, at different commits" in done.stderr
    assert "use its full name: refs/remotes/origin/main or refs/tags/origin/main" in done.stderr
    assert at.repo.cli("review", "--base", "refs/remotes/origin/main").code == 1


def test_a_recorded_branch_that_is_gone_is_said(at: Attack) -> None:
    at.it.bare.git("branch", "-m", "main", "trunk")
    at.repo.git("fetch", "-q", "--prune")
    at.repo.commit({CONFIG: "version: 1\npolicy: {finding_threshold: none}\n"}, approve=False)
    said = (
        "the trusted branch origin/main is gone, so no settings apply; name its replacement: "
        "reviewgate-gh trust --branch REF"
    )
    assert said in at.repo.cli("review", "--base", "origin/trunk").output
    at.repo.trust("--branch", "origin/trunk")
    assert "is gone" not in at.repo.cli("review", "--base", "origin/trunk").output


def test_the_first_remote_counts_whatever_it_is_called(at: Attack) -> None:
    at.repo.git("remote", "rename", "origin", "mine")
    at.repo.file(".git/reviewgate-gh/trust.json").unlink()
    at.repo.git("switch", "-q", "-c", "work", "--no-track", at.fetched())
    at.repo.commit({"more.py": FORGED})
    done = at.repo.cli("review", "--base", "contributor/x")
    assert done.code == 1 and "F821" in done.output, done.output


def test_a_branch_without_commits_is_nobodys_approval(at: Attack) -> None:
    at.repo.git("checkout", "-q", "--orphan", "fresh", at.fetched())
    outside_ci = {name: value for name, value in os.environ.items() if name != "CI"}
    environment = replace(Environment.current(), cwd=at.repo.path, variables=outside_ci)
    side = find_trusted_side(environment, trusted=False)
    assert not side.all_approved and side.read([CONFIG]) == {}
