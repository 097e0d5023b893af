"""Where input does harm: which argument of which call, and what to say about it."""

import re
from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from ...model.finding import Priority
from ...text.patterns import lazy_pattern


class SinkKind(Struct, frozen=True):
    """A kind of sink: the last word of its rule, how severe it is where the input certainly comes
    that far, what it is in words, and how to fix it."""

    rule: str
    priority: Priority
    what: str
    fix: str


_P1, _P2, _P3 = Priority.P1, Priority.P2, Priority.P3
_NO_SHELL = (
    "Pass a list of arguments and no `shell=True`; where a shell is needed, quote each part with "
    "`shlex.quote()`."
)
KINDS: Mapping[str, SinkKind] = {
    "command": SinkKind("command-injection", _P1, "a shell command", _NO_SHELL),
    "program": SinkKind(
        "command-injection",
        _P2,
        "the program that is started",
        "Choose the program from a fixed list.",
    ),
    "code": SinkKind(
        "code-injection",
        _P1,
        "code that is executed",
        "Parse data with `ast.literal_eval()` or `json.loads()`, or look the name up in a dict of "
        "what is allowed.",
    ),
    "import": SinkKind(
        "code-injection",
        _P2,
        "the name of a module that is imported",
        "Look the name up in a dict of the modules that are allowed.",
    ),
    "sql": SinkKind(
        "sql-injection",
        _P1,
        "the text of an SQL statement",
        "Put placeholders into the statement and pass the values as parameters; choose names of "
        "tables and columns from a fixed list.",
    ),
    "deserialization": SinkKind(
        "unsafe-deserialization",
        _P1,
        "a deserializer that can run code",
        "Use JSON, or `yaml.safe_load()` for YAML.",
    ),
    "template": SinkKind(
        "template-injection",
        _P1,
        "the source of a template",
        "Keep the template constant and pass the input as a variable.",
    ),
    "path": SinkKind(
        "path-traversal",
        _P2,
        "a path of the file system",
        "Resolve the path and check that it is inside the folder it belongs to "
        "(`Path.is_relative_to()`), or use `werkzeug.utils.secure_filename()` or a fixed list.",
    ),
    "redirect": SinkKind(
        "open-redirect",
        _P2,
        "the target of a redirect",
        "Redirect to paths of this site only, or check the host against a list of those allowed.",
    ),
    "xss": SinkKind(
        "cross-site-scripting",
        _P2,
        "HTML without escaping",
        "Render a template that escapes, or call `markupsafe.escape()` on the input.",
    ),
    "ldap": SinkKind(
        "ldap-injection",
        _P1,
        "an LDAP filter or name",
        "Escape the input with `escape_filter_chars()` (in names with `escape_rdn()`).",
    ),
    "xpath": SinkKind(
        "xpath-injection",
        _P1,
        "an XPath expression",
        "Use an XPath variable: `tree.xpath('//user[@name=$name]', name=value)`.",
    ),
    "xxe": SinkKind(
        "xml-external-entities",
        _P2,
        "an XML parser that resolves external entities",
        "Turn the resolution of external entities off, or use `defusedxml`.",
    ),
    "request": SinkKind(
        "server-side-request-forgery",
        _P2,
        "the address of a request that this server makes",
        "Check scheme and host against a list of those allowed.",
    ),
    "trust": SinkKind(
        "trust-boundary",
        _P3,
        "the session, whose content other code trusts",
        "Check the value before it is stored.",
    ),
    "header": SinkKind(
        "header-injection",
        _P3,
        "the name of a response header",
        "Choose the name from a fixed list.",
    ),
    "cookie": SinkKind(
        "insecure-cookie",
        _P2,
        "a cookie that is also sent without TLS",
        "Set `secure=True`.",
    ),
    "hash": SinkKind(
        "weak-hash",
        _P2,
        "a broken hash function",
        "Use SHA-256 or better; for passwords a slow one such as scrypt or Argon2.",
    ),
    "random": SinkKind(
        "weak-random",
        _P2,
        "a secret that must not be guessed",
        "Use the module `secrets`, or `random.SystemRandom()`.",
    ),
}
# What each kind of sender can do harm with. Whoever starts a program may do to it what they like,
# unless it runs what they never meant to.
_LOCAL = frozenset(("command", "code", "deserialization"))
_KINDS_OF: Mapping[str, frozenset[str]] = {
    "random": frozenset(("random",)),
    "environment": frozenset(("command",)),
    "local": _LOCAL,
    "typed": _LOCAL,
    "unknown": frozenset(KINDS) - {"random"},
    "remote": frozenset(KINDS) - {"random"},
}


