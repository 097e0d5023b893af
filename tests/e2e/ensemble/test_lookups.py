"""Models that look up more of the project while they answer."""

import json
from collections.abc import Callable, Iterator

import pytest

from reviewgate_gh.ensemble.options import AnswerOptions
from reviewgate_gh.model.finding import CausingPlace
from tests.peers.model_server import Answer, Asked, ModelServer, Say, Spoken, serving, whole

from ..panels import CODE, claim, declare, kind, panel, review, rulings
from .test_ensemble_attacked import code, reviewed, told

DIALECTS = ("openai", "responses", "anthropic", "gemini")
MORE = (
    "ensemble: {{lenses: [correctness], reverse_audit: {{max_rounds: 0}}, "
    "context: {{tools: true}}, cache: false{}}}\npolicy: {{denied_paths: [private/]}}"
)
PLAIN = panel()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as up:
        yield up


def calls(asked: Asked, name: str, arguments: object) -> Say:
    """A response that asks for one call."""
    made = whole(asked, Spoken("")).body
    if asked.dialect == "anthropic":
        block = {"type": "tool_use", "id": "c1", "name": name, "input": arguments}
        return Say(200, {**made, "content": [block], "stop_reason": "tool_use"})
    if asked.dialect == "gemini":
        content = {"role": "model", "parts": [{"functionCall": {"name": name, "args": arguments}}]}
        return Say(200, {**made, "candidates": [{"content": content, "finishReason": "STOP"}]})
    function = {"name": name, "arguments": json.dumps(arguments)}
    if asked.dialect == "responses":
        thought = {"type": "reasoning", "id": "r1", "encrypted_content": "x", "summary": []}
        call = {"type": "function_call", "id": "fc1", "call_id": "c1", **function}
        return Say(200, {**made, "output": [thought, call]})
    call = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {**made["choices"][0], "message": message, "finish_reason": "tool_calls"}
    return Say(200, {**made, "choices": [choice]})


def answers(asked: Asked) -> list[str]:
    """What tools have said so far."""
    found, body = [], asked.json()
    if asked.dialect == "responses":
        return [each["output"] for each in body["input"] if each["type"] == "function_call_output"]
    if asked.dialect == "gemini":
        parts = [part for content in body["contents"] for part in content["parts"]]
        answered = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [each["response"]["result"] for each in answered]
    for message in body["messages"]:
        if message["role"] == "tool":
            found.append(message["content"])
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_result":
                found.append(block["content"])
    return found


def prepared(repo, server, dialect: str, more: str = "") -> None:
    declare(repo, {"one": server}, MORE.format(more), dialect=dialect)
    files = {"lib/b.py": "import a\na.mean([])\n", "private/p.py": "a.mean(secret)\n"}
    repo.commit({"a.py": "x = 1\n", **files})
    repo.commit({"a.py": CODE})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_model_looks_up_is_answered_and_counted(repo, server, dialect):
    asked = iter([("grep", {"text": "mean"}), ("read_file", {"path": "lib/b.py", "first_line": 1})])

    def answer(question: Asked) -> Answer:
        wanted = next(asked, None)
        return calls(question, *wanted) if wanted else PLAIN(question)

    server.answer = answer
    prepared(repo, server, dialect)
    report = reviewed(repo)
    assert code(report) == 0 and len(server.requests) == 3, told(report)
    grep, read = answers(server.requests[-1])
    assert "lib/b.py:2: a.mean([])" in grep and "private" not in grep
    assert "     2 | a.mean([])" in read
    assert "models looked up a.py, lib/b.py" in told(report)
    [row] = [each for each in report.reviews if each.reviewer == "one"]
    assert row.asked and row.asked.usage.calls == 3
    assert question_tools(server) == ["read_file", "show_base", "grep", "list_files"]
    if dialect == "responses":
        kept = server.requests[1].json()["input"][1]
        assert kept["encrypted_content"] == "x", "its thoughts come along"


CALLER = claim(
    file="lib/b.py", quote="a.mean([])", line_start=2, line_end=2, title="mean fails for no items"
)


