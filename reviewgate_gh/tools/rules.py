"""A project's own rules in the work tree: which there are, and whether they find what their tests
say."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from ..git import Git
from ..git.tree_files import read_own_file
from ..model.errors import ConfigError, UsageError
from ..reviewers._program import find_program
from ..reviewers.linters import rules
from ..reviewers.linters._settings import RULE_FILES
from ..reviewers.linters._shared import RULE_PRIORITIES
from ..system import process
from ..system.environment import Environment
from ..text.paths import glob_matcher
from ..text.patterns import lazy_pattern
from ..text.yaml import YamlError, compose, construct

_SECONDS = 10  # a snippet
_DOCUMENT = lazy_pattern(r"^---[ \t]*$", re.MULTILINE)
_TESTS = f"{rules.CONFIG_FOLDER}/tests"


class Rule(Struct, frozen=True):
    """One rule: its text, and the priority of what it finds ("" where it is off)."""

    id: str
    language: str
    severity: str
    priority: str
    message: str
    file: str
    text: str
    valid: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()


class RuleTest(Struct, frozen=True):
    """How a rule did on one snippet; `wrong` is "" where it did what it should."""

    rule: str
    kind: str
    snippet: str
    wrong: str = ""


def list_rules(git: Git) -> tuple[Rule, ...]:
    """The rules of the work tree, by file.

    Raises:
        ConfigError: a file is no YAML, or a rule has no id or language.
    """
    return tuple(
        rule
        for file in _files(git, rules.CONFIG_FOLDER)
        for text, fields in _documents(git, file)
        for rule in [_rule(file, text, fields)]
    )


def run_rule_tests(git: Git, environment: Environment) -> Iterator[RuleTest]:
    """Each rule on the snippets of its own metadata and of the files in `tests`.

    Raises:
        ConfigError: a file is not what it should be.
        UsageError: ast-grep is not installed.
    """
    known = {rule.id: rule for rule in list_rules(git)}
    path = environment.variables.get("PATH", "")
    program = find_program(rules.PROGRAM, git, True, path)
    if program is None:
        raise UsageError(f"{rules.PROGRAM} is not installed", rules.INSTALL)
    for rule in known.values():
        yield from _tried(rule, rule.valid, rule.invalid, program, environment)
    for file in _files(git, _TESTS):
        for _text, fields in _documents(git, file):
            name = str(fields.get("id", ""))
            if name not in known:
                raise ConfigError(f"{file}: no rule has the id {name!r}", "see: rules list")
            valid, invalid = (_snippets(file, fields, kind) for kind in ("valid", "invalid"))
            yield from _tried(known[name], valid, invalid, program, environment)


def _tried(
    rule: Rule,
    valid: Sequence[str],
    invalid: Sequence[str],
    program: str,
    environment: Environment,
) -> Iterator[RuleTest]:
    for kind, snippets in (("valid", valid), ("invalid", invalid)):
        for snippet in snippets:
            found, wrong = _finds(rule, snippet, program, environment)
            if not wrong and found is not (kind == "invalid"):
                wrong = "it finds something here" if found else "it finds nothing here"
            yield RuleTest(rule.id, kind, snippet, wrong)


def _finds(rule: Rule, snippet: str, program: str, environment: Environment) -> tuple[bool, str]:
    """Whether the rule finds something, and why that cannot be told."""
    argv = [*rules.argv(program, None, ()), "--stdin", f"--inline-rules={rule.text}"]
    env = process.clean_environment(environment.variables, {"NO_COLOR": "1"})
    answer = process.run_process(argv, cwd="/", env=env, stdin=snippet.encode(), deadline=_SECONDS)
    try:
        if answer.killed_reason or answer.code not in rules.FOUND_EXITS:
            return False, answer.killed_reason or rules.why(answer.err or "no error output")
        return any(True for _finding in rules.parse(answer.lines())), ""
    finally:
        answer.close()


def _files(git: Git, folder: str) -> list[str]:
    place = git.tree / folder if git.tree else None
    if place is None or not place.is_dir():
        return []
    fits = glob_matcher(RULE_FILES)
    return [f"{folder}/{name}" for name in sorted(e.name for e in place.iterdir()) if fits(name)]


def _documents(git: Git, file: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for text in _DOCUMENT.split((read_own_file(git, file) or b"").decode("utf-8", "replace")):
        try:
            fields = construct(compose(text))
        except (YamlError, RecursionError) as error:
            raise ConfigError(f"{file}: not YAML: {error}", rules_hint()) from None
        if fields is None:
            continue
        if not isinstance(fields, dict):
            raise ConfigError(f"{file}: a rule is a mapping", rules_hint())
        yield text, fields


def rules_hint() -> str:
    """Where the format is described."""
    return "the format: https://ast-grep.github.io/reference/yaml.html"


def _rule(file: str, text: str, fields: dict[str, Any]) -> Rule:
    for key in ("id", "language", "rule"):
        if not fields.get(key):
            raise ConfigError(f"{file}: a rule without {key!r}", rules_hint())
    severity = str(fields.get("severity") or "hint")
    metadata = fields.get("metadata")
    tests = metadata if isinstance(metadata, dict) else {}
    return Rule(
        str(fields["id"]),
        str(fields["language"]),
        severity,
        RULE_PRIORITIES[severity].value if severity in RULE_PRIORITIES else "",
        str(fields.get("message") or ""),
        file,
        text,
        _snippets(file, tests, "valid"),
        _snippets(file, tests, "invalid"),
    )


def _snippets(file: str, fields: dict[str, Any], kind: str) -> tuple[str, ...]:
    found = fields.get(kind) or ()
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) for text in found):
        raise ConfigError(f"{file}: {kind!r} is a list of snippets", rules_hint())
    return tuple(found)
