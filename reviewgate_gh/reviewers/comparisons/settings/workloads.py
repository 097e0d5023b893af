"""Containers that run as before, without what bounded them or told whether they work: limits of
memory, probes, the bounds of their rights."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import without_packages
from .._guards import loss_is_explained
from .._pipelines import COMMENT, PIPELINES
from .._remark import ComparisonRule, hint, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word

EVERY_FILE = False


class _Bound(Struct, frozen=True):
    """What a container no longer has: the line that says so, how it is named in a title, and what
    follows from its loss."""

    pattern: str
    title: str
    advice: str
    told: str = r"(?!)"  # lines beside it of which `containers` and others tell


_RULE = ComparisonRule("container-bound-removed", Priority.P2, "")


# https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
# https://docs.docker.com/reference/compose-file/deploy/#resources
_LIMITS = _Bound(
    r"(?P<key>limits|mem_limit|pids_limit|memory)\s*:(?!\s*\{\s*\}\s*$)",
    "a container runs without",
    "It can exhaust the machine, and get other containers killed. Restore the limit, or name what "
    "bounds it.",
)
# https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
_PROBES = _Bound(
    r"(?P<key>(?:livenessProbe|readinessProbe|startupProbe|healthcheck)\s*:(?!\s*\{\s*\}\s*$)"
    r"|HEALTHCHECK\s(?!\s*NONE))",
    "nothing checks any more whether this container works:",
    "It gets requests before it can answer them, or hangs and is not restarted. Restore the probe, "
    "or name what checks it instead.",
)
# https://kubernetes.io/docs/tasks/configure-pod-container/security-context/
_RIGHTS = _Bound(
    r"(?P<key>allowPrivilegeEscalation\s*:\s*false|readOnlyRootFilesystem\s*:\s*true"
    r"|seccompProfile\s*:|automountServiceAccountToken\s*:\s*false|read_only\s*:\s*true"
    r"|drop\s*:(?=\s*(?:$|\[?\s*[\"']?ALL)))",
    "a container may do more than before: it loses",
    "Anyone who breaks into the program gets further. Restore it, or say what needs the privilege.",
    r"runAsNonRoot|runAsUser|privileged|cap_drop",
)
_BOUNDS = (_LIMITS, _PROBES, _RIGHTS)
_WORDS = (
    b"imit", b"memory", b"Probe", b"healthcheck", b"HEALTHCHECK", b"Privilege", b"readOnly",
    b"seccomp", b"automount", b"read_only", b"drop",
)  # fmt: skip
_FILES = lazy_pattern(r"\.ya?ml$|(?:^|/)(?:Docker|Container)file[^/]*$")
# Values of a chart have no containers, and a `resources` for them
_RUNS = lazy_pattern(
    r"(?m)^\s*(?:-\s+)?(?:containers|initContainers|services)\s*:"
    r"|^(?:resources|image|replicaCount|podSecurityContext|livenessProbe)\s*:|^FROM\s"
)
_IMAGE = lazy_pattern(
    r"^\s*(?:-\s+)?(?:(?:image|build|repository)\s*:|FROM\s)\s*[\"']?"
    r"(?P<image>(?:\{\{[^}]*\}\}|[^\s:@\"'])*)"
)
_NOT_DEPLOYED = lazy_pattern(
    r"(?i)(?:^|/)(?:\.devcontainer|examples?|samples?|local|dev|test\w*|ci)/"
    r"|(?:^|[/._-])(?:dev|develop\w*|local|override|test\w*|ci|example|sample)\.ya?ml$"
    r"|(?:^|/)\.github/|(?:^|/)crds?/"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if (
            _FILES.search(file.path)
            and file.is_edited_product
            and file.mentions(*_WORDS)
            and not PIPELINES.search(file.path)
            and not _NOT_DEPLOYED.search(without_packages(file.path))
            and _RUNS.search(file.head)
        ):
            for bound in _BOUNDS:
                yield from islice(_in_file(sources, file, bound), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile, bound: _Bound) -> Iterator[Finding]:
    pattern = re.compile(rf"^\s*(?:-\s+)?{bound.pattern}")
    before, after = _bounds(file.base_rows, pattern), _bounds(file.head_rows, pattern)
    gone = {line.number for line in file.removed}
    for number, key in before.items():
        if number not in gone or not _is_fewer(key, before, after):
            continue
        line = Line(number, file.base_rows[number - 1])
        block = next(block for block in file.blocks if line.number in _numbers(block.removed))
        if any(re.search(bound.told, near.text) for near in (*block.removed, *block.added)):
            continue
        if _is_elsewhere(sources, key) or _is_templated(block.added) or not _runs_on(file):
            continue
        rule = replace(_RULE, advice=bound.advice)
        rule = hint(rule) if loss_is_explained(file, block) else rule
        yield taken(rule, file, line, f"{bound.title} {key}")


def _bounds(rows: Sequence[str], pattern: re.Pattern[str]) -> dict[int, str]:
    """The keys of such bounds by their lines; of memory only the limit is one."""
    found = ((number, pattern.match(COMMENT.sub("", row))) for number, row in enumerate(rows, 1))
    return {
        number: match["key"].partition(":")[0].strip()
        for number, match in found
        if match and (match["key"] != "memory" or _parent(rows, number) == "limits:")
    }


def _parent(rows: Sequence[str], number: int) -> str:
    depth = _depth(rows[number - 1])
    above = (row for row in reversed(rows[: number - 1]) if row.strip())
    return next((row.strip() for row in above if _depth(row) < depth), "")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _is_fewer(key: str, before: Mapping[int, str], after: Mapping[int, str]) -> bool:
    return [*before.values()].count(key) > [*after.values()].count(key)


def _numbers(lines: Sequence[Line]) -> set[int]:
    return {line.number for line in lines}


def _is_elsewhere(sources: ComparisonInput, key: str) -> bool:
    """A line that the change adds has the key, or fills in what has it."""
    rows = (COMMENT.sub("", text).lower() for text in sources.added_rows)
    return any(has_word(row, key.lower()) for row in rows)


def _is_templated(lines: Sequence[Line]) -> bool:
    """What comes in its place is filled in: the values may have it.
    https://helm.sh/docs/chart_template_guide/"""
    return any("{{" in line.text or "<<:" in line.text for line in lines)


def _runs_on(file: ComparedFile) -> bool:
    """The images that the file had are those that it has."""
    before, after = (Counter(_images(rows)) for rows in (file.base_rows, file.head_rows))
    return bool(before) and not before - after


def _images(rows: Sequence[str]) -> Iterator[str]:
    """What is run, whatever its version."""
    return (found["image"] for row in rows if (found := _IMAGE.match(row)))
