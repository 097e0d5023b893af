"""What a call returns: input, its arguments in another form, or nothing of them."""

import ast
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from . import sanitizers, sources
from .containers import new_container, record_of, record_type, unsafe_parser
from .folding import concatenate, fold_format, fold_length, fold_method
from .sinks import consumes
from .values import (
    EVERY,
    NO_KINDS,
    NOTHING,
    UNKNOWN,
    Facts,
    Flow,
    Guard,
    Value,
    clear,
    clear_flows,
    constant,
    elements,
    join_flows,
    named,
    part_of,
    restored,
    unsure,
    words,
)

_TYPES = ("builtins.int", "builtins.float", "builtins.bool", "uuid.UUID")
_COMPILED = "re.compile()"
_PICKS = words("get getlist getall getone pop get_all getfirst __getitem__ setdefault")
_XML_PARSERS = ("lxml.etree.XMLParser", "lxml.etree.XMLTreeBuilder", "lxml.etree.ETCompatXMLParser")


class CallSite(Struct, frozen=True):
    """A call whose arguments are evaluated. `name` is the dotted name of what is called, `receiver`
    the value before the last dot."""

    node: ast.Call
    name: str
    receiver: Value
    method: str
    args: Sequence[Value]
    keywords: Mapping[str, Value]

    @property
    def every(self) -> tuple[Value, ...]:
        """All arguments."""
        return (*self.args, *self.keywords.values())

    def argument(self, at: int | str) -> Value | None:
        """The argument at a position or of a name."""
        if isinstance(at, str):
            return self.receiver if at == "self" else self.keywords.get(at)
        return self.args[at] if at < len(self.args) else None


def call_result(site: CallSite) -> Value:
    """What the call returns; `guard` is what a test of it says."""
    found = _known(site)
    if found is None:
        found = _unknown(site)
    guard = guard_of(site)
    name = found.name or f"{site.name}()"
    return replace(found, name=name[:120], guard=guard) if guard or name != found.name else found


def _known(site: CallSite) -> Value | None:
    line = site.node.lineno
    if found := sources.input_call(site.name, line):
        return found
    if sources.picks_at_random(site.name) and site.args:
        return _picked_at_random(site.args[0], site)
    if sources.is_tornado(site.name):
        return _picked(sources.tainted("request.arguments", line), site)
    if site.receiver.tag == "input":
        return _of_input(site)
    if site.name in _XML_PARSERS and (given := site.keywords.get("resolve_entities")):
        return unsafe_parser(f"{site.name}()") if given.const is True else NOTHING
    if sources.wraps_request(site.name) and any(sources.is_request(v.name) for v in site.args):
        return named(sources.REQUEST)
    return _made(site) or _transformed(site)


def _made(site: CallSite) -> Value | None:
    """A container or an object of fields."""
    if made := new_container(site.name, site.args, site.keywords):
        return made
    if made := record_type(site.name, site.args):
        return made
    return None if site.method else record_of(site.receiver, site.args, site.keywords)


def _picked_at_random(values: Value, site: CallSite) -> Value:
    """Of an alphabet a letter, which is random; of other values one that somebody chose."""
    if values.text is not None or values.name.startswith(("string.", "builtins.range")):
        return sources.random_input(site.name, site.node.lineno)
    return elements(values)


def _of_input(site: CallSite) -> Value | None:
    if site.method in _PICKS and site.receiver.flows:
        return _picked(site.receiver, site)
    if not site.method:
        return _picked(site.receiver, site)
    return _transformed(site)


def _picked(value: Value, site: CallSite) -> Value:
    """One element of input, by its key."""
    if (kind := site.keywords.get("type")) and kind.name in _TYPES:
        return NOTHING
    if not site.args:
        return value
    return pick(value, site.args[0].const, site.node.args[0])


def pick(value: Value, key: object, node: ast.expr) -> Value:
    """The element of input at a key; each key is a source of its own."""
    if sources.is_own_key(value, key):
        return NOTHING
    flows = part_of(value.flows, shown_key(key, node))
    return Value(
        clear_flows(flows, sources.harmless_part(value, key)), name=value.name, tag="input"
    )


def shown_key(key: object, node: ast.expr) -> str:
    """A key as it is written, or where it stands."""
    return repr(key)[:60] if key is not UNKNOWN else _unparsed(node)


