"""The tools by name: what each takes and returns, and a call from its arguments to its result."""

import sys
import traceback
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any, Protocol

import msgspec
from msgspec import Struct, to_builtins

from ..model.errors import GateError
from ..system import plugins
from ..text.safe import safe_block, safe_line
from ..text.strict import checked
from .call import Call, Cancelled

_MOST_TEXT = 20_000  # characters


class McpTool(Protocol):
    """A module of `mcp.tools`: its docstring tells a model when to call it. `WRITES`: it changes
    files of the work tree. `REACHES_OUT`: models that the configuration names may be asked."""

    TITLE: str
    WRITES: bool
    REACHES_OUT: bool
    Arguments: type[Struct]
    Result: type[Struct]

    def run(self, arguments: Any, call: Call) -> Any:
        """Do it; the value is a `Result`.

        Raises:
            GateError: it cannot be done.
            Cancelled: the client does not want it any more.
        """

    def text(self, result: Any) -> str:
        """The result in a few lines: some clients show their model nothing else."""


def load_tools(write: bool) -> dict[str, McpTool]:
    """The tools that a server offers: those that write only where that was allowed."""
    tools = {name: plugins.load("mcp_tools", name) for name in plugins.names("mcp_tools")}
    return {name: tool for name, tool in tools.items() if write or not tool.WRITES}


def definitions(tools: Mapping[str, McpTool]) -> list[dict[str, Any]]:
    """What `tools/list` says."""
    return [
        {
            "name": name,
            "title": tool.TITLE,
            "description": _flat(tool.__doc__ or ""),
            "inputSchema": object_schema(tool.Arguments),
            "outputSchema": object_schema(tool.Result),
            "annotations": {
                "readOnlyHint": not tool.WRITES,
                "destructiveHint": tool.WRITES,
                "openWorldHint": tool.REACHES_OUT,
            },
        }
        for name, tool in tools.items()
    ]


def object_schema(kind: type[Struct]) -> dict[str, Any]:
    """The JSON schema of a struct, an object at its root, as the protocol wants it."""
    schema = msgspec.json.schema(kind)
    parts: dict[str, Any] = schema["$defs"]
    for part in parts.values():
        part["description"] = _flat(part.get("description", ""))
    root = parts.pop(kind.__name__)
    return {**root, "$defs": parts} if parts else root


def call_tool(tool: McpTool, arguments: Any, call: Call) -> dict[str, Any]:
    """The result of a call. What goes wrong in it is a result, too: a model can read that, and try
    again.

    Raises:
        Cancelled: the client does not want it any more.
    """
    try:
        found = tool.run(checked(arguments, tool.Arguments, "arguments"), call)
        content, text = to_builtins(found), tool.text(found)
    except Cancelled:
        raise
    except GateError as error:
        return _failed("; ".join(filter(None, (error.message, error.hint))))
    except ValueError as error:
        return _failed(str(error))
    except Exception as error:
        traceback.print_exc()
        sys.stderr.flush()
        return _failed(f"internal error in reviewgate-gh: {type(error).__name__}: {error}")
    return {"content": [_text(text)], "structuredContent": content, "isError": False}


def _failed(why: str) -> dict[str, Any]:
    return {"content": [_text(f"Nothing was done: {safe_line(why, 1_000)}")], "isError": True}


def _text(text: str) -> dict[str, str]:
    shown = safe_block(text)
    cut = f"{shown[:_MOST_TEXT]}\n(cut)" if len(shown) > _MOST_TEXT else shown
    return {"type": "text", "text": cut}


def _flat(docstring: str) -> str:
    paragraphs = cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(text.split()) for text in paragraphs)
