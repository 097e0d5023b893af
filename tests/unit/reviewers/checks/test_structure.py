"""What is opened and never closed where no grammar reads the file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.reviewers.checks import makefile, structure
from reviewgate_gh.text.markup import (
    find_loose_component_tag,
    find_loose_svelte_block,
    find_loose_tag,
    repeated_names,
)
from tests.unit.reviewers.checks.support import edited, on, short, sources

CLEAN = {
    "a.ps1": (
        '<# { #>\n# (\nfunction f { param([int]$a) "a $(g "b") `" (" }\n$b = \'(\'\' [\'\n'
        '$c = @"\nit\'s { "\n"@\n$d = $x`{\n'
    ),
    "a.pm": (
        "my $a = join(', ', @b);\nmy $c = '(';\nfor (my $d = 0;\n$d < 2; $d++) {}\n"
        "$e = qw(a b;\nc);\n=pod\n\nprint(a;\n\n=cut\nf(sub { 1;\n});\n# g(a;\n"
        "print(\n  h(a);\n);\n__END__\nprint(a;\n"
    ),
    "text.pl": "print <<A;\nprint(a;\nA\n",
    "script.pl": "print <<_A_;\nif (a) {\n} else if (b) {\n}\n_A_\n",
    "e.ps1": '$a = "b$(c ($d -replace \'^|$\', "\'"))"\n$e = "f$(g {\n  "h" })\'"\n$i = \'j\'\n',
    "a.css": "/* { */\na[href=\"}\"] { background: url(a'b.png); content: '{' }\n",
    "a.html": (
        "<!DOCTYPE html>\n<!-- <b> -->\n<ul><li>a<li>b</ul>\n<p>a<p>b</p>\n<img src=a><br/>\n"
        "<script>if (a < b) { '</b>' }</script>\n<a title='>'>x</a>\n<table><tr><td>a</table>\n"
    ),
    "a.h": (
        "#ifndef A\n#define A\nstruct a { int b; };\nstruct c\n{\n} d;\n/* #if */ // #endif\n"
        "#define E struct e { \\\n  int f; \\\n}\n\nvoid g(void);\nenum { X }\nh;\n"
        'char *i = "\\\n#if";\n#endif\n'
    ),
    "a.cpp": (
        "template <class T> class A : public B<T> { };\nstruct C { } c;\nstruct D f() { }\n"
        'union E {\n}\n__attribute__((packed));\nauto s = R"x(\n#endif\n)x";\n'
    ),
    "b.pl": "if ($a) {\n} elsif ($b) {\n}\nelse {\n}\n# else if (1) {\nprint 'else if (a) {';\n",
    "d.ps1": "if ($a -eq 'b == c') { }\n# if ($a == 1)\n$b = @{ c = 1 }\ngit log --a==b\n",
    "b.sql": (
        "create table a (\n  b int,\n  c numeric(10, 2)\n    check (c > 0), -- d text\n"
        "  e timestamp\n    with time zone,\n  primary key (b)\n);\n"
        "insert into a (b, c) values (1, 'x, y'), (f(2, 3), (4));\ninsert into a values (1);\n"
        "insert into a (b) select 1;\n"
    ),
    "a.scss": "// it's (\n.a { b: url(//c/d); &:hover { color: darken($e, 10%) } }\n",
    "a.sql": "-- it's (\nselect $$ ( $$, 'a('')', \"(\" from b where c in (1); /* ( */\n",
    "m.sql": "create table [a].[b 'c] (\n  [d] int,\n  [e \"f'g] int);\nselect ['a]', '(', b ];\n",
    "t.sql": "select {{ a( }} from b where (\n",
    "mysql.sql": "select 'it\\'s (';\n",
    "a.xml": '<!DOCTYPE a SYSTEM "a.dtd">\n<a b="1" c="2"><d/>&e;<!-- <f> --></a>\n',
    "t.xml": "<a>{% if b %}<c>{% endif %}\n",
    "e.xml": '<!DOCTYPE a [<!ENTITY b "c">]>\n<a>\n<b>&b;</a>\n',
    "empty.xml": "\n",
    "t.html": "<div>{% if a %}<p>{% endif %}\n",
    "a.vue": "<template>\n<p v-if=\"a > b\">{{ a < b }}<Foo/></p>\n</template>\n<script>\n'<b>'\n",
    "a.svelte": (
        "<script>\n  const a = '{#if}'\n</script>\n<!-- {#if} -->\n{#if a}<style.icon/>{:else}\n"
        "{#each b as c}{`{#key}`}{/each}\n{/if}\n"
    ),
    "pug.vue": '<template lang="pug">\np <b>\n</template>\n',
    "a.md": "```sh\na ```\n~~~\n```\n- ```\n  x\n  ```\n``` inline ``` words\n````\n```\n````\n",
}
BROKEN = {
    "a.ps1": ("function f {\n  if ($a {\n  }\n}\n", 2, "P0"),
    "b.psm1": ('$a = 1\nWrite-Output "b\n$c = 2\n', 2, "P0"),
    "tests/fixtures/a.ps1": ("{\n", 1, "P2"),
    "test/cases/a.css": ("a {\n", 1, "P3"),
    "tests/a.ps1": ("{\n", 1, "P0"),
    "a.css": ("a {\n  color: red;\nb { }\n", 1, "P2"),
    "a.c": ("#ifdef A\nint b;\n", 1, "P0"),
    "b.c": ("int a;\n#endif\n", 2, "P0"),
    "c.h": ("struct a {\n  int b;\n}\n\nvoid f(void);\n", 3, "P0"),
    "a.cpp": ("class A : public B {\npublic:\n  int c;\n}\nstatic int d;\n", 4, "P0"),
    "b.hpp": ("namespace n {\nenum class A { B, C }\n}\n", 2, "P0"),
    "c.pl": ("if ($a) {\n}\nelse if ($b) {\n}\n", 3, "P0"),
    "d.pm": ("if ($a) {\n} elif ($b) {\n}\n", 2, "P0"),
    "c.ps1": ("function f {\n  while ($a.Count != 0) { }\n}\n", 2, "P0"),
    "b.sql": ("create table a (\n  b int references c (d)\n  e text not null\n);\n", 2, "P2"),
    "c.sql": ("insert into a (b, c)\nvalues (1, 2),\n  (3);\n", 3, "P2"),
    "b.md": ("# a\n\n```sh\nmake\n", 3, "P3"),
    "a.pm": ("package A;\nmy $b = join(', ', @c;\nreturn $b;\n", 2, "P0"),
    "b.pl": ("f('(', g(1);\n", 1, "P0"),
    "a.scss": ("a {\n  &:hover {\n    color: darken($b, 10%;\n  }\n}\n", 3, "P2"),
    "a.less": ("a {\n", 1, "P2"),
    "a.sql": ("select 1;\ncreate table a (\n  b numeric(10\n;\n", 3, "P2"),
    "a.xml": ("<a>\n  <b>c</d>\n</a>\n", 2, "P2"),
    "b.csproj": ('<a>\n  <b c="1" c="2"/>\n</a>\n', 2, "P2"),
    "a.svelte": ("<p/>\n{#if a}\n  <p>b</p>\n{:else}\n  <p/>\n", 2, "P0"),
    "b.svelte": ("{#each a as b}\n  {#if c}\n{/each}\n", 2, "P0"),
    "c.svelte": ("{#key a}{/key}\n{/await}\n", 2, "P0"),
    "page.html": ("<!DOCTYPE html>\n<p>a <strong>b</em></p>\n</html>\n", 2, "P2"),
    "a.vue": ("<template>\n  <div>\n    <p>\n  </div>\n</template>\n", 3, "P0"),
}
CHANGED = {
    "a.html": ("<h1>a</h1>", "<h1>a</h2>", "P2"),
    "b.htm": ("<a href='b'>c</a>", "<a href='b>c</a>", "P2"),
    "c.html": ("<div>a</div>", "<div>a", "P2"),
    "a.md": ("```", "``", "P3"),
}


@pytest.mark.parametrize("path", CLEAN)
def test_what_holds_together(path: str) -> None:
    assert on(structure, path, CLEAN[path]) == []


@pytest.mark.parametrize("path", BROKEN)
def test_what_does_not(path: str) -> None:
    text, line, priority = BROKEN[path]
    assert on(structure, path, text) == [(priority, "structure", f"{path}:{line}")]


@pytest.mark.parametrize("path", CHANGED)
def test_what_did_and_no_longer_does(path: str) -> None:
    old, fresh, priority = CHANGED[path]
    begin = "```\n" if path.endswith(".md") else "<main></main>\n"
    for base, expected in ((old, [priority]), (fresh, [])):
        rows = (f"-{base}", f"+{fresh}") if base != fresh else (f"-{base} ", f"+{fresh}")
        given_ = sources(edited(path, *rows, start=2), contents={path: f"{begin}{fresh}\n"})
        assert [row[0] for row in short(structure, given_)] == expected
    if not path.endswith(".md"):  # a new file may be a part of a page
        assert on(structure, path, f"{begin}{fresh}\n") == []


@given(text=st.text(alphabet="<>/abp!-\"'={}` \n$#if", max_size=60))
def test_any_text_has_a_loose_tag_or_none(text: str) -> None:
    for found in (
        find_loose_tag(text),
        find_loose_svelte_block(text),
        find_loose_component_tag(f"<template>\n{text}\n</template>"),
    ):
        assert found is None or 0 < found.line <= text.count("\n") + 3


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize(
    ("path", "piece"),
    [
        ("a.ps1", '"$("("'), ("a.ps1", '"$('), ("a.ps1", "`"), ("a.ps1", '@"\n'), ("a.ps1", "#"),
        ("a.vue", "<template>\n"), ("a.vue", "<a "), ("a.vue", "<a '"), ("a.html", "<a b=\"c\""),
        ("a.html", "<!--"), ("a.html", "<b>"), ("a.html", "</b>"), ("a.css", "url("),
        ("a.css", "'"), ("a.scss", "//"), ("a.sql", "$a$"), ("a.sql", "'"), ("a.sql", "("),
        ("a.xml", "<a>"), ("a.xml", "<a b='"), ("a.md", "> "), ("a.md", "```\n"), ("a.md", "- "),
        ("a.pl", "f("), ("a.pl", "f(a;\n"), ("a.pl", "my $a = "),
        ("a.svelte", "{#if a}"), ("a.svelte", "{`"), ("a.svelte", "<style>"),
        ("a.mk", "$(a)"),
        ("a.mk", "$(a\\\n"), ("a.mk", "ifdef a\n"), ("a.mk", "$$"),
    ],
)  # fmt: skip
def test_hostile_text_ends(path: str, piece: str) -> None:
    check = makefile if path.endswith(".mk") else structure
    on(check, path, piece * (200_000 // len(piece)))


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("piece", ["<a id='b'>", "<a id=", "<a id ", "<svg>", " =", "<a b='c' "])
def test_names_of_hostile_text_end(piece: str) -> None:
    repeated_names(f"<!doctype html>{piece * (200_000 // len(piece))}</html>")
