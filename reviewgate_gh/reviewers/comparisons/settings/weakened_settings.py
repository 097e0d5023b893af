"""Settings that guard the project and are looser now: coverage floors, lint rules, type checks,
branch protection, the safety of package managers."""

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_fixture
from .._guards import is_explained
from .._pipelines import PIPELINES
from .._remark import hint, put, quoted, taken
from .._settings import Setting, read_settings
from .._sources import ComparedFile, ComparisonInput, Line
from ._guarding_settings import GUARDS, LINT, PROTECTION, TYPES, GuardingSetting, is_looser
from ._meant_settings import (
    files_of_block,
    is_floor_elsewhere,
    is_floor_now,
    is_for_some_files,
    is_kept_on,
    is_merged,
    is_moot,
    is_of_other_plugin,
    is_other_rule,
    last_of,
    line_of,
    takes_place,
)
from ._rule_lists import is_reported

EVERY_FILE = True
_WIDER = 2  # rules that one may stand for: gofumpt for gofmt and goimports
_FEW_FILES = lazy_pattern(r"per-file-ignores|overrides?\b")
_FOR_SOME = (
    "Nobody sees any more what the rule would report in these files. Fix it, or silence the rule "
    "at the one line, with a reason."
)
_ALL_STRICT = Setting("compileroptions.strict", "true")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file and kind of guard."""
    for file in sources.files:
        if file.is_new or file.is_gone or not file.diff.hunks or is_fixture(file.path):
            continue
        guards = [guard for guard in GUARDS if re.search(guard.paths, file.path)]
        if guards:
            yield from _in_file(sources, file, guards)


def _in_file(
    sources: ComparisonInput, file: ComparedFile, guards: list[GuardingSetting]
) -> Iterator[Finding]:
    before = read_settings(file.path, file.base)
    after = read_settings(file.path, file.head)
    if before == after:
        return
    told: set[str] = set()
    for guard in guards:
        for old, new in _changes(file, guard, before, after):
            if (
                guard.rule.name not in told
                and is_looser(guard, old, new)
                and (guard.looser not in ("on", "to") or _is_known(before, old.partition("\0")[0]))
                and (guard.looser != "except" or _ALL_STRICT in before & after)
                and not _is_elsewhere(sources, file, guard, (old, new), after)
                and not _is_other(file, guard, (old, str(new)), before, after)
                and not _is_needless(sources, guard, (old, str(new)), before, after)
                and not (guard.rule is TYPES and not new and _has_other_checker(file))
                and not _goes_with_its_job(sources, guard, old)
            ):
                told.add(guard.rule.name)
                yield _finding(sources, file, guard, (old, new))


def _has_other_checker(file: ComparedFile) -> bool:
    """The settings of one checker go as a whole, and those of another one come."""
    tables = [{*_CHECKER.findall(text)} for text in (file.base, file.head)]
    return bool(tables[0] - tables[1] and tables[1] - tables[0])


_CHECKER = lazy_pattern(r"(?m)^\[tool\.(mypy|(?:based)?pyright|ty|pyrefly|pyre)[.\]]")


def _is_other(
    file: ComparedFile,
    guard: GuardingSetting,
    change: tuple[str, str],
    before: set[Setting],
    after: set[Setting],
) -> bool:
    """The same is said in other words, or what is said is about something else."""
    old, new = change
    return (
        _is_spelt_out(old, before, after)
        or is_other_rule(guard, old, before, after)
        or is_of_other_plugin(file, old, new)
        or is_for_some_files(file, old, new)
        or is_kept_on(file, old, new)
    )


def _is_needless(
    sources: ComparisonInput,
    guard: GuardingSetting,
    change: tuple[str, str],
    before: set[Setting],
    after: set[Setting],
) -> bool:
    """What is new has nothing to leave out; what is gone is guarded by something else."""
    old, new = change
    if new and guard.looser == "to":
        return takes_place(old, before, after)
    if new:
        comes = guard.looser == "gained" and _comes_with_linter(old, after - before)
        return comes or (guard.looser == "gained" and is_moot(sources, old, new))
    return _still_holds(guard, old, before, after) or is_floor_elsewhere(sources, guard, old)


def _comes_with_linter(named: str, new: set[Setting]) -> bool:
    """The change enables the linter that is told to leave something out.
    https://golangci-lint.run/docs/linters/configuration/"""
    around = named.partition("\0")[0].split(".")[:-1]
    return any(name.endswith("enable[]") and value in around for name, value in new)


