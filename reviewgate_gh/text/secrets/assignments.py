"""Names and the values that they get, in whatever format or language a text is written."""

import re
from collections.abc import Iterator

from msgspec import Struct

from ..patterns import lazy_pattern
from .kind import compiled
from .plausible import LONGEST
from .repeats import RepeatedPlaces

# One of these is in every name that is looked at
WORDS = (
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "psk", "jwt", "bearer",
    "salt", '"pw"', "pat",
)  # fmt: skip
_NAME_BACKWARDS = lazy_pattern(r"[\w\-.]{0,80}+")
_WORD_BEFORE = lazy_pattern(r"([A-Za-z]{2,20})[ _]\Z")
_NAME_GOES_ON = lazy_pattern(r"[\w\-.]{0,60}+")
_MAY_ASSIGN = frozenset("\"'`])=:|?>,({ \t\r\n-+!<\\")
_BEFORE, _REACH = 200, 2_200  # characters around a word that decide
_NESTED = 4  # names within a value that are looked at
# Behind the words of the name: the rest of it, what closes it, what assigns, and the value's
# beginning. Everything is bounded, since each word of a hostile text begins it anew.
_REST = r"(?P<rest>[\w\-.]{0,60}+)"
_CLOSE = r"(?:\\{0,2}[\"'`])?[\])]{0,2}"
_BLANK = r"[ \t]{0,20}"
_NEXT = r"[ \t]{0,20}(?:\r?\n[ \t]{0,40})?"
_ASSIGNS = (
    rf"{_BLANK}(?:"
    # x = v, x := v, x => v, x == v, x: v, x: type = v, x ?? v, ${{x:-v}}
    rf"(?::{_BLANK}[&'\w\[\]<>.?| ]{{1,40}}?{_BLANK}=(?![=>])|:=|=>|->|:-|\?=|\|\|=?|\?\?"
    rf"|\bor\b|\+=|[!=]==?|=|:(?!:|//)){_NEXT}"
    # name: x / value: v; {{"name": "x", "value": "v"}}; <add key="x" value="v"/>
    rf"|,?{_NEXT}[\"']?(?:[Vv]alue|VALUE|[Dd]efault|[Cc]ontent|val)[\"']?{_BLANK}[:=]{_NEXT}"
    # f("x", "v")
    rf"|,{_NEXT}(?=\\{{0,2}}[\"'`])"
    # R: x <- "v"; a row of a table: x,v; prose: the x for staging is `v`
    rf"|<-{_BLANK}(?=[\"'])|,(?=[^\s,\"'`()]{{16,{LONGEST}}}(?:,|\r?\n|\Z))"
    rf"|(?: (?:for|of|to|in|on) (?:the )?[\w\-.]{{1,40}})? (?:is|was|to)(?: now)?:? (?=[\"'`])"
    # x=("user", "v"), <key>x</key> <string>v</string>
    rf"|={_BLANK}\({_BLANK}[\"'][^\"'\n]{{1,64}}[\"'],{_BLANK}(?=[\"'])"
    rf"|</key>\s{{0,40}}<string>"
    # Name: / Type: String / Default: v
    rf"|:{_BLANK}\r?\n(?:[ \t]{{1,40}}[\w\-]{{1,40}}:[^\n]{{0,80}}\r?\n){{0,3}}"
    rf"[ \t]{{1,40}}Default:{_BLANK}"
    # x("v"), x{{"v"}}, x "v", x As String = "v"
    rf"|[({{]{_BLANK}(?=[\"'`])|[ \t](?=[\"'`])|[Aa]s[ \t]{{1,4}}\w{{1,20}}{_BLANK}={_BLANK}"
    # <x>v</x>, <x encoding="base64">v</x>, <x><value>v</value></x>
    rf"|(?:[ \t][\w:]{{1,20}}=\"[^\"<>\n]{{0,60}}\")?>(?=[^<>\s])"
    rf"|>\s{{0,40}}<[Vv]alue>(?=[^<>\s])"
    # variable "x" {{ default = "v" }}
    rf"|\{{[^{{}}]{{0,300}}?\bdefault{_BLANK}={_BLANK}"
    rf")"
)
# Without a sign between: options, and the files in which blanks assign
_FLAG = rf"{_CLOSE}(?:[ \t]{{1,8}}|[\"'],{_NEXT}(?=[\"']))"
_SCHEME = (
    r"(?:(?:[Bb]earer|[Tt]oken|ApiKey|Api-Key|Key|SSWS|GenieKey|Bot|OAuth|apikey|JWT"
    r"|Klaviyo-API-Key|DeepL-Auth-Key|Splunk|Zoho-oauthtoken)[ :=]{1,2})?"
)
# A call around it: x = Secret("v"), x: str = field(default="v"), x := []byte("v")
_WRAPS = r"(?:(?:new )?[\w.\[\]&:*]{1,40}\([ \t]{0,4}(?:\w{1,20}[ \t]{0,4}=[ \t]{0,4})?(?=[\"'`]))?"
_OPENS = r"(?:[@$bBrRuUfFL]{0,2})"
# Before a value: a block or an anchor of YAML, a bracket that closes on another line
_VALUE = (
    rf"(?:[|>][+\-]?[ \t]{{0,4}}\r?\n[ \t]{{1,40}}|(?:&[\w\-]{{1,40}}|!!str)[ \t]{{1,4}}"
    rf"|\([ \t]{{0,4}}\r?\n[ \t]{{1,40}}(?=[\"']))?{_SCHEME}"
    rf"(?:{_WRAPS}{_OPENS}(?P<open>\\{{0,2}}(?:\"\"\"|'''|[\"'`])){_SCHEME}(?!(?P=open))"
    rf"(?P<quoted>[^\r\n]{{4,{LONGEST}}}?)(?P=open)"
    rf"|(?P<bare>[^\s\"'`<>,;\\]{{6,{LONGEST}}}))"
)
_SIGNED = rf"{_REST}{_CLOSE}{_ASSIGNS}{_VALUE}"
_BLANKED = rf"{_REST}{_FLAG}{_VALUE}"
_LINE_START = (
    r"(?i)[ \t]{0,20}(?:ENV|ARG|setx|set -gx|set -x|aws configure set|machine[ \t].{0,200}"
    r"|login[ \t]\S{1,80}"
    r"|.{0,120}(?:WITH|BY))?[ \t]{0,20}(?:/M[ \t]{1,4})?"
)
_KEY = lazy_pattern(r"[ \t]*:")
_BEGINS = lazy_pattern(r"(?i)[ \t]{0,20}(?:ENV|ARG|set|aws configure set|machine|login|/M)")
_ENDS = ("with", "by", "/m")
_JOINS = frozenset("_-.")  # no word of prose has one within
_BLANK_NAMES = frozenset(("password", "passwd", "requirepass", "masterauth"))


