"""Whether a value can be a secret: how much of it no words, numbers or names explain."""

import math
from collections import Counter
from functools import lru_cache
from itertools import pairwise

from .kind import compiled

# What people write in place of a secret
_PLACEHOLDER = (
    r"(?i)example|placeholder|change.?(?:me|this|it)|your[_\-]|dummy|fake|sample|redacted|insert"
    r"|replace|xxxx|\*{3}|\.{3}|1234567|abcdef|deadbeef|foobar|testtest|^<|<[\w \-.:/]{1,40}>"
    r"|\$\{|\{\{|%\(|localhost|password$|passwd$|secret$|0000000|insecure|not.?a.?(?:real|secret)"
    r"|mock|todo"
    r"|my[_\-](?:secret|token|key|pass|api|super)|super.?secret|do.?not.?use|change.?in.?prod"
    r"|(?:^|[_\-])(?:invalid|bogus|secret|random|some|any|test|testing)(?:[_\-]|$)"
)
# In a vendor's own form some of these are chance
_SURELY_NONE = (
    r"(?i)example|placeholder|change.?me|your[_\-]|dummy|fake|sample|redacted|insert"
    r"|replace|xxxx|\*{3}|\.{3}|1234567|abcdef|deadbeef|foobar|testtest|^<|<[\w \-.:/]{1,40}>"
    r"|\$\{|\{\{|%\(|localhost|0000000"
)
_COMMON = (
    r"(?i)passw|p.ssw[o0]rd|admin|test|user|demo|s[e3]cr[e3]t|qwerty|welcome|letmein|guest|root"
    r"|foo|hello|token|hunter2|credential|login|temp|default|(?:^|[^a-z])(?:key|pass"
    r"|pw)(?:$|[^a-z])"
)
# Another place that holds the value, or text around it
_REFERENCE = (
    r"(?i)\[\^?(?:\w-\w|\\[wds])|\$[\w({]|%env\(|%[A-Za-z_]+%|%[sd]|\{\w*\}|\{\{|<[^>]*>|#\{|@\{"
    r"|\$\$|\$\("
    r"|(?:arn|vault|op|ref\+\w+|env|file|sops|ssm|gcp|azurekeyvault|keyvault|secretref|awssm|kms"
    r"|projects|enc|data|urn|blob|mailto|javascript|docker|oci|gs|s3|jdbc|classpath|resolve|secret"
    r"|config|prompt|lookup|const|var|param|ref)[:/]"
    r"|ENC\[|@Microsoft\.|!(?:Ref|Sub|vault|secret|env)|https?:"
    r"|(?!base64:)[a-z][a-z0-9+.\-]{0,30}:[/?]"
    r"|[~.]{0,2}/|\\[\\.]|[A-Za-z]:\\|\$ANSIBLE|\.\.?/"
    r"|(?:sha(?:1|256|384|512)|md5|h1|blake2b|blake3)[\-:$]"
    r"|(?:[\w.@\-]{1,64}:)?\$[a-z0-9][a-z0-9\-]{0,15}\$|SCRAM-SHA-"
    r"|pbkdf2_|argon2|bcrypt|\{(?:SSHA|SHA|MD5|CRYPT)\}|scrypt|AAAA[BCE]3Nza|ssh-|MI[IGH]|MFkwEw"
    r"|MHYwEA|MCowBQ|MFIwEA|iVBOR"
    r"|R0lGOD|/9j/|UklGR|LS0tLS1C|PHN2Zy|data:|-?0x[0-9a-f]{0,16}\Z|process\.env|os\.environ"
    r"|env\.|ENV\[|self\.|this\.|System\.|Environment\.|config\.|settings\.|secrets?\.|vars?\."
    r"|local\.|data\.|module\.|aws_\w+\.|random_\w+\.|null\Z|none\Z|true\Z|false\Z|undefined\Z"
    # Made to be published: https://docs.stripe.com/keys,
    # https://docs.mapbox.com/help/dive-deeper/access-tokens/,
    # https://supabase.com/docs/guides/api/api-keys, https://posthog.com/docs/api
    r"|pk_(?:live|test)|pk\.eyJ|sb_publishable_|phc_|com\.|org\.|io\.|net\."
    # Sealed for a cluster alone: https://github.com/bitnami-labs/sealed-secrets
    r"|Ag[A-D][A-Za-z0-9+/]{600}"
    # Names of algorithms: https://www.iana.org/assignments/jose/jose.xhtml
    r"|(?:(?:[HREP]S(?:256|384|512)|ES256K|EdDSA|A\d{3}(?:KW|GCM(?:KW)?))[,;| ]{0,2})+\Z"
)
_UUID = r"(?i)\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?\Z|0x[0-9a-f]{40}\Z"
_FILE = r"(?:[\w@.\-{}$]{1,200}/){1,20}[\w@.\-]{0,200}\.[a-z][a-z0-9]{1,7}\Z"
# At least one part without a sign is longer than the names of paths usually are
_BASE64 = (
    r"(?=[a-z0-9+/]*[A-Z])(?=[A-Za-z+/]*[0-9])(?=[A-Za-z0-9+/]*?[A-Za-z0-9]{8})"
    r"[A-Za-z0-9+/]{32,}={0,2}"
)
_DATE = r"(?:19|20)\d\d-?\d\d(?:-?\d\d)?(?:[T ]?\d\d:?\d\d(?::?\d\d)?(?:\.\d+)?Z?)?\Z"
_DOTTED = r"[A-Za-z_$][\w$]*+(?:(?:\.|::|->|\?\.|!\.)[A-Za-z_$][\w$]*+)*+[!?]?\Z"
_OPERATOR = r"\w[(\[]|[)\]]\Z|=>|->|\|\||&&|==|\+\+|::"
_CODE_WITHIN = r"&&|\|\||=>|\)\{|\(\)|==[=(`\w]|\);"
_SPLIT = r"[^A-Za-z0-9]+"
_PIECES = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"
_SYMBOL = r"[!#$%&*+?@^~=()]"
_HEX = r"(?:0x)?(?:[0-9a-f]{16,}|[0-9A-F]{16,})\Z"
# The 220 commonest pairs of letters in the words of source code: they make 90% of a word's pairs,
# and a third of those of random letters.
_PAIRS = (
    "aabcdgilmnprstuvy bbaeilorsu ccacehiklorstu ddadeilosu eeacdefglmnpqrstvx ffaefiloru "
    "ggehinors hhaeio iiabcdefglmnoprstvz kkei lladeilostuy mmaeilmops nnacdefgiostuv "
    "ooabcdfgiklmnoprstuvw ppaehiloprstuy qqu rracdegilmnoprstuy ssacehilopstu ttacehilorstuy "
    "uuabceilmnprst vvaei wwaio xxpt yyp zze"
)
_FOLLOWS = {row[0]: row[1:] for row in _PAIRS.split()}
_TWO_LETTERS = "id to of in is my by db it on at or no up us de eu io js ts py go vm ip os"
_SHORT = frozenset(_TWO_LETTERS.split())
_UNICODE = r"\\u[0-9A-Fa-f]{4}"  # text in another script
_ESCAPE = r"%[0-9A-Fa-f]{2}"
_MOSTLY_WORDS = 0.58  # of a part: Ed25519PrivateKey
# A part of so many characters whose pieces are shorter than this was never written by a person
_LONG_PART, _SHORT_PIECES = 12, 2.8
_WORDLESS = 12  # characters of a dotted name, which is none
_LIKE_A_WORD = 0.6  # of its pairs
LONGEST = 1024  # characters that are looked at


