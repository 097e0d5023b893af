"""The check run that `publish.check_run` makes, and how it is told from every other one: by its app and its external id together.

Neither is enough. Whoever may make check runs can copy an external id, and all workflows of a repository share one app.
"""

import re
from collections.abc import Collection

NAME = "reviewgate-gh"
# The app behind GITHUB_TOKEN, on github.com and on every other server.
# https://docs.github.com/en/actions/concepts/security/github_token
ACTIONS = "github-actions"
ACTIONS_NUMBER = 15368  # on github.com: https://api.github.com/apps/github-actions
_KEY = re.compile(rf"{NAME}:[0-9a-f]{{8,64}}")


def external_id(digest: str) -> str:
    """The external id of a check run about a verdict with this digest."""
    return f"{NAME}:{digest}"


def marked(external: str) -> bool:
    """The external id is one of ours, or a copy of one."""
    return _KEY.fullmatch(external) is not None


def is_own(app: str, external: str, apps: Collection[str]) -> bool:
    """This program made the check run; `apps` are the slugs of the apps that it works as."""
    return app in apps and marked(external)
