"""`run_metadata.json` to a value and back, old names included; and whether a run goes on or begins anew."""

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from ..model.run import RUN_SCHEMA, RunMetadata

T = TypeVar("T")
_OLD = "codex_"  # names begin so in files of earlier programs
_SCHEMA = "schema_version"
_OWN = tuple(f.name for f in fields(RunMetadata) if f.name != "other")


class Newer(ValueError):
    """A later version of ours wrote this."""


def read(data: Any) -> RunMetadata:
    """The metadata in a parsed file; what is missing has its default, what is not ours is kept.

    Raises:
        Newer: it is of a later version.
        ValueError: it is no such file.
    """
    plain = _renamed(_expect(dict, data, "the file"))
    schema = plain.pop(_SCHEMA, RUN_SCHEMA)
    if type(schema) is int and schema > RUN_SCHEMA:
        raise Newer(f"{_SCHEMA} {schema}")
    commits = _expect(dict, plain.get("last_cumulative_review_commits") or {}, "last_cumulative_review_commits")
    return RunMetadata(
        run_id=_text(plain, "run_id"),
        run_start_commit=_text(plain, "run_start_commit") or None,
        last_cumulative_review_commits={key: _expect(str, value, key) for key, value in commits.items()},
        issues=_names(plain, "issues"),
        epics=_names(plain, "epics"),
        completed=_names(plain, "completed"),
        failed=_names(plain, "failed"),
        started=_text(plain, "started"),
        ended=_text(plain, "ended"),
        review_enabled=_truth(plain, "review_enabled"),
        review_log_path=_text(plain, "review_log_path") or None,
        other={key: value for key, value in plain.items() if key not in _OWN},
    )


def write(run: RunMetadata) -> dict[str, Any]:
    """The metadata as data that json writes."""
    own = {name: getattr(run, name) for name in _OWN}
    return {_SCHEMA: RUN_SCHEMA, **own, **{name: [*own[name]] for name in ("issues", "epics", "completed", "failed")}, **run.other}


def goes_on(run: RunMetadata | None, issues: Collection[str], fresh: bool) -> bool:
    """The run that is there is the one to go on with: it has the same issues, and nobody asks for a new one."""
    return run is not None and bool(run.run_id) and not fresh and set(run.issues) == set(issues)


def _renamed(plain: Mapping[str, Any]) -> dict[str, Any]:
    """With today's names; where both are there today's counts."""
    old = {key.removeprefix(_OLD): value for key, value in plain.items() if key.startswith(_OLD)}
    return old | {key: value for key, value in plain.items() if not key.startswith(_OLD)}


def _text(plain: Mapping[str, Any], key: str) -> str:
    value = plain.get(key)
    return "" if value is None else _expect(str, value, key)


def _names(plain: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of names; older files have a mapping by name."""
    value = plain.get(key)
    if isinstance(value, dict):
        return tuple(value)
    return tuple(_expect(str, name, key) for name in _expect(list, value or [], key))


def _truth(plain: Mapping[str, Any], key: str) -> bool:
    return _expect(bool, plain.get(key, True), key)


def _expect(kind: type[T], value: Any, where: str) -> T:
    if type(value) is not kind:
        raise ValueError(f"{where}: expected {kind.__name__}, got {type(value).__name__}")
    return value
