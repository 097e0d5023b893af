"""Strict reading of what a tool printed: every surprise is a ValueError with one line of
explanation."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from ..model.finding import Finding, Priority
from .patterns import lazy_pattern

T = TypeVar("T")
WholeNumber = Annotated[int, Meta(ge=0)]
Level = Literal["error", "warning", "note", "info", "style", "none"]
BY_LEVEL: Mapping[str, Priority] = {
    "error": Priority.P1, "warning": Priority.P2, "note": Priority.P3, "info": Priority.P3,
    "style": Priority.P3, "none": Priority.P3,
}  # fmt: skip
_TITLE = 200
_MOST_DOTS = 20_000_000  # squared; a second
# Half of a surrogate pair is no character; U+DC80-DCFF alone stand for the raw bytes of a path.
# https://peps.python.org/pep-0383/
_LONE = lazy_pattern("[\ud800-\udfff]")
_NO_BYTE = lazy_pattern("[\ud800-\udc7f\udd00-\udfff\0]")
_NOT_SLUG = lazy_pattern(r"[^a-z0-9._+]+")


def decode(data: bytes, what: str) -> str:
    """UTF-8 text, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not {what}: byte {error.start} is not UTF-8") from None


def load_json(text: str | bytes, what: str, *, unique: bool = False) -> Any:
    """A whole JSON document, without the NaN and Infinity that JSON does not have; `unique`: no
    object has a key twice."""
    decoder = _UNIQUE if unique else _DECODER
    try:
        return decoder.decode(text if isinstance(text, str) else text.decode())
    except json.JSONDecodeError as error:
        place = f" at character {error.pos}" if error.doc else ""
        raise ValueError(f"not {what}: {error.msg}{place}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"not {what}: byte {error.start} is not UTF-8") from None
    except ValueError:  # what is left of json's own: more digits than an int may have
        raise ValueError(f"not {what}: a number is too long") from None
    except RecursionError:
        raise ValueError(f"not {what}: nested too deeply") from None


_NESTING = lazy_pattern(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_DEEPEST = 200


def load_loose_json(text: str) -> Any:
    """A JSON document as less strict programs read it: after a byte order mark, with numbers of any
    length, which are text here, and of any depth, below which all is null.

    Raises:
        ValueError: it is none.
    """
    text = text.removeprefix("\ufeff")
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except RecursionError:
        return json.loads(_shallow(text), parse_int=str, parse_float=str)


def _shallow(text: str) -> str:
    """The document without what is nested too deeply."""
    parts, depth, begin = list[str](), 0, 0
    for found in _NESTING.finditer(text):
        sign = found[0][0]
        if sign in "[{":
            depth += 1
            if depth == _DEEPEST:
                parts.append(f"{text[begin : found.start()]}null")
        elif sign in "]}":
            depth -= 1
            if depth == _DEEPEST - 1:
                begin = found.end()
    return "".join([*parts, text[begin:]]) if depth == 0 else ""


def load_toml(text: str | bytes, what: str) -> dict[str, Any]:
    """A whole TOML document."""
    import tomllib  # 11 ms, and most runs read none

    try:
        plain = text if isinstance(text, str) else text.decode()
        # The time for a key grows with the square of its parts
        if sum(line.count(".") ** 2 for line in plain.split("\n")) > _MOST_DOTS:
            raise ValueError("a line has too many dots")
        return tomllib.loads(plain)
    except UnicodeDecodeError as error:
        raise ValueError(f"not {what}: byte {error.start} is not UTF-8") from None
    except ValueError as error:
        raise ValueError(f"not {what}: {error}") from None
    except RecursionError:
        raise ValueError(f"not {what}: nested too deeply") from None


def _no_constant(name: str) -> None:
    raise json.JSONDecodeError(f"{name} is not a JSON value", "", 0)


def _no_repeat(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise json.JSONDecodeError("an object has a duplicate key", "", 0)
    return made


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
_UNIQUE = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_repeat)


def checked(value: Any, kind: type[T], where: str) -> T:
    """Plain data as a value of that type, with no conversion between types; texts may still hold
    halves of surrogate pairs.

    Raises:
        ValueError: it does not fit: `where.field[2]: expected X, got Y`.
    """
    try:
        return msgspec.convert(value, kind)
    except UnicodeEncodeError:
        raise ValueError(f"{where}: an unpaired surrogate") from None
    except ValueError as error:
        what, _, place = str(error).partition(" - at `$")
        words = f"{where}{place.rstrip('`')}: {what[:1].lower()}{what[1:]}"
        raise ValueError(
            one_line("".join(c if " " <= c <= "~" else ascii(c)[1:-1] for c in words))
        ) from None


def json_object(value: Any, where: str) -> dict[str, Any]:
    """A JSON object."""
    if type(value) is not dict:
        raise ValueError(f"{where}: expected an object, got {_kind(value)}")
    return value


def json_array(value: Any, where: str) -> list[Any]:
    """A JSON array."""
    if type(value) is not list:
        raise ValueError(f"{where}: expected a list, got {_kind(value)}")
    return value


def json_string(value: Any, where: str) -> str:
    """A JSON string, halves of surrogate pairs replaced."""
    if type(value) is not str:
        raise ValueError(f"{where}: expected text, got {_kind(value)}")
    return whole_characters(value)


def whole_characters(text: str) -> str:
    """The text, halves of surrogate pairs replaced."""
    return _LONE.sub("\ufffd", text) if not text.isascii() else text


def whole_number(value: Any, where: str) -> int:
    """A whole number, zero or more."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{where}: expected a non-negative integer, got {_kind(value)}")
    return value


def path_text(value: Any, where: str) -> str:
    """A path: text in which surrogates stand for raw bytes alone, and no NUL."""
    if type(value) is not str or not value:
        raise ValueError(f"{where}: expected a path, got {_kind(value)}")
    if _NO_BYTE.search(value):
        raise ValueError(f"{where}: not a valid file path")
    return value


def _kind(value: Any) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "text",
        int: "a number",
        float: "a number",
        bool: "true or false",
    }
    return names.get(type(value), "nothing")


def tidy_path(path: str) -> str:
    """The same path without `.`, empty and `x/..` parts; backslashes stay."""
    if "./" not in path and "//" not in path and not path.endswith("."):
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def relative_path(path: str, root: str) -> str:
    """A tidy path, relative to the absolute folder `root` where it lies below it; root "" leaves it
    as it is."""
    tidy, base = tidy_path(path), root.rstrip("/")
    return tidy[len(base) + 1 :] if base and tidy.startswith(base + "/") else tidy


def one_line(text: str, limit: int = _TITLE) -> str:
    """Text on one line, cut at `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def tool_slug(tool: str) -> str:
    """A tool's name as rules are prefixed by it: lower case, without the suffix of a free
    edition."""
    return _NOT_SLUG.sub("-", tool.lower()).strip("-").removesuffix("-oss") or "tool"


def rule_name(tool: str, rule: str) -> str:
    """`tool/rule`; a rule that already says so stays, and without a rule the tool is named
    alone."""
    name = one_line(rule)
    if not name:
        return tool
    return name if name.startswith(tool + "/") else f"{tool}/{name}"


def tool_finding(
    tool: str,
    rule: str,
    priority: Priority,
    path: str,
    lines: tuple[int, int],
    message: str,
    *,
    category: str = "lint",
    body: str = "",
    page: str = "",
    columns: tuple[int, int] = (0, 0),
) -> Finding:
    """The finding of a tool, halves of surrogate pairs in its texts replaced. What the title cannot
    hold of the message goes to the body, `page`, the address of the page about the rule, behind
    it. `columns` count from 1, the end exclusive; 0: not named.

    Raises:
        ValueError: the last line comes before the first.
    """
    start, end = lines
    if end < start:
        raise ValueError(
            f"{one_line(path, 80)}: the finding ends on line {end} before it starts on line {start}"
        )
    rule, message, body, page = map(whole_characters, (rule, message, body, page))
    name = rule_name(tool, rule)
    title = one_line(message) or name
    full = message.strip() if title != message.strip() else ""
    said = "\n".join(part for part in (body, page) if part)
    text = "\n\n".join(part for part in (full, said) if part)
    first, behind = columns if start else (0, 0)
    return Finding(
        priority,
        category,
        name,
        path,
        start,
        end,
        title,
        text,
        sources=(tool,),
        column_start=first,
        column_end=behind,
        rule_page=page,
    )