class Assignment(Struct, frozen=True):
    """A name and its value's place; `quoted`: it is surely literal; `whole`: without quotes it
    reaches to the end of its line, as in files of settings."""

    name: str
    value: str
    start: int
    quoted: bool
    whole: bool


def find_assignments(text: str, lowered: str) -> Iterator[Assignment]:
    """Each value once, in no order; `lowered` is the text in small letters, of the same length."""
    seen = set[int]()
    for word in WORDS:
        end, nested = 0, 0
        judged = RepeatedPlaces(text, _BEFORE, _REACH)
        last: tuple[int, Assignment] | None = None
        for at in _places(text, lowered, word):
            nested = nested + 1 if at < end else 0
            # Values within values within values: a text that is made to take long
            if nested > _NESTED:
                continue
            if not judged.repeats(at):
                found = _assigned_at(text, at)
                last = (at, found) if found else None
            each = last and (last[1] if last[0] == at else _moved(last[1], at - last[0]))
            if each and each.start not in seen:
                seen.add(each.start)
                end = max(end, each.start + len(each.value))
                yield each


def _moved(each: Assignment, by: int) -> Assignment:
    return Assignment(each.name, each.value, each.start + by, each.quoted, each.whole)


def _assigned_at(text: str, at: int) -> Assignment | None:
    found = compiled(_SIGNED).match(text, at) or _blanked(text, at)
    return _assignment(text, at, found) if found else None


