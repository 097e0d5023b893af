"""The secrets check: line, kind and weight; never the value."""

import pytest

from reviewgate_gh.steps.checks import secrets

from .support import edited, new, on, short, sources

TOKEN = "gh" + "p_" + "A8dk29Xq0Zm3Lw7Rt5Yb1Ns6Vc4Gf2Hj9KpQ"  # put together here, so that no scanner trips over this file
PASSWORD = "x7Kq" + "92-Lm_pZ4" + "tRw81vBn"
KEY = "-----BEGIN " + "PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp\n-----END " + "PRIVATE KEY-----\n"


def test_each_line_is_named_and_no_value_is_told() -> None:
    found = list(secrets.check(sources(new("a.py", f"x = 1\nkey = '{TOKEN}'\ny = 2\nagain = '{TOKEN}' + '{TOKEN}'\n"))))
    assert [(f.rule, f.line_start, f.line_end) for f in found] == [("builtin/secret-github-token", n, n) for n in (2, 4)]
    assert {(f.category, f.priority.value) for f in found} == {("secret", "P0")}
    assert all(TOKEN not in repr(f) and "github token" in f.title and "Revoke" in f.body for f in found)


def test_only_added_lines_count() -> None:
    file = edited("a.py", f" old = '{TOKEN}'", f"-gone = '{TOKEN}'", "+x = 1", f"+new = '{TOKEN}'", start=10)
    assert short(secrets, sources(file)) == [("P0", "secret-github-token", "a.py:12")]


def test_a_private_key_is_told_on_its_first_line() -> None:
    found = list(secrets.check(sources(new("deploy/id", "# key\n" + KEY))))
    assert [(f.rule, f.line_start, f.line_end) for f in found] == [("builtin/secret-private-key", 2, 2)]


@pytest.mark.parametrize(
    ("path", "weight"),
    [("src/app.py", "P0"), ("src/latest/app.py", "P0"), ("tests/app.py", "P2"), ("src/test_app.py", "P2"), ("docs/examples/a.py", "P2"),
     ("spec/fixtures/a.py", "P2"), ("src/app.test.ts", "P2"), ("src/contest/app.py", "P0")],
)  # fmt: skip
def test_tests_may_make_up_passwords_but_no_tokens(path: str, weight: str) -> None:
    text = f'api_token = "{PASSWORD}"\nurl = "{TOKEN}"\n'
    assert on(secrets, path, text) == [(weight, "secret-assigned-secret", f"{path}:1"), ("P0", "secret-github-token", f"{path}:2")]


def test_bytes_that_are_no_text_do_not_shift_lines() -> None:
    assert on(secrets, "a.txt", b"\xff\xfe caf\xe9\n\xe2\x80\xa8\r\n" + TOKEN.encode()) == [("P0", "secret-github-token", "a.txt:3")]


def test_binary_files_and_pure_renames_have_no_lines() -> None:
    assert short(secrets, sources(new("a.bin", TOKEN, binary=True), new("b.py"))) == []


def test_web_tokens_and_passwords_of_manuals_are_listed_and_block_nothing() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiI5ODc2NSJ9." + "Qk3vT7xLm2Zp9RsW1yNc4HdJ6fGa8Ue0"
    for path, weight in (("docs/login.md", "P2"), ("tests/test_login.py", "P2"), ("src/login.py", "P0")):
        assert on(secrets, path, f"Authorization: {token}\n") == [(weight, "secret-json-web-token", f"{path}:1")]
    assert on(secrets, "docs/config.rst", f"SECRET_KEY = '{PASSWORD}'\n") == [("P2", "secret-assigned-secret", "docs/config.rst:1")]
    assert on(secrets, "docs/config.rst", f"x = '{TOKEN}'\n") == [("P0", "secret-github-token", "docs/config.rst:1")]


@pytest.mark.parametrize(
    ("path", "weight"),
    [("tests/certs/a.key", "P2"), ("test/unit/a.pem", "P2"), ("tests/account.json", "P0"), ("tests/a.py", "P0"), ("deploy/a.key", "P0")],
)
def test_the_key_file_of_a_test_server_is_listed_and_blocks_nothing(path: str, weight: str) -> None:
    assert on(secrets, path, KEY) == [(weight, "secret-private-key", f"{path}:1")]
