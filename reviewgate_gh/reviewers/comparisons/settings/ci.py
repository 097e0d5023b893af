"""Checks of a pipeline that a change removes, lets fail, or no longer starts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ....text.yaml import compose
from .._remark import WHOLE_FILE, Rule, put, quoted, taken
from .._sources import ComparedFile, Comparison, Line, squeeze

EVERY_FILE = True
_REMOVED = Rule(
    "ci-check-removed",
    Priority.P1,
    "Later changes are merged without it. Restore it, or name what does this check now.",
)
_FEWER = Rule(
    "ci-check-removed",
    Priority.P2,
    "Others of its kind are still there. Say which of them does the same check, or restore it.",
)
_IGNORED = Rule(
    "ci-failure-ignored",
    Priority.P1,
    "The check still runs, but nothing notices when it fails. Fix what fails, or remove the check "
    "openly.",
)
_NEEDS = Rule(
    "ci-needs-removed",
    Priority.P2,
    "It runs now even if the checks fail. Restore `needs`, or name what holds it back.",
)
_TRIGGER = Rule(
    "ci-trigger-removed",
    Priority.P2,
    "The checks of this pipeline no longer run for it. Restore the trigger, or name the pipeline "
    "that runs them.",
)
_PATHS = lazy_pattern(
    r"(?:^|/)Jenkinsfile[\w.-]*$|(?:^|/)\.github/workflows/[^/]+\.ya?ml$|(?:^"
    r"|/)\.gitlab-ci[\w.-]*\.ya?ml$|(?:^"
    r"|/)\.gitlab/ci/[^/]+\.ya?ml$|^\.circleci/\w+\.ya?ml$"
    r"|(?:^|/)azure-pipelines[\w.-]*\.ya?ml$|(?:^|/)\.travis\.ya?ml$|^\.buildkite/[^/]+\.ya?ml$"
    r"|(?:^|/)bitbucket-pipelines\.ya?ml$|^\.drone\.ya?ml$|^\.woodpecker[\w./-]*\.ya?ml$"
    r"|^\.?appveyor\.yml$|^\.cirrus\.yml$"
)
_SCRIPTS = lazy_pattern(
    r"(?:^|/)(?:Makefile|package\.json|tox\.ini|justfile|noxfile\.py|Jenkinsfile[\w.-]*"
    r"|[\w-]+\.mk|[\w-]*(?:ci|test|check|lint|build)[\w-]*\.sh)$"
)
_KINDS = {
    "tests": r"\b(?:py\.?test|tox|nox|unittest|jest|vitest|mocha|karma|cypress|playwright test"
             r"|rspec|minitest|phpunit|ctest|gotestsum|nextest|bats|surefire|testthat)\b"
    r"|\b(?:npm|yarn|pnpm|bun)(?: run)?(?: -\S+)* (?:t|test)(?:[:\w-]*)\b|\b(?:go|cargo|dotnet"
    r"|mix|swift|flutter|dart|deno|bazel|sbt|lein|zig build|meson|rake|rails|hatch|pdm run|make"
    r"|just|gradlew?|mvnw?|ant|composer|stack|cabal|bundle exec rake)\b[^|&;]*\b(?:test|tests"
    r"|check|verify|spec)\b",
    "lint": r"\b(?:ruff|flake8|pylint|eslint|oxlint|biome|golangci-lint|golint|staticcheck"
            r"|clippy|rubocop|standardrb|shellcheck|hadolint|actionlint|zizmor|yamllint"
            r"|stylelint|ktlint|detekt|checkstyle|spotless|swiftlint|phpcs|credo|pre-commit"
            r"|super-linter|prettier|black|rustfmt|gofmt|cargo fmt|spotbugs)\b|\b(?:npm|yarn"
            r"|pnpm|bun|make|just|composer|tox -e)(?: run)? (?:[\w-]+:)?lint\b|\bgo vet\b",
    "types": r"\b(?:mypy|pyright|basedpyright|pytype|pyre|tsc|vue-tsc|phpstan|psalm|sorbet|srb"
             r"|steep|dialyzer|type-?check)\b",
    "security": r"\b(?:bandit|semgrep|codeql-action/\w+|codeql|trivy|grype|snyk|gitleaks"
                r"|trufflehog|pip-audit|npm audit|cargo[- ]audit|cargo[- ]deny|govulncheck"
                r"|brakeman|bundler-audit|osv-scanner|dependency-review-action"
                r"|scorecard(?:-action)?|safety check|gosec|ggshield|cosign verify"
                r"|sonarcloud\S*|checkov|tfsec|kics)\b",
    "coverage": r"\b(?:codecov(?:-action)?|coveralls\S*|coverage report|diff-cover"
                r"|--cov-fail-under|fail-under|nyc check-coverage)\b",
}  # fmt: skip
_TRACES = {
    "tests": r"(?i)\btest|\bspec\b|e2e|\bcheck\b",
    "lint": r"(?i)lint|format|style|pre-commit",
    "types": r"(?i)\btyp(?:e|ing)|tsc\b",
    "security": r"(?i)secur|scan|audit",
    "coverage": r"(?i)cover|codecov",
}
_RUNS = (
    "run",
    "script",
    "before_script",
    "after_script",
    "command",
    "commands",
    "bash",
    "uses",
    "task",
    "sh",
    "pwsh",
    "powershell",
    "build_script",
    "test_script",
    "inlinescript",
    "entry",
    "args",
)
_IGNORES = lazy_pattern(
    r"\|\|\s*(?:true|:|exit\s+0|echo\b[^|&;]*)\s*[\"']?,?\s*(?:\)|$)|;\s*(?:true"
    r"|exit 0)\s*[\"']?,?\s*$|--exit-zero\b|--passWithNoTests\b|--no-fail\b|--fail-never\b"
    r"|-fn\b"
    r"|^\s*set\s+\+e\b|^-(?=\w)"
)
_FLAGS = lazy_pattern(
    r"^\s*(?:-\s+)?(?:set\s+\+e\b|continue-on-error:\s*true\b|allow_failure:\s*true"
    r"|continueOnError:\s*true"
    r"|ignore_outcome\s*=\s*[Tt]rue|soft_fail:\s*true|fail_ci_if_error:\s*false"
    r"|if:\s*(?:false|\$\{\{\s*false\s*\}\})|when:\s*never|allow-failure:\s*true)"
)
_SPEAKS = lazy_pattern(
    r"\s*(?:sudo )?(?:grep|echo|cat|sed|awk|rm|cp|mv|mkdir|export|jq|git|ls|find|tee|printf|tar"
    r"|if|for|while|case|\[)\b"
)
_QUOTED = lazy_pattern(r"\b(?:sh|bat|powershell)\s*\(?['\"]{1,3}([^'\"]+)['\"]{1,3}\)?")
_COMMENT = lazy_pattern(r"(?:^|\s)#.*$")


class _Command(NamedTuple):
    kind: str
    text: str
    line: int


def compare(sources: Comparison) -> Iterator[Finding]:
    """A finding for each check that is gone, and for each whose failure counts no longer."""
    pipelines = [file for file in sources.files if _PATHS.search(file.path) and file.diff.hunks]
    if pipelines:
        yield from _removed(sources, pipelines)
        for file in pipelines:
            yield from _triggers(sources, file)
            yield from _needs(file)
    for file in sources.files:
        if (
            file.diff.hunks
            and not file.is_new
            and (file in pipelines or _SCRIPTS.search(file.path))
        ):
            yield from _ignored(file)


def _removed(sources: Comparison, pipelines: list[ComparedFile]) -> Iterator[Finding]:
    before = {file.path: _commands(file.path, file.base) for file in pipelines}
    after = [command for file in pipelines for command in _commands(file.path, file.head)]
    texts, kinds = {command.text for command in after}, [command.kind for command in after]
    told = {command.kind for command in after if command.text not in _texts(before)}
    for file in pipelines:
        for command in before[file.path]:
            # One of its kind that is new has taken its place
            if command.text in texts or command.kind in told:
                continue
            told.add(command.kind)
            left = command.kind in kinds or command.kind in _elsewhere(sources, pipelines)
            yield _gone(file, command, _FEWER if left else _REMOVED)


def _texts(before: dict[str, list[_Command]]) -> set[str]:
    return {command.text for commands in before.values() for command in commands}


def _elsewhere(sources: Comparison, pipelines: list[ComparedFile]) -> set[str]:
    """The kinds of checks that pipelines seem to hold which the change leaves alone; a name of a
    job suffices, since what it runs may be of any kind."""
    known = {file.path for file in pipelines}
    paths = [path for path in sources.list_head() if _PATHS.search(path) and path not in known]
    texts = sources.read_head(paths[:50]).values()
    return {kind for text in texts for kind, words in _TRACES.items() if re.search(words, text)}


def _gone(file: ComparedFile, command: _Command, rule: Rule) -> Finding:
    what = {"tests": "test run", "lint": "lint", "types": "type check", "security": "security scan",
            "coverage": "coverage check"}[command.kind]  # fmt: skip
    title = f"the pipeline loses a {what}: {command.text[:80]}"
    if file.is_gone:
        return put(rule, file, WHOLE_FILE, title, "this file ran it")
    return taken(rule, file, Line(command.line, command.text), title)


@lru_cache(64)
def _tree(text: str) -> Any:
    """The root of a pipeline's YAML; None where it is none."""
    import yaml

    try:
        return compose(text) if text else None
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _commands(path: str, text: str) -> list[_Command]:
    """The commands and actions of a pipeline that check something."""
    if "Jenkinsfile" in path:
        rows = enumerate(text.split("\n"), 1)
        return [found for at, row in rows for found in _in_row(_QUOTED.sub(r" \1 ", row), at)]
    node = _tree(text)
    found: list[_Command] = []
    _walk(node, False, found, 0)
    return found


