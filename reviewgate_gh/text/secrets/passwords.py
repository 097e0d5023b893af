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
             "smbclient", "zip -", "7z ", "az login")  # fmt: skip
# As a word of the line, or as two texts of a list: ["-p", "x"]
_PASSED = (
    r"[\w\- ]{3,24}\b[^\n]{0,200}?[ \t][\"']?"
    r"(?:-p|-a|-w|-P|--password)(?:[\"'],[ \t]?[\"']|[ =]?[\"']?)"
    r"(?P<value>[^\s\"'$`\\\-,][^\s\"'$`\\]{7,128})"
)
# User and password as words of a command
_NAMED_USERS = ("rabbitmqctl ", "net user")
_NAMED_USER = (
    r"(?:rabbitmqctl (?:add_user|change_password)|net user)[ \t]{1,4}[\w.\-]{1,64}[ \t]{1,4}[\"']?"
    r"(?P<value>[^\s\"'$%/]{8,128})"
)
# https://cli.github.com/manual/gh_secret_set
_STORED = (
    r"\w{6} set[ \t]{1,4}[^\n]{1,120}?[ \t](?:-b|--body)[ =]{1,2}[\"']?"
    r"(?P<value>[^\s\"'$`]{8,1024})"
)
# Settings in which a blank assigns: ldap.conf, kickstart, HAProxy, snmpd, Cisco's, debian-installer
_SETTINGS = ("pw ", "password ", "createUser ", "-setcookie ")
_SETTING = (
    r"(?:(?:(?<=bind)|(?<=root))pw|(?:(?<=insecure-)|(?<=again ))password|password (?:0|password)"
    r"|-setcookie|createUser[ \t]{1,4}[\w.\-]{1,64}[ \t](?:SHA|MD5)[\w\-]{0,4})"
    r"[ \t]{1,8}(?:--plaintext[ \t]{1,4})?[\"']?(?P<value>[^\s\"'$<>(){}]{8,128})(?=[\s\"']|\Z)"
)
# https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
_ACL = r" on >(?P<value>[^\s\"'<>]{8,128})[ \t](?=[~+&%@]|all)"
# https://www.postfix.org/SASL_README.html: [host]:port user:password
_RELAY = r"\]:\d{2,3}[ \t]{1,8}[\w.@+\-]{1,80}:(?P<value>\S{8,128})(?=\s|\Z)"
# https://man7.org/linux/man-pages/man8/chpasswd.8.html, and cloud-init's module of that name
_CHPASSWD = (
    r"echo[ \t]{1,4}(?:-e[ \t]{1,4})?[\"']?[\w.\-]{1,32}:(?P<value>[^\s\"'$`\\|]{6,128})[\"']?"
    r"[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd"
)
_CLOUD_INIT = (
    r"\w{8}:\s{1,40}(?:expire:[ \t]{0,4}\w{1,8}\s{1,40})?list:[ \t]{0,4}(?:\|[+\-]?)?"
    r"\s{1,40}(?:-[ \t])?[\"']?[\w.\-]{1,32}:(?P<value>[^\s\"'$]{6,128})"
)
# https://www.postgresql.org/docs/current/libpq-pgpass.html
_PGPASS = r":(?:5432|\*):[\w.\-*]{1,64}:[\w.\-*]{1,64}:(?P<value>\S{8,128})(?=\s|\Z)"
_SQL = (
    r"(?i:identified by|with password)[ \t]{1,4}(?:['\"](?P<value>[^'\"\s]{6,128})['\"]"
    r"|(?P<bare>[A-Za-z][\w#$]{7,29})(?=[\s;]))"
)
_SQL_WORDS = ("IDENTIFIED BY", "identified by", "WITH PASSWORD", "with password")
# User and password as the first two arguments of a call: login("me", "x")
_CALLS = ("ogin(", "asicAuth(", "basic_auth", "authenticate(",
          "NetworkCredential(", "PasswordCredentials(", "PasswordAuthentication(",
          "getConnection(", "auth(", "auth=(", "PDO(", "mysqli(",
          "connect(")  # fmt: skip
_CALL = (
    r"\w{3,22}(?:=?\(|[ \t])(?:[^()\n\"']{0,80},)?"
    r"(?:\s{0,20}[\"'][^\"'\n]{1,200}[\"']\s{0,4},){1,2}\s{0,20}"
    r"(?:new String\()?[\"'](?P<value>[^\"'\s]{6,128})[\"']"
)
# Both in one text, which a call makes base64 of or hands to libcurl
_TOGETHER = (
    r"[\w.]{4,20}(?:\(|,)[ \t]{0,4}b?[\"'][\w.@\-]{1,64}:(?P<value>[^\s\"'$`\\{]{6,128})[\"']"
)
_TOGETHERS = ("btoa(", "b64encode(", "Buffer.from(", "CURLOPT_USERPWD,", "strict_encode64(",
              "base64_encode(")  # fmt: skip
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
    (_TOGETHER, _TOGETHERS),
    (_NAMED_USER, _NAMED_USERS),
    (_STORED, ("secret set",)),
    (_SETTING, _SETTINGS),
    (_ACL, (" on >",)),
    (_RELAY, ("]:587", "]:465", "]:25")),
    (_CHPASSWD, ("echo",)),
    (_CLOUD_INIT, ("chpasswd:",)),
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
                group = found.lastgroup or "value"
                if may_be_password(found[group]):
                    yield SecretSpan(COMMAND_PASSWORD.id, *found.span(group))


def _matches(pattern: str, word: str, text: str) -> Iterator[re.Match[str]]:
    """Where the pattern matches at a place of the word."""
    last, found = RepeatedPlaces(text, 0, _REACH), None
    for at in places(word, text):
        if not last.repeats(at) or found:
            found = compiled(pattern).match(text, at)
            if found:
                yield found
