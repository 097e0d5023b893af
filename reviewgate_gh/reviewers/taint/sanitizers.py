"""What makes input harmless, and calls whose result has nothing of their arguments."""

import re

from ...text.patterns import lazy_pattern
from .values import EVERY, NO_KINDS, words

_HTML = frozenset(("xss",))
_BY_NAME: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "html.escape", "markupsafe.escape", "flask.escape", "cgi.escape",
            "xml.sax.saxutils.escape",
            "django.utils.html.escape", "django.utils.html.conditional_escape",
            "django.utils.html.format_html", "django.utils.html.strip_tags",
            "django.utils.html.escapejs", "xml.sax.saxutils.quoteattr", "bleach.clean", "nh3.clean",
            "bleach.linkify", "tornado.escape.xhtml_escape", "html_sanitizer.Sanitizer().sanitize",
            "markupsafe.Markup().format", "json.dumps",
            "flask.Response", "flask.make_response", "django.http.HttpResponse",
        ),
        _HTML,
    ),
    "shlex.quote": frozenset(("command",)),
    "pipes.quote": frozenset(("command",)),
    "shlex.join": frozenset(("command",)),
    "subprocess.list2cmdline": NO_KINDS,
    "urllib.parse.quote": frozenset(("xss", "command", "redirect", "request", "header", "sql")),
    "urllib.parse.quote_plus": frozenset(
        ("xss", "command", "redirect", "request", "header", "path", "sql")
    ),
    "urllib.parse.urlencode": frozenset(
        ("xss", "command", "redirect", "request", "header", "path", "sql")
    ),
    "os.path.basename": frozenset(("path",)),
    "ntpath.basename": frozenset(("path",)),
    "werkzeug.utils.secure_filename": frozenset(("path", "command")),
    "werkzeug.utils.safe_join": frozenset(("path",)),
    "werkzeug.security.safe_join": frozenset(("path",)),
    "flask.safe_join": frozenset(("path",)),
    "django.utils._os.safe_join": frozenset(("path",)),
    "django.utils.text.get_valid_filename": frozenset(("path", "command")),
    "django.utils.text.slugify": EVERY,
    "ldap.filter.escape_filter_chars": frozenset(("ldap",)),
    "ldap.filter.filter_format": frozenset(("ldap",)),
    "ldap.dn.escape_dn_chars": frozenset(("ldap",)),
    "ldap3.utils.conv.escape_filter_chars": frozenset(("ldap",)),
    "ldap3.utils.dn.escape_rdn": frozenset(("ldap",)),
    "psycopg2.sql.Identifier": frozenset(("sql",)),
    "psycopg2.sql.Literal": frozenset(("sql",)),
    "psycopg2.extensions.quote_ident": frozenset(("sql",)),
    "re.escape": frozenset(("command", "path")),
    "ast.literal_eval": frozenset(("code",)),
    "base64.b64encode": frozenset(
        ("xss", "command", "sql", "ldap", "xpath", "code", "redirect", "template", "header")
    ),
    "base64.urlsafe_b64encode": frozenset(
        ("xss", "command", "sql", "ldap", "xpath", "code", "redirect", "template", "header", "path")
    ),
}  # fmt: skip
# Their result is a number, a digest, a truth value, or something else of no shape to do harm
_CLEAN = lazy_pattern(
    r"builtins\.(?:int|float|bool|len|ord|hash|id|abs|round|isinstance|hasattr|callable|range|type"
    r"|complex|any|all|hex|oct|bin|issubclass)\Z"
    r"|(?:uuid\.UUID|decimal\.Decimal|ipaddress\.\w+|datetime\.\w+(?:\.\w+)*|hashlib\.\w+|hmac\.\w+"
    r"|zlib\.(?:crc32|adler32)|binascii\.(?:hexlify|crc32)|secrets\.\w+"
    r"|random\.SystemRandom\(\)\.\w+"
    r"|os\.path\.(?:exists|isfile|isdir|getsize|splitext\(\)\.1|getmtime)"
    r"|math\.\w+|time\.\w+|calendar\.\w+"
    r"|flask\.(?:render_template|jsonify|url_for|send_from_directory|abort|flash"
    r"|get_flashed_messages)"
    r"|quart\.(?:render_template|jsonify|url_for|abort)"
    r"|django\.shortcuts\.(?:render|get_object_or_404|get_list_or_404|resolve_url)"
    r"|django\.urls\.reverse(?:_lazy)?|django\.http\.JsonResponse|django\.contrib\.auth\.\w+"
    r"|django\.core\.validators\.\w+|logging\.\w+(?:\(\)\.\w+)?"
    r"|werkzeug\.security\.\w+)\Z"
)
_NUMBER = lazy_pattern(
    r"builtins\.(?:int|float|bool|len|ord|hash|id|abs|round|complex|any|all|hex|oct|bin)\Z"
    r"|uuid\.\w+|.*\.(?:hexdigest|isdigit|isalnum)\Z"
)
_CLEAN_METHODS = words(
    "isdigit isalpha isalnum isnumeric isdecimal isidentifier isspace islower isupper startswith "
    "endswith count index hexdigest digest hex bit_length is_integer exists is_file is_dir "
    "total_seconds timestamp is_relative_to commit rollback close save delete add filter "
    "filter_by exclude where values_list order_by group_by having one first one_or_none all "
    "scalar scalars fetchone fetchall fetchmany get_or_404 first_or_404 create update_one "
    "insert_one find_one insert aggregate annotate select_related prefetch_related debug info "
    "warning error exception critical log set_cookie write send sendall put is_valid validate "
    "group_by distinct"
)
# By the last word of a name that is not resolved: the project's own helpers
_ESCAPES = lazy_pattern(
    r"(?i)(?:escape|encode)_?(?:for_?)?_?(?:html|xss|js|attr)|html_?escape\Z|\Aescape\Z|xss"
)
_MAKES_SAFE = lazy_pattern(
    r"(?i)sanit|clean(?!up)|purif|safe_?|slugify|validat|whitelist|allow_?list|white_list"
    r"|normali[sz]e_filename|escape|quote(?:_|\Z)|strip_tags|allowed|permitted"
)
_LOOKS_UP = lazy_pattern(
    r"(?i)\A_*(?:get|find|load|fetch|lookup|look_up|query|count|is|has|can|check|verify"
    r"|authenticate"
    r"|search|create|make|build|select|filter|exists|resolve|register|insert|update|delete"
    r"|save|add|"
    r"log|send|render|reverse|jsonify|hash|encrypt|sign|parse_int|to_int|compute|calculate|generate"
    r"|list|login|read|notify|store|set)(?:_|\Z|(?<=[a-z])(?=[A-Z]))|\A_*(?:get|find|load|is)[A-Z]"
)
_PREDICATE = lazy_pattern(
    r"(?i)(?:\A|_)(?:is|has|are|can|in)_|allow|permitted|valid|safe|whitelist|trusted|match|check"
    r"|verif|exists|legal|known|\Ais[A-Z]"
)
_RAISES = lazy_pattern(
    r"(?i)(?:\A|_)(?:validate|check|ensure|require|assert|verify|authori[sz]e|sanitize|must"
    r"|guard|enforce"
    r"|abort_if|raise_if|deny)"
)


