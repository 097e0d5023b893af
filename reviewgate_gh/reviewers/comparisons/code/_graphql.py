"""GraphQL as far as a comparison reads it: the fields of a schema's types, and what operations and
fragments select of them.

https://spec.graphql.org/October2021/#sec-Appendix-Grammar-Summary
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ....findings.source_text import SourceText
from ....text.patterns import lazy_pattern
from .._definitions import language_of

SUFFIXES = (".graphql", ".graphqls", ".gql")
_TOKEN = lazy_pattern(
    r"\"\"\"[\s\S]*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*|\.\.\.|[$@]?[A-Za-z_]\w*|[{}()\[\]:]"
)
_NAME = lazy_pattern(r"[A-Za-z_]\w*")
# gql`...`, graphql(`...`), `#graphql ...`
_TEMPLATE = lazy_pattern(
    r"(?:(?<![\w$.])(?:gql|graphql|buildSchema)\s*(?:\(\s*)?`|`(?=\s*#graphql\b))"
    r"(?P<text>(?:[^`\\]|\\.)*)`"
)
_INSERTED = lazy_pattern(r"\$\{[^{}`]*\}")
_MARK = lazy_pattern(r"gql|graphql|buildSchema")
_BREAK = lazy_pattern(r"[^\n]")
_ROOTS = {"query": "Query", "mutation": "Mutation", "subscription": "Subscription"}
_WITH_FIELDS = ("type", "interface", "input")
_TYPES = (*_WITH_FIELDS, "union", "enum", "scalar")
# Fields that the client answers itself:
# https://www.apollographql.com/docs/react/local-state/managing-state-with-field-policies
_OF_CLIENT = ("@client", "@rest")


class Token(NamedTuple):
    """A sign or word, and where in the file it stands."""

    text: str
    at: int


class SchemaField(NamedTuple):
    """The type that a field gives, "" where files say several; and where it is defined."""

    gives: str
    at: int


class Selected(NamedTuple):
    """A field that is asked for, of this type; or a type that is named, without one."""

    owner: str
    name: str
    at: int
    known: bool


Types = Mapping[str, Mapping[str, SchemaField]]


def tokens_of(path: str, text: str) -> list[Token]:
    """Those of a document, or of all that a module of JavaScript marks as such."""
    if path.endswith(SUFFIXES):
        return [*_tokens(text, 0)]
    if language_of(path) != "js" or not _MARK.search(text):
        return []
    code = SourceText(path, text.encode("utf-8", "surrogateescape")).without_comments()
    return [
        each
        for found in _TEMPLATE.finditer(code)
        for each in _tokens(_INSERTED.sub(_blank, found["text"]), found.start("text"))
    ]


def _blank(found: re.Match[str]) -> str:
    return _BREAK.sub(" ", found[0])


def _tokens(text: str, start: int) -> Iterator[Token]:
    for found in _TOKEN.finditer(text):
        if found[0][0] not in '"#':
            yield Token(found[0], start + found.start())


def types_of(tokens: Sequence[Token]) -> dict[str, dict[str, SchemaField]]:
    """The types that are defined there, by name, with their fields."""
    found: dict[str, dict[str, SchemaField]] = {}
    at = 0
    while at + 1 < len(tokens):
        word, name = tokens[at].text, tokens[at + 1].text
        if word in _TYPES and _NAME.fullmatch(name):
            fields = found.setdefault(name, {})
            at = _head(tokens, at + 2)
            if at >= len(tokens) or tokens[at].text != "{":
                continue  # the next definition begins there
            fields.update(_fields(tokens, at) if word in _WITH_FIELDS else ())
        at = _after(tokens, at)
    return found


def _head(tokens: Sequence[Token], at: int) -> int:
    """Where the braces of a definition begin, or the next one does."""
    while at < len(tokens) and tokens[at].text not in ("{", *_TYPES, "extend", "schema"):
        at = _after(tokens, at)
    return at


def _after(tokens: Sequence[Token], at: int) -> int:
    """What follows a token, or the brackets that it opens."""
    depth = 0
    while at < len(tokens):
        sign = tokens[at].text
        depth += (sign in ("{", "(", "[")) - (sign in ("}", ")", "]"))
        at += 1
        if depth <= 0:
            break
    return at


def _fields(tokens: Sequence[Token], at: int) -> Iterator[tuple[str, SchemaField]]:
    end = _after(tokens, at) - 1
    at += 1
    while at < end:
        name, at = tokens[at], _after(tokens, at)
        if at < end and tokens[at].text == "(":
            at = _after(tokens, at)
        if at >= end or tokens[at].text != ":" or not _NAME.fullmatch(name.text):
            continue
        at += 1
        while at < end and tokens[at].text == "[":
            at += 1
        yield name.text, SchemaField(tokens[at].text, name.at)
        at += 1


def joined(every: Sequence[Types]) -> Types:
    """What several files say together."""
    found: dict[str, dict[str, SchemaField]] = {}
    for types in every:
        for name, fields in types.items():
            mine = found.setdefault(name, {})
            for key, field in fields.items():
                other = key in mine and mine[key].gives != field.gives
                mine[key] = SchemaField("" if other else field.gives, field.at)
    return found


def selected(tokens: Sequence[Token], types: Types) -> Iterator[list[Selected]]:
    """What each operation and each fragment asks for, as far as the types are known."""
    at = 0
    while at < len(tokens):
        word, owner = tokens[at].text, ""
        if word in _TYPES or word == "schema":
            at = _head(tokens, at + 1)
            at = _after(tokens, at) if at < len(tokens) and tokens[at].text == "{" else at
            continue
        named = list[Selected]()
        if word == "fragment" and at + 3 < len(tokens):
            owner = tokens[at + 3].text
            named.append(_type(tokens[at + 3], types))
        elif word in _ROOTS or word == "{":
            owner = _ROOTS.get(word, "Query")
        while owner and at < len(tokens) and tokens[at].text != "{":
            if tokens[at].text == "(":
                named += _variables(tokens[at : _after(tokens, at)], types)
            at = _after(tokens, at)
        end = _after(tokens, at)
        if owner:
            yield [*named, *_selections(tokens[at:end], owner, types)]
        at = end


def _type(token: Token, types: Types) -> Selected:
    known = token.text in types or token.text in _BUILT_IN or token.text.startswith("__")
    return Selected("", token.text, token.at, known)


_BUILT_IN = ("Int", "Float", "String", "Boolean", "ID")


def _variables(tokens: Sequence[Token], types: Types) -> Iterator[Selected]:
    """The types of `($id: ID!, $beds: [BedInput!])`."""
    for before, sign, each, after in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        if before.text[0] == "$" and sign.text == ":":
            yield _type(after if each.text == "[" else each, types)


def _selections(tokens: Sequence[Token], owner: str, types: Types) -> Iterator[Selected]:
    """The fields of a selection set, which begins with its brace, and of those in it."""
    owners, gives, at = list[str](), owner, 0
    while at < len(tokens):
        token = tokens[at]
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.text == "{":
            owners.append(gives)
        elif token.text == "}" and owners:
            owners.pop()
        elif token.text == "...":
            gives = owners[-1] if owners else ""
            if after == "on" and at + 2 < len(tokens):
                yield _type(tokens[at + 2], types)
                gives = tokens[at + 2].text
                at += 2
            elif _NAME.fullmatch(after):
                at += 1
        elif token.text == "(":
            at = _after(tokens, at)
            continue
        elif _NAME.fullmatch(token.text) and after != ":" and owners:
            fields = types.get(owners[-1], {})
            gives = fields[token.text].gives if token.text in fields else ""
            if fields and not _answers_anyway(tokens, at):
                yield Selected(owners[-1], token.text, token.at, token.text in fields)
        at += 1


def _answers_anyway(tokens: Sequence[Token], at: int) -> bool:
    """Every type has the field, or the client has it."""
    return tokens[at].text.startswith("__") or _is_of_client(tokens, at + 1)


def _is_of_client(tokens: Sequence[Token], at: int) -> bool:
    if at < len(tokens) and tokens[at].text == "(":
        at = _after(tokens, at)
    return at < len(tokens) and tokens[at].text in _OF_CLIENT
