"""Workflows that GitHub refuses as a whole, or never runs: keys with a slip, circles of jobs, steps
with one name, times that there are not.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
"""

from collections.abc import Iterator
from typing import Any

from ...model.finding import Finding, Priority
from ...text.keywords import is_one_slip
from ...text.patterns import lazy_pattern
from ._problems import Problem, new_problems
from ._sources import CheckInput
from ._workflows import read_tree
from ._yaml_trees import at, fields, items, line_of, text_of

WANTS = ("*.yml", "*.yaml")
EVERY_FILE = False
_LARGEST, _MOST = 300_000, 200
_WANTED = lazy_pattern(r"\A\.github/workflows/[^/]+\.ya?ml\Z")
_TOP = "name run-name on permissions env defaults concurrency jobs"
_JOB = """name permissions needs if runs-on environment concurrency outputs env defaults steps
    timeout-minutes strategy continue-on-error container services uses with secrets snapshot"""
_STEP = "id if name uses run working-directory shell with env continue-on-error timeout-minutes"
_RIGHTS = """actions attestations checks contents deployments discussions id-token issues models
    packages pages pull-requests repository-projects security-events statuses"""
_STRATEGY = "matrix fail-fast max-parallel"
_SYSTEMS = ("ubuntu", "windows", "macos", "latest")
_LABEL = lazy_pattern(r"[a-z]{4,10}(?=-)|(?<=-)[a-z]{4,10}\Z")
_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_CRON_PART = lazy_pattern(
    r"(?:\*|(\d{1,2})(?:-(\d{1,2}))?|[A-Za-z]{3}(?:-[A-Za-z]{3})?)(?:/\d{1,3})?"
)
_REFUSED = "GitHub refuses the whole workflow, so that no job runs."

_Found = tuple[Any, str]


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a mistake."""
    return new_problems(sources, _is_wanted, _problems, _LARGEST)


def _is_wanted(path: str) -> bool:
    return _WANTED.match(path) is not None


def _problems(_path: str, data: bytes) -> Iterator[Problem]:
    root = read_tree(data.decode("utf-8", "replace"))
    jobs = fields(at(root, "jobs"))
    found = [*_slips(root, _TOP), *_circle(jobs), *_times(root)]
    found += _slips(at(root, "permissions"), _RIGHTS)
    for job in jobs.values():
        found += _slips(job, _JOB)
        found += _slips(at(job, "permissions"), _RIGHTS)
        found += _slips(at(job, "strategy"), _STRATEGY)
        found += _in_steps(items(at(job, "steps")))
        yield from _runner(at(job, "runs-on"))
    for node, title in found:
        yield Problem("workflow-refused", line_of(node), title, _REFUSED, Priority.P1)


def _slips(node: Any, known: str) -> Iterator[_Found]:
    """Keys that are a letter off, or spell a known one in another way."""
    names = known.split()
    for key, _ in node.value if node is not None and node.id == "mapping" else ():
        word = text_of(key)
        meant = next((name for name in names if _is_meant(word, name)), "")
        if word and word not in names and meant:
            yield key, f"there is no key `{word[:40]}` here (there is `{meant}`)"


def _is_meant(word: str, name: str) -> bool:
    return len(name) > 2 and (_bare(word) == _bare(name) or is_one_slip(word, name))


def _bare(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "")


def _circle(jobs: dict[str, Any]) -> Iterator[_Found]:
    """Jobs that wait for each other: one is told."""
    if len(jobs) > _MOST:
        return
    waits = {name: {text_of(need) for need in _needs(job)} for name, job in jobs.items()}
    while done := [name for name, needs in waits.items() if not _is_between(name, needs, waits)]:
        waits = {name: needs for name, needs in waits.items() if name not in done}
    if waits:
        first = min(waits)
        yield at(jobs[first], "needs"), f"the job `{first[:40]}` waits for jobs that wait for it"


def _is_between(name: str, needs: set[str], waits: dict[str, set[str]]) -> bool:
    """It waits for others, and others for it."""
    return not needs.isdisjoint(waits) and any(name in each for each in waits.values())


def _needs(job: Any) -> list[Any]:
    node = at(job, "needs")
    return [node] if text_of(node) else items(node)


def _in_steps(steps: list[Any]) -> Iterator[_Found]:
    names = set[str]()
    for step in steps:
        keys, name = fields(step), at(step, "id")
        yield from _slips(step, _STEP)
        if "run" in keys and "uses" in keys:
            yield keys["run"], "a step has both `run` and `uses`"
        if text_of(name) and text_of(name).lower() in names:
            yield name, f"two steps of the job have the id `{text_of(name)[:40]}`"
        names.add(text_of(name).lower())


def _times(root: Any) -> Iterator[_Found]:
    for each in items(at(root, "on", "schedule")):
        node = at(each, "cron")
        parts = text_of(node).split()
        if not text_of(node) or text_of(node).startswith("@") or "$" in text_of(node):
            continue
        is_sound = len(parts) == len(_CRON_RANGES) and all(map(_is_time, parts, _CRON_RANGES))
        if not is_sound:
            yield node, f"there is no time `{text_of(node)[:40]}`"


def _is_time(text: str, bounds: tuple[int, int]) -> bool:
    for part in text.split(","):
        found = _CRON_PART.fullmatch(part)
        numbers = [int(each) for each in (found.groups() if found else ()) if each]
        if not found or any(not bounds[0] <= each <= bounds[1] for each in numbers):
            return False
    return True


def _runner(node: Any) -> Iterator[Problem]:
    label = text_of(node)
    for word in _LABEL.findall(label):
        meant = next((each for each in _SYSTEMS if is_one_slip(word, each)), "")
        if meant and word not in _SYSTEMS:
            title = f"no runner of GitHub has the label `{label[:40]}` (`{meant}`?)"
            yield Problem("workflow-runner", line_of(node), title, "The job waits for one in vain.")
