"""Tokens that a program takes at their word: it reads what a JSON Web Token says and does not check
who signed it, or whether it still holds.

https://datatracker.ietf.org/doc/html/rfc8725#section-3, https://cwe.mitre.org/data/definitions/347.html
"""

from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, is_explained
from .._remark import ComparisonRule, hint, put
from .._sources import ComparedFile, ComparisonInput, squeeze

EVERY_FILE = False
UNVERIFIED = ComparisonRule(
    "token-unverified",
    Priority.P2,
    "Anyone can write such a token and be whoever it names. Check its signature with a key and a "
    "fixed algorithm.",
)
_LONGEST = 1000
_QUICK = lazy_pattern(
    rb"(?i)verif|unsafe|none|lifetime|decode|signed|insecure|expir|SignatureV|peek|parseClaimsJwt"
)
# What no use of a library needs in front of a check: each says in its name that there is none
_OFF = lazy_pattern(
    # https://pyjwt.readthedocs.io/en/stable/api.html, https://github.com/mpdavis/python-jose
    r"[\"']?verify_signature[\"']?\s*[:=]\s*False\b|\bjwt\.decode\([^#\n]*\bverify\s*=\s*False\b"
    r"|\bjwt\.get_unverified_claims\("
    # https://github.com/auth0/node-jsonwebtoken, https://www.rfc-editor.org/rfc/rfc7518#section-3.6
    r"|(?i:\balgorithms?[\"']?\s*[:=]\s*\[?\s*[\"']none[\"'])"
    # https://pkg.go.dev/github.com/golang-jwt/jwt/v5
    r"|\.ParseUnverified\(|\bUnsafeAllowNoneSignatureType\b"
    # https://github.com/jwtk/jjwt, https://javadoc.io/doc/com.auth0/java-jwt
    r"|\.parseClaimsJwt\(|\bAlgorithm\.none\(\)"
    # https://github.com/jwt/ruby-jwt#algorithms-and-usage
    r"|\bJWT\.decode[ (][^#\n]*,\s*nil\s*,\s*false\b"
    # https://learn.microsoft.com/dotnet/api/microsoft.identitymodel.tokens.tokenvalidationparameters
    r"|\bRequireSignedTokens\s*=\s*false\b"
    r"|\bSignatureValidator\s*=\s*\(?[^)=]{0,80}\)?\s*=>\s*new\b"
    # https://docs.rs/jsonwebtoken
    r"|\binsecure_disable_signature_validation\(|\bdangerous_insecure_decode\w*\("
)
# Read and not verified: how else a program learns of the key, or a page of its user
_READS = lazy_pattern(
    r"\b(?:jwt|jsonwebtoken|JWT|JWTDecoder)\.decode\(\s*[\w.]+\s*\)|\bjwt_?[dD]ecode\(\s*[\w.$]+"
    r"|\bdecodeJwt\(|\bJOSE\.decode|\bJoken\.peek_claims\("
)
_LATE = lazy_pattern(
    r"\bignoreExpiration\s*:\s*true\b|\bvalidate_exp\s*=\s*false\b|\bValidateLifetime\s*=\s*false\b"
    r"|[\"']verify_exp[\"']\s*:\s*False\b"
)
_OLD_ONES = lazy_pattern(r"(?i)refresh|renew|log_?out|sign_?out|revoke|expired|blacklist|denylist")
# The token is checked in the same file
_CHECKS = lazy_pattern(
    r"(?i)\bjwt_?verify\b|\bjwt\.verify\b|\bverify\w*\(\s*\w*token|ParseWithClaims\(|\.verify\("
    r"|jwks|PyJWKClient|\bpublic_?key\b|algorithms\s*=\s*\[(?!\s*[\"']none)|parseClaimsJws\("
    r"|introspect|verify_(?:id_)?token|parseSignedClaims\(|\bjwtVerify\("
)
# What a server reads; a client that sends a token may look into its own
_OF_REQUESTS = lazy_pattern(
    r"(?i)(?:\bget\w*\(|\[|header\()\s*[\"'](?:http_)?authorization[\"']|headers?\.authorization"
    r"|\breq(?:uest)?\.(?:headers?|cookies)|\bHTTPBearer\b|\bOAuth2PasswordBearer\b"
    r"|\bhttp_authorization\b|\bcurrent_?user\b"
)
_GO_READS = lazy_pattern(r"\br\.Header\b|\.GetHeader\(|FromIncomingContext|\.Header\.Get\(")
_OF_SERVERS = lazy_pattern(r"(?i)auth|token|jwt|secur|login|session|middleware|identity")
_SERVES = lazy_pattern(
    r"(?i)[\"']jsonwebtoken[\"']|\breq\.(?:headers?|cookies|user)|\bctx\.(?:state|request)"
    r"|\brequest\.headers"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if not file.is_product or file.is_gone or file.is_foreign:
            continue
        if any(_QUICK.search(hunk.body) for hunk in file.diff.hunks):
            yield from _in_file(sources, file)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for line in file.code.added:
        text = code_of(line.text)
        if len(text) > _LONGEST or squeeze(line.text) in sources.removed_statements:
            continue
        title = _title(file, text)
        if title and not _was_there(file, text):
            rule = hint(UNVERIFIED) if is_explained(file, line) else UNVERIFIED
            yield put(rule, file, line, title)
            return


def _title(file: ComparedFile, text: str) -> str:
    """What is wrong with a line; "" where nothing is."""
    if _OFF.search(text):
        if "ParseUnverified" in text:
            asked = _GO_READS.search(file.head) is not None
        else:
            asked = bool(_OF_SERVERS.search(file.path) or _OF_REQUESTS.search(file.head))
        asked = asked and not _checks(file, text)
        return "the signature of a token is not checked" if asked else ""
    if _READS.search(text):
        read = _SERVES.search(file.head) and _OF_REQUESTS.search(file.head)
        return "a token is read and not verified" if read and not _checks(file, text) else ""
    if _LATE.search(text) and not _OLD_ONES.search(file.path + file.head):
        return "a token that has expired is accepted"
    return ""


def _checks(file: ComparedFile, text: str) -> bool:
    """Another line of the file verifies."""
    return any(_CHECKS.search(row) for row in file.code.head_rows if row.strip() != text.strip())


def _was_there(file: ComparedFile, text: str) -> bool:
    found = _OFF.search(text) or _READS.search(text) or _LATE.search(text)
    return found is not None and squeeze(found[0]) in squeeze(file.base)
