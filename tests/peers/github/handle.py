"""What a test holds: a GitHub to fill, to move, and to look into."""

from collections import Counter
from pathlib import Path
from typing import Any

from .faults import Fault, Faults
from .front import Front
from .git import Git
from .handle_repo import Repo
from .journal import Journal
from .model import App, Repository, Token
from .world import ACTIONS, ACTIONS_BOT, World

# What a workflow's `permissions:` of the documentation gives.
GATE = {
    "contents": "read",
    "pull_requests": "write",
    "checks": "read",
    "statuses": "read",
    "actions": "read",
}
READ_ONLY = {
    "contents": "read",
    "pull_requests": "read",
    "checks": "read",
    "statuses": "read",
    "issues": "read",
    "actions": "read",
}


class GitHub:
    """One GitHub of one test."""

    def __init__(self, world: World, front: Front) -> None:
        self.world, self.front = world, front
        self.forgiven = False

    @property
    def url(self) -> str:
        """The REST API; `url` + `/api/v3` is the same as an Enterprise server has it."""
        return self.world.url

    @property
    def graphql_url(self) -> str:
        """The GraphQL API."""
        return f"{self.world.url}/graphql"

    @property
    def journal(self) -> Journal:
        """Every request so far."""
        return self.world.journal

    @property
    def faults(self) -> Faults:
        """What is to go wrong."""
        return self.front.faults

    def fault(
        self, mode: str, method: str = "*", path: str = "*", nth: int = 1, **options: Any
    ) -> Fault:
        """Plan a fault, as Faults.add."""
        return self.faults.add(mode, method, path, nth, **options)

    def repository(self, path: Path, name: str = "octo/repo", **fields: Any) -> Repo:
        """A repository over a real one on disk; `path` may be bare or have a work tree, and gets
        refs/pull/N/head."""
        made = Repository(next(self.world.numbers) * 10, name, Git(path), **fields)
        self.world.repos[name.lower()] = made
        return Repo(self.world, made)

    def token(self, login: str = ACTIONS_BOT.login, **permissions: str) -> str:
        """A new token of somebody; the permissions of GATE unless some are given.

        Bots have installation tokens.
        """
        account = self.world.account(login)
        app = self._app(login) if account.kind == "Bot" else None
        held = Token(
            account,
            "installation" if app else "user",
            permissions or GATE,
            app,
            1000 if app else 5000,
        )
        value = f"{'ghs' if app else 'github_pat'}_fake{len(self.world.tokens):032d}"
        self.world.tokens[value] = held
        return value

    def env(self, token: str = "", repo: str = "octo/repo") -> dict[str, str]:
        """The environment of a workflow's step that talks to this GitHub."""
        where = {
            "GITHUB_API_URL": self.url,
            "GITHUB_GRAPHQL_URL": self.graphql_url,
            "GITHUB_REPOSITORY": repo,
        }
        return where | ({"GITHUB_TOKEN": token} if token else {})

    def duplicates(self) -> list[str]:
        """Whatever stands there twice: equal reviews, comments, issues or check runs of one
        author."""
        found = []
        for repo in self.world.repos.values():
            said = [
                ("review", each.number, each.author.login, each.body)
                for each in repo.reviews
                if each.body
            ]
            said += [
                (
                    "inline",
                    each.number,
                    each.author.login,
                    (each.origin.path, each.origin.line, each.origin.side, each.body),
                )
                for each in repo.review_comments
            ]
            said += [
                ("comment", each.number, each.author.login, each.body) for each in repo.comments
            ]
            said += [
                ("issue", 0, each.author.login, each.title)
                for each in repo.issues.values()
                if each.number not in repo.pulls
            ]
            said += [
                ("check run", 0, each.suite.app.slug, (each.name, each.head_sha, each.suite.run))
                for each in repo.checks
            ]
            found += [
                f"{repo.name}: {times} x {what}"
                for what, times in Counter(said).items()
                if times > 1
            ]
        return found

    def forgive(self) -> None:
        """This test sends wrong requests on purpose: the end of the test does not fail for them."""
        self.forgiven = True

    def check(self) -> None:
        """Fail when Prism found something wrong with a request or with the fake."""
        broken = [f"{entry}: {entry.broken}" for entry in self.journal.entries if entry.broken]
        refused = [
            f"{entry}: {entry.refused}"
            for entry in self.journal.entries
            if entry.refused and not self.forgiven
        ]
        assert not broken, "the fake of GitHub is wrong:\n" + "\n".join(broken)
        assert not refused, "GitHub's own description refuses requests:\n" + "\n".join(refused)

    def _app(self, login: str) -> App:
        return (
            ACTIONS if login == ACTIONS_BOT.login else self.world.app(login.removesuffix("[bot]"))
        )
