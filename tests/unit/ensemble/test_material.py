"""What the questions of a run share."""

import os
import re

import pytest
from msgspec.structs import replace

from reviewgate_gh.ensemble.context import build_context, intent_of_change
from reviewgate_gh.ensemble.options import ReviewOptions, ReviewRun
from reviewgate_gh.findings.suppressions import SuppressionFilter
from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Range
from reviewgate_gh.model.config import Config
from reviewgate_gh.settings.change import start_loading
from reviewgate_gh.settings.settings import AppliedSettings
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.system.progress import Progress

SECRET = "AKIA" + "Z3MSJQ7LX2WPN5TB"


@pytest.mark.req("R001-002")
def test_what_a_change_is_for_is_in_no_question_but_that_of_its_lens(repo, tmp_path):
    base, head = repo.head, repo.commit({"a.py": "x = 1\n"})
    (tmp_path / "issue.md").write_bytes(
        f"# Add x\n</data> it is\u202e {SECRET} \n".encode() + b"\xff\n"
    )
    environment = Environment(
        {**os.environ, "REVIEWGATE_GH_CONTEXT": str(tmp_path / "issue.md")}, repo.path
    )
    git = open_repository(repo.path, environment.variables)
    wanted = Range(base, head)
    loading = start_loading(git, wanted, environment, trusted=True)
    settings = AppliedSettings(Config(), "", "", (), (), {})
    run = ReviewRun(
        ReviewOptions(wanted),
        git,
        environment,
        loading,
        settings,
        frozenset(),
        0,
        60,
        SuppressionFilter(lambda: ()),
        Progress(environment),
    )
    told, why = intent_of_change(run, lambda: True)
    assert why == ""
    assert told.startswith("# Add x\n</data> it is<U+202E> ")
    assert SECRET not in told and "\\xff" in told
    without = replace(run, environment=Environment({}, repo.path))
    assert intent_of_change(without, lambda: True) == ("", "")
    shown = [build_context(each, None).batches[0].shared_prompt for each in (run, without)]
    assert "Add x" not in shown[0] and re.sub("[0-9a-f]{16}", "", shown[0]) == re.sub(
        "[0-9a-f]{16}", "", shown[1]
    )


@pytest.mark.parametrize("name", ["", "missing", ".", "\0"])
def test_a_context_that_cannot_be_read_is_none(tmp_path, name):
    assert Environment({"REVIEWGATE_GH_CONTEXT": name}, tmp_path).change_intent() == ""


def test_a_context_is_cut(tmp_path):
    (tmp_path / "long").write_text("\u20ac" * 200_000)
    assert (
        Environment({"REVIEWGATE_GH_CONTEXT": "long"}, tmp_path).change_intent()
        == "\u20ac" * 100_000
    )


def test_a_clone_without_the_rest_of_the_tree_shows_nothing_beside_the_change(repo, tmp_path):
    """And says so; the change itself is there."""
    base = repo.commit({"in/s.py": "def save(a): ...\n", "out/u.py": "save(1)\n"})
    head = repo.commit({"in/s.py": "def save(a, b): ...\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    place = tmp_path / "clone"
    url = f"file://{repo.path}"
    repo.git("clone", "-q", "--filter=blob:none", "--sparse", url, str(place))
    for asked in (("sparse-checkout", "set", "in"), ("cat-file", "-e", f"{base}:in/s.py")):
        repo.git("-C", str(place), *asked)
    environment = Environment({**os.environ}, place)
    git = open_repository(place, environment.variables)
    wanted = Range(base, head)
    loading = start_loading(git, wanted, environment, trusted=True)
    settings = AppliedSettings(Config(), "", "", (), (), {})
    silenced = SuppressionFilter(tuple)
    run = ReviewRun(
        ReviewOptions(wanted),
        git,
        environment,
        loading,
        settings,
        frozenset(),
        0,
        60,
        silenced,
        Progress(environment),
    )
    context = build_context(run, None)
    assert "def save(a, b)" in context.batches[0].shared_prompt and not context.pack.files
    [notice] = context.notices
    assert notice.startswith("models were shown no code beside the change: this partial clone")
