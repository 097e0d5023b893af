"""What a model's program is handed and says again: no secret of it is in its answer, its error, or where its questions go."""

import asyncio
import base64
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from reviewgate_gh.flows.template_agent import Agent, run_review
from reviewgate_gh.flows.template_side import Side
from reviewgate_gh.flows.templates import find_template
from reviewgate_gh.model.asked import Prompt
from reviewgate_gh.model.review import Status
from reviewgate_gh.reviewers import api
from reviewgate_gh.reviewers._handed import credentials
from reviewgate_gh.system.kit import Seat
from reviewgate_gh.system.world import World

from ...agents import KEY, NAME, NAMES, Fake, module
from ...fake_sdk import FakeSdk
from ...peers.model_server import ModelServer, Say
from .test_agents_apart import LOGINS

CLOUDS = {
    ("claude", "bedrock"): {
        "AWS_ACCESS_KEY_ID": "an-id-of-many-letters",
        "AWS_SECRET_ACCESS_KEY": "wJalr/K7MDENG+bPxRfi",
        "AWS_SESSION_TOKEN": "session-of-one-hour",
        "AWS_BEARER_TOKEN_BEDROCK": "bearer-of-a-house",
    },
    ("gemini", "vertex"): {"GOOGLE_API_KEY": "a-key-of-googles-own"},
}
PROXIES = {"HTTPS_PROXY": "http://ann:pass%2Fword-1@proxy.example:3128", "all_proxy": "bob:other-word@proxy.example:1080"}
SENT = base64.b64encode(b"ann:pass/word-1").decode()
OF_PROXIES = ("pass%2Fword-1", "pass/word-1", "other-word", SENT)
# It says all that it sees: every value, and what a proxy would be sent.
_ALL = """
import base64
seen = list(os.environ.values()) + ["pass/word-1"]
for at, _, names in os.walk(os.environ["HOME"], followlinks=True):
    seen += [open(os.path.join(at, name)).read() for name in names]
forms = [form for value in seen for form in (value, value[::-1], value.encode().hex())]
said = " | ".join([*forms, base64.b64encode(b"ann:pass/word-1").decode()])
"""
WAYS = {
    "in its answer": "print(ANSWER.replace('WORDS', json.dumps(json.dumps(said)[1:-1])[1:-1]))",
    "in its error": "print(said, file=sys.stderr); sys.exit(1)",
    "in JSON of its error": "print(json.dumps({'error': {'message': said}}), file=sys.stderr); sys.exit(1)",
    "behind an answer": "print(ANSWER); print(said, file=sys.stderr); sys.exit(1)",
    "late": "print(said, file=sys.stderr); sys.stderr.flush(); time.sleep(60)",
}


def shown(name: str, folder: Path, way: str, env: Mapping[str, str], **options: str) -> str:
    """All that is left of a reply in which an agent told everything."""
    fake = Fake.make(name, folder, f"sys.stdin.read()\n{_ALL}\n{WAYS[way]}", text="I saw WORDS")
    there = {"PATH": fake.path, "HOME": str(folder / "home"), **PROXIES, **env}
    plug_in = module(name)
    reply = plug_in.ask(Prompt("a", "b", {}), plug_in.Options(**options), Seat(World(there, folder), 3 if way == "late" else 20))
    assert reply.status is {"in its answer": Status.OK, "late": Status.TIMEOUT}.get(way, Status.FAILED), reply.error
    assert "REDACTED" in (reply.text or reply.error)
    return repr(reply)


def held(text: str, secrets: tuple[str, ...]) -> list[str]:
    """The secrets in a text, and beginnings of them that something cut off."""
    return [each for secret in secrets for each in (secret[:8], secret[::-1][:8], secret.encode().hex()[:16]) if each in text]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "cloud"), CLOUDS)
