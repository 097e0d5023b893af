"""What a tool says of a copy of the changed files is what it says in the whole tree: neighbours,
modes, and no words of our own."""

import json

from ...support import Repo

CONFIG = '[tool.ruff]\nsrc = ["src"]\n[tool.ruff.lint]\nselect = ["EXE", "F", "I", "INP"]\n'
BEFORE = {
    "pyproject.toml": CONFIG,
    "src/pkg/__init__.py": "",
    "src/pkg/part/__init__.py": "",
    "src/lone.py": "",
    "tests/__init__.py": "",
}
MODULE = "import requests\n\nimport lone\nfrom pkg import part\n\nprint(requests, lone, part)\n"


def review(repo: Repo, env: dict[str, str]) -> list[tuple[str, str]]:
    report = json.loads(repo.cli("review", "--commit", "HEAD", "--output", "json", env=env).stdout)
    return [
        (found["rule"], found["path"])
        for found in report["findings"]
        if found["rule"].startswith(("ruff/", "shellcheck/"))
    ]


def test_ruff_knows_the_projects_own_packages_and_programs(repo: Repo) -> None:
    repo.commit(BEFORE)
    blob = repo.git("hash-object", "-w", "--stdin")
    # No disk holds it
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{'x' * 300}.py")
    repo.git("commit", "--quiet", "--message", "long")
    repo.write(
        {
            "src/pkg/new.py": "import os\n",
            "tests/test_it.py": MODULE,
            "tool.py": "#!/usr/bin/env python3\n",
            "odd.py": "print(1)\n",
        }
    )
    for program in ("tool.py", "odd.py"):
        repo.file(program).chmod(0o755)
    repo.git("add", "src", "tests", "tool.py", "odd.py")
    repo.git("commit", "--quiet", "--message", "change")
    expected = [("ruff/EXE002", "odd.py"), ("ruff/F401", "src/pkg/new.py")]
    assert review(repo, {}) == review(repo, {"CI": "1"}) == expected


def test_a_defused_comment_of_shellcheck_is_no_finding_of_its_own(repo: Repo) -> None:
    repo.commit({"a.txt": ""})
    first, second = "shell=bash disable=SC2086,all", 'disable="SC2000-SC3000"'
    repo.commit(
        {"a.sh": f"#!/bin/sh\n# shellcheck {first}\necho $1\n# shellcheck {second}\necho $2\n"}
    )
    both = [("shellcheck/SC2086", "a.sh"), ("shellcheck/SC2086", "a.sh")]
    assert review(repo, {}) == review(repo, {"CI": "1"}) == both
    repo.trust("--change", "HEAD")
    assert review(repo, {}) == []
