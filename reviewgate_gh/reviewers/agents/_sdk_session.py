"""One question through the Claude Agent SDK, in a process of its own: the SDK hands its whole
environment on, and this one has little.

Run as a program: a JSON object on standard input, one on standard output. It imports nothing of
ours.
"""

import asyncio
import json
import sys
from typing import Any


async def ask_sdk(asked: dict[str, Any]) -> dict[str, Any]:
    """Ask once, with a client of its own.

    Only the assistant's words count: the result repeats them.
    """
    from claude_agent_sdk import (
        AssistantMessage,
        ClaudeAgentOptions,
        ClaudeSDKClient,
        ResultMessage,
        TextBlock,
    )

    text, result = "", None
    async with ClaudeSDKClient(options=ClaudeAgentOptions(**asked["options"])) as client:
        await client.query(asked["prompt"])
        async for message in client.receive_response():
            if isinstance(message, AssistantMessage):
                text = (
                    "".join(block.text for block in message.content if isinstance(block, TextBlock))
                    or text
                )
            elif isinstance(message, ResultMessage):
                result = message
    if result is None:
        return failed_result("the session ended without a result")
    names = (
        "subtype",
        "is_error",
        "stop_reason",
        "num_turns",
        "total_cost_usd",
        "usage",
        "structured_output",
        "result",
    )
    return {"type": "result", "text": text, **{name: getattr(result, name, None) for name in names}}


def failed_result(why: str) -> dict[str, Any]:
    """A result that is none."""
    return {"type": "result", "is_error": True, "result": why}


def main() -> int:
    """Exits 0 when the session ended by itself, however it ended."""
    try:
        import claude_agent_sdk as sdk
    except ImportError as error:
        print(f"cannot import claude_agent_sdk: {error}", file=sys.stderr)
        return 3
    if sys.argv[-1] == "--version":
        print(sdk.__version__)
        return 0
    asked = json.load(sys.stdin)
    try:
        said = asyncio.run(ask_sdk(asked))
    except sdk.ClaudeSDKError as error:
        said = failed_result(f"{type(error).__name__}: {error}")
    print(json.dumps(said, default=str))
    return 0


if __name__ == "__main__":
    sys.path[:] = json.loads(sys.argv[1])
    sys.exit(main())
