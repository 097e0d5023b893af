"""What the agent SDK is told, and what becomes of what it says; a fake stands in for the SDK at its
import."""

import asyncio
import json
import os
import sys

import pytest
from msgspec.structs import replace

from reviewgate_gh.documents.agent import SdkAgent, run_review
from reviewgate_gh.documents.loader import SdkHook
from reviewgate_gh.documents.registry import find_template
from reviewgate_gh.documents.result import Verdict
from reviewgate_gh.documents.trusted_side import TrustedSide
from reviewgate_gh.ensemble.budget import BudgetAccount, CostEstimate, TurnBudget
from reviewgate_gh.model.config import Budget
from reviewgate_gh.model.errors import DeadlinePassed, GateError, NoReviewers, UsageError
from reviewgate_gh.model.review import Usage
from tests.fake_sdk import FakeSdk

ANSWER = "## Summary\nPASS\n\n## Findings\n\n### [PASS] Goals\nAll met.\n"
ARCH, CODE = (
    find_template(name, TrustedSide(None, all_approved=True)) for name in ("arch", "code")
)
INPUTS = {"input": "plan.md", "against": "arch.md"}


@pytest.fixture
def sdk(tmp_path, monkeypatch):
    """A factory of fakes, in this process."""

    def make(*texts, **plan) -> FakeSdk:
        made = FakeSdk.make(tmp_path / "sdk", *(texts or (ANSWER,)), **plan)
        monkeypatch.syspath_prepend(made.folder)
        return made

    return make


def run(template=ARCH, inputs=INPUTS, **agent):
    return asyncio.run(run_review(template, inputs, SdkAgent(**agent)))


@pytest.mark.req("R004-039", "R004-071")
def test_a_review_is_one_call_that_returns_a_result(sdk):
    sdk("I will read the plan.", ANSWER)
    result = asyncio.run(run_review(ARCH, INPUTS))
    assert (result.verdict, result.template_name, result.input_files, result.error) == (
        Verdict.PASS,
        "arch",
        INPUTS,
        "",
    )
    assert [finding.title for finding in result.findings] == ["Goals"]
    assert result.reviewer == "agent_sdk"


@pytest.mark.req("R004-041", "R004-043")
def test_a_client_is_made_asked_once_and_ended_and_nothing_is_left(sdk, tmp_path):
    made = sdk()
    run()
    assert [row["event"] for row in made.log] == ["connect", "query", "disconnect"]
    assert "agents" not in made.options and made.prompt == ARCH.build_prompt(INPUTS)
    run()
    assert [row["event"] for row in made.log] == ["connect", "query", "disconnect"] * 2


@pytest.mark.req("R004-042")
def test_the_texts_of_all_messages_are_kept_each_by_itself(sdk):
    sdk("First I read.", ANSWER)
    assert run().raw_output == f"First I read.\n\n{ANSWER}"


@pytest.mark.req("R004-040")
def test_the_options_are_the_templates(sdk, tmp_path):
    made = sdk()
    run(CODE, {"cwd": str(tmp_path)}, model="m-1", path="/opt/claude")
    told = made.options
    assert told["system_prompt"] == CODE.system_prompt
    assert told["tools"] == told["allowed_tools"] == ["Read", "Glob", "Grep", "Bash"]
    mode = "dontAsk" if os.geteuid() == 0 else "bypassPermissions"
    assert (told["permission_mode"], told["setting_sources"], told["cwd"]) == (
        mode,
        ["project"],
        str(tmp_path),
    )
    assert (told["model"], told["cli_path"]) == ("m-1", "/opt/claude")
    assert list(told["hooks"]) == ["PreToolUse"]


def test_without_settings_of_its_own_a_template_has_the_users_alone(sdk):
    made = sdk()
    run()
    assert made.options["setting_sources"] == ["user"] and "model" not in made.options


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_root_uses_what_is_allowed_and_asks_for_nothing_else(sdk):
    made = sdk()
    run()
    assert made.options["permission_mode"] == "dontAsk"


def test_a_folder_that_is_not_the_users_brings_no_settings(sdk):
    made = sdk()
    run(CODE, {}, use_user_settings=False, rules="Rules of the base.")
    assert made.options["setting_sources"] == [] and made.options["system_prompt"].endswith(
        "Rules of the base."
    )


