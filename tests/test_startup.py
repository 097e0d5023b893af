"""Start-up is part of the design: a command that needs no parser, client or colours loads none."""

import sys
from importlib import import_module
from pkgutil import walk_packages

import pytest

import reviewgate_gh

from .support import ROOT, Repo, run

HEAVY = ("difflib", "github", "pathspec", "pydantic", "requests", "rich", "yaml")
_REPORT = (
    f"import atexit, sys\natexit.register(lambda: print('loaded:', sorted(set({HEAVY!r}) & "
    "set(sys.modules))))\n"
)
_IMPORT = "import reviewgate_gh.cli"
_HELP = """
from reviewgate_gh.cli import main
sys.argv = ["reviewgate-gh", "--help"]
main()
"""


_LIST = _HELP.replace('"--help"', '"review", "list"')


@pytest.mark.parametrize(
    "program", [_IMPORT, _HELP, _LIST], ids=["import", "--help", "review list"]
)
def test_no_heavy_module_is_loaded(program: str) -> None:
    done = run([sys.executable, "-c", _REPORT + program], ROOT)
    assert done.code == 0, done.output
    assert done.stdout.splitlines()[-1] == "loaded: []"


_OTHERS = (
    "ensemble.client", "ensemble.ensemble", "epics.task", "orchestrate.triggers",
    "pull_request.snapshot", "issues.sync",
    "model.question", "model.pull_request", "issues.tracked", "reporters.sarif",
    "reporters.terminal", "ensemble.prompt",
    "issues.plan", "github", "reviewers.apis._client", "issues.trackers",
)  # fmt: skip
_REVIEW = """
from reviewgate_gh.cli import main
main(["review", "--commit", "HEAD", "--output", "json"])
"""


def test_a_review_without_a_key_loads_nothing_of_language_models_and_trackers(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n"})
    names = [*sorted(f"reviewgate_gh.{name}" for name in _OTHERS), "github", "requests"]
    told = (
        f"import atexit, sys\natexit.register(lambda: print('loaded:', sorted(set({names!r}) & "
        "set(sys.modules)), file=sys.stderr))\n"
    )
    done = run([sys.executable, "-c", told + _REVIEW], repo.path, {"PYTHONPATH": str(ROOT)})
    assert done.code == 0 and done.stderr.splitlines()[-1] == "loaded: []", done.output


_COMPILED = (
    """
import atexit, re, sys

kept, early = re.compile, set()
def compile(source, flags=0):
    by = sys._getframe(1)
    name = by.f_globals["__name__"]
    if by.f_code.co_name == "<module>" and name.startswith("reviewgate_gh."):
        early.add(name)
    return kept(source, flags)
re.compile = compile
atexit.register(lambda: print(sorted(early), file=sys.stderr))
"""
    + _REVIEW
)


def test_a_review_compiles_no_pattern_before_it_is_needed(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n"})
    done = run([sys.executable, "-c", _COMPILED], repo.path, {"PYTHONPATH": str(ROOT)})
    # What lazy patterns are is above the values
    below = [f"reviewgate_gh.model.{name}" for name in ("change", "languages")]
    assert done.code == 0 and done.stderr.splitlines()[-1] == str(below), done.output


def test_every_pattern_can_be_compiled() -> None:
    """An import tells of none that cannot."""
    names = [found.name for found in walk_packages(reviewgate_gh.__path__, "reviewgate_gh.")]
    seen = 0
    for name in names:
        if name.endswith("__main__"):
            continue
        for value in vars(import_module(name)).values():
            if type(value).__name__ == "_LazyPattern":
                assert value.flags >= 0, name
                seen += 1
    assert seen > 700
