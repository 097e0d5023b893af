"""What the docs show works: commands, configuration, tables, defaults, links."""

import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import click
import pytest
import yaml
from msgspec import to_builtins
from msgspec.structs import fields

from reviewgate_gh.cli import HIDDEN
from reviewgate_gh.cli import cli as program
from reviewgate_gh.commands._gate import gate
from reviewgate_gh.commands._options import FORMATS
from reviewgate_gh.model.config import Config
from reviewgate_gh.model.errors import Exit
from reviewgate_gh.reviewers.agents import agent_sdk
from reviewgate_gh.reviewers.api import Options
from reviewgate_gh.reviewers.apis._question import ModelEffort
from reviewgate_gh.settings.check import check_config
from reviewgate_gh.system.plugins import names
from reviewgate_gh.text.config_file import parse_settings

from .support import ROOT, Repo, run, tool

DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = (ROOT / "README.md").read_text("utf-8")
PROGRAMS: dict[str, click.Command] = {"reviewgate-gh": program, "review-gate": gate}
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# Words that stand for a value of the reader's own, where the option takes no text.
_VALUES = {"DATE": "2030-01-01", "N": "3"}


def blocks(*kinds: str) -> dict[str, str]:
    """The fenced blocks of these languages, by file and number."""
    found = (
        (doc, number, match)
        for doc in DOCS
        for number, match in enumerate(_FENCED.finditer(doc.read_text("utf-8")), 1)
    )
    return {
        f"{doc.relative_to(ROOT)} block {number}": match[2]
        for doc, number, match in found
        if match[1] in kinds
    }


def commands(script: str) -> Iterator[list[str]]:
    """Our own commands in a script, as words."""
    for line in script.splitlines():
        words = [_VALUES.get(word, word) for word in shlex.split(line, comments=True)]
        joints = [
            -1,
            *(at for at, word in enumerate(words) if word in ("&&", "|", ";")),
            len(words),
        ]
        for start, end in pairwise(joints):
            name = Path(words[start + 1]).name if start + 1 < end else ""
            if name in PROGRAMS:
                yield [name, *words[start + 2 : end]]


def inline() -> Iterator[tuple[str, str]]:
    """Our own commands in the text, by file."""
    for doc in DOCS:
        for found in _INLINE.finditer(_FENCED.sub("", doc.read_text("utf-8"))):
            if found[1].split(" ")[0] in PROGRAMS and " " in found[1]:
                yield doc.name, found[1]


def understood(words: list[str]) -> str:
    """What click says against a command; "" when there is nothing to say.

    The command itself does not run.
    """
    command, args = PROGRAMS[words[0]], words[1:]
    while isinstance(command, click.Group):
        try:
            _name, found, args = (
                command.resolve_command(click.Context(command), args) if args else ("", None, args)
            )
        except click.ClickException as error:
            return error.format_message()
        if found is None:
            return f"no such command: {args}"
        command = found
    try:
        command.make_context(words[0], args)
    except click.ClickException as error:
        return error.format_message()
    return ""


SCRIPTS = blocks("sh", "bash", "console", "shell")
SHOWN = [(where, words) for where, text in SCRIPTS.items() for words in commands(text)]
SHOWN += [
    (where, words) for where, text in inline() for words in commands(text.replace("[A..B]", "A..B"))
]


def test_each_command_is_one() -> None:
    wrong = {f"{where}: {shlex.join(words)}": understood(words) for where, words in SHOWN}
    assert {line: said for line, said in wrong.items() if said} == {}


def test_enough_is_shown_and_a_wrong_one_is_seen() -> None:
    assert {"init", "hook", "waive", "backtest", "demo"} <= {words[1] for _where, words in SHOWN}
    assert understood(["reviewgate-gh", "review", "--basis", "x"])
    assert understood(["reviewgate-gh", "hook", "instal"])


@pytest.mark.contract(plain=False)
def test_the_lines_that_set_a_repository_up_work_one_after_another(repo: Repo) -> None:
    lines = [
        words
        for where, words in SHOWN
        if where.startswith("README.md block") and words[1] != "demo"
    ]
    assert [words[1] for words in lines] == ["init", "init", "hook"]
    for words in lines:
        done = repo.cli(*words[1:])
        assert done.code == 0, done.output
    assert repo.file(".reviewgate-gh.yaml").exists() and repo.file(".git/hooks/pre-push").exists()


def test_a_report_goes_to_files_of_known_forms() -> None:
    review = ["reviewgate-gh", "review", "--report"]
    assert understood([*review, "junit=a=b.xml", "--report", "html=x"]) == ""
    assert "'htm' is not one of terminal, json" in understood([*review, "htm=a.html"])
    assert "it names no file: html=FILE" in understood([*review, "html="])
    assert "it names no file: html=FILE" in understood([*review, "html"])