def test_with_documents_there_are_no_tools(sdk):
    made = sdk()
    run(documents="<data-1>the plan</data-1>")
    assert (made.options["tools"], made.options["setting_sources"]) == ([], [])
    assert made.prompt.startswith("<data-1>the plan</data-1>")


@pytest.mark.req("R004-009")
def test_hooks_of_a_template_are_passed_on_after_our_own(sdk, tmp_path):
    made = sdk()
    run(
        replace(
            ARCH,
            hooks={
                "PreToolUse": [SdkHook("Read", [print])],
                "PostToolUse": [SdkHook(None, [print])],
            },
        )
    )
    hooks = made.options["hooks"]
    assert list(hooks) == ["PreToolUse", "PostToolUse"] and len(hooks["PreToolUse"]) == 2
    assert "_RefusingHook" in str(hooks["PreToolUse"][0]) and "Read" in hooks["PreToolUse"][1]


def test_of_our_environment_only_what_a_reviewer_needs_has_a_value(sdk, monkeypatch):
    for name in ("GITHUB_TOKEN", "OPENAI_API_KEY", "MY_SECRET", "ANTHROPIC_API_KEY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "value")
    made = sdk()
    run()
    given = {**os.environ, **made.options["env"]}
    assert [given[name] for name in ("GITHUB_TOKEN", "OPENAI_API_KEY", "MY_SECRET")] == ["", "", ""]
    assert (
        given["ANTHROPIC_API_KEY"] == given["HTTPS_PROXY"] == "value"
        and given["HOME"]
        and given["PATH"]
    )
    assert given["GIT_OPTIONAL_LOCKS"] == "0"


@pytest.mark.req("R004-067")
def test_what_is_missing_is_said_before_the_sdk_is_loaded(sdk):
    made = sdk()
    with pytest.raises(UsageError, match="the template arch needs against"):
        run(inputs={"input": "plan.md"})
    assert made.log == [] and "claude_agent_sdk" not in sys.modules


@pytest.mark.req("R004-066")
@pytest.mark.parametrize(
    ("plan", "kind", "says"),
    [
        ({"raises": "CLINotFoundError"}, NoReviewers, "agent_sdk: as planned"),
        ({"stall": True}, DeadlinePassed, "no whole answer within 1 s"),
    ],
)
def test_nobody_there_and_no_time_left_are_errors_in_one_line(sdk, plan, kind, says):
    sdk(**plan)
    with pytest.raises(kind, match=says) as caught:
        run(seconds=1)
    assert isinstance(caught.value, GateError) and caught.value.hint


def test_a_caller_that_waits_no_longer_ends_the_agent(sdk):
    made = sdk(stall=True)

    async def impatient() -> None:
        async with asyncio.timeout(0.5):
            await run_review(ARCH, INPUTS)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    assert [row["event"] for row in made.log] == ["connect", "query", "disconnect"]


def test_the_sdk_that_is_not_installed_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)
    with pytest.raises(NoReviewers, match="claude-agent-sdk is not installed") as caught:
        run()
    assert "reviewgate-gh[agent-sdk]" in caught.value.hint


@pytest.mark.req("R004-066", "R004-048")
@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ({"raises": "ProcessError"}, r"ProcessError: as planned \(the program said this\)"),
        ({"raises": "CLIConnectionError"}, "CLIConnectionError"),
        ({"cut": True}, "ended without a result"),
        ({"ended": {"is_error": True, "result": "API Error: 401"}}, "API Error: 401"),
        ({"ended": {"subtype": "error_max_turns", "result": None}}, "error_max_turns"),
        ({"ended": {"stop_reason": "max_tokens"}}, "the answer was cut off: max_tokens"),
        ({"ended": {"stop_reason": "refusal"}}, "refusal"),
    ],
)
def test_an_agent_that_breaks_never_passes_whatever_it_said(sdk, plan, says):
    sdk(**plan)
    result = run()
    assert result.verdict is Verdict.UNKNOWN and result.findings == ()
    import re

    assert re.search(says, result.error)
    assert json.dumps(result.to_dict())


USED = {
    "input_tokens": 100,
    "cache_read_input_tokens": 800,
    "cache_creation_input_tokens": 100,
    "output_tokens": 5,
}


