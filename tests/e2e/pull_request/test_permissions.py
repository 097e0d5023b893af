"""The docs' table of permissions: on a private repository it is enough, none of it may be missing,
and preflight names what is."""

import re
from pathlib import Path

import pytest

from reviewgate_gh.github.client import open_github
from reviewgate_gh.model.config import Config, PublishConfig, TrackerConfig
from reviewgate_gh.pull_request.publish_kept import check_permissions, needed_permissions
from reviewgate_gh.system.environment import Environment
from tests.peers.github.handle import GitHub
from tests.peers.github.servers import Servers
from tests.support import ROOT

from ..publishing import Skipping, Stage, Stock, prepare
from .test_publish_faults import asked, green

SETTINGS = {
    "comments": {},
    "`publish.approve`": {"approve": True},
    "`publish.check_run`": {"check_run": True},
    "`publish.resolve`": {"resolve": True},
}
CONFIGS = {
    name: Config(publish=PublishConfig(**settings)) for name, settings in SETTINGS.items()
} | {"`tracker: {type: github}`": Config(tracker=TrackerConfig(type="github"))}
# What says that something was not done or not seen.
LACKING = re.compile("no APPROVE|lacks|not permitted|could not be read|cannot be read")


def table() -> dict[str, set[str]]:
    """What each row of the docs asks for."""
    text = (ROOT / "docs/pull-requests.md").read_text("utf-8").partition("\n## Permissions\n")[2]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    return {name: set(re.findall(r"`([a-z-]+: (?:read|write))`", held)) for name, held in rows}


def held(*names: str) -> dict[str, str]:
    """Permissions as a token has them: of one kind, to write includes to read."""
    wanted = sorted({each for name in names for each in table()[name]})
    return dict(each.replace("-", "_").split(": ") for each in wanted)


def less(permissions: dict[str, str]) -> list[dict[str, str]]:
    """Without one of them, or with one that may only read."""
    poorer = {"write": "read"}
    return [
        {**permissions, name: poorer.get(level, "")}
        if level in poorer
        else {n: p for n, p in permissions.items() if n != name}
        for name, level in permissions.items()
    ]


def test_preflight_tries_what_the_docs_list() -> None:
    rows = table()
    assert set(needed_permissions(Config())) == rows["comments"]
    for name, config in CONFIGS.items():
        wanted = rows[name] if name != "`publish.resolve`" else set()
        assert set(needed_permissions(config)) == rows["comments"] | wanted, name


def tried(github: GitHub, token: str, config: Config) -> int:
    client = open_github(
        Environment(github.env(token), Path.cwd()), "octo/repo", timing=Skipping().timing
    )
    return check_permissions(client, 1, config)


@pytest.mark.parametrize("name", [name for name in CONFIGS if name != "`publish.resolve`"])
def test_preflight_names_each_one_that_is_missing(
    name: str, github_servers: Servers, stock: Stock, capsys
):
    with prepare(github_servers, stock, "evil").stage() as stage:
        stage.github.forgive()
        whole = held("comments", name)
        assert tried(stage.github, stage.github.token(**whole), CONFIGS[name]) == 0, (
            capsys.readouterr().err
        )
        for poor in less(whole):
            capsys.readouterr()
            assert tried(stage.github, stage.github.token(**poor), CONFIGS[name]) == 69
            [missing] = re.findall("lacks `([a-z-]+): ", capsys.readouterr().err)
            assert poor.get(missing.replace("-", "_")) != whole[missing.replace("-", "_")]
        assert not stage.github.journal.created


def test_preflight_says_that_it_cannot_try_what_resolving_needs(
    github_servers: Servers, stock: Stock, capsys
):
    with prepare(github_servers, stock, "evil").stage() as stage:
        assert (
            tried(
                stage.github, stage.github.token(**held("comments")), CONFIGS["`publish.resolve`"]
            )
            == 0
        )
        assert "`contents: write`" in capsys.readouterr().err


def two_runs(stage: Stage) -> None:
    """CI is green, after a run that failed: that it was one of the same workflow must be known."""
    head = stage.pull.stored.head_sha
    run, long_ago = stage.hosted.workflow_run("CI", head), "2020-01-01T00:00:00Z"
    stage.hosted.check(head, "build", "failure", run=run.id, started=long_ago, completed=long_ago)
    green(stage)


# By the head at the end, the one before, and the one of the report.
PLAYS: dict[str, tuple[str, str, str]] = {
    "comments": ("next", "evil", "evil"),
    "`publish.approve`": ("clean", "clean", "clean"),
    "`publish.check_run`": ("evil", "evil", "evil"),
    "`publish.resolve`": ("mended", "evil", "mended"),
}


@pytest.mark.parametrize("name", PLAYS)
def test_what_the_docs_list_is_enough_and_none_of_it_may_be_missing(
    name: str, github_servers: Servers, stock: Stock
):
    """The head has moved on since, or everything is asked for that its feature asks for."""
    head, start, read = PLAYS[name]
    before = (
        (lambda stage: stage.run(stock.report("evil"))) if name == "`publish.resolve`" else two_runs
    )
    login = "grace" if "approve" in name else "github-actions[bot]"
    scene = prepare(
        github_servers,
        stock,
        head,
        before,
        start=start,
        report=read,
        login=login,
        config=SETTINGS[name],
    )
    others = held("comments") if name != "comments" else {}
    whole = {**others, **held(name)}
    for permissions in (whole, *({**others, **poor} for poor in less(held(name)))):
        with scene.stage() as stage:
            stage.github.forgive()
            stage.token = stage.github.token(login, **permissions)
            done = stage.run(scene.report)
            assert bool(done.code or LACKING.search(" ".join(done.told))) == (
                permissions != whole
            ), (permissions, done)


def test_what_the_docs_list_for_presubmit_is_enough_and_none_of_it_may_be_missing(
    github_servers: Servers, stock: Stock, tmp_path: Path
):
    scene = prepare(github_servers, stock, "next", two_runs, start="next", report="evil")
    whole, found = held("`presubmit`"), list[tuple[int, str]]()
    for permissions in (whole, *less(whole)):
        with scene.stage() as stage:
            stage.github.forgive()
            stage.token = stage.github.token(**permissions)
            code, report = asked(stage, scene, tmp_path / "presubmit.json")
            found.append((code, report["ciStatus"]["class"] if report else ""))
    assert found[0] == (0, "all_pass") and found[0] not in found[1:]
