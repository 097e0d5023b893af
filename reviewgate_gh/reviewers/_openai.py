"""The account behind `codex`, and the events that it prints."""

from ..model.asked import Reply
from ..model.review import Status
from ..model.usage import Usage
from ._access import Vendor
from ._envelope import each, number, table, words

VENDOR = Vendor(
    keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
    folder=".codex",
    moved="CODEX_HOME",
    logins=("auth.json",),
    sends="https://api.openai.com/v1",
    how="run `codex login`",
    login_sends="https://chatgpt.com, or https://api.openai.com for a login with a key",
)


def reply(out: bytes) -> Reply:
    """The last message of a turn that was completed."""
    text, ended, error = "", None, ""
    for event in each(out):
        item = event.get("item")
        if event.get("type") == "item.completed" and isinstance(item, dict) and item.get("type") == "agent_message":
            text = str(item.get("text") or "")
        elif event.get("type") in ("error", "turn.failed"):
            error = words(event.get("error") or event)
        ended = event if event.get("type") in ("turn.completed", "turn.failed") else ended
    if ended is None and not error:
        raise ValueError("it ended in the middle of its turn")
    if ended is None or ended["type"] == "turn.failed":
        return Reply(Status.FAILED, error=error)
    counts = table(ended.get("usage") or {})
    spent = Usage(
        1, number(counts, "input_tokens"), number(counts, "cached_input_tokens"), number(counts, "cache_write_input_tokens"),
        number(counts, "output_tokens"),
    )  # fmt: skip
    return Reply(Status.OK, text, usage=spent)
