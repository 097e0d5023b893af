"""Checks that still run, and whose failure nothing notices any more."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_tests
from .._pipelines import (
    COMMENT,
    KINDS,
    PIPELINES,
    Command,
    find_checks,
    installs,
    is_of_known_tool,
    is_readable,
    runs_check,
    runs_for_changes,
    tool_of,
)
from .._remark import ComparisonRule, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze

EVERY_FILE = True
_IGNORED = ComparisonRule(
    "ci-failure-ignored",
    Priority.P1,
    "The check still runs, but nothing notices when it fails. Fix what fails, or remove the check "
    "openly.",
)
# Of what checks by its name alone
_IGNORED_BY_NAME = replace(_IGNORED, priority=Priority.P2)
_SCRIPTS = lazy_pattern(
    r"(?:^|/)(?:(?:GNU)?[Mm]akefile|package\.json|composer\.json|tox\.ini|[Jj]ustfile|noxfile\.py"
    r"|Rakefile|Taskfile\.ya?ml|Jenkinsfile[\w.-]*|[\w.-]+\.(?:mk|sh))$"
)
# A report of coverage holds nothing back by itself
_GATING = {kind: pattern for kind, pattern in KINDS.items() if kind != "coverage"}
_IGNORES = lazy_pattern(
    r"\|\|\s*(?:true|:|exit\s+0|echo\b[^|&;]*)\s*(?:;\s*(?:fi|done)\s*)?[\"']?,?\s*(?:\)|$)"
    r"|;\s*(?:true"
    r"|exit 0)\s*[\"']?,?\s*$|--exit-zero\b|--passWithNoTests\b|--no-fail\b|--fail-never\b"
    r"|-fn\b"
    r"|^\s*set\s+\+e\b|^(?:-@?|@-)(?=\w)|\bsuccess_codes\s*=\s*\[[^\]]*[1-9]"
)
_FLAGS = lazy_pattern(
    r"^\s*(?:-\s+)?(?:set\s+\+e\b|continue-on-error:\s*true\b|allow_failure:\s*true"
    r"|continueOnError:\s*true"
    r"|ignore_outcome\s*=\s*[Tt]rue|soft_fail:\s*true|ignore_error:\s*true"
    r"|if:\s*(?:false|\$\{\{\s*false\s*\}\})|when:\s*never|allow-failure:\s*true)"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """A finding for each check that may fail now."""
    for file in sources.files:
        if not file.diff.hunks or file.is_new:
            continue
        pipeline = PIPELINES.search(file.path) and is_readable(file.path, file.head)
        if (pipeline and runs_for_changes(file.base)) or _SCRIPTS.search(file.path):
            yield from _ignored(sources, file)


def _ignored(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A check that was there before and may fail now."""
    rows = file.head_rows
    commands = _known_checks(file)
    old = {squeeze(line.text) for line in file.removed}
    for added in file.added:
        text = added.text
        if squeeze(text) in old or text.lstrip().startswith(("#", "//")):
            continue
        if _FLAGS.search(text) and (beside := _beside(rows, added.number, commands)):
            if not (_is_asked_for(rows, added.number) or _never_stopped(file, text)):
                yield from _told_of(file, added, [rows[at - 1] for at in beside])
        elif _goes_on(file, added):
            before = next((line for line in file.removed if _same_command(line.text, text)), None)
            moot = _WITHOUT_TESTS.search(text) and not _has_tests(sources, file)
            if before is not None and not moot:
                title = "failures of this check are now ignored"
                yield put(_weigh((before.text,)), file, added, title, quoted(before.text))


def _told_of(file: ComparedFile, added: Line, checks: Sequence[str]) -> Iterator[Finding]:
    """A new line says of the checks beside it that they do not run, or may fail."""
    rule = _weigh(checks)
    if _OFF.match(added.text):
        off = replace(rule, advice=_OFF_ADVICE)
        yield put(off, file, added, "this check no longer runs")
    elif not all(_is_enforced_as_before(file, each) for each in checks):
        yield put(rule, file, added, "this check may now fail unnoticed")


def _never_stopped(file: ComparedFile, text: str) -> bool:
    """`set +e` in a script that went on after failures before, which is what shells do."""
    if not file.path.endswith((".sh", ".bash")) or "set +e" not in text:
        return False
    return not any(map(_STOPS.match, file.base_rows))


