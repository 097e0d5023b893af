"""Whether what looks like a protection that is switched off is none: a text about it, a program of
developers, an address of this machine, a choice of who runs it, or a setting of something else."""

import re
from collections.abc import Iterator, Sequence

from ....text.patterns import lazy_pattern
from ...checks._paths import without_packages
from .._definitions import language_of
from .._guards import code_of
from .._pipelines import PIPELINES
from .._remark import ComparisonRule
from .._sources import ComparedFile, Line
from .._spoken import is_in_long_text, is_in_tests, is_in_text, is_told_to_people
from ._protections import CONTAINER, COOKIE, CORS, DEBUG, MODE, PIPE, TLS

# ruff tells these of Python by itself: https://docs.astral.sh/ruff/rules/#flake8-bandit-s
_RUFF = lazy_pattern(
    r"\b(?:requests|httpx)\.\w+\(.*verify\s*=\s*False|_create_unverified_context"
    r"|\.run\([^)]*debug\s*=\s*True|os\.chmod\(|autoescape\s*=\s*False|AutoAddPolicy"
)
_AROUND = 8  # lines
_OPTION = lazy_pattern(
    r"(?:^|[\s(={,])(?:el)?(?:if|unless|when)\b.*(?:insecure|unsafe|skip|ignore|self_?signed|allow"
    r"|verify|(?:validate|check)_?certs?|trust)",
    re.I,
)
# What they say of a server is about that of developers
_DEVELOPMENT = lazy_pattern(
    r"(?:^|/)(?:(?:vite|webpack|rspack|rsbuild|vue)[\w.-]*\.config[\w.-]*\.\w+$|\.storybook/)"
)
_LOCAL = lazy_pattern(
    r"(?:^|[/._-])(?:dev|local|development|debug|example|sample|demo|test)\w*(?:[/._-]|$)"
    r"|(?:^|/)(?:pytest|tox)\.ini$|(?:^|/)noxfile\.py$"
)
_SHORT_NAME = lazy_pattern(r"(?i)\b(?P<name>http_?only|secure)\s*[:=]")
_OF_COOKIES = lazy_pattern(r"(?i)cookie|same_?site")
_SET_UP = lazy_pattern(r"(?i)\b\w*(?:cookie|session)\w*[\"']?\s*[:=(]\s*\{")
_NEAR = 5  # lines
# What a public page, an interface without sessions, or traffic that goes out is given as well, and
# options that any program may have
_MAY_BE_ELSE = lazy_pattern(
    r"skip_before_action|null_session|helmet|--privileged|dangerouslyDisable|public-read"
    r"|cidr_blocks|autoescape"
)
# Actions of whoever is logged in that were there, and that users reach without a login from now on
_NOBODY_ASKS = lazy_pattern(
    r"skip_before_action\s+:authenticate\w*[!?]?(?!.*(?i:new|login|webhook|callback|health))"
)
_ACTION = lazy_pattern(r"\s*def\s")
_FOR_SCRIPTS = lazy_pattern(r"http_?only", re.I)
_CSRF = lazy_pattern(r"[cx]srf", re.I)


def is_moot(file: ComparedFile, line: Line, rule: ComparisonRule, found: re.Match[str]) -> bool:
    """Told by a linter, a text that only speaks of it, or a setting for development."""
    return (
        _is_told_elsewhere(file, line)
        or _is_spoken(file, line, found)
        or _is_of_no_cookie(file, line)
        or is_in_tests(file.path, file.head_rows, line.number)
        or _harms_nobody(file, line, rule, found)
        or _was_chosen(file, line, found)
        or _was_so(file, line, found)
        or _is_harmless(file, line, rule, found)
    )


def _is_told_elsewhere(file: ComparedFile, line: Line) -> bool:
    """As a script that runs at installation, or by a linter."""
    if file.name == "package.json" and re.match(r"\s*\"(?:pre|post)?install\"", line.text):
        return True
    return file.path.endswith(".py") and _RUFF.search(line.text) is not None


def _harms_nobody(
    file: ComparedFile, line: Line, rule: ComparisonRule, found: re.Match[str]
) -> bool:
    """It holds on this machine, in development or in a build, or is about something else."""
    if _is_of_developers(file, line, rule):
        return True
    if rule in (TLS, PIPE, COOKIE) and _stays_here(line.text):
        return True
    if rule is TLS:
        return _is_none(file, found)
    if rule is MODE:
        return _is_narrowed(file, found)
    if rule is COOKIE:
        return _FOR_SCRIPTS.search(line.text) is not None and _speaks_of_csrf(file, line)
    # Where a drawing begins, too
    short = rule is CORS and _ANY_ORIGIN.match(found[0])
    return bool(short) and not _SPEAKS_OF_CORS.search(file.path + file.head)