def test_the_account_of_a_cloud_and_the_logins_of_proxies_are_not_repeated(name: str, cloud: str, way: str, tmp_path: Path) -> None:
    account = CLOUDS[name, cloud]
    assert held(shown(name, tmp_path, way, account, cloud=cloud), (*account.values(), *OF_PROXIES)) == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_a_key_and_the_tokens_of_a_login_are_not_repeated(name: str, way: str, tmp_path: Path) -> None:
    assert held(shown(name, tmp_path, way, {NAME: KEY}, key=NAME), (KEY, *OF_PROXIES)) == []
    login = tmp_path / "home" / LOGINS[name]
    login.parent.mkdir(parents=True)
    login.write_text(json.dumps({"oauth": {"accessToken": "token-for-an-hour", "refresh_token": "token-for-a-year"}, "kind": "paid"}))
    assert held(shown(name, tmp_path, way, {}), ("token-for-an-hour", "token-for-a-year")) == []


def test_a_secret_that_a_message_is_cut_within_is_not_half_repeated(tmp_path: Path) -> None:
    for start in range(280, 300):
        fake = Fake.make("claude", tmp_path, f"print('x' * {start} + {KEY!r} + 'x' * 99, file=sys.stderr); sys.exit(1)")
        assert held(fake.ask().error, (KEY,)) == []


def test_an_address_with_a_login_is_shown_without(tmp_path: Path) -> None:
    fake = Fake.make("claude", tmp_path)
    env = {NAME: KEY, "HOME": str(tmp_path), "ANTHROPIC_BASE_URL": "https://me:my-own-word@gateway.example/v1"}
    reply, chosen = fake.ask(env=env), module("claude").Options(key=NAME)
    standing = module("claude").check(chosen, Seat(World({"PATH": fake.path, **env}, tmp_path), 20))
    assert reply.status is Status.OK and reply.endpoint == standing.sends == "https://[REDACTED:value]@gateway.example/v1"


@pytest.mark.parametrize("status", [200, 401])
def test_an_api_that_repeats_what_a_proxy_was_sent(status: int, model_server: ModelServer) -> None:
    said = " ".join(OF_PROXIES)
    model_server.answer = said if status == 200 else lambda asked: Say(status, {"error": {"message": "x" * 290 + said}})
    options = api.Options(dialect="openai", url=model_server.url("openai"), model="m", key=NAME)
    reply = api.ask(Prompt("a", "b", {}), options, Seat(World({NAME: KEY, **PROXIES}, Path.cwd()), 20))
    assert (reply.text or reply.error) and held(repr(reply), OF_PROXIES) == []


@pytest.mark.parametrize("plan", [{}, {"raises": "ProcessError"}])
def test_a_template_that_the_sdk_answers_with_secrets(plan: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    account = CLOUDS["claude", "bedrock"]
    for name, value in {**account, **PROXIES}.items():
        monkeypatch.setenv(name, value)
    sdk = FakeSdk.make(tmp_path / "sdk", " ".join((*account.values(), *OF_PROXIES)), **plan)
    if plan:
        source = sdk.folder / "claude_agent_sdk/__init__.py"
        source.write_text(source.read_text().replace('"the program said this"', f'"{" ".join((*account.values(), *OF_PROXIES))}"'))
    monkeypatch.syspath_prepend(sdk.folder)
    result = asyncio.run(run_review(find_template("arch", Side(None, own=True)), {"input": "a", "against": "b"}, Agent()))
    assert "REDACTED" in repr(result) and held(repr(result), (*account.values(), *OF_PROXIES)) == []


def test_what_is_no_secret_stays() -> None:
    plain = {
        "AWS_REGION": "eu-central-1",
        "AWS_SHARED_CREDENTIALS_FILE": "/home/me/.aws/credentials",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "NO_PROXY": "localhost,example.org",
        "HTTP_PROXY": "http://proxy.example:3128",
        "ANTHROPIC_BASE_URL": "https://gateway.example/v1@2",
    }
    assert [secret for secret in credentials(plain) if secret] == []