@pytest.mark.contract(plain=False)
def test_the_pipeline_for_gitlab_works_and_its_artifacts_are_there(
    repo: Repo, tmp_path: Path
) -> None:
    [text] = [text for where, text in blocks("yaml").items() if where.startswith("docs/ci.md")]
    (tmp_path / "pipeline.yml").write_text(text)
    judge = [tool("check-jsonschema"), "--builtin-schema", "vendor.gitlab-ci"]
    judged = run([*judge, tmp_path / "pipeline.yml"], tmp_path)
    assert judged.code == 0, judged.output
    base = repo.head
    repo.commit({"a.py": "def f():\n    return missing\n"})
    [job] = yaml.safe_load(text).values()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"CI": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "PATH": path}
    done = run(["sh", "-c", "\n".join(job["script"])], repo.path, environment)
    assert done.code == 1 and "block · 1 P1 in 1 file" in done.stdout, done.output
    reports = job["artifacts"]["reports"]
    for name in (*job["artifacts"]["paths"], *reports.values()):
        assert "F821" in repo.file(name).read_text("utf-8")
    [issue] = json.loads(repo.file(reports["codequality"]).read_text("utf-8"))
    assert issue["location"] == {"path": "a.py", "lines": {"begin": 2, "end": 2}}


_FREE = (
    "linters",
    "secrets",
    "rules",
    "reviewers",
    "commands",
    "remediation",
    "validation_triggers",
    "per_issue_review",
    "reviewer_type",
)
CONFIGS = {
    where: text
    for where, text in blocks("yaml", "yml").items()
    if set(yaml.safe_load(text)) <= set(Config.__struct_fields__)
}


@pytest.mark.parametrize("where", CONFIGS)
def test_each_configuration_is_valid_and_every_value_is_the_default_but_of_what_has_none(
    where: str,
) -> None:
    config = parse_settings(CONFIGS[where].encode(), Config, where)
    check_config(config)
    plain: dict[str, Any] = {
        key: value for key, value in yaml.safe_load(CONFIGS[where]).items() if key not in _FREE
    }
    read = parse_settings(yaml.safe_dump(plain).encode(), Config, where)
    assert to_builtins(read) == to_builtins(Config())


def test_the_options_of_models_are_told_with_their_defaults() -> None:
    section = (
        (ROOT / "docs/models.md")
        .read_text("utf-8")
        .partition("## By an API\n")[2]
        .partition("\n## ")[0]
    )
    told = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE))
    options = {field.name: field.default for field in fields(Options)}
    assert list(told) == [*options]
    assert {
        name: told[name].strip("`") for name, value in options.items() if isinstance(value, str)
    } == {"structured": options["structured"]}


