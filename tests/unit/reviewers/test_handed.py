"""What a model's program is handed and says again: no secret of it is in its answer, its error, or
where its questions go."""

import asyncio
import base64
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from reviewgate_gh.documents.agent import SdkAgent, run_review
from reviewgate_gh.documents.registry import find_template
from reviewgate_gh.documents.trusted_side import TrustedSide
from reviewgate_gh.model.question import Prompt
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers import api
from reviewgate_gh.reviewers._accounts import Access
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.reviewers._credentials import find_credentials, redact_credentials
from reviewgate_gh.system.environment import Environment
from tests.agents import KEY, NAME, NAMES, Fake, module
from tests.fake_sdk import FakeSdk
from tests.peers.model_server import ModelServer, Say
from tests.unit.reviewers.test_agents_apart import LOGINS

pytestmark = pytest.mark.slow

CLOUDS = {
    ("claude", "bedrock"): {
        "AWS_ACCESS_KEY_ID": "an-id-of-many-letters",
        "AWS_SECRET_ACCESS_KEY": "wJalr/K7MDENG+bPxRfi",
        "AWS_SESSION_TOKEN": "session-of-one-hour",
        "AWS_BEARER_TOKEN_BEDROCK": "bearer-of-a-house",
    },
    ("gemini", "vertex"): {"GOOGLE_API_KEY": "a-key-of-googles-own"},
}
PROXIES = {
    "HTTPS_PROXY": "http://ann:pass%2Fword-1@proxy.example:3128",
    "all_proxy": "bob:other-word@proxy.example:1080",
}
SENT = base64.b64encode(b"ann:pass/word-1").decode()
OF_PROXIES = ("pass%2Fword-1", "pass/word-1", "other-word", SENT)
# It says all that it sees: every value, and what a proxy would be sent.
_ALL = """
import base64
seen = [value for name, value in os.environ.items() if name != "PATH"] + ["pass/word-1"]
for at, _, names in os.walk(os.environ["HOME"], followlinks=True):
    seen += [open(os.path.join(at, name)).read() for name in names]
forms = [form for value in seen for form in (value, value[::-1], value.encode().hex())]
said = " | ".join([*forms, base64.b64encode(b"ann:pass/word-1").decode()])
"""
WAYS = {
    "in its answer": "print(ANSWER.replace('WORDS', json.dumps(json.dumps(said)[1:-1])[1:-1]))",
    "in its error": "print(said, file=sys.stderr); sys.exit(1)",
    "in JSON of its error": (
        "print(json.dumps({'error': {'message': said}}), file=sys.stderr); sys.exit(1)"
    ),
    "after an answer": "print(ANSWER); print(said, file=sys.stderr); sys.exit(1)",
    "late": "print(said, file=sys.stderr); sys.stderr.flush(); time.sleep(60)",
}


def shown(name: str, folder: Path, way: str, env: Mapping[str, str], **options: str) -> str:
    """All that is left of a reply in which an agent told everything."""
    fake = Fake.make(name, folder, f"sys.stdin.read()\n{_ALL}\n{WAYS[way]}", text="I saw WORDS")
    there = {"PATH": fake.path, "HOME": str(folder / "home"), **PROXIES, **env}
    plug_in = module(name)
    reply = plug_in.ask(
        Prompt("a", "b", {}),
        plug_in.Options(**options),
        ModelContext(Environment(there, folder), 3 if way == "late" else 20),
    )
    assert reply.status is {"in its answer": ReviewStatus.OK, "late": ReviewStatus.TIMEOUT}.get(
        way, ReviewStatus.FAILED
    ), reply.error
    assert "REDACTED" in (reply.text or reply.error)
    return repr(reply)


def held(text: str, secrets: tuple[str, ...]) -> list[str]:
    """The secrets in a text, and beginnings of them that something cut off."""
    return [
        each
        for secret in secrets
        for each in (secret[:8], secret[::-1][:8], secret.encode().hex()[:16])
        if each in text
    ]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "cloud"), CLOUDS)
