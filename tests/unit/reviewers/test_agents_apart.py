"""What a coding agent gets to see: its own vendor's variables, an empty folder, a home of its own,
and of a login its files alone."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.system.parallel import map_parallel
from reviewgate_gh.text.config_file import validate_settings
from tests.agents import ANSWERS, KEY, MODELS, NAME, NAMES, PROMPT, TEXT, Fake, module
from tests.support import Repo

pytestmark = pytest.mark.slow

each_agent = pytest.mark.parametrize("name", NAMES)
KEYS = {
    "claude": "ANTHROPIC_API_KEY",
    "codex": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "qwen": "OPENAI_API_KEY",
}
ADDRESSES = {
    "claude": "ANTHROPIC_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "qwen": "OPENAI_BASE_URL",
}
LOGINS = {
    "claude": ".claude/.credentials.json",
    "codex": ".codex/auth.json",
    "gemini": ".gemini/oauth_creds.json",
    "qwen": ".qwen/oauth_creds.json",
}
ORDINARY = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "HTTPS_PROXY": "http://proxy:1",
    "no_proxy": "localhost",
    "NODE_EXTRA_CA_CERTS": "/ca.pem",
}
SECRETS = {
    **dict.fromkeys(
        ("GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
        "not-for-you",
    ),
    **dict.fromkeys(
        ("GITHUB_ENV", "RUNNER_TEMP", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK"),
        "not-for-you",
    ),
    **dict.fromkeys(
        (
            "NODE_OPTIONS",
            "LD_PRELOAD_X",
            "PYTHONSTARTUP_X",
            "GIT_DIR",
            "DEEPSEEK_API_KEY",
            "XDG_DATA_HOME",
        ),
        "not-for-you",
    ),
    **dict.fromkeys(
        (
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "CODEX_API_KEY",
        ),
        "another-vendors",
    ),
}
DUMP = """
HOME = os.environ["HOME"]
walk = os.walk(HOME, followlinks=True)
tree = [os.path.relpath(os.path.join(at, each), HOME) for at, _, names in walk for each in names]
seen = {"env": dict(os.environ), "cwd": os.getcwd(), "work": os.listdir(".")}
seen |= {"home": sorted(tree), "argv": sys.argv[1:]}
seen["modes"] = [oct(os.stat(os.path.dirname(os.getcwd())).st_mode & 0o777)]
json.dump(seen, open(FOLDER + "/seen", "w"))
"""
# What each agent needs of its own accord: variables that switch things off, and where its files
# are.
OWN = {
    "claude": {
        *(
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_AUTOUPDATER",
        ),
        *("CLAUDE_CODE_MAX_RETRIES", "DISABLE_PROMPT_CACHING"),
    },
    "codex": {"CODEX_HOME"},
    "gemini": {"GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_SYSTEM_MD"},
    "qwen": {"QWEN_USAGE_STATISTICS_ENABLED", "OPENAI_BASE_URL"},
}


def looking(name: str, folder: Path) -> Fake:
    """An agent that writes down what it sees."""
    return Fake.make(name, folder, DUMP + ANSWERS)


@each_agent
@pytest.mark.parametrize(
    "ci", [{}, {"CI": "true"}, {"GITHUB_ACTIONS": "true"}], ids=["own machine", "CI", "Actions"]
)
def test_its_variables_are_an_allow_list(name: str, ci: dict[str, str], tmp_path: Path) -> None:
    fake = looking(name, tmp_path)
    reply = fake.ask(env={NAME: KEY, **ORDINARY, **SECRETS, **ci, "HOME": str(tmp_path)})
    assert reply.status is ReviewStatus.OK
    env = fake.left("seen")["env"]
    env.pop("LC_CTYPE", None)  # Python's own, when it finds no other
    assert set(env) == {"PATH", "HOME", "TMPDIR", "NO_COLOR", KEYS[name], *ORDINARY, *OWN[name]}
    assert env[KEYS[name]] == KEY
    assert "not-for-you" not in env.values() and "another-vendors" not in env.values()
    assert {each: env[each] for each in ORDINARY} == ORDINARY


@each_agent
@pytest.mark.parametrize(
    ("url", "proxies"),
    [
        ("http://127.0.0.1:9/v1", set()),
        ("https://models.example/v1", {"HTTPS_PROXY", "no_proxy", "http_proxy"}),
    ],
)
def test_no_proxy_is_told_of_what_goes_to_this_machine(
    name: str, url: str, proxies: set[str], tmp_path: Path
) -> None:
    fake = looking(name, tmp_path)
    assert (
        fake.ask(env={NAME: KEY, **ORDINARY, "http_proxy": "http://proxy:1"}, url=url).status
        is ReviewStatus.OK
    )
    assert {each for each in fake.left("seen")["env"] if each.lower().endswith("_proxy")} == proxies


@each_agent
def test_its_folders_are_new_private_and_gone_afterwards(name: str, tmp_path: Path) -> None:
    fake = looking(name, tmp_path)
    fake.ask(env={NAME: KEY, "HOME": str(tmp_path)})
    seen = fake.left("seen")
    assert seen["work"] == [] and seen["modes"] == ["0o700"]
    work, home = Path(seen["cwd"]), Path(seen["env"]["HOME"])
    assert work.parent == home.parent and work.parent.name.startswith("reviewgate-gh-agent-")
    assert Path(seen["env"]["TMPDIR"]).parent == work.parent and not work.parent.exists()
    # Nothing but our own settings.
    assert seen["home"] == {
        "codex": [".codex/config.toml"],
        "gemini": [".gemini/settings.json"],
    }.get(name, [])


@each_agent
def test_a_login_is_carried_alone_and_brought_back_when_it_was_renewed(
    name: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    login = home / LOGINS[name]
    login.parent.mkdir(parents=True)
    login.write_text('{"token": "old"}')
    login.chmod(0o600)
    for other in ("settings.json", "CLAUDE.md", "history.jsonl", ".env"):
        (login.parent / other).write_text("{}")
    new = (
        f"open(os.path.join(os.environ['HOME'], {LOGINS[name]!r}), 'w').write('{{\"token\": "
        f'"new"}}\'); '
    )
    fake = Fake.make(name, tmp_path, DUMP + new + ANSWERS)
    reply = fake.ask(env={"HOME": str(home)}, key="")
    assert reply.status is ReviewStatus.OK, reply.error
    assert LOGINS[name] in fake.left("seen")["home"] and len(fake.left("seen")["home"]) <= 2
    assert not {KEYS[name]} & set(fake.left("seen")["env"])
    assert (login.read_text(), oct(login.stat().st_mode & 0o777)) == ('{"token": "new"}', "0o600")


# As the vendors do it: under a lock beside the login, which is read again there; the old token is
# taken once.
_RENEWS = """
folder, name = os.path.split(os.environ["HOME"] + "/" + LOGIN)
while True:
    try:
        os.mkdir(folder + "/lock")
        break
    except FileExistsError:
        time.sleep(0.01)
