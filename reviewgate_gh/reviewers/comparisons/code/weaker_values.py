"""Settings whose own name says what a value protects: one that was safe at base and is open at
head, or that is gone where the default is open."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_lock_file, without_packages
from .._definitions import language_of
from .._guards import code_of, surroundings_stay, weigh_loss, weigh_new
from .._remark import ComparisonRule, put, quoted, taken
from .._settings import Setting, read_settings
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ..additions.insecure import says_insecure
from .switched_off import LOCAL

EVERY_FILE = False
_RULE = ComparisonRule(
    "protection-removed",
    Priority.P2,
    "What it protected against may be possible again. Restore it, or give the reason next to it.",
)
# One of them is in whatever is told: the quick question
_WORDS = lazy_pattern(
    rb"(?i)public|_destroy|deletion|encrypt|cleartext|allowbackup|exported|debug|anonymous|insecure"
    rb"|arbitrary|unauth|final_snapshot|exposure|hosts|ddl-auto|ssl|tls|127\.0\.0\.1|origin"
    rb"|validation|condition|secure|cookie|max_|hidden|fillable|certificatepinner|maxbytes|kms"
    rb"|rotation|versioning|enable_log|hsts|http://|retention|cap_drop|no-new-priv|https|limit"
    rb"|include:"
    rb"|no_log|audience|issuer|checksum|sensitive|doctype|external-"
    rb"|processing|bzero|memset_s|memzero|zeromemory|cleanse|O_[NCE]"
)
_TRUE, _FALSE = r"(?:true|True|TRUE|1|yes|on)", r"(?:false|False|FALSE|0|no|off)"


class _Setting(NamedTuple):
    """A setting by its name; the values that protect, and those that do not."""

    key: str
    safe: str
    open: str
    title: str


_SETTINGS = (
    # https://registry.terraform.io/providers/hashicorp/aws/latest/docs
    _Setting(
        r"block_public_\w+|restrict_public_buckets|ignore_public_acls|prevent_destroy"
        r"|deletion_protection\w*|(?:storage_|at_rest_)?encrypt(?:ed|ion_enabled|ion)"
        r"|enable_log_\w+"
        r"|(?:Block|Restrict|Ignore)Public\w+|DeletionProtection|StorageEncrypted|kms_enabled"
        r"|enable_key_rotation|versioning",
        _TRUE, _FALSE, "a protection is switched off",
    ),
    # https://developer.android.com/guide/topics/manifest/application-element
    _Setting(
        r"(?:android:)?(?:usesCleartextTraffic|allowBackup|exported|debuggable)|isDebuggable"
        r"|publicly_accessible|PubliclyAccessible|allow_anonymous\w*|anonymous_access"
        r"|NSAllowsArbitraryLoads|allowInsecure\w*|allow_insecure\w*|allow_unauthenticated\w*"
        r"|skip_final_snapshot|force_destroy|map_public_ip_on_launch",
        _FALSE, _TRUE, "what was closed is now open",
    ),
    # https://docs.spring.io/spring-boot/reference/actuator/endpoints.html
    _Setting(r"exposure\.include|allowed_?hosts", r"[\w,. -]+", r"[\"'\[]*\*[\"'\]]*",
             "what was closed is now open"),
    # https://docs.spring.io/spring-boot/how-to/data-initialization.html
    _Setting(r"ddl-auto", r"validate|none", r"create(?:-drop)?|update",
             "the tables are altered or recreated at every start"),
    _Setting(r"backup_retention_(?:period|days)|BackupRetentionPeriod", r"[1-9]\d*", r"0",
             "backups are no longer kept"),
    _Setting(r"APP_DEBUG|DEBUG|debug", _FALSE, _TRUE, "a debug mode is on by default"),
)  # fmt: skip
# Versions of TLS that nobody should speak: https://www.rfc-editor.org/rfc/rfc8996
_OLD_TLS = lazy_pattern(
    r"\bSSLv[23]\b|\bTLSv1(?:\.[01])?\b(?!\.\d)|\bVersion(?:TLS1[01]|SSL30)\b|\bTLS_?1_[01]\b"
    r"|\b(?:[mM]in\w*(?:[vV]ersion|[tT]ls)\w*|tls_version)\W{1,5}(?:TLS)?v?1\.[01]\b"
    r"|\bSecurityProtocolType\.(?:Ssl3|Tls(?:11)?)\b|\bPROTOCOL_(?:SSLv\d+|TLSv1(?:_1)?)\b"
)
_SPEAKS_OF_TLS = lazy_pattern(r"(?i)ssl|tls|protocol|min_?version")
# A port of this machine, and one of all its addresses
_PORT = lazy_pattern(r"127\.0\.0\.1:(?P<ports>\d+:\d+)")
_GONE = lazy_pattern(
    r"^\s*(?P<key>block_public_\w+|restrict_public_buckets|ignore_public_acls|prevent_destroy"
    r"|deletion_protection|storage_encrypted|encrypted|enable_key_rotation)\s*=\s*true\s*$"
    r"|^\s*(?P<name>[\w.]*\b(?:force_ssl|hsts))\s*=\s*true\s*$"
    r"|^\s*app\.config\[[\"'](?P<config>MAX_CONTENT_LENGTH|SESSION_COOKIE_\w+)[\"']\]\s*="
    r"|^\s*(?P<constant>SECURE_\w+|SESSION_COOKIE_(?:SECURE|HTTPONLY)|CSRF_COOKIE_SECURE"
    r"|DATA_UPLOAD_MAX_MEMORY_SIZE|MAX_CONTENT_LENGTH)\s*="
    # https://laravel.com/docs/eloquent-serialization#hiding-attributes-from-json
    # https://developer.hashicorp.com/terraform/language/expressions/custom-conditions
    r"|^\s*(?P<block>validation|precondition|postcondition)\s*\{\s*$"
    r"|^\s*protected\s+\$(?P<field>hidden|fillable)\s*="
    # https://square.github.io/okhttp/features/https/#certificate-pinning
    # https://docs.docker.com/reference/compose-file/services/#security_opt
    r"|^\s*(?P<capabilities>cap_drop)\s*:|^\s*-\s*[\"']?(?P<privileges>no-new-privileges)\b"
    # https://learn.microsoft.com/aspnet/core/security/enforcing-ssl
    r"|^\s*\w+\.(?P<call>UseHttpsRedirection|UseHsts)\(\s*\)"
    r"|^\s*\.(?P<link>certificatePinner)\("
    # https://docs.ansible.com/ansible/latest/reference_appendices/logging.html
    r"|^\s*(?P<unlogged>no_log)\s*:\s*(?:true|yes|True)\s*$"
    r"|^\s*(?P<checksum>checksum)\s*:\s*[\"']?(?:sha|md5)"
    # https://developer.hashicorp.com/terraform/language/block/variable#sensitive
    r"|^\s*(?P<sensitive>sensitive)\s*=\s*true\s*$"
    # https://nginx.org/en/docs/http/ngx_http_limit_req_module.html
    r"|^\s*(?P<zone>limit_(?:req|conn))\s+(?:zone=)?\w"
    # https://datatracker.ietf.org/doc/html/rfc8725#section-3.8
    r"|^\s*(?P<claim>audience|issuer)\s*[=:]\s*[\w\"'.\[(]+.*,\s*$"
    # https://cheatsheetseries.owasp.org/cheatsheets/XML_External_Entity_Prevention_Cheat_Sheet.html
    r"|^\s*\w+\.setFeature\(.*(?P<xml>disallow-doctype-decl|external-\w+-entities|load-external-dtd"
    r"|FEATURE_SECURE_PROCESSING)\b.*\)\s*;"
    # https://man7.org/linux/man-pages/man3/bzero.3.html
    r"|^\s*(?P<wipe>explicit_bzero|memset_s|sodium_memzero|SecureZeroMemory|OPENSSL_cleanse)\("
    # https://docs.rs/reqwest/latest/reqwest/struct.ClientBuilder.html#method.https_only
    r"|^\s*\.(?P<https>https_only)\(true\)"
    r"|^\s*(?:\w+\.)?\w+\s*=\s*http\.(?P<limit>MaxBytesReader)\("
)
_OPEN_FIELDS = lazy_pattern(r"^\s*protected\s+\$guarded\s*=\s*\[\s*\]\s*;")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        named = any(_WORDS.search(hunk.body) for hunk in file.diff.hunks)
        if not named and not file.path.endswith(".plist"):  # whose keys have lines of their own
            continue
        edited = file.is_edited_product or (_MANIFEST.search(file.path) and file.removed)
        if edited and not (LOCAL.search(without_packages(file.path)) or is_lock_file(file.path)):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    yield from _opened_section(file)
    for block in file.blocks:
        if block.removed and block.added:
            yield from _weaker(file, block)
            yield from _old_versions(file, block)
            yield from _opened_port(file, block)
            yield from _any_origin(file, block)
            yield from _any_size(file, block)
            yield from _in_the_clear(sources, file, block)
            yield from _flag_lost(file, block)
            yield from _opened_plist(file, block)
        if block.removed:
            yield from _lost(sources, file, block)


def _weaker(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """The same line with another value."""
    for setting in _SETTINGS:
        before = _pattern(setting.key, setting.safe)
        after = _pattern(setting.key, setting.open)
        olds = {
            (found["key"], *_around(_code(line), found)): line
            for line in block.removed
            for found in before.finditer(_code(line))
        }
        for new in block.added if olds else ():
            for now in after.finditer(_code(new)):
                old = olds.get((now["key"], *_around(_code(new), now)))
                if old is not None and not says_insecure(new.text):
                    rule = weigh_new(_RULE, file, new)
                    title = f"{setting.title}: {now['key']}"
                    yield put(rule, file, new, title, quoted(old.text))


def _opened_section(file: ComparedFile) -> Iterator[Finding]:
    """The same, where the sections above are a part of the name."""
    if not file.path.endswith((".yml", ".yaml")) or "*" not in "".join(x.text for x in file.added):
        return
    before, after = (read_settings(file.path, text) for text in (file.base, file.head))
    for key, value in sorted(before - after):
        name = key.removesuffix("[]")
        new = next((line for line in file.added if re.search(r"[\"'\s]\*", line.text)), None)
        opened = {Setting(name, "*"), Setting(f"{name}[]", "*")} & after
        if opened and new and value != "*" and name.endswith(_SECTIONS):
            rule = weigh_new(_RULE, file, new)
            yield put(rule, file, new, f"what was closed is now open: {name}", f"`{value}`")
            return


_SECTIONS = ("exposure.include", "allowed_hosts", "allowed-hosts", "allowedhosts")


def _pattern(key: str, value: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w-])(?P<key>{key})[\"']?\]?(?:\s*(?:=>|==?|:)\s*|[\"']?\s*,\s*)[\"']?"
        rf"(?P<value>{value})(?![\w*-])"
    )


def _code(line: Line) -> str:
    return code_of(line.text).rstrip()


def _around(code: str, found: re.Match[str]) -> tuple[str, str]:
    return code[: found.start()].strip(), code[found.end() :].strip(" \"'>")


def _old_versions(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """An old version of TLS is spoken that was not before."""
    for new in block.added:
        found = _OLD_TLS.search(_code(new))
        if (
            not found
            or not _SPEAKS_OF_TLS.search(_code(new))
            or any(map(_OLD_TLS.search, file.base_rows))
        ):
            continue
        old = next((line for line in block.removed if _SPEAKS_OF_TLS.search(_code(line))), None)
        if old is not None and not _OLD_TLS.search(_code(old)):
            rule = weigh_new(_RULE, file, new)
            yield put(rule, file, new, f"an old version of TLS is allowed: {found[0]}",
                      quoted(old.text))  # fmt: skip


def _opened_port(file: ComparedFile, block: Block) -> Iterator[Finding]:
    for old in block.removed:
        found = _PORT.search(_code(old))
        for new in block.added if found else ():
            if found and found["ports"] in new.text and "127.0.0.1" not in new.text:
                title = f"a port of this machine is opened to others: {found['ports']}"
                yield put(_RULE, file, new, title, quoted(old.text))


def _any_origin(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """The middleware is no longer told which origins may read.
    https://expressjs.com/en/resources/middleware/cors.html"""
    old = next((line for line in block.removed if _SOME_ORIGINS.search(_code(line))), None)
    new = next((line for line in block.added if _ALL_ORIGINS.search(_code(line))), None)
    if old and new:
        yield put(_RULE, file, new, "any origin may read the responses", quoted(old.text))


