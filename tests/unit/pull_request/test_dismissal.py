"""What counts as a wish to dismiss a finding: a command that somebody gives, and none that he
quotes or shows."""

import pytest

from reviewgate_gh.pull_request.comments import CurrentFindings, classify_comments
from reviewgate_gh.pull_request.dismissal import dismissal_requests
from tests.unit.pull_request.pulls import ALICE, GHOST, HEAD, ME, reply, thread

COMMAND = "/reviewgate-gh dismiss x is a constant"


def reasons(body: str, **who: object) -> list[str]:
    """The reasons that a reply with this text gives."""
    found = thread(replies=(reply(body=body, **who),))
    return [
        wish.reason
        for wish in dismissal_requests(classify_comments([found], ME, HEAD, CurrentFindings()))
    ]


@pytest.mark.parametrize(
    "body",
    [
        COMMAND,
        f"Hm.\r\n{COMMAND}\r\nBye.",
        f"   {COMMAND}  ",
        f"```python\nx = 1\n```\n{COMMAND}",
        f"~~~~\n~~~\n~~~~\n{COMMAND}",
        f"````\n```\n````\r\n{COMMAND}",
        f"```x``` is code\n{COMMAND}",
        f"> quoted\n\n{COMMAND}",
        f"> ```\n> x\n> ```\n{COMMAND}",
        f"- ```\n  x\n{COMMAND}",
        f"    ```\n{COMMAND}",
        f"`<pre>` is a tag\n{COMMAND}",
        f"<details>\n\nlog\n\n</details>\n\n{COMMAND}",
        f"{COMMAND}\n-- \nGrace",
    ],
)
def test_a_command_on_a_line_of_its_own_counts(body: str) -> None:
    assert reasons(body) == ["x is a constant"]


@pytest.mark.parametrize(
    "body",
    [
        f"> {COMMAND}",
        f"`{COMMAND}`",
        f"Write {COMMAND}",
        f"    {COMMAND}",
        f"```\n{COMMAND}\n```",
        f"Write:\r\n```text\r\n{COMMAND}\r\n```\r\n",
        f"~~~\n```\n{COMMAND}\n~~~",
        f"````\n```\n{COMMAND}\n````",
        f"```\n```python\n{COMMAND}\n```",
        f"```\n{COMMAND}",
        f"> quoted\nand so is this\n{COMMAND}",
        f"- > quoted\n{COMMAND}",
        f"- ```\n  {COMMAND}\n  ```",
        f"- a\n\n     ```\n  {COMMAND}\n     ```",
        f"`a\n{COMMAND}\nb`",
        f"| a |\n| - |\n{COMMAND}",
        f"x <!--\n{COMMAND}\n--> y",
        f"<!--\n\n{COMMAND}",
        f"<pre>\n{COMMAND}\n</pre>",
        f"<blockquote>\n\n{COMMAND}\n\n</blockquote>",
        f"<details><summary>log</summary>\n\n{COMMAND}\n\n</details>",
        f"a <code>\n{COMMAND}\n</code>",
        f"x\u2028{COMMAND}",
        "\ue0000\ue001 x",
        f"\ue0000\ue001{COMMAND}",
        "/reviewgate-ghost dismiss x",
        "/reviewgate-gh dismissed x",
        "/reviewgate-gh approve",
    ],
)
def test_one_that_is_quoted_or_shown_does_not(body: str) -> None:
    assert reasons(body) == []


def test_what_a_bot_that_we_are_says_and_nobody_counts_for_nothing() -> None:
    assert reasons(COMMAND, author=ME) == reasons(COMMAND, author=GHOST) == []
    assert reasons("/reviewgate-gh dismiss") == [""]


def test_who_posts_under_his_own_account_may_answer_himself() -> None:
    found = thread(author=ALICE, replies=(reply(ALICE, COMMAND),))
    assert [
        wish.who
        for wish in dismissal_requests(classify_comments([found], ALICE, HEAD, CurrentFindings()))
    ] == [ALICE]
