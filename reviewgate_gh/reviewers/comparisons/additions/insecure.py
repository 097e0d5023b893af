"""Protection that a change switches off: certificate checks, permissions of files, cross-origin
rules, debug modes, and programs that are run as they come from the network."""

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_document, is_tests
from .._definitions import language_of
from .._guards import code_of, is_explained
from .._pipelines import PIPELINES
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = False
_TLS = ComparisonRule(
    "tls-check-off",
    Priority.P1,
    "Anybody between the two ends can read and change what is sent. Add the certificate that is "
    "missing to the trusted ones instead.",
)
_TLS_CHOSEN = replace(_TLS, priority=Priority.P2)
_OFFERED = "Only where an option says so, as elsewhere in the project."
_MODE = ComparisonRule(
    "world-writable",
    Priority.P2,
    "Every user and program of the machine may change it. Give only the rights that are needed.",
)
_PIPE = ComparisonRule(
    "download-executed",
    Priority.P2,
    "Whoever controls that address runs code here. Download a fixed version, compare its checksum, "
    "then run it.",
)
_DEBUG = ComparisonRule(
    "debug-on",
    Priority.P2,
    "Error pages then show code, settings and sometimes a console to everybody. Read it from the "
    "environment, off by default.",
)
_CORS = ComparisonRule(
    "cors-open",
    Priority.P2,
    "Pages of every site may then read the answers. Name the origins that need it.",
)
_COOKIE = ComparisonRule(
    "security-setting-off",
    Priority.P2,
    "What it protected against works again. Restore it, or name the reason beside it.",
)
_OF_CONTAINERS = "a container gets more rights"
_DESCRIPTION = lazy_pattern(r"\.(?:ya?ml|json|tf|hcl|tpl|jsonnet)$")
_PATTERNS: tuple[tuple[ComparisonRule, str, str], ...] = (
    (
        _TLS,
        "certificates are no longer checked",
        r"\b(?:verify|verify_ssl|ssl_verify|verify_certs?|validate_certs?|check_hostname"
        r"|ssl_verification|use_ssl_verification)\s*=\s*False\b"
        r"|[\"']?rejectUnauthorized[\"']?\s*[:=]\s*false|InsecureSkipVerify\s*[:=]\s*true"
        r"|NODE_TLS_REJECT_UNAUTHORIZED[\"'\]\s]*[=:]\s*[\"']?0"
        r"|CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|0|FALSE)|VERIFY_NONE\b"
        r"|\bCERT_NONE\b|_create_unverified_context"
        r"|\bwithoutVerifying\(\)|\bDisabled(?:Trust|ServerTrust)Evaluator\(|\ballHostsMustBeEvaluated:\s*false"
        r"|danger_accept_invalid_(?:certs|hostnames)\(true\)|danger_accept_invalid_certs"
        r"|NoopHostnameVerifier|ALLOW_ALL_HOSTNAME_VERIFIER|TrustAllStrategy|TrustSelfSigned\w*"
        r"|ServerCertificate(?:Custom)?ValidationCallback\s*\+?=.*(?:true|DangerousAcceptAny)"
        r"|\bDangerousAcceptAnyServerCertificateValidator"
        r"|\bssl_?[vV]erify\s*[:=]\s*[\"']?(?:false|off|0|no)\b|http\.sslVerify[\"'\s=,]+false"
        r"|strict-ssl[\"'\s=,]+false|PYTHONHTTPSVERIFY\s*=\s*[\"']?0"
        r"|GIT_SSL_NO_VERIFY\s*[=:]\s*[\"']?(?:1|true)"
        r"|\bcurl\b[^|;&]*\s(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)\b|\bwget\b[^"
        r"|;&]*--no-check-certificate|\bsslmode=disable\b|--trusted-host\b"
        r"|insecure_skip_verify\s*[:=]\s*true"
        r"|badCertificateCallback\s*=.*true|[\"']verify[\"']\s*=>\s*false|\bverify\s*:\s*:?(?:verify_none|false)\b"
        r"|setHostnameVerifier\(\(?\w*,?\s*\w*\)?\s*->\s*true|proxy_ssl_verify\s+off"
        r"|validate_certs:\s*(?:no|false)|verify_mode\s*=\s*OpenSSL::SSL::VERIFY_NONE"
        r"|tls_?verify\s*[:=]\s*[\"']?(?:false|0)\b|ssl:\s*\{\s*rejectUnauthorized:\s*false",
    ),
    (
        _MODE,
        "everybody may write this",
        r"\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx|ugo\+rwx|o\+w|a\+w|0?666)\b"
        r"|\bchmod(?:Sync)?\([^)]*0?o?(?:777|666)\b|Chmod\([^)]*0o?(?:777|666)\b(?=\s*\))"
        # A new file's mode goes through the umask: 0666 is what os.Create asks for as well
        # (https://pkg.go.dev/os#Create)
        r"|(?:WriteFile|OpenFile)\([^)]*0o?777\b(?=\s*\))"
        r"|\b\w*(?:[mM]ode|[pP]erm)\b[\w .]*:?=\s*(?:0o?)?0?777\b"
        r"|\bmode\s*:\s*[\"']?(?:0o?)?0?777\b|\bumask\(0(?:o?0*)?\)"
        r"|\bumask\s+0?00\b|from_mode\(0o777\)|setPosixFilePermissions.*rwxrwxrwx",
    ),
    (
        _PIPE,
        "a downloaded program is run unseen",
        r"\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:\w+=\S+\s+)*(?:/\S*/)?"
        r"(?:ba|z|da|k"
        r"|fi)?sh\b|\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+)?(?:python3?|node|perl|ruby"
        r"|php)\b"
        r"|\b(?:ba|z)?sh\s+(?:-c\s+[\"']?\$\(|<\(|-c\s+\"`)\s*(?:curl|wget)\b|\b(?:iex"
        r"|Invoke-Expression)\b.*(?:Invoke-WebRequest|iwr|DownloadString|irm|Invoke-RestMethod)"
        r"|(?:iwr|irm|Invoke-WebRequest)\b.*\|\s*iex\b|\beval\s+\"?\$\((?:curl|wget)\b"
        r"|(?:\bsource|(?:^|[\s;&|])\.)\s+<\((?:curl|wget)\b"
        r"|\b(?:python3?|node|perl|ruby|php)\s+-[cer]\s+[\"']?\$\(\s*(?:curl|wget)\b"
        r"|\b(?:curl|wget)\b[^|;&\n]*\s-[oO]\s*(?P<saved>[\w./-]+)[^|;&\n]*(?:&&|;)\s*"
        r"(?:chmod\s+\S+\s+(?P=saved)\s*(?:&&|;)\s*)?(?:sudo\s+)?(?:(?:ba|z|da|k)?sh\s+)?"
        r"(?:\./)?(?P=saved)(?=$|[\s;&|\"'])",
    ),
    (
        _DEBUG,
        "a debug mode is switched on",
        r"^\s*(?:export\s+|ENV\s+)?(?:app\.)?(?:DEBUG|FLASK_DEBUG|APP_DEBUG|DJANGO_DEBUG"
        r"|app\.debug|WP_DEBUG|TEMPLATE_DEBUG)\s*=\s*[\"']?(?:True|true|1)\b"
        r"|\.run\([^)]*\bdebug\s*=\s*True|config\.consider_all_requests_local\s*=\s*true"
        r"|^\s*\w+\.config\[[\"']DEBUG[\"']\]\s*=\s*True|app\.debug\s*=\s*(?:true|True)"
        r"|<compilation[^>]*debug=\"true\"|display_errors\s*(?:=|,|\s)\s*[\"']?(?:On|1)\b"
        r"|define\(\s*[\"']WP_DEBUG[\"']\s*,\s*true|android:debuggable=\"true\""
        r"|server\.error\.include-stacktrace\s*=\s*always|\bFastAPI\([^)]*debug=True"
        r"|^\s*(?:FLASK_ENV|RAILS_ENV|NODE_ENV)\s*=\s*[\"']?development",
    ),
    (
        _CORS,
        "every origin may read the answers",
        r"Access-Control-Allow-Origin[\"']?\s*\]?\s*(?:=>|[,:=]|\)\s*=)?\s*[\"'*]*\*"
        r"|\ballow_origins\s*=\s*\[\s*[\"']\*[\"']|CORS_(?:ORIGIN_ALLOW_ALL"
        r"|ALLOW_ALL_ORIGINS)\s*=\s*True|\borigin\s*:\s*(?:[\"']\*[\"']|true\b)"
        r"|AllowAnyOrigin\(\)|AllowAllOrigins\s*:\s*true"
        r"|@CrossOrigin\((?:origins\s*=\s*)?\"\*\"|\.allowedOrigin(?:s|Patterns)\(\"\*\""
        r"|AllowedOrigins\s*:\s*\[\]string\{\"\*\"|\borigins\s*[=:]?\s*[\"']\*[\"']"
        r"|CorsLayer::(?:permissive|very_permissive)\(\)|Any\s*\(\s*\)\s*//\s*cors"
        r"|\bSetIsOriginAllowed\(\s*\w+\s*=>\s*true|allowed_origins[\"']?\s*(?:=>|=|:)\s*\[?\s*[\"']\*[\"']"
        r"|set_header\([\"']Access-Control-Allow-Origin[\"'],\s*[\"']\*",
    ),
    (
        _COOKIE,
        "a protection is switched off",
        r"\b(?:SESSION_COOKIE_SECURE|CSRF_COOKIE_SECURE|SESSION_COOKIE_HTTPONLY"
        r"|SECURE_SSL_REDIRECT|SECURE_CONTENT_TYPE_NOSNIFF|WTF_CSRF_ENABLED"
        r"|SECURE_HSTS_INCLUDE_SUBDOMAINS)[\"'\]]*\s*[=:]\s*False"
        r"|^\s*ALLOWED_HOSTS\s*=[^#\n]*\[\s*[\"']\*[\"']|\b(?:httpOnly|http_only|httponly"
        r"|secure)\s*[:=]\s*(?:false|False)\b|csrf\(\)\.disable\(\)"
        r"|\.csrf\((?:AbstractHttpConfigurer::disable|csrf\s*->\s*csrf\.disable\(\))\)"
        r"|^\s*skip_before_action\s+:(?:verify_authenticity_token|authenticate\w*)"
        r"|^\s*(?:skip_auth\w+|allow_unauthenticated_access)\b(?!\s*=)"
        r"|protect_from_forgery\s+.*null_session|@csrf_exempt\b|autoescape\s*=\s*False"
        r"|\bautoescape\s+false|contentSecurityPolicy\s*:\s*false|\bhelmet\(\{[^}]*false"
        r"|config\.force_ssl\s*=\s*false|--privileged\b|webSecurity\s*:\s*false"
        r"|contextIsolation\s*:\s*false|nodeIntegration\s*:\s*true"
        r"|dangerouslyDisable\w+\s*[:=]\s*true|algorithms?\s*[:=]\s*\[?\s*[\"']none[\"']"
        r"|verify_signature[\"']?\s*:\s*False|StrictHostKeyChecking[= ]no|AutoAddPolicy\(\)"
        r"|publicly_accessible\s*=\s*true|acl\s*=\s*\"public-read"
        r"|cidr_blocks\s*=\s*\[\s*\"0\.0\.0\.0/0\"",
    ),
    (
        _COOKIE,
        _OF_CONTAINERS,
        r"^\s*-?\s*[\"']?(?:privileged|allowPrivilegeEscalation)[\"']?\s*[:=]\s*true"
        r"|^\s*-?\s*[\"']?runAsNonRoot[\"']?\s*[:=]\s*false",
    ),
)
# ruff tells these of Python by itself: https://docs.astral.sh/ruff/rules/#flake8-bandit-s
_RUFF = lazy_pattern(
    r"\b(?:requests|httpx)\.\w+\(.*verify\s*=\s*False|_create_unverified_context"
    r"|\.run\([^)]*debug\s*=\s*True|os\.chmod\(|autoescape\s*=\s*False|AutoAddPolicy"
)
_LONGEST = 1000
_AROUND = 8  # lines
_OPTION = lazy_pattern(
    r"(?:^|[\s(={,])(?:el)?(?:if|unless|when)\b.*(?:insecure|unsafe|skip|ignore|self_?signed|allow"
    r"|verify|trust)",
    re.I,
)
# What they say of a server is about that of developers
_DEVELOPMENT = lazy_pattern(
    r"(?:^|/)(?:vite|webpack|rspack|rsbuild|vue)[\w.-]*\.config[\w.-]*\.\w+$"
)
_LOCAL = lazy_pattern(
    r"(?:^|[/._-])(?:dev|local|development|debug|example|sample|demo|test)\w*(?:[/._-]|$)"
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
_FOR_SCRIPTS = lazy_pattern(r"http_?only", re.I)
_CSRF = lazy_pattern(r"[cx]srf", re.I)
# One of them is in whatever a pattern finds: the quick question about a file, and about a line
_WORDS = (
    r"erif|VERIF|rejectUn|Insecure|insecure|CERT_NONE|danger|Hostname|Trust|Certificate"
    r"|strict-ssl|check_host|unverified|sslmode|trusted-host|ertif"
    r"|withoutVer|Evaluat|777|666|chmod|umask|rwx|curl|wget|iex|Expression|ebug|DEBUG|_ENV|display_err|stacktrace"
    r"|consider_all"
    r"|rigin|ORIGIN|Cors|COOKIE|SECURE|CSRF|csrf|HOSTS|ecure|ttpOnly|forgery|skip_before"
    r"|escape|rivilege|NonRoot|Integration|Isolation|lgorithm|StrictHost|AutoAdd|accessible"
    r"|skip_auth|allow_unauth|public-read|0\.0\.0\.0|force_ssl|helmet|ecurity|NO_VERIFY"
)
_IN_A_FILE, _IN_A_LINE = lazy_pattern(_WORDS.encode()), lazy_pattern(_WORDS)


def says_insecure(text: str) -> bool:
    """The line is one of those that this comparison tells."""
    return any(re.search(source, text) for _rule, _title, source in _PATTERNS)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if file.added and not file.is_gone and _may_matter(file):
            yield from _in_file(sources, file)


def _may_matter(file: ComparedFile) -> bool:
    if not file.is_product and not file.name.endswith((".sh", "Dockerfile")):
        return False
    return any(_IN_A_FILE.search(hunk.body) for hunk in file.diff.hunks)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    code = _new_code(sources, file)
    for rule, title, source in _PATTERNS:
        if title == _OF_CONTAINERS and not _DESCRIPTION.search(file.path):
            continue
        pattern = re.compile(source)
        line = next(
            (line for line in code if pattern.search(line.text) and not _is_moot(file, line, rule)),
            None,
        )
        if line is None or _was_there(file, pattern):
            continue
        old = next((each for each in _beside(file, line.number)), None)
        new = title == _OF_CONTAINERS and file.is_new  # nothing had less
        if rule is _TLS:
            weighed = _weigh_tls(sources, file, line, pattern)
        elif (
            new
            or _is_meant(sources, file, line, rule)
            or _goes_elsewhere(sources, pattern)
            or (rule is _CORS and _goes_elsewhere(sources, _ECHOED))
        ):
            weighed = hint(rule)
        else:
            weighed = rule
        yield put(weighed, file, line, title, quoted(old.text) if old else "")


def _weigh_tls(
    sources: ComparisonInput, file: ComparedFile, line: Line, pattern: re.Pattern[str]
) -> ComparisonRule:
    usual = _is_usual(sources, pattern, _words(pattern, line))
    if _is_chosen(file, line, pattern):
        return hint(_TLS, _OFFERED) if usual else _TLS_CHOSEN
    return _TLS_CHOSEN if usual or _goes_elsewhere(sources, pattern) else _TLS


def _new_code(sources: ComparisonInput, file: ComparedFile) -> list[Line]:
    """The statements that the change adds, and takes away nowhere."""
    return [
        Line(line.number, bare)
        for line in _whole((file.code if language_of(file.path) else file).added)
        if len(line.text) <= _LONGEST
        and _IN_A_LINE.search(line.text)
        and squeeze(line.text) not in sources.removed_statements
        and (bare := code_of(line.text))
    ]


def _whole(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines, each with those in which its command goes on."""
    for at, line in enumerate(lines):
        text = line.text
        for more in lines[at + 1 :]:
            if not text.endswith("\\") or len(text) > _LONGEST:
                break
            text = f"{text[:-1].rstrip()} {more.text.strip()}"
        yield line if text is line.text else Line(line.number, text)


def _is_meant(
    sources: ComparisonInput, file: ComparedFile, line: Line, rule: ComparisonRule
) -> bool:
    """A comment says why, the project installs programs in this way elsewhere, or the setting may
    be another one."""
    if is_explained(file, line) or (rule is _COOKIE and not _is_certain(file, line)):
        return True
    pattern = next(source for each, _title, source in _PATTERNS if each is _PIPE)
    tool = "wget" if "wget" in line.text else "curl"
    return rule is _PIPE and _is_usual(sources, re.compile(pattern), [tool])


def _is_usual(sources: ComparisonInput, pattern: re.Pattern[str], words: Collection[str]) -> bool:
    """Code that the change leaves alone does the same; the words find it."""
    return any(
        place.path not in sources.changed_paths
        and not (is_document(place.path) or is_tests(place.path))
        and pattern.search(code_of(place.text))
        for places in sources.find_words(words).values()
        for place in places
    )


def _words(pattern: re.Pattern[str], line: Line) -> list[str]:
    """The longest word of what the pattern finds in the line."""
    found = pattern.search(line.text)
    return sorted(re.findall(r"\w{6,}", found[0]) if found else [], key=len)[-1:]


def _is_chosen(file: ComparedFile, line: Line, pattern: re.Pattern[str]) -> bool:
    """Only where an option that speaks of it is on: who sets it knows what it does."""
    rows = file.head_rows
    depth = _depth(rows[line.number - 1])
    if _OPTION.search(pattern.sub("", line.text)):
        return True
    for row in reversed(rows[max(0, line.number - 1 - _AROUND) : line.number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            if _OPTION.search(code_of(row)):
                return True
    return False


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _is_moot(file: ComparedFile, line: Line, rule: ComparisonRule) -> bool:
    """Told by a linter, a text that only speaks of it, or a setting for development."""
    if file.name == "package.json" and re.match(r"\s*\"(?:pre|post)?install\"", line.text):
        return True  # told as a script that runs at installation
    if file.path.endswith(".py") and _RUFF.search(line.text):
        return True
    if re.match(
        r"\s*(?:\"\"\"|'''|iex>|>>>|echo\b|print|log|console|raise|throw|help=|\"[^\"]*\",?\s*$)",
        line.text,
    ):
        return True
    if file.name.endswith(".sh") and _is_shown(file.head_rows, line.number):
        return True
    if rule is _COOKIE and _FOR_SCRIPTS.search(line.text) and _speaks_of_csrf(file, line):
        return True
    if rule is _COOKIE and _DEVELOPMENT.search(file.path):
        return True
    if rule is _DEBUG and PIPELINES.search(file.path):
        return True  # a build for debugging shows nobody a page
    return rule in (_DEBUG, _CORS) and _LOCAL.search(file.path) is not None


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
    if file.is_new or _LOCAL.search(file.path) or _MAY_BE_ELSE.search(line.text):
        return False
    short = _SHORT_NAME.search(line.text)
    if short is None:
        return True
    rows = file.head_rows[max(0, line.number - _NEAR) : line.number + _NEAR]
    was_on = re.compile(rf"(?i)\b{short['name']}\s*[:=]\s*true\b")
    if any(map(_SET_UP.search, rows)):
        return True
    return any(map(_OF_COOKIES.search, rows)) and any(map(was_on.search, file.base_rows))


def _speaks_of_csrf(file: ComparedFile, line: Line) -> bool:
    """The cookie is one that the page's scripts send back:
    https://owasp.org/www-community/attacks/csrf"""
    rows = file.head_rows[max(0, line.number - _AROUND) : line.number + _AROUND]
    return any(_CSRF.search(row) for row in (file.name, *rows))


def _was_there(file: ComparedFile, pattern: re.Pattern[str]) -> bool:
    """The file did the same before: nothing is switched off that was on."""
    return any(pattern.search(code_of(row)) for row in file.base_rows if len(row) <= _LONGEST)


def _goes_elsewhere(sources: ComparisonInput, pattern: re.Pattern[str]) -> bool:
    """The change takes the same away from another file of the product: it may have moved, and be
    written in another way now."""
    return any(
        pattern.search(code_of(line.text))
        for file in sources.files
        if file.is_product
        for line in file.removed
    )


# Whoever asks is allowed: no less open than `*`
_ECHOED = lazy_pattern(r"(?i)Access-Control-Allow-Origin\b\W.*\borigin\b")


def _beside(file: ComparedFile, number: int) -> tuple[Line, ...]:
    for block in file.blocks:
        if any(line.number == number for line in block.added):
            return block.removed
    return ()