def is_placeholder(value: str, vendor: bool = False) -> bool:
    """People put it where a secret belongs; `vendor`: it has the form of a vendor's own."""
    found = compiled(_SURELY_NONE if vendor else _PLACEHOLDER).search(value)
    return found is not None or (len(value) > 8 and len(set(value)) < 5)


def is_reference(value: str) -> bool:
    """It says where the secret is, or it is an address, a digest, a date or a public key."""
    return (
        (compiled(_REFERENCE).match(value) is not None and not _is_coded(value))
        or compiled(_DATE).match(value) is not None
        or ("/" in value and compiled(_FILE).match(value) is not None)
        or "${" in value
        or compiled(_UNICODE).search(value) is not None
        or "{{" in value
        or "%(" in value
        or "$(" in value
    )


def _is_coded(value: str) -> bool:
    """Random bytes in base64, whose slashes and signs by chance look like paths and operators."""
    if value[:1] not in "/+" and "++" not in value:
        return False
    return compiled(_BASE64).fullmatch(value) is not None and is_random(value, 24)


def is_code_between(value: str) -> bool:
    """What stands between two quotation marks that belong to other strings: minified code."""
    return compiled(_CODE_WITHIN).search(value) is not None


def is_object_name(value: str) -> bool:
    """As long as the id of a git object, of an OpenPGP key or of a document in MongoDB."""
    return len(value) in (16, 24, 40) and compiled(_HEX).match(value) is not None