def _unparsed(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else f"{node.lineno}:{node.col_offset}"


def _transformed(site: CallSite) -> Value | None:
    if consumes(site.name):
        return NOTHING
    if site.name == "builtins.len" and len(site.args) == 1:
        return Value(const=fold_length(site.args[0]))
    if sanitizers.is_clean(site.name) and site.receiver.tag != "input":
        return NOTHING
    if site.method:
        done = fold_method(site.receiver.const, site.method, site.args)
        if done is not UNKNOWN:
            return constant(done)
        if sanitizers.is_clean(f".{site.method}") or sanitizers.is_clean(f"?.{site.method}"):
            return NOTHING
    kinds = sanitizers.made_safe(site.name)
    if kinds is not None:
        return _sanitized(site, kinds)
    if sanitizers.keeps_input(site.name):
        return _kept(site)
    receiver = site.receiver
    if site.method in sanitizers.KEEPS_TEXT and (
        receiver.flows or receiver.text is not None or not receiver.name.startswith("?")
    ):
        return _text_method(site)
    return None


def _sanitized(site: CallSite, kinds: frozenset[str]) -> Value:
    if kinds & EVERY:
        return NOTHING
    flows = join_flows(site.receiver.flows, *(v.flows for v in site.every))
    return clear(Value(flows), kinds)


def _text_method(site: CallSite) -> Value:
    if site.method in ("format", "format_map"):
        return fold_format(site.receiver, site.every)
    if site.method == "join" and site.args:
        inner = site.args[0]
        whole = inner.items is not None and inner.rest is None
        return concatenate(inner.items.values()) if whole and inner.items else _joined(site)
    if site.method in ("lower", "upper", "strip", "encode", "decode", "rstrip", "lstrip"):
        return Value(site.receiver.flows, text=site.receiver.text)
    if site.method == "keys":  # a test of a key says nothing of what stands under it
        return Value(part_of(site.receiver.flows, "keys"))
    if site.method == "replace" and len(site.args) == 2:
        return _replaced(site)
    flows = join_flows(site.receiver.flows, *(v.flows for v in site.every))
    return Value(flows, name=f"{site.name}()"[:120])


def _replaced(site: CallSite) -> Value:
    """`text.replace(old, new)`: a sign that it takes out is gone; of several in a row, others may
    come together to the same again."""
    old = site.args[0].const
    kinds = sanitizers.denied_kinds(old) if old == ".." or len(str(old)) == 1 else NO_KINDS
    flows = join_flows(clear_flows(site.receiver.flows, kinds), site.args[1].flows)
    return Value(flows, text=site.receiver.text)


def _substituted(site: CallSite) -> Value:
    """`re.sub(pattern, new, text)`: what the pattern stands for is gone."""
    kinds = sanitizers.refused_kinds("re.sub", _pattern(site))
    values = site.args if site.receiver.name == _COMPILED else site.args[1:]
    new, old = values[:1], values[1:]
    flows = clear_flows(join_flows(*(value.flows for value in old)), kinds)
    return Value(join_flows(flows, *(value.flows for value in new)), name=f"{site.name}()")


def _joined(site: CallSite) -> Value:
    return Value(join_flows(site.receiver.flows, site.args[0].flows))


def _kept(site: CallSite) -> Value:
    if site.name == "os.path.join" or site.name.startswith("pathlib."):
        return Value(join_flows(*(v.flows for v in site.every)), name=f"{site.name}()")
    if site.name in ("builtins.str", "builtins.bytes") and len(site.args) == 1:
        first = site.args[0]
        return (
            Value(first.flows, first.const, text=first.text)
            if first.text is not None
            else (Value(first.flows))
        )
    if site.name == "re.compile" and site.args:
        return Value(name=_COMPILED, text=site.args[0].text)
    if site.name.startswith("re.") and site.method in ("sub", "subn"):
        return _substituted(site)
    values = site.every if not site.receiver.flows else (site.receiver, *site.every)
    if sanitizers.decodes(site.name):
        values = tuple(Value(restored(value.flows)) for value in values)
    if site.name in ("builtins.next", "builtins.min", "builtins.max") and site.args:
        return elements(site.args[0])
    return Value(join_flows(*(v.flows for v in values)), name=f"{site.name}()"[:120])


def _unknown(site: CallSite) -> Value:
    """Code that is not looked into: what it is given may come back, unless its name says that it
    looks something up."""
    if site.method and sanitizers.looks_up(site.name):
        return NOTHING
    if sanitizers.looks_up(site.name):
        return NOTHING
    receiver = site.receiver if site.receiver.tag != "object" else NOTHING
    return Value(unsure(join_flows(receiver.flows, *(v.flows for v in site.every))))


def guard_of(site: CallSite) -> Guard | None:
    """What is known of the arguments where a test of the result holds."""
    if site.name in ("builtins.any", "builtins.all"):
        return _every_guard(site)
    inputs = join_flows(*(value.flows for value in site.every))
    if sanitizers.is_string_test(site.method):
        inputs = join_flows(site.receiver.flows, inputs)
    if not inputs:
        return None
    if sanitizers.is_pattern_test(site.name):
        pattern = _pattern(site)
        matched = sanitizers.matched_kinds(site.name, pattern)
        return Guard(
            facts(inputs, matched), facts(inputs, sanitizers.refused_kinds(site.name, pattern))
        )
    kinds = sanitizers.tested_kinds(site.name)
    return Guard(facts(inputs, kinds)) if kinds else None


def _every_guard(site: CallSite) -> Guard | None:
    """`any()` and `all()` of tests of one input."""
    inner = site.args[0].rest if len(site.args) == 1 else None
    if inner is None or inner.guard is None:
        return None
    if site.name == "builtins.any":
        return Guard((), inner.guard.fails)
    return Guard(inner.guard.holds) if site.name == "builtins.all" else None


def _pattern(site: CallSite) -> str | None:
    """A regular expression that is known, given or compiled before."""
    if site.receiver.name == _COMPILED:
        return site.receiver.text
    first = site.args[0].const if site.args and site.name.startswith("re.") else None
    return first if isinstance(first, str) else None


def facts(flows: Sequence[Flow], kinds: frozenset[str]) -> Facts:
    """These kinds are safe for the sources of the flows."""
    return tuple((flow.source.key, kinds) for flow in flows)
