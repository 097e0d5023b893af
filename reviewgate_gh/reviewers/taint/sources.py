"""Where input comes in: requests of web frameworks, sockets, the command line, the environment."""

import ast

from msgspec.structs import replace

from ...text.patterns import lazy_pattern
from .values import NO_KINDS, Flow, Source, Value, clear_flows, named, unsure, words

# Frameworks in which a name such as `request` is what a stranger sent
WEB_MODULES = words(
    "flask quart django rest_framework fastapi starlette aiohttp tornado bottle falcon pyramid "
    "sanic werkzeug webob litestar cherrypy ninja robyn"
)
_REQUEST_GLOBALS = frozenset(
    ("flask.request", "quart.request", "bottle.request", "cherrypy.request")
)
REQUEST = "@request"  # the name of a request that a handler is given
_REQUEST_TYPE = lazy_pattern(r"(?:\A|\.)(?:\w*Request|WebSocket)(?:\[.*\])?\Z")
_REQUEST_CALL = lazy_pattern(r"(?i)(?:\A|[._?])\w*request(?:_?(?:wrapper|proxy|adapter))?\Z")

_ATTRIBUTES = words(
    "args form values cookies headers json data files query_string path full_path url base_url "
    "referrer view_args GET POST COOKIES META FILES body query_params path_params query "
    "match_info rel_url forms params stream user_agent host get_json get_data get_full_path "
    "get_raw_uri build_absolute_uri query_arguments body_arguments arguments text content post "
    "read raw_body environ path_info matchdict json_body GET POST media get_param get_media "
    "receive_text receive_json receive_bytes get_argument get_query_argument get_body_argument "
    "get_cookie get_arguments uri get_header get_host"
)
# What classes around a request call their methods; one that says that it cleans is believed, as it
# is elsewhere
_READER = lazy_pattern(
    r"(?!\w*(?:safe|clean|sanit|escaped|valid))(?:get|read|fetch)_\w*"
    r"(?:param|parameter|query|header|cookie|form|argument|arg|body|field|value"
    r"|input|data|upload|file)s?\Z"
)
# Of the site itself, or of no use to an attacker: browsers take no such URL from a stranger
_OWN_ADDRESS = words(
    "path full_path url base_url referrer host get_full_path get_raw_uri build_absolute_uri "
    "rel_url path_info uri get_host"
)
_ADDRESSES = frozenset(("redirect", "request"))
# No page of a stranger chooses the headers that the browser of somebody else sends
_HEADERS = frozenset(("headers", "user_agent", "get_header"))
_ENVIRONMENTS = ("<request.META>", "<request.environ>")
_OWN_PATHS = ("PATH_INFO", "REQUEST_URI", "RAW_URI")
_REDIRECT = frozenset(("redirect",))
_HANDLER_BASES = ("BaseHTTPRequestHandler", "SimpleHTTPRequestHandler", "StreamRequestHandler")
_HANDLER_ATTRIBUTES = frozenset(("path", "headers", "rfile", "requestline"))
_TORNADO = lazy_pattern(r"\?self\.get_(?:query_|body_)?(?:argument|arguments|cookie)\Z")
_LOCAL = {
    "os.environ": "environment",
    "os.environb": "environment",
    "sys.stdin": "environment",
    "sys.argv": "local",
}
_LOCAL_CALLS = {
    "argparse.ArgumentParser().parse_args": "the command line",
    "argparse.ArgumentParser().parse_known_args": "the command line",
}
_SOCKET = lazy_pattern(
    r"socket\.(?:socket|create_connection)\(\)\.(?:recv|recvfrom|recvmsg)\Z"
    r"|\?(?:\w+\.)?\w*(?:sock|socket|conn)\.(?:recv|recvfrom)\Z"
)
_RANDOM = lazy_pattern(
    r"random\.(?:Random\(\)\.)?(?:random|randint|randrange|getrandbits|uniform|randbytes|gauss"
    r"|normalvariate|triangular|betavariate)\Z"
)
_PICK = lazy_pattern(r"random\.(?:Random\(\)\.)?(?:choice|choices|sample)\Z")
# Keys of WSGI's environment that a client does not choose
_OWN_KEYS = lazy_pattern(
    r"(?!HTTP_|QUERY_STRING|PATH_INFO|REQUEST_URI|CONTENT_TYPE|RAW_URI)[A-Z_]+\Z"
    r"|(?!wsgi\.input\Z)wsgi\.\w+\Z"
)
_CLEAN_ANNOTATIONS = lazy_pattern(
    r"\b(?:int|float|bool|UUID\d?|date|datetime|time|timedelta|Decimal|Literal|Enum"
    r"|PositiveInt|NonNegativeInt|EmailStr|HttpUrl|AnyHttpUrl|Session|AsyncSession|BackgroundTasks"
    r"|Response|Depends|Security|\w*Dep|\w*Service|\w*Repository|SecurityScopes|\w*Settings"
    r"|User|\w*User|IPvAnyAddress|PathType)\b"
)
_TEXT_TYPES = lazy_pattern(r"\b(?:str|bytes|Any|UploadFile|dict)\b")
_PATTERN = lazy_pattern(r"\b(?:pattern|regex)=")
_DEPENDENCIES = lazy_pattern(r"(?:\A|\.)(?:Depends|Security|Provide)\Z")
_ROUTE_WORDS = words(
    "route get post put delete patch head options websocket api_route websocket_route"
)
_PARAMETER = lazy_pattern(r"<(?:(\w+)(?:\([^<>]*\))?:)?(\w+)>|\{(?P<name>\w+)(?::(?P<type>\w+))?\}")
_SEGMENT = frozenset(("path", "redirect", "request"))  # a part of a URL holds no slash
_TEXT_CONVERTERS = ("", "string", "path", "str", "default")
_FRAMEWORKS_WITH_TYPES = frozenset(("fastapi", "ninja", "litestar"))


