"""YAML files of the user's to values, strictly: each error names file, line, key, the value and
what is allowed."""

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import lru_cache
from inspect import signature
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from msgspec import to_builtins
from msgspec.structs import replace

from ..model.config import KEYLESS, Config, ReviewerConfig
from ..model.errors import ConfigError
from ..model.finding import sha256_hex
from ..model.limits import ConfigSection
from ..model.waiver import Waiver, WaiverFile
from .patterns import lazy_pattern
from .redact import redact
from .strict import checked
from .yaml import YamlError, compose, construct

CONFIG_FILE = ".reviewgate-gh.yaml"
WAIVER_FILE = ".reviewgate-gh-waivers.yaml"
T = TypeVar("T")
# A few lines of aliases of aliases can stand for more than any memory holds.
_MOST_BYTES = 10_000_000
# How pydantic names the members of a union in a place
_FORM = lazy_pattern(r"[A-Z]\w+Policy|literal\[.*\]")
_IN_YAML = {
    "a valid array": "a list",
    "a valid tuple": "a list",
    "an object": "a mapping",
    "a valid dictionary": "a mapping",
}


def parse_settings(data: bytes, kind: type[T], name: str) -> T:
    """The value of type `kind` in a YAML document; `name` is the file as errors call it.

    Raises:
        ConfigError: it is not YAML, or does not fit the type.
    """
    return cast(T, _parsed(data, cast(Hashable, kind), name))


@lru_cache(maxsize=8)
def _parsed(data: bytes, kind: Hashable, name: str) -> Any:
    """Values are frozen, and several steps of one run read the same file."""
    tree, lines = _read_yaml(data, name)
    if kind is Config and isinstance(tree, dict) and isinstance(tree.get("reviewers"), dict):
        return _with_keyless(tree, name, lines)
    return validate_settings(tree, cast(type[Any], kind), name, lines)


def _with_keyless(tree: dict[str, Any], name: str, lines: Mapping[tuple[Any, ...], int]) -> Config:
    """The reviewers of a config add to the keyless ones; `linters: off` leaves these out."""
    off = {each for each in KEYLESS if tree["reviewers"].get(each) is False}
    declared = {key: value for key, value in tree["reviewers"].items() if key not in off}
    config = validate_settings({**tree, "reviewers": declared}, Config, name, lines)
    for each in KEYLESS:
        if each in config.reviewers and config.reviewers[each].type != each:
            raise ConfigError(
                f"{name}:{lines.get(('reviewers', each), 1)}: reviewers.{each}: this name is the "
                "keyless reviewer's",
                f"choose another name, and write {each}: off to leave the keyless one out",
            )
    types = {entry.type for entry in config.reviewers.values()}
    added = {each: ReviewerConfig(type=each) for each in KEYLESS if each not in types | off}
    return replace(config, reviewers={**added, **config.reviewers})


def read_waivers(data: bytes, name: str) -> tuple[Waiver, ...]:
    """The waivers in a file, each defect's once: entries with one fingerprint differ in their
    titles, and no rule names the defect.

    Raises:
        ConfigError: it is not valid, or two entries accept the same.
    """
    waivers = parse_settings(data, WaiverFile, name).waivers
    first: dict[str, int] = {}
    alone: dict[str, int] = {}  # by fingerprint, an entry that accepts whatever has it
    titled: dict[tuple[str, str], int] = {}
    for place, waiver in enumerate(waivers):
        whatever = "/" in waiver.rule or not waiver.title
        same = (first if whatever else alone).get(
            waiver.fingerprint, titled.get((waiver.fingerprint, waiver.title))
        )
        if same is not None:
            before, here = (_item_line(data, name, at) for at in (same, place))
            raise ConfigError(
                f"{name}:{here}: {waiver.fingerprint} is already waived on line {before}",
                "keep one of the two entries",
            )
        first.setdefault(waiver.fingerprint, place)
        if whatever:
            alone[waiver.fingerprint] = place
        else:
            titled[waiver.fingerprint, waiver.title] = place
    return waivers


