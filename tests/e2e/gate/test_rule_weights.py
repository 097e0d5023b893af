"""What rules weigh in whole runs: what was measured as certain refuses a change, what fires alike
on good and bad code does not, and what the base has is not told."""

import json

import pytest

from tests.support import Repo, tool

pytestmark = pytest.mark.contract(plain=False)
_WORKFLOW = """name: release
on: push
permissions: {{}}
jobs:
  release:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/create-github-app-token@{revision}
        id: token
        with:
          app-id: ${{{{ vars.APP_ID }}}}
          private-key: ${{{{ secrets.APP_KEY }}}}
"""
_HOOKS = (
    "repos:\n  - repo: https://example.com/hooks\n    rev: {revision}\n    hooks: [{{id: a}}]\n"
)
_BASE = {
    ".github/workflows/release.yml": _WORKFLOW.format(revision=f"{'a' * 40} # v1.0.0"),
    ".pre-commit-config.yaml": _HOOKS.format(revision="v1.0.0"),
    "search_index.json": '{"docs": []}\n',
}
_HEAD = {
    ".github/workflows/release.yml": _WORKFLOW.format(revision=f"{'b' * 40} # v2.0.0"),
    ".pre-commit-config.yaml": _HOOKS.format(revision="v1.1.0"),
    "search_index.json": '{"docs": [' + '"plain words", ' * 200 + '"a \u202e b"]}\n',
    "users.py": "import hashlib\n\n\ndef hash_password(text):\n    return hashlib.md5(text)\n",
    "etags.py": "import hashlib\n\n\ndef etag(body):\n    return hashlib.md5(body)\n",
    "calc.py": "def value(text):\n    return eval(text)\n",
    "plain.py": "import os\n\nCOMMAND = 'ls'\n\n\ndef f():\n    os.system(COMMAND + ' -l')\n",
    "site.py": "from flask import Flask, request\n\napp = Flask(__name__)\n\n\n@app.route('/')\n"
    "def f():\n    eval(request.args['x'])\n    return ''\n",
}


@pytest.fixture
def weighed(repo: Repo) -> Repo:
    repo.commit(_BASE)
    repo.commit(_HEAD)
    return repo


def _open(repo: Repo) -> dict[tuple[str, str], tuple[str, list[str]]]:
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    assert done.code == 1, done.output
    return {
        (found["path"], found["rule"]): (found["priority"], found["sources"])
        for found in json.loads(done.stdout)["findings"]
        if found["state"] == "open"
    }


@pytest.mark.contract(plain=False)
@pytest.mark.skipif(not tool("zizmor"), reason="no zizmor")
def test_the_sentences_of_the_table(weighed: Repo) -> None:
    assert _open(weighed) == {
        (".pre-commit-config.yaml", "builtin/hook-version"): ("P3", ["builtin"]),
        ("search_index.json", "builtin/hidden-bidi"): ("P2", ["builtin"]),
        ("users.py", "ruff/S324"): ("P1", ["ruff"]),
        ("etags.py", "ruff/S324"): ("P3", ["ruff"]),
        ("calc.py", "ruff/S307"): ("P2", ["ruff"]),
        ("plain.py", "ruff/S605"): ("P3", ["ruff"]),
        ("site.py", "taint/code-injection"): ("P1", ["builtin", "ruff"]),
    }


def test_a_project_weighs_by_glob_and_path(weighed: Repo) -> None:
    rules = "{ruff/S3*: off, 'taint/*': {priority: P0, paths: [/site.py]}}"
    weighed.commit({".reviewgate-gh.yaml": f"rules: {rules}\n"})
    changed = _HEAD["site.py"].replace("'x'", "'y'")
    weighed.commit({"site.py": changed, "sub/site.py": changed, "etag.py": _HEAD["etags.py"]})
    assert _open(weighed) == {
        ("site.py", "taint/code-injection"): ("P0", ["builtin"]),
        ("sub/site.py", "taint/code-injection"): ("P1", ["builtin"]),
    }
