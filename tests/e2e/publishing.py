"""Publishing against the fake, in this process and in no time: a scene is prepared once and played
as often as a test likes."""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from reviewgate_gh.findings.markers import FindingMarker, last_marker
from reviewgate_gh.github.client import open_github
from reviewgate_gh.github.sender import Timing
from reviewgate_gh.model.config import Config, PublishConfig
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.model.report import Report
from reviewgate_gh.pull_request.publish import (
    PublishOptions,
    PublishSetup,
    prepare_publish,
    publish,
)
from reviewgate_gh.reporters.json import load_report
from reviewgate_gh.system.environment import Environment
from tests.peers.github.handle import GATE, GitHub
from tests.peers.github.handle_repo import Pull
from tests.peers.github.handle_repo import Repo as Hosted
from tests.peers.github.servers import Servers
from tests.support import Ran, Repo

# A row of a finding; what the text says of who asked to dismiss one is none
LISTED = re.compile(r"(?m)^- \*\*P.*?`([0-9a-f]{16}(?:-\d+)?)`")
WITHHELD = re.compile(r"Posted as a comment only: (.*)</sub>")
RESOLVER = {**GATE, "contents": "write"}
SAVED = ("repos", "accounts", "apps", "tokens", "before")


# Files with one P1 finding each, of a rule of its own: what is one issue in many files is one
# finding.
EVIL = {
    "a.py": "def a(x):\n    return evil(x)\n",
    "b.py": "def b(x):\n    viel(x)\n",
    "c.py": "import os\n\n\ndef c(x):\n    vile(os, x)\n",
    "d.py": "def d(x):\n    return undefined_name\n",
    "e.py": "import subprocess\n\n\ndef e(x):\n    levi(subprocess, x)\n",
}


def evil(*names: str) -> dict[str, str]:
    """Some of them."""
    return {name: EVIL[name] for name in names}


class Skipping:
    """Real time plus all the waiting, which takes none."""

    def __init__(self, exchange: float = 30.0) -> None:
        self.naps: list[float] = []
        self.timing = Timing(
            lambda: time.monotonic() + sum(self.naps),
            lambda: time.time() + sum(self.naps),
            self.naps.append,
            exchange,
        )


class Gate:
    """A repository and a pull request whose base has settings; its reports are published by the
    command line."""

    pull: Pull

    def __init__(self, github: GitHub, repo: Repo) -> None:
        self.github, self.repo = github, repo
        self.stored = github.repository(repo.path)

    def opened(self, settings: Mapping[str, Any], files: Mapping[str, str]) -> str:
        """Open the pull request; gives its head."""
        self.repo.commit({".reviewgate-gh.yaml": json.dumps(settings)})
        self.repo.branch("topic")
        head = self.repo.commit(files)
        self.pull = self.stored.pull("topic")
        return head

    def published(self, token: str, *args: str, **env: str) -> Ran:
        """Review it as a workflow does, and publish what came of that."""
        path = self.repo.path.parent / "report.json"
        reviewed = self.repo.cli(
            "review",
            "--base",
            "main",
            "--output",
            "json",
            "--output-path",
            str(path),
            env={"CI": "true"},
        )
        assert path.exists(), reviewed.output
        return self.repo.cli(
            "publish", "1", "--report", str(path), *args, env={**self.github.env(token), **env}
        )

    @property
    def runs(self) -> list[Any]:
        """The check runs with our name."""
        return [each for each in self.stored.stored.checks if each.name == "reviewgate-gh"]


@dataclass(frozen=True)
class Ended:
    """How a run ended: the exit code of the command, and what it said."""

    code: int
    told: tuple[str, ...]
    naps: tuple[float, ...] = ()


