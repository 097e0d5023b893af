"""Secrets are found and removed; what only looks like one is left alone. The samples are put
together here, so no scanner trips."""

import json
import random
import string

import pytest

from reviewgate_gh.text.redact import find_secrets, redact, redact_values

_RANDOM = random.Random(20)


def some(alphabet: str, count: int) -> str:
    return "".join(_RANDOM.choice(alphabet) for _ in range(count))


ALNUM = string.ascii_letters + string.digits
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
HEX = "0123456789abcdef"
PEM = (
    "-----BEGIN RSA PRIVATE "
    + "KEY-----\n"
    + some(ALNUM, 64)
    + "\n"
    + some(ALNUM, 64)
    + "\n-----END RSA PRIVATE "
    + "KEY-----"
)
SECRETS = {
    "github-token": "ghp" + "_" + some(ALNUM, 36),
    "github-fine-grained-token": "github" + "_pat_" + some(ALNUM, 22) + "_" + some(ALNUM, 59),
    "gitlab-token": "gl" + "pat-" + some(ALNUM, 20),
    "anthropic-key": "sk" + "-ant-api03-" + some(ALNUM, 80),
    "openai-key": "sk" + "-" + some(ALNUM, 48),
    "aws-access-key": "AK" + "IA" + some(UPPER, 16),
    "slack-token": "xo" + "xb-" + some("123456789", 12) + "-" + some(ALNUM, 24),
    "slack-webhook": "hooks.slack"
    + ".com/services/T"
    + some(UPPER, 8)
    + "/B"
    + some(UPPER, 8)
    + "/"
    + some(ALNUM, 24),
    "google-api-key": "AI" + "za" + some(ALNUM, 35),
    "stripe-key": "sk" + "_live_" + some(ALNUM, 24),
    "npm-token": "np" + "m_" + some(ALNUM, 36),
    "pypi-token": "py" + "pi-AgE" + some(ALNUM, 60),
    "sendgrid-key": "S" + "G." + some(ALNUM, 22) + "." + some(ALNUM, 43),
    "twilio-key": "S" + "K" + some(HEX, 32),
    "digitalocean-token": "do" + "p_v1_" + some(HEX, 64),
    "json-web-token": "ey"
    + "J"
    + some(ALNUM, 20)
    + ".ey"
    + "J"
    + some(ALNUM, 30)
    + "."
    + some(ALNUM, 30),
    "private-key": PEM,
}
IN_PLACES = {
    "aws-secret-key": ("aws_secret_access_key = ", some(ALNUM, 40)),
    "azure-storage-key": ("Account" + "Key=", some(ALNUM, 86) + "=="),
    "url-password": ("postgres://app:", some(ALNUM, 20), "@db.internal/x"),
    "assigned-secret": ('API_TOKEN: str = "', some(ALNUM, 24) + "7q", '"'),
}


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize(
    "around",
    ["{}", "\x1b[31m{}\x1b[0m", 'key = "{}"', "https://x.test/?t={}&b=1", "[{}]"],
    ids=["bare", "ansi", "quoted", "url", "brackets"],
)
def test_a_secret_is_found_and_never_shown(kind, around):
    text = around.format(SECRETS[kind])
    assert kind in [secret.kind for secret in find_secrets(text)]
    assert SECRETS[kind] not in redact(text)
    assert f"[REDACTED:{kind}]" in redact(text)


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_in_escaped_json_is_removed(kind):
    body = json.dumps({"log": f"before\n{SECRETS[kind]}\nafter"})
    assert SECRETS[kind].split("\n")[-2 if kind == "private-key" else 0] not in redact(body)


@pytest.mark.parametrize("kind", IN_PLACES)
def test_a_secret_known_by_its_place_is_found(kind):
    text = "".join(IN_PLACES[kind])
    (secret,) = find_secrets(text)
    assert secret.kind == kind and text[secret.start : secret.end] == IN_PLACES[kind][1]
    assert IN_PLACES[kind][1] not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        'password = "changeme-changeme-1"',
        'token = "${GITHUB_TOKEN_VALUE_1}"',
        'secret = "{{ vault.secret_value_12 }}"',
        'token = "<your-token-goes-here-1>"',
        'password = get_password("production-db-1")',
        'secret_name = "projects/my-project"',
        'api_key = os.environ["SERVICE_API_KEY_2"]',
        "the token is checked before the password: never after",
        "https://example.com:8080/path@2x.png",
        "http://user:password@localhost/",
        "protocol://username[:password]@server/path",
        "task-management-module-with-a-very-long-name-of-forty-five",
        "self.assertEqual(token, 'aaaaaaaaaaaaaaaaaaaaaaaa1')",
        "-----BEGIN PUBLIC KEY-----",
        "sk-" + "-" * 40,
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text):
    assert find_secrets(text) == [] and redact(text) == text


def test_a_key_cut_before_its_end_is_found():
    header = "-----BEGIN EC PRIVATE " + "KEY-----"
    assert [s.kind for s in find_secrets(header)] == ["private-key"]
    assert find_secrets(f'if text.startswith("{header}"):') == []


BODY = "\n".join(some(ALNUM + "+/", 64) for _ in range(3)) + "\n" + some(ALNUM, 22) + "=="
HEADER, FOOTER = (f"-----{word} RSA PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))


@pytest.mark.parametrize("form", ["{}", "    {}", '"{}\\n"', '"{}\\n" +', "+{}", "{}\r"])
@pytest.mark.parametrize(("first", "last"), [("", FOOTER), (HEADER, "")], ids=["end", "beginning"])
def test_a_key_of_which_one_end_is_missing_is_found_and_never_shown(
    first: str, last: str, form: str
):
    lines = [
        "x = 1",
        *filter(None, [first, *BODY.split("\n")[: None if last else 3], last]),
        "y = 2",
    ]
    text = "\n".join(form.format(line) for line in lines)
    assert {secret.kind for secret in find_secrets(text)} == {"private-key"}
    shown = redact(text)
    assert (
        not any(line in shown for line in BODY.split("\n")[: None if last else 3])
        and "x = 1" in shown
        and "y = 2" in shown
    )


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        f"-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----",
        f"-----BEGIN PUBLIC KEY-----\n{BODY}\n-----END PUBLIC KEY-----",
        f"{BODY}\n-----END CERTIFICATE-----",
        f"{BODY}\n# an image\n{FOOTER}",
        f"{BODY}\nand it ends with the line that reads {FOOTER}",
        FOOTER,
        f'if line == "{FOOTER}":',
    ],
)
def test_base64_that_ends_in_no_private_key_is_left_alone(text: str):
    assert find_secrets(text) == []


def test_exact_values_go_in_every_encoding():
    import base64
    import urllib.parse

    value = "c4n4ry/value+1"
    forms = [
        value,
        value[::-1],
        base64.b64encode(value.encode()).decode(),
        value.encode().hex(),
        urllib.parse.quote(value, safe=""),
    ]
    shown = redact_values(" ".join(forms) + " short", [value, "short"])
    assert all(form.rstrip("=") not in shown for form in forms) and shown.endswith(" short")


@pytest.mark.contract(plain=False)
def test_long_runs_of_dangerous_beginnings_finish():
    keys = ("-----BEGIN PRIVATE " + "KEY-----", f"{HEADER}\n{BODY}\n", f"{BODY}\n{FOOTER}\n")
    for piece in ("sk-", "eyJ", "password=", "://a:", "ghp_", "AKIA", 'token: "', "secret", *keys):
        redact(piece * 6_000)