def _item_line(data: bytes, name: str, place: int) -> int:
    lines = key_lines(data, name)
    return lines.get(("waivers", place, "fingerprint")) or lines.get(("waivers", place), 1)


def validate_settings(
    tree: Any, kind: type[T], name: str, lines: Mapping[tuple[Any, ...], int] | None = None
) -> T:
    """Plain data to a value of type `kind`, checked strictly."""
    try:
        data = json.dumps(tree if tree is not None else {}, default=str)
    except (TypeError, ValueError):
        raise ConfigError(
            f"{name}: a key that is not text, or an infinite number", "write every key as a word"
        ) from None
    # A plug-in of somebody else's has its own kind of options
    if not issubclass(kind, ConfigSection):
        return _validate_with_pydantic(data, kind, name, lines or {})
    try:
        return read_section(data, kind)
    except ValueError as error:
        _validate_with_pydantic(data, kind, name, lines or {})
        raise ConfigError(
            f"{name}: {str(error).lstrip('.')}", "see every key with: reviewgate-gh config schema"
        ) from None


def read_section(data: str, kind: type[T]) -> T:
    """The section in a JSON text.

    Raises:
        ValueError: it does not fit; pydantic says it better.
    """
    plain = json.loads(data)
    json.dumps(plain, ensure_ascii=False).encode()  # half a character is no text, wherever it is
    return checked(plain, kind, "")


def _validate_with_pydantic(
    data: str, kind: type[T], name: str, lines: Mapping[tuple[Any, ...], int]
) -> T:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(data)
    except ValidationError as error:
        raise _explained(error.errors(include_url=False), kind, name, lines) from None


def written_keys(data: bytes, name: str) -> dict[str, Any]:
    """The keys that a YAML document really writes."""
    tree, _lines = _read_yaml(data, name)
    return tree if isinstance(tree, dict) else {}


def key_lines(data: bytes, name: str) -> dict[tuple[Any, ...], int]:
    """The line of every key that a YAML document writes, by its path."""
    return _read_yaml(data, name)[1]


def settings_digest(config: Config) -> str:
    """12 hex digits that are equal for equal settings."""
    return sha256_hex(json.dumps(to_builtins(config), sort_keys=True), 12)


def _read_yaml(data: bytes, name: str) -> tuple[Any, dict[tuple[Any, ...], int]]:
    if len(data) > _MOST_BYTES:
        raise ConfigError(
            f"{name}: larger than {_MOST_BYTES // 1_000_000} MB", "remove what it does not need"
        )
    try:
        node = compose(data)
        lines: dict[tuple[Any, ...], int] = {}
        _number(node, (), lines, name)
        return (construct(node) if node is not None else {}), lines
    except YamlError as error:
        at = f":{error.line}" if error.line else ""
        raise ConfigError(
            f"{name}{at}: not valid YAML: {error}",
            "save it as UTF-8 text"
            if error.unreadable
            else "fix the line, then run: reviewgate-gh config check",
        ) from None
    except RecursionError:
        raise ConfigError(
            f"{name}: nested too deeply, or contains itself", "use fewer levels and no aliases"
        ) from None


def _number(node: Any, at: tuple[Any, ...], lines: dict[tuple[Any, ...], int], name: str) -> None:
    """The line of every key, and no key twice."""
    if node is None or at in lines:
        return
    lines[at] = node.start_mark.line + 1
    if node.id == "mapping":
        for key, value in node.value:
            if not isinstance(key.value, str):
                raise ConfigError(
                    f"{name}:{key.start_mark.line + 1}: a key that is not a word",
                    "write every key as a word",
                )
            here = (*at, key.value)
            if here in lines:
                raise ConfigError(
                    f"{name}:{key.start_mark.line + 1}: duplicate key {_dotted(here)}",
                    "keep one of the two",
                )
            _number(value, here, lines, name)
            lines[here] = key.start_mark.line + 1
    elif node.id == "sequence":
        for position, item in enumerate(node.value):
            _number(item, (*at, position), lines, name)