def tainted(label: str, line: int, origin: str = "remote", key: str = "") -> Value:
    """Input."""
    source = Source(key or label, label, line, origin)
    return Value((Flow(source),), name=f"<{label}>", tag="input")


def suspected(value: Value, key: str, line: int) -> Value:
    """A value of which nothing is known, so that it may be anything."""
    return replace(value, flows=(Flow(Source(f"?{key}", key, line, "unknown")),))


def input_attribute(name: str, attribute: str, line: int) -> Value | None:
    """The input that is behind an attribute of a request or of a module; None where there is
    none."""
    full = f"{name}.{attribute}"
    if full in _LOCAL:
        return tainted(full, line, _LOCAL[full])
    if is_request(name) and (attribute in _ATTRIBUTES or _READER.match(attribute)):
        value = tainted(f"request.{attribute}", line)
        return replace(value, flows=clear_flows(value.flows, _harmless(attribute)))
    return None


def _harmless(attribute: str) -> frozenset[str]:
    """The kinds of sinks for which this part of a request does no harm."""
    if attribute in _OWN_ADDRESS:
        return _ADDRESSES
    return _REDIRECT if attribute in _HEADERS else NO_KINDS


def is_request(name: str) -> bool:
    """The name stands for what a stranger sent."""
    return name == REQUEST or name in _REQUEST_GLOBALS


def input_call(name: str, line: int) -> Value | None:
    """The input that a call returns."""
    if name == "os.getenv":
        return tainted("os.environ", line, "environment")
    if name == "builtins.input":
        return tainted("input()", line, "typed")
    if label := _LOCAL_CALLS.get(name):
        return tainted(label, line, "local")
    if _RANDOM.match(name):
        return random_input(name, line)
    if _SOCKET.match(name):
        return tainted("a socket", line)
    return None


def random_input(name: str, line: int) -> Value:
    """What a call of the module `random` returns."""
    return tainted(f"{name}()", line, "random", f"{name}() of line {line}")


def picks_at_random(name: str) -> bool:
    """A call that picks from its first argument."""
    return _PICK.match(name) is not None


def handler_attribute(attribute: str, line: int) -> Value | None:
    """The input behind `self.attribute` in a class of http.server or socketserver."""
    return tainted(f"self.{attribute}", line) if attribute in _HANDLER_ATTRIBUTES else None


def view_arguments(bases: list[str], attribute: str, line: int) -> Value | None:
    """The parts of the URL that a view of Django is given; their converters stand elsewhere."""
    if attribute != "kwargs" or not any("View" in base for base in bases):
        return None
    value = tainted("the URL's parameters", line)
    return replace(value, flows=unsure(clear_flows(value.flows, _SEGMENT)))


