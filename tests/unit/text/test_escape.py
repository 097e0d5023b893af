"""Foreign text is inert where it is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reviewgate_gh.text.escape import (
    code_span,
    command_data,
    command_property,
    fence,
    terminal_line,
    terminal_text,
)

NASTY = st.text(st.sampled_from("ab `~\n\r\t\x1b[]m\x07\u202e%:,<>@"), max_size=40)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;https://evil.test\x07link\x1b]8;;\x07", "link"),
        ("\x1b]52;c;Y2xpcGJvYXJk\x1b\\copied", "copied"),
        ("safe\rOVERPRINT", "safe<U+000D>OVERPRINT"),
        ("\x9b31mcsi", "csi"),
        ("bell\x07", "bell<U+0007>"),
        ("user\u202etxt", "user<U+202E>txt"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("raw\udcff", r"raw\xff"),
        ("cut\x1b", "cut<U+001B>"),
    ],
)
def test_terminal(text, shown):
    assert terminal_text(text) == shown


@given(st.text(max_size=60))
def test_no_control_character_reaches_a_terminal(text):
    assert not [
        c
        for c in terminal_text(text)
        if (ord(c) < 32 and c not in "\t\n\x0c") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066"
    ]
    terminal_text(text).encode()


def test_one_line():
    assert (
        terminal_line("a\n b\t c" + "x" * 50, 10) == "a b cxxxx…"
        and terminal_line("short", 10) == "short"
    )


@given(NASTY)
def test_a_workflow_command_is_one_line_and_its_property_ends_nowhere(text):
    assert not set(command_data(text)) & set("\r\n") and not set(command_property(text)) & set(
        "\r\n:,"
    )


def test_percent_signs_come_back():
    assert command_property("a%0A:b,\n") == "a%250A%3Ab%2C%0A"


@given(NASTY | st.integers(1, 400).map(lambda n: "`" * n + " @user"))
def test_a_code_span_is_one_code_span(text):
    (token,) = MarkdownIt().parse(f"x {code_span(text)} y")[1:2]
    assert [child.type for child in token.children] == ["text", "code_inline", "text"]


@given(NASTY | st.integers(1, 400).map(lambda n: "`" * n + "\n@user\n" + "~" * n))
def test_a_fence_is_one_block(text):
    assert MarkdownIt().parse(fence(text) + "\nafter")[0].type == "fence"
    assert len(MarkdownIt().parse(fence(text))) == 1
