"""Settings of a file as one flat list, whatever its format: a dotted key and a value each."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...text.patterns import lazy_pattern
from ...text.strict import load_loose_json, load_toml
from ...text.yaml import compose

_MOST = 20_000
_LONGEST = 500  # characters of a line
_LOOSE = lazy_pattern(
    r"^[\s\-+*{,(<]*(?:export\s+)?[\"']?(?P<key>[A-Za-z_@][\w@./-]*)[\"']?\]?\s*(?:=>|[:=>]"
    r"|\s)\s*[\"']?(?P<value>[^\s\"',;)}<#]+)"
)
_PAIR = lazy_pattern(
    r"(?<![\w.-])(?P<key>[A-Za-z_][\w-]*)[\"']?\s*(?:[:=]|\((?=\d+\)))\s*[\"']?(?P<value>[\w.%-]+)"
)
_ELEMENT = lazy_pattern(r"<(?P<key>[A-Za-z_][\w.-]*)>\s*(?P<value>[\w.%-]+)\s*</")
# A text is read as such: the paths of a tsconfig.json have `/*` in them
_COMMENTS = lazy_pattern(
    r"(?m)(?P<text>\"(?:\\.|[^\"\\\n])*\")|(?:^|(?<=[\s,{\[]))//[^\n]*$"
    r"|/\*[^*]*(?:\*(?!/)[^*]*)*\*/"
)
_OPTION = lazy_pattern(r"--(?P<key>[\w-]+)[= ](?P<value>\d+(?:\.\d+)?)(?![\w.])")
_LAST_COMMA = lazy_pattern(r",(\s*[}\]])")


class Setting(NamedTuple):
    """A key, in lower case, and one of its values as text."""

    key: str
    value: str


def read_settings(path: str, text: str) -> set[Setting]:
    """All settings of a file; one that cannot be parsed is read line by line."""
    if not text:
        return set()
    try:
        found = _parse(path.rpartition("/")[2].lower(), text)
    except (ValueError, RecursionError, KeyError, TypeError):
        found = None
    if found is None:
        return set(_by_line(_without_comments(text) if "<!--" in text else text))
    return {setting for _count, setting in zip(range(_MOST), _flat("", found), strict=False)}


def _without_comments(text: str) -> str:
    """A text of XML without what stands between `<!--` and `-->`."""
    first, *parts = text.split("<!--")
    return first + "".join(part.partition("-->")[2] for part in parts)


def _parse(name: str, text: str) -> Any:
    if name.endswith(".toml") or name == "pipfile":
        return load_toml(text, "TOML")
    if name.endswith((".json", ".jsonc", ".json5", "rc")) and text.lstrip().startswith("{"):
        return load_loose_json(_LAST_COMMA.sub(r"\1", _COMMENTS.sub(_text, text)))
    if name.endswith((".yml", ".yaml")) or name.startswith((".eslintrc", ".golangci")):
        return _plain(compose(text))
    if name == ".clang-tidy":
        found = _plain(compose(text))
        return (
            {key: _words(each) for key, each in found.items()} if isinstance(found, dict) else None
        )
    if name.endswith((".ini", ".cfg")) or name in (".flake8", ".coveragerc", ".pylintrc", ".npmrc"):
        return _ini(text)
    return None


def _text(found: re.Match[str]) -> str:
    return found["text"] or ""


def _plain(node: Any) -> Any:
    """Mappings, lists and the text of scalars; a merged or repeated key stays as it is written."""
    if node is None:
        return None
    if node.id == "mapping":
        return {str(key.value): _plain(value) for key, value in node.value if key.id == "scalar"}
    return [_plain(item) for item in node.value] if node.id == "sequence" else node.value


def _ini(text: str) -> Any:
    import configparser

    reader = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        reader.read_string(text if text.lstrip().startswith(("[", "#", ";")) else f"[-]\n{text}")
    # A line that goes on from a key without a value, before Python 3.13:
    # https://github.com/python/cpython/issues/107625
    except (configparser.Error, AttributeError) as error:
        raise ValueError(str(error)) from None
    return {name: {key: _words(value) for key, value in reader.items(name)} for name in reader}


def _words(value: str | None) -> Any:
    """A list where the value is one, over lines or with commas."""
    words = [word.partition("#")[0].strip() for word in re.split(r"[\n,]", value or "")]
    filled = [word for word in words if word]
    return filled if len(filled) > 1 or "\n" in (value or "") else (value or "")


def _flat(key: str, value: Any) -> Iterator[Setting]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(f"{key}.{name}".lstrip(".").lower(), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _flat(f"{key}[]", inner)
    else:
        text = _scalar(value)
        yield Setting(key, text)
        if "--" in text:  # a command with options
            yield from (Setting(m["key"].lower(), m["value"]) for m in _OPTION.finditer(text))


def _scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _by_line(text: str) -> Iterator[Setting]:
    for whole in text.split("\n"):
        row = whole[:_LONGEST].rstrip()
        bare = row.strip()
        if not bare or bare.startswith(("#", "//", ";", "*")):
            continue
        found = {(m["key"].lower(), m["value"]) for m in _PAIR.finditer(row)}
        found |= {(m["key"].lower(), m["value"]) for m in _ELEMENT.finditer(row)}
        if first := _LOOSE.match(row):
            found.add((first["key"].lower(), first["value"]))
        yield from (Setting(key, value) for key, value in sorted(found))
        yield from (Setting(m["key"].lower(), m["value"]) for m in _OPTION.finditer(row))
