"""Code that moves into a submodule is not gone: git shows of it a commit alone."""

import os
import subprocess
from pathlib import Path

from reviewgate_gh.git import open_repository
from tests.unit.reviewers.comparisons.support import findings_of

_NAMES = """namespace Run
{
    public static class Names
    {
        public const string RunVerbose = "V";
    }
}
"""
_USE = "using Run;\n\nclass Use\n{\n    string A() => Names.RunVerbose;\n}\n"


def _told(repo: Path, submodule: bool) -> list[str]:
    """The priorities of what is said when the definition goes, with a submodule in its place."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=repo,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    repo.mkdir()
    git("init", "-q")
    (repo / "Names.cs").write_text(_NAMES)
    (repo / "Use.cs").write_text(_USE)
    git("add", ".")
    git("commit", "-qm", "one")
    base = git("rev-parse", "HEAD")
    git("rm", "-q", "Names.cs")
    if submodule:
        git("update-index", "--add", "--cacheinfo", f"160000,{base},shared")
    git("commit", "-qm", "two")
    opened = open_repository(repo, dict(os.environ))
    return [str(each.priority) for each in findings_of(opened, base, git("rev-parse", "HEAD"))]


def test_what_may_be_in_a_submodule_is_not_told(tmp_path: Path) -> None:
    assert _told(tmp_path / "a", submodule=False) == ["P2"]
    assert _told(tmp_path / "b", submodule=True) == []
