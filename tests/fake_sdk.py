"""The agent SDK's interface without an agent behind it: what it is told goes into a log, what it
says comes from a plan."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SOURCE = """\
import asyncio, json, os, pathlib

HERE = pathlib.Path(__file__).parent
PLAN = json.loads((HERE / "plan.json").read_text())

class ClaudeSDKError(Exception): pass
class CLIConnectionError(ClaudeSDKError): pass
class CLINotFoundError(CLIConnectionError): pass
class ProcessError(ClaudeSDKError): pass

class ClaudeAgentOptions:
    def __init__(self, **given):
        self.__dict__.update(given)

class _Message:
    def __init__(self, **given):
        self.__dict__.update(given)

class TextBlock(_Message): pass
class ToolUseBlock(_Message): pass
class AssistantMessage(_Message): pass
class SystemMessage(_Message): pass
class UserMessage(_Message): pass
class ResultMessage(_Message): pass

def _log(**row):
    with (HERE / "log.jsonl").open("a") as file:
        file.write(json.dumps(row, default=repr) + "\\n")

class ClaudeSDKClient:
    def __init__(self, options):
        self._options = options

    async def __aenter__(self):
        _log(event="connect", options=vars(self._options))
        if PLAN.get("raises"):
            self._options.stderr("the program said this")
            raise globals()[PLAN["raises"]]("as planned")
        return self

    async def __aexit__(self, *_):
        _log(event="disconnect")

    async def query(self, prompt):
        _log(event="query", prompt=prompt)
        for name, text in PLAN.get("writes", {}).items():
            pathlib.Path(self._options.env["HOME"], name).write_text(text)

    async def receive_response(self):
        yield SystemMessage(subtype="init")
        for turn, text in enumerate(PLAN["texts"], 1):
            _log(event="turn")
            name = f"msg_{turn}" if PLAN.get("split") else "the same"
            more = {"message_id": name, "usage": PLAN.get("usage")}
            yield AssistantMessage(content=[TextBlock(text=text)], **more)
            if turn < len(PLAN["texts"]):
                yield AssistantMessage(content=[ToolUseBlock(name="Read")], **more)
                if PLAN.get("split"):
                    yield UserMessage(content=[])
                yield AssistantMessage(content=[ToolUseBlock(name="Read")], **more)
                yield UserMessage(content=[])
        if PLAN.get("stall"):
            await asyncio.sleep(60)
        if not PLAN.get("cut"):
            whole = {"subtype": "success", "is_error": False, "stop_reason": "end_turn"}
            whole["result"] = "".join(PLAN["texts"])
            yield ResultMessage(**{**whole, **PLAN["ended"]})
"""


@dataclass(frozen=True, slots=True)
class FakeSdk:
    """`folder` goes on Python's path."""

    folder: Path

    @classmethod
    def make(
        cls, folder: Path, *texts: str, ended: dict[str, Any] | None = None, **plan: Any
    ) -> "FakeSdk":
        """One that says these texts, a message each; `ended` are fields of the last message,
        `raises` an exception instead of all, `split`: each turn has a name of its own, and a tool's
        answer comes in the middle of it; `writes` texts of files in its home."""
        package = folder / "claude_agent_sdk"
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(_SOURCE)
        (package / "plan.json").write_text(
            json.dumps({"texts": texts, "ended": ended or {}, **plan})
        )
        return cls(folder)

    @property
    def log(self) -> list[dict[str, Any]]:
        """What happened, in order, turns aside."""
        return [row for row in self._rows if row["event"] != "turn"]

    @property
    def turns(self) -> int:
        """How often the model was asked."""
        return sum(row["event"] == "turn" for row in self._rows)

    @property
    def _rows(self) -> list[dict[str, Any]]:
        path = self.folder / "claude_agent_sdk/log.jsonl"
        return [json.loads(row) for row in path.read_text().splitlines()] if path.exists() else []

    @property
    def options(self) -> dict[str, Any]:
        """What the only client was told."""
        (row,) = [row for row in self.log if row["event"] == "connect"]
        return row["options"]

    @property
    def prompt(self) -> str:
        """The only question."""
        (row,) = [row for row in self.log if row["event"] == "query"]
        return row["prompt"]