_STOPS = lazy_pattern(r"\s*set\s+-(?:[a-df-z]*e|o\s+errexit)|#!.*\s-[a-df-z]*e")
_OFF_ADVICE = "Later changes are merged without it. Switch it on again, or remove it openly."


def _weigh(commands: Iterable[str]) -> ComparisonRule:
    return _IGNORED if any(map(is_of_known_tool, commands)) else _IGNORED_BY_NAME


def _goes_on(file: ComparedFile, added: Line) -> bool:
    """The line runs a check, and goes on where it fails without looking at it later."""
    if not (_ignores(added.text) or _is_dashed(file, added.text)):
        return False
    return (_kind(added.text) or _is_named(file, added)) and not _is_read_later(
        file.head_rows, added
    )


def _is_named(file: ComparedFile, added: Line) -> bool:
    """The command of a step whose name alone says that it checks."""
    found = find_checks(file.path, file.head) if PIPELINES.search(file.path) else ()
    return any(each.line == added.number for each in found)


_OFF = lazy_pattern(r"^\s*(?:-\s+)?(?:if:\s*(?:false|\$\{\{\s*false\s*\}\})|when:\s*never)")


def lines_without_effect(rows: Sequence[str], commands: set[int]) -> set[int]:
    """The commands of a pipeline, by their lines, that never run or whose failure nothing
    notices."""
    return _flagged(rows, commands, _FLAGS) | {
        number for number in commands if number <= len(rows) and _ignores(rows[number - 1])
    }


def _flagged(rows: Sequence[str], commands: set[int], flags: re.Pattern[str]) -> set[int]:
    numbers = [number for number, row in enumerate(rows, 1) if flags.search(row)]
    return set[int]().union(*(_beside(rows, number, commands) for number in numbers))


def _known_checks(file: ComparedFile) -> set[int]:
    """The lines at head of the checks that the base made as well: as they were, or as many of the
    same tool."""
    if not PIPELINES.search(file.path):
        rows = enumerate(file.head_rows, 1)
        found = {line for line, row in rows if _kind(row) and not _ignores(row)}
        return found - _new_steps(file)
    before, after = (find_checks(file.path, text) for text in (file.base, file.head))
    texts, now = (Counter(command.text for command in side) for side in (before, after))
    had, has = (Counter(map(tool_of, side)) for side in (before, after))
    return {
        each.line
        for each in after
        if each.kind in _GATING
        and not _ignores(each.text)
        and (each.text in texts or had[tool_of(each)] == has[tool_of(each)])
        and not (now[each.text] > texts[each.text] and _is_of_new_job(file, each.line))
    }


def _is_of_new_job(file: ComparedFile, number: int) -> bool:
    """The line of the head is in a job that the base does not have."""
    rows, around = file.head_rows, list[str]()
    depth = len(rows[number - 1])
    for row in reversed(rows[: number - 1]):
        indent = len(row) - len(row.lstrip())
        if row.strip() and indent < depth:
            depth = indent
            around.append(row.strip())
    if around[-1:] == ["jobs:"]:
        around.pop()
    return bool(around) and all(row.strip() != around[-1] for row in file.base_rows)


def _ignores(text: str) -> bool:
    return _IGNORES.search(COMMENT.sub("", text).strip()) is not None


def _is_dashed(file: ComparedFile, text: str) -> bool:
    """https://tox.wiki/en/stable/config.html#commands"""
    return file.name == "tox.ini" and text.lstrip().startswith("- ")


_WITHOUT_TESTS = lazy_pattern(r"--pass-?[wW]ith-?[nN]o-?[tT]ests\b")


def _has_tests(sources: ComparisonInput, file: ComparedFile) -> bool:
    return any(path.startswith(file.folder) and is_tests(path) for path in sources.list_head())


def _is_asked_for(rows: Sequence[str], number: int) -> bool:
    """What came out is looked at below: by the step's id, or as the status that a script keeps.
    https://docs.github.com/actions/reference/contexts-reference#steps-context"""
    kept = next(
        (found for row in rows[number : number + _NEAR] if (found := _KEEPS.search(row))), None
    )
    if kept is not None:
        end = next(at for at, row in enumerate(rows) if row == kept.string and at >= number)
        return any(has_word(row, kept["name"]) for row in rows[end + 1 :])
    ids = (found for row in _step_of(rows, number) if (found := _ID.match(row)))
    asked = (rf"\bsteps\.{re.escape(each['id'])}\.(?:outcome|conclusion)\b" for each in ids)
    return any(re.search(pattern, row) for pattern in asked for row in rows)