_SOME_ORIGINS = lazy_pattern(r"\bcors\(\s*\{.*\borigin\b|\bCORS\(.*\borigins?\b")
_ALL_ORIGINS = lazy_pattern(r"\bcors\(\s*\)|\bCORS\(\s*\w*\s*\)")


def _any_size(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A body may have any size, or the larger one that is usual.
    https://expressjs.com/en/api.html#express.json"""
    for old in block.removed:
        if _OF_BODIES.search(_code(old)) and _SIZE.search(_code(old)):
            for new in block.added:
                if not _SIZE.search(_code(new)) and _unbraced(old) == _unbraced(new):
                    title = "a limit on the size of input is removed"
                    yield taken(_RULE, file, old, title, quoted(new.text))


def _unbraced(line: Line) -> str:
    return re.sub(r"[\s{},]+", "", _SIZE.sub("", _code(line)))


_OF_BODIES = lazy_pattern(
    r"\b(?:express|bodyParser)\.(?:json|urlencoded|raw|text)\(|\b(?:multer|fastify|Fastify|koaBody"
    r"|bodyParser|fileUpload)\("
)
_SIZE = lazy_pattern(
    r"\b(?:limits?|bodyLimit|(?:json|form|text)Limit|fileSize)\s*:\s*(?:\{[^}]*\}|[^,})]+)"
)


def _in_the_clear(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """The same address, without TLS."""
    news = {new.text.strip(): new for new in block.added if "http://" in new.text}
    for old in block.removed if news else ():
        code = _code(old)
        hosts = _TLS_HOST.findall(code)
        if squeeze(old.text) in sources.added_statements:
            continue  # the lines only change their order
        new = news.get(old.text.strip().replace("https://", "http://"))
        named = _OF_NAMES.search(code) or _OF_PACKAGES.search(code) or is_lock_file(file.path)
        if new is None or named or not hosts or all(map(_INSIDE.search, hosts)):
            continue
        if not _is_of_records(file, old):
            rule = weigh_new(_RULE, file, new)
            title = f"traffic to {hosts[0]} can be read and changed on the way"
            yield put(rule, file, new, title, quoted(old.text))


def _is_of_records(file: ComparedFile, line: Line) -> bool:
    """The address is a field of one of many records: data about others, and no setting."""
    field = line.text.partition("https://")[0]
    alike = sum(row.startswith(field) and "://" in row for row in file.base_rows)
    return not language_of(file.path) and alike > _FEW


_FEW = 5


# https://man7.org/linux/man-pages/man2/open.2.html
_FLAG = lazy_pattern(r"\s*\|\s*O_(?:NOFOLLOW|CLOEXEC|EXCL)\b")


# https://developer.apple.com/documentation/security/preventing-insecure-network-connections
_PLIST_KEY = lazy_pattern(
    r"<key>(?P<key>NSAllowsArbitraryLoads\w*|NSExceptionAllowsInsecureHTTPLoads)</key>"
)


def _opened_plist(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """The value of a key stands in the next line."""
    if not file.path.endswith(".plist") or not any("<false/>" in old.text for old in block.removed):
        return
    for new in block.added:
        found = _PLIST_KEY.search(file.head_rows[new.number - 2]) if new.number > 1 else None
        if found and "<true/>" in new.text:
            yield put(_RULE, file, new, f"what was closed is now open: {found['key']}", "`false`")


def _flag_lost(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A file is opened as before, without what made that safe."""
    for old in block.removed:
        flag = _FLAG.search(_code(old))
        for new in block.added if flag else ():
            bare = "".join(_FLAG.sub("", _code(old)).split())
            if flag and "".join(_FLAG.sub("", _code(new)).split()) == bare:
                lost = {*_FLAG.findall(_code(old))} - {*_FLAG.findall(_code(new))}
                if lost:
                    name = sorted(lost)[0].strip(" |")
                    yield put(
                        _RULE, file, new, f"opened without {name} from now on", quoted(old.text)
                    )
                    return


_TLS_HOST = lazy_pattern(r"https://(?:[^@/\s\"']*@)?([\w.-]+)")
# Names of this machine, of a private network or a cluster
_INSIDE = lazy_pattern(
    r"^[^.]+$|^(?:10|127|0)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^169\.254\."
    r"|\.(?:local|localhost|internal|svc|lan|cluster\.local|test|localdomain|home|corp)$"
)
# Told as a source of packages
_OF_PACKAGES = lazy_pattern(
    r"(?i)registry|index[-_]url|repositor|maven|mirror|npm|pypi|rubygems|nuget|distributionUrl"
    r"|^\s*source\b"
)
# What is compared and never fetched, or is only shown
_OF_NAMES = lazy_pattern(r"(?i)xmlns|\bns\b|namespace|schema|licen[cs]e|doctype|href|w3\.org|purl")


def _lost(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A setting is gone, and what it was set for is there."""
    if any(line.text.startswith("resource ") for line in block.removed):
        return  # told as a whole
    for old in block.removed:
        found = _GONE.search(_code(old))
        key = next((each for each in found.groups() if each), "") if found else ""
        if not key or file.head.count(key) >= file.base.count(key):
            continue
        moved = any(has_word(sources.added_text, each) for each in (key, _SAME.get(key, key)))
        if key in _CLAIMS and not _OF_TOKENS.search("\n".join(_near(file, old))):
            continue
        if moved or _is_set_otherwise(block) or not _stays(file, block):
            continue
        rule = weigh_loss(_RULE, file, block)
        now = quoted(block.added[0].text) if block.added else ""
        yield taken(rule, file, old, f"a protection is removed: {key}", now)


def _is_set_otherwise(block: Block) -> bool:
    """Something stands in its place that opens nothing."""
    new = [line.text for line in block.added if line.text.strip()]
    return bool(new) and not any(map(_OPEN_FIELDS.search, new))


_SAME = {"MaxBytesReader": "MaxBytesHandler"}  # the same by another name
_CLAIMS = ("audience", "issuer")  # which other things have as well
_OF_TOKENS = lazy_pattern(r"(?i)jwt|jose|token|decode|verif")


def _near(file: ComparedFile, line: Line) -> tuple[str, ...]:
    """The rows around a line of the base: the call that it may be an argument of."""
    return file.base_rows[max(0, line.number - _MOST - 1) : line.number + _MOST]


def _stays(file: ComparedFile, block: Block) -> bool:
    """The line before it is there; the setting may have a block of its own."""
    return len(block.removed) <= _MOST and surroundings_stay(file, block.removed[0])


# Settings in XML, which is prose otherwise
_MANIFEST = lazy_pattern(r"(?:^|/)(?:AndroidManifest\.xml|[wW]eb(?:\.\w+)?\.config|Info\.plist)$")
_MOST = 6  # lines