def is_tornado(name: str) -> bool:
    """A method of a Tornado handler that returns input."""
    return _TORNADO.match(name) is not None


def is_handler_class(bases: list[str]) -> bool:
    """A class whose instances are a request of http.server."""
    return any(base.rpartition(".")[2] in _HANDLER_BASES for base in bases)


def is_own_key(value: Value, key: object) -> bool:
    """An element of WSGI's environment that the server fills."""
    return value.name in _ENVIRONMENTS and isinstance(key, str) and _OWN_KEYS.match(key) is not None


def harmless_part(value: Value, key: object) -> frozenset[str]:
    """The kinds of sinks for which an element of WSGI's environment does no harm."""
    if value.name not in _ENVIRONMENTS or key in ("QUERY_STRING", "wsgi.input"):
        return NO_KINDS
    return _ADDRESSES if key in _OWN_PATHS else _REDIRECT


def is_wsgi(args: list[str]) -> bool:
    """The parameters of an application as PEP 3333 asks for them."""
    return args[-2:] == ["environ", "start_response"]


def wsgi_environment(line: int) -> Value:
    """What such an application is given."""
    return tainted("request.environ", line)


def wraps_request(name: str) -> bool:
    """A call that returns a request around another one."""
    return _REQUEST_CALL.search(name) is not None


def parameter(arg: ast.arg, default: ast.expr | None, route: "Route", line: int) -> Value | None:
    """What a handler is given for a parameter; None where that is no input."""
    annotation = ast.unparse(arg.annotation) if arg.annotation is not None else ""
    if _REQUEST_TYPE.search(annotation) or (not annotation and arg.arg in ("request", "req")):
        return named(REQUEST)
    if arg.arg in route.captured and not _CLEAN_ANNOTATIONS.search(annotation):
        value = tainted(f"the URL parameter {arg.arg}", line, key=arg.arg)
        kinds = NO_KINDS if arg.arg in route.whole else _SEGMENT
        return replace(value, flows=clear_flows(value.flows, kinds))
    if not route.typed or arg.arg in ("self", "cls") or _CLEAN_ANNOTATIONS.search(annotation):
        return None
    if default is not None and _is_dependency(default):
        return None
    value = tainted(f"the parameter {arg.arg}", line, key=arg.arg)
    return value if _is_free_text(annotation, default) else None


def model_field(owner: str, field: ast.AnnAssign, line: int) -> Value | None:
    """A field of what a handler is given; None where it is no text."""
    annotation = ast.unparse(field.annotation)
    if _CLEAN_ANNOTATIONS.search(annotation) or not _is_free_text(annotation, field.value):
        return None
    label = f"{owner}.{ast.unparse(field.target)}"
    return tainted(f"the parameter {label}", line, key=label)


def _is_free_text(annotation: str, default: ast.expr | None) -> bool:
    """A text that no pattern binds."""
    if annotation and not _TEXT_TYPES.search(annotation):
        return False
    return not _PATTERN.search(f"{annotation} {ast.unparse(default) if default else ''}")


def _is_dependency(default: ast.expr) -> bool:
    return isinstance(default, ast.Call) and bool(_DEPENDENCIES.search(ast.unparse(default.func)))


class Route:
    """What a function's decorators say: whether a web framework calls it, which parts of the URL it
    is given, and whether its parameters are read by their types."""

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef, modules: frozenset[str]):
        path = next((p for d in node.decorator_list if (p := _path(d)) is not None), None)
        self.is_route = path is not None and bool(modules & WEB_MODULES)
        self.typed = self.is_route and bool(modules & _FRAMEWORKS_WITH_TYPES)
        self.html = self.is_route and bool(modules & {"flask", "quart", "bottle"})
        found = _PARAMETER.findall(path or "") if self.is_route else []
        names = {name or other: kind or type_ for kind, name, other, type_ in found}
        self.whole = frozenset(name for name, kind in names.items() if kind == "path")
        self.captured = frozenset(n for n, kind in names.items() if kind in _TEXT_CONVERTERS)


def _path(decorator: ast.expr) -> str | None:
    if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
        return None
    if decorator.func.attr not in _ROUTE_WORDS or not decorator.args:
        return None
    first = decorator.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