@pytest.mark.parametrize(
    ("budget", "turns", "says"),
    [
        ({"calls": 3}, 3, ""),
        ({"calls": 2}, 2, "over the budget of 2 calls (ensemble.budget.calls)"),
        ({"input_tokens": 3000}, 3, ""),
        (
            {"input_tokens": 2999},
            2,
            (
                "over the budget of 2,999 input tokens (ensemble.budget.input_tokens): 2,000 used, "
                "1,000 more"
            ),
        ),
        ({"input_tokens": 9}, 0, "over the budget of 9 input tokens"),
        ({"cost_usd": 0}, 0, "over the budget of $0 (ensemble.budget.cost_usd)"),
    ],
)
def test_each_turn_is_a_question_within_the_budget(sdk, budget, turns, says):
    made = sdk("I will read.", "I read on.", ANSWER, usage=USED)
    result = run(spending=BudgetAccount(Budget(**{"calls": None, "input_tokens": None, **budget})))
    assert (
        made.turns == turns and result.error.startswith(says) and bool(result.error) == bool(says)
    )
    assert result.verdict is (Verdict.UNKNOWN if says else Verdict.PASS)
    assert [row["event"] for row in made.log] == (
        ["connect", "query", "disconnect"] if turns else []
    )


def test_turns_whose_cost_nobody_says_count_as_the_last_that_is_known(sdk):
    made = sdk(*["I read."] * 6, ANSWER)
    budget = BudgetAccount(Budget(calls=None, input_tokens=1000))
    result = run(spending=budget)
    assert (
        result.verdict is Verdict.UNKNOWN
        and "over the budget of 1,000 input tokens" in result.error
    )
    assert made.turns == 1000 // (budget.spent.input // budget.spent.calls), budget


@pytest.mark.parametrize(
    ("calls", "turns", "says"),
    [(4, 4, ""), (3, 3, "over the budget of 3 calls"), (2, 1, "over the budget of 2 calls")],
)
def test_a_turn_with_answers_of_tools_in_its_middle_is_one(sdk, calls, turns, says):
    """Until a second name is heard, the first turn may be two of a server that gives all of them
    one: the budget is held to that."""
    made = sdk("I read.", "I read on.", "And on.", ANSWER, usage=USED, split=True)
    budget = BudgetAccount(Budget(calls=calls, input_tokens=None))
    result = run(spending=budget)
    assert (
        made.turns == turns and result.error.startswith(says) and bool(result.error) == bool(says)
    )
    assert (budget.spent.calls, budget.spent.input) == (turns, 1000 * turns)


def test_under_one_name_a_turn_that_sends_more_is_a_new_one():
    budget = BudgetAccount(Budget(calls=None, input_tokens=None))
    ticket, _why = budget.reserve(CostEstimate(1))
    turn_budget = TurnBudget(budget, ticket, 1)
    for name, size in (("one", 10), ("two", 20), ("two", 20), ("two", 30)):
        assert not turn_budget.count_turn(name, Usage(1, size), True)
        turn_budget.tools_answered()
    assert (budget.spent.calls, budget.spent.input) == (3, 60)


@pytest.mark.parametrize(
    ("subtype", "says"),
    [("error_max_turns", "over the budget of 7 calls (ensemble.budget.calls)"),
     ("error_max_budget_usd", "over the budget of $0.5 (ensemble.budget.cost_usd)")],
)  # fmt: skip
def test_the_agent_itself_is_told_the_budget_and_what_it_says_of_it_is_said(sdk, subtype, says):
    made = sdk(ended={"subtype": subtype, "result": None})
    result = run(spending=BudgetAccount(Budget(calls=7, cost_usd=0.5)))
    assert (made.options["max_turns"], made.options["max_budget_usd"]) == (7, 0.5)
    assert (result.verdict, result.error) == (Verdict.UNKNOWN, says)


def test_without_an_account_there_is_no_limit(sdk):
    made = sdk(*["I read."] * 60, ANSWER, usage={"input_tokens": 10**6})
    assert run().verdict is Verdict.PASS and made.turns == 61
    assert "max_turns" not in made.options and "max_budget_usd" not in made.options


@pytest.mark.req("R004-072")
@pytest.mark.parametrize(
    ("word", "goes_on"), [("PASS", True), ("CONCERNS", False), ("FAIL", False), ("nothing", False)]
)
def test_a_caller_goes_on_with_a_pass_alone(sdk, word, goes_on):
    sdk(f"## Summary\n{word}\n")
    assert (run().verdict == "PASS") is goes_on
