"""Dotted names of functions, taken from installed packages alone: a reviewed repository must not bring code in."""

import importlib
import site
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..model.values import dataclass
from .schema import TemplateValidationError

_OURS = Path(__file__).resolve().parent.parent
_HINT = "name a function of an installed package: package.module.function"


@dataclass(frozen=True, slots=True)
class Hook:
    """What the agent SDK calls for an event: which tools it is about, and the functions."""

    matcher: str | None
    hooks: list[Callable[..., Any]]
    timeout: float | None = None


def resolve(dotted: str, place: str) -> Callable[..., Any]:
    """The function of that name, imported now; `place` is where errors say it stands.

    Raises:
        TemplateValidationError: there is none, or it is not of an installed package.
    """
    module, _, attribute = dotted.rpartition(".")
    if not module or not all(part.isidentifier() for part in dotted.split(".")):
        raise TemplateValidationError(f"{place}: {dotted!r} is not a dotted name", _HINT)
    if not _installed(module.partition(".")[0]):
        raise TemplateValidationError(f"{place}: {dotted}: {module.partition('.')[0]} is not an installed package", _HINT)
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except Exception as error:  # a module may raise anything while it is imported
        raise TemplateValidationError(f"{place}: {dotted}: cannot import {module}: {error}", _HINT) from None
    if not callable(found):
        what = "is not a function" if found is not None else f"{module} has no {attribute}"
        raise TemplateValidationError(f"{place}: {dotted}: {what}", _HINT)
    return found  # type: ignore[no-any-return]


def resolve_hooks(written: Mapping[str, Iterable[Any]], place: str) -> Mapping[str, list[Hook]]:
    """Hooks as a template writes them, by event: `{matcher: Bash, hooks: [package.module.function]}`.

    Raises:
        TemplateValidationError: one is not of that form, or names no function.
    """
    return {event: [_hook(entry, f"{place}: {event}") for entry in entries] for event, entries in written.items()}


def _hook(entry: Any, place: str) -> Hook:
    names = entry.get("hooks") if isinstance(entry, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or set(entry) - {"matcher", "hooks"}:
        raise TemplateValidationError(f"{place}: a hook is {{matcher: TOOL, hooks: [package.module.function]}}", _HINT)
    matcher = entry.get("matcher")
    if not isinstance(matcher, str | None):
        raise TemplateValidationError(f"{place}: matcher must be a tool's name", _HINT)
    return Hook(matcher, [resolve(name, place) for name in names])


def _installed(package: str) -> bool:
    """It is ours, or lies in a folder that packages are installed to, wherever else Python would look first."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return False
    homes = {*site.getsitepackages(), site.getusersitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    files = [*_files(spec)] if spec is not None else []
    return bool(files) and all(file == _OURS or file.parent in map(_real, homes) for file in files)


def _files(spec: ModuleSpec) -> Iterable[Path]:
    """The package's folders, or its one file."""
    if spec.submodule_search_locations is not None:
        return [_real(folder) for folder in spec.submodule_search_locations]
    return [_real(spec.origin)] if spec.has_location and spec.origin else []


def _real(path: str) -> Path:
    return Path(path).resolve()
