"""Foreign text in GitHub's Markdown: what acts becomes inert, what is innocent stays as it is."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reviewgate_gh.text.escape import code_span, fence
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


# Mentions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@user", "`@user`"),
        ("ask @octo/everyone, please", "ask `@octo/everyone`, please"),
        ("(@a-b)", "(`@a-b`)"),
        ("**@user**", "**`@user`**"),
        ("_@user_", "_`@user_`"),
        ("é@user", "é`@user`"),
        (r"\@user", "`@user`"),
        (r"\\@user", r"\\`@user`"),
        (r"x\@user", "x@user"),
        ("the @property decorator", "the `@property` decorator"),
        ("@types/node", "`@types/node`"),
        ("`x`@user", "`x` `@user`"),
        ("@user@example.org", "`@user` `@example`.org"),
        ("&#64;user", "&amp;#64;user"),
        ("&commat;user", "&amp;commat;user"),
        ("@<b>user</b>", "@&lt;b&gt;user&lt;/b&gt;"),
        ("@**user**", "`@`**user**"),
        ("@![user](x)", "@ user"),
        ("@[user](https://evil.example)", "@ user (`https://evil.example`)"),
    ],
)
def test_mentions_become_code(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "foo@bar.com",
        "a @ b",
        "a@b",
        "x @= y",
        "mail me at first.last@example.org.",
        "at 5 @",
        "`@user`",
        "``a ` @user``",
        "pkg@1.2.3",
    ],
)
def test_what_names_nobody_stays(text: str) -> None:
    assert inert_markdown(text) == text


# References


@pytest.mark.parametrize("reference", _REFERENCES)
@pytest.mark.parametrize("keyword", _KEYWORDS)
@pytest.mark.parametrize("between", [" ", ": ", " **", "\n", " \\"])
def test_closing_keywords_close_nothing(keyword: str, between: str, reference: str) -> None:
    for word in (keyword, keyword.upper(), keyword.capitalize()):
        shown = inert_markdown(f"{word}{between}{reference}")
        assert f"`{reference}`" in shown
        assert not re.search(
            rf"{keyword}\W*{re.escape(reference)}",
            shown.replace(f"`{reference}`", ""),
            re.IGNORECASE,
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see owner/repo#2.", "see `owner/repo#2`."),
        ("user#3", "`user#3`"),
        (r"owner/repo\#2", "owner/repo`#2`"),
        (r"owner/repo\_#2", r"owner/repo\_`#2`"),
        ("owner/repo**#2**", "owner/repo**`#2`**"),
        ("owner/repo#**2**", "owner/repo`#`**2**"),
        ("o/r@0123abc", "`o/r@0123abc`"),
        ("_r@0123abc_", "`_r@0123abc`_"),
        (r"o/r\@0123abc", "o/r`@0123abc`"),
        ("https://github.com/o/r/pull/7", "`https://github.com/o/r/pull/7`"),
        ("[text](https://github.com/o/r/issues/7)", "text (`https://github.com/o/r/issues/7`)"),
        (
            "[text](https://github.com/o/r/commit/0123abc)",
            "text (`https://github.com/o/r/commit/0123abc`)",
        ),
        ('<img alt="fixes" src=x> #1', "fixes `#1`"),
        ("fixes <img alt='#1'>", "fixes `#1`"),
        ("![fixes](x) #1", "fixes `#1`"),
    ],
)
def test_foreign_references_become_code(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a/b#c",
        "#include",
        "C#",
        "F# and C#",
        "see #5",
        "GH-5",
        "it fixes the bug",
        "#fff",
        "a@deadbeef.com",
        "actions/checkout@v4",
    ],
)
def test_what_refers_to_nothing_foreign_stays(text: str) -> None:
    assert inert_markdown(text) == text


# Images and links


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ![alt text](https://evil.example/?d=1 'title') b", "a alt text b"),
        ("![alt][ref] x", "alt x"),
        ("![alt][] x", "alt x"),
        ("![alt] x", "alt x"),
        ("![](https://evil.example/x.png)", ""),
        ("![@user](x)", "`@user`"),
        ("![a ![b](c) d](e)", "a b d"),
        ("!![a](b)[c](https://github.com/x)", "! a [c](https://github.com/x)"),
        ("![!](x)[a](https://github.com/x)", "! [a](https://github.com/x)"),
        (r"\![a](https://github.com/x)", r"\![a](https://github.com/x)"),
        ("x <img src=https://evil.example/p alt='a picture'/> y", "x a picture y"),
        ('<IMG ALT="pic">', "pic"),
        ("<img src=x>", ""),
        ("<image>", "&lt;image&gt;"),
        ("https:![//evil](x).example", "https: //evil .example"),
    ],
)
def test_images_leave_their_words(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[a](https://github.com/o/r/blob/main/x.py#L1)",
            "[a](https://github.com/o/r/blob/main/x.py#L1)",
        ),
        ('[a](https://github.com/o/r "title")', "[a](https://github.com/o/r)"),
        ("[a](<https://github.com/o/r>)", "[a](https://github.com/o/r)"),
        ("[`code`](https://github.com)", "[`code`](https://github.com)"),
        ("[@user](https://github.com/user)", "[`@user`](https://github.com/user)"),
        ("[![badge](x)](https://github.com/o)", "[badge](https://github.com/o)"),
        ("[](https://github.com/o)", "[`https://github.com/o`](https://github.com/o)"),
    ],
)
def test_links_to_github_stay(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


@pytest.mark.parametrize(
    "to",
    [
        "http://github.com/o/r",
        "https://github.com.evil.example/",
        "https://github.com@evil.example/",
        "https://github.community/",
        "https://evil.example/https://github.com/",
        "https://gist.github.com/x",
        "https://GITHUB.com/x",
        "https://gіthub.com/x",
        "https://xn--gthub-n2a.com/",
        "https://github.com\\@evil.example",
        "https://github.com/%69ssues/",
        "https://github.com:8443/",
        "//evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "mailto:a@example.org",
    ],
)
def test_other_links_become_code(to: str) -> None:
    assert inert_markdown(f"see [this]({to}) now") == f"see this (`{to}`) now"
    assert inert_markdown(f"[this](<{to}> 'title')") == f"this (`{to}`)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://evil.example/a?b=c#d.", "`https://evil.example/a?b=c#d`."),
        ("(https://github.com/o/r)", "(`https://github.com/o/r`)"),
        ("**http://evil.example**", "**`http://evil.example`**"),
        ("xhttps://evil.example", "`xhttps://evil.example`"),
        (r"https\://evil.example", r"`https\://evil.example`"),
        ("https**://evil.example**", "https**`://evil.example`**"),
        ("www.evil.example", "`www.evil.example`"),
        (r"www\.evil.example", r"`www\.evil.example`"),
        ("_www.evil.example_", "`_www.evil.example`_"),
        ("ftp://evil.example", "`ftp://evil.example`"),
        ("http://münchen.example", "`http://münchen.example`"),
        ("javascript:alert(1)", "`javascript:alert(1`)"),
        ("mailto:a@example.org", "`mailto:a@example.org`"),
        ("<https://evil.example>", "`https://evil.example`"),
        ("<javascript:alert(1)>", "`javascript:alert(1)`"),
        ("[a]: https://evil.example 'title'", "`[a]: https://evil.example 'title'`"),
        ("  [^1]: x", "`[^1]: x`"),
        ("- [a]: https://evil.example", r"- [a\]: `https://evil.example`"),
        ("[a\nb]: https://evil.example", "[a\nb\\]: `https://evil.example`"),
        ("[a\nb](https://evil.example)", "[a\nb\\](`https://evil.example`)"),
        ("[a][b]", r"[a\][b]"),
        ("[^@user]", r"\[^`@user`]"),
    ],
)
def test_urls_and_definitions_become_code(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


@pytest.mark.parametrize(
    "text",
    ["data: 5", "metadata:x", "a[0]", "- [ ] a task", "[a] (b)", "C:/dir", "a//b", "std::vector"],
)
def test_what_links_nowhere_stays(text: str) -> None:
    assert inert_markdown(text) == text


def test_an_indexed_call_is_no_link_and_keeps_its_words() -> None:
    assert _rendered_text("handlers[i](event)") == "handlers[i](event)"


# HTML


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("x < y && y > z", "x &lt; y &amp;&amp; y &gt; z"),
        ("#include <vector>", "#include &lt;vector&gt;"),
        ("std::vector<int>", "std::vector&lt;int&gt;"),
        ("<!-- hidden -->", "&lt;!-- hidden --&gt;"),
        ("<!--<!-- -->-->", "&lt;!--&lt;!-- --&gt;--&gt;"),
        ("<details><summary>x", "&lt;details&gt;&lt;summary&gt;x"),
        ("<scr<script>ipt>", "&lt;scr&lt;script&gt;ipt&gt;"),
        (r"\<b>", "&lt;b&gt;"),
        ("<a href=https://evil.example>x</a>", "&lt;a href=`https://evil.example`&gt;x&lt;/a&gt;"),
        ("&lt;b&gt; &amp; &nbsp;&#60;", "&lt;b&gt; &amp; &amp;nbsp;&amp;#60;"),
        ("> quoted", "&gt; quoted"),
        ("`<b>&amp;</b>`", "`<b>&amp;</b>`"),
    ],
)
def test_html_is_shown_and_not_obeyed(text: str, expected: str) -> None:
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
        "<!-- reviewgate-gh:fp=1 -->",
        "<!--reviewgate-gh:fp=1-->",
        "<!--\treviewgate-gh:x-->",
        "<!-- REVIEWGATE-GH:x -->",
    ],
)
def test_our_marker_never_comes_from_foreign_text(around: str, marker: str) -> None:
    assert not re.search(r"<!--\s*reviewgate", inert_markdown(around.format(marker)), re.IGNORECASE)


# Commands


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/lgtm", "`/lgtm`"),
        ("  /approve cancel", "  `/approve` cancel"),
        ("fine\n/merge", "fine\n`/merge`"),
        (r"\/approve", "`/approve`"),
        ("![/approve](x)", "`/approve`"),
        ("/usr/bin/env", "`/usr/bin/env`"),
        ("@dependabot squash and merge", "`@dependabot` squash and merge"),
        ("\t@bors r+", "\t`@bors` r+"),
    ],
)
def test_commands_to_other_bots_become_code(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


@pytest.mark.parametrize("text", ["and/or", "use /approve", "// comment", "/ 2", "a\n/1"])
def test_slashes_that_command_nothing_stay(text: str) -> None:
    assert inert_markdown(text) == text


# Code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```py\n@user <b> #1\n```", "```py\n@user <b> #1\n```"),
        ("```\n@user", "```\n@user\n```"),
        ("a\n```\n@user\n\n\n", "a\n```\n@user\n```"),
        ("~~~\n```\n@user\n~~~", "````\n```\n@user\n````"),
        ("`````\nx\n`````", "```\nx\n```"),
        ("- a\n  ```\n  x\n    y\n  ```\n- b", "- a\n```\nx\n  y\n```\n- b"),
        ("```\n```", "```\n```"),
        ("```\na\n````", "```\na\n```"),
        ("````\na\n```\nb", "````\na\n```\nb\n````"),
        ("```suggestion\nx\n```", "```\nx\n```"),
        ("```Mermaid\nx\n```", "```\nx\n```"),
        ("``` c++ {.x}\nx\n```", "```c++\nx\n```"),
        ("```", r"\`\`\`"),
        ("~~~", r"\~\~\~"),
        ("- ```\n@user", "- \\`\\`\\`\n`@user`"),
        ("> ```\n@user", "&gt; \\`\\`\\`\n`@user`"),
        ("a `b", r"a \`b"),
        ("`" * 21 + "@user " + "`" * 21, "\\`" * 21 + "`@user` " + "\\`" * 21),
        (r"\`@user`", r"\``@user`" + r"\`"),
        ("`a\n@user`", "\\`a\n`@user`\\`"),
        ("a\\", "a\\\\"),
        (r"C:\Users\x", r"C:\\Users\\x"),
        ("$@user$", r"\$`@user`\$"),
        ("a|b\n-|-\n`c|@user`|d", "a|b\n\\-|-\n`c|@user`|d"),
        ("a\n:-", "a\n:\\-"),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u202eb", "a&lt;U+202E&gt;b"),
        ("`a\u200bb`", "`a<U+200B>b`"),
        ("@us\u200ber", "`@us`&lt;U+200B&gt;er"),
        ("a\x00\x1b[31mb", "a&lt;U+0000&gt;&lt;U+001B&gt;[31mb"),
        ("<!-- review\u00adgate-gh:x", "&lt;!-- review&lt;U+00AD&gt;gate-gh:x"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\udcff", r"\\xff"),
        ("\U000e0041\u200d\U000e0041", "&lt;U+E0041&gt;&lt;U+200D&gt;&lt;U+E0041&gt;"),
    ],
)
def test_hidden_characters_are_shown(text: str, expected: str) -> None:
    assert inert_markdown(text) == expected


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


@given(_TEXTS)
@example("\\`a`\\`b``c`@user")
@example("**a @**user** b**")
@example("![a [^1] b")
@example("- ~~~\n  @user\n```\n@user")
def test_twice_is_once(text: str) -> None:
    once = inert_markdown(text)
    assert inert_markdown(once) == once


@given(_TEXTS)
@example("- a\n  ```\n@user\n  ```\n")
@example("a|b\n-|-\n`c|@user`|d")
@example("[a]: x\n'@user'")
@example("1. ```\n   `\n@user\n```\n`@user")
@example("`\\`@user`")
def test_a_parser_finds_nothing_that_acts(text: str) -> None:
    assert _acting(inert_markdown(text)) == []


@given(_TEXTS.map(lambda text: " ".join(text.split())))
def test_one_line_stays_one_line_and_inert_in_a_list_a_table_and_a_heading(text: str) -> None:
    shown = inert_markdown(text)
    assert "\n" not in shown
    cell = shown.replace("|", "&#124;")
    assert (
        _acting(
            f"## a {shown}\n\n- {shown}\n- **b** {shown} (`x`)\n\n| a | b | c |\n|---|---|---|\n"
            f"| `x` | {cell} | {cell} |\n"
        )
        == []
    )


@given(_TEXTS.map(lambda text: text.replace("\r", "\n")))
def test_our_own_code_passes_unchanged(text: str) -> None:
    for ours in (fence(text.strip(), "py"), code_span(text)):
        if "reviewgate" not in ours:
            assert inert_markdown(ours) == ours


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
    assert inert_markdown(unit * (12_000 // len(unit)) + end) is not None


def _acting(shown: str) -> list[str]:
    """Everything in the Markdown that would act on GitHub, as a CommonMark parser with tables reads
    it."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    found = ["marker"] if re.search(r"<!--\s*reviewgate", shown, re.IGNORECASE) else []
    for token in parser.parse(shown):
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
        if token.type == "link_open" and not re.match(
            r"https://github\.com(?:[/?#]|$)(?!.*/issues/)", str(token.attrs["href"])
        ):
            found.append(str(token.attrs["href"]))
        if token.type == "link_open" and "title" in token.attrs:
            found.append("title")
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


def _rendered_text(text: str) -> str:
    return "".join(
        child.content
        for token in MarkdownIt("commonmark").parse(inert_markdown(text))
        for child in token.children or []
    )
