"""Tests that still run, and leave out what they ran before, or run none at all."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import loss_is_explained
from .._pipelines import COMMENT, KINDS, PIPELINES, Command, is_readable, runs_check, tool_of
from .._remark import hint, put, quoted
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word
from .strictness import LOOSER, SCRIPTS

EVERY_FILE = True
_TESTS = KINDS["tests"]
# https://docs.pytest.org/en/stable/reference/reference.html#command-line-flags,
# https://jestjs.io/docs/cli, https://vitest.dev/guide/cli, https://pkg.go.dev/cmd/go#hdr-Testing_flags,
# https://doc.rust-lang.org/cargo/commands/cargo-test.html, https://docs.phpunit.de/en/11.5/textui.html,
# https://maven.apache.org/surefire/maven-surefire-plugin/test-mojo.html
_LEAVES_OUT = lazy_pattern(
    r"\s(?P<option>-[km][ =]?\s*\\?[\"']?not\b|--ignore(?:-glob)?(?=[ =])|--deselect\b"
    r"|--exclude(?:-\w+)?(?=[ =])|-?-skip(?=[ =])|--testPathIgnorePatterns\b|-LE\b|-short\b"
    r"|(?<!grep )(?<!sed )-E(?=[ =]\S)"
    r"|--tag\s+~|-D(?:excludedGroups|exclude)\b|-Dtest=['\"]?!"
    r"|--filter[ =][^|;&]*!=|--invert\b|-run[ =]\S+|-k\s+\w+(?=\s|$)|--testNamePattern\b)"
    r"(?P<what>[^|;&]*?)(?=\s-|[|;&]|$)"
)
_RUNS_NONE = lazy_pattern(
    r"\s(?P<option>--collect-only|--co\b|--no-run|--list-?[tT]ests|--dry-run|-N\b(?=.*ctest)"
    r"|-DskipTests\b(?!=false)|-DskipITs\b(?!=false)|-Dmaven\.test\.skip=true|-run[ =]['\"]?\^\$"
    r"|-Dmaven\.test\.failure\.ignore(?:=true)?|-fn\b|--suppress-no-test-exit-code)"
)
_MOST_READ = 50  # pipelines
_QUOTES = "\"', "
_OPTIONS = lazy_pattern(r"(?m)^\s*\"?(?:addopts|PYTEST_ADDOPTS)\"?\s*[=:]")
_CONFIGS = lazy_pattern(
    r"(?:^|/)(?:pyproject\.toml|pytest\.ini|\.pytest\.ini|setup\.cfg|tox\.ini)$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_gone or file.is_new or not file.removed or file.is_test:
            continue
        pipeline = PIPELINES.search(file.path) and is_readable(file.path, file.head)
        if pipeline or SCRIPTS.search(file.path) or _CONFIGS.search(file.path):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for new in block.added:
            old = _before(block, new)
            if old is None:
                continue
            told = "" if _CONFIGS.search(file.path) else _fewer(sources, block, old, new)
            if told:
                rule = hint(LOOSER) if loss_is_explained(file, block) else LOOSER
                yield put(rule, file, new, f"only these tests are run: {told}", quoted(old.text))
            for pattern, what in ((_RUNS_NONE, "no longer count"), (_LEAVES_OUT, "leave out more")):
                found = _gained(pattern, COMMENT.sub("", old.text), COMMENT.sub("", new.text))
                if found is None or _runs_whole(file, new) or _run_elsewhere(sources, new, found):
                    continue
                rule = hint(LOOSER) if loss_is_explained(file, block) else LOOSER
                title = f"the tests {what}: {found[0].strip()[:60].rstrip(_QUOTES)}"
                yield put(rule, file, new, title, quoted(old.text))


def _fewer(sources: ComparisonInput, block: Block, old: Line, new: Line) -> str:
    """The paths or parts that the same command names in place of everything."""
    was, now = (COMMENT.sub("", line.text).replace('"', "").split() for line in (old, new))
    lost, came = (
        [each for each in was if each not in now],
        [each for each in now if each not in was],
    )
    if not came or not all(_EVERYTHING.fullmatch(each) for each in lost):
        return ""
    if sum(runs_check(COMMENT.sub("", line.text), _TESTS) for line in block.added) > 1:
        return ""  # the others may run the rest
    paths = sources.list_head()
    parts = (_PARTS.fullmatch(each) or any(_is_in(path, each) for path in paths) for each in came)
    named = [each for each in was if "/" in each and any(_is_in(path, each) for path in paths)]
    return " ".join(came) if all(parts) and not named else ""


def _is_in(path: str, named: str) -> bool:
    """A file below the folder that a word names."""
    folder = named.removeprefix("./").removesuffix("...").rstrip("/")
    return bool(folder) and (path == folder or path.startswith(f"{folder}/"))


_EVERYTHING = lazy_pattern(r"\./\.\.\.|\.|--workspace|--all|--all-(?:targets|features)|tests?/?")
_PARTS = lazy_pattern(r"--lib|--bins?|--doc")


def _before(block: Block, new: Line) -> Line | None:
    """The line that ran the same tests, or gave the same options to them, before."""
    if _OPTIONS.search(new.text):
        return next((old for old in block.removed if _OPTIONS.search(old.text)), None)
    text = COMMENT.sub("", new.text)
    if not runs_check(text, _TESTS):
        return None
    tool = tool_of(Command("tests", text, 0))
    return next(
        (
            old
            for old in block.removed
            if runs_check(bare := COMMENT.sub("", old.text), _TESTS)
            and tool_of(Command("tests", bare, 0)) == tool
        ),
        None,
    )


def _gained(pattern: re.Pattern[str], old: str, new: str) -> re.Match[str] | None:
    """The first option that the new line has beside those that the old one had."""
    before, after = ([*pattern.finditer(text)] for text in (old, new))
    if len(after) <= len(before):
        return None
    return next((each for each in after if each[0].strip() not in old), None)


def _runs_whole(file: ComparedFile, new: Line) -> bool:
    """The same tool is run in another line, and leaves nothing out there."""
    text = COMMENT.sub("", new.text)
    if not runs_check(text, _TESTS):
        return False
    tool = tool_of(Command("tests", text, 0))
    return any(
        number != new.number
        and runs_check(row, _TESTS)
        and tool_of(Command("tests", row, 0)) == tool
        and not (_LEAVES_OUT.search(row) or _RUNS_NONE.search(row))
        for number, row in enumerate(file.head_rows, 1)
    )


def _run_elsewhere(sources: ComparisonInput, new: Line, found: re.Match[str]) -> bool:
    """Another line of the change names what is left out: it may run on its own."""
    words = re.findall(r"[A-Za-z_]\w{2,}", found.groupdict().get("what") or "")
    rows = [line.text for file in sources.files for line in file.added if line.text != new.text]
    if any(has_word(row, word) and runs_check(row, _TESTS) for word in words for row in rows):
        return True
    paths = [path for path in sources.list_head() if PIPELINES.search(path)] if words else []
    texts = sources.read_head(sorted(paths)[:_MOST_READ]).values()
    left = (COMMENT.sub("", row) for text in texts for row in text.split("\n"))
    kept = [row for row in left if not _LEAVES_OUT.search(row) and runs_check(row, _TESTS)]
    return all(any(has_word(row, word) for row in kept) for word in words) and bool(words)