def _is_of_developers(file: ComparedFile, line: Line, rule: ComparisonRule) -> bool:
    """A setting for those who work on it; a build for debugging shows nobody a page."""
    if rule is DEBUG and (PIPELINES.search(file.path) or _BUILDS.search(file.path)):
        return True
    if rule is DEBUG and file.name.endswith(".sh") and _OWN_SWITCH.match(line.text):
        return True
    if rule in (COOKIE, CORS) and _DEVELOPMENT.search(file.path):
        return True
    return (
        rule in (DEBUG, CORS, CONTAINER) and _LOCAL.search(without_packages(file.path)) is not None
    )


def _is_narrowed(file: ComparedFile, found: re.Match[str]) -> bool:
    """What is made with a mode goes through the umask: it says little that was no less before."""
    if _MAKES.match(found[0]):
        less = (each for each in file.removed if _MAKES.search(each.text))
        return not any(_LESS.search(each.text) for each in less)
    return _ASSIGNED.match(found[0]) is not None and "chmod" not in file.head.lower()


_OWN_SWITCH = lazy_pattern(r"\s*DEBUG=")  # of a script: it shows nobody a page
_BUILDS = lazy_pattern(r"(?:^|/)(?:GNU)?[Mm]akefile[\w.-]*$|\.(?:mk|mak|cmake)$|CMakeLists\.txt$")


def _is_none(file: ComparedFile, found: re.Match[str]) -> bool:
    """A client that had no certificates before, one that looks at them itself, or a question."""
    if _OF_PEERS.search(found[0]) and _COMPARED.search(found.string[: found.start()]):
        return True
    if found[0].startswith("TrustServer"):
        return _LOCAL.search(file.path) is not None or _LOCAL_SERVER.search(file.head) is not None
    if _PLAIN_CLIENT.match(found[0]):
        return not any(_HAD_CERTIFICATES.search(each.text) for each in file.removed)
    return found[0].startswith("URLCredential") and "SecTrustEvaluate" in file.head


_LOCAL_SERVER = lazy_pattern(
    r"(?i)\b(?:server|data source|host)\s*=\s*(?:tcp:)?(?:\(?local|127\.|\.[;\\])"
    r"|://[^\s/@]{0,100}@(?:localhost|127\.)"
)
# https://pkg.go.dev/google.golang.org/grpc/credentials/insecure
_PLAIN_CLIENT = lazy_pattern(r"grpc\.WithInsecure|insecure\.NewCredentials")
_HAD_CERTIFICATES = lazy_pattern(
    r"\bWithTransportCredentials\((?!insecure)|\bcredentials\.New|\btls\.Config"
)
_MAKES = lazy_pattern(r"(?i)\b(?:mkdir|makedirs)")
_LESS = lazy_pattern(r"\b0o?[0-7]{2}[0-5]\b|\bS_I[RWX]+U\b(?!.*OTH|.*IRWXO)")
_ASSIGNED = lazy_pattern(r"\w+[\w .]*:?=")
_ANY_ORIGIN = lazy_pattern(r"origins?\b")
_SPEAKS_OF_CORS = lazy_pattern(r"(?i)cors|access-control|credentials|socket")


def _is_spoken(file: ComparedFile, line: Line, found: re.Match[str]) -> bool:
    """It is part of a text for people, or names code inside of a text."""
    if _SHOWS.match(line.text) or is_told_to_people(file.path, file.head_rows, line.number):
        return True
    if file.name.endswith(".sh") and _is_shown(file.head_rows, line.number):
        return True
    named = language_of(file.path) and not _OF_COMMANDS.search(found[0])
    return bool(named) and is_in_text(line.text, *found.span())


_SHOWS = lazy_pattern(
    r"\s*(?:\"\"\"|'''|iex>|>>>|echo\b|print|log|console|raise|throw|help=|\"[^\"]*\",?\s*$"
    # A field that tells people what to type
    r"|\w*(?:[dD]escription|[uU]sage|[hH]elp|[eE]xample)[\"']?\s*[:=]\s*[\"'`])"
)
# What stands in a text because something else reads it: a shell, a database, a browser
_OF_COMMANDS = lazy_pattern(
    r"curl|wget|sslmode|TrustServerCert|--trusted-host|strict-ssl|sslVerify|[A-Z]{3}_[A-Z]+|iex|irm"
    r"|iwr|chmod|umask"
    r"|^(?:install|mkdir)\b"
    r"|rwx|--privileged|StrictHost|Access-Control|public-read|0\.0\.0\.0|^[\w.]*(?:none|\*)"
)


