"""The secrets check: line, kind and weight; never the value."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.lines import multiline_secrets
from reviewgate_gh.model.finding import FindingState
from reviewgate_gh.reviewers.checks import secrets
from reviewgate_gh.reviewers.checks._sources import CheckInput
from reviewgate_gh.text.secrets.rules import Allowance, SecretRules
from tests.unit.reviewers.checks.support import edited, new, on, short, sources
from tests.unit.text.test_archives import zipped

# Put together here, so that no scanner trips over this file
TOKEN = "gh" + "p_" + "A8dk29Xq0Zm3Lw7Rt5Yb1Ns6Vc4Gf2Hj9KpQ"
PASSWORD = "x7Kq" + "92-Lm_pZ4" + "tRw81vBn"
KEY = (
    "-----BEGIN "
    + "PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp\n-----END "
    + "PRIVATE KEY-----\n"
)


def test_each_line_is_named_and_no_value_is_told() -> None:
    found = list(
        secrets.check(
            sources(new("a.py", f"x = 1\nkey = '{TOKEN}'\ny = 2\nagain = '{TOKEN}' + '{TOKEN}'\n"))
        )
    )
    assert [(f.rule, f.line_start, f.line_end) for f in found] == [
        ("builtin/secret-github-token", n, n) for n in (2, 4)
    ]
    assert {(f.category, f.priority.value) for f in found} == {("secret", "P0")}
    assert all(
        TOKEN not in repr(f) and "github token" in f.title and "Revoke" in f.body for f in found
    )


def test_only_added_lines_count() -> None:
    file = edited(
        "a.py", f" old = '{TOKEN}'", f"-gone = '{TOKEN}'", "+x = 1", f"+new = '{TOKEN}'", start=10
    )
    assert short(secrets, sources(file)) == [("P0", "secret-github-token", "a.py:12")]


def test_a_private_key_is_told_on_its_first_line() -> None:
    found = list(secrets.check(sources(new("deploy/id", "# key\n" + KEY))))
    assert [(f.rule, f.line_start, f.line_end) for f in found] == [
        ("builtin/secret-private-key", 2, 2)
    ]


@pytest.mark.parametrize(
    ("path", "weight"),
    [("src/app.py", "P0"), ("src/latest/app.py", "P0"), ("tests/app.py", "P3"),
     ("src/test_app.py", "P3"), ("examples/a.py", "P2"), ("docs/examples/a.py", "P3"),
     ("spec/fixtures/a.py", "P3"), ("src/app.test.ts", "P3"), ("src/contest/app.py", "P0")],
)  # fmt: skip
def test_tests_may_make_up_passwords_but_no_tokens(path: str, weight: str) -> None:
    text = f'api_token = "{PASSWORD}"\nurl = "{TOKEN}"\n'
    assert on(secrets, path, text) == [
        (weight, "secret-assigned-secret", f"{path}:1"),
        ("P0", "secret-github-token", f"{path}:2"),
    ]


def test_bytes_that_are_no_text_do_not_shift_lines() -> None:
    assert on(secrets, "a.txt", b"\xff\xfe caf\xe9\n\xe2\x80\xa8\r\n" + TOKEN.encode()) == [
        ("P0", "secret-github-token", "a.txt:3")
    ]


def test_binary_files_and_pure_renames_have_no_lines() -> None:
    assert short(secrets, sources(new("a.bin", TOKEN, binary=True), new("b.py"))) == []


def test_web_tokens_and_passwords_of_manuals_are_listed_and_block_nothing() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiI5ODc2NSJ9." + "Qk3vT7xLm2Zp9RsW1yNc4HdJ6fGa8Ue0"
    for path, weight in (
        ("docs/login.md", "P3"),
        ("tests/test_login.py", "P3"),
        ("src/login.py", "P0"),
    ):
        assert on(secrets, path, f"Authorization: {token}\n") == [
            (weight, "secret-json-web-token", f"{path}:1")
        ]
    assert on(secrets, "docs/config.rst", f"SECRET_KEY = '{PASSWORD}'\n") == [
        ("P3", "secret-assigned-secret", "docs/config.rst:1")
    ]
    assert on(secrets, "docs/config.rst", f"x = '{TOKEN}'\n") == [
        ("P0", "secret-github-token", "docs/config.rst:1")
    ]


NOWHERE = (
    "example.com",
    "git.example.org:8443",
    "a.b.test",
    "DB.Example",
    "x.invalid",
    "db.localhost",
)
SOMEWHERE = (
    "example.co",
    "example.com.evil.io",
    "myexample.com",
    "example-1.com",
    "test.io",
    "latest",
    "db",
    "test:5432",
    "example",
)
GOING_ON = (
    "example.com@db.io",
    "a.test:x9@db.io",
    "a.test%2eio",
    "a.test${END}",
    "a.test:80.io",
    "b\u00fc.example.com",
    "a.test,b.io",
)


@pytest.mark.parametrize(
    ("host", "found"),
    [*((host, 0) for host in NOWHERE), *((host, 1) for host in (*SOMEWHERE, *GOING_ON))],
)
def test_a_password_for_a_host_that_cannot_exist_is_none(host: str, found: int) -> None:
    assert len(on(secrets, "src/a.py", f'url = "https://git:{PASSWORD}@{host}/pkg.git"\n')) == found


@pytest.mark.parametrize(
    ("path", "weight"),
    [
        ("pkg/gateway/fixtures/tls.yml", "P3"),
        ("tests/testdata/tls.yml", "P3"),
        ("tests/certs/a.key", "P3"),
        ("test/unit/a.pem", "P3"),
        ("tests/keys/testkey_ed25519", "P3"),
        ("tests/keys/ec.priv", "P3"),
        ("deploy/id_rsa", "P0"),
        ("tests/a.py", "P3"),
        ("tls/server_test.go", "P3"),
        ("src/test/java/a/TlsTest.java", "P3"),
        ("spec/tls_spec.rb", "P3"),
        ("examples/server.key", "P2"),
        ("tests/account.json", "P0"),
        ("tests/.env", "P0"),
        (".env.example", "P0"),
        ("examples/server.go", "P0"),
        ("tls/server.go", "P0"),
        ("docs/tls.md", "P0"),
        ("deploy/a.key", "P0"),
    ],
)
def test_the_key_of_a_test_server_is_listed_and_blocks_nothing(path: str, weight: str) -> None:
    assert on(secrets, path, KEY) == [(weight, "secret-private-key", f"{path}:1")]


def test_a_key_that_nobody_issues_is_one_like_it() -> None:
    key = (
        "AGE-SECRET-" + "KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"[:58]
    )
    for path, weight in (("age/a_test.go", "P3"), ("age/a.go", "P0"), ("tests/.env", "P0")):
        found = on(secrets, path, f'key = "{key}"\n')
        assert found == [(weight, "secret-age-secret-key", f"{path}:1")]


def test_a_key_of_which_lines_are_left_out_blocks_nothing() -> None:
    rows = f"{FIRST_LINE}\n{REAL}\n{{}}\n{REAL}\n{LAST_LINE}\n"
    for left_out, weight in (("...", "P2"), ("# ...", "P2"), ("\u2026", "P2"), (REAL, "P0")):
        found = on(secrets, "src/a.md", rows.format(left_out))
        assert found == [(weight, "secret-private-key", "src/a.md:1")]


def test_samples_in_manuals_and_templates_block_nothing() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiI5ODc2NSJ9." + "Qk3vT7xLm2Zp9RsW1yNc4HdJ6fGa8Ue0"
    for path, weight in (
        ("docs/api/admin.yaml", "P3"),
        ("api-docs/start.blade.php", "P3"),
        ("web/openapi.yaml", "P3"),
        (".env.template", "P2"),
        ("app/parameters.yml.dist", "P2"),
        ("config/sample/a.yml", "P2"),
        ("e2e/login.ts", "P3"),
        ("src/resample/a.yml", "P0"),
        ("src/docsets.yml", "P0"),
        ("config/a.yml", "P0"),
    ):
        assert [each[0] for each in on(secrets, path, f"token: {token}\n")] == [weight], path
        assert [each[0] for each in on(secrets, path, f"x: {TOKEN}\n")] == ["P0"], path


def test_in_a_test_a_vendor_is_not_known_by_a_name_alone() -> None:
    value = "3f1c" * 3 + "9ab27e54d08b6c1f2a7d"
    for path, weight in (("tests/a.txt", "P2"), ("docs/a.txt", "P0"), ("src/a.py", "P0")):
        found = on(secrets, path, f'bugsnag_api_key = "{value}"\n')
        assert found == [(weight, "secret-bugsnag-key", f"{path}:1")]


def test_what_may_be_made_up_is_said_to_be_so() -> None:
    made_up, real = (
        next(secrets.check(sources(new(path, KEY)))).body for path in ("a_test.go", "a.go")
    )
    assert "nothing need be done" in made_up and "Revoke" in made_up
    assert "nothing need be done" not in real and "Revoke" in real


REAL = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdpQ7Xc0ZkWm2Lr9TyN4sVbGhJ1"
FIRST_LINE, LAST_LINE = ("-----" + word + " PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("{first}\nMIIEowIBAAKCAQEA...\n{last}", []),
        ("{first}\\nwxyz+ABC=\\n{last}", []),
        ("{first}{last}", []),
        ("{first}\\nMIGEAgEAMBAGByqGSM49AgEGBS...", []),
        ("{first}\n<your key, with all of its lines>\n{last}", []),
        ("{first}\n{key:.36}\n{last}", []),
        ("{first}\n{key:.40}\n{last}", ["private-key"]),
        ("# {first}\n#\n# and so on, see the manual\nx: 1", []),
        ("# {first}\n# {key:.40}\n# {key:.40}", ["private-key"]),
        ("{first}\n{key:.30}\n{key:.30}\n...\n{last}", ["private-key"]),
        (
            'key = "{first}"\nkey += "{key:.32}"\nkey += "{key:.32}"\nkey += "{last}"',
            ["private-key"],
        ),
        ("body = '{key}'\npem = '{first}${{body}}{last}'", ["private-key"]),
        ("body = 'MHQCAQEEI{key:.40}'\npem = '{first}${{body}}{last}'", ["private-key"]),
        (
            (
                "cert = 'MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ'\n"
                "pem = '{first}<your key>{last}'"
            ),
            [],
        ),
        ('a = "{first}"\napi_key = "{password}"\nz = "{last}"', ["private-key"]),
        ("{first}\nMIIEow...\n{last}\n{pem}", ["private-key"]),
    ],
)
def test_a_sample_of_a_key_is_none_and_hides_none(text: str, kinds: list[str]) -> None:
    text = text.format(
        first=FIRST_LINE,
        last=LAST_LINE,
        key=REAL,
        password=PASSWORD,
        pem=f"{FIRST_LINE}\n{'k3J9s' * 12}\n{LAST_LINE}",
    )
    assert [
        rule.removeprefix("secret-") for _, rule, _ in on(secrets, "src/a.py", f"{text}\n")
    ] == kinds


def test_the_ends_of_a_key_that_stands_there_already_are_no_sample() -> None:
    body = [f" {REAL}{number}" for number in range(9)]
    ends = edited("a.pem", " x", f"+{FIRST_LINE}", *body, f"+{LAST_LINE}", " y")
    torn = replace(
        ends,
        hunks=(
            edited("a.pem", " x", f"+{FIRST_LINE}", *body[:3]).hunks[0],
            edited("a.pem", *body[6:], f"+{LAST_LINE}", start=8).hunks[0],
        ),
    )
    sample = edited("a.md", " x", f"+{FIRST_LINE}", " MIIEow...", f"+{LAST_LINE}", " y")
    assert [short(secrets, sources(file)) for file in (ends, torn, sample)] == [
        [("P0", "secret-private-key", "a.pem:2")]
    ] * 2 + [[]]


@pytest.mark.contract(plain=False)
def test_many_samples_end() -> None:
    assert on(secrets, "a.md", f"{FIRST_LINE}\n...{LAST_LINE}\n" * 17_000) == []


@pytest.mark.parametrize("form", ["utf-16", "utf-16-le", "utf-16-be", "utf-32-le"])
def test_letters_of_several_bytes_hide_nothing(form: str) -> None:
    text = f"\u00e4 = 1\nkey = '{TOKEN}'\n{KEY}"
    assert on(secrets, "a.txt", text.encode(form)) == [
        ("P0", "secret-github-token", "a.txt:2"),
        ("P0", "secret-private-key", "a.txt:3"),
    ]


def test_a_nul_in_a_token_hides_it_no_more_than_one_before_it() -> None:
    assert on(secrets, "a.py", f"\0{TOKEN}\0\n{TOKEN[:9]}\0{TOKEN[9:]}\n") == [
        ("P0", "secret-github-token", f"a.py:{n}") for n in (1, 2)
    ]


FIRST, SECOND = (
    "M" * 30 + "q7Kx92LmpZ4tRw81vBnA8dk29Xq0Zm3Lw7",
    "x7Kq92LmpZ4tRw81vBnA8dk29Xq0Zm3Lw7Rt5Yb1Ns6Vc4",
)
END = "-----END " + "PRIVATE KEY-----"
BEGIN = END.replace("END", "BEGIN")


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ((" " + BEGIN, "-old", f"+{FIRST}", f"+{SECOND}", f" {END}"), [2]),
        ((f" {FIRST}", "-old", f"+{SECOND}", "+AbC=", f" {END}", " x = 1"), [2]),
        ((f"+{FIRST}", f"+{SECOND}", f"+{END}", " x = 1"), [1]),
        ((f" {BEGIN}", f"+{FIRST}", f"+{SECOND}"), [2]),
        ((" x = 1", f"+{BEGIN}", f"+{FIRST}", f"+{END}"), [2]),
        ((f" {BEGIN}", f" {FIRST}", f" {END}", "+x = 1", f" {BEGIN}", f" {SECOND}"), []),
        ((f" {BEGIN}", f" {FIRST}", f"-{SECOND}", f" {END}"), []),
        ((' head = "' + BEGIN + '"', "+body = wrapped(data)", ' tail = "' + END + '"'), []),
        (
            (
                " " + BEGIN.replace("PRIVATE KEY", "CERTIFICATE"),
                f"+{FIRST}",
                " " + END.replace("PRIVATE KEY", "CERTIFICATE"),
            ),
            [],
        ),
        ((f"+{FIRST}", f"+{SECOND}"), []),
    ],
)
def test_new_lines_of_a_key_whose_ends_were_there_before(
    rows: tuple[str, ...], lines: list[int]
) -> None:
    assert short(secrets, sources(edited("id", *rows))) == [
        ("P0", "secret-private-key", f"id:{n}") for n in lines
    ]


def states(given: CheckInput) -> list[tuple[str, FindingState]]:
    return [(f.location, f.state) for f in secrets.check(given)]


OLD, OPEN = FindingState.OUTSIDE_DIFF, FindingState.OPEN


def test_what_the_change_moves_or_indents_is_old_and_another_value_is_new() -> None:
    other = TOKEN[:-1] + ("a" if TOKEN[-1] != "a" else "b")
    moved = (edited("a.py", f"-k = '{TOKEN}'"), edited("b.py", f"+    key = '{TOKEN}'"))
    indented = edited("a.py", f"-k = '{TOKEN}'", f"+    k = '{TOKEN}'")
    changed = edited("a.py", f"-k = '{TOKEN}'", f"+k = '{other}'")
    assert states(sources(*moved)) == [("b.py:1", OLD)]
    assert states(sources(indented)) == [("a.py:1", OLD)]
    assert states(sources(changed)) == [("a.py:1", OPEN)]


@pytest.mark.parametrize(
    ("base", "state"), [(f"x\n  {TOKEN}\n", OLD), (f"x\n  {TOKEN[:-1]}\n", OPEN), ("", OPEN)]
)
def test_what_the_file_had_elsewhere_is_old(base: str, state: FindingState) -> None:
    given = replace(
        sources(edited("a.py", f"+again = '{TOKEN}'")), before=lambda _file: base.encode()
    )
    assert states(given) == [("a.py:1", state)]


def test_an_indented_key_is_old_and_one_with_another_line_is_new() -> None:
    rows = [FIRST_LINE, REAL, REAL[::-1], LAST_LINE]
    given = sources(edited("k.yml", *(f"+    {row}" for row in rows)))
    before = "\n".join(rows).encode()
    assert states(replace(given, before=lambda _file: before)) == [("k.yml:1", OLD)]
    another = before.replace(REAL.encode(), REAL.swapcase().encode())
    assert states(replace(given, before=lambda _file: another)) == [("k.yml:1", OPEN)]


def test_messages_authors_and_tags_are_searched_and_named() -> None:
    head = "tree 1\nauthor {} <a@b.c> 1 +0000\ncommitter X <a@b.c> 1 +0000\n\n{}\n"
    records = {
        "a" * 40: head.format("X", f"use {TOKEN}").encode(),
        "b" * 40: head.format(TOKEN[:-1] + "z", "fix").encode(),
        "c"
        * 40: f"object {'d' * 40}\ntype commit\ntag v1\ntagger X <a> 1\n\n{TOKEN[:-1]}y".encode(),
        "e" * 40: head.format("X", "token = 'words only here'").encode(),
        "f" * 40: head.format("X", "fix")
        .replace("\n\n", f"\nx-ci-token {TOKEN[:-1]}x\n\n")
        .encode(),
        "1" * 40: head.format("X", "fix")
        .replace("\n\n", f"\ngpgsig -----BEGIN\n {TOKEN[:-1]}w\n -----END\n\n")
        .encode(),
    }
    found = list(secrets.check(replace(sources(), records=records)))
    assert [f.title for f in found] == [
        f"a secret in the message of commit {'a' * 12}: github token",
        f"a secret in the author of commit {'b' * 12}: github token",
        f"a secret in the message of tag {'c' * 12}: github token",
        f"a secret in the headers of commit {'f' * 12}: github token",
    ]
    assert {(f.priority.value, f.line_start, f.category) for f in found} == {("P0", 0, "history")}


def test_file_names_are_searched() -> None:
    assert short(secrets, sources(new(f"keys/{TOKEN}.txt", "x\n"))) == [
        ("P0", "secret-github-token", f"keys/{TOKEN}.txt")
    ]


def test_members_of_archives_and_binaries_are_searched_and_old_ones_are_none() -> None:
    archive, raw = zipped({"conf/a.env": f"T={TOKEN}".encode()}), b"\0\1" + TOKEN.encode() + b"\0"
    given = replace(
        sources(),
        binaries={"a.jar": (b"", archive), "b.pyc": (b"", raw), "c.jar": (archive, archive + b"x")},
    )
    assert [f.title for f in secrets.check(given)] == [
        "a secret in a.jar, member conf/a.env: github token",
        "a secret in the binary file b.pyc: github token",
    ]


def test_the_provider_s_page_is_named() -> None:
    (found,) = secrets.check(sources(new("a.py", f"k = '{TOKEN}'\n")))
    assert "https://github.com/settings/tokens" in found.body


def test_what_people_choose_is_none_in_tests_documents_and_lock_files() -> None:
    text = 'password = "Sommer2026!"\n'
    assert on(secrets, "src/a.py", text) == [("P0", "secret-assigned-secret", "src/a.py:1")]
    for path in ("tests/test_a.py", "docs/a.md", "locales/de.json"):
        assert on(secrets, path, text) == []
    assert on(secrets, "poetry.lock", f'token = "{PASSWORD}"\n') == []
    for path, count in (("src/a.py", 1), ("tests/test_a.py", 0)):
        between = (("a" * 40, (new(path, text),)), ("b" * 40, ()))
        assert len(short(secrets, replace(sources(), between=between))) == count


@pytest.mark.parametrize(
    ("row", "priority"),
    [
        (' * Example: {{"url": "https://a.example", "token": "{}"}}', "P3"),
        ("// e.g. token = {}", "P3"),
        ("# token = {}", "P0"),
        ("token = {}  # an example", "P0"),
    ],
)
def test_what_a_comment_shows_as_an_example_weighs_little(row: str, priority: str) -> None:
    text = f"<?php\n{row.format('6ccc2932be3a7e8fa1dd2c254')}\n"
    assert on(secrets, "src/a.php", text) == [(priority, "secret-assigned-secret", "src/a.php:2")]
    token = row.format(TOKEN)
    assert on(secrets, "src/a.php", token)[0][0] == "P0"


def test_a_word_of_another_language_is_no_secret_among_translations() -> None:
    text = '{\n  "HeaderApiKeys": "API-nycklarx"\n}\n'
    assert on(secrets, "src/a.json", text) == [("P0", "secret-assigned-secret", "src/a.json:2")]
    for path in ("client/strings/sv.json", "strings/pt-br.yml", "locales/sv.json"):
        assert on(secrets, path, text) == []
        token = f'{{\n  "HeaderApiKeys": "{PASSWORD}"\n}}\n'
        assert on(secrets, path, token) == [("P0", "secret-assigned-secret", f"{path}:2")]


def test_the_text_of_a_link_is_not_what_its_address_is_set_to() -> None:
    link = f'<a href="/config/api-keys">{PASSWORD}</a>'
    assert on(secrets, "src/a.ts", f"x = '{link}'\n") == []
    named = f'<string name="api_key">{PASSWORD}</string>'
    assert on(secrets, "src/a.xml", f"{named}\n") == [
        ("P0", "secret-assigned-secret", "src/a.xml:1")
    ]


def test_the_project_s_allow_lists_count() -> None:
    given = sources(new("a.py", f"k = '{TOKEN}'\n"), new("b.py", f"k = '{TOKEN}'\n"))
    rules = SecretRules(allowances=(Allowance(paths=("^a",)),))
    assert short(secrets, replace(given, rules=rules)) == [("P0", "secret-github-token", "b.py:1")]


def test_a_file_that_holds_one_word_is_named_by_its_path() -> None:
    value = "2db00e5cae94e37d79dc34598fa9f550"
    assert short(secrets, sources(new("config/master.key", f"{value}\n"))) == [
        ("P0", "secret-assigned-secret", "config/master.key:1")
    ]
    assert short(secrets, sources(new("config/version.txt", f"{value}\n"))) == []
    assert multiline_secrets({1: value.encode()}, "config/master.key") == {1: "assigned-secret"}


def test_a_weak_name_means_nothing_in_a_test() -> None:
    text = 'key = "6285957c886f85e99ccf3ff39a49bc708a470220633ff5c9d7ffc4a4a0375231"\n'
    assert on(secrets, "tests/vectors.py", text) == []
    assert [row[0] for row in on(secrets, "src/vectors.py", text)] == ["P0"]