@dataclass
class Stage:
    """A GitHub with one pull request, and ourselves."""

    github: GitHub
    common: Path
    token: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    order: dict[str, Any] = field(default_factory=dict)

    @property
    def hosted(self) -> Hosted:
        """The repository."""
        return Hosted(self.github.world, self.github.world.repos["octo/repo"])

    @property
    def pull(self) -> Pull:
        """The pull request."""
        return Pull(self.hosted, 1)

    def run(self, report: Report, exchange: float = 30.0) -> Ended:
        """`publish` as the command does it."""
        clock = Skipping(exchange)
        environment = Environment(self.github.env(self.token), self.common.parent)
        config = Config(publish=PublishConfig(**self.config))
        try:
            client = open_github(environment, "octo/repo", timing=clock.timing)
            options = PublishOptions(1, **self.order)
            published = publish(
                prepare_publish(report, options, config, client),
                options,
                PublishSetup(config, client, environment, self.common),
            )
        except GateError as error:
            return Ended(int(error.exit), (error.message, error.hint), tuple(clock.naps))
        return Ended(0, published.messages, tuple(clock.naps))

    @property
    def me(self) -> str:
        """The login of the token."""
        return self.github.world.tokens[self.token].account.login

    def said(self) -> Counter[str]:
        """How often each finding stands there for people to see: in comments, and in the texts of
        reviews."""
        comments = [
            last_marker(each.body)
            for each in self.pull.inline
            if not each.minimized and each.author.login == self.me
        ]
        texts = [
            each.body
            for each in self.pull.reviews
            if not each.minimized and each.author.login == self.me
        ]
        listed = [word for text in texts for word in LISTED.findall(text)]
        return Counter(
            [mark.fingerprint for mark in comments if isinstance(mark, FindingMarker)] + listed
        )

    def approvals(self) -> list[str]:
        """The commits that our standing approvals say they are about."""
        standing = [
            each
            for each in self.pull.reviews
            if each.state == "APPROVED" and each.author.login == self.me
        ]
        return [mark.sha if (mark := last_marker(each.body)) else "" for each in standing]  # type: ignore[union-attr]

    def withheld(self) -> Counter[str]:
        """How often the reasons for no approval stand there for people to see, where they are said
        on their own."""
        talking = {each.review for each in self.pull.inline}
        mine = [
            each
            for each in self.pull.reviews
            if each.author.login == self.me and each.state == "COMMENTED" and not each.minimized
        ]
        alone = [
            WITHHELD.search(each.body)
            for each in mine
            if each.id not in talking and not LISTED.search(each.body)
        ]
        return Counter(found[1] for found in alone if found)

    def issues(self) -> Counter[str]:
        """How often each finding is an open issue, by its title (each scene has one finding of a
        title)."""
        stored = self.hosted.stored
        return Counter(
            each.title
            for each in stored.issues.values()
            if each.number not in stored.pulls and each.state == "open"
        )

    def created(self) -> int:
        """How much was created so far."""
        return len(self.github.journal.created)


@dataclass
class Result:
    """What is left of a scene after a run: findings and how often each stands there, verdicts, what
    is hidden, check runs of ours, and why an approval is withheld."""

    said: Counter[str]
    verdicts: list[str]
    hidden: list[str]
    pending: int
    checks: list[tuple[str, str | None]]
    withheld: Counter[str]

    @classmethod
    def of(cls, stage: Stage) -> "Result":
        """As it stands now."""
        mine = [each for each in stage.pull.reviews if each.author.login == stage.me]
        return cls(
            stage.said(),
            sorted({each.state for each in mine if each.state not in ("COMMENTED", "DISMISSED")}),
            sorted(
                {each.origin.path for each in stage.pull.inline if each.minimized == "RESOLVED"}
            ),
            sum(each.state == "PENDING" for each in mine),
            sorted(
                (each.status, each.conclusion)
                for each in stage.hosted.stored.checks
                if each.external_id
            ),
            stage.withheld(),
        )

    def beside(self, wanted: "Result") -> "Result":
        """Without one reason more against an approval than is wanted: that something could not be
        read was one, too."""
        more = self.withheld - wanted.withheld
        return replace(self, withheld=self.withheld - more) if more.total() <= 1 else self