def may_harm(origin: str, kind: str) -> bool:
    """Input of this origin does harm at a sink of this kind."""
    return kind in _KINDS_OF[origin]


class Sink(Struct, frozen=True):
    """Arguments of a call, by position or name, and what else must hold for it to do harm."""

    kind: str
    args: tuple[int | str, ...]
    when: str = ""


_CALLS = (
    (
        "command",
        "os.system os.popen os.popen2 os.popen3 subprocess.getoutput subprocess.getstatusoutput "
        "commands.getoutput commands.getstatusoutput asyncio.create_subprocess_shell pty.spawn "
        "popen2.popen2",
        (0, "cmd", "command"),
        "",
    ),
    (
        "command",
        "subprocess.run subprocess.call subprocess.check_call subprocess.check_output "
        "subprocess.Popen asyncio.create_subprocess_exec os.execl os.execlp os.execv os.execvp "
        "os.execve os.spawnl os.spawnlp os.spawnv os.spawnvp",
        (0, "args"),
        "process",
    ),
    ("code", "builtins.eval builtins.exec builtins.compile", (0, "source"), ""),
    (
        "code",
        "code.InteractiveInterpreter().runsource code.InteractiveInterpreter().runcode",
        (0,),
        "",
    ),
    ("import", "builtins.__import__ importlib.import_module", (0, "name"), ""),
    (
        "deserialization",
        "pickle.loads pickle.load pickle.Unpickler _pickle.loads cPickle.loads cPickle.load "
        "dill.loads dill.load cloudpickle.loads cloudpickle.load jsonpickle.decode marshal.loads "
        "marshal.load joblib.load shelve.open pandas.read_pickle yaml.unsafe_load "
        "yaml.unsafe_load_all yaml.full_load_unsafe",
        (0, "data", "string"),
        "",
    ),
    ("deserialization", "yaml.load yaml.load_all", (0, "stream"), "yaml"),
    ("template", "flask.render_template_string quart.render_template_string", (0, "source"), ""),
    (
        "template",
        "jinja2.Template mako.template.Template django.template.Template",
        (0, "source", "text", "template_string"),
        "",
    ),
    (
        "template",
        "bottle.template bottle.SimpleTemplate tornado.template.Template",
        (0, "source"),
        "",
    ),
    (
        "path",
        "builtins.open os.open io.open codecs.open os.remove os.unlink os.rmdir os.removedirs "
        "os.mkdir os.makedirs os.rename os.replace os.symlink os.listdir os.scandir os.chmod "
        "shutil.rmtree shutil.copy shutil.copyfile shutil.copy2 shutil.copytree shutil.move "
        "io.FileIO gzip.open bz2.open lzma.open tarfile.open aiofiles.open linecache.getline "
        "linecache.getlines fileinput.input",
        (0, 1, "file", "path", "src", "dst"),
        "",
    ),
    ("path", "flask.send_file quart.send_file", (0, "path_or_file", "filename_or_fp"), ""),
    (
        "path",
        "fastapi.responses.FileResponse starlette.responses.FileResponse aiohttp.web.FileResponse",
        (0, "path"),
        "",
    ),
    (
        "redirect",
        "flask.redirect quart.redirect werkzeug.utils.redirect django.shortcuts.redirect "
        "django.http.HttpResponseRedirect django.http.HttpResponsePermanentRedirect "
        "fastapi.responses.RedirectResponse starlette.responses.RedirectResponse "
        "aiohttp.web.HTTPFound aiohttp.web.HTTPSeeOther aiohttp.web.HTTPTemporaryRedirect "
        "aiohttp.web.HTTPMovedPermanently bottle.redirect ?self.redirect sanic.response.redirect "
        "pyramid.httpexceptions.HTTPFound",
        (0, "location", "url", "redirect_to"),
        "",
    ),
    (
        "xss",
        "markupsafe.Markup flask.Markup jinja2.Markup django.utils.safestring.mark_safe "
        "django.utils.safestring.SafeString django.utils.html.mark_safe",
        (0, "s"),
        "",
    ),
    (
        "xss",
        "django.http.HttpResponse flask.make_response flask.Response quart.make_response "
        "quart.Response werkzeug.Response werkzeug.wrappers.Response",
        (0, "content", "response"),
        "html",
    ),
    (
        "xss",
        "fastapi.responses.HTMLResponse starlette.responses.HTMLResponse sanic.response.html",
        (0, "content", "body"),
        "",
    ),
    (
        "xss",
        "fastapi.Response fastapi.responses.Response starlette.responses.Response",
        (0, "content"),
        "media",
    ),
    ("xss", "django.utils.html.format_html", (0, "format_string"), ""),
    ("xss", "?self.write", (0,), "tornado"),
    (
        "sql",
        "sqlalchemy.text sqlalchemy.sql.text sqlalchemy.sql.expression.text "
        "sqlalchemy.literal_column django.db.models.expressions.RawSQL "
        "pandas.read_sql pandas.read_sql_query psycopg2.sql.SQL psycopg.sql.SQL",
        (0, "text", "sql"),
        "",
    ),
    (
        "xpath",
        "lxml.etree.XPath lxml.etree.ETXPath lxml.etree.XPathEvaluator() "
        "lxml.etree.XPathDocumentEvaluator() lxml.etree.XPathElementEvaluator() "
        "elementpath.XPath2Parser().parse elementpath.XPath30Parser().parse xpath.find "
        "xpath.findnode xpath.findvalue",
        (0, "path"),
        "",
    ),
    (
        "xpath",
        "elementpath.select elementpath.iter_select elementpath.Selector",
        (0, 1, "path"),
        "",
    ),
    (
        "xxe",
        "lxml.etree.parse lxml.etree.fromstring lxml.etree.XML lxml.etree.iterparse",
        (0, "source", "text"),
        "xml",
    ),
    (
        "xxe",
        "xml.sax.parseString xml.sax.parse xml.dom.minidom.parseString xml.dom.minidom.parse "
        "xml.dom.pulldom.parseString xml.dom.pulldom.parse",
        (0, "source", "string"),
        "xml",
    ),
    (
        "request",
        "requests.get requests.post requests.put requests.delete requests.head requests.patch "
        "requests.request requests.Session().get requests.Session().post httpx.get httpx.post "
        "httpx.put httpx.request httpx.AsyncClient().get httpx.AsyncClient().post "
        "httpx.Client().get "
        "urllib.request.urlopen urllib.request.Request urllib.request.urlretrieve "
        "aiohttp.ClientSession().get aiohttp.ClientSession().post",
        (0, "url"),
        "url",
    ),
)
# By the method alone: the receiver's name decides, where it is not resolved
_METHODS = (
    (
        "sql",
        "execute executemany executescript execute_sql",
        r"(?i)(?:cur|cursor|curs|conn|connect|connection|database|db|session|engine|transaction|tx|txn"
        r"|pool|sqlite\w*|postgres|mysql)(?:\(\))?\Z",
        (0, "sql", "query", "statement", "operation"),
        "query",
    ),
    ("sql", "raw", r"(?i)objects\Z|_objects\Z|manager\Z", (0, "raw_query"), ""),
    (
        "sql",
        "extra",
        r"(?i)objects(?:\.(?:all|filter|exclude)\(\))*\Z",
        (0, "select", "where", "tables"),
        "",
    ),
    ("sql", "fetch fetchrow fetchval", r"(?i)(?:conn|connection|pool|db)\Z", (0, "query"), "query"),
    ("sql", "read_sql read_sql_query", r"", (0, "sql"), "query"),
    ("command", "exec_command", r"(?i)ssh\w*|client|paramiko", (0, "command"), ""),
    ("template", "from_string", r"(?i)env(?:ironment)?(?:\(\))?\Z|engine\Z|jinja", (0,), ""),
    ("xpath", "xpath", r"", (0, "_path"), ""),
    (
        "xpath",
        "find findall findtext iterfind",
        r"",
        (0, "path", "match"),
        "element",
    ),
    ("xpath", "select query evaluate xpathEval evaluate_single", r"", (0, "path"), "xpath"),
    (
        "path",
        "open read_text read_bytes write_text write_bytes unlink rmdir mkdir touch iterdir",
        r"pathlib\.\w*Path\(\)",
        ("self",),
        "",
    ),
    ("xxe", "parse feed", r"!unsafe\Z", (0, "source", "data"), ""),
    (
        "ldap",
        "search search_s search_ext search_ext_s search_st",
        r"",
        (0, 1, 2, "search_base", "search_filter", "base", "filterstr"),
        "ldap",
    ),
)  # fmt: skip


