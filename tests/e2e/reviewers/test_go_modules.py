"""Real golangci-lint over a repository of several Go modules: it looks into none but the one that
it runs in."""

import json

import pytest

from ...quiet_path import MACHINE_PATH
from ...support import Repo, built

OURS = "linters: {golangci_lint: {args: [--allow-parallel-runners]}}\n"
CONFIG = {".golangci.yml": 'version: "2"\n', ".reviewgate-gh.yaml": OURS}
UNCHECKED = 'package p\n\nimport "os"\n\nfunc F() {\n\tos.Remove("x")\n}\n'
WRONG = 'package q\n\nfunc G() int {\n\treturn "x"\n}\n'


def module(folder: str) -> dict[str, str]:
    return {f"{folder}go.mod": f"module example.com/{folder}m\n\ngo 1.24\n"}


def found(repo: Repo) -> list[tuple[str, str, int]]:
    path = f"{built('golangci-lint').parent}:{MACHINE_PATH}"
    report = json.loads(
        repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path}).stdout
    )
    [asked] = [row for row in report["reviews"] if row["part"] == "golangci_lint"]
    assert asked["status"] == "ok", asked["error"]
    return sorted(
        (f["rule"].partition("/")[2], f["path"], f["line_start"]) for f in report["findings"]
    )


@pytest.mark.peer
def test_each_module_with_changes_is_read(repo: Repo) -> None:
    repo.commit({**CONFIG, **module(""), **module("tools/"), **module("tools/testdata/odd/")})
    repo.commit(
        {
            "a.go": UNCHECKED,
            "tools/deep/a.go": UNCHECKED,
            "tools/q/q.go": WRONG,
            "tools/testdata/odd/q.go": WRONG,
        }
    )
    assert ("errcheck", "a.go", 6) in found(repo) and ("typecheck", "tools/q/q.go", 4) in found(
        repo
    )
    repo.git("rm", "--quiet", "tools/q/q.go")
    repo.commit({"a.go": None, "tools/deep/a.go": UNCHECKED + "\n"})
    assert found(repo) == []
    repo.commit({"tools/deep/b.go": UNCHECKED.replace("F()", "H()")})
    assert found(repo) == [("errcheck", "tools/deep/b.go", 6)]


@pytest.mark.peer
def test_none_of_them_need_be_at_the_root(repo: Repo) -> None:
    repo.commit(
        {**CONFIG, **module("one/"), **module("two/"), "two/.golangci.yml": 'version: "2"\n'}
    )
    repo.commit({"one/sub/a.go": UNCHECKED, "two/a.go": UNCHECKED})
    assert found(repo) == [("errcheck", "one/sub/a.go", 6), ("errcheck", "two/a.go", 6)]