def _explained(
    errors: Sequence[Mapping[str, Any]], kind: Any, name: str, lines: Mapping[tuple[Any, ...], int]
) -> ConfigError:
    error = _most_telling(errors)
    own = error["type"] == "value_error"
    words = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    where = tuple(
        part for part in error["loc"] if part != "[key]" and not _FORM.fullmatch(str(part))
    )
    key, value = _meant(where, error.get("input"), words) if own else (where, error.get("input"))
    line = next((lines[key[:end]] for end in range(len(key), -1, -1) if key[:end] in lines), 0)
    place = f"{name}:{line}" if line else name
    if error["type"] == "unexpected_keyword_argument":
        return _unknown_key(where, kind, place)
    # Without lines the name says what it is about
    dotted = _dotted(where) or ("the file" if lines and not key else "")
    # A text that only we refuse may be a key that stands in the place of its name; our words quote
    # those that are none.
    told = key and not isinstance(value, (dict, str) if own else dict)
    got = f" (it is {redact(json.dumps(value, default=str))[:80]})" if told else ""
    what = _what_is_wrong(error["type"], words, got)
    known = () if kind is Config else _keys_at(kind, key[:-1])  # the schema is of the config alone
    see_schema = "see every key with: reviewgate-gh config schema"
    return ConfigError(
        f"{place}: {dotted}: {what}" if dotted else f"{place}: {what}",
        f"known here: {', '.join(known)}" if known else see_schema,
    )


def _most_telling(errors: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The error to report: one about the form that the user chose, and rather a key that is there,
    since what is missing may be what another one misspells."""
    own_kind = [each for each in errors if not _of_another_form(each)] or errors
    return next((each for each in own_kind if each["type"] != "missing"), own_kind[0])


def _what_is_wrong(kind: str, words: str, got: str) -> str:
    """pydantic's words in those of YAML, or ours as they are."""
    if kind == "missing":
        return "this key is missing"
    ours = kind == "value_error"
    return f"{'' if ours else 'must be '}{_IN_YAML.get(words, words)}{got}"


def _of_another_form(error: Mapping[str, Any]) -> bool:
    """It says why a word is not a mapping, or a mapping no word, where the key takes both."""
    return (
        isinstance(error.get("input"), str) == (error["type"] == "dataclass_type")
        if _FORM.search(str(error["loc"][-1:]))
        else False
    )


def _meant(where: tuple[Any, ...], value: Any, words: str) -> tuple[tuple[Any, ...], Any]:
    """Path and value of the key that our own words about a mapping begin with."""
    for part in words.partition(" ")[0].split("."):
        if isinstance(value, dict) and part in value:
            where, value = (*where, part), value[part]
    return where, value


def _unknown_key(where: Sequence[Any], kind: Any, place: str) -> ConfigError:
    known = _keys_at(kind, where[:-1])
    import difflib

    near = difflib.get_close_matches(str(where[-1]), known, 1)
    hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
    return ConfigError(f"{place}: unknown key {_dotted(where)}", hint)


def _keys_at(kind: Any, where: Sequence[Any]) -> list[str]:
    """The keys that the type allows at this place."""
    for part in where:
        kind = _given(kind)
        if _is_section(kind):
            kind = get_type_hints(kind).get(str(part), Any)
        elif get_origin(kind) is Mapping:
            kind = get_args(kind)[1]
        elif get_origin(kind) is tuple:
            kind = get_args(kind)[0]
    kind = _given(kind)
    return [*signature(kind).parameters] if _is_section(kind) else []


def _given(kind: Any) -> Any:
    """The type without its null and its short form."""
    return (
        next((part for part in get_args(kind) if _is_section(part)), kind)
        if get_origin(kind) in (Union, UnionType)
        else kind
    )


def _is_section(kind: Any) -> bool:
    """A mapping with keys of its own: ours, or the dataclass of a plug-in of somebody else's."""
    return isinstance(kind, type) and (issubclass(kind, ConfigSection) or is_dataclass(kind))


def _dotted(where: Sequence[Any]) -> str:
    text = ""
    for part in where:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