def test_the_account_of_a_cloud_and_the_logins_of_proxies_are_not_repeated(
    name: str, cloud: str, way: str, tmp_path: Path
) -> None:
    account = CLOUDS[name, cloud]
    assert (
        held(shown(name, tmp_path, way, account, cloud=cloud), (*account.values(), *OF_PROXIES))
        == []
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_a_key_and_the_tokens_of_a_login_are_not_repeated(
    name: str, way: str, tmp_path: Path
) -> None:
    assert held(shown(name, tmp_path, way, {NAME: KEY}, key=NAME), (KEY, *OF_PROXIES)) == []
    login = tmp_path / "home" / LOGINS[name]
    login.parent.mkdir(parents=True)
    login.write_text(
        json.dumps(
            {
                "oauth": {"accessToken": "token-for-an-hour", "refresh_token": "token-for-a-year"},
                "kind": "paid",
            }
        )
    )
    assert held(shown(name, tmp_path, way, {}), ("token-for-an-hour", "token-for-a-year")) == []


def test_a_secret_that_a_message_is_cut_within_is_not_half_repeated(tmp_path: Path) -> None:
    for start in range(280, 300):
        fake = Fake.make(
            "claude",
            tmp_path,
            f"print('x' * {start} + {KEY!r} + 'x' * 99, file=sys.stderr); sys.exit(1)",
        )
        assert held(fake.ask().error, (KEY,)) == []


def test_an_address_with_a_login_is_shown_without(tmp_path: Path) -> None:
    fake = Fake.make("claude", tmp_path)
    env = {
        NAME: KEY,
        "HOME": str(tmp_path),
        "ANTHROPIC_BASE_URL": "https://me:my-own-word@gateway.example/v1",
    }
    reply, chosen = fake.ask(env=env), module("claude").Options(key=NAME)
    standing = module("claude").check(
        chosen, ModelContext(Environment({"PATH": fake.path, **env}, tmp_path), 20)
    )
    assert (
        reply.status is ReviewStatus.OK
        and reply.endpoint == standing.destination == "https://[REDACTED:value]@gateway.example/v1"
    )


@pytest.mark.parametrize("status", [200, 401])
def test_an_api_that_repeats_what_a_proxy_was_sent(status: int, model_server: ModelServer) -> None:
    said = " ".join(OF_PROXIES)
    model_server.answer = (
        said
        if status == 200
        else lambda asked: Say(status, {"error": {"message": "x" * 290 + said}})
    )
    options = api.Options(dialect="openai", url=model_server.url("openai"), model="m", key=NAME)
    reply = api.ask(
        Prompt("a", "b", {}),
        options,
        ModelContext(Environment({NAME: KEY, **PROXIES}, Path.cwd()), 20),
    )
    assert (reply.text or reply.error) and held(repr(reply), OF_PROXIES) == []


@pytest.mark.parametrize("plan", [{}, {"raises": "ProcessError"}])
def test_a_template_that_the_sdk_answers_with_secrets(
    plan: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = CLOUDS["claude", "bedrock"]
    for name, value in {**account, **PROXIES}.items():
        monkeypatch.setenv(name, value)
    sdk = FakeSdk.make(tmp_path / "sdk", " ".join((*account.values(), *OF_PROXIES)), **plan)
    if plan:
        source = sdk.folder / "claude_agent_sdk/__init__.py"
        source.write_text(
            source.read_text().replace(
                '"the program said this"', f'"{" ".join((*account.values(), *OF_PROXIES))}"'
            )
        )
    monkeypatch.syspath_prepend(sdk.folder)
    result = asyncio.run(
        run_review(
            find_template("arch", TrustedSide(None, all_approved=True)),
            {"input": "a", "against": "b"},
            SdkAgent(),
        )
    )
    assert "REDACTED" in repr(result) and held(repr(result), (*account.values(), *OF_PROXIES)) == []


def login(token: str) -> str:
    return json.dumps({"oauth": {"accessToken": token}})


def test_the_tokens_from_before_and_after_a_renewal_are_both_known(tmp_path: Path) -> None:
    own = tmp_path / "home" / LOGINS["claude"]
    own.parent.mkdir(parents=True)
    own.write_text(login("token-of-before"))
    renewing = f"""
there = os.path.join(os.environ["HOME"], {LOGINS["claude"]!r})
before = open(there).read()
open(there, "w").write({login("token-of-after")!r})
for _ in range(500):  # until the user has it
    if "after" in open({str(own)!r}).read():
        break
    time.sleep(0.02)
print(before + open({str(own)!r}).read(), file=sys.stderr)
sys.exit(1)
"""
    reply = Fake.make("claude", tmp_path, renewing).ask(
        env={"HOME": str(tmp_path / "home")}, key=""
    )
    assert (
        "REDACTED" in reply.error and held(reply.error, ("token-of-before", "token-of-after")) == []
    )


def test_a_template_that_the_sdk_renews_its_login_under(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = LOGINS["claude"]
    own = tmp_path / "own" / file
    own.parent.mkdir(parents=True)
    own.write_text(login("token-of-before"))
    renewed = dict.fromkeys((file, str(own)), login("token-of-after"))  # there, and brought back
    sdk = FakeSdk.make(tmp_path / "sdk", "token-of-before, token-of-after", writes=renewed)
    monkeypatch.syspath_prepend(sdk.folder)
    agent = SdkAgent(access=Access(files={file: own}))
    result = asyncio.run(
        run_review(
            find_template("arch", TrustedSide(None, all_approved=True)),
            {"input": "a", "against": "b"},
            agent,
        )
    )
    assert result.raw_output == "[REDACTED:value], [REDACTED:value]"


BASIC = base64.b64encode(b"x-access-token:word-of-git").decode()
HEADER = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.https://git.example/.extraHeader"}
FORMS = {
    "a custom header": (
        {"ANTHROPIC_CUSTOM_HEADERS": "X-Team: one\nAuthorization: Bearer of-the-gateway"},
        ("of-the-gateway", "Bearer of-the-gateway"),
    ),
    "one without a scheme": (
        {"ANTHROPIC_CUSTOM_HEADERS": "X-Gateway: of,the gateway"},
        ("of,the gateway",),
    ),
    "OpenTelemetry's": (
        {"OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20of-the-meter,x-other=of-another"},
        ("of-the-meter", "of-another"),
    ),
    "git's": (
        {**HEADER, "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {BASIC}"},
        (BASIC, "x-access-token:word-of-git", "word-of-git"),
    ),
    "git's on its command line": (
        {"GIT_CONFIG_PARAMETERS": "'http.extraheader'='PRIVATE-TOKEN: of-the-forge'"},
        ("of-the-forge",),
    ),
    "the older way": (
        {"GIT_CONFIG_PARAMETERS": "'a.b=c' 'http.extraheader=A: of-the-forge'"},
        ("of-the-forge",),
    ),
    "a query's": (
        {"ANTHROPIC_BASE_URL": "https://gw.example/v1?team=platform&api_key=of%2Fa-query#top"},
        ("of%2Fa-query", "of/a-query"),
    ),
    "a signature": (
        {"CLAUDE_STORE": "https://store.example/a?version=2024-10-21&sig=of-a-storage"},
        ("of-a-storage",),
    ),
    "a second address": (
        {"HTTPS_PROXY": "http://one.example,http://ann:of-the-second@two.example"},
        ("ann:of-the-second", "of-the-second"),
    ),
    "one behind a word": (
        {"GIT_CONFIG_VALUE_1": "use http://ann:of-the-first@a.example http://b:of-the-last@b"},
        ("of-the-first", "of-the-last"),
    ),
    "a password of signs": (
        {"HTTPS_PROXY": "http://ann:of, 'a' <proxy@one.example"},
        ("of, 'a' <proxy",),
    ),
    "one before a mail address": (
        {"HTTPS_PROXY": "http://ann:of-a-proxy@one.example,me@two.example"},
        ("of-a-proxy",),
    ),
    "a key with its scheme": ({"MY_API_KEY": "Bearer of-the-key"}, ("of-the-key",)),
    "a login's list": (
        {"tokens": ["of-the-first", {"name": "n", "token": "of-the-second"}]},
        ("of-the-first", "of-the-second"),
    ),
    "a login's headers": (
        {"headers": {"Authorization": "Bearer of-the-header"}},
        ("of-the-header",),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_known_in_whatever_it_is_handed_in(form: str) -> None:
    handed, secrets = FORMS[form]
    assert set(secrets) <= set(find_credentials(handed))
    assert (
        held(
            redact_credentials(" ".join(secrets).encode(), find_credentials(handed)).decode(),
            secrets,
        )
        == []
    )


def test_short_values_are_no_secrets_and_long_ones_take_no_time() -> None:
    assert (
        redact_credentials(
            b"abcdefg, red",
            find_credentials(
                {"ANTHROPIC_CUSTOM_HEADERS": "Authorization: Bearer abcdefg\nX-Team: red"}
            ),
        )
        == b"abcdefg, red"
    )
    pieces = (
        "://ann:word@",
        "://a?key=1&",
        "://?",
        "://&a",
        "a: b\n",
        "a=b,",
        "a ",
        "'http.extraheader'='a: b' ",
    )
    for name in ("HTTP_PROXY", "X_HEADERS", "GIT_CONFIG_PARAMETERS", "API_KEY"):
        for piece in pieces:
            # Hours, were it quadratic
            assert len(set(find_credentials({name: piece * (200_000 // len(piece))}))) < 9


def test_what_is_no_secret_stays() -> None:
    plain = {
        "AWS_REGION": "eu-central-1",
        "AWS_SHARED_CREDENTIALS_FILE": "/home/me/.aws/credentials",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "NO_PROXY": "localhost,example.org",
        "HTTP_PROXY": "http://proxy.example:3128",
        "ANTHROPIC_BASE_URL": "https://gateway.example/v1@2?api-version=2024-10-21&region=eu-central-1",
        "GIT_CONFIG_KEY_1": "credential.helper",
        "GIT_CONFIG_VALUE_1": "osxkeychain: yes it is",
        "GIT_CONFIG_VALUE_2": "Authorization: a value without its key",
        "GIT_CONFIG_PARAMETERS": "'user.name=Ann' half a quote'",
    }
    assert [secret for secret in find_credentials(plain) if secret] == []
