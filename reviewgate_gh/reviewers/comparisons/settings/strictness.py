"""Checks that still run, and tolerate more: options that made them strict, and steps of the scripts
that run them."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ....text.strict import load_loose_json
from .._guards import is_explained, same_but_for
from .._pipelines import COMMENT, KINDS, PIPELINES, runs_check
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import ComparedFile, ComparisonInput

EVERY_FILE = True
LOOSER = ComparisonRule(
    "ci-check-loosened",
    Priority.P2,
    "The check may now pass what it rejected before, here and in later changes. Restore it, or say "
    "why it was too strict.",
)
SCRIPTS = lazy_pattern(
    r"(?:Docker|Container)file[^/]*$|(?:^|/)(?:Makefile|package\.json|tox\.ini|justfile|noxfile\.py"
    r"|composer\.json)$|\.(?:mk|sh)$|^\.(?:github|gitlab)/.*\.ya?ml$"
)
_STRICT = lazy_pattern(
    r"\s(?:--\s)?(?:-D\s?warnings|--warnings-as-errors|-Werror|--strict(?:-\w+)*"
    r"|--max-warnings[= ]\d+"
    r"|--fail-on[\w-]*(?:[= ]\w+)?|--error-on[\w-]+|--check(?:-formatted)?|--exit-code[= ]1"
    r"|--no-allow-dirty|--deny[= ]\S+)(?=[\s\"']|$)"
)
# What tells an action or a tool to fail: https://github.com/aquasecurity/trivy-action#inputs
_INPUT = lazy_pattern(
    r"^\s*(?:-\s+)?[\"']?(?P<key>exit-code|fail[-_](?:build|on[-_]\w+)|failOn\w+"
    r"|fail-fast-on-error|dry-run)[\"']?\s*[:=]\s*[\"']?(?P<value>\w+)"
    r"|\b(?P<call>failOn\w+|allWarningsAsErrors|warningsAsErrors)(?:\.set\(|\s*=\s*)(?P<set>\w+)"
)
_SCRIPT = lazy_pattern(
    r"^(?:pre|post)?(?:test|lint|check|verify|validate|ci)(?:[:\w-]*)$"
    r"|^pre(?:publish\w*|pack|commit|push|version|release)$"
)
_TARGET = lazy_pattern(
    r"^(?P<name>[\w-]*(?:test|lint|check|verify|ci)[\w-]*)\s*:(?!=)(?P<needs>[^=#]*)$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if file.is_gone or file.is_new or not file.diff.hunks:
            continue
        if PIPELINES.search(file.path) or SCRIPTS.search(file.path):
            yield from islice(_options(sources, file), 1)
            yield from islice(_scripts(file), 1)
        yield from islice(_inputs(file), 1)


def _options(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A command is as it was but for what made it strict."""
    for block in file.blocks:
        strict = [line for line in block.removed if _STRICT.search(COMMENT.sub("", line.text))]
        for old in strict:
            for new in block.added:
                was, now = COMMENT.sub("", old.text), COMMENT.sub("", new.text)
                rule = _lost(was, now)
                if rule and not _is_said_elsewhere(sources, was):
                    title = "this check tolerates more from now on"
                    rule = hint(rule) if is_explained(file, new) else rule
                    yield put(rule, file, new, title, quoted(old.text))


def _lost(was: str, now: str) -> ComparisonRule | None:
    strict = _STRICT.search(was)
    if strict and not _STRICT.search(now) and _checks(was) and same_but_for(was, now, _STRICT):
        return LOOSER
    return None


def _is_said_elsewhere(sources: ComparisonInput, was: str) -> bool:
    """The environment, a manifest or the code says it now, or what changed is looked for."""
    option = _STRICT.search(was)
    named = option is not None and _OF_COMPILER.search(option[0])
    pattern = _DENIES if named else _LOOKS_FOR_CHANGES
    return any(map(pattern.search, sources.added_rows))


_OF_COMPILER = lazy_pattern(r"(?i)-D\s?warnings|-Werror|warnings-as-errors|--deny")
# https://doc.rust-lang.org/rustc/lints/levels.html
_DENIES = lazy_pattern(
    r"FLAGS\b.*(?:-D\s?warnings|-Werror)|\bdeny\(warnings\)|\bwarnings\s*=\s*[\"'{].*\bdeny"
    r"|(?i:warnings_?as_?errors\W+true)"
)
_LOOKS_FOR_CHANGES = lazy_pattern(
    r"\bgit (?:diff\b.*\s--(?:exit-code|quiet)|diff-index\b.*--quiet|status\b.*--porcelain)"
)


def _checks(text: str) -> bool:
    """It checks by its name, or compiles."""
    compiles = re.search(r"\b(?:compile|build|clippy|fmt|format|lint)\b", text)
    return _is_of_a_kind(text) or compiles is not None


