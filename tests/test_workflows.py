"""The Action, the workflows and the examples in the docs hold to what SECURITY.md promises."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .support import ROOT, Repo, run, tool

ACTION = ROOT / "action.yml"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_FENCED = re.compile(r"^( *)```ya?ml\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
# `$/` is the workflow's own repository, at its own commit
_PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}|[.$]/[\w./-]*")
# In halves, so that this file does not name them either.
_REGISTRIES = [
    ".".join(parts)
    for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", ""), ("yarnpkg", "com"))
]


def examples() -> Iterator[tuple[str, str]]:
    """Every piece of YAML that we ship or show, as (where, text)."""
    for file in [ACTION, *WORKFLOWS]:
        yield str(file.relative_to(ROOT)), file.read_text("utf-8")
    for file in DOCS:
        for number, found in enumerate(_FENCED.finditer(file.read_text("utf-8")), 1):
            yield (
                f"{file.relative_to(ROOT)} block {number}",
                re.sub(f"^{found[1]}", "", found[2], flags=re.MULTILINE),
            )


EXAMPLES = dict(examples())


def values(data: Any, key: str) -> Iterator[Any]:
    """Every value under that key, at any depth."""
    if isinstance(data, dict):
        yield from (value for name, value in data.items() if name == key)
        for value in data.values():
            yield from values(value, key)
    elif isinstance(data, list):
        for value in data:
            yield from values(value, key)


@pytest.mark.parametrize("where", EXAMPLES)
def test_no_expression_inside_a_script(where: str) -> None:
    scripts = [
        value for value in values(yaml.safe_load(EXAMPLES[where]), "run") if isinstance(value, str)
    ]
    assert [script for script in scripts if "${{" in script] == []


@pytest.mark.parametrize("where", EXAMPLES)
def test_every_action_is_pinned_to_a_commit(where: str) -> None:
    used = [
        value for value in values(yaml.safe_load(EXAMPLES[where]), "uses") if isinstance(value, str)
    ]
    assert [name for name in used if not _PINNED.fullmatch(name)] == []


@pytest.mark.parametrize("where", EXAMPLES)
def test_checkouts_keep_no_credentials_and_no_opt_out(where: str) -> None:
    assert "allow-unsafe-pr-checkout" not in EXAMPLES[where]
    steps = [step for steps in values(yaml.safe_load(EXAMPLES[where]), "steps") for step in steps]
    checkouts = [
        step for step in steps if str(step.get("uses", "")).startswith("actions/checkout@")
    ]
    assert all(step.get("with", {}).get("persist-credentials") is False for step in checkouts)


def test_the_repository_names_no_registry(repo: Repo) -> None:
    tracked = repo.git(
        "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"
    ).split("\0")
    named = [
        name
        for name in tracked
        if name and (ROOT / name).is_file() and names_a_registry(ROOT / name)
    ]
    assert named == []


def names_a_registry(file: Path) -> bool:
    """The file holds the host name of a package registry."""
    content = file.read_bytes()
    return any(host.encode() in content for host in _REGISTRIES)


def test_zizmor_finds_nothing() -> None:
    done = run(
        [
            tool("zizmor"),
            "--offline",
            "--no-progress",
            "--persona=auditor",
            ACTION,
            ROOT / ".github",
        ],
        ROOT,
    )
    assert done.code == 0, done.output


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("dependabot", [ROOT / ".github/dependabot.yml"]),
        ("github-issue-forms", [*(ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml")]),
        ("github-issue-config", [ROOT / ".github/ISSUE_TEMPLATE/config.yml"]),
    ],
    ids=["dependabot", "issue forms", "issue config"],
)
def test_the_schemas_accept_them(schema: str, files: list[Path]) -> None:
    """Those of actions and workflows are steps of .ci/run."""
    assert files
    done = run([tool("check-jsonschema"), "--builtin-schema", f"vendor.{schema}", *files], ROOT)
    assert done.code == 0, done.output


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """A repository's folder with the workflows of the docs."""
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    found = [
        text
        for where, text in EXAMPLES.items()
        if ".md block" in where and "jobs" in yaml.safe_load(text)
    ]
    for number, text in enumerate(found):
        (folder / f"{number}.yml").write_text(text)
    assert len(found) >= 3
    return folder


def test_zizmor_finds_nothing_in_what_the_docs_show(shown: Path) -> None:
    done = run([tool("zizmor"), "--offline", "--no-progress", "--persona=auditor", shown], ROOT)
    assert done.code == 0, done.output


@pytest.mark.contract(plain=False)
def test_the_schema_accepts_what_the_docs_show(shown: Path) -> None:
    done = run(
        [
            tool("check-jsonschema"),
            "--builtin-schema",
            "vendor.github-workflows",
            *sorted(shown.iterdir()),
        ],
        ROOT,
    )
    assert done.code == 0, done.output


def test_the_docs_name_every_input_and_output_with_its_default() -> None:
    action, text = (
        yaml.safe_load(ACTION.read_text("utf-8")),
        (ROOT / "docs/action.md").read_text("utf-8"),
    )
    rows = dict(re.findall(r"^\| (`[^|]*) \|(.*)\|$", text, re.MULTILINE))
    named = {
        name: cells for names, cells in rows.items() for name in re.findall(r"`([\w-]+)`", names)
    }
    assert set(action["inputs"]) | set(action["outputs"]) <= set(named)
    defaults = {
        name: entry["default"] for name, entry in action["inputs"].items() if entry["default"]
    }
    assert {
        name: value
        for name, value in defaults.items()
        if f"`{value}`" not in named[name].split("|")[0]
    } == {}


def test_every_input_of_the_action_reaches_the_program() -> None:
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    review = next(step for step in action["runs"]["steps"] if step.get("id") == "review")
    named = {
        re.sub(r"\W", "_", name).upper(): name
        for name in action["inputs"]
        if name not in ("python", "install", "cache")
    }
    passed = {
        key: value for key, value in review["env"].items() if key.startswith("REVIEWGATE_GH_INPUT_")
    }
    assert passed == {
        f"REVIEWGATE_GH_INPUT_{key}": f"${{{{ inputs.{name} }}}}" for key, name in named.items()
    }


def test_the_lock_file_covers_what_the_project_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "--require-hashes" in (ROOT / "requirements/install").read_text("utf-8")
    locked = dict(
        re.findall(
            r"^([a-z0-9-]+)==(\S+)",
            (ROOT / "requirements/action.txt").read_text("utf-8"),
            re.MULTILINE,
        )
    )
    needs = (
        project["build-system"]["requires"]
        + project["project"]["dependencies"]
        + project["project"]["optional-dependencies"]["linters"]
    )
    wanted = [Requirement(text) for text in needs]
    assert [
        str(need)
        for need in wanted
        if not need.specifier.contains(locked.get(canonicalize_name(need.name), "0"))
    ] == []
