"""Passwords in addresses and in the arguments of commands and calls, and recovery phrases."""

import re
from collections.abc import Iterator

from .general import COMMAND_PASSWORD, RECOVERY_PHRASE, URL_PASSWORD
from .kind import SecretSpan, compiled
from .plausible import is_password, is_placeholder, is_random, is_reference
from .repeats import RepeatedPlaces
from .runs import places

_URL = (
    r"://(?P<user>[^\s:/@\"'<>{}$%*]{0,64})(?<!\[):"
    r"(?P<value>[^\s:/@\"'<>{}$*\\]{6,128})@(?!localhost)"
    r"(?=[A-Za-z0-9\[])"
)
_CURL = (
    r"curl\b[^\n]{0,300}?[ \t](?:-u|--user|--proxy-user)[ =]{0,2}[\"']?[\w.@\-]{1,64}:"
    r"(?P<value>[^\s\"'$`\\]{6,200})"
)
_PROGRAMS = ("mysql", "mariadb", "sshpass", "redis-cli", "docker login", "htpasswd", "ldapsearch",
             "smbclient", "unzip")  # fmt: skip
_PASSED = (
    r"[\w\- ]{3,24}\b[^\n]{0,200}?[ \t](?:-p|-a|-w|-P|--password)[ =]?[\"']?"
    r"(?P<value>[^\s\"'$`\\\-][^\s\"'$`\\]{7,128})"
)
# https://www.postgresql.org/docs/current/libpq-pgpass.html
_PGPASS = r":(?:5432|\*):[\w.\-*]{1,64}:[\w.\-*]{1,64}:(?P<value>\S{8,128})(?=\s|\Z)"
_SQL = r"(?i:identified by|with password)[ \t]{1,4}['\"](?P<value>[^'\"\s]{6,128})['\"]"
_SQL_WORDS = ("IDENTIFIED BY", "identified by", "WITH PASSWORD", "with password")
# User and password as the first two arguments of a call: login("me", "x")
_CALLS = ("login(", "Login(", "basicAuth(", "BasicAuth(", "basic_auth(", "authenticate(",
          "NetworkCredential(", "PasswordCredentials(", "PasswordAuthentication(",
          "getConnection(", "auth(")  # fmt: skip
_CALL = (
    r"\w{4,22}\((?:[^()\n\"']{0,80},)?(?:\s{0,20}[\"'][^\"'\n]{1,200}[\"']\s{0,4},){1,2}\s{0,20}"
    r"(?:new String\()?[\"'](?P<value>[^\"'\s]{6,128})[\"']"
)
# https://learn.microsoft.com/powershell/module/microsoft.powershell.security/convertto-securestring
_SECURE = r"[\w\-]{22}[ \t]{1,4}(?:-String[ \t]{1,4})?[\"']?(?P<value>[^\s\"'$]{6,128})"
# https://bundler.io/man/bundle-config.1.html: credentials for gem sources
_BUNDLER = r"BUNDLE_[A-Z0-9_]{3,120}[:=] {0,2}\"?[\w.\-]{1,64}:(?P<value>[^\s\"]{8,128})"
# https://hardhat.org/hardhat-runner/docs/config#networks-configuration
_ACCOUNTS = r"accounts\s{0,4}:\s{0,4}\[\s{0,40}[\"'](?P<value>(?:0x)?[0-9a-fA-F]{64})[\"']"
# https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki
_PHRASE = (
    r"(?P<name>\w{1,20}(?:[ _]?[Pp]hrase|_PHRASE)?)[\"']?\s?[:=]\s?[\"'`]?"
    r"(?P<value>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z ])"
)
_PHRASES = ("mnemonic", "MNEMONIC", "Mnemonic", "seed", "SEED", "recovery")
_REACH = 800  # characters: no pattern here takes more
_DISTINCT = 9  # words at least: samples repeat one or two
_COMMANDS = (
    (_ACCOUNTS, ("accounts",)),
    (_CALL, _CALLS),
    (_SECURE, ("ConvertTo-SecureString",)),
    (_BUNDLER, ("BUNDLE_",)),
    (_CURL, ("curl",)),
    (_PASSED, _PROGRAMS),
    (_PGPASS, (":5432:", ":*:")),
    (_SQL, _SQL_WORDS),
)
_WEAK = "password postgres secret changeme admin root guest rabbitmq mysql redis test user pass"
_WEAK_PASSWORDS = frozenset(_WEAK.split())


def find_in_addresses(text: str) -> Iterator[SecretSpan]:
    """`scheme://user:password@host`, the user may be missing."""
    for found in compiled(_URL).finditer(text):
        value = found["value"]
        if may_be_password(value, found["user"]):
            yield SecretSpan(URL_PASSWORD.id, *found.span("value"))


def may_be_password(value: str, user: str = "") -> bool:
    """Not the user's name again, a word, or what stands in for one."""
    low = value.lower()
    if low == user.lower() or low in _WEAK_PASSWORDS or is_placeholder(value):
        return False
    if is_reference(value) or "%s" in value:
        return False
    return is_password(value) or is_random(value, 8)


def find_phrases(text: str) -> Iterator[SecretSpan]:
    """The words from which a wallet's keys are made."""
    for word in _PHRASES:
        for found in _matches(_PHRASE, word, text):
            if len(set(found["value"].split())) >= _DISTINCT:
                yield SecretSpan(RECOVERY_PHRASE.id, *found.span("value"))


def find_in_commands(text: str) -> Iterator[SecretSpan]:
    """`curl -u user:password`, `mysql -ppassword`, a line of .pgpass."""
    for pattern, words in _COMMANDS:
        for word in words:
            for found in _matches(pattern, word, text):
                if may_be_password(found["value"]):
                    yield SecretSpan(COMMAND_PASSWORD.id, *found.span("value"))


def _matches(pattern: str, word: str, text: str) -> Iterator[re.Match[str]]:
    """Where the pattern matches at a place of the word."""
    last, found = RepeatedPlaces(text, 0, _REACH), None
    for at in places(word, text):
        if not last.repeats(at) or found:
            found = compiled(pattern).match(text, at)
            if found:
                yield found