def _by_name() -> dict[str, tuple[Sink, ...]]:
    found = defaultdict[str, list[Sink]](list)
    for kind, names, args, when in _CALLS:
        for name in names.split():
            found[name].append(Sink(kind, args, when))
    return {name: tuple(sinks) for name, sinks in found.items()}


def _by_method() -> dict[str, tuple[tuple[re.Pattern[str], Sink], ...]]:
    found = defaultdict[str, list[tuple[re.Pattern[str], Sink]]](list)
    for kind, names, receiver, args, when in _METHODS:
        for name in names.split():
            found[name].append((re.compile(receiver), Sink(kind, args, when)))
    return {name: tuple(rows) for name, rows in found.items()}


_SINKS = _by_name()
_METHOD_SINKS = _by_method()
_SQL = lazy_pattern(
    r"(?i)\b(?:select\b.*\bfrom\b|insert\s+into\b|update\b.*\bset\b|delete\s+from\b"
    r"|(?:drop|alter|create)\s+(?:table|view|index|database|user)\b|call\s+\w+\s*\(|exec\s)",
    re.DOTALL,
)


# A test in brackets, or the filter of a search, with input in it
_XPATH = lazy_pattern(r"(?:\A\.?/?|/)[\w:*@.-]+\[[^\]]*\x01")
_LDAP = lazy_pattern(r"\(\s*[\w;.-]+\s*[~<>]?=[^()]*\x01")


