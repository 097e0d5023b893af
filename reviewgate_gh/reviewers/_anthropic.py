"""What `claude` and the agent SDK have in common: the account, the quiet, and the bill."""

from collections.abc import Mapping
from typing import Any

from ..model.asked import Reply
from ..model.review import Status
from ..model.usage import Usage
from ._access import Cloud, Vendor
from ._envelope import number, words

_AWS = (
    "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK", "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_WEB_IDENTITY_TOKEN_FILE", "ANTHROPIC_BEDROCK_BASE_URL",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "ANTHROPIC_SMALL_FAST_MODEL",
)  # fmt: skip
_VERTEX = ("CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_VERTEX_BASE_URL", "GOOGLE_CLOUD_PROJECT")
_GOOGLE = "GOOGLE_APPLICATION_CREDENTIALS"
GOOGLE_LOGIN = ".config/gcloud/application_default_credentials.json"

VENDOR = Vendor(
    keys=("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"),
    folder=".claude",
    moved="CLAUDE_CONFIG_DIR",
    logins=(".credentials.json",),
    sends="https://api.anthropic.com",
    how="run `claude` once and log in (if the login is stored in a keychain, set `home: own`)",
    address="ANTHROPIC_BASE_URL",
    clouds={
        "bedrock": Cloud(
            "Amazon Bedrock",
            {"CLAUDE_CODE_USE_BEDROCK": "1"},
            _AWS,
            {"AWS_CONFIG_FILE": ".aws/config", "AWS_SHARED_CREDENTIALS_FILE": ".aws/credentials"},
        ),
        "vertex": Cloud("Google Vertex AI", {"CLAUDE_CODE_USE_VERTEX": "1"}, (*_VERTEX, _GOOGLE), {_GOOGLE: GOOGLE_LOGIN}),
    },
)

# Nothing but the question leaves: no telemetry, no error reports, no updates; and an API that refuses is not asked for minutes.
ENVIRONMENT: Mapping[str, str] = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_MAX_RETRIES": "3",
}

_DOLLARS = 1e6  # what is more, or no number, is no price of a question
_ENDS = ("end_turn", "stop_sequence", None)  # of an answer that is whole


def reply(result: Mapping[str, Any], text: object, *ends: str) -> Reply:
    """What a result message with this answer comes to: one that failed, that the model would not give, or that was cut off is none."""
    spent, end = usage(result), result.get("stop_reason")
    if result["is_error"] or result.get("subtype") != "success" or not isinstance(text, str):
        why = result.get("result") if result["is_error"] else None
        return Reply(Status.FAILED, error=words(why or result.get("subtype")), usage=spent)
    if end not in (*_ENDS, *ends):
        status = Status.FAILED if end == "refusal" else Status.UNPARSABLE
        return Reply(status, error=f"its answer is incomplete: {words(end)}", usage=spent)
    return Reply(Status.OK, text, usage=spent)


def usage(result: Mapping[str, Any]) -> Usage:
    """The bill of a result message; Anthropic counts cached tokens beside the others."""
    counts, cost = result.get("usage"), result.get("total_cost_usd")
    cached, written = number(counts, "cache_read_input_tokens"), number(counts, "cache_creation_input_tokens")
    spent = cost if isinstance(cost, float | int) and not isinstance(cost, bool) and 0 <= cost < _DOLLARS else None
    whole = number(counts, "input_tokens") + cached + written
    return Usage(max(1, number(result, "num_turns")), whole, cached, written, number(counts, "output_tokens"), spent)