def _stays_here(text: str) -> bool:
    """All hosts that the line names are this machine."""
    hosts = [each["host"] or each["quoted"] for each in _HOST.finditer(text)]
    return bool(hosts) and all(map(_THIS_MACHINE.fullmatch, hosts))


_HOST = lazy_pattern(
    r"(?:://(?:[^@/\s\"']*@)?|\b\w+@|\bhost=)(?P<host>\[[\d:a-f]+\]|[\w.-]+)"
    r"|([\"'])(?P<quoted>localhost|(?:[\w-]+\.)+\w+)\2"
)
_THIS_MACHINE = lazy_pattern(r"localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal")


def _is_harmless(
    file: ComparedFile, line: Line, rule: ComparisonRule, found: re.Match[str]
) -> bool:
    """What stands around the line, or in its file, shows that nothing is lost."""
    rows = file.head_rows
    if (
        is_in_long_text(file.path, rows, line.number)
        or _is_for_developers(file, line, rule, found)
        or _TESTS.search(file.head)
    ):
        return True
    near = "\n".join(rows[max(0, line.number - _AROUND) : line.number + _AROUND])
    if rule is TLS:
        return _is_checked(file, line, found, near)
    if rule is PIPE and language_of(file.path) and is_in_text(line.text, *found.span()):
        return _STARTS.search(near) is None
    if rule is DEBUG:
        return file.path.endswith(".py") and not _IS_SITE.search(file.path + file.head)
    if rule is COOKIE:
        return _is_by_token(file, found) or not _is_certain(file, line)
    return (rule is MODE and _TEMPORARY.search(line.text) is not None) or (
        rule is CORS and _OF_ASSETS.search(near) is not None
    )


def _is_for_developers(
    file: ComparedFile, line: Line, rule: ComparisonRule, found: re.Match[str]
) -> bool:
    return _is_under(file, line, _IN_DEVELOPMENT, found) or (
        rule is CORS and _is_under(file, line, _SERVES_DEVELOPERS, found, _LONGEST_HOOK)
    )


# https://pkg.go.dev/testing, https://docs.pytest.org, https://vitest.dev, https://docs.junit.org
_TESTS = lazy_pattern(
    r"(?m)^(?:import\s+)?\t?\"testing\"$|^(?:import|from)\s+(?:pytest|unittest)\b(?!\.mock)"
    r"|\bfrom\s+[\"'](?:vitest|jest|@jest/globals|@playwright/test|node:test|mocha|chai)[\"']"
    r"|^import\s+(?:static\s+)?(?:org\.junit|io\.kotest|org\.testng)\.|^using\s+(?:NUnit|Xunit)\b"
    r"|^require\s+[\"'](?:minitest|rspec)\b"
)
_TEMPORARY = lazy_pattern(r"\s/(?:var/)?tmp(?:/|\b)")
# https://go.dev/pkg/crypto/tls/#Config: VerifyPeerCertificate, VerifyConnection
_OWN_CHECK = lazy_pattern(r"\bVerifyPeerCertificate\b|\bVerifyConnection\b")
_INSIDE = lazy_pattern(r"://(?:[^@/\s\"']*@)?[a-z][\w-]*(?::\d+)?/\S*sslmode=disable")
# https://docs.openssl.org/master/man3/SSL_CTX_set_verify/, https://docs.python.org/3/library/ssl.html
_OF_PEERS = lazy_pattern(r"VERIFY_NONE|CERT_NONE")
_COMPARED = lazy_pattern(r"(?:[=!]=|\bis|\bnot|\bin)\s*(?:\w+(?:\.|::))*$")
_OWN_KEY = lazy_pattern(
    r"(?i)(?:ssl|tls|private|server)[_-]?key|key_?file|(?:chain|server)_?cert"
    r"|listen(?:er|ing)?\b|accept_state|client_?auth"
)
_ANY_CHECK = lazy_pattern(r"verify\b\s*=")
_CONNECTS = lazy_pattern(
    r"(?i)fetch|request|https?|ssl|tls|cert|url|session|client|connect|host|server|\bapi\b"
    r"|\.(?:get|post|put|patch|delete|head)\(|download|upload|socket|vault|ldap|smtp|login"
)
_IN_DEVELOPMENT = lazy_pattern(
    r"(?:^|[\s(={,])(?:el)?if\b(?!.*(?:\bnot\s|!\s*|!==?\s*[\"'])[\w.()]*(?i:debug|dev|local|test))"
    r".*(?:(?i:\b(?:is_?)?(?:debug|dev|development|testing)\b)|!=+\s*[\"']production)"
)
# https://vite.dev/guide/api-plugin#configureserver, https://webpack.js.org/configuration/dev-server/,
# https://rsbuild.rs/config/dev/setup-middlewares
_SERVES_DEVELOPERS = lazy_pattern(
    r"\b(?:configureServer|configurePreviewServer|devServer|setupMiddlewares|devMiddleware)\b"
)
_LONGEST_HOOK = 60  # lines
_STARTS = lazy_pattern(
    r"(?i)exec|spawn|system|popen|subprocess|\brun\w*[(!]|\bsh[(!]|shell|check_(?:call|output)"
    r"|\bCommand(?:::|\()|user_?data|provision"
)
_IS_SITE = lazy_pattern(
    r"(?i)settings|config|env\b|(?:^|/)(?:app|wsgi|asgi|main|manage|server|web)\w*\.py"
    r"|flask|django|fastapi|starlette|bottle|tornado|SECRET_KEY|ALLOWED_HOSTS"
)
_OF_ASSETS = lazy_pattern(
    r"(?i)[\"'/](?:fonts?|assets|static|images?|img|media|icons?|\.well-known)(?:/|\b)|woff2?\b"
)
# https://docs.spring.io/spring-security/reference/servlet/exploits/csrf.html
_BY_TOKEN = lazy_pattern(r"STATELESS|oauth2ResourceServer|JwtAuth\w*Filter|httpBasic\(")
_SIGNED = lazy_pattern(
    r"(?i)construct_event|compare_digest|\bhmac\b|verif\w*_?signature|signature\w*\.verify"
)