def _still_holds(
    guard: GuardingSetting, old: str, before: set[Setting], after: set[Setting]
) -> bool:
    """The setting is gone, and what it guarded is guarded: by another one, or by the default."""
    return (
        _is_taken_over(guard, old, before, after)
        or _is_value_now(old, before, after)
        or is_merged(old, before, after)
        or last_of(old.partition("\0")[0]) in _ON_BY_DEFAULT
        or is_floor_now(guard, old, after - before)
    )


def _changes(
    file: ComparedFile, guard: GuardingSetting, before: set[Setting], after: set[Setting]
) -> Iterator[tuple[str, Setting | str]]:
    """Old and new value of each watched key that changed; "" where a side has none."""
    keys = sorted({key for key, _value in before ^ after if re.search(guard.keys, key)})
    olds, news = (_by_name(side) if keys else {} for side in (before, after))
    for key in keys:
        # A list of one is a plain value in some formats
        if not key.endswith("[]") and (f"{key}[]" in olds or f"{key}[]" in news):
            continue
        gone, came = _gone_and_come(key, olds, news)
        if key.endswith("[]") or guard.looser in ("gained", "lost"):
            # What was not reported before cannot be lost, and what still is, is not
            side, still = (after, True) if guard.looser == "lost" else (before, False)
            yield from (
                (f"{key}\0{old}", new)
                for old, new in _changed_items(guard, key, (gone, came), (before, after))
                if is_reported(file.name, side, key, old or str(new)) is not still
            )
        elif not came and any(name.endswith(last_of(key)) for name, _value in after):
            continue  # it has moved to another table
        else:
            yield f"{key}\0{gone[0] if gone else ''}", came[0] if came else ""


def _changed_items(
    guard: GuardingSetting,
    key: str,
    items: tuple[list[str], list[str]],
    sides: tuple[set[Setting], set[Setting]],
) -> Iterator[tuple[str, Setting | str]]:
    """The same of a list, item by item: those that it lost, or those that it gained."""
    (gone, came), (before, after) = items, sides
    if guard.looser == "lost":
        many = len(gone) > _WIDER * len(came)
        lost = (value for value in gone if many or _ALONE.fullmatch(value))
        yield from ((value, "") for value in lost if not _has(after, key, value))
    elif len(came) > len(gone) and _is_known(before, key):
        moved = {value for _name, value in before - after}  # an older name of the same list
        new = (value for value in came if value not in moved)
        yield from (("", value) for value in new if not _has(before, key, value))


# What no linter of another name does: https://golangci-lint.run/docs/linters/,
# https://docs.astral.sh/ruff/rules/
_ALONE = lazy_pattern(r"errcheck|gosec|govet|bodyclose|sqlclosecheck|S|BLE|F|B")


