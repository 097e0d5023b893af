"""msgspec reads what pydantic would read, and nothing else: every key of every type, with every odd
value."""

import functools
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import make_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct, to_builtins
from msgspec.structs import fields
from pydantic import TypeAdapter, ValidationError

from reviewgate_gh.model.config import Config
from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.model.waiver import WaiverFile
from reviewgate_gh.system import plugins
from reviewgate_gh.text.config_file import parse_settings, read_section, validate_settings
from tests.support import ROOT, Repo, run

pytestmark = pytest.mark.slow
NONE = object()
_OF_LANGUAGES = ("allow", "languages")  # keys that take names of languages alone
ODD = [
    None, True,
    False, 0, 1, 2, -1, 1.0, 0.5, 10**400, float("nan"), float("inf"), "", "1", "x", "P1", "local",
    "abort", "a\0b", "é", "\ud800",
    "😀", [], [1], ["x"], [None], [[]], ["x", 1], {}, {"x": 1}, {"x": "y"}, {"x": {}},
    {"type": "builtin"}, [{}], {"x": ["y"]}, {"": ""},
]  # fmt: skip
KINDS = {
    "config": Config, "waivers": WaiverFile,
    **{f"{group}/{name}": plugins.load(group, name).Options for group in ("reviewers",
        "trackers") for name in plugins.names(group)},
}  # fmt: skip


adapter = functools.cache(TypeAdapter)


def fast(data: str, kind: Any) -> Any:
    try:
        return read_section(data, kind)
    except ValueError:
        return NONE


def slow(data: str, kind: Any) -> Any:
    try:
        return adapter(kind).validate_json(data)
    except ValidationError:
        return NONE


def example(kind: Any) -> Any:
    """Data that fits the type, with every key of every type below it."""
    args = [arg for arg in get_args(kind) if arg is not type(None)]
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind)
        return {field.name: _own(field, hints[field.name]) for field in fields(kind)}
    if get_origin(kind) is tuple:
        return [example(args[0])]
    if get_origin(kind) is Mapping:
        return {"key": example(args[1])}
    if get_origin(kind) in (Union, UnionType):
        return example(args[0])
    return args[0] if args else {str: "text", int: 1, float: 1.5, bool: True}.get(kind, "any")


def _own(field: Any, hint: Any) -> Any:
    """The default where that is a plain word or number, which some types hold to more than the type
    says."""
    if field.name in _OF_LANGUAGES:
        return ["Go"]
    default = field.default
    return default if type(default) in (str, int, float, bool) else example(hint)


def places(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    for key, value in (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    ):
        yield from places(value, (*at, key))


def put(data: Any, at: tuple[Any, ...], value: Any) -> Any:
    """The data with another value there; a key more where the last part of the place is new."""
    if not at:
        return value
    if isinstance(data, dict):
        return {**data, at[0]: put(data.get(at[0]), at[1:], value)}
    return [
        put(item, at[1:], value) if number == at[0] else item for number, item in enumerate(data)
    ]


def mutants(kind: Any) -> Iterator[Any]:
    whole = example(kind)
    for at in places(whole):
        yield from (put(whole, at, odd) for odd in ODD)
        yield put(whole, (*at, "unknown"), 1) if isinstance(_there(whole, at), dict) else whole
    for name in whole:
        yield {name: whole[name]}
        yield {key: value for key, value in whole.items() if key != name}


def _there(data: Any, at: tuple[Any, ...]) -> Any:
    for part in at:
        data = data[part]
    return data


@pytest.mark.parametrize("name", KINDS)
def test_whatever_it_takes_pydantic_takes_for_the_same(name: str) -> None:
    kind, taken = KINDS[name], 0
    for each in mutants(kind):
        data = json.dumps(each)
        mine, theirs = fast(data, kind), slow(data, kind)
        # To pydantic true and 1.0 are the word 1, and what no float can hold is infinite
        if mine is NONE and theirs is not NONE:
            assert re.search(r'"version": (true|1\.0)', data) or str(10**400) in data, data
        else:
            assert repr(mine) == repr(theirs), data
        taken += mine is not NONE
    assert taken


def test_the_defaults_written_out_are_taken() -> None:
    written = json.dumps(to_builtins(Config()))
    read = (read_section(written, Config), parse_settings(written.encode(), Config, "c"))
    assert [to_builtins(each) for each in read] == [to_builtins(Config())] * 2


def test_types_of_others_are_pydantics_business() -> None:
    assert (
        validate_settings({}, make_dataclass("Options", [("key", str, "x")]), "options").key == "x"
    )


_REPORT = """
import atexit, sys
names = {'pydantic', 'github', 'difflib'}
atexit.register(lambda: print('loaded:', sorted(names & set(sys.modules)), file=sys.stderr))
from reviewgate_gh.cli import main
main(sys.argv[1:])
"""
CONFIG = """
reviewers:
  builtin: {type: builtin, timeout: 60}
  quiet: {type: command, options: {argv: ["true"], format: rdjson}}
validation_triggers:
  session_end: {commands: [{ref: it}], code_review: {enabled: true, reviewer_type: ensemble}}
commands: {it: ["true"]}
ensemble: {budget: {cost_usd: 2}}
"""


@pytest.mark.parametrize(
    "args",
    [["review", "--commit", "HEAD"], ["orchestrate", "trigger", "session_end", "--issue", "1"]],
)
def test_a_run_with_a_sound_config_loads_no_pydantic(repo: Repo, args: list[str]) -> None:
    repo.commit({".reviewgate-gh.yaml": CONFIG})
    repo.commit({"a.txt": "x\n"}, "bd-1: work")
    done = run([sys.executable, "-c", _REPORT, *args], repo.path, {"PYTHONPATH": str(ROOT)})
    assert "cannot" not in done.stdout and done.stderr.splitlines()[-1] == "loaded: []", done.output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: true", "c: version: expected `int`, got `bool`"),
        ("hook: {deadline: 1" + "0" * 400 + "}", "c: hook.deadline: "),
    ],
)
def test_what_pydantic_would_take_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings(text.encode(), Config, "c")
    assert caught.value.message.startswith(message)
