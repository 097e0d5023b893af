"""Hidden characters are found and shown; what only looks unusual is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.text.visible import find_hidden, find_mixed_script, show_hidden


@pytest.mark.parametrize(
    ("character", "code", "kind"),
    [
        ("\u202e", "U+202E", "bidi"),
        ("\u2066", "U+2066", "bidi"),
        ("\u200f", "U+200F", "bidi"),
        ("\u061c", "U+061C", "bidi"),
        ("\u200b", "U+200B", "zero-width"),
        ("\u2060", "U+2060", "zero-width"),
        ("\ufeff", "U+FEFF", "zero-width"),
        ("\u00ad", "U+00AD", "soft-hyphen"),
        ("\U000e0041", "U+E0041", "tag"),
        ("\U000e01ef", "U+E01EF", "tag"),
        ("\x1b", "U+001B", "control"),
        ("\x9b", "U+009B", "control"),
        ("\x00", "U+0000", "control"),
    ],
)
def test_each_kind_is_found_and_shown(character, code, kind):
    (found,) = find_hidden(f"ab{character}cd")
    assert (found.column, found.code, found.kind) == (2, code, kind)
    assert show_hidden(f"ab{character}cd") == f"ab<{code}>cd"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "tab\there",
        "ünïcödé",
        "日本語",
        "مرحبا",
        "👩‍👩‍👧",
        "❤️",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "👁️‍🗨️",
        "crlf\r\n",
        "page\x0cbreak",
    ],
)
def test_ordinary_text_is_as_it_seems(text):
    assert find_hidden(text) == []


def test_undecodable_bytes_are_shown():
    assert show_hidden(b"raw-\xff".decode("utf-8", "surrogateescape")) == r"raw-\xff"


@given(
    st.text(
        st.sampled_from("ab\u202e\u200d\U000e0041\U000e007f\U0001f3f4\U0001f469\ufe0f\u00ad\n"),
        max_size=20,
    )
)
def test_nothing_hidden_is_left_and_twice_is_once(text):
    assert find_hidden(show_hidden(text)) == [] and show_hidden(show_hidden(text)) == show_hidden(
        text
    )


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("text", ["\U000e0041", "\u200d", "\U0001f3f4\U000e0041", "\U000e007f"])
def test_long_runs_finish(text):
    show_hidden(text * 100_000)


@pytest.mark.parametrize("word", ["p\u0430ypal", "\u0410dmin", "scope\u03bf"])
def test_lookalike_letters_in_a_word_are_found(word):
    (token,) = find_mixed_script(f"x = {word}(1)")
    assert (token.column, token.text) == (4, word)


@pytest.mark.parametrize("text", ["café", "привет = 1", "λ = x", "naïve_Bayes", "日本_x"])
def test_words_of_one_script_are_left_alone(text):
    assert find_mixed_script(text) == []