def _walk(node: Any, runs: bool, found: list[_Command], depth: int) -> None:
    if node is None or depth > 50:
        return
    if node.id == "mapping":
        for key, value in node.value:
            named = key.id == "scalar" and key.value.lower() in _RUNS
            _walk(value, named or (runs and value.id != "scalar"), found, depth + 1)
    elif node.id == "sequence":
        for item in node.value:
            _walk(item, runs, found, depth + 1)
    elif runs:
        first = node.start_mark.line + 1 + (node.style in ("|", ">"))
        for at, row in enumerate(node.value.split("\n")):
            found += _in_row(row, first + at)


def _in_row(row: str, number: int) -> list[_Command]:
    """The check that a line runs, if it does."""
    bare = _COMMENT.sub("", row).strip()
    if not bare or _installs(bare):
        return []
    # A tool may name another in its options: the first one runs
    found = [
        (match.start(), kind)
        for kind, pattern in _KINDS.items()
        if _runs(bare, pattern) and (match := re.search(pattern, bare))
    ]
    return [_Command(min(found)[1], _without_version(bare), number)] if found else []


def _runs(text: str, pattern: str) -> bool:
    """One of the commands of the line is the check, and does not only speak of it."""
    parts = re.split(r"&&|\|\||[;|]", text)
    return any(re.search(pattern, part) and not _SPEAKS.match(part) for part in parts)