def looking(question: Asked, then: Callable[[Asked], Answer]) -> Answer:
    """A model that reads the caller before it answers."""
    if answers(question):
        return then(question)
    return calls(question, "read_file", {"path": "lib/b.py", "first_line": 1})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_finding_in_code_that_was_looked_up_blocks_and_names_its_cause(repo, server, dialect):
    says = panel(lambda _kind: [CALLER])
    server.answer = lambda asked: looking(asked, says) if "Lens" in asked.prompt else says(asked)
    prepared(repo, server, dialect, ", verify: false")
    report = reviewed(repo)
    assert code(report) == 1, told(report)
    [found] = [each for each in report.findings if each.title == CALLER["title"]]
    assert (found.path, found.line_start, found.is_located) == ("lib/b.py", 2, True)
    assert found.cause == CausingPlace("a.py", 1) and "a.mean" in found.anchor


def test_a_recording_keeps_what_was_looked_up(repo, server, tmp_path):
    says = panel(lambda _kind: [CALLER])
    server.answer = lambda asked: looking(asked, says) if "Lens" in asked.prompt else says(asked)
    prepared(repo, server, "openai", ", verify: false")
    once = reviewed(repo, answers=AnswerOptions(record=tmp_path / "kept"))
    asked = len(server.requests)
    again = reviewed(repo, answers=AnswerOptions(replay=tmp_path / "kept"))
    assert (code(once), code(again), len(server.requests)) == (1, 1, asked), told(again)
    assert [each.cause for each in again.findings if each.title == CALLER["title"]] == [
        CausingPlace("a.py", 1)
    ]


def test_code_that_was_looked_up_and_has_nothing_to_do_with_the_change_gives_no_place(repo, server):
    """Whoever reads far enough finds something everywhere; what cannot be placed is no pass."""
    says = panel(lambda _kind: [claim(file="lib/c.py", quote="other(thing)", line_start=1)])
    server.answer = lambda asked: (
        says(asked)
        if answers(asked)
        else calls(asked, "read_file", {"path": "lib/c.py", "first_line": 1})
    )
    repo.commit({"lib/c.py": "other(thing)\n"})
    prepared(repo, server, "openai", ", verify: false")
    report = reviewed(repo)
    [found] = [each for each in report.findings if each.path == "lib/c.py"]
    assert code(report) == 2 and not found.is_located, told(report)


@pytest.mark.parametrize(("reads", "expected"), [(True, 0), (False, 1)])
def test_a_refutation_is_proven_by_code_that_the_verifier_looked_up(repo, reads, expected):
    """Nothing that was not shown to it proves anything."""
    wrong = claim(title="mean is called without items", priority="P1")
    proof = {"reason_kind": "behaviour", "file": "lib/b.py", "quote": "guard(a.mean, items)"}

    def verify(asked: Asked) -> Answer:
        says = lambda question: rulings(question, "refuted", **proof)  # noqa: E731
        return looking(asked, says) if reads else says(asked)

    def finds(asked: Asked) -> Answer:
        return verify(asked) if kind(asked) in ("verify", "reconsider") else review(asked, wrong)

    with serving(finds) as one:
        declare(repo, {"one": one}, MORE.format(""))
        repo.commit({"a.py": "x = 1\n", "lib/b.py": "import a\nguard(a.mean, items)\n"})
        repo.commit({"a.py": CODE})
        report = reviewed(repo)
    assert code(report) == expected, told(report)


def question_tools(server: ModelServer) -> list[str]:
    """The names of the functions that a question offers."""
    tools = server.requests[0].json()["tools"]
    declared = tools[0].get("functionDeclarations", tools)
    return [each.get("name") or each["function"]["name"] for each in declared]


def choice(asked: Asked) -> object:
    """What a request says of the calls that it still takes."""
    body = asked.json()
    return body.get("tool_choice", body.get("toolConfig"))


def is_warming(asked: Asked) -> bool:
    """Of its answer next to nothing is wanted."""
    body = asked.json()
    limit = body.get("generationConfig", body)
    return (limit.get("max_tokens") or limit.get("maxOutputTokens") or 99) == 1 or (
        body.get("max_output_tokens") == 16
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_that_only_looks_up_is_ended(repo, server, dialect):
    """After twelve calls it may ask for none; what is no answer then is none."""
    server.answer = lambda asked: calls(asked, "grep", {"text": "mean"})
    prepared(repo, server, dialect)
    report = reviewed(repo)
    assert code(report) == 2 and len(server.requests) == 26, told(report)  # twice
    chosen = [choice(each) for each in server.requests[:13]]
    assert chosen[:12] == [None] * 12 and "none" in json.dumps(chosen[12]).lower()
    assert "the model called a tool instead of answering" in told(report)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["shell", "write_file", ""])