def _is_of_a_kind(text: str) -> bool:
    return any(runs_check(text, pattern) for pattern in KINDS.values())


def _inputs(file: ComparedFile) -> Iterator[Finding]:
    """The same setting, which says now that a failure does not count."""
    for block in file.blocks:
        olds, news = (
            [(line, found) for line in lines if (found := _INPUT.search(line.text))]
            for lines in block
        )
        for old, was in olds:
            for new, now in news:
                if _is_off(was, now):
                    rule = hint(LOOSER) if is_explained(file, new) else LOOSER
                    title = "a failure of this check no longer counts"
                    yield put(rule, file, new, title, quoted(old.text))


def _is_off(was: re.Match[str], now: re.Match[str]) -> bool:
    key, other = was["key"] or was["call"], now["key"] or now["call"]
    before, after = (each["value"] or each["set"] for each in (was, now))
    if key != other:
        return False
    pair = (before.lower(), after.lower())
    return pair in (_DRY if key == "dry-run" else _FAILS)


_DRY = {("false", "true")}
_FAILS = {("true", "false"), ("1", "0")}


def _scripts(file: ComparedFile) -> Iterator[Finding]:
    """A script that checks runs fewer of its steps."""
    before, after = _steps(file, file.base), _steps(file, file.head)
    known = {step for steps in after.values() for step in steps}
    known |= _new_steps(file)
    for name, steps in before.items():
        lost = [step for step in steps if step not in known]
        if file.name == "package.json" and lost and (found := _idle(file, name, steps, after)):
            yield found
            continue
        checked = [step for step in lost if _is_check(file, step)]
        if checked and lost and after.get(name) and {*after[name]} < {*steps}:
            line = next((line for line in file.added if name in line.text), None)
            if line is not None:
                title = f"{name} no longer runs {checked[0]}"
                yield put(LOOSER, file, line, title, quoted(" && ".join(steps)))


def _new_steps(file: ComparedFile) -> set[str]:
    """What scripts of other names begin to run: `prepare` in place of `prepublishOnly`."""
    if file.name != "package.json":
        return set()
    found = (_ENTRY.match(line.text) for line in file.added)
    return {step.strip() for each in found if each for step in re.split(r"&&|;", each["value"])}


_ENTRY = lazy_pattern(r"^\s*\"[\w:.-]+\"\s*:\s*\"(?P<value>(?:\\.|[^\"\\])*)\"")


def _is_check(file: ComparedFile, step: str) -> bool:
    """A step of a package's script checks; what a rule of make needs does by its name, or by what
    its own rule runs: others install tools, or build."""
    if file.name == "package.json" or _CHECKS_BY_NAME.search(step):
        return _checks(step) or file.name != "package.json"
    rule = re.search(rf"(?m)^{re.escape(step)}\s*:(?!=)[^\n]*((?:\n\t[^\n]*)*)", file.base)
    rows = rule[1].split("\n") if rule else [step]
    return any(runs_check(row.strip("\t @-"), each) for row in rows for each in KINDS.values())


_CHECKS_BY_NAME = lazy_pattern(
    r"(?i)test|lint|check|verif|valid|vet\b|fmt|format|style|typ(?:e|ing)|audit|scan|secur|cover"
    r"|spec"
    r"|unit|e2e|integration|race|fuzz"
)


def _idle(
    file: ComparedFile, name: str, steps: list[str], after: dict[str, list[str]]
) -> Finding | None:
    """A script that checked is gone, or only says something."""
    now = after.get(name)
    checks = [*filter(_is_of_a_kind, steps)]
    if not checks or (now and not all(map(_SAYS.match, now))):
        return None
    if now is None and not _PUBLISHES.match(name):
        return None  # nobody can call it unnoticed
    line = next((line for line in file.removed if f'"{name}"' in line.text), None)
    if line is None:
        return None
    said = quoted(" && ".join(now)) if now else ""
    return taken(LOOSER, file, line, f"{name} no longer runs {checks[0]}", said)


_SAYS = lazy_pattern(r"(?:echo|true|:|exit 0|printf)\b|$")
_PUBLISHES = lazy_pattern(r"pre")


def _steps(file: ComparedFile, text: str) -> dict[str, list[str]]:
    """By script what it runs, one after the other; of a Makefile's rules no variables, which stand
    for files."""
    if file.name == "package.json":
        try:
            scripts = load_loose_json(text).get("scripts") or {}
        except (ValueError, RecursionError, AttributeError):
            return {}
        return {
            name: [part.strip() for part in re.split(r"&&|;", value)]
            for name, value in scripts.items()
            if isinstance(value, str) and _SCRIPT.match(name)
        }
    if file.name != "Makefile":
        return {}
    found = (_TARGET.match(row) for row in text.split("\n"))
    return {
        each["name"]: [need for need in each["needs"].split() if not need.startswith("$")]
        for each in found
        if each
    }
