"""Whether a name is that of a secret: `db_password` is, `password_field` and `public_key` are
not."""

from enum import IntEnum
from functools import lru_cache

from .kind import compiled


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORDS = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"
_PASSWORD = _words(
    "password passwd passwort passphrase passcode pwd pass pw psk pword "
    "requirepass masterauth storepass keypass"
)
_SECRET = _words("secret token credential credentials jwt bearer authorization pat authtoken")
_COMPOUND = (
    "apikey", "authkey", "accesskey", "secretkey", "privatekey", "signingkey", "masterkey",
    "encryptionkey", "sharedkey", "appkey", "sessionkey", "licensekey", "clientsecret",
    "password", "passwd", "passphrase", "secret", "token", "accountkey", "servicekey",
)  # fmt: skip
_WEAK = _words("key keys auth salt cred creds tok")
_KEY_OF = _words(
    "api access secret private auth encryption encrypt signing sign master account service "
    "client admin license licence deploy session jwt hmac aes consumer app application crypto "
    "security fernet cipher decryption shared bot webhook subscription token data backup "
    "write ingest activation deployment user member agent server root registry payment"
)
# Behind the noun these change nothing
_NEUTRAL = _words(
    "value val prod production dev development staging stage live old new default str string "
    "base base64 b64 hex raw plain plaintext main current prev previous primary secondary "
    "backup env override local global my the real actual final b a v"
)
# Before the noun these make something else of it
_OTHER_BEFORE = _words(
    "public pub foreign partition sort cache index row object map dict hash lookup unique "
    "group route query i18n translation message msg lang react list item idempotency csrf "
    "xsrf pagination page next continuation cursor cancel cancellation syntax start end eos "
    "bos pad mask sep special stop unk publishable anon anonymous site hot short any each num "
    "max min total input output prompt completion count per no invalid missing lexer parser "
    "design color colour primary composite natural surrogate sub by with is has need needs "
    "use show hide toggle forgot reset on get set find last first left right up down arrow "
    "shift ctrl alt meta tab enter escape event keyboard header cookie field column identity "
    "known socket sync resume restore change delta etag path setting settings property prop "
    "attribute attr spreadsheet sheet document "
    "label display sitekey type node edge match peek validate validated check verify "
    "forgotten update encrypted hashed sealed ciphertext masked redacted authenticity antiforgery"
)
# Of these a secret guards or signs, so that it is one: cookie_secret, session_event_secret
_GUARDED = _words(
    "cookie csrf xsrf cursor pagination page event message msg header path query i18n item state "
    "index cache group route link site sync cancel delta change idempotency sort with"
)
# Before a password these six do not
_OTHER_BEFORE_PASSWORD = _OTHER_BEFORE - _words("first last new on update set")
# Behind the noun these do
_OTHER_AFTER = _words(
    "name names id ids ident path paths file files filename dir directory folder url urls uri "
    "endpoint host field fields label type types kind format length len size min max count "
    "limit ttl expiry expires expiration expire expired timeout age lifetime header headers "
    "param params prefix suffix pattern patterns regex re policy rule rules hash hashed "
    "digest sum checksum fingerprint sha md blake hint help message msg error errors title "
    "placeholder description desc class selector css icon input form page view model map store "
    "provider "
    "manager service factory handler helper util utils ref reference arn version status state "
    "enabled disabled required algorithm alg cipher encoding column table index event action "
    "reset change changed strength usage scope scopes role source var variable ring board "
    "stroke code press down up frame chain set space binding combo exists valid invalid "
    "missing issuer audience generator validator verify check counter budget cost price link "
    "text validation confirmation rotation mode parser reader writer list array dict lookup "
    "func function callback getter setter method location domain region bucket mount volume "
    "at on date time created updated stream position offset line start end address addr group "
    "owner encoder decoder embedding embeddings mask bytes per process processor tokenizer "
    "language lang locale color colour spacing theme schema config settings options option "
    "info details response request result template sid agent grant resolver middleware guard "
    "exception needed present supplied protected"
)
_STRONG_ENOUGH = r"(?i)x[-_]?api|authorization|auth[-_]?token|private[-_]token|bearer"


_CREDENTIALS = _words(
    "api_key api_token api_secret access_key access_token auth_token auth_key client_secret "
    "secret_key private_key private_token admin_key admin_token admin_secret bearer_token "
    "refresh_token app_secret service_key service_token deploy_key deploy_token license_key"
)


_LETS_IN = _words("apikey authtoken authorization bearer password passwd passphrase")


class Strength(IntEnum):
    """How surely a name is that of a secret; PASSWORD: of one that a person may have chosen."""

    NONE = 0
    WEAK = 1
    STRONG = 2
    PASSWORD = 3


_NOUNS = {
    **dict.fromkeys(_WEAK, Strength.WEAK),
    **dict.fromkeys(_SECRET, Strength.STRONG),
    **dict.fromkeys(_PASSWORD, Strength.PASSWORD),
}


@lru_cache(4_000)
def name_strength(name: str) -> Strength:
    """What a variable, key or header of this name holds."""
    if compiled(_STRONG_ENOUGH).fullmatch(name):
        return Strength.STRONG
    words = [word.lower() for word in compiled(_WORDS).findall(name[-120:])]
    at = len(words)
    while at and (words[at - 1] in _NEUTRAL or words[at - 1].isdigit()):
        at -= 1
    trailing = 0
    while at:
        strength = _noun(words, at - 1)
        if strength is not None:
            return min(strength, Strength.WEAK) if trailing and strength else strength
        word = words[at - 1]
        if word in _OTHER_AFTER or word.removesuffix("s") in _OTHER_AFTER or trailing == 2:
            return Strength.NONE
        at, trailing = at - 1, trailing + 1
    return Strength.NONE


def _noun(words: list[str], at: int) -> Strength | None:
    """The strength of the noun at a place with what stands before it; None: no such noun."""
    word, before = words[at], words[at - 1] if at else ""
    if "public" in words[max(0, at - 3) : at]:
        return Strength.NONE
    if word in ("key", "keys") and before in _KEY_OF:
        return Strength.STRONG
    if word == "secret" and before in _GUARDED:
        return Strength.STRONG
    alone = _noun_alone(word)
    if alone and before in (_OTHER_BEFORE_PASSWORD if word in _PASSWORD else _OTHER_BEFORE):
        return Strength.NONE
    # `pass` has other meanings, too
    return Strength.WEAK if word == "pass" and not at else alone


def _noun_alone(word: str) -> Strength | None:
    """The same of the word by itself, which may be several written as one."""
    if word in _NOUNS or not word.endswith(_COMPOUND):
        return _NOUNS.get(word)
    if word.startswith(("public", "csrf", "xsrf")):
        return Strength.NONE
    return Strength.PASSWORD if "pass" in word else Strength.STRONG


def is_credential(name: str) -> bool:
    """It says what lets somebody in, so that even a value of a form that names things is one."""
    words = [word.lower() for word in compiled(_WORDS).findall(name[-120:])]
    while words and (words[-1] in _NEUTRAL or words[-1].isdigit()):
        words.pop()
    last = words[-1] if words else ""
    return "_".join(words[-2:]) in _CREDENTIALS or last in _LETS_IN
