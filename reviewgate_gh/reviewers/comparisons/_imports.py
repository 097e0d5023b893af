"""Whether a name in a file of Python or JavaScript comes from a certain module of the project."""

import posixpath
import re
from collections.abc import Callable, Collection
from functools import partial

from ...text.patterns import lazy_pattern
from ._sources import Place

_PY_FROM = lazy_pattern(
    r"^[ \t]*from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]*(?:\((?P<many>[^)]*)\)"
    r"|(?P<names>[^\n]*))",
    re.M,
)
_PY_IMPORT = lazy_pattern(r"^[ \t]*import[ \t]+(?P<modules>[\w., \t]+)", re.M)
_JS_IMPORT = lazy_pattern(
    r"(?:\b(?:import|export)\b(?P<names>[^;'\"`]*?)\bfrom\s*"
    r"|(?P<bound>[\w${},:\s]+?)=\s*(?:await\s+)?(?:require|import)\(\s*|\b(?:require"
    r"|import)\(\s*|\bimport\s*)[\"'`](?P<module>[^\"'`\n]+)[\"'`]"
)


def imports_from(
    place: Place, text: str, module: str, name: str, head: Collection[str] = ()
) -> bool:
    """The text of the place's file imports the name from the file `module`, or uses it through the
    module; without a name: it imports the module. `head` has the paths of the tree."""
    if module.endswith((".py", ".pyi")):
        return _python(place, text, module, name, head)
    return _javascript(place, text, module, name)


def _python(place: Place, text: str, module: str, name: str, head: Collection[str]) -> bool:
    dotted = _dotted(module)
    is_module = partial(_is_module, head=head)
    return _by_from(place, text, dotted, name, is_module) or _by_import(
        place, text, dotted, name, is_module
    )


def _by_from(
    place: Place, text: str, dotted: str, name: str, is_module: Callable[[str, str], bool]
) -> bool:
    parent, _dot, stem = dotted.rpartition(".")
    through = re.compile(rf"\b{re.escape(stem)}\.{re.escape(name)}\b")
    for found in _PY_FROM.finditer(text):
        source = _absolute(found["module"], place.path)
        names = {
            each.split(" as ")[0].strip().partition("#")[0].strip()
            for each in (found["many"] or found["names"] or "").split(",")
        }
        if is_module(source, dotted) and (not name or name in names):
            return True
        is_used = not name or through.search(place.text)
        if stem in names and is_used and is_module(source, parent):
            return True
    return False


def _by_import(
    place: Place, text: str, dotted: str, name: str, is_module: Callable[[str, str], bool]
) -> bool:
    for found in _PY_IMPORT.finditer(text):
        for each in found["modules"].split(","):
            words = each.split()
            if words and is_module(words[0], dotted) and (words[0].count(".") or "." not in dotted):
                called = words[-1] if len(words) > 2 else words[0]
                if not name or f"{called}.{name}" in place.text:
                    return True
    return False


def _dotted(path: str) -> str:
    bare = path.rpartition(".")[0].removesuffix("/__init__")
    for folder in _ROOTS:
        bare = bare.removeprefix(folder)
    return bare.replace("/", ".")


_ROOTS = ("src/", "lib/", "python/")


def _absolute(module: str, path: str) -> str:
    """A relative module as seen from the file."""
    if not module.startswith("."):
        return module
    bare = module.lstrip(".")
    up = len(module) - len(bare)
    folder = _dotted(path + "").split(".")
    if path.endswith("/__init__.py"):
        folder.append("")
    base = folder[: len(folder) - up] if up <= len(folder) else []
    return ".".join([*base, *([bare] if bare else [])])


def _is_module(said: str, dotted: str, head: Collection[str] = ()) -> bool:
    """The same module, whichever folder the sources begin in; a folder that is a package is inside
    of the sources: `contrib.orm.types` is not `orm.types`."""
    if not said or not dotted:
        return False
    if dotted.endswith("." + said) and said.count(".") >= 1:
        above = dotted[: -len(said) - 1].replace(".", "/")
        return not any(f"{root}{above}/__init__.py" in head for root in ("", *_ROOTS))
    return said == dotted or (said.endswith("." + dotted) and dotted.count(".") >= 1)


def _javascript(place: Place, text: str, module: str, name: str) -> bool:
    target = _bare(module)
    for found in _JS_IMPORT.finditer(text):
        if not _leads_to(found["module"], place.path, target):
            continue
        if not name:
            return True
        names = found["names"] or found["bound"] or ""
        if re.search(rf"\{{[^}}]*(?<![\w$]){re.escape(name)}(?![\w$])", names):
            return True
        whole = re.search(
            r"(?:\*\s*as\s+|^\s*|[;\n]\s*(?:const|let|var)\s+|(?:const|let|var)\s+)([\w$]+)\s*$",
            names.strip(),
        )
        if whole and re.search(
            rf"(?<![\w$.]){re.escape(whole[1])}\.{re.escape(name)}(?![\w$])", place.text
        ):
            return True
    return False


def _leads_to(said: str, path: str, target: str) -> bool:
    if said.startswith("."):
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), said))
        return _bare(whole) == target
    within = "/" + _bare(said.split("/", 1)[-1])
    if not (said.startswith(("@/", "~/", "src/")) and f"/{target}".endswith(within)):
        return False
    # The sources of the importing package itself: another of the tree may have such a file, too
    root = re.sub(r"(?:^|/)(?:src|app)$", "", target[: len(target) - len(within)].rstrip("/"))
    return not root or path.startswith(f"{root}/")


def stands_for(other: str, path: str) -> bool:
    """An import of JavaScript that led to `path` leads to `other`, where that is gone: a module, or
    the index of a folder beside it. https://nodejs.org/api/modules.html#all-together"""
    return other != path and _bare(other) == _bare(path)


def _bare(path: str) -> str:
    """Without suffix, and without `/index`."""
    return re.sub(r"(?:/index)?(?:\.d)?(?:\.(?:[cm]?[jt]sx?|vue|svelte))?$", "", path)
