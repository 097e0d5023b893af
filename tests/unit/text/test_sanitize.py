"""Foreign text in GitHub's Markdown: plain words stay, code stays code, and whatever could act is
shown as code."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reviewgate_gh.text.escape import code_span, fence
from reviewgate_gh.text.safe import code_table_cell, table_cell
from reviewgate_gh.text.sanitize import inert_markdown

_KEYWORDS = (
    "close",
    "closes",
    "closed",
    "fix",
    "fixes",
    "fixed",
    "resolve",
    "resolves",
    "resolved",
)
_REFERENCES = ("#1", "GH-1", "owner/repo#2", "https://github.com/owner/repo/issues/3")


@pytest.mark.parametrize(
    "text",
    [
        'A sentence, with (brackets), "quotes", it\'s 10% - or 5 + 5 = 10!',
        "src/app.py and/or tests, e.g. version 3.11; C++ at x=1.",
        "- one\n- two\n  - three\n\n1. four\n2. five",
        "naïve – 日本語 · “quoted” … ≤ 5 → 6",
        "handler(event) returns `x | y`, and ``a ` @user`` too",
        "data: 5",
        "it fixes the bug",
        "a & b / c",
    ],
)
def test_plain_text_stays(text: str) -> None:
    assert inert_markdown(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Why:** it is ***so*** and *so*", "Why: it is so and so"),
        ("- **a** `b`\n* c\n+ d", "- a `b`\n- c\n- d"),
        ("**`x`**", "`x`"),
        (
            "call foo_bar(*args, **kwargs) or __init__.",
            "call `foo_bar(*args`, `**kwargs`) or `__init__`.",
        ),
        ("`x`@user", "`x` `@user`"),
        ("if a_b && (c_d), then", "if `a_b` `&&` (`c_d`), then"),
        ("# Title\n> quoted", "`#` Title\n`>` quoted"),
        ("a|b\n-|-\n---\n===", "`a|b`\n`-|-`\n`---`\n`===`"),
        ("a\n-", "a\n`-`"),
        ("a\\", "`a\\`"),
        (r"C:\Users\x", r"`C:\Users\x`"),
        ("$x$ ~y~ [z] {w}", "`$x$` `~y~` `[z]` `{w}`"),
        ("std::vector<int> a[0] C#", "`std::vector<int>` `a[0]` `C#`"),
        ("handlers[i](event)", "`handlers[i](event)`"),
    ],
)
def test_what_is_not_plain_is_code(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


# Mentions, references, commands


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ask @octo/everyone, please", "ask `@octo/everyone`, please"),
        ("(@a-b)", "(`@a-b`)"),
        ("**@user**", "`@user`"),
        ("_@user_", "`_@user_`"),
        ("é@user", "`é@user`"),
        (r"\@user", r"`\@user`"),
        ("foo@bar.com", "`foo@bar.com`"),
        ("&#64;user", "`&#64;user`"),
        ("@<b>user</b>", "`@<b>user</b>`"),
        ("@**user**", "`@**user**`"),
        ("@[user](https://evil.example)", "`@user` (`https://evil.example`)"),
        ("see owner/repo#2.", "see `owner/repo#2`."),
        ("see #5", "see `#5`"),
        ("owner/repo**#2**", "`owner/repo**#2**`"),
        ("o/r@0123abc", "`o/r@0123abc`"),
        ("in 0123abc, dddddda1 and deadbeef", "in `0123abc`, `dddddda1` and deadbeef"),
        ("GH-1", "`GH-1`"),
        ("/lgtm", "`/lgtm`"),
        ("  /approve cancel", "  `/approve` cancel"),
        ("fine\n/merge", "fine\n`/merge`"),
        ("@dependabot squash and merge", "`@dependabot` squash and merge"),
        ("\t@bors r+", "\t`@bors` r+"),
    ],
)
def test_nobody_is_named_and_nothing_commanded(text: str, expected: str) -> None:
    assert inert_markdown(f"x\n{text}") == f"x\n{expected}"


@pytest.mark.parametrize("reference", _REFERENCES)
@pytest.mark.parametrize("between", [" ", ": ", " **", "\n", " \\"])
def test_closing_keywords_close_nothing(between: str, reference: str) -> None:
    for word in (
        form for keyword in _KEYWORDS for form in (keyword, keyword.upper(), keyword.capitalize())
    ):
        assert _acting(inert_markdown(f"{word}{between}{reference}")) == []
        assert reference not in re.sub("`[^`]*`", "", inert_markdown(f"{word}{between}{reference}"))


# Images and links


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ![alt text](https://evil.example/?d=1 'title') b", "a alt text b"),
        ("![](https://evil.example/x.png)", ""),
        ("![alt][ref] x", "`![alt][ref]` x"),
        ("x <img src=https://evil.example/p> y", "x `<img` `src=https://evil.example/p>` y"),
        (
            "[a](https://github.com/o/r/blob/main/x.py#L1)",
            "a (`https://github.com/o/r/blob/main/x.py#L1`)",
        ),
        ("[`code`](https://e.example 'title')", "`code` (`https://e.example`)"),
        ("[@user](https://github.com/user)", "`@user` (`https://github.com/user`)"),
        ("[x](javascript:alert(1))", "x (`javascript:alert(1)`)"),
        ("[x](//evil.example)", "x (`//evil.example`)"),
        ("[x](https://gіthub.com/x)", "x (`https://xn--gthub-n2e.com/x`)"),
        ("[a\nb](https://evil.example)", "a\nb (`https://evil.example`)"),
        ("https://evil.example/a?b=c#d.", "`https://evil.example/a?b=c#d`."),
        ("(https://github.com/o/r)", "(`https://github.com/o/r`)"),
        ("https**://evil.example**", "`https**://evil.example**`"),
        ("(www.evil.example)", "(`www.evil.example`)"),
        ("WWW.evil.example", "`WWW.evil.example`"),
        ("mailto:a@example.org", "`mailto:a@example.org`"),
        ("<https://evil.example>", "`<https://evil.example>`"),
        ("- [a]: https://evil.example 'title'", "- `[a]`: `https://evil.example` 'title'"),
        ("[^1]: x", "`[^1]`: x"),
    ],
)
def test_nothing_is_loaded_and_no_link_left(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


# HTML, code, hidden text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>x</b>", "`<b>x</b>`"),
        ("x < y", "x `<` y"),
        ("<!-- hidden -->", "`<!--` hidden `-->`"),
        ("<details><summary>x", "`<details><summary>x`"),
        ("&lt; &nbsp;", "`&lt`; `&nbsp`;"),
        ("`<b>&amp;</b>`", "`<b>&amp;</b>`"),
        ("a\u202eb", "`a<U+202E>b`"),
        ("`a\u200bb`", "`a<U+200B>b`"),
        ("a\x00\x1b[31mb", "`a<U+0000><U+001B>[31mb`"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\udcff", r"`\xff`"),
    ],
)
def test_html_and_hidden_characters_are_shown(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "`{}`",
        "x ``{}`` y",
        "```\n{}\n```",
        "~~~html\na\n{}",
        "<!<!----{}-->",
        "[{}](https://github.com/x)",
    ],
)
@pytest.mark.parametrize(
    "marker",
    [
        *(
            "<!-- reviewgate-gh:fp=1 -->",
            "<!--reviewgate-gh:fp=1-->",
            "<!--\treviewgate-gh:x-->",
            "<!-- REVIEWGATE-GH:x -->",
        ),
        *("**<!-**-reviewgate-gh:x-->", "<!--\u200breviewgate-gh:x-->"),
    ],
)
def test_our_marker_never_comes_from_foreign_text(around: str, marker: str) -> None:
    assert not re.search(r"<!--\s*reviewgate", inert_markdown(around.format(marker)), re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```py\n@user <b> #1\n```", "```py\n@user <b> #1\n```"),
        ("```\n@user", "```\n@user\n```"),
        ("~~~\n```\n@user\n~~~", "````\n```\n@user\n````"),
        ("`````\nx\n`````", "```\nx\n```"),
        ("- a\n  ```\n  x\n    y\n  ```\n- b", "- a\n\n```\nx\n  y\n```\n\n- b"),
        ("````\na\n```\nb", "````\na\n```\nb\n````"),
        ("```suggestion\nx\n```", "```\nx\n```"),
        ("```Mermaid\nx\n```", "```\nx\n```"),
        ("``` c++ {.x}\nx\n```", "```c++\nx\n```"),
        ("```", "```` ``` ````"),
        ("- ```\n@user", "- ```` ``` ````\n`@user`"),
        ("a `b", "a `` `b ``"),
        ("`a|@user`|d", "`a|@user` `|d`"),
    ],
)
def test_code_is_kept_and_closed(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


@pytest.mark.parametrize("ticks", [3, 20, 254, 255, 300])
@pytest.mark.parametrize("opener", ["~~~", "`" * 400])
def test_no_line_closes_the_fence_early(ticks: int, opener: str) -> None:
    shown = inert_markdown(f"{opener}\n{'`' * ticks}\n@user").split("\n")
    assert shown[-2] == "@user" and shown[0] == shown[-1]
    assert len(shown[1]) < len(shown[0]) < 255


# Any text

_DANGEROUS = (
    *(
        "@",
        "user",
        "@user",
        "@org/team",
        "#",
        "#1",
        "1",
        "fixes",
        "Closes",
        "GH-1",
        "o/r",
        "o/r#2",
        "/",
        "/approve",
        "abcdef0",
    ),
    *(
        "@abcdef0",
        "foo@bar.com",
        "`",
        "``",
        "```",
        "````",
        "~",
        "~~",
        "~~~",
        "```\n",
        "  ```\n",
        "- ```\n",
        "> ```\n",
        "```suggestion\n",
    ),
    *(
        "\\",
        "\\\\",
        "\\`",
        "\\@",
        "\\[",
        "[",
        "]",
        "(",
        ")",
        "](",
        "![",
        "!",
        "[a](",
        "](https://github.com/x)",
        "](http://e.example)",
    ),
    *(
        "[x]: ",
        "[^",
        "[^1]",
        ":",
        " 't'",
        '"',
        "<",
        ">",
        "&",
        "&#64;",
        "&lt;",
        "<!--",
        "-->",
        "<!-- reviewgate-gh:fp",
        "<b>",
        "</b>",
    ),
    *(
        "<details>",
        "<img alt=fixes>",
        '<img alt="',
        '">',
        "https:",
        "//",
        "://",
        "https://e.example",
        "https://github.com/o/r",
    ),
    *(
        "https://github.com/o/r/issues/1",
        "www.",
        "w",
        "javascript:alert(1)",
        "mailto:a@b.example",
        "xmpp:a@b.example",
    ),
    *(
        "<https://e.example>",
        "<a@b.example>",
        "*",
        "**",
        "_",
        "__",
        "$",
        "$$",
        "=",
        "+",
        "|",
        "-",
        "|-|\n",
        "a|b\n",
        "- ",
        "1. ",
        "# ",
    ),
    *(
        "===",
        "---",
        " ",
        "    ",
        "\t",
        "\n",
        "\n\n",
        "\r",
        "é",
        "\u200b",
        "\u202e",
        "\u00a0",
        "\u200d",
        "\U0001f600",
        "\ufe0f",
    ),
    *("\U000e0041", "\udcff", "\x00", "{", "}", ".", "^"),
)
_PARTS = st.one_of(
    st.sampled_from(_DANGEROUS), st.text(st.characters(exclude_categories=()), max_size=4)
)
_TEXTS = st.lists(_PARTS, max_size=20).map("".join)


_INERT = (
    "paragraph",
    "inline",
    "text",
    "code_inline",
    "softbreak",
    "hardbreak",
    "fence",
    "code_block",
    "bullet_list",
    "ordered_list",
    "list_item",
)


@given(_TEXTS)
@example("\\`a`\\`b``c`@user")
@example("**a @**user** b**")
@example("![a [^1] b")
@example("- ~~~\n  @user\n```\n@user")
@example("` `")
@example("@\n\n\xa0")
def test_twice_is_once(text: str) -> None:
    once = inert_markdown(text)
    assert inert_markdown(once) == once


@given(_TEXTS)
@example("- a\n  ```\n@user\n  ```\n")
@example("a|b\n-|-\n`c|@user`|d")
@example("[a]: x\n'@user'")
@example("1. ```\n   `\n@user\n```\n`@user")
@example("`\\`@user`")
@example("a\n-")
@example("- - -")
@example("www.")
def test_a_parser_finds_plain_text_code_and_lists_alone(text: str) -> None:
    shown = inert_markdown(text)
    assert _acting(shown) == []
    tokens = _PARSER.parse(shown)
    kinds = {token.type for block in tokens for token in (block, *(block.children or ()))}
    assert {re.sub("_(open|close)$", "", kind) for kind in kinds} <= {*_INERT}


@given(
    st.lists(st.one_of(st.sampled_from(_DANGEROUS), st.text(max_size=4)), max_size=20).map(" ".join)
)
def test_no_letter_is_lost(text: str) -> None:
    # Titles and addresses of images, and what else stands beside a fence
    if not re.search(r"\]\(|[~`]{3}", text):
        shown = re.sub(r"<U\+[0-9A-F]+>|\\x[0-9a-f]{2}", "", inert_markdown(text))
        assert re.findall("[A-Za-z]", text) == re.findall("[A-Za-z]", shown)


@given(_TEXTS.map(lambda text: " ".join(text.split())))
def test_one_line_stays_one_line_and_inert_in_a_list_a_table_and_a_heading(text: str) -> None:
    shown = inert_markdown(text)
    assert "\n" not in shown
    rows = (
        f"| a | b | c |\n|---|---|---|\n| {code_table_cell(text)} | {table_cell(text)} | "
        f"{table_cell(text)} |\n"
    )
    assert _acting(f"## a {shown}\n\n- {shown}\n- **b** {shown} (`x`)\n\n{rows}") == []
    assert sum(token.type == "td_open" for token in _PARSER.parse(rows)) == 3


@given(_TEXTS.map(lambda text: text.replace("\r", "\n")))
def test_our_own_code_passes_unchanged(text: str) -> None:
    for ours in (fence(text.strip(), "py"), code_span(text)):
        if "reviewgate" not in ours:
            assert inert_markdown(ours) == ours


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize(
    "unit",
    [
        *(
            "`",
            "``` ",
            "\\",
            "\\`",
            "@",
            "@a",
            "a@",
            "a/",
            "a.",
            "w",
            "#1 ",
            "fixes #1 ",
            "https://",
            "www.",
            "mailto:",
            "/a",
            "_",
            "*",
        ),
        *(
            "~",
            "[",
            "]",
            "![",
            "](",
            "[a](",
            "[a](b",
            '[a](b "',
            "[a](<",
            "[a](( ",
            "[a]( ",
            "[a](http://x)",
        ),
        *(
            "[a](https://github.com/x)",
            "![a](x)",
            "[^",
            "[x]: ",
            "<",
            "<img ",
            "<img alt=",
            "<a:",
            "<!--",
            "<!-- ",
            "<!-- reviewgate",
        ),
        *(
            "&",
            "&amp;",
            "$",
            "|",
            "|-",
            "|-|\n",
            "```\n",
            "``` a\n",
            "~~~\n",
            "\n",
            " ",
            "\t",
            "\r",
            "\x00",
            "\u200b",
            "\u202e",
        ),
        *("\udcff", "\U0001f600\u200d", "é"),
    ],
)
@pytest.mark.parametrize("end", ["", "x"])
def test_long_repetitions_return(unit: str, end: str) -> None:
    assert inert_markdown(unit * (4_000 // len(unit)) + end) is not None


_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _acting(shown: str) -> list[str]:
    """Everything in the Markdown that would act on GitHub, as a CommonMark parser with tables reads
    it."""
    found = ["marker"] if re.search(r"<!--\s*reviewgate", shown, re.IGNORECASE) else []
    for token in _PARSER.parse(shown):
        if token.type == "html_block" or (
            token.type == "fence" and token.info.startswith("suggestion")
        ):
            found.append(token.content)
        found += _acting_inline(token.children or [])
    return found


def _acting_inline(tokens: list[Token]) -> list[str]:
    found, linked = [], 0
    for token in tokens:
        linked += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type in ("image", "html_inline"):
            found.append(token.type)
        if token.type == "link_open":
            found.append(str(token.attrs["href"]))
        if token.type == "text" and not linked:
            found += _ACTING.findall(token.content)
    # Text is joined as a reader sees it: emphasis may vanish between two parts of it.
    joined = "".join(
        token.content if token.type == "text" else "" if _emphasis(token) else "\0"
        for token in tokens
    )
    return found + _CLOSING.findall(joined)


def _emphasis(token: Token) -> bool:
    return token.type.startswith(("em_", "strong_", "s_"))


_ACTING = re.compile(
    r"(?a:(?<![A-Za-z0-9])@[A-Za-z0-9]\w*|[\w.-]#[0-9]+|[A-Za-z]://|(?i:(?:^|[\s*_~(])www\.|mailto:\w))"
)
_CLOSING = re.compile(rf"(?i)\b(?:{'|'.join(_KEYWORDS)})[\s:]+(?:#|GH-)[0-9]")
