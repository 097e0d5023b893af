"""One question through the Claude Agent SDK: in this process, or in one of its own.

Run as a program: a JSON object on standard input, one on standard output. It imports nothing of
ours.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any


async def exchange(
    sdk: Any, options: Any, prompt: str, heard: Callable[[Any], str] | None = None
) -> tuple[list[str], Any]:
    """Ask once, with a client of its own: the words of each message, and the result message.

    Only the assistant's words count: the result repeats them. `heard` is given each message, and
    ends the exchange by saying why; that is then given in place of the result.
    """
    texts: list[str] = []
    result: Any = None
    async with sdk.ClaudeSDKClient(options=options) as client:
        await client.query(prompt)
        async for message in client.receive_response():
            if isinstance(message, sdk.AssistantMessage):
                blocks = (
                    block.text for block in message.content if isinstance(block, sdk.TextBlock)
                )
                texts.append("".join(blocks))
            elif isinstance(message, sdk.ResultMessage):
                result = message
            if heard is not None and (why := heard(message)):
                return texts, why
    return texts, result


async def ask_sdk(sdk: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """The last words, and the result's own fields."""
    texts, result = await exchange(sdk, sdk.ClaudeAgentOptions(**asked["options"]), asked["prompt"])
    if result is None:
        return failed_result("the session ended without a result")
    text = next((text for text in reversed(texts) if text), "")
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
        said = asyncio.run(ask_sdk(sdk, asked))
    except sdk.ClaudeSDKError as error:
        said = failed_result(f"{type(error).__name__}: {error}")
    print(json.dumps(said, default=str))
    return 0


if __name__ == "__main__":
    sys.path[:] = json.loads(sys.argv[1])
    sys.exit(main())
