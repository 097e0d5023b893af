"""Changes written down as data, laid into one repository, and what the comparisons say of them."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from reviewgate_gh.git.client import Git
from reviewgate_gh.model.change import Change, Range
from reviewgate_gh.model.finding import Finding
from reviewgate_gh.reviewers.change import gather, without_comments
from reviewgate_gh.reviewers.comparisons._sources import ComparisonInput
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system import plugins
from reviewgate_gh.system.environment import Environment

FOLDER = Path(__file__).parent
Case = Mapping[str, Any]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the quick one, where libyaml is there


@cache
def read_cases(folder: str) -> list[Case]:
    """The cases of all files of a folder: name, rule (or "none"), base, and what the head changes
    of it (null: deleted); `git: true` where it matters which lines git takes for each other."""
    return [
        {**case, "file": file.stem}
        for file in sorted((FOLDER / folder).glob("*.yaml"))
        for case in yaml.load(file.read_text("utf-8"), _LOADER)
    ]


def lay_out(repo: Path, cases: Sequence[Case]) -> list[tuple[str, str]]:
    """Base and head of each case as commits of one new repository."""
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    stream = bytearray()
    for number, case in enumerate(cases):
        sides = (case["base"], {**case["base"], **case["head"]})
        for side, files in zip(("base", "head"), sides, strict=True):
            stream += (
                f"commit refs/heads/{side}{number}\ncommitter a <a@b> 0 +0000\ndata 0\n".encode()
            )
            for path, text in files.items():
                if text is not None:
                    data = text.encode()
                    stream += f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repo, input=bytes(stream), check=True)
    names = [f"refs/heads/{side}{n}" for n in range(len(cases)) for side in ("base", "head")]
    done = subprocess.run(
        ["git", "rev-parse", *names], cwd=repo, capture_output=True, text=True, check=True
    )
    oids = done.stdout.split()
    return list(zip(oids[::2], oids[1::2], strict=True))


def findings_of(git: Git, base: str, head: str) -> list[Finding]:
    """What the comparisons find in this change."""
    environment = Environment(dict(os.environ), git.directory)
    return compare_all(git, load_change(git, Range(base, head), environment, True))


def compare_all(git: Git, change: Change) -> list[Finding]:
    """The findings of all comparisons."""
    return findings_in(gather(change, git))


def findings_in(sources: ComparisonInput) -> list[Finding]:
    """The same of what was gathered."""
    code = without_comments(sources)
    folders = {
        name: plugins.load_folder("comparisons", name) for name in plugins.names("comparisons")
    }
    return [
        finding
        for name, folder in folders.items()
        if any(map(folder.wants, sources.change.files))
        for finding in plugins.load("comparisons", name).compare(
            code if folder.CODE_ALONE else sources
        )
    ]
