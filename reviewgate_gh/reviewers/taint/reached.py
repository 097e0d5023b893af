"""Which sinks the input in a call's arguments reaches."""

import ast
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ...text.patterns import lazy_pattern
from .calls import CallSite
from .containers import is_unsafe_parser
from .sinks import (
    Sink,
    find_sinks,
    is_element,
    is_ldap,
    is_sql,
    is_weak_hash,
    is_xpath,
    known_receiver,
    may_harm,
    names_secret,
)
from .values import HOLE, INPUT_HOLE, NOTHING, Flow, Source, Value, container, element, with_element

_SHELLS = lazy_pattern(r"(?:.*/)?(?:(?:ba|da|z|k|a)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh)\Z")
_SHELL_FLAGS = lazy_pattern(r"(?:-[a-z]*c|/[cCkK]|-Command)\Z")
# A constant host, a path of this site, or what comes first is no input
_OWN_HOST = lazy_pattern(
    r"[a-z][a-z+.-]*://[^/\1?#@]+[/?#]|/(?![/\\\1])|[?#]|\0|[^\1/:?#]+[/?#]", re.IGNORECASE
)
_STARTS = lazy_pattern(
    r"os\.(?:exec|spawn|posix_spawn)[lv]?p?e?\Z|asyncio\.create_subprocess_exec\Z"
)
_RESPONSE = lazy_pattern(r"(?:\A|\.)(?:\w*Response\w*|make_response)\Z")
_TEXTS = ("", "input", "part", "slice")  # tags of values that may be text
_OWN = ("local", "environment")  # of whoever starts the program
_TYPED = "typed"  # by them too, but what they are asked for is data, no code
_UNSAFE_LOADERS = ("yaml.Loader", "yaml.UnsafeLoader", "yaml.CLoader")


class ReachedSink(Struct, frozen=True):
    """A flow that reaches a sink: its kind, the name of what is called, and the lines of the
    call."""

    kind: str
    sink: str
    first: int
    last: int
    column: int
    flow: Flow


def is_own(hit: ReachedSink) -> bool:
    """Whoever starts the program does this to it themselves."""
    origin = hit.flow.source.origin
    return origin in _OWN or (origin == _TYPED and hit.kind != "code")


def reached(site: CallSite, modules: frozenset[str]) -> Iterator[ReachedSink]:
    """The hits of one call."""
    for sink in find_sinks(site.name):
        for at in sink.args:
            value = site.argument(at)
            if value is not None and value.flows:
                kind, value = _harm(sink, site, value, modules)
                yield from hits(kind, value.flows, site.node, shown_name(site.name))
    if _STARTS.match(site.name):
        yield from _started(site)
    yield from _headers(site)
    if site.method == "set_cookie":
        yield from _cookie(site)
    if site.name == "hashlib.new":
        yield from _weak_hash(site)


def _started(site: CallSite) -> Iterator[ReachedSink]:
    """`os.execl("/bin/sh", "sh", "-c", text)`: a program with its arguments, or a list of them."""
    lists = (list(v.items.values()) for v in site.args if v.tag in ("list", "tuple") and v.items)
    for values in (site.args, *lists):
        for program, flag, text in zip(values, values[1:], values[2:], strict=False):
            if text.flows and _is_shell(program, flag):
                yield from hits("command", text.flows, site.node, shown_name(site.name))


def _headers(site: CallSite) -> Iterator[ReachedSink]:
    """The headers of a response, or what an application of WSGI calls with them."""
    headers = site.keywords.get("headers")
    if headers is not None and _RESPONSE.search(site.name):
        yield from location_hits(headers, site.node)
    if site.name == "?start_response" and len(site.args) > 1:
        for pair in (site.args[1].items or {}).values():
            name, value = element(pair, 0), element(pair, 1)
            if name is not None and value is not None:
                yield from location_hits(
                    with_element(container("dict", {}), name.const, value), site.node
                )


def location_hits(headers: Value, node: ast.AST) -> Iterator[ReachedSink]:
    """Hits of the target of a redirect among headers."""
    for name, value in (headers.items or {}).items():
        if str(name).lower() == "location" and not leads_home(value):
            yield from hits("redirect", value.flows, node, "Location")


def _cookie(site: CallSite) -> Iterator[ReachedSink]:
    name = _text(site.args[0] if site.args else site.keywords.get("key", NOTHING))
    value = site.args[1] if len(site.args) > 1 else site.keywords.get("value", NOTHING)
    yield from secret_hits(value, name, site.node)
    secure = site.keywords.get("secure")
    if secure is not None and secure.const is False:
        yield _plain("cookie", "secure=False", site)
    elif secure is None and names_secret(name) and _is_all(site) and not value.is_constant:
        yield _plain("cookie", "the default secure=False", site)


def _is_all(site: CallSite) -> bool:
    """No argument stands elsewhere: in a dict, or far to the right."""
    return len(site.args) < 3 and all(keyword.arg for keyword in site.node.keywords)


def _weak_hash(site: CallSite) -> Iterator[ReachedSink]:
    """A name that is written in the call itself is a linter's."""
    algorithm, used = site.argument(0), site.keywords.get("usedforsecurity")
    written = site.node.args and isinstance(site.node.args[0], ast.Constant)
    if algorithm is None or written or (used is not None and used.const is False):
        return
    if is_weak_hash(algorithm.const):
        yield _plain("hash", f"{algorithm.const}", site)


