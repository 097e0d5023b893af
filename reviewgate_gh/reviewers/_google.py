"""The account behind `gemini`, and the answer that it prints."""

from ..model.asked import Reply
from ..model.review import Status
from ..model.usage import Usage
from ._access import Cloud, Vendor
from ._anthropic import GOOGLE_LOGIN
from ._envelope import number, table, whole, words

_VERTEX = ("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_API_KEY", "GOOGLE_VERTEX_BASE_URL")
VENDOR = Vendor(
    keys=("GEMINI_API_KEY",),
    folder=".gemini",
    moved="",
    logins=("oauth_creds.json", "google_accounts.json"),
    sends="https://generativelanguage.googleapis.com",
    how="run `gemini` once and log in",
    login_sends="https://cloudcode-pa.googleapis.com",
    address="GOOGLE_GEMINI_BASE_URL",
    clouds={
        "vertex": Cloud(
            "Google Vertex AI", {"GOOGLE_GENAI_USE_VERTEXAI": "true"}, _VERTEX, {"GOOGLE_APPLICATION_CREDENTIALS": GOOGLE_LOGIN}
        )
    },
)


def reply(out: bytes) -> Reply:
    printed = table(whole(out))
    models = table(table(printed.get("stats") or {}).get("models") or {})
    spent = Usage()
    for model in models.values():
        counts, calls = table(model).get("tokens"), number(table(model).get("api"), "totalRequests")
        made = number(counts, "candidates", "thoughts")
        spent = spent.plus(Usage(calls, number(counts, "prompt"), number(counts, "cached"), 0, made))
    if printed.get("error"):
        return Reply(Status.FAILED, error=words(printed["error"]), usage=spent)
    text = printed.get("response")
    if not isinstance(text, str):
        raise ValueError("it printed JSON in an unexpected format")
    return Reply(Status.OK, text, usage=spent)
