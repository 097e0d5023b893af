"""A bare repository in GitHub's place, with nothing of GitHub but its refs."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.support import Repo


class Forge:
    """A bare repository in GitHub's place with a pull request, and a clone of it in which somebody
    works."""

    def __init__(self, make_repo: Callable[..., Repo], folder: Path) -> None:
        self.author = make_repo("author")
        self.author.commit({"README.md": "# A project\n"}, "first")
        self.origin = self.author.bare_remote(folder / "origin.git")
        self.author.git("push", "--quiet", "origin", "main")
        self.clone = self.origin.clone(folder / "clone")

    def pull(
        self,
        files,
        number: int = 1,
        branch: str = "topic",
        base: str = "main",
        published: bool = True,
    ) -> str:
        """Open pull request `number`, or push to it; its head, whose branch may be another
        repository's."""
        if self.author.ran("rev-parse", "--verify", branch).code:
            self.author.branch(branch, base)
        self.author.switch(branch)
        head = self.author.commit(files)
        names = [
            f"+HEAD:refs/pull/{number}/head",
            *([f"+HEAD:refs/heads/{branch}"] if published else []),
        ]
        self.author.git("push", "--quiet", "origin", *names)
        self.author.switch("main")
        return head

    def onto(self, files, branch: str = "main") -> str:
        """Push a commit to a branch of the forge."""
        self.author.switch(branch)
        made = self.author.commit(files)
        self.author.git("push", "--quiet", "origin", branch)
        self.author.switch("main")
        return made

    def review(self, *args: str, env=None):
        """The report as JSON, and how the command ended."""
        done = self.clone.cli("review", "--pr", *(args or ("1",)), "--output", "json", env=env)
        return done, json.loads(done.stdout) if done.stdout else {}