@dataclass
class Scene:
    """A prepared pull request, as often as wanted: each stage is a copy. `older`: findings of an
    older head may be said, too."""

    servers: Servers
    saved: dict[str, Any]
    common: Path
    token: str
    config: dict[str, Any]
    report: Report
    order: dict[str, Any] = field(default_factory=dict)
    approves: bool = False
    older: bool = False

    @contextmanager
    def stage(self, refereed: bool = False) -> Iterator[Stage]:
        """A copy to play on; behind the referee at the end nothing that was sent or answered may be
        wrong by GitHub's own description."""
        with self.servers.github(refereed) as github:
            for name, value in deepcopy(self.saved).items():
                setattr(github.world, name, value)
            github.world.ids, github.world.numbers = count(3_000_100_000), count(90_000)
            yield Stage(github, self.common, self.token, self.config, self.order)
            if refereed:
                github.check()


@dataclass
class Stock:
    """A repository whose commits are reviewed by the real engine, each once."""

    repo: Repo
    commits: dict[str, str] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)

    @classmethod
    def make(
        cls, folder: Path, config: Mapping[str, Any] | None = None, **sections: Any
    ) -> "Stock":
        """The commits of the scenes, one on top of the other; `many` and `rewritten` branch off.

        `config` is `publish` in the base's file, which may have other `sections`.
        """
        repo = Repo.init(folder / "repo")
        settings = (
            {".reviewgate-gh.yaml": json.dumps({"version": 1, "publish": config or {}, **sections})}
            if config or sections
            else {}
        )
        repo.commit({"README.md": "# A project\n", **settings}, "first")
        repo.branch("topic")
        stock = cls(repo)
        stock.commits["clean"] = repo.commit({"fine.py": "x = 1\n"})
        stock.commits["evil"] = repo.commit(evil("a.py", "b.py", "d.py"))
        stock.commits["next"] = repo.commit({"a.py": "def a(x):\n    return x\n", **evil("c.py")})
        stock.commits["mended"] = repo.commit(
            dict.fromkeys(("a.py", "b.py", "c.py", "d.py"), "x = 1\n")
        )
        stock.commits["again"] = repo.commit(evil("a.py", "b.py", "d.py"))
        repo.git("checkout", "--quiet", "-B", "rewritten", "main")
        stock.commits["rewritten"] = repo.commit(evil("a.py", "e.py"))
        repo.git("checkout", "--quiet", "-B", "many", "main")
        stock.commits["many"] = repo.commit(
            {"many.py": "".join(f"def f{n}(x):\n    return evil(x + {n})\n\n\n" for n in range(70))}
        )
        return stock

    def report(self, name: str, base: str = "main") -> Report:
        """The review of a commit against main, or against another one."""
        key = f"{base}..{name}"
        if key not in self.reports:
            path = self.repo.path.parent / f"{key}.json"
            self.repo.git("checkout", "--quiet", self.commits[name])
            base = self.commits.get(base, base)
            done = self.repo.cli(
                "review", "--base", base, "--output", "json", "--output-path", str(path)
            )
            assert path.exists(), done.output
            self.reports[key] = load_report(path.read_text())
        return self.reports[key]


def prepare(
    servers: Servers,
    stock: Stock,
    head: str,
    play: Callable[[Stage], Any] = lambda stage: None,
    **more: Any,
) -> Scene:
    """A pull request at a commit, after what `play` did; `start` is where it was before.

    More: `login`, `permissions`, `config` (of `publish`), `report`, `order`, `approves`, `base`,
    `draft`.
    """
    config, start = more.pop("config", {}), more.pop("start", head)
    with servers.github(refereed=False) as github:
        github.world.keep_before = True
        hosted = github.repository(stock.repo.path)
        stock.repo.git("branch", "--force", "pr", stock.commits[start])
        hosted.pull("pr", more.pop("base", "main"), draft=more.pop("draft", False))
        common = stock.repo.path / ".git"
        stage = Stage(
            github,
            common,
            github.token(
                more.pop("login", "github-actions[bot]"), **more.pop("permissions", RESOLVER)
            ),
            config,
        )
        play(stage)
        if head != start:
            stage.pull.push(stock.commits[head])
        saved = deepcopy({name: getattr(github.world, name) for name in SAVED})
    report = more.pop("report", head)
    return Scene(
        servers,
        saved,
        common,
        stage.token,
        config,
        stock.report(report) if isinstance(report, str) else report,
        **more,
    )
