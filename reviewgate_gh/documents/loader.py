"""Templates from YAML, with the functions they name; each error says which file, line and key is
wrong."""

import importlib
import json
import site
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from ..text.redact import redact
from ..text.yaml import YamlError, compose, construct, has_aliases
from .template import READING_TOOLS, InputDef, ReviewTemplate, TemplateValidationError

if TYPE_CHECKING:
    from pydantic import TypeAdapter


_OURS = Path(__file__).resolve().parent.parent
_FUNCTION_HINT = "name a function of an installed package: package.module.function"


class SdkHook(Struct, frozen=True):
    """What the agent SDK calls for an event: which tools it is about, and the functions."""

    matcher: str | None
    hooks: list[Callable[..., Any]]
    timeout: float | None = None


def resolve_function(dotted: str, place: str) -> Callable[..., Any]:
    """The function of that name, imported now; `place` is where errors say it stands.

    Raises:
        TemplateValidationError: there is none, or it is not of an installed package.
    """
    module, _, attribute = dotted.rpartition(".")
    if not module or not all(part.isidentifier() for part in dotted.split(".")):
        raise TemplateValidationError(f"{place}: {dotted!r} is not a dotted name", _FUNCTION_HINT)
    if not _installed(module.partition(".")[0]):
        raise TemplateValidationError(
            f"{place}: {dotted}: {module.partition('.')[0]} is not an installed package",
            _FUNCTION_HINT,
        )
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except Exception as error:  # a module may raise anything while it is imported
        raise TemplateValidationError(
            f"{place}: {dotted}: cannot import {module}: {error}", _FUNCTION_HINT
        ) from None
    if not callable(found):
        what = "is not a function" if found is not None else f"{module} has no {attribute}"
        raise TemplateValidationError(f"{place}: {dotted}: {what}", _FUNCTION_HINT)
    return found  # type: ignore[no-any-return]


def resolve_hooks(written: Mapping[str, Iterable[Any]], place: str) -> Mapping[str, list[SdkHook]]:
    """Hooks as a template writes them, by event: `{matcher: Bash, hooks:
    [package.module.function]}`.

    Raises:
        TemplateValidationError: one is not of that form, or names no function.
    """
    return {
        event: [_hook(entry, f"{place}: {event}") for entry in entries]
        for event, entries in written.items()
    }


def _hook(entry: Any, place: str) -> SdkHook:
    names = entry.get("hooks") if isinstance(entry, dict) else None
    if (
        not isinstance(names, list)
        or not all(isinstance(name, str) for name in names)
        or set(entry) - {"matcher", "hooks"}
    ):
        raise TemplateValidationError(
            f"{place}: a hook is {{matcher: TOOL, hooks: [package.module.function]}}",
            _FUNCTION_HINT,
        )
    matcher = entry.get("matcher")
    if not isinstance(matcher, str | None):
        raise TemplateValidationError(f"{place}: matcher must be a tool's name", _FUNCTION_HINT)
    return SdkHook(matcher, [resolve_function(name, place) for name in names])


def _installed(package: str) -> bool:
    """It is ours, or lies in a folder that packages are installed to, wherever else Python would
    look first."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return False
    homes = {
        *site.getsitepackages(),
        site.getusersitepackages(),
        sysconfig.get_path("purelib"),
        sysconfig.get_path("platlib"),
    }
    files = [*_files(spec)] if spec is not None else []
    return bool(files) and all(file == _OURS or file.parent in map(_real, homes) for file in files)


def _files(spec: ModuleSpec) -> Iterable[Path]:
    """The package's folders, or its one file."""
    if spec.submodule_search_locations is not None:
        return [_real(folder) for folder in spec.submodule_search_locations]
    return [_real(spec.origin)] if spec.has_location and spec.origin else []


def _real(path: str) -> Path:
    return Path(path).resolve()


_STRICT = {"extra": "forbid", "strict": True}
_MOST_BYTES = 200_000
_HINT = "see docs/templates.md for what a template holds"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    __pydantic_config__ = _STRICT
    name: str
    description: str
    default: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inputs:
    __pydantic_config__ = _STRICT
    required: list[_Input] = field(default_factory=list)
    optional: list[_Input] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """The document as it is written."""

    __pydantic_config__ = _STRICT
    name: str
    description: str
    system_prompt: str
    allowed_tools: list[str]
    permission_mode: Literal["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"]
    setting_sources: list[Literal["user", "project", "local"]] | None = None
    inputs: _Inputs = field(default_factory=_Inputs)
    hooks: dict[str, list[Any]] | None = None
    prompt_template: str | None = None
    prompt_builder: str | None = None