def test_a_tool_that_was_not_offered_is_no_answer(repo, server, dialect, name):
    server.answer = lambda asked: calls(asked, name, {"command": "env"})
    prepared(repo, server, dialect)
    report = reviewed(repo)
    assert code(report) == 2 and len(server.requests) == 2, told(report)


@pytest.mark.parametrize("given", ['{"path": ', "[]", '{"path": "\\ud83d", "first_line": 1}'])
def test_each_call_has_an_answer_whatever_its_arguments(repo, server, given):
    """Servers refuse a conversation in which one is missing."""

    def answer(question: Asked) -> Answer:
        if server.requests[1:]:
            return PLAIN(question)
        said = calls(question, "grep", {"text": "mean"})
        function = {"name": "read_file", "arguments": given}
        message = said.body["choices"][0]["message"]
        message["tool_calls"].append({"id": "c2", "type": "function", "function": function})
        return said

    server.answer = answer
    prepared(repo, server, "openai")
    report = reviewed(repo)
    assert code(report) == 0 and len(server.requests) == 2, told(report)
    told_back = [each for each in server.requests[1].json()["messages"] if each["role"] == "tool"]
    assert [each["tool_call_id"] for each in told_back] == ["c1", "c2"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_question_that_fills_the_cache_looks_nothing_up(repo, server, dialect):
    def answer(question: Asked) -> Answer:
        grep = calls(question, "grep", {"text": "mean"})
        return grep if is_warming(question) else PLAIN(question)

    server.answer = answer
    prepared(repo, server, dialect, ", cache_warmup: true, budget: {calls: 2}")
    report = reviewed(repo)
    assert code(report) == 0 and len(server.requests) == 2, told(report)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_turn_is_a_call_of_the_budget(repo, server, dialect):
    server.answer = lambda asked: calls(asked, "grep", {"text": "mean"})
    prepared(repo, server, dialect, ", budget: {calls: 3}")
    report = reviewed(repo)
    assert code(report) == 2 and len(server.requests) == 3, told(report)
    assert "over the budget of 3 calls" in told(report)


def test_a_turn_that_dollars_would_not_pay_for_is_not_sent(repo, server):
    """The next one costs as much as the last at least."""
    server.answer = lambda asked: calls(asked, "grep", {"text": "mean"})
    declare(
        repo,
        {"one": server},
        MORE.format(", budget: {cost_usd: 0.045}"),
        price={"input": 2.0, "output": 8.0},
    )
    repo.commit({"a.py": CODE})
    report = reviewed(repo)
    [row] = [each for each in report.reviews if each.reviewer == "one"]
    assert code(report) == 2 and "over the budget of $0.045" in row.error, told(report)
    assert row.asked and 0.04 < (row.asked.usage.cost or 0) <= 0.045


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_later_turn_is_sent_again_where_the_server_fails(repo, server, dialect):
    said = iter([0, 503, 0])

    def answer(question: Asked) -> Answer:
        status = next(said, None)
        if status is None:
            return PLAIN(question)
        grep = calls(question, "grep", {"text": "mean"})
        return Say(status, {"error": {"message": "busy"}}) if status else grep

    server.answer = answer
    prepared(repo, server, dialect)
    report = reviewed(repo)
    assert code(report) == 0 and len(server.requests) == 4, told(report)
    assert server.requests[1].body == server.requests[2].body


def test_without_the_option_no_tools_are_offered(repo, server):
    server.answer = PLAIN
    declare(repo, {"one": server}, "ensemble: {lenses: [correctness]}")
    repo.commit({"a.py": CODE})
    assert code(reviewed(repo)) == 0
    assert not any("tools" in each.json() for each in server.requests)
    assert {*map(kind, server.requests)} == {"Correctness", "audit"}