def _is_checked(file: ComparedFile, line: Line, found: re.Match[str], near: str) -> bool:
    """The certificate is checked all the same, needs no check, or is none."""
    if _OWN_CHECK.search(near) or _INSIDE.search(line.text):
        return True
    if _OF_PEERS.search(found[0]) and _OWN_KEY.search(near):
        return True  # a server that asks its clients for none
    call = [line.text]
    for row in reversed(file.head_rows[max(0, line.number - 1 - _NEAR) : line.number - 1]):
        if not row.rstrip().endswith(("(", ",")):
            break
        call.append(row)
    return _ANY_CHECK.match(found[0]) is not None and not any(map(_CONNECTS.search, call))


def _is_by_token(file: ComparedFile, found: re.Match[str]) -> bool:
    """Who asks is told by what a browser does not send by itself: a token, or a signature."""
    if not _CSRF.search(found[0]):
        return False
    return _BY_TOKEN.search(file.head) is not None or _SIGNED.search(file.head) is not None


def _is_shown(rows: Sequence[str], number: int) -> bool:
    """The line of a script is part of a text that it prints: `cat <<EOF`."""
    for at in range(number - 1, max(0, number - _LONGEST_TEXT), -1):
        if found := _PRINTS.match(rows[at - 1]):
            return all(row.strip() != found["end"] for row in rows[at : number - 1])
    return False


_LONGEST_TEXT = 100  # lines
_PRINTS = lazy_pattern(r"\s*cat\s+<<-?\s*[\"']?(?P<end>\w+)[\"']?\s*(?:>&2\s*)?$")


def _is_certain(file: ComparedFile, line: Line) -> bool:
    """A setting of what is in use, whose whole name some library gives this meaning; a short name
    has it only where a cookie is spoken of, and where it was on in the file, or cookies are set up
    there."""
    if file.is_new or _LOCAL.search(without_packages(file.path)):
        return False
    if "cidr_blocks" in line.text and _lets_in(file, line):
        return True
    if _NOBODY_ASKS.search(line.text):
        new = any(_ACTION.match(each.text) for each in file.added)
        return "current_user" in file.head and not new
    if _MAY_BE_ELSE.search(line.text):
        return False
    short = _SHORT_NAME.search(line.text)
    if short is None or any(map(_SET_UP.search, _around(file, line))):
        return True
    was_on = re.compile(rf"(?i)\b{short['name']}\s*[:=]\s*true\b")
    return any(map(was_on.search, file.base_rows))


