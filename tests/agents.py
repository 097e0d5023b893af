"""Coding agents for the tests: fake executables that print what the real ones print, and seats to
ask them from."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from reviewgate_gh.model.question import ModelReply, Prompt
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.system import plugins
from reviewgate_gh.system.environment import Environment

NAMES = ("claude", "codex", "gemini", "qwen")
SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}
PROMPT = Prompt("Rules and diff.\n", "Lens.", SCHEMA)
TEXT = '{"verdict": "pass"}'
KEY = "key-0f1e2d3c4b5a69788796"
NAME = "MY_MODEL_KEY"
MODELS = {
    "claude": "claude-sonnet-4-5",
    "agent_sdk": "claude-sonnet-4-5",
    "codex": "gpt-5.1",
    "gemini": "gemini-2.5-pro",
    "qwen": "qwen3-coder-plus",
}


def module(name: str) -> ModuleType:
    """The plug-in."""
    return plugins.load("reviewers", name)


def printed(name: str, text: str = TEXT) -> str:
    """What the real program prints around this answer."""
    return _PRINTED[name](text)


def _claude(text: str) -> str:
    usage = {
        "input_tokens": 60,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": 40,
        "output_tokens": 7,
    }
    ended = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "stop_reason": "end_turn",
    }
    return json.dumps(
        {**ended, "result": text, "total_cost_usd": 0.25, "usage": usage, "model": "somebody-else"}
    )


def _codex(text: str) -> str:
    usage = {
        "input_tokens": 105,
        "cached_input_tokens": 40,
        "cache_write_input_tokens": 5,
        "output_tokens": 7,
    }
    events = [
        {"type": "thread.started", "thread_id": "1"},
        {
            "type": "item.completed",
            "item": {"id": "item_0", "type": "error", "message": "Model metadata not found."},
        },
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": usage},
    ]
    return "\n".join(json.dumps(event) for event in events)


def _gemini(text: str) -> str:
    tokens = {"prompt": 105, "candidates": 5, "thoughts": 2, "cached": 40}
    models = {"somebody-else": {"api": {"totalRequests": 1}, "tokens": tokens}}
    return json.dumps({"session_id": "1", "response": text, "stats": {"models": models}}, indent=2)


def _qwen(text: str) -> str:
    usage = {"input_tokens": 105, "cache_read_input_tokens": 40, "output_tokens": 7}
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": text,
        "usage": usage,
    }
    return json.dumps([{"type": "system", "subtype": "init", "model": "somebody-else"}, result])


_PRINTED = {"claude": _claude, "codex": _codex, "gemini": _gemini, "qwen": _qwen}
_HEAD = """#!{python}
import json, os, signal, subprocess, sys, time
if "--version" in sys.argv:
    print("9.8.7 (a fake)")
    sys.exit()
FOLDER, ANSWER = {folder!r}, {answer!r}
"""
ANSWERS = "sys.stdin.read(); print(ANSWER)"


@dataclass(frozen=True, slots=True)
class Fake:
    """A fake agent on a PATH of its own; what its script leaves in `folder` is there to look at."""

    name: str
    folder: Path

    @classmethod
    def make(cls, name: str, folder: Path, body: str = ANSWERS, text: str = TEXT) -> "Fake":
        """A Python script; FOLDER and ANSWER (a whole good answer) are set in it."""
        program = folder / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(
            _HEAD.format(python=sys.executable, folder=str(folder), answer=printed(name, text))
            + body
            + "\n"
        )
        program.chmod(0o755)
        return cls(name, folder)

    @property
    def path(self) -> str:
        """PATH with it first."""
        return os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]])

    def left(self, name: str) -> Any:
        """JSON that its script left in the folder."""
        return json.loads((self.folder / name).read_text())

    def ask(
        self,
        prompt: Prompt = PROMPT,
        env: Mapping[str, str] | None = None,
        timeout: float = 20,
        **options: Any,
    ) -> ModelReply:
        """One question, with a key unless the options say another way in."""
        there = {"PATH": self.path, **({NAME: KEY} if env is None else env)}
        chosen = {"key": NAME, "model": MODELS[self.name], **options}
        plug_in = module(self.name)
        return plug_in.ask(
            prompt,
            plug_in.Options(**chosen),
            ModelContext(Environment(there, self.folder), timeout),
        )
