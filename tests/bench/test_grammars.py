"""How many files of public projects, which compile, the syntax floor calls broken.

REVIEWGATE_GH_SOURCES names a folder with such projects, for example a GOROOT, a JDK's src.zip
unpacked and clones:
REVIEWGATE_GH_SOURCES=FOLDER pytest -m bench -n0 -s tests/bench/test_grammars.py
"""

import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest

from reviewgate_gh.reviewers.linters import ast_grep
from reviewgate_gh.reviewers.linters._shared import LEFT_OUT

from ..support import tool

pytestmark = pytest.mark.bench
# Broken on purpose, or templates
_NO_CODE = re.compile(
    r"/(?:testdata|test_data|test-data|fixtures?|vendor|third_party|expected|snapshots?|templates?"
    r"|language-features|__brick__|err|rustc_fixtures|cargo/tests|rustfix/tests)/"
)
_MOST = 500  # files a call
_SUFFIXES = tuple(pattern.removeprefix("*") for pattern in ast_grep.FILES)
ROOT = os.environ.get("REVIEWGATE_GH_SOURCES", "")
_CONFIG = Path(ast_grep.__file__).parent / "data/sgconfig.yml"


def _sources(root: str) -> Iterator[str]:
    for folder, _folders, names in os.walk(root):
        if not _NO_CODE.search(f"{folder}/"):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(_SUFFIXES) and ast_grep.fits(path, b"") and os.path.isfile(path):
                    yield os.path.relpath(path, root)


def test_valid_files_called_broken() -> None:
    if not ROOT:
        pytest.skip("REVIEWGATE_GH_SOURCES names no folder")
    argv = ast_grep.argv(tool("ast-grep"), _CONFIG, ())
    by_suffix = defaultdict[str, list[str]](list)
    for path in _sources(ROOT):
        by_suffix[path.rpartition(".")[2]].append(path)
    print("\nsuffix        files     MB  seconds  called broken  not understood")
    for suffix, paths in sorted(by_suffix.items()):
        size, started, said = 0, perf_counter(), Counter[str]()
        for at in range(0, len(paths), _MOST):
            some = paths[at : at + _MOST]
            size += sum(os.path.getsize(f"{ROOT}/{path}") for path in some)
            answer = subprocess.run([*argv, *some], cwd=ROOT, capture_output=True, check=True)
            for finding in ast_grep.parse([answer.stdout]):
                said[finding.category] += 1
                if finding.category != LEFT_OUT:
                    print(f"  {finding.path}:{finding.line_start} {finding.title}")
        seconds = perf_counter() - started
        print(
            f".{suffix:<9} {len(paths):8,} {size / 1e6:6.1f} {seconds:8.1f} "
            f"{said['syntax']:14,} {said[LEFT_OUT]:15,}"
        )