def _is_of_no_cookie(file: ComparedFile, line: Line) -> bool:
    """A short name that any option or variable may have, where no cookie is spoken of."""
    if _SHORT_NAME.search(line.text) is None:
        return False
    return not any(_OF_COOKIES.search(row) or _SET_UP.search(row) for row in _around(file, line))


def _around(file: ComparedFile, line: Line) -> Sequence[str]:
    return file.head_rows[max(0, line.number - _NEAR) : line.number + _NEAR]


def _lets_in(file: ComparedFile, line: Line) -> bool:
    """It is about what comes in, and in the place of fewer addresses."""
    rows = file.head_rows[max(0, line.number - _AROUND) : line.number + _AROUND]
    narrower = (
        old.text.split("=")[0].strip() == line.text.split("=")[0].strip()
        for block in file.blocks
        if any(new.number == line.number for new in block.added)
        for old in block.removed
    )
    return any("ingress" in row for row in rows) and any(narrower)


def _speaks_of_csrf(file: ComparedFile, line: Line) -> bool:
    """The cookie is one that the page's scripts send back:
    https://owasp.org/www-community/attacks/csrf"""
    rows = file.head_rows[max(0, line.number - _AROUND) : line.number + _AROUND]
    return any(_CSRF.search(row) for row in (file.name, *rows))


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def is_chosen(file: ComparedFile, line: Line, pattern: re.Pattern[str]) -> bool:
    """Only where an option that speaks of it is on: who sets it knows what it does."""
    found = pattern.search(line.text)
    if found is None:
        return False
    if _OF_PEERS.search(found[0]) and _BY_DEFAULT.search(line.text[: found.start()]):
        return True
    either = (code_of(row) for row in _outer(file.head_rows, line.number, _AROUND, True))
    return _is_under(file, line, _OPTION, found) or any(map(_OPTION.search, either))


# It is what holds where an option does not say otherwise: `options.get("verify", `
_BY_DEFAULT = lazy_pattern(r"\.(?:get|pop|fetch)\([^()]*,\s*(?:\w+(?:\.|::))*$")


def _was_chosen(file: ComparedFile, line: Line, found: re.Match[str]) -> bool:
    """What was set from an option is set where the same option is on: it is only written so."""
    key = _KEY.search(found[0])
    given = (
        re.compile(rf"\b{key[0]}\b\W{{1,5}}(?:[\w.>-]*[.>])?(?P<name>[A-Za-z_]\w+)\W*$")
        if key
        else None
    )
    options = {
        name["name"]
        for old in (file.removed if given else ())
        if given and (name := given.search(code_of(old.text)))
    } - _CONSTANTS
    named = "|".join(sorted(options))
    condition = re.compile(rf"\b(?:if|unless|when)\b.*\b(?:{named})\b") if named else None
    return condition is not None and _is_under(file, line, condition, found, _IN_BRANCH)


def _was_so(file: ComparedFile, line: Line, found: re.Match[str]) -> bool:
    """Where the same name has such a value, as a text, it gets the value itself; where nothing is
    verified, it is only said again."""
    key = _KEY.match(found[0])
    if key is None:
        return False
    said = re.compile(
        rf"(?i)\b(?:el)?(?:if|unless|when)\b.*"
        rf"(?:\b{key[0]}\b\W.*[\"'](?:no|off|false|n|0)[\"']|(?:CERT|VERIFY)_NONE\b)"
    )
    return _is_under(file, line, said, found)


_IN_BRANCH = 40  # lines
_KEY = lazy_pattern(r"[A-Za-z_]\w{3,}")
_CONSTANTS = frozenset(("true", "false", "True", "False", "None", "null", "nil"))


def _is_under(
    file: ComparedFile,
    line: Line,
    condition: re.Pattern[str],
    found: re.Match[str],
    most: int = _AROUND,
) -> bool:
    """The line stands under such a condition, or has it beside what was found."""
    if condition.search(line.text[: found.start()] + line.text[found.end() :]):
        return True
    return any(condition.search(code_of(row)) for row in _outer(file.head_rows, line.number, most))


def _outer(rows: Sequence[str], number: int, most: int, either: bool = False) -> Iterator[str]:
    """What begins the blocks around a line, the innermost first; for `either` branch of a condition
    the condition as well."""
    depth = _depth(rows[number - 1])
    for row in reversed(rows[max(0, number - 1 - most) : number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row) + (either and _ELSE.match(row) is not None)
            yield row


_ELSE = lazy_pattern(r"[\s}]*else\b")