def _step_of(rows: Sequence[str], number: int) -> Sequence[str]:
    """The lines of the step that a line belongs to."""
    first = next((at for at in range(number - 1, -1, -1) if rows[at].lstrip().startswith("- ")), 0)
    depth = len(rows[first]) - len(rows[first].lstrip())
    last = first + 1
    while last < len(rows) and (
        not rows[last].strip() or len(rows[last]) - len(rows[last].lstrip()) > depth
    ):
        last += 1
    return rows[first:last]


_NEAR = 6  # lines
_KEEPS = lazy_pattern(r"(?:^|;)\s*(?P<name>\w+)=(?:\$\?|\$\{PIPESTATUS\b)")
_ID = lazy_pattern(r"\s*(?:-\s+)?id:\s*[\"']?(?P<id>[\w-]+)")


def _is_read_later(rows: Sequence[str], line: Line) -> bool:
    """The failure is written down under a name, and a line below asks for that.
    https://docs.github.com/actions/reference/workflow-commands-for-github-actions"""
    found = _WRITTEN_DOWN.search(line.text)
    return found is not None and any(
        has_word(row, found["name"]) and not _WRITTEN_DOWN.search(row)
        for row in rows[line.number :]
    )


_WRITTEN_DOWN = lazy_pattern(
    r"\|\|\s*echo\s+[\"']?(?P<name>\w{3,})=.*>>\s*[\"']?\$\{?GITHUB_(?:ENV|OUTPUT)\b"
)


def _new_steps(file: ComparedFile) -> set[int]:
    """Lines that come where no check was: nothing counted on them before."""
    return {
        line.number
        for block in file.blocks
        if not any(_kind(old.text) for old in block.removed)
        for line in block.added
    }


def _kind(text: str) -> bool:
    bare = COMMENT.sub("", text)
    return not installs(bare.strip()) and any(runs_check(bare, p) for p in _GATING.values())


def _same_command(old: str, new: str) -> bool:
    """The new line is the old one with something that ignores its failure."""
    bare = squeeze(old).rstrip("\"'").lstrip("@-")
    same = squeeze(new).lstrip("@-").startswith(bare.split("||")[0][:40])
    same = same or squeeze(_IGNORES.sub("", new)).rstrip("\"'").lstrip("@-") == bare
    return bool(bare) and (same or _same_script(old, new)) and not _ignores(old)


def _same_script(old: str, new: str) -> bool:
    """The entry of a package.json with the same name, which runs the same tool."""
    names = [found["name"] for text in (old, new) if (found := _ENTRY.match(text))]
    if len(names) < 2 or names[0] != names[1]:
        return False
    return any(
        runs_check(old, pattern)
        and runs_check(new, pattern)
        and tool_of(Command(kind, old, 0)) == tool_of(Command(kind, new, 0))
        for kind, pattern in _GATING.items()
    )


_ENTRY = lazy_pattern(r"^\s*\"(?P<name>[\w:.-]+)\"\s*:\s*\"")


def _is_enforced_as_before(file: ComparedFile, row: str) -> bool:
    """The file has the command in as many lines as before whose failure counts."""
    was, now = (_count_enforced(rows, row.strip(" -")) for rows in (file.base_rows, file.head_rows))
    return 0 < was <= now


def _count_enforced(rows: Sequence[str], command: str) -> int:
    """In how many lines the command stands, beside no flag."""
    same = {number for number, row in enumerate(rows, 1) if row.strip(" -") == command}
    return len(same - _flagged(rows, same, _FLAGS))


def _beside(rows: Sequence[str], number: int, commands: set[int]) -> set[int]:
    """The lines of commands in the step or job that a flag belongs to."""
    return commands.intersection(_around(rows, number))


def _around(rows: Sequence[str], number: int) -> Iterator[int]:
    """The other lines of the step or job that a line belongs to."""
    indent = len(rows[number - 1]) - len(rows[number - 1].lstrip(" -"))
    for step in (-1, 1):
        at = number + step
        while 0 < at <= len(rows):
            row = rows[at - 1]
            depth = len(row) - len(row.lstrip(" -"))
            begins = row.lstrip().startswith("- ") and depth == indent
            if row.strip() and (depth < indent or (begins and step > 0)):
                break
            yield at
            if begins:
                break
            at += step
