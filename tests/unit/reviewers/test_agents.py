"""The coding agents' CLIs, as fake executables: what is asked, which answers count, and what
becomes of all the others."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.question import Prompt
from reviewgate_gh.model.review import ReviewStatus, Usage
from reviewgate_gh.reviewers._prices import Price
from tests.agents import ANSWERS, KEY, MODELS, NAME, NAMES, PROMPT, SCHEMA, TEXT, Fake, printed

pytestmark = pytest.mark.slow

each_agent = pytest.mark.parametrize("name", NAMES)
COSTS = {
    "claude": Usage(1, 105, 40, 5, 7, 0.25),
    "codex": Usage(1, 105, 40, 5, 7),
    "gemini": Usage(1, 105, 40, 0, 7),
    "qwen": Usage(1, 105, 40, 0, 7),
}


@each_agent
@pytest.mark.req("R003-072")
def test_an_answer_its_cost_and_the_model_that_the_config_names(name: str, tmp_path: Path) -> None:
    reply = Fake.make(name, tmp_path).ask(url="http://127.0.0.1:9/v1")
    assert (reply.status, reply.text, reply.error) == (ReviewStatus.OK, TEXT, "")
    assert reply.usage == COSTS[name]
    assert (reply.model, reply.endpoint, reply.version) == (
        MODELS[name],
        "http://127.0.0.1:9/v1",
        "9.8.7",
    )


PRICE = Price(input=1000, output=10_000, cached=100, written=0)


@each_agent
@pytest.mark.parametrize(("price", "cost"), [(Price(input=0, output=0), 0), (PRICE, None)])
def test_the_price_of_the_config_counts_before_what_the_agent_says(
    name: str, price: Price, cost: float | None, tmp_path: Path
) -> None:
    reply = Fake.make(name, tmp_path).ask(url="http://127.0.0.1:9/v1", price=price)
    known = COSTS[name]
    expected = (
        (known.input - known.cached - known.written) / 1000
        + known.cached / 10_000
        + known.output / 100
    )
    assert reply.usage == replace(known, cost=pytest.approx(expected if cost is None else cost))


@each_agent
def test_the_question_comes_on_standard_input_whole(name: str, tmp_path: Path) -> None:
    body = "given = sys.stdin.buffer.read(); open(FOLDER + '/in', 'wb').write(given); print(ANSWER)"
    prompt = Prompt("Grüße \ud800 \x00\n" + "x" * 1_000_000, "\nend", SCHEMA)
    assert Fake.make(name, tmp_path, body).ask(prompt).status is ReviewStatus.OK
    assert (tmp_path / "in").read_bytes() == prompt.text.replace("\ud800", "\\ud800").encode()


@each_agent
def test_prose_is_handed_on_to_whoever_reads_answers(name: str, tmp_path: Path) -> None:
    reply = Fake.make(name, tmp_path, text="I think it is fine.").ask()
    assert (reply.status, reply.text) == (ReviewStatus.OK, "I think it is fine.")


@each_agent
def test_an_empty_answer_is_none(name: str, tmp_path: Path) -> None:
    reply = Fake.make(name, tmp_path, text=" \n").ask()
    assert (reply.status, reply.text, reply.error) == (
        ReviewStatus.UNPARSABLE,
        "",
        "its answer is empty",
    )


@each_agent
def test_an_answer_cut_anywhere_is_no_answer(name: str, tmp_path: Path) -> None:
    read = __import__(f"reviewgate_gh.reviewers.agents.{name}", fromlist=["AGENT"]).AGENT.read
    whole = printed(name).encode()
    assert read(whole).text == TEXT
    for end in range(len(whole)):
        with suppress(ValueError):
            assert read(whole[:end]).status is not ReviewStatus.OK, whole[:end]


@each_agent
@pytest.mark.parametrize(
    "garbage",
    ["", "garbage", "{}", "[]", "[3]", "null", "3", '"x"', '{"type": "result"}', "[" * 100_000],
)
def test_what_is_not_its_envelope_is_unparsable(name: str, garbage: str, tmp_path: Path) -> None:
    reply = Fake.make(name, tmp_path, f"sys.stdin.read(); print({garbage!r})").ask()
    assert (reply.status, reply.text) == (ReviewStatus.UNPARSABLE, "")
    assert reply.error and "\n" not in reply.error


@pytest.mark.parametrize("name", [name for name in NAMES if name != "codex"])
def test_lines_before_the_envelope_are_passed_over(name: str, tmp_path: Path) -> None:
    assert (
        Fake.make(
            name, tmp_path, "sys.stdin.read(); print('Loaded cached credentials.'); print(ANSWER)"
        )
        .ask()
        .text
        == TEXT
    )


FAILURES = {
    "claude: an API error is a success with is_error": (
        "claude",
        '{"type":"result","subtype":"success","is_error":true,"result":"API 401"}',
        1,
    ),
    "claude: the same with exit 0": (
        "claude",
        '{"type":"result","subtype":"success","is_error":true,"result":"API 401"}',
        0,
    ),
    "claude: too many turns": (
        "claude",
        '{"type":"result","subtype":"error_max_turns","is_error":false}',
        1,
    ),
    "claude: cut by the token limit": (
        "claude",
        '{"type":"result","subtype":"success","is_error":false,"stop_reason":"max_tokens","result":"{}"}',
        0,
    ),
    "claude: a refusal": (
        "claude",
        '{"type":"result","subtype":"success","is_error":false,"stop_reason":"refusal","result":"No."}',
        0,
    ),
    "codex: a failed turn": ("codex", '{"type":"turn.failed","error":{"message":"401"}}', 1),
    "codex: a failed turn, exit 0": (
        "codex",
        '{"type":"turn.failed","error":{"message":"401"}}',
        0,
    ),
    "codex: only an error": ("codex", '{"type":"error","message":"stream disconnected"}', 1),
    "gemini: an error beside an answer": (
        "gemini",
        '{"response":"{}","error":{"message":"quota","code":429}}',
        0,
    ),
    "qwen 0.24: an error": (
        "qwen",
        '[{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"401"}}]',
        1,
    ),
    "qwen 0.15: a 401 as a success": (
        "qwen",
        '[{"type":"result","subtype":"success","is_error":false,"result":"[API Error: 401 no]"}]',
        0,
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_is_one_whatever_the_exit_code(case: str, tmp_path: Path) -> None:
    name, output, code = FAILURES[case]
    reply = Fake.make(
        name, tmp_path, f"sys.stdin.read(); print({output!r}); sys.exit({code})"
    ).ask()
    assert (reply.status, reply.text) == (
        ReviewStatus.UNPARSABLE if "cut" in case else ReviewStatus.FAILED,
        "",
    )
    assert reply.error


@each_agent
def test_exit_0_without_an_answer_and_exit_1_with_one_are_no_answers(
    name: str, tmp_path: Path
) -> None:
    told = "sys.stdin.read(); print('boom', file=sys.stderr); "
    nothing = Fake.make(name, tmp_path / "0", told + "sys.exit(0)").ask()
    assert (nothing.status, nothing.text) == (ReviewStatus.UNPARSABLE, "")
    answered = Fake.make(name, tmp_path / "1", told + "print(ANSWER); sys.exit(1)").ask(price=PRICE)
    assert (answered.status, answered.text, answered.error) == (
        ReviewStatus.FAILED,
        "",
        "exit code 1 after an answer: boom",
    )
    assert answered.usage.cost and replace(answered.usage, cost=COSTS[name].cost) == COSTS[name]


@each_agent
@pytest.mark.parametrize("code", [1, 145])
def test_json_on_standard_error_says_why(name: str, code: int, tmp_path: Path) -> None:
    error = {
        "error": {
            "type": "Error",
            "message": json.dumps({"error": {"message": "no way", "code": 401}}),
            "code": 401,
        }
    }
    body = (
        f"sys.stdin.read(); print('Warning: colours.\\n' + {json.dumps(error, indent=2)!r}, "
        f"file=sys.stderr); sys.exit({code})"
    )
    reply = Fake.make(name, tmp_path, body).ask()
    assert (reply.status, reply.error) == (ReviewStatus.FAILED, f"exit code {code}: no way")


@each_agent
def test_a_key_that_the_vendor_repeats_is_not_repeated_by_us(name: str, tmp_path: Path) -> None:
    body = (
        f"sys.stdin.read(); print('Incorrect API key provided: {KEY}', file=sys.stderr); "
        "sys.exit(1)"
    )
    reply = Fake.make(name, tmp_path, body).ask()
    assert KEY not in repr(reply) and "Incorrect API key" in reply.error
    assert KEY not in repr(Fake.make(name, tmp_path, text=f"I was given {KEY}").ask())


@each_agent
def test_effort_is_passed_on_where_there_is_a_setting_for_it(name: str, tmp_path: Path) -> None:
    fake = Fake.make(
        name, tmp_path, "json.dump(sys.argv[1:], open(FOLDER + '/argv', 'w')); " + ANSWERS
    )
    assert fake.ask(Prompt("a", "b", SCHEMA, "low")).status is ReviewStatus.OK
    argv = fake.left("argv")
    if name == "codex":
        assert argv[argv.index('model_reasoning_effort="low"') - 1] == "-c"
    assert ("--effort" in argv) == (name == "claude")
    fake.ask()
    assert not [word for word in fake.left("argv") if "effort" in word]


def test_codex_gets_the_schema_of_the_answer(tmp_path: Path) -> None:
    body = (
        "open(FOLDER + '/schema', 'w').write(open(sys.argv[sys.argv.index('--output-schema') + "
        "1]).read()); "
    ) + ANSWERS
    fake = Fake.make("codex", tmp_path, body)
    assert fake.ask().status is ReviewStatus.OK
    assert fake.left("schema") == SCHEMA == PROMPT.answer_schema


@each_agent
def test_no_model_is_no_guess(name: str, tmp_path: Path) -> None:
    fake = Fake.make(
        name, tmp_path, "json.dump(sys.argv[1:], open(FOLDER + '/argv', 'w')); " + ANSWERS
    )
    assert fake.ask(model="").model == ""
    assert "--model" not in fake.left("argv")
    fake.ask(env={NAME: KEY}, model="m-1")
    assert fake.left("argv")[fake.left("argv").index("--model") + 1] == "m-1"
