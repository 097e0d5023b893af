"""requirements/: what is installed is what the lock file names, whoever filled the cache."""

import base64
import hashlib
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from .support import ROOT, Ran, run

# Where an untrusted person can start a run whose cache the default branch reads
LOW_TRUST = {"pull_request_target", "issue_comment", "workflow_run", "pull_request_review"}


def wheel(folder: Path, name: str, version: str, code: str) -> Path:
    """A wheel of one module."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = []
    with ZipFile(path, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
            rows.append(f"{inside},sha256={digest.rstrip(b'=').decode()},{len(text)}\n")
        archive.writestr(f"{about}/RECORD", "".join(rows) + f"{about}/RECORD,,\n")
    return path


@dataclass(frozen=True, slots=True)
class Project:
    """A project of this shape that needs one package, `left`, and an index that has it."""

    folder: Path
    index: Path

    @property
    def wheels(self) -> Path:
        """What the cache restored or keeps."""
        return self.folder / "wheels"

    def install(self, online: bool = True, python: Path | str = sys.executable) -> Ran:
        """requirements/install, with that index or with none."""
        index = self.index if online else self.index / "gone"
        env = {
            "PYTHON": str(python), "PIP_INDEX_URL": index.as_uri(), "PIP_RETRIES": "0",
            "PIP_CONFIG_FILE": "/dev/null", "PIP_FIND_LINKS": "", "PYTHONPATH": str(self.folder),
        }  # fmt: skip
        (self.folder / "pip.py").write_text("raise SystemExit('imported from the work tree')\n")
        script = self.folder / "requirements/install"
        return run([script, self.folder / "venv", self.wheels], self.folder, env)

    def imported(self) -> str:
        """What the new environment's `left` and the project say."""
        python = self.folder / "venv/bin/python"
        code = "import left, reviewgate_gh; print(left.said, reviewgate_gh.said)"
        return run([python, "-I", "-c", code], self.folder).stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project", tmp_path / "index")
    genuine = wheel(made.index / "left", "left", "1.0", "said = 'genuine'\n")
    digest = hashlib.sha256(genuine.read_bytes()).hexdigest()
    (made.index / "left/index.html").write_text(
        f'<a href="{genuine.name}#sha256={digest}">{genuine.name}</a>'
    )
    shutil.copytree(ROOT / "requirements", made.folder / "requirements")
    (made.folder / "requirements/action.txt").write_text(f"left==1.0 --hash=sha256:{digest}\n")
    (made.folder / "reviewgate_gh").mkdir()
    (made.folder / "reviewgate_gh/__init__.py").write_text("said = 'project'\n")
    return made


@pytest.mark.contract(plain=False)
def test_a_first_run_keeps_what_a_second_one_installs_offline(project: Project) -> None:
    done = project.install()
    assert (done.code, done.stdout, done.stderr) == (0, "downloaded\n", ""), done.output
    assert project.imported() == "genuine project"
    shutil.rmtree(project.folder / "venv")
    done = project.install(online=False)
    assert (done.code, done.stdout, done.stderr) == (0, "used\n", ""), done.output
    assert project.imported() == "genuine project"


@pytest.mark.contract(plain=False)
def test_a_poisoned_cache_is_not_installed(project: Project) -> None:
    """The same name with other contents, and what pip would like better: a newer version."""
    wheel(project.wheels, "left", "1.0", "said = 'poisoned'\n")
    wheel(project.wheels, "left", "2.0", "said = 'newer'\n")
    done = project.install(online=False)
    assert done.code != 0 and not list((project.folder / "venv").rglob("left*")), done.output
    wheel(project.wheels, "left", "1.0", "said = 'poisoned'\n")
    done = project.install()
    assert (done.code, done.stdout) == (0, "replaced\n"), done.output
    assert [path.name for path in project.wheels.iterdir()] == ["left-1.0-py3-none-any.whl"]
    assert project.imported() == "genuine project"


@pytest.mark.slow
def test_a_python_without_pip_brings_its_own(project: Project) -> None:
    python = project.folder / "python"
    python.write_text(
        f'#!/bin/sh\n[ "$2 $3" != "-m pip" ] || exit 1\nexec {sys._base_executable} "$@"\n'  # type: ignore[attr-defined]
    )
    python.chmod(0o755)
    done = project.install(python=python)
    assert (done.code, done.stdout) == (0, "downloaded\n"), done.output
    assert project.imported() == "genuine project"


def test_an_old_python_is_named(project: Project) -> None:
    done = project.install(python=shutil.which("false") or "")
    assert (done.code, done.stdout) == (64, "")
    assert done.stderr.count("\n") == 1 and "Python 3.11 or newer" in done.stderr


def test_the_key_changes_with_the_lock_file(project: Project) -> None:
    def key() -> str:
        return run([sys.executable, "-I", folder / "key"], project.folder).stdout.strip()

    folder = project.folder / "requirements"
    first = key()
    assert re.fullmatch(r"reviewgate-gh-wheels-[\w.-]+-[0-9a-f]{64}", first), first
    assert key() == first
    (folder / "action.txt").write_text("left==2.0\n")
    assert key() != first


def test_only_runs_that_no_stranger_writes_for_keep_a_cache() -> None:
    """A run on these events belongs to the default branch, whose cache trusted runs read."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]
    [keep] = [step for step in steps if str(step.get("uses")).startswith("actions/cache/save@")]
    events = set(re.findall(r'"(\w+)"', keep["if"]))
    assert events and not events & LOW_TRUST
    names = [step["name"] for step in steps]
    assert names.index(keep["name"]) < names.index("Review"), "before the change is read"
    users = [step for step in steps if str(step.get("uses")).startswith("actions/cache/")]
    assert len({step["with"]["key"] for step in users}) == 1 and len(users) == 2
    assert not any("restore-keys" in step["with"] for step in users)