def _installs(text: str) -> bool:
    return (
        re.match(
            r"(?:sudo |python\S* -m |uv )*(?:pip\S*|npm|yarn|pnpm|apt\S*|brew|go|gem|cargo"
            r"|choco|pipx|uv tool|uv) (?:install|add|i|ci|get|sync)\b"
            r"|actions/(?:checkout|cache|upload-artifact|download-artifact|setup-)",
            text,
        )
        is not None
    )


def _without_version(text: str) -> str:
    """An action is the same one in another version."""
    return re.sub(r"^([\w.-]+/[\w./-]+)@\S+", r"\1", text)


def _triggers(sources: Comparison, file: ComparedFile) -> Iterator[Finding]:
    """`on: pull_request` or `push` that is gone from a workflow which checks."""
    if file.is_new or file.is_gone or "workflows/" not in file.path:
        return
    before, after = _events(file.base), _events(file.head)
    lost = [event for event in ("pull_request", "push") if event in before and event not in after]
    if "pull_request" in lost and "pull_request_target" in after:
        lost.remove("pull_request")
    if not lost and _commands(file.path, file.head):
        yield from _narrowed(file)
    if not lost or not _commands(file.path, file.head) or _covers_elsewhere(sources, file, lost[0]):
        return
    line = next((line for line in file.removed if lost[0] in line.text), WHOLE_FILE)
    if line.number:
        yield taken(_TRIGGER, file, line, f"this workflow no longer runs on {lost[0]}")


def _needs(file: ComparedFile) -> Iterator[Finding]:
    """A job that waited for a job with checks, and no longer does, though both are there."""
    before, after = _waits(file.base), _waits(file.head)
    for job, needs in before.items():
        lost = sorted(each for each in needs - _reached(job, after) if each in after)
        if job in after and lost and _commands(file.path, file.head):
            line = next((line for line in file.removed if "needs:" in line.text), None)
            line = line or next((line for line in file.removed if lost[0] in line.text), None)
            if line is not None:
                yield taken(_NEEDS, file, line, f"the job {job} no longer waits for {lost[0]}")
                return


