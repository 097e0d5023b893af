"""The server's answers to messages, line by line; no process, and no review."""

import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from reviewgate_gh.mcp.call import Call
from reviewgate_gh.mcp.catalogue import call_tool, definitions, load_tools
from reviewgate_gh.mcp.server import Server
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.text.mcp_messages import MAX_MESSAGE
from tests.support import Repo

MODERN = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


def spoken(*lines: Any, write: bool = False) -> list[dict[str, Any]]:
    """What the server says to these messages; bytes are sent as they are."""
    sent = b"".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines
    )
    output = BytesIO()
    Server(load_tools(write), Path(), Environment({}, Path()), output).serve(BytesIO(sent))
    return [json.loads(line) for line in output.getvalue().splitlines()]


def request(method: str, id: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


@pytest.mark.req("R010-001")
@pytest.mark.parametrize(
    ("asked", "spoken_version"),
    [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2031-01-01", "2025-11-25")],
)
def test_a_handshake_agrees_on_a_version(asked: str, spoken_version: str) -> None:
    [said] = spoken(request("initialize", protocolVersion=asked))
    assert said["result"]["protocolVersion"] == spoken_version
    assert said["result"]["capabilities"] == {"tools": {}} and said["result"]["instructions"]


@pytest.mark.req("R010-001")
def test_without_a_handshake_each_request_names_its_version() -> None:
    found, listed, ping = spoken(
        request("server/discover", 1, **MODERN),
        request("tools/list", 2, **MODERN),
        request("ping", 3, **MODERN),
    )
    assert found["result"]["supportedVersions"] == ["2026-07-28"]
    for said in (found, listed, ping):
        assert said["result"]["resultType"] == "complete"
    assert {"ttlMs", "cacheScope", "tools"} <= set(listed["result"])
    [old] = spoken(request("ping"))
    assert old["result"] == {}, "older clients take no other keys in it"
    other = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}}
    [refused] = spoken(request("tools/list", 4, **other))
    assert refused["error"]["code"] == -32022
    assert "2026-07-28" in refused["error"]["data"]["supported"]


WRONG = {
    "no JSON": (b"hello\n", -32700, None),
    "not UTF-8": (b'{"a": "\xff"}\n', -32700, None),
    "a batch": ([request("ping")], -32600, None),
    "no version": ({"id": 1, "method": "ping"}, -32600, None),
    "a fraction as id": (request("ping", 1.5), -32600, None),
    "null as id": (request("ping", None), -32600, None),
    "no method": ({"jsonrpc": "2.0", "id": 7}, -32600, 7),
    "a list of parameters": (
        {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]},
        -32602,
        7,
    ),
    "an unknown method": (request("resources/list", 7), -32601, 7),
    "an unknown tool": (request("tools/call", 7, name="push"), -32602, 7),
    "a tool that is no name": (request("tools/call", 7, name=["review"]), -32602, 7),
    "a tool that writes": (request("tools/call", 7, name="apply_fixes"), -32602, 7),
    "nested too deeply": (b"[" * 100_000 + b"\n", -32700, None),
    "too long": (b'"' + b"x" * (2 * MAX_MESSAGE) + b'"\n', -32600, None),
}


@pytest.mark.req("R010-002")
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_message_is_an_error_and_the_next_one_is_answered(case: str) -> None:
    sent, code, id = WRONG[case]
    said, ping = spoken(sent, request("ping", 8))
    assert said["error"]["code"] == code and said["error"]["message"]
    assert said["id"] == id
    assert ping == {"jsonrpc": "2.0", "id": 8, "result": {}}


@pytest.mark.req("R010-005")
def test_no_answer_holds_a_secret_or_half_a_character() -> None:
    token = "ghp_" + "a8Zk3" * 7 + "Q"
    for said in spoken(request("tools/call", token, name=f"{token} \udc80"), request(token)):
        assert token not in said["error"]["message"] and "\udc80" not in said["error"]["message"]
    assert spoken(request("ping", token))[0]["id"] == token, "ids are the client's own"


def test_notifications_answers_and_empty_lines_get_no_answer() -> None:
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}}
    answered = {"jsonrpc": "2.0", "id": 3, "result": {}}
    assert spoken(told, b"\n", cancelled, answered) == []


@pytest.mark.req("R010-003")
def test_only_a_server_that_may_write_has_tools_that_do() -> None:
    reading, writing = definitions(load_tools(False)), definitions(load_tools(True))
    assert all(tool["annotations"]["readOnlyHint"] for tool in reading)
    more = [tool for tool in writing if tool not in reading]
    assert [tool["name"] for tool in more] == ["apply_fixes"]
    assert not more[0]["annotations"]["readOnlyHint"]


def test_each_tool_says_what_it_takes_and_returns() -> None:
    for tool in definitions(load_tools(True)):
        assert tool["title"] and tool["description"]
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert schema["type"] == "object"
            jsonschema_rs.validator_for(schema)
        assert tool["inputSchema"]["additionalProperties"] is False


REFUSED = [
    ("review", {"commit": "HEAD", "staged": True}, "cannot be used together"),
    ("review", {"comit": "HEAD"}, "unknown field `comit`"),
    ("review", {"staged": "yes"}, "expected `bool`"),
    ("review", [], "expected `object`"),
    ("findings", {}, "no review is kept"),
    ("findings", {"limit": 0}, "`int` >= 1"),
    ("explain", {"name": "abc"}, "no kept review"),
    ("explain", {}, "missing required field `name`"),
    ("preview_fixes", {}, "no saved report"),
    ("propose_waiver", {"fingerprint": "abc", "reason": "x"}, "no review is kept"),
]


@pytest.mark.req("R010-002")
def test_a_call_that_cannot_be_made_says_why(repo: Repo) -> None:
    tools = load_tools(False)
    call = Call(repo.path, Environment(dict(os.environ), repo.path), bool, print)
    for name, arguments, words in REFUSED:
        said = call_tool(tools[name], arguments, call)
        assert said["isError"] and "structuredContent" not in said
        assert words in said["content"][0]["text"]
