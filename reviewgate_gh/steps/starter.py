"""The files that `init` writes: a config in which every default stands as a comment, and a workflow."""

from collections.abc import Iterator

from ..model.codec import to_plain
from ..model.config import Config, LinterOptions
from .config_words import WORDS, known_as
from .yaml_text import Row, rows

_HEAD = """\
# What differs from the defaults of reviewgate-gh. Every key stands here with its default: uncomment what you change, with
# the section it stands in.
#   reviewgate-gh config check    is this file valid?
#   reviewgate-gh config show     which values apply, and where do they come from?
version: 1
"""
_EXAMPLE = "ruff"


def config_text() -> str:
    """`.reviewgate-gh.yaml` as a start."""
    plain = to_plain(Config())
    del plain["version"]
    plain["linters"] = {_EXAMPLE: to_plain(LinterOptions())}
    said: set[str] = set()
    return _HEAD + "".join(f"{line}\n" for row in rows(plain) for line in _explained(row, said))


def _explained(row: Row, said: set[str]) -> Iterator[str]:
    """The row as a comment, after what its key means; without the outer `# ` it is YAML again."""
    indent = row.text[: len(row.text) - len(row.text.lstrip())]
    if len(row.path) == 1:
        yield ""
    key = known_as(row.path) if row.path else ""
    if key in WORDS and key not in said:
        said.add(key)
        yield f"# {indent}# {WORDS[key]}"
    yield f"# {row.text}"


def workflow_text(version: str) -> str:
    """`.github/workflows/reviewgate.yml` that installs exactly this release."""
    return _WORKFLOW.replace("VERSION", version)


# The gate runs isolated (-I) from a virtual environment outside the checkout: no module is imported from the reviewed commits.
_WORKFLOW = """\
# Reviews every pull request, and what the merge queue is about to merge, with reviewgate-gh. It needs no secret.
name: Review gate

on:
  pull_request:
    types: [opened, synchronize, reopened, ready_for_review]
  merge_group:

permissions: {}

concurrency:
  group: reviewgate-${{ github.workflow }}-${{ github.event.pull_request.number || github.ref }}
  cancel-in-progress: true

jobs:
  review:
    name: Review
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    permissions:
      contents: read # to check the commits out
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
          fetch-depth: 0
      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0
        with:
          python-version: "3.13"
      - name: Install
        run: |
          python -I -m venv "$RUNNER_TEMP/reviewgate-gh"
          "$RUNNER_TEMP/reviewgate-gh/bin/python" -I -m pip install --quiet --disable-pip-version-check "reviewgate-gh[linters]==VERSION"
      - name: Review
        env:
          REVIEWGATE_GH_INPUT_FAIL_ON: block # concerns: fail on concerns too; never: only report
        run: |
          "$RUNNER_TEMP/reviewgate-gh/bin/python" -I -m reviewgate_gh action
"""