def _reached(job: str, waits: Mapping[str, set[str]]) -> set[str]:
    """What a job waits for, itself or through others."""
    found: set[str] = set()
    left = [job]
    while left:
        new = waits.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def _waits(text: str) -> dict[str, set[str]]:
    """By job what it needs."""
    jobs = _child(_tree(text), "jobs")
    if jobs is None or jobs.id != "mapping":
        return {}
    return {key.value: _words(_child(job, "needs")) for key, job in jobs.value}


def _child(node: Any, name: str) -> Any:
    if node is None or node.id != "mapping":
        return None
    return next((value for key, value in node.value if key.value == name), None)


def _words(node: Any) -> set[str]:
    """The texts of a scalar or a list."""
    if node is None:
        return set()
    nodes = [node] if node.id == "scalar" else node.value if node.id == "sequence" else []
    return {each.value for each in nodes if each.id == "scalar"}


def _narrowed(file: ComparedFile) -> Iterator[Finding]:
    """Fewer branches, with others left."""
    for event in ("pull_request", "push"):
        before, after = (
            _words(_child(_child(_child(_tree(text), "on"), event), "branches"))
            for text in (file.base, file.head)
        )
        lost = sorted(before - after)
        if lost and after and after < before:
            line = next((line for line in file.removed if lost[0] in line.text), None)
            if line is not None:
                title = f"this workflow no longer runs on {event} to {lost[0]}"
                yield taken(_TRIGGER, file, line, title)
                return


def _covers_elsewhere(sources: Comparison, file: ComparedFile, event: str) -> bool:
    """Another workflow that the change adds or edits runs for this event and checks as much."""
    others = [each for each in sources.files if _PATHS.search(each.path) and each is not file]
    kinds = {command.kind for command in _commands(file.path, file.head)}
    return any(
        event in _events(each.head) and kinds <= {c.kind for c in _commands(each.path, each.head)}
        for each in others
    )


def _events(text: str) -> set[str]:
    node = _tree(text)
    if node is None or node.id != "mapping":
        return set()
    for key, value in node.value:
        if key.value == "on":
            if value.id == "scalar":
                return {value.value}
            keys = (pair[0] for pair in value.value) if value.id == "mapping" else value.value
            return {each.value for each in keys if each.id == "scalar"}
    return set()


def _ignored(file: ComparedFile) -> Iterator[Finding]:
    """A check that was there before and may fail now."""
    rows = file.head_rows
    commands = {line for line, row in enumerate(rows, 1) if _kind(row)}
    old = {squeeze(line.text) for line in file.removed}
    for added in file.added:
        text = added.text
        if squeeze(text) in old or text.lstrip().startswith(("#", "//")):
            continue
        if _FLAGS.search(text) and (_is_beside(rows, added.number, commands) or "fail_ci" in text):
            yield put(
                _IGNORED, file, added, "this check may fail from now on without being noticed"
            )
        elif _IGNORES.search(_COMMENT.sub("", text).strip()) and _kind(text):
            before = next((line for line in file.removed if _same_command(line.text, text)), None)
            if before is not None:
                title = "the failure of this check is ignored from now on"
                yield put(_IGNORED, file, added, title, quoted(before.text))


def _kind(text: str) -> bool:
    bare = _COMMENT.sub("", text)
    return not _installs(bare.strip()) and any(_runs(bare, p) for p in _KINDS.values())


def _same_command(old: str, new: str) -> bool:
    """The new line is the old one with something that ignores its failure."""
    bare = squeeze(old).rstrip("\"'").lstrip("@-")
    same = squeeze(new).lstrip("@-").startswith(bare.split("||")[0][:40])
    return bool(bare) and same and not _IGNORES.search(_COMMENT.sub("", old).strip())


def _is_beside(rows: Sequence[str], number: int, commands: set[int]) -> bool:
    """The flag belongs to a step or job that checks something: the block of lines around it."""
    indent = len(rows[number - 1]) - len(rows[number - 1].lstrip(" -"))
    for step in (-1, 1):
        at = number + step
        while 0 < at <= len(rows):
            row = rows[at - 1]
            depth = len(row) - len(row.lstrip(" -"))
            begins = row.lstrip().startswith("- ") and depth == indent
            if row.strip() and (depth < indent or (begins and step > 0)):
                break
            if at in commands:
                return True
            if begins:
                break
            at += step
    return False
