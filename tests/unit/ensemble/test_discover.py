"""Commands found in a project's own files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.ensemble.project_commands import PROJECT_FILES, discover_commands

WORKFLOW = b"""
on: push
jobs:
  checks:
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .[test]
      - name: Unit tests
        run: |
          # a comment
          python -m pytest -q "a b"
          pytest | tee out
      - id: style
        run: ruff check .
      - run: cd sub && make test
      - run: echo ${{ github.token }}; pytest
      - run: CI=1 tox
      - working-directory: sub
        run: npm run lint
  typecheck:
    steps: [{run: mypy --strict}]
"""


def argvs(**files: str | bytes) -> dict[str, tuple[str, ...]]:
    named = {
        name.replace("__", "."): data.encode() if isinstance(data, str) else data
        for name, data in files.items()
    }
    return {name: found.argv for name, found in discover_commands(named).items()}


@pytest.mark.req("R003-077")
def test_what_ci_runs_is_known_by_step_job_and_kind() -> None:
    found = discover_commands({".github/workflows/ci.yml": WORKFLOW})
    assert {name: " ".join(command.argv) for name, command in found.items()} == {
        "test": "python -m pytest -q a b", "unit-tests": "python -m pytest -q a b",
        "lint": "ruff check .", "style": "ruff check .",
        "typecheck": "mypy --strict",
    }  # fmt: skip
    assert {command.source for command in found.values()} == {".github/workflows/ci.yml"}
    assert found["test"].argv == ("python", "-m", "pytest", "-q", "a b")


@pytest.mark.req("R003-077")
@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"Makefile": (".PHONY: test\nX := 1\ntest lint: x\nbuild: lint\n"
        "\tcc\ncheck-all:\n%.o: %.c\n")},
         {"build": "make build", "check-all": "make check-all"}),
        ({"Makefile": "test:\n\tpytest\n", "package__json": ('{"scripts": {"test": "jest", '
        '"lint": "eslint ."}}')},
         {"test": "make test", "lint": "npm run lint"}),
        ({"package__json": '{"scripts": {"test:unit": "jest"}}', "pnpm-lock__yaml": ""},
         {"test:unit": "pnpm run test:unit", "test": "pnpm run test:unit"}),
        ({"package__json": '{"scripts": {"build": "x"}}', "yarn__lock": ""},
         {"build": "yarn run build"}),
        ({"tox__ini": "[tox]\n[testenv]\n[testenv:lint]\n"},
         {"lint": "tox -e lint", "test": "tox"}),
        ({"noxfile__py": ("import nox\n@nox.session(python=['3.12'])\n@nox.parametrize('a', [1])\n"
        "def tests(session): ...\n")},
         {"tests": "nox -s tests", "test": "nox -s tests"}),
        ({"pyproject__toml": "[tool.pytest.ini_options]\n[tool.mypy]\n[tool.ruff]\n"},
         {"test": "pytest", "mypy": "mypy", "typecheck": "mypy", "ruff": "ruff check",
          "lint": "ruff check"}),
        ({}, {}),
    ],
)  # fmt: skip
def test_each_kind_of_file(files: dict[str, str], wanted: dict[str, str]) -> None:
    assert {name: " ".join(argv) for name, argv in argvs(**files).items()} == wanted


def test_what_ci_runs_goes_first() -> None:
    found = discover_commands(
        {
            ".github/workflows/ci.yml": b"jobs: {a: {steps: [{run: pytest -x}]}}",
            "Makefile": b"test:\n\ttox\n",
        }
    )
    assert found["test"].argv == ("pytest", "-x")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"jobs: 3",
        b"jobs: {a: {steps: [3, {run: 4}, {run: 'pytest \"'}]}}",
        b"a: [",
        b"&a [*a]",
        b"{" * 600,
    ],
)
def test_damaged_files_hold_none(data: bytes) -> None:
    assert discover_commands(
        {
            ".github/workflows/x.yml": data,
            **dict.fromkeys(("package.json", "pyproject.toml", "tox.ini"), b"\0" + data),
        }
    ).keys() <= {"test"}


@given(
    st.dictionaries(
        st.sampled_from([*PROJECT_FILES, ".github/workflows/a.yml"]), st.binary(max_size=80)
    )
)
def test_no_file_is_too_odd(files: dict[str, bytes]) -> None:
    assert all(found.argv and found.source in files for found in discover_commands(files).values())
