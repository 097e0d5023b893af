"""The lines of docs/ci.md, run as they stand: in a clone with a remote, without GitHub, and for the
image with a `docker` that does what its options mean on this machine."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from .support import ROOT, Ran, Repo, run

TEXT = (ROOT / "docs/ci.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
# Of `docker run`: a program without a network, in the folder that is mounted, as this user
DOCKER = """\
#!/usr/bin/env python3
import os, subprocess, sys
from pathlib import Path
words, given = sys.argv[1:], {}
assert words.pop(0) == "run", "only run"
while words[0].startswith("--"):
    option = words.pop(0)
    given[option] = None if option == "--rm" else words.pop(0)
assert set(given) == {"--rm", "--network", "--user", "--volume"} and given["--network"] == "none"
assert given["--user"] == f"{os.getuid()}:{os.getgid()}"
outside, inside = given["--volume"].split(":")
assert inside == WORKDIR and words.pop(0) == "reviewgate-gh", "the image that was built"
isolated = ["unshare", "--net", *([] if os.getuid() == 0 else ["--map-current-user"])]
os.chdir(outside)
os.execvp("unshare", [*isolated, *words])
"""


def block(word: str) -> str:
    """The block that holds this word."""
    [found] = [text for text in BLOCKS if word in text]
    return found


def shell(text: str, repo: Repo, *folders: Path, **env: str) -> Ran:
    """The lines in a clone, where the shell finds our program."""
    path = [*map(str, folders), str(Path(sys.executable).parent), os.environ["PATH"]]
    variables = {"CI": "true", "PATH": os.pathsep.join(path), **repo.env, **env}
    return run(["sh", "-ec", text], repo.path, variables)


@pytest.fixture
def cloned(repo: Repo, tmp_path: Path) -> Repo:
    """A clone whose branch has a defect that its remote's main has not."""
    repo.bare_remote(tmp_path / "remote.git")
    assert repo.git("push", "--quiet", "origin", "main") == ""
    repo.branch("topic")
    repo.commit({"a.py": "def f():\n    return missing\n", "b.py": "x = 1\n"})
    return repo


def test_every_block_is_run_here_or_by_ci() -> None:
    run_here = {
        block(word) for word in ("docker run", "-m venv", "checkstyle=", "--shard ", "gather")
    }
    # tests/test_image.py: the job `image` of CI runs it
    assert set(BLOCKS) == run_here | {block("docker build")}


@pytest.mark.contract(plain=False)
def test_anywhere_else(cloned: Repo) -> None:
    done = shell(block("checkstyle="), cloned)
    assert done.code == 1 and "block · 1 P1 in 2 files" in done.stdout, done.output
    for name in ("checkstyle.xml", "junit.xml", "report.html"):
        assert "F821" in cloned.file(name).read_text("utf-8")


@pytest.mark.contract(plain=False)
def test_on_several_machines(cloned: Repo) -> None:
    for number in range(1, 5):
        env = {"CI_NODE_INDEX": str(number), "CI_NODE_TOTAL": "4"}
        done = shell(block("--shard "), cloned, **env)
        assert done.code == 0, done.output
    done = shell(block("gather"), cloned)
    assert done.code == 1 and "block · 1 P1 in 2 files" in done.stdout, done.output
    sorted(cloned.path.glob("answers/*.json"))[2].unlink()
    missing = shell(block("gather"), cloned)
    assert missing.code in (1, 2) and "shard 3 of 4" in missing.output, missing.output


@pytest.mark.contract(plain=False)
def test_with_the_image(cloned: Repo, tmp_path: Path) -> None:
    if run(["unshare", "--net", "--map-current-user", "true"], tmp_path).code:
        pytest.skip("no program may be started without a network here")
    [folder] = re.findall(r"^WORKDIR (/\S+)$", (ROOT / "Containerfile").read_text("utf-8"), re.M)[
        -1:
    ]
    docker = tmp_path / "docker-bin/docker"
    docker.parent.mkdir()
    docker.write_text(DOCKER.replace("WORKDIR", repr(folder)))
    docker.chmod(0o755)
    done = shell(block("docker run"), cloned, docker.parent)
    assert done.code == 1 and "block · 1 P1 in 2 files" in done.stdout, done.output


@pytest.mark.slow
@pytest.mark.peer
def test_without_an_image(cloned: Repo, tmp_path: Path) -> None:
    copy = cloned.path / "reviewgate-gh"
    listed = run(["git", "-C", ROOT, "ls-files", "-z"], tmp_path).stdout.split("\0")
    for name in filter(None, listed):
        if name.startswith(("reviewgate_gh/", "requirements/")) or "/" not in name:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    keep = {name: os.environ[name] for name in os.environ if name.startswith("PIP_")}
    done = shell(block("-m venv"), cloned, HOME=os.path.expanduser("~"), **keep)
    if done.code and re.search(
        r"No matching distribution|connection|Temporary failure", done.output
    ):
        pytest.skip("no index of packages answers here")
    assert done.code == 0, done.output
    review = run(
        [cloned.path / "gate/bin/reviewgate-gh", "review", "--output", "json"], cloned.path
    )
    assert json.loads(review.stdout)["verdict"]["outcome"] == "block", review.output