def without_escapes(value: str) -> str:
    """The value without the escapes of an address, which look like letters and digits."""
    return compiled(_ESCAPE).sub("", value) if "%" in value else value


def is_uuid(value: str) -> bool:
    """It is a UUID or a chain's address, which name things; few vendors use them as keys."""
    return compiled(_UUID).match(value) is not None


def is_code(value: str) -> bool:
    """Without quotes, it is an expression of a programming language."""
    dotted = compiled(_DOTTED).match(value) is not None and (
        "." in value or ":" in value or "->" in value
    )
    named = (dotted or value.lstrip("@&*!").isalpha()) and unexplained(value) < _WORDLESS
    operated = compiled(_OPERATOR).search(value.rstrip("=")) is not None
    return named or (operated and not _is_coded(value))


def is_random(value: str, least: int) -> bool:
    """At least so many of its characters, and two fifths of all, are no words and numbers."""
    value = value[:LONGEST]
    if len(value) < least or 2 * sum(c.isalnum() for c in value) < len(value):
        return False
    if compiled(_HEX).match(value):
        return entropy(value) >= 2.9 and not value.isdigit()
    unknown = unexplained(value)
    return unknown >= least * 0.7 and unknown >= 0.4 * len(value) and entropy(value) >= 2.8


def is_password(value: str) -> bool:
    """As people make one up: letters of both cases, or any, with digits and a sign."""
    if not 8 <= len(value) <= 64 or compiled(_COMMON).search(value) or entropy(value) < 2.5:
        return False
    kinds = (
        any(c.islower() for c in value),
        any(c.isupper() for c in value),
        any(c.isdigit() for c in value),
        compiled(_SYMBOL).search(value) is not None,
    )
    if sum(kinds) < 3:
        return False
    return kinds[3] or unexplained(value) >= 6


@lru_cache(2_000)
def unexplained(value: str) -> int:
    """Characters that no word, number, version or short part explains."""
    return sum(_unknown(token) for token in compiled(_SPLIT).split(value) if len(token) > 3) + (
        len(compiled(_SYMBOL).findall(value.rstrip("="))) * 2
    )


def _unknown(token: str) -> int:
    """Of one part between signs. A digit belongs to what stands before it."""
    pieces = compiled(_PIECES).findall(token)
    if len(token) >= _LONG_PART and len(pieces) * _SHORT_PIECES > len(token):
        return len(token)
    unknown, known_before, words = 0, True, 0
    for piece in pieces:
        if piece.isdigit():
            known = known_before and (len(piece) <= 4 or piece == token or len(piece) == 8)
        else:
            known = _is_word(piece.lower())
            words += len(piece) if known and len(piece) > 2 else 0
        unknown += 0 if known else len(piece)
        known_before = known
    return unknown if words < _MOSTLY_WORDS * len(token) else 0


@lru_cache(4_000)
def _is_word(letters: str) -> bool:
    if len(letters) < 3:
        return letters in _SHORT
    pairs = sum(b in _FOLLOWS.get(a, "") for a, b in pairwise(letters))
    return pairs >= (1 if len(letters) == 3 else _LIKE_A_WORD * (len(letters) - 1))


def entropy(value: str) -> float:
    """Bits per character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())
