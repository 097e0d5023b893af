"""What rulesets ask of a branch: REST shows the rules without a count of them, so GraphQL counts."""

from ...model.values import dataclass
from . import queries
from .client import Client
from .errors import BadCredentials, Malformed, Refused
from .read import Part


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that REST shows, and how many there are; `counted` is None where nobody says."""

    shown: tuple[Part, ...]
    counted: int | None

    @property
    def cut(self) -> str:
        """Why rules are missing; "" where none is known to be. REST may show kinds of rules that GraphQL does not know."""
        if self.counted is None or self.counted <= len(self.shown):
            return ""
        return f"the rules of the branch could not be read completely: GitHub counts {self.counted} but returned {len(self.shown)}"


def read_rules(client: Client, branch: str) -> Rules:
    """The active rules of a branch, its repository's and its organization's."""
    shown = client.pages(client.path("rules", "branches", branch), identity="").items
    return Rules(tuple(shown), _counted(client, branch))


def _counted(client: Client, branch: str) -> int | None:
    """Asked last: a rule that was made in between counts as missing, one that was removed does not."""
    if not client.has_token:
        return None
    owner, _, name = client.repository.partition("/")
    try:
        data = client.graphql(queries.RULES, {"owner": owner, "name": name, "branch": f"refs/heads/{branch}"})
        ref = data["repository"].maybe("ref")
        rules = ref.maybe("rules") if ref else None
        return rules.number("totalCount") if rules else None
    except BadCredentials:
        raise
    except (Refused, Malformed):
        return None  # an older server has no such field, and a token may be refused it