if json.load(open(folder + "/" + name))["token"] == "old":
    try:
        os.mkdir(FOLDER + "/taken")
    except FileExistsError:
        sys.exit("this token was taken before")
    open(folder + "/" + name, "w").write('{"token": "new"}')
os.rmdir(folder + "/lock")
"""


@each_agent
def test_questions_that_are_asked_at_once_renew_a_login_once(name: str, tmp_path: Path) -> None:
    login = tmp_path / LOGINS[name]
    login.parent.mkdir(parents=True)
    login.write_text('{"token": "old"}')
    fake = Fake.make(name, tmp_path, f"LOGIN = {LOGINS[name]!r}\n{_RENEWS}\n{ANSWERS}")
    replies = map_parallel(lambda _: fake.ask(env={"HOME": str(tmp_path)}, key=""), range(6), 6)
    assert [(reply.status, reply.error) for reply in replies] == [(ReviewStatus.OK, "")] * 6
    assert login.read_text() == '{"token": "new"}'


@pytest.mark.parametrize("written", ["", "{", "[]", '"x"'], ids=["empty", "half", "list", "text"])
def test_a_login_that_was_damaged_is_not_brought_back(written: str, tmp_path: Path) -> None:
    login = tmp_path / LOGINS["claude"]
    login.parent.mkdir(parents=True)
    login.write_text('{"token": "old"}')
    body = f"open(os.environ['HOME'] + '/.claude/.credentials.json', 'w').write({written!r}); "
    assert (
        Fake.make("claude", tmp_path, body + ANSWERS)
        .ask(env={"HOME": str(tmp_path)}, key="")
        .status
        is ReviewStatus.OK
    )
    assert login.read_text() == '{"token": "old"}'


def test_a_login_that_somebody_else_renewed_meanwhile_stays(tmp_path: Path) -> None:
    login = tmp_path / LOGINS["claude"]
    login.parent.mkdir(parents=True)
    login.write_text('{"token": "old"}')
    body = (
        f"open({str(login)!r}, 'w').write('{{\"token\": \"theirs\"}}'); "
        "open(os.environ['HOME'] + '/.claude/.credentials.json', 'w')"
    )
    Fake.make("claude", tmp_path, body + '.write(\'{"token": "ours"}\'); ' + ANSWERS).ask(
        env={"HOME": str(tmp_path)}, key=""
    )
    assert login.read_text() == '{"token": "theirs"}'


@each_agent
def test_in_ci_no_login_and_no_variable_but_the_named_one_serves(name: str, tmp_path: Path) -> None:
    login = tmp_path / LOGINS[name]
    login.parent.mkdir(parents=True)
    login.write_text("{}")
    fake = looking(name, tmp_path)
    poisoned = {
        "CI": "1",
        "HOME": str(tmp_path),
        KEYS[name]: KEY,
        ADDRESSES.get(name, "X"): "http://evil.example",
    }
    for options in ({"key": ""}, {"key": "", "home": "own"}):
        reply = fake.ask(env=poisoned, **options)
        assert (reply.status, reply.text) == (
            ReviewStatus.UNAVAILABLE,
            "",
        ) and "options.key" in reply.error
    assert not (tmp_path / "seen").exists()
    assert fake.ask(env=poisoned, key=KEYS[name]).status is ReviewStatus.OK
    assert "evil.example" not in str(fake.left("seen"))
    assert "evil.example" not in fake.ask(env=poisoned, key=KEYS[name]).endpoint


@each_agent
def test_spaces_around_a_key_are_none_of_it(name: str, tmp_path: Path) -> None:
    """A secret is pasted with the end of its line more often than not; of nothing else there is no
    key."""
    fake = looking(name, tmp_path)
    nothing = fake.ask(env={NAME: " \n"})
    assert (nothing.status, nothing.error) == (
        ReviewStatus.UNAVAILABLE,
        f"{NAME} is not set: set it to the API key",
    )
    assert fake.ask(env={NAME: f"{KEY}\r\n"}).status is ReviewStatus.OK
    assert fake.left("seen")["env"][KEYS[name]] == KEY


@each_agent
def test_without_a_login_a_key_of_the_vendors_serves_on_ones_own_machine(
    name: str, tmp_path: Path
) -> None:
    fake = looking(name, tmp_path)
    assert fake.ask(env={"HOME": str(tmp_path), KEYS[name]: KEY}, key="").status is ReviewStatus.OK
    assert fake.left("seen")["env"][KEYS[name]] == KEY
    assert (
        fake.ask(env={"HOME": str(tmp_path), KEYS[name]: f"{KEY}\n"}, key="").status
        is ReviewStatus.OK
    )
    assert fake.left("seen")["env"][KEYS[name]] == KEY
    for env in ({}, {KEYS[name]: " \n"}):
        reply = fake.ask(env={"HOME": str(tmp_path), **env}, key="")
        assert reply.status is ReviewStatus.UNAVAILABLE and "no login and no key" in reply.error
    assert fake.ask(env={}, key="").status is ReviewStatus.UNAVAILABLE


@each_agent
def test_a_gateway_is_asked_where_the_user_names_one(name: str, tmp_path: Path) -> None:
    fake, address = looking(name, tmp_path), "http://127.0.0.1:9/v1"
    assert fake.ask(env={NAME: KEY, "HOME": str(tmp_path)}, url=address).endpoint == address
    seen = fake.left("seen")
    assert (
        (seen["env"][ADDRESSES[name]] == address)
        if name in ADDRESSES
        else (f'base_url="{address}"' in str(seen["argv"]))
    )
    if name in ADDRESSES:
        assert (
            fake.ask(
                env={NAME: KEY, "HOME": str(tmp_path), ADDRESSES[name]: "https://mine.example/"}
            ).endpoint
            == "https://mine.example/"
        )


@pytest.mark.parametrize("name", ["codex", "gemini", "qwen"])
def test_a_login_is_not_sent_to_a_gateway(name: str, tmp_path: Path) -> None:
    login = tmp_path / LOGINS[name]
    login.parent.mkdir(parents=True)
    login.write_text("{}")
    reply = Fake.make(name, tmp_path).ask(
        env={"HOME": str(tmp_path)}, key="", url="http://127.0.0.1:9/v1"
    )
    assert reply.status is ReviewStatus.UNAVAILABLE and "url" in reply.error


@each_agent
def test_its_own_home_is_given_when_the_user_says_so(name: str, tmp_path: Path) -> None:
    fake = looking(name, tmp_path)
    assert (
        fake.ask(env={"HOME": str(tmp_path), "GITHUB_TOKEN": "x"}, key="", home="own").status
        is ReviewStatus.OK
    )
    seen = fake.left("seen")
    assert seen["env"]["HOME"] == str(tmp_path) and "GITHUB_TOKEN" not in seen["env"]
    assert seen["work"] == [] and "CODEX_HOME" not in seen["env"]


def test_a_cloud_gets_its_own_variables(tmp_path: Path) -> None:
    env = {
        "HOME": str(tmp_path),
        "AWS_REGION": "eu-1",
        "AWS_PROFILE": "p",
        "ANTHROPIC_API_KEY": KEY,
        "GITHUB_TOKEN": "x",
    }
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/config").write_text("")
    fake = looking("claude", tmp_path)
    assert fake.ask(env=env, key="", cloud="bedrock").endpoint == "Amazon Bedrock"
    seen = fake.left("seen")["env"]
    assert (seen["CLAUDE_CODE_USE_BEDROCK"], seen["AWS_REGION"], seen["AWS_CONFIG_FILE"]) == (
        "1",
        "eu-1",
        str(tmp_path / ".aws/config"),
    )
    assert not {"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SHARED_CREDENTIALS_FILE"} & set(seen)
    there = {
        **env,
        "ANTHROPIC_BEDROCK_BASE_URL": "https://mine.example",
        "ANTHROPIC_BASE_URL": "https://other.example",
    }
    fake.ask(env=there, key="", cloud="bedrock")
    assert fake.left("seen")["env"]["ANTHROPIC_BEDROCK_BASE_URL"] == "https://mine.example"
    assert fake.ask(env={**there, "CI": "1"}, key="", cloud="bedrock").status is ReviewStatus.OK
    assert not {"AWS_CONFIG_FILE", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_BASE_URL"} & set(
        fake.left("seen")["env"]
    )


# What the vendors' own programs read of a cloud's account; the switches choose it.
AWS = {
    *(
        "AWS_REGION",
        "AWS_PROFILE",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
    ),
    *("AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "ANTHROPIC_BEDROCK_BASE_URL"),
}
ADC = "GOOGLE_APPLICATION_CREDENTIALS"
CLOUDS = {
    ("claude", "bedrock"): {"CLAUDE_CODE_USE_BEDROCK": "1", **dict.fromkeys(AWS, "of-a-cloud")},
    ("claude", "vertex"): {
        "CLAUDE_CODE_USE_VERTEX": "1",
        **dict.fromkeys(
            (
                "CLOUD_ML_REGION",
                "ANTHROPIC_VERTEX_PROJECT_ID",
                "ANTHROPIC_VERTEX_BASE_URL",
                "GOOGLE_CLOUD_PROJECT",
                ADC,
            ),
            "of-a-cloud",
        ),
    },
    ("gemini", "vertex"): {
        "GOOGLE_GENAI_USE_VERTEXAI": "true",
        **dict.fromkeys(
            (
                "GOOGLE_CLOUD_PROJECT",
                "GOOGLE_CLOUD_LOCATION",
                "GOOGLE_API_KEY",
                "GOOGLE_VERTEX_BASE_URL",
                ADC,
            ),
            "of-a-cloud",
        ),
    },
}


@pytest.mark.parametrize(("name", "cloud"), [*CLOUDS, *((name, "") for name in NAMES)])
def test_the_variables_of_a_cloud_are_handed_on_where_it_is_chosen_and_nowhere_else(
    name: str, cloud: str, tmp_path: Path
) -> None:
    """All of all clouds are there, the switches too, set to something else."""
    there = {each: "of-a-cloud" for values in CLOUDS.values() for each in values}
    fake = looking(name, tmp_path)
    reply = fake.ask(
        env={NAME: KEY, KEYS[name]: KEY, "HOME": str(tmp_path), **there},
        key="" if cloud else NAME,
        cloud=cloud,
    )
    assert reply.status is ReviewStatus.OK, reply.error
    env = fake.left("seen")["env"]
    assert {each: value for each, value in env.items() if each in there} == CLOUDS.get(
        (name, cloud), {}
    )
    # And no key of the vendor's beside a cloud's account
    assert (KEY in env.values()) is not bool(cloud)


# Off by the words that each program's documentation gives: for Claude Code and Qwen Code variables,
# for the others settings.
QUIET = {
    "claude": {
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    "codex": {
        "analytics.enabled": "false",
        "feedback.enabled": "false",
        "check_for_update_on_startup": "false",
        "otel.exporter": '"none"',
    },
    "gemini": {
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    },
    "qwen": {"QWEN_USAGE_STATISTICS_ENABLED": "false"},  # it looks for updates in a terminal only
}
SETTINGS = """
where = os.environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
where = where or os.environ["HOME"] + "/.gemini/settings.json"
shutil.copy(where, FOLDER + "/settings") if os.path.exists(where) else None
"""


@each_agent
@pytest.mark.parametrize("home", ["fresh", "own"])
def test_telemetry_and_updates_are_off_by_the_words_that_the_program_knows(
    name: str, home: str, tmp_path: Path
) -> None:
    fake = Fake.make(name, tmp_path, f"import shutil\n{SETTINGS}{DUMP}{ANSWERS}")
    reply = fake.ask(
        env={NAME: KEY, KEYS[name]: KEY, "HOME": str(tmp_path)},
        key="" if home == "own" else NAME,
        home=home,
    )
    assert reply.status is ReviewStatus.OK, reply.error
    seen = fake.left("seen")
    settings = dict(
        word.split("=", 1) for at, word in enumerate(seen["argv"]) if seen["argv"][at - 1] == "-c"
    )
    told = {"codex": settings, "gemini": fake.left("settings") if name == "gemini" else {}}.get(
        name, seen["env"]
    )
    assert _within(told, QUIET[name])


def _within(told: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(
        _within(told[key], value) if isinstance(value, dict) else told[key] == value
        for key, value in wanted.items()
    )


BAD = {
    "path": ["claude", "./claude", "bin/claude"],
    "key": [
        "sk-ant-123",
        "A B",
        "1A",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "ACTIONS_RUNTIME_TOKEN",
        "GITHUB_PAT",
    ],
    "url": [
        "ftp://x",
        "api.example",
        "https://me:secret@host/",
        "http://gateway.example/v1",
        "https://a b",
    ],
    "home": ["fresh ", "mine"],
    "cloud": ["azure"],
    "args": [["--dangerously-skip-permissions"]],
}


@each_agent
@pytest.mark.parametrize(
    ("option", "value"), [(option, value) for option, values in BAD.items() for value in values]
)
def test_options_that_are_wrong_are_told(name: str, option: str, value: object) -> None:
    from reviewgate_gh.model.errors import ConfigError

    with pytest.raises(ConfigError, match=option):
        validate_settings({option: value}, module(name).Options, "reviewers.x.options")


@each_agent
def test_a_program_of_the_reviewed_repository_is_never_run(
    name: str, repo: Repo, tmp_path: Path
) -> None:
    sentinel = f"open({str(tmp_path / 'sentinel')!r}, 'w'); "
    fake = Fake.make(name, repo.path, sentinel + ANSWERS)
    other = Fake.make(name, tmp_path)
    options = module(name).Options(key=NAME, model=MODELS[name])
    named = module(name).Options(key=NAME, path=str(fake.folder / "bin" / name))

    def asked(path: str, chosen: object, trusted: bool) -> object:
        env = {NAME: KEY, "PATH": path, "HOME": str(tmp_path)}
        return module(name).ask(
            PROMPT, chosen, ModelContext(Environment(env, repo.path), 20, trusted, repo.path)
        )

    # Somebody else's change: nothing of the tree
    assert asked(fake.path, named, False).status is ReviewStatus.UNAVAILABLE
    assert asked(f"bin:.:{fake.path}:{other.path}", options, False).text == TEXT
    repo.commit(message="it is tracked")
    assert asked(fake.path, named, True).status is ReviewStatus.UNAVAILABLE
    assert asked(f"bin:{fake.path}:{other.path}", options, True).text == TEXT
    assert not (tmp_path / "sentinel").exists()
    repo.git("rm", "-q", "--cached", f"bin/{name}")
    assert asked(fake.path, named, True).text == TEXT  # the user's own, put there by hand
    assert (tmp_path / "sentinel").exists()


def test_a_tracked_link_to_a_program_is_the_repositorys_too(repo: Repo, tmp_path: Path) -> None:
    other = Fake.make("claude", tmp_path)
    os.symlink(other.folder / "bin", repo.path / "tools")
    repo.commit(message="a link")
    options = module("claude").Options(key=NAME, path=str(repo.path / "tools/claude"))
    env = {NAME: KEY, "PATH": os.environ["PATH"]}
    assert (
        module("claude")
        .ask(PROMPT, options, ModelContext(Environment(env, repo.path), 20, True, repo.path))
        .status
        is ReviewStatus.UNAVAILABLE
    )


def test_the_path_that_it_gets_holds_nothing_of_the_repository(repo: Repo, tmp_path: Path) -> None:
    fake = looking("claude", tmp_path)
    env = {NAME: KEY, "PATH": f"{repo.path}/bin:bin::{fake.path}"}
    options = module("claude").Options(key=NAME)
    assert (
        module("claude")
        .ask(PROMPT, options, ModelContext(Environment(env, repo.path), 20, True, repo.path))
        .status
        is ReviewStatus.OK
    )
    folders = fake.left("seen")["env"]["PATH"].split(":")
    assert all(folder.startswith("/") for folder in folders) and not [
        folder for folder in folders if str(repo.path) in folder
    ]


@each_agent
def test_the_repositorys_own_agent_files_are_not_where_it_looks(
    name: str, repo: Repo, tmp_path: Path
) -> None:
    """It starts in an empty folder outside the repository, and no folder above that one is the
    repository's."""
    files = (
        "CLAUDE.md",
        "AGENTS.md",
        ".claude/settings.json",
        ".gemini/settings.json",
        ".codex/config.toml",
        ".qwen/settings.json",
        ".env",
    )
    repo.commit(dict.fromkeys(files, "OBEY"))
    fake = looking(name, tmp_path)
    chosen = module(name).Options(key=NAME)
    context = ModelContext(
        Environment({NAME: KEY, "PATH": fake.path}, repo.path), 20, True, repo.path
    )
    assert module(name).ask(PROMPT, chosen, context).status is ReviewStatus.OK
    cwd = Path(fake.left("seen")["cwd"])
    assert not cwd.is_relative_to(repo.path) and cwd.is_relative_to(tempfile.gettempdir())
    assert str(repo.path) not in str(fake.left("seen")["argv"]) + str(fake.left("seen")["env"])