def test_efforts_and_trackers_are_named() -> None:
    [efforts] = re.findall(
        r"^\| `effort` \| .*? \| .*?: (.*), as far",
        (ROOT / "docs/models.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert re.findall(r"`(\w+)`", efforts) == [*get_args(ModelEffort)]
    trackers = re.findall(
        r"^\| `(\w+)` \|", (ROOT / "docs/trackers.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted({*trackers} & {*names("trackers")}) == names("trackers")


def test_the_options_of_agents_are_told_with_their_defaults() -> None:
    section = (
        (ROOT / "docs/agent-reviewers.md")
        .read_text("utf-8")
        .partition("## Options\n")[2]
        .partition("\n## ")[0]
    )
    told = dict(re.findall(r"^\| `(\w+)` \| ?(.*?) ?\|", section, re.MULTILINE))
    options = {field.name: field.default for field in fields(agent_sdk.Options)}
    assert list(told) == [*options]
    assert {name: value.strip("`") for name, value in told.items() if value} == {
        "home": options["home"]
    }


def test_there_is_a_configuration_and_the_defaults_in_words_hold() -> None:
    assert CONFIGS
    assert f"({Config().policy.finding_threshold} by default)" in README


@pytest.mark.parametrize("text", blocks("yaml", "yml").values(), ids=blocks("yaml", "yml"))
def test_hooks_and_inputs_exist(text: str) -> None:
    shown = yaml.safe_load(text)
    hooks = {
        hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    }
    assert {hook["id"] for source in shown.get("repos", ()) for hook in source["hooks"]} <= hooks
    inputs = set(yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"])
    jobs = shown.get("jobs", {}).values()
    steps = [step for job in jobs for step in job.get("steps", ())]
    ours = [step for step in steps if "/reviewgate-gh@" in step.get("uses", "")]
    assert {name for step in ours for name in step.get("with", {})} <= inputs
    for job in jobs:
        called = re.fullmatch(r"OWNER/reviewgate-gh/(.*)@0{40}", job.get("uses", ""))
        if called:
            taken = yaml.safe_load((ROOT / called[1]).read_text("utf-8"))[True]["workflow_call"]
            assert {*job["with"]} <= {*taken["inputs"]} and {*job["secrets"]} <= {*taken["secrets"]}


def test_the_frameworks_stages_are_installed() -> None:
    stages = {
        stage
        for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
        for stage in hook["stages"]
    }
    line = re.search(r"`pre-commit install (.*?)`", README)
    assert line and set(re.findall(r"--hook-type (\S+)", line[1])) == stages


def test_the_exit_codes_are_those_of_the_program() -> None:
    rows = re.findall(
        r"^\| (\d+) \|", README.partition("## Exit codes")[2].partition("\n## ")[0], re.MULTILINE
    )
    assert [int(row) for row in rows] == sorted(Exit)
    told = re.findall(r"\b(\d+) [a-z]", (program.help or "").partition("Exit codes:")[2])
    assert [int(number) for number in told] == sorted(Exit)


def test_forms_linters_and_extras_are_named() -> None:
    assert f"`--output {'|'.join(FORMATS)}`" in README
    said = README.partition("These tools review a change:")[2].partition("\n## ")[0]
    assert [name for name in names("linters") if name.replace("_", "-") not in said] == []
    known = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
            "optional-dependencies"
        ]
    )
    texts = [doc.read_text("utf-8") for doc in DOCS]
    assert {
        extra for text in texts for extra in re.findall(r"'(?:\.|reviewgate-gh)\[(\w+)\]'", text)
    } <= known


def test_every_verb_and_script_is_told_of() -> None:
    context = click.Context(program)
    verbs = [name for name in program.list_commands(context) if name not in HIDDEN]
    for text in (README, (ROOT / "CHANGELOG.md").read_text("utf-8")):
        assert [
            name for name in [*verbs, "review-gate"] if not re.search(rf"\b{name}\b", text)
        ] == []


def test_every_variable_that_is_named_is_read() -> None:
    files = [
        *(ROOT / "reviewgate_gh").rglob("*.py"),
        *(ROOT / "tests").glob("*.py"),
        ROOT / "action.yml",
    ]
    code = "".join(file.read_text("utf-8") for file in files if file != Path(__file__))
    named = {
        name
        for doc in DOCS
        for name in re.findall(r"REVIEWGATE_GH_[A-Z_]+", doc.read_text("utf-8"))
    }
    assert {name for name in named if name not in code} == set()


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.name)
def test_links_within_the_project_lead_somewhere(doc: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", _FENCED.sub("", doc.read_text("utf-8")))
    inner = [target for target in targets if "://" not in target]
    assert [target for target in inner if not _there(doc, target)] == []


def _there(doc: Path, target: str) -> bool:
    path, _, heading = target.partition("#")
    file = doc.parent / path if path else doc
    return file.exists() and (not heading or heading in _anchors(file.read_text("utf-8")))


def _anchors(text: str) -> set[str]:
    """The names that headings get: small letters, hyphens for spaces, no other signs."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_changelog_keeps_its_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)
    assert versions[0] == "Unreleased"
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= kinds


def test_what_makes_a_figure_is_still_there():
    """Each line of docs/evidence.md names files of tests, and words of a test in them."""
    runs = re.findall(
        r"`(tests/\S+\.py(?: tests/\S+\.py)*) -k (\w+)`",
        (ROOT / "docs/evidence.md").read_text("utf-8"),
    )
    assert len(runs) > 20
    for files, word in runs:
        for file in files.split(" "):
            assert re.search(
                rf"^def test_\w*{word}", (ROOT / file).read_text("utf-8"), re.MULTILINE
            ), f"{file} -k {word}"


_FOLDERS = re.compile(r"^\| ((?:`[a-z_.]+/?`(?:, )?)+) \| ", re.MULTILINE)


def test_the_files_to_look_at_exist() -> None:
    """Every folder has its row, and every file and folder that a row names is there."""
    package = ROOT / "reviewgate_gh"
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    folders = {name for row in _FOLDERS.findall(text) for name in re.findall(r"`([a-z_]+)/`", row)}
    held = {each.name for each in package.iterdir() if (each / "__init__.py").exists()}
    assert held == folders
    rows = text.partition("| to change | open")[2].partition("\n\n")[0].partition("| --- |")[2]
    files = re.findall(r"`([\w/]+(?:\.py|\.css|\.js|/))`", rows)
    assert len(files) > 80
    for file in files:
        if file != "docs/" and "NAME" not in file and "VERB" not in file:
            assert (package / file).exists(), file
        elif file != "docs/":
            assert (package / file).parent.is_dir(), file
