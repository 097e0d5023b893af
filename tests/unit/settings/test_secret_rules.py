"""The project's own kinds and allow-lists, and gitleaks' files, as far as they can be expressed."""

import hashlib
import json

import pytest

from reviewgate_gh.model.config import Config, SecretPattern, SecretsConfig
from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.settings.check import check_config
from reviewgate_gh.settings.floor import apply_floor
from reviewgate_gh.settings.secret_rules import read_secret_rules, wrong_pattern
from reviewgate_gh.text.config_file import parse_settings
from reviewgate_gh.text.secrets.rules import FoundSecret, SecretRules

VALUE = "x7Kq92LmpZ4tRw81vBn"
DIGEST = hashlib.sha256(VALUE.encode()).hexdigest()


def rules(toml: str, **files: str) -> tuple[SecretRules, tuple[str, ...]]:
    every = {".gitleaks.toml": toml} | files
    return read_secret_rules(SecretsConfig(), {n: text.encode() for n, text in every.items()})


def secret(**fields: object) -> FoundSecret:
    known = {"kind": "assigned-secret", "value": VALUE, "path": "src/a.py", "line": 3}
    return FoundSecret(**(known | fields))  # type: ignore[arg-type]


def test_digests_allow_values_and_nothing_else() -> None:
    config = SecretsConfig(allow=(f"sha256:{DIGEST}",))
    found, _notices = read_secret_rules(config, {})
    assert found.allow(secret()) and not found.allow(secret(value=f"{VALUE}1"))


def test_a_section_is_read_strictly() -> None:
    data = b'secrets:\n  patterns:\n    - {id: kite-key, pattern: "kite~[a-z]{8}"}\n'
    config = parse_settings(data, Config, "c.yaml")
    check_config(config)
    assert config.secrets.patterns == (SecretPattern(id="kite-key", pattern="kite~[a-z]{8}"),)
    for wrong in (b"secrets: {allow: [abc]}\n", b"secrets: {patterns: [{id: A B, pattern: x}]}\n"):
        with pytest.raises(ConfigError):
            parse_settings(wrong, Config, "c.yaml")


@pytest.mark.parametrize("pattern", ["(", "(a+)+$", "(?:a*b*)*c", "((x{1,900}){1,900})y"])
def test_patterns_that_are_none_or_never_end_are_refused(pattern: str) -> None:
    assert wrong_pattern(pattern)
    config = Config(secrets=SecretsConfig(patterns=(SecretPattern(id="a", pattern=pattern),)))
    with pytest.raises(ConfigError, match=r"secrets\.patterns\[0\]\.pattern"):
        check_config(config)


def test_a_floor_adds_patterns_and_takes_allowances() -> None:
    mine = SecretsConfig(allow=(DIGEST, "0" * 64), baseline="b.json")
    floor = SecretsConfig(allow=(DIGEST,), patterns=(SecretPattern(id="a", pattern="a"),))
    raised, keys = apply_floor(Config(secrets=mine), Config(secrets=floor), {"secrets": {}})
    assert keys == ("secrets",)
    assert raised.secrets == SecretsConfig(allow=(DIGEST,), patterns=floor.patterns)


def test_rules_of_gitleaks() -> None:
    found, notices = rules(
        '[extend]\ndisabledRules = ["generic-api-key", "aws-access-key"]\n'
        "[[rules]]\nid = \"acme\"\nregex = '''acme-(?i)([[:xdigit:]]{8})\\z'''\n"
        'keywords = ["ACME"]\nentropy = 2\nsecretGroup = 1\n'
        "[[rules]]\nid = \"loop\"\nregex = '''(a+)+'''\n"
        "[[rules]]\nid = \"file\"\npath = '''\\.p12$'''\n"
    )
    (kind,) = found.kinds
    assert (kind.id, kind.words, kind.group, kind.entropy) == ("acme", ("acme",), 1, 2.0)
    assert found.off == {"assigned-secret", "aws-access-key"} and len(notices) == 2
    assert found.allow(secret()) and not found.allow(secret(kind="github-token"))


@pytest.mark.parametrize(
    ("lines", "fields", "allowed"),
    [
        ("paths = ['''^vendor/''']", {"path": "vendor/a.py"}, True),
        ("paths = ['''^vendor/''']", {}, False),
        ("regexes = ['''^x7''']", {}, True),
        ("regexTarget = 'line'\nregexes = ['''for tests''']", {"text": "# for tests"}, True),
        ("regexTarget = 'line'\nregexes = ['''for tests''']", {"text": "# real"}, False),
        ("stopwords = ['LMPZ4']", {}, True),
        ("commits = ['abc']", {"commit": "abcdef"}, True),
        ("commits = ['abc']", {}, False),
        ("condition = 'AND'\npaths = ['''^src''']\nstopwords = ['nope']", {}, False),
        ("targetRules = ['other']\npaths = ['''^src''']", {}, False),
    ],
)
@pytest.mark.parametrize("head", ["[allowlist]", "[[allowlists]]"])
def test_allow_lists_of_gitleaks(
    head: str, lines: str, fields: dict[str, object], allowed: bool
) -> None:
    found, notices = rules(f"{head}\n{lines}\n")
    assert notices == () and found.allow(secret(**fields)) is allowed


def test_ignored_places_and_a_baseline() -> None:
    report = [
        {"File": "src/a.py", "Secret": VALUE, "StartLine": 90},
        {"File": "src/b.py", "Secret": "REDACTED", "StartLine": 5},
    ]
    files = {
        ".gitleaksignore": b"# old\nsrc/c.py:generic-api-key:7\n"
        + b"a" * 40
        + b":src/d.py:jwt:8\n",
        "base.json": json.dumps(report).encode(),
    }
    found, notices = read_secret_rules(SecretsConfig(baseline="base.json"), files)
    assert notices == ()
    for path, line, allowed in (
        ("src/a.py", 3, True), ("src/b.py", 5, True), ("src/b.py", 6, False),
        ("src/c.py", 7, True), ("src/d.py", 8, True), ("src/e.py", 3, False),
    ):  # fmt: skip
        assert found.allow(secret(path=path, line=line)) is allowed


@pytest.mark.parametrize("data", [b"", b"{}", b"[", b"[1]", None])
def test_what_is_no_report_is_said(data: bytes | None) -> None:
    files = {} if data is None else {"b.json": data}
    found, notices = read_secret_rules(SecretsConfig(baseline="b.json"), files)
    assert not found.allow(secret()) and len(notices) == (data != b"[1]")


def test_a_damaged_config_of_gitleaks_is_said() -> None:
    found, notices = rules("[allowlist\n")
    assert found == SecretRules() and "not used" in notices[0]