def made_safe(name: str) -> frozenset[str] | None:
    """The kinds of sinks for which a call makes its arguments safe; None where it is no
    sanitizer."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    last = name.rpartition(".")[2]
    if name.startswith(("builtins.", "urllib.", "base64.", "codecs.", "json.")):
        return None
    if _ESCAPES.search(last):
        return _HTML
    return EVERY if _MAKES_SAFE.search(last) else None


def is_clean(name: str) -> bool:
    """A call whose result carries no input."""
    if _CLEAN.match(name):
        return True
    receiver, _dot, last = name.rpartition(".")
    return bool(receiver) and last in _CLEAN_METHODS


def is_number(name: str) -> bool:
    """A call whose result is a number or as harmless, whatever it is given."""
    return _NUMBER.match(name) is not None


def looks_up(name: str) -> bool:
    """By its name, a function of the project that answers with something of its own."""
    return _LOOKS_UP.search(name.rpartition(".")[2]) is not None


_STRING_TESTS = words("isdigit isalpha isalnum isnumeric isdecimal isidentifier issubset")


def is_string_test(method: str) -> bool:
    """A method that tests its receiver, and not what it is given."""
    return method in _STRING_TESTS or method in ("startswith", "is_relative_to")


def tested_kinds(name: str) -> frozenset[str]:
    """The kinds of sinks for which an input is safe that a call has said yes to."""
    last = name.rpartition(".")[2]
    if last in _STRING_TESTS:
        return EVERY
    if last == "startswith":
        return frozenset(("path", "redirect", "request"))
    if last in ("endswith", "hasattr"):
        return NO_KINDS
    if last == "is_relative_to":
        return frozenset(("path",))
    if name.startswith(("os.path.", "builtins.")):
        return NO_KINDS
    return EVERY if _PREDICATE.search(last) else NO_KINDS


_PATTERN_TESTS = frozenset(("match", "fullmatch", "search", "findall", "finditer"))
_CLASS = lazy_pattern(r"\[(\^?)((?:\\.|[^\]\\])+)\][+*]?", re.DOTALL)


def is_pattern_test(name: str) -> bool:
    """A call that searches input by a regular expression."""
    return name.rpartition(".")[2] in _PATTERN_TESTS


def matched_kinds(name: str, pattern: str | None) -> frozenset[str]:
    """The kinds of sinks for which input is safe that a pattern fits: it holds for the whole input,
    and not for any. One that is not known is taken for such a one."""
    method = name.rpartition(".")[2]
    if pattern is None:
        return EVERY if method in ("match", "fullmatch") else NO_KINDS
    whole = method == "fullmatch" or (
        (method == "match" or pattern.startswith(("^", r"\A")))
        and pattern.endswith(("$", r"\Z", r"\z"))
    )
    return EVERY if whole and not re.search(r"(?<!\\)\.[*+]|\[\^", pattern) else NO_KINDS


def refused_kinds(name: str, pattern: str | None) -> frozenset[str]:
    """The kinds of sinks for which input is safe that a pattern does not fit anywhere: it is a
    class of all signs but those allowed, or of those that do harm."""
    if pattern is None:
        return EVERY if name.rpartition(".")[2] == "search" else NO_KINDS
    found = _CLASS.fullmatch(pattern)
    if found is None:
        return NO_KINDS
    if found[1]:
        return NO_KINDS if re.search(r"\\[SWD]", found[2]) else EVERY
    return NO_KINDS.union(*(denied_kinds(sign) for sign in found[2].replace("\\", "")))


# Signs without which input does no harm at a sink
_DENIED: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (frozenset(("..", "/", "\\", "../", "..\\", "\0")), frozenset(("path",))),
    (frozenset(("'", '"')), frozenset(("sql", "xpath", "code"))),
    (frozenset(("<", ">", "<script")), _HTML),
    (frozenset((";", "|", "&", "$", "`")), frozenset(("command",))),
    (frozenset(("(", ")", "*")), frozenset(("ldap", "code"))),
    (frozenset(("{{", "{", "{%")), frozenset(("template",))),
    (frozenset(("//", "://", ":")), frozenset(("redirect", "request"))),
)


def denied_kinds(sign: object) -> frozenset[str]:
    """The kinds of sinks for which input is safe that does not hold this sign."""
    rows = (kinds for signs, kinds in _DENIED if isinstance(sign, str) and sign in signs)
    return next(rows, NO_KINDS)


def raises_on_bad(name: str) -> bool:
    """A call after which, by its name, its arguments are fine: a bad one raises."""
    last = name.rpartition(".")[2]
    return name in ("builtins.int", "builtins.float", "uuid.UUID") or (
        last == "relative_to" or name.startswith("ipaddress.") or _RAISES.search(last) is not None
    )


KEEPS_TEXT = words(
    "strip lstrip rstrip lower upper title capitalize swapcase casefold replace split rsplit "
    "splitlines partition rpartition join format format_map encode decode expandtabs zfill ljust "
    "rjust center translate removeprefix removesuffix tobytes decode64 getvalue read readline "
    "readlines copy items values keys group groups groupdict pop popitem get getlist getall "
    "getone to_dict dict lists getfirst __getitem__ tolist most_common resolve joinpath absolute "
    "with_suffix as_posix expanduser geturl text json body form post filename multi_items "
    "with_name stream"
)
# Library calls that return their arguments in another form
_KEEPS = lazy_pattern(
    r"builtins\.(?:str|bytes|bytes\.fromhex|bytearray|bytearray\.fromhex|repr|list|tuple|set|frozenset|dict|sorted|reversed|iter|next"
    r"|zip|map|filter|enumerate|format|min|max|sum|getattr|ascii|memoryview|vars|super)\Z"
    r"|(?:urllib\.parse|base64|codecs|binascii|json|html\.unescape|os\.path|posixpath"
    r"|pathlib|copy|io"
    r"|string|textwrap|itertools|functools|collections|configparser|unicodedata|quopri|zlib|gzip"
    r"|bz2|struct|operator|typing|six|os\.fs\w+|os\.environ|yaml|ast|re|contextlib|asyncio|shlex"
    r"|markupsafe|flask\.make_response|flask\.Response|simplejson|ujson|orjson|toml|tomllib"
    r"|xml|lxml|csv|django\.utils\.(?:encoding|http)\.\w+)(?:\.|\Z)"
)


def keeps_input(name: str) -> bool:
    """A call of a library that returns its arguments in another form."""
    return _KEEPS.match(name) is not None


# Of these, what nobody writes to later on
_MAKES_TEXT = lazy_pattern(
    r"builtins\.(?:str|bytes|bytes\.fromhex|repr|format|ascii)\Z"
    r"|(?:urllib\.parse|base64|codecs|binascii|html|os\.path|posixpath|textwrap|unicodedata|quopri"
    r"|zlib|re)\."
)


def makes_text(name: str) -> bool:
    """A call of a library that returns a text, which stays what it is."""
    return _MAKES_TEXT.match(name) is not None


_DECODES = lazy_pattern(r"(?:decode|unquote(?:_plus)?|unescape|unhexlify|loads)\w*\Z")


def decodes(name: str) -> bool:
    """A call that takes an encoding or quoting back."""
    return _DECODES.search(name.rpartition(".")[2]) is not None
