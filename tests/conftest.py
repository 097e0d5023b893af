"""Fixtures for every test: no test sees the developer's own git settings, home or tokens."""

import compileall
import gc
import os
import re
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from .peers.github.fixture import github, github_plain, github_servers  # noqa: F401
from .peers.model_fixtures import aimock, aimock_process, model_server  # noqa: F401
from .quiet_path import hide_found_linters
from .support import ROOT, Ran, Repo, cli

_GIT_CONFIG = """\
[user]
    name = Ada Example
    email = ada@example.com
[init]
    defaultBranch = main
[commit]
    gpgSign = false
[protocol "file"]
    allow = always
[advice]
    detachedHead = false
[maintenance]
    auto = false
"""
# The tests' files are many and small: in memory they take a third of the time.
_MEMORY = "/dev/shm"
_ROOM = 4 << 30  # bytes
gc.disable()  # until all is collected
# How long an example takes depends on what else the machine does.
_EXAMPLES = 400 if os.environ.get("REVIEWGATE_GH_FULL") else 25 if os.environ.get("CI") else 10
settings.register_profile(
    "timeless", max_examples=_EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("timeless")
# Under nohup, or in the background, these are ignored, and would be in every program that a test
# starts and then interrupts.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _work_in_memory() -> None:
    """Where nobody has chosen a folder, and memory has room and runs programs."""
    with suppress(OSError):
        memory = os.statvfs(_MEMORY)
        has_room = memory.f_bavail * memory.f_frsize >= _ROOM and os.access(_MEMORY, os.W_OK)
        if has_room and not memory.f_flag & os.ST_NOEXEC:
            tempfile.tempdir = os.environ.setdefault("TMPDIR", _MEMORY)


_work_in_memory()
hide_found_linters()
_ONE_OF = 8  # cases of a slow table, that .ci/run makes; .ci/full makes all
_ONE_RUN_OF = 48  # whole runs that are no contract
_PLAIN_CASES = 6  # of any other table, that plain pytest makes
_PLAIN = re.compile(r"mark\.contract(?!\(plain=False\))")
_WHOLE_RUNS = Path(__file__).with_name("e2e")
_HOMES = count(1)
# Where cargo looks for the compiler that it stands for
_RUSTUP = os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup")
_UNTOUCHED: list[Path] = []  # homes in which no test has left anything
_FIRST: list[Repo] = []  # what `repo` copies
Environment = dict[str, str]
_KEPT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "VIRTUAL_ENV",
    "PYTHONHASHSEED",
)
_KEPT_PREFIXES = (
    "PYTEST_",
    "REVIEWGATE_GH_DATA",
    "REVIEWGATE_GH_FULL",
    "COV_",
    "COVERAGE_",
    "PIP_",
    "npm_config_",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """A second referee beside the fake of GitHub."""
    parser.addoption(
        "--referee",
        action="store_true",
        help="GitHub's own descriptions (Prism) judge the fake, and what it is sent",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Compile the package, which thousands of programs import; and run all of a file that is named,
    slow tests and peers too."""
    if hasattr(config, "workerinput"):
        config.option.markexpr = config.workerinput["markexpr"]
        return
    compileall.compile_dir(ROOT / "reviewgate_gh", quiet=2)
    chosen = any(arg.startswith("-m") for arg in map(str, config.invocation_params.args))
    if config.args_source is pytest.Config.ArgsSource.ARGS and not chosen:
        config.option.markexpr = "not big and not bench"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of whole runs without a contract need not be imported where slow tests are left out:
    each worker would import them all."""
    if collection_path.suffix != ".py" or not collection_path.is_relative_to(_WHOLE_RUNS):
        return None
    chosen = config.option.markexpr
    is_left_out = "not slow" in chosen and "not peer" in chosen
    return (is_left_out and not _PLAIN.search(collection_path.read_text("utf-8"))) or None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker of xdist reads the options again, and not what became of them."""
    node.workerinput["markexpr"] = node.config.option.markexpr


def pytest_collection_finish() -> None:
    """What was collected stays to the end, and need not be looked through again and again, nor
    while it grows."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole runs take seconds each: all but the contracts are slow. Of a slow table one case in
    _ONE_OF is made each time, and of whole runs one in _ONE_RUN_OF; the others are big. A contract
    that plain pytest leaves out is slow, too, and made each time; of one whose cases it names, one
    in _ONE_OF of the others. Of any other table plain pytest makes _PLAIN_CASES, and .ci/run
    all."""
    tables, quick = (defaultdict[str, list[pytest.Item]](list) for _ in range(2))
    for item in items:
        contract = item.get_closest_marker("contract")
        plain = contract.kwargs.get("plain", True) if contract else False
        if contract and not _is_plain(item, plain):
            item.add_marker("slow")
        elif contract:
            continue
        if (contract and plain is False) or item.get_closest_marker("big"):
            continue
        is_whole_run = item.path.is_relative_to(_WHOLE_RUNS)
        if is_whole_run and not item.get_closest_marker("peer"):
            item.add_marker("slow")
        if is_whole_run or item.get_closest_marker("slow"):
            tables[item.nodeid.partition("[")[0]].append(item)
        else:
            quick[item.nodeid.partition("[")[0]].append(item)
    for name, cases in quick.items():
        first = crc32(name.encode())
        made = {
            (first + at * len(cases) // _PLAIN_CASES) % len(cases) for at in range(_PLAIN_CASES)
        }
        for at, item in enumerate(cases):
            if at not in made:
                item.add_marker("slow")
    for name, cases in tables.items():
        digest = crc32(name.encode())
        chosen = digest % min(_ONE_OF, len(cases))
        is_whole = any(item.get_closest_marker("slow") for item in cases)
        is_whole &= not cases[0].get_closest_marker("contract")
        left_out = is_whole and (digest // _ONE_OF) % _ONE_RUN_OF
        for at, item in enumerate(cases):
            if at % _ONE_OF != chosen or left_out:
                item.add_marker("big")


def _is_plain(item: pytest.Item, plain: bool | Collection[str]) -> bool:
    return plain if isinstance(plain, bool) else item.callspec.id in plain  # type: ignore[attr-defined]


def pytest_runtest_setup() -> None:
    """Each test imports the agent SDK that it means: its own fake, or the real one."""
    if "claude_agent_sdk" in sys.modules:
        for name in [name for name in sys.modules if name.partition(".")[0] == "claude_agent_sdk"]:
            del sys.modules[name]


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    """What every test begins with, and fixtures that many share: no GIT_*, CI and tokens."""
    outside = dict(os.environ)
    inside = {
        name: value
        for name, value in outside.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    _set_environment(inside | _home_environment(_make_home(tmp_path_factory)))
    yield inside
    _set_environment(outside)


@pytest.fixture(autouse=True)
def isolated(
    tmp_path_factory: pytest.TempPathFactory, clean_environment: Environment
) -> Iterator[Path]:
    """An empty home with a git identity of its own, and the environment as it was before any test;
    gives the home. Most tests leave both as they were, and the next one takes them."""
    home = _UNTOUCHED.pop() if _UNTOUCHED else _make_home(tmp_path_factory)
    state = _state(home)
    _set_environment(clean_environment | _home_environment(home))
    yield home
    if _state(home) == state:
        _UNTOUCHED.append(home)


def _set_environment(wanted: Environment) -> None:
    """Change what differs; pytest itself writes the name of the test."""
    for name in os.environ.keys() - wanted.keys() - {"PYTEST_CURRENT_TEST"}:
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _make_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Mktemp would look through all earlier ones
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(_HOMES))
    home.mkdir(parents=True)
    (home / ".gitconfig").write_text(_GIT_CONFIG)
    return home


def _state(home: Path) -> list[tuple[str, int, int]]:
    """What lies in it, and when it was last written to."""
    with suppress(FileNotFoundError), os.scandir(home) as entries:
        return [(e.name, e.stat().st_ino, e.stat().st_mtime_ns) for e in entries]
    return []


def _home_environment(home: Path) -> Environment:
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "RUSTUP_HOME": _RUSTUP,
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """A factory: `make_repo("name", *git-init-options)` is a new empty repository under the test's
    folder."""

    def make(name: str = "repo", *options: str) -> Repo:
        return Repo.init(tmp_path / name, *options)

    return make


@pytest.fixture
def repo(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One new repository on branch main with one commit (README.md)."""
    if not _FIRST:
        made = Repo.init(tmp_path_factory.mktemp("first") / "repo")
        made.commit({"README.md": "# A project\n"}, "first")
        _FIRST.append(made)
    return _FIRST[0].copy(tmp_path / "repo")


@pytest.fixture(name="cli")
def cli_fixture(tmp_path: Path) -> Callable[..., Ran]:
    """`cli("review", "--base", "main", cwd=..., env=..., stdin=...)` is the real program in a
    process of its own."""
    return partial(cli, cwd=tmp_path)


@pytest.fixture
def data() -> Path:
    """The folder of large data sets that REVIEWGATE_GH_DATA names; the repository does not hold
    them."""
    folder = os.environ.get("REVIEWGATE_GH_DATA", "")
    if not folder:
        pytest.skip("REVIEWGATE_GH_DATA names no folder of data sets")
    return Path(folder)