def _by_name(settings: set[Setting]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in sorted(settings):
        found.setdefault(name, []).append(value)
    return found


def _gone_and_come(
    key: str, before: Mapping[str, list[str]], after: Mapping[str, list[str]]
) -> tuple[list[str], list[str]]:
    names = dict.fromkeys((key.removesuffix("[]"), key))
    olds, news = (
        [value for name in names for value in side.get(name, ())] for side in (before, after)
    )
    gone = [value for value in olds if value not in news]
    return gone, [value for value in news if value not in olds]


def _is_value_now(named: str, before: set[Setting], after: set[Setting]) -> bool:
    """The switch has become the value of another key of its table, as in Biome 2.3:
    `"preset": "recommended"`."""
    table, _dot, word = named.partition("\0")[0].rpartition(".")
    return any(key.rpartition(".")[0] == table and value == word for key, value in after - before)


def _is_spelt_out(named: str, before: set[Setting], after: set[Setting]) -> bool:
    """What golangci-lint runs by itself is switched off, and linters are named instead:
    https://golangci-lint.run/docs/linters/"""
    enabled = [name for name, _value in after - before if name.endswith("enable[]")]
    return named.partition("\0")[0].endswith("disable-all") and len(enabled) >= _SOME


_SOME = 3  # linters
# https://mypy.readthedocs.io/en/stable/config_file.html
# `npm help config`
_ON_BY_DEFAULT = ("strict_optional", "no_implicit_optional", "strict-ssl")


def _has(settings: set[Setting], key: str, value: str) -> bool:
    """A table of another name has the value under the same last word: it was moved."""
    last = key.rpartition(".")[2]
    return any(name.endswith(last) and held == value for name, held in settings)


def _is_elsewhere(
    sources: ComparisonInput,
    file: ComparedFile,
    guard: GuardingSetting,
    values: tuple[str, object],
    after: set[Setting],
) -> bool:
    """It came from, or went to, another file of the change, or a wider setting holds now."""
    named, new = values
    key = named.partition("\0")[0].removesuffix("[]").rpartition(".")[2]
    others = (each for each in sources.files if each is not file)
    if any(key in line.text.lower() for each in others for line in (*each.removed, *each.added)):
        return True
    if guard.looser == "lost" and any(name.endswith(f"extend-{key}[]") for name, _value in after):
        return True  # what is selected by default comes with it
    return (
        guard.rule is TYPES
        and not new  # what it says itself holds before what is wider
        and not _BESIDE_STRICT.match(key)
        and any(
            name.endswith("strict") and value.lower() == "true" and not name.endswith(key)
            for name, value in after
        )
    )


# Options that `strict` does not switch on: https://www.typescriptlang.org/tsconfig/#strict,
# https://mypy.readthedocs.io/en/stable/command_line.html#cmdoption-mypy-strict
_BESIDE_STRICT = lazy_pattern(
    r"nounchecked|noimplicit(?:returns|override)|nofallthrough|exactoptional|nounused"
    r"|nopropertyaccess|disallow_any_(?!generics)|warn_unreachable"
)


def _is_taken_over(
    guard: GuardingSetting, named: str, before: set[Setting], after: set[Setting]
) -> bool:
    """What the file no longer says itself comes from the one that it extends; a rule that is gone
    has another name now."""
    if any(re.fullmatch(r"extends(?:\[\])?", name) for name, _value in after):
        return guard.rule is TYPES
    key, _nul, old = named.partition("\0")
    table = key.rpartition(".")[0]
    return bool(guard.to and table) and any(
        name.rpartition(".")[0] == table and value == old for name, value in after - before
    )


def _is_known(settings: set[Setting], key: str) -> bool:
    """The tool was configured before: its first configuration weakens nothing."""
    table = _PARTS.sub("", key.removesuffix("[]").rpartition(".")[0])
    return any(name.startswith(table) for name, _value in settings)


# Of some files or modules only: what is set for all of them was known
_PARTS = lazy_pattern(
    r"\.?(?:lint\.)?per-file-ignores.*|overrides\[\]\.(?=rules)|\.overrides\[\]$|^security/.*"
    r"|^lint/.*"
    r"|parameters$|^issues$|^linters[-.]settings\..*"
)


def _finding(
    sources: ComparisonInput, file: ComparedFile, guard: GuardingSetting, values: tuple[str, object]
) -> Finding:
    named, new = values
    key, _nul, old = named.partition("\0")
    short, value = _short(key), str(new)
    line = line_of(file.added, short, value) if value else None
    line = line or line_of(file.removed, short, old)
    is_added = line is not None and line in file.added
    files = files_of_block(file, line.number) if line and is_added and _is_eslint(file) else ()
    title = _title(file, guard, key, (old, value))
    if files:
        some = ", ".join(files[:_MOST_FILES])
        title = f"{_as_written(_with_owner(key), file)} is {quoted(value)} for some files: {some}"
    rule = guard.rule
    if _FEW_FILES.search(key) or files:
        rule = replace(rule, priority=Priority.P3, advice=_FOR_SOME)
    elif rule is LINT and _is_style(guard, key, old, value):
        rule = hint(rule)
    if line and is_added:
        was = "" if guard.looser == "gained" else "not set"  # of a list that has other entries
        before = quoted(f"{short}: {old}") if old else was
        return put(
            hint(rule) if _has_reason(guard, file, line) else rule, file, line, title, before
        )
    return taken(rule, file, line, title) if line else put(rule, file, Line(0, ""), title)


def _title(file: ComparedFile, guard: GuardingSetting, key: str, values: tuple[str, str]) -> str:
    old, value = values
    named, short = _as_written(_with_owner(key), file), _short(key)
    match guard.looser:
        case "off" | "on":
            return f"{named} is switched {guard.looser}"
        case "lost":
            listed = old.strip("{[(")
            return f"{quoted(old)} is taken out of {short}" if listed else f"{short} is gone"
        case "gained":
            return f"{quoted(value)} is added to {short}"
    was = quoted(old) if old else "its default"
    return f"{named} is loosened from {was} to {quoted(value)}"


def _short(key: str) -> str:
    """The last word of a key, or the list of what is ignored in the file that follows."""
    ignoring = re.search(r"[\w-]*ignores?\b", key)
    return ignoring[0] if ignoring else last_of(key).replace("[]", "")


def _with_owner(key: str) -> str:
    """What says little by itself comes with the word before it."""
    short = _short(key)
    return f"{key.split('.')[-2]}.{short}" if short in _PLAIN and "." in key else short


_MOST_FILES = 3  # patterns


def _is_eslint(file: ComparedFile) -> bool:
    return "eslint" in file.name


def _as_written(key: str, file: ComparedFile) -> str:
    """The words of the key in the file's own capital letters: keys are compared without these."""
    texts = f"{file.head}\n{file.base}"
    found = (re.search(re.escape(word), texts, re.IGNORECASE) for word in key.split("."))
    words = zip(found, key.split("."), strict=True)
    return ".".join(each[0] if each else word for each, word in words)


_PLAIN = ("active", "enabled", "enable", "level", "severity")  # of what, the key around it says


def _goes_with_its_job(sources: ComparisonInput, guard: GuardingSetting, named: str) -> bool:
    """A check that was required, and that the pipelines of the change no longer have."""
    if guard.rule is not PROTECTION or guard.looser != "lost":
        return False
    words = {*re.findall(r"\w+", named.partition("\0")[2].lower())}
    pipelines = [each for each in sources.files if PIPELINES.search(each.path)]
    gone, left = (
        {word for row in rows for word in re.findall(r"\w+", row.lower())}
        for rows in (
            (line.text for each in pipelines for line in each.removed),
            (row for each in pipelines for row in each.head_rows),
        )
    )
    return not (words & gone).issubset(left)


def _is_style(guard: GuardingSetting, key: str, old: str, value: str) -> bool:
    """One rule of many, which guards neither secrets nor what strangers send, and no whole tool."""
    named = f"{key} {old} {value}"
    return guard.looser in ("lost", "gained", "to") and not (
        _SECURITY.search(named) or _WHOLE_TOOL.search(key) or old.endswith("-*")
    )


# Rules by their names in ruff and flake8, Brakeman and RuboCop, ESLint's plug-ins, golangci-lint
_SECURITY = lazy_pattern(
    r"(?i:secur|gosec|cert-|advisor|unknown-|bandit|inject|eval|unsafe|danger|no-unsanitized"
    r"|no-secrets|xss|csrf|sql)"
    r"|(?<![A-Z])S\d*(?![\w])|\bDUO\d+"
)
_WHOLE_TOOL = lazy_pattern(
    r"disable-all|issues-exit-code|extends|plugins|recommended|linter\.enabled|\bwarnings$"
    r"|filterwarnings"
)


def _has_reason(guard: GuardingSetting, file: ComparedFile, line: Line) -> bool:
    """A comment beside it says why; who owns the repository should see to its protection anyway."""
    return guard.rule is not PROTECTION and is_explained(file, line)
