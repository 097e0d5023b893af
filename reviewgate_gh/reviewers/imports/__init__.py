"""Reports of other tools, read as reviews: one format a file."""

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

from msgspec.structs import replace

from ...git import Git
from ...model.errors import UsageError
from ...model.finding import Finding
from ...model.review import Review, ReviewStatus
from ...text import strict

_MODULES = {
    "sarif": "sarif",
    "rdjson": "rdjson",
    "rdjsonl": "rdjsonl",
    "checkstyle": "checkstyle",
    "shellcheck": "shellcheck_json1",
}
FORMAT_NAMES = tuple(_MODULES)
_KEYS = {"runs": "sarif", "diagnostics": "rdjson", "comments": "shellcheck"}


# What a tool whose reviews are written by a model puts in the place of a rule: a kind or a degree,
# which any number of different problems have
_LABELS = frozenset(
    """
    ai ai-review architecture best-practice best-practices blocker bug bugs code-quality code-
    review comment comments compatibility concurrency correctness critical default design
    documentation error error-handling errors finding findings general generic high info
    informational issue issues llm logic low maintainability major medium minor misc nit nitpick
    note other performance potential-bug potential-issue problem quality readability refactor
    refactoring reliability remark review review-comment security style suggestion suggestions
    test testing tests todo trivial typo unknown usability validation vulnerability warning
    warnings
    """.split()  # noqa: SIM905
)


def detect_format(data: bytes) -> str:
    """Which of `NAMES` this is, by its outer shape.

    Raises:
        ValueError: none of them, or cut short.
    """
    text = strict.decode(data.strip(), "a report")
    if text.startswith("<"):
        return "checkstyle"
    if _is_diagnostic(text.partition("\n")[0]):
        return "rdjsonl"
    top = strict.json_object(strict.load_json(text, "a report of a known format"), "report")
    found = next((name for key, name in _KEYS.items() if key in top), None)
    if not found:
        raise ValueError(f"not a report of a known format ({', '.join(FORMAT_NAMES)})")
    return found


def _is_diagnostic(line: str) -> bool:
    try:
        first = strict.load_json(line, "a diagnostic")
    except ValueError:
        return False
    return isinstance(first, dict) and "message" in first and "location" in first


def parse(data: bytes, root: str = "", name: str = "auto") -> list[Finding]:
    """The findings of a report in the format `name`; "auto" looks for itself. `root` is the
    absolute folder to make paths relative to. A rule that is a kind of problem ("bug", "security")
    does not say what is wrong: such a finding has its tool's name for a rule, and that for its
    category.

    Raises:
        ValueError: not that format, or cut short.
    """
    module = _MODULES.get(wanted := detect_format(data) if name == "auto" else name)
    if module is None:
        raise ValueError(
            f"unknown report format {wanted!r}; use one of: auto, {', '.join(FORMAT_NAMES)}"
        )
    parser: Callable[[bytes, str], list[Finding]] = import_module(f".{module}", __name__).parse
    return [_without_label(finding) for finding in parser(data, root)]


def _without_label(finding: Finding) -> Finding:
    label = finding.rule.rpartition("/")[2].lower().replace("_", "-").replace(" ", "-")
    if label not in _LABELS or not finding.sources:
        return finding
    category = label if finding.category == "lint" else finding.category
    return replace(finding, rule=finding.sources[0], category=category)


def import_report(path: Path, data: bytes, root: str) -> Review:
    """The review in the report file `path` with the content `data`; absolute paths below `root`
    become relative."""
    try:
        findings = tuple(parse(data, root))
    except ValueError as error:
        return Review("import", path.name, ReviewStatus.UNPARSABLE, error=f"{path.name}: {error}")
    return Review("import", path.name, findings=findings, found=len(findings))


_MOST = 200_000_000  # bytes


def read_imports(paths: Iterable[Path], git: Git) -> tuple[Review, ...]:
    """One review for each file.

    Raises:
        UsageError: a file cannot be read.
    """

    return tuple(import_report(path, _read(path), str(git.tree or "")) for path in paths)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "name an existing file with --import"
        ) from None
    if len(data) > _MOST:
        raise UsageError(
            f"{path} is larger than {_MOST // 1_000_000} MB", "name a smaller report with --import"
        )
    return data
