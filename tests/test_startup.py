"""Start-up is part of the design: a command that needs no parser, client or colours loads none."""

import sys

import pytest

from .support import ROOT, run

HEAVY = ("difflib", "github", "pathspec", "pydantic", "requests", "rich", "yaml")
_REPORT = f"\nimport sys\nprint('loaded:', sorted(set({HEAVY!r}) & set(sys.modules)))"
_IMPORT = "import reviewgate_gh.cli"
_HELP = """
from reviewgate_gh.cli import main
sys.argv = ["reviewgate-gh", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


@pytest.mark.parametrize("program", [_IMPORT, "import sys" + _HELP], ids=["import", "--help"])
def test_no_heavy_module_is_loaded(program: str) -> None:
    done = run([sys.executable, "-c", program + _REPORT], ROOT)
    assert done.code == 0, done.output
    assert done.stdout.splitlines()[-1] == "loaded: []"
