"""What the commands of one comment come to: what is to be done, and what is refused for its form
alone."""

from collections.abc import Sequence

from msgspec import Struct

from ..text.patterns import lazy_pattern
from .answers import HELP
from .comment_commands import CommentCommand
from .dismissal import DISMISS, UNDISMISS, named_finding

_COMMIT = lazy_pattern("[0-9a-f]{7,64}")
_MOST = 20  # commands


class CommandPlan(Struct, frozen=True):
    """What one comment asks for. `commit` is the one to review, as it was written, "" for the head;
    `dismissed` and `restored` are fingerprints, as `explained` are; `refused` says why in a
    sentence each."""

    review: bool = False
    commit: str = ""
    recheck: bool = False
    dismissed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    help: bool = False
    refused: tuple[str, ...] = ()

    @property
    def publishes(self) -> bool:
        """What stands on the pull request may change."""
        return bool(self.review or self.recheck or self.dismissed or self.restored)


def plan_commands(commands: Sequence[CommentCommand]) -> CommandPlan:
    """The plan of a comment's commands."""
    found = dict[str, list[str]]()
    refused = list[str]()
    for each in commands[:_MOST]:
        value, why = _read(each)
        if why:
            refused.append(why)
        else:
            found.setdefault(each.verb, []).append(value)
    if len(commands) > _MOST:
        refused.append(f"a comment may hold {_MOST} commands; the others were left out")
    commits = dict.fromkeys(found.get("review", ()))
    if len(commits) > 1:
        refused.append("a comment may ask for the review of one commit only")
        commits = {}
    return CommandPlan(
        bool(commits),
        next(iter(commits), ""),
        "recheck" in found,
        tuple(found.get(DISMISS, ())),
        tuple(found.get(UNDISMISS, ())),
        tuple(dict.fromkeys(found.get("explain", ()))),
        HELP in found or any(each.verb not in _FORMS for each in commands),
        tuple(refused),
    )


def _read(command: CommentCommand) -> tuple[str, str]:
    """What the command is about, or why it cannot be carried out."""
    form = _FORMS.get(command.verb)
    if form is None:
        return "", f"there is no command {command.verb!r}" if command.verb else "no command"
    name, rest = named_finding(command.words)
    words, usage = command.words, f"the command is {command.verb} {form}".rstrip()
    if not form:
        return "", usage if words else ""
    if command.verb == "review":
        return words, "" if not words or _COMMIT.fullmatch(words) else f"{usage} (7 to 64 digits)"
    if not name or (rest and command.verb == "explain"):
        return "", f"{usage}; the fingerprint is in the comment or in the summary"
    return name, f"{usage}: a reason is needed" if command.verb == DISMISS and not rest else ""


# What follows the verb
_FORMS = {
    "review": "[SHA]",
    "recheck": "",
    DISMISS: "FINGERPRINT REASON",
    UNDISMISS: "FINGERPRINT",
    "explain": "FINGERPRINT",
    HELP: "",
}
