"""The code is typed and formatted throughout."""

import sys

import pytest

from .support import ROOT, run, tool


@pytest.mark.req("R004-069")
def test_the_type_checker_has_nothing_to_say():
    done = run([sys.executable, "-m", "mypy", "--strict", "reviewgate_gh/templates", "reviewgate_gh/commands/_templates.py"], ROOT)
    assert done.code == 0 and "Success: no issues found" in done.stdout, done.output


@pytest.mark.req("R004-070")
@pytest.mark.parametrize("args", [("check", "."), ("format", "--check", ".")], ids=" ".join)
def test_ruff_has_nothing_to_say(args):
    done = run([tool("ruff"), *args], ROOT)
    assert done.code == 0, done.output
