"""The account behind `qwen`, and the answer that it prints."""

from ..model.asked import Reply
from ..model.review import Status
from ..model.usage import Usage
from ._access import Vendor
from ._envelope import number, result, words

_REFUSED = "[API Error"

VENDOR = Vendor(
    keys=("OPENAI_API_KEY",),
    folder=".qwen",
    moved="QWEN_HOME",
    logins=("oauth_creds.json",),
    sends="https://dashscope.aliyuncs.com/compatible-mode/v1",
    how="run `qwen` once and log in",
    login_sends="https://portal.qwen.ai",
    address="OPENAI_BASE_URL",
)


def reply(out: bytes) -> Reply:
    """Versions before 0.16 call an API's refusal a success and print it as the answer."""
    said = result(out)
    text, counts = said.get("result"), said.get("usage")
    cached = number(counts, "cache_read_input_tokens")
    spent = Usage(max(1, number(said, "num_turns")), number(counts, "input_tokens"), cached, 0, number(counts, "output_tokens"))
    if said["is_error"] or said.get("subtype") != "success" or not isinstance(text, str) or text.startswith(_REFUSED):
        refused = text if said["is_error"] or str(text).startswith(_REFUSED) else None
        return Reply(Status.FAILED, error=words(said.get("error") or refused or said.get("subtype")), usage=spent)
    return Reply(Status.OK, text, usage=spent)