def is_xpath(text: str) -> bool:
    """A text with input in it is an XPath expression."""
    return _XPATH.search(text) is not None


def is_ldap(text: str) -> bool:
    """A text with input in it is an LDAP filter."""
    return _LDAP.search(text) is not None


def find_sinks(name: str) -> tuple[Sink, ...]:
    """The sinks of a call, by its dotted name."""
    if sinks := _SINKS.get(name):
        return sinks
    receiver, _dot, method = name.rpartition(".")
    rows = _METHOD_SINKS.get(method, ()) if receiver else ()
    return tuple(sink for pattern, sink in rows if pattern.search(receiver) or sink.when == "query")


# Calls that answer with something else than what they were given
_CONSUMES = frozenset(("command", "program", "code", "path", "request", "deserialization", "ldap"))


def consumes(name: str) -> bool:
    """A sink whose result is no input any more: an exit code, a file, an answer."""
    sinks = find_sinks(name)
    return any(sink.kind in _CONSUMES or sink.when == "query" for sink in sinks)


def known_receiver(name: str) -> bool:
    """The receiver of such a method is a database by its name."""
    receiver, _dot, method = name.rpartition(".")
    return any(pattern.search(receiver) for pattern, _sink in _METHOD_SINKS.get(method, ()))


_ELEMENT = lazy_pattern(
    r"(?i)(?:tree|root|etree|elem|element|xml|doc)(?:\(\))?\Z|etree\.|ElementTree"
)


def is_element(name: str) -> bool:
    """By its name, the receiver of a method is an element of XML."""
    return _ELEMENT.search(name.rpartition(".")[0]) is not None


_WEAK_HASHES = frozenset(("md4", "md5", "sha", "sha1", "mdc2", "md2"))


def is_weak_hash(name: object) -> bool:
    """The name of a broken hash function."""
    return isinstance(name, str) and name.lower().replace("-", "") in _WEAK_HASHES


def is_sql(text: str) -> bool:
    """The constant part of a text is an SQL statement."""
    return _SQL.search(text) is not None


_SECRET_NAME = lazy_pattern(
    r"(?i)(?:\A|_|\b)(?:token|secret|passwd|password|passphrase|session_?id|csrf\w*|otp"
    r"|api_?key|reset_?code|verification_?code|remember_?me\w*)(?:_\w*)?\Z"
)


def names_secret(name: str) -> bool:
    """A variable, key or argument of this name holds what must not be guessed."""
    return _SECRET_NAME.search(name) is not None