def load_template(path: Path) -> ReviewTemplate:
    """The template in a file.

    Raises:
        TemplateValidationError: it cannot be read, or is not a template.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TemplateValidationError(
            f"{path}: {error.strerror}", "name a file that can be read"
        ) from None
    return read_template(data, str(path))


def read_template(data: bytes, name: str) -> ReviewTemplate:
    """The template in a YAML document; `name` is the file as errors call it.

    Raises:
        TemplateValidationError: it is not a template.
    """
    file, lines = _file(data, name)
    return ReviewTemplate(
        name=file.name,
        description=file.description,
        system_prompt=file.system_prompt,
        allowed_tools=tuple(file.allowed_tools),
        permission_mode=file.permission_mode,
        setting_sources=None if file.setting_sources is None else tuple(file.setting_sources),
        required_inputs=_defined(file.inputs.required),
        optional_inputs=_defined(file.inputs.optional),
        hooks=resolve_hooks(file.hooks, _place(name, lines, "hooks"))
        if file.hooks is not None
        else None,
        prompt_template=file.prompt_template,
        prompt_builder=resolve_function(file.prompt_builder, _place(name, lines, "prompt_builder"))
        if file.prompt_builder is not None
        else None,
    )


def template_summary(data: bytes, name: str) -> tuple[str, str]:
    """The name and the description in a YAML document; what it names of installed packages is not
    loaded.

    Raises:
        TemplateValidationError: it is not a template.
    """
    file, _lines = _file(data, name)
    return file.name, file.description


def _file(data: bytes, name: str) -> tuple[_File, Mapping[str, int]]:
    tree, lines = _read_yaml(data, name)
    if not isinstance(tree, dict):
        raise TemplateValidationError(f"{name}: a template is a mapping of keys to values", _HINT)
    file = _validated(tree, lines, name)
    _check(file, lines, name)
    return file, lines


def _read_yaml(data: bytes, name: str) -> tuple[Any, Mapping[str, int]]:
    """The document, and the line of each of its own keys."""
    if len(data) > _MOST_BYTES:
        raise TemplateValidationError(
            f"{name}: larger than {_MOST_BYTES // 1000} kB",
            "a template is a prompt and a few lists",
        )
    try:
        if has_aliases(data):
            raise TemplateValidationError(
                f"{name}: aliases are not supported", "repeat the value instead"
            )
        node = compose(data)
        return construct(node), _lines(node, name)
    except YamlError as error:
        at = f":{error.line}" if error.line else ""
        hint = "save it as UTF-8 text" if error.unreadable else "fix the line"
        raise TemplateValidationError(f"{name}{at}: not valid YAML: {error}", hint) from None
    except RecursionError:
        raise TemplateValidationError(f"{name}: nested too deeply", "use fewer levels") from None


def _lines(node: Any, name: str) -> Mapping[str, int]:
    lines: dict[str, int] = {}
    for key, _value in node.value if node is not None and node.id == "mapping" else ():
        if str(key.value) in lines:
            raise TemplateValidationError(
                f"{name}:{key.start_mark.line + 1}: duplicate key {key.value}",
                "keep one of the two",
            )
        lines[str(key.value)] = key.start_mark.line + 1
    return lines


def _validated(tree: Any, lines: Mapping[str, int], name: str) -> _File:
    from pydantic import ValidationError

    try:
        return _reader().validate_json(json.dumps(tree, default=str))
    except (TypeError, ValueError) as error:
        if not isinstance(error, ValidationError):
            raise TemplateValidationError(
                f"{name}: a key that is not text, or an infinite number", _HINT
            ) from None
        raise _explained(error.errors(include_url=False)[0], lines, name) from None


@cache
def _reader() -> "TypeAdapter[_File]":
    from pydantic import TypeAdapter

    return TypeAdapter(_File)


def _explained(
    error: Mapping[str, Any], lines: Mapping[str, int], name: str
) -> TemplateValidationError:
    where = [str(part) for part in error["loc"]]
    place, key = _place(name, lines, where[0] if where else ""), ".".join(where) or "the file"
    if error["type"] == "missing":
        return TemplateValidationError(f"{place}: {key}: this key is missing", _HINT)
    if error["type"] == "unexpected_keyword_argument":
        return TemplateValidationError(f"{place}: unknown key {key}", _HINT)
    got = redact(repr(error.get("input")))[:80]
    return TemplateValidationError(
        f"{place}: {key}: {error['msg'].removeprefix('Input ')} (it is {got})", _HINT
    )


def _check(file: _File, lines: Mapping[str, int], name: str) -> None:
    """What types alone do not say."""
    if (file.prompt_template is None) == (file.prompt_builder is None):
        what = "neither is there" if file.prompt_template is None else "both are there"
        place = _place(name, lines, "prompt_builder")
        raise TemplateValidationError(
            f"{place}: exactly one of prompt_template and prompt_builder must be given; {what}",
            _HINT,
        )
    if not (file.name.isidentifier() and file.name.islower()):
        raise TemplateValidationError(
            f"{_place(name, lines, 'name')}: name must be a lowercase identifier (it is "
            f"{file.name!r})",
            _HINT,
        )
    if strange := [tool for tool in file.allowed_tools if tool not in READING_TOOLS]:
        place = _place(name, lines, "allowed_tools")
        raise TemplateValidationError(
            f"{place}: allowed_tools: a review may only read, so {strange[0]} is not allowed",
            f"use {', '.join(READING_TOOLS)}",
        )
    inputs = [wanted.name for wanted in (*file.inputs.required, *file.inputs.optional)]
    for wanted in inputs:
        if not (wanted.isidentifier() and wanted.islower() and inputs.count(wanted) == 1):
            raise TemplateValidationError(
                f"{_place(name, lines, 'inputs')}: {wanted!r} must be a lowercase identifier, "
                "and unique",
                _HINT,
            )


def _defined(inputs: list[_Input]) -> tuple[InputDef, ...]:
    return tuple(InputDef(wanted.name, wanted.description, wanted.default) for wanted in inputs)


def _place(name: str, lines: Mapping[str, int], key: str) -> str:
    return f"{name}:{lines[key]}" if key in lines else name