def _places(text: str, lowered: str, word: str) -> Iterator[int]:
    """Where a name with this word may be assigned to; each name once."""
    at = lowered.find(word)
    while at >= 0:
        end = _NAME_GOES_ON.match(text, at).end()  # type: ignore[union-attr]
        is_word = word != "pat" or not text[at + 3 : at + 4].islower()  # no path, no pattern
        if is_word and text[end : end + 1] in _MAY_ASSIGN and end < len(text):
            yield at
        at = lowered.find(word, max(end, at + len(word)))


def _name_before(text: str, at: int) -> str:
    """What of the name stands before its word."""
    found = _NAME_BACKWARDS.match(text[max(0, at - 80) : at][::-1])
    return found[0][::-1] if found else ""


def _blanked(text: str, at: int) -> re.Match[str] | None:
    """`--token VALUE`, `ENV X VALUE`, `password VALUE` in .netrc."""
    start = at - len(_name_before(text, at))
    if text[start : start + 1] == "-":
        return compiled(_BLANKED).match(text, at)
    head = text[max(0, start - 200) : start]
    line = head[head.rfind("\n") + 1 :]
    # What stands before tells most lines of prose
    if line.strip() and not (_BEGINS.match(line) or line.rstrip().lower().endswith(_ENDS)):
        return None
    found = compiled(_BLANKED).match(text, at)
    if not found:
        return None
    name = text[start : at + len(found["rest"])]
    alone = name.lower() in _BLANK_NAMES or (_JOINS & set(name) and _is_rest_of_line(text, found))
    return found if (alone or line.strip()) and compiled(_LINE_START).fullmatch(line) else None


def _is_rest_of_line(text: str, found: re.Match[str]) -> bool:
    """As in files of settings, and hardly in prose."""
    return text[found.end() : found.end() + 1] in ("", "\r", "\n", ";")


def _assignment(text: str, at: int, found: re.Match[str]) -> Assignment | None:
    head = _name_before(text, at)
    name = head + found["rest"]
    if name.lower() in ("key", "keys"):  # "the API key: x", "a public key: x"
        word = _WORD_BEFORE.search(text, max(0, at - 24), at)
        name = f"{word[1]}_{name}" if word else name
    if found["quoted"] is not None:
        if "," in text[found.end("rest") : found.start("open")] and _KEY.match(text, found.end()):
            return None  # a text that ends with the word, and the next name: "…token",\n"x": "y"
        return Assignment(name, found["quoted"], found.start("quoted"), True, True)
    value, start = found["bare"], found.start("bare")
    if text[at - len(head) - 1 : at - len(head)] in ("?", "&"):
        value = value.partition("&")[0].partition("#")[0]
    value = _without_ends(value)
    end = text[start + len(value) : start + len(value) + 3]
    if (
        text[start - 1] == ">"
        and (
            end[:1] != "<"  # no element, but a placeholder: <password>
            or text[at - len(head) - 1 : at - len(head)] == "/"  # a link: <a href="/keys">v</a>
        )
    ):
        return None
    whole = not end.strip(" \t\r") or end[:1] in "\r\n" or end.lstrip()[:1] in "#\\"
    whole = whole or end[:2] == "</"  # all of an element
    return Assignment(name, value, start, False, whole) if value else None


def _without_ends(value: str) -> str:
    """Brackets and stops that belong to the text around; a bracket that opens within stays
    closed."""
    while value and (
        value[-1] in ".:"
        or (value[-1] == ")" and "(" not in value)
        or (value[-1] == "]" and "[" not in value)
        or (value[-1] == "}" and "{" not in value)
    ):
        value = value[:-1]
    return value


_NAME_OF_KIND = r"[^a-z0-9]+"


def squeezed(name: str) -> str:
    """The name in small letters, its words joined by `_`."""
    spaced = compiled(r"(?<=[a-z0-9])(?=[A-Z])").sub("_", name)
    return compiled(_NAME_OF_KIND).sub("_", spaced.lower()).strip("_")