def _plain(kind: str, label: str, site: CallSite) -> ReachedSink:
    """What does harm without any input."""
    source = Source(label, label, site.node.lineno, "constant")
    last = site.node.end_lineno or site.node.lineno
    place = (site.node.lineno, last, site.node.col_offset)
    return ReachedSink(kind, shown_name(site.name), *place, Flow(source))


def _harm(sink: Sink, site: CallSite, value: Value, modules: frozenset[str]) -> tuple[str, Value]:
    """The kind of harm, "" for none, and the value that does it."""
    if sink.when == "process":
        return _process(site, value)
    test = _TESTS.get(sink.when)
    if test is not None and not test(site, value, modules):
        return "", value
    if sink.kind in ("redirect", "request") and leads_home(value):
        return "", value
    return sink.kind, value


def leads_home(value: Value) -> bool:
    """A URL whose host is constant, or a path of this site."""
    return value.text is not None and _OWN_HOST.match(value.text) is not None


def _process(site: CallSite, value: Value) -> tuple[str, Value]:
    shell = site.keywords.get("shell")
    items = list(value.items.values()) if value.items is not None else None
    if shell is not None and shell.const is not False and shell.const is not None:
        return "command", items[0] if items else value
    if items is None:
        sure = value.tag == "" and value.rest is None
        return ("program" if sure and not _begins_constant(value) else ""), value
    if len(items) > 2 and items[2].flows and _is_shell(items[0], items[1]):
        return "command", items[2]
    if items and items[0].flows and not _begins_constant(items[0]):
        return "program", items[0]
    return "", value


def _begins_constant(value: Value) -> bool:
    return bool(value.text) and not (value.text or "").startswith((HOLE, INPUT_HOLE))


def _is_shell(program: Value, flag: Value) -> bool:
    """By its option, or one of several shells, such as that of the platform."""
    named = not program.is_constant or _SHELLS.match(_text(program))
    return bool(named and _SHELL_FLAGS.match(_text(flag)))


def _text(value: Value) -> str:
    return value.const if isinstance(value.const, str) else ""


def _is_html(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    """A response that a browser takes for HTML."""
    given = [site.keywords[name] for name in ("content_type", "mimetype") if name in site.keywords]
    if site.name.startswith("django.") and len(site.args) > 1:
        given.append(site.args[1])
    if any("html" not in (_text(v) or "html" * (not v.is_constant)) for v in given):
        return False
    return is_page(value)


def is_page(value: Value) -> bool:
    """Text that may be a page, and no JSON or list."""
    if value.items is not None or value.rest is not None:
        return False
    return value.text is None or not value.text.lstrip().startswith(("{", "["))


def _is_media(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    """A response that says itself that it is HTML."""
    return "html" in _text(site.keywords.get("media_type", NOTHING)) and is_page(value)


def _is_query(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    if value.text is not None and is_sql(value.text):
        return True
    certain = any(flow.sure for flow in value.flows) and value.tag in _TEXTS
    return certain and known_receiver(site.name)


def _is_ldap(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    if value.text is not None and is_ldap(value.text):
        return True
    known = modules & {"ldap", "ldap3", "bonsai"} or "ldap" in site.name.lower()
    return bool(known) and not site.name.startswith("re.")


def _is_xpath(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    return value.text is not None and is_xpath(value.text)


def _is_element(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    return is_element(site.name) or _is_xpath(site, value, modules)


def _is_yaml(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    loader = site.argument("Loader") or site.argument(1)
    return loader is None or loader.name in _UNSAFE_LOADERS


def _is_xml(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    return any(is_unsafe_parser(v) for v in (site.receiver, *site.every))


def _is_tornado(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    return "tornado" in modules and is_page(value)


def _has_address(site: CallSite, value: Value, modules: frozenset[str]) -> bool:
    return value.tag in _TEXTS


_TESTS = {
    "html": _is_html,
    "media": _is_media,
    "query": _is_query,
    "ldap": _is_ldap,
    "xpath": _is_xpath,
    "element": _is_element,
    "yaml": _is_yaml,
    "xml": _is_xml,
    "tornado": _is_tornado,
    "url": _has_address,
}


def hits(kind: str, flows: Sequence[Flow], node: ast.AST, sink: str) -> Iterator[ReachedSink]:
    """A hit for each flow that does this kind of harm."""
    for flow in flows:
        if kind and kind not in flow.safe and may_harm(flow.source.origin, kind):
            first = getattr(node, "lineno", 1)
            last = getattr(node, "end_lineno", first) or first
            yield ReachedSink(kind, sink, first, last, getattr(node, "col_offset", 0), flow)


def secret_hits(value: Value, name: str, node: ast.AST) -> Iterator[ReachedSink]:
    """Hits of what is stored under a name."""
    if value.flows and names_secret(name):
        yield from hits("random", value.flows, node, name)


def shown_name(name: str) -> str:
    """The name of a call as people know it."""
    return name.removeprefix("builtins.").replace("()", "").replace("?", "").replace("!unsafe", "")
