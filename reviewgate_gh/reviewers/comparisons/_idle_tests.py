"""Tests of files that are gone without which as much is checked: the pipeline does it now, or they
did not run."""

from fnmatch import fnmatch

from ...text.patterns import lazy_pattern
from ._pipelines import PIPELINES, find_checks, tool_of
from ._sources import ComparedFile, ComparisonInput, has_word
from ._tests import Test


def is_run_by_pipeline(sources: ComparisonInput, file: ComparedFile, test: Test) -> bool:
    """The tool that it only starts is a step of the pipeline now."""
    if not file.is_gone:
        return False
    new = (
        tool_of(command)[0]
        for other in sources.files
        if PIPELINES.search(other.path)
        for command in find_checks(other.path, other.head)
        if any(line.number == command.line for line in other.added)
    )
    text = "\n".join(file.base_rows[test.line - 1 : test.last])
    return any(has_word(text, tool) for tool in new)


def is_run_by_pattern(sources: ComparisonInput, file: ComparedFile, test: Test) -> bool:
    """The files that it named have moved to where a pattern of the head takes them in.
    https://docs.rs/trybuild"""
    named = _PATHS.findall("\n".join(file.base_rows[test.line - 1 : test.last]))
    patterns = [each for row in file.head_rows for each in _PATTERNS.findall(row)]
    return bool(named and patterns) and all(
        any(
            f"/{other.old_path}".endswith(f"/{path}") and fnmatch(other.path, f"*{pattern}")
            for other in sources.change.files
            if other.old_path != other.path
            for pattern in patterns
        )
        for path in named
    )


_PATHS = lazy_pattern(r"\"((?:[\w.-]+/)+[\w-]+\.\w+)\"")
_PATTERNS = lazy_pattern(r"\"((?:[\w.*-]+/)+[\w.*-]*\*[\w.*-]*)\"")


def was_never_included(sources: ComparisonInput, file: ComparedFile, test: Test) -> bool:
    """It belongs to shared examples that no test asked for, so it did not run.
    https://rspec.info/features/3-13/rspec-core/example-groups/shared-examples/"""
    if not file.is_gone or not file.path.endswith(".rb"):
        return False
    above = (_SHARED.search(row) for row in reversed(file.base_rows[: test.line]))
    shared = next((found for found in above if found), None)
    if shared is None:
        return False
    name = shared["name"]
    removed = (line.text for other in sources.files for line in other.removed)
    places = sources.find_words([name])[name]
    texts = (*removed, *(place.text for place in places))
    return not any(name in text and _INCLUDES.search(text) for text in texts)


_SHARED = lazy_pattern(
    r"\bshared_(?:examples(?:_for)?|context)\s*(?:\(\s*)?[:\"'](?P<name>[^\"']+?)[\"']?\)?\s+do\b"
)
_INCLUDES = lazy_pattern(
    r"\b(?:it_behaves_like|it_should_behave_like|include_(?:examples|context))\b"
)
