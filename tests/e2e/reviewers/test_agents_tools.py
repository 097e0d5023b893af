"""The real coding agents asked by a model that calls tools, whatever it was offered: none of them
is run."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from ...agents import TEXT
from ...peers.model_server import Asked, ModelServer, Say, Spoken, whole
from ...peers.model_shapes import SHAPES, Json, streamed
from .test_agents_real import DIALECTS, ask, found, one_agent, pytestmark, seat

__all__ = ["found", "pytestmark"]
Call = tuple[str, Any]


def calls(path: Path) -> dict[str, list[Call]]:
    """All that a model may try to make this file, by the names that the agents' own tools have."""
    run = {
        "command": f"touch {path}",
        "cmd": f"touch {path}",
        "description": "d",
        "is_background": False,
    }
    write = {"file_path": str(path), "content": "x"}
    replace = {**write, "old_string": "", "new_string": "x"}
    patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
    alike = [("run_shell_command", run), ("write_file", write)]
    return {
        "anthropic": [("Bash", run), ("Write", write)],
        "gemini": [*alike, ("replace", replace)],
        "openai": [*alike, ("edit", replace)],
        "responses": [
            ("exec_command", run), ("shell_command", run),
            ("shell", {"command": ["touch", str(path)]}), ("apply_patch", {"input": patch}),
            ("local_shell_call", {"action": {"type": "exec", "command": ["touch", str(path)]}}),
            ("custom_tool_call", {"name": "apply_patch", "input": patch}),
        ],
    }  # fmt: skip


def insisting(tried: Iterator[Call], turns: Iterator[int], asked: Asked) -> Say:
    """A model that calls one after another, and answers when there is none left."""
    call = next(tried, None)
    if call is None:
        return whole(asked, Spoken(TEXT))
    made = SHAPES[asked.dialect](Spoken(""), 10, asked.json())
    _put(made, asked.dialect, call, f"call_{next(turns)}")
    stream = asked.json().get("stream") or ":streamGenerateContent" in asked.path
    return (
        Say(200, streamed(asked.dialect, made), {"content-type": "text/event-stream"})
        if stream
        else Say(200, made)
    )


def _put(made: Json, dialect: str, call: Call, ident: str) -> None:
    name, given = call
    if dialect == "anthropic":
        made |= {
            "content": [{"type": "tool_use", "id": ident, "name": name, "input": given}],
            "stop_reason": "tool_use",
        }
    elif dialect == "gemini":
        made["candidates"][0]["content"]["parts"] = [
            {"functionCall": {"name": name, "args": given}}
        ]
    elif dialect == "openai":
        tool = {
            "index": 0,
            "id": ident,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        }
        made["choices"][0] |= {
            "message": {"role": "assistant", "content": None, "tool_calls": [tool]},
            "finish_reason": "tool_calls",
        }
    elif name.endswith("_call"):
        made["output"] = [
            {"type": name, "id": ident, "call_id": ident, "status": "completed", **given}
        ]
    else:
        made["output"] = [
            {
                "type": "function_call",
                "id": ident,
                "call_id": ident,
                "name": name,
                "arguments": json.dumps(given),
            }
        ]


@one_agent(2)
def test_a_tool_that_nobody_offered_is_not_run(
    name: str, model_server: ModelServer, tmp_path: Path
) -> None:
    """Whatever becomes of the answer; who follows a change's words and calls for a shell has nobody
    who hears it."""
    made = tmp_path / "made"
    tried = iter(calls(made)[DIALECTS[name]])
    model_server.answer = partial(insisting, tried, count())
    reply = ask(name, model_server.url(DIALECTS[name]), seat(tmp_path))
    assert model_server.requests and not made.exists(), reply
