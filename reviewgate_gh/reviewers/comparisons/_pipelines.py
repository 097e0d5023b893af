"""The pipelines of the usual services, and which of their commands check something."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...text.patterns import lazy_pattern
from ..checks._workflows import events_of, read_tree

PIPELINES = lazy_pattern(
    r"(?:^|/)Jenkinsfile[\w.-]*$|^\.github/workflows/[^/]+\.ya?ml$|(?:^"
    r"|/)\.gitlab-ci[\w.-]*\.ya?ml$|(?:^"
    r"|/)\.gitlab/ci/[^/]+\.ya?ml$|^\.circleci/\w+\.ya?ml$"
    r"|(?:^|/)azure-pipelines[\w.-]*\.ya?ml$|(?:^|/)\.travis\.ya?ml$|^\.buildkite/[^/]+\.ya?ml$"
    r"|(?:^|/)bitbucket-pipelines\.ya?ml$|^\.drone\.ya?ml$|^\.woodpecker[\w./-]*\.ya?ml$"
    r"|^\.?appveyor\.yml$|^\.cirrus\.yml$"
)
KINDS = {
    "tests": r"\b(?:py\.?test|(?:tox|nox)(?![^|&;]*\s-[es]\s*\S*(?:typ(?:ing|es?)|mypy"
             r"|pyright)\b)|unittest|jest|vitest|mocha|karma|cypress|playwright test"
             r"|rspec|minitest|manage\.py test|phpunit|ctest|gotestsum"
             r"|nextest|bats|surefire|testthat)\b"
    r"|\b(?:npm|yarn|pnpm|bun)(?: run)?(?: -\S+)* (?:t(?![:\w-])|test[:\w-]*)\b"
    r"|\b(?:go|cargo|dotnet"
    r"|mix|swift|flutter|dart|deno|bazel|sbt|lein|zig build|meson|rake|rails|hatch|pdm run|make"
    r"|just|gradlew?|ant|composer|stack|cabal|bundle exec rake)\b[^|&;]*(?<!no-)"
    r"(?<!\s-)(?<!\s--)(?<!-x\s)\b(?:tests?|check|verify|spec)\b"
    # Their builds test as well, unless they are told not to
    r"|\brake\s*$|\bgradlew?\b(?![^|&;]*\s-x\s)[^|&;]*\s:?(?:[\w-]+:)*build\b"
    # A phase, or a goal of what runs tests; `checkstyle:check` is another tool's
    r"|\bmvnw?\b(?![^|&;]*(?:skipTests|maven\.test\.skip))[^|&;]*\s(?:(?:surefire|failsafe):)?"
    r"(?:test|integration-test|verify|install|package|deploy)\b",
    "lint": r"\b(?:ruff|flake8|pylint|eslint|oxlint|biome|golangci-lint|golint|staticcheck"
            r"|clippy|rubocop|standardrb|shellcheck|hadolint|actionlint|zizmor|yamllint"
            r"|stylelint|ktlint|detekt|checkstyle|spotless|swiftlint|phpcs|credo|pre-commit"
            r"|cppcheck|cpplint|clang-(?:tidy|format)\S*|scan-build|flawfinder|luacheck"
            r"|php-cs-fixer"
            r"|phpmd|pmd|isort|pydocstyle|vulture|deptry|erb_?lint|haml-lint|scalafmt\S*"
            r"|scalafix\S*"
            r"|hlint|swiftformat|dprint|taplo"
            r"|prek(?:-action)?|super-linter|prettier|black|rustfmt|gofmt|cargo fmt|spotbugs)\b"
            r"|\b(?:npm|yarn|pnpm|bun|make|just|composer|tox -e)(?: run)? (?:[\w-]+:)?lint\b"
            # https://developer.hashicorp.com/terraform/cli/commands/validate
            r"|\bterraform\b[^|&;]*\s(?:validate|fmt)\b|\b(?:tflint|kubeconform|kubeval|kube-linter"
            r"|ansible-lint|cfn-lint|markdownlint\S*|typos|codespell)\b"
            r"|\b(?:mix|dotnet|swift|terragrunt|buf|nix|deno|dart) (?:format|fmt)\b"
            # What is generated, or written elsewhere, fits what it comes from
            r"|\balembic check\b|\bmakemigrations\b[^|&;]*--check|\bgo mod (?:verify|tidy -diff)\b"
            r"|\bprisma (?:validate|migrate diff)\b|\btwine check\b|\bcheck-manifest\b"
            r"|\bgo vet\b|\b(?:dart|flutter) analyze\b"
            r"|\b(?:helm|ct|ah|buf|api-linter|sqlfluff|spectral|protolint|vale) lint\b",
    "types": r"\b(?:tox|nox)\b[^|&;]*\s-[es]\s*\S*(?:typ(?:ing|es?)|mypy|pyright)\b"
             r"|\b(?:mypy|pyright|basedpyright|pytype|pyre|tsc|vue-tsc|phpstan|psalm|sorbet|srb"
             r"|steep|dialyzer|type-?check)\b",
    "security": r"\b(?:bandit|semgrep|codeql-action/analyze|codeql(?!-action)|trivy"
                r"|grype|snyk|gitleaks"
                r"|trufflehog|anchore/scan-action"
                r"|pip-audit|npm audit(?!\s+fix)|cargo[- ]audit|cargo[- ]deny|govulncheck"
                r"|brakeman|bundler?-audit|sobelow|(?:deps|hex)\.audit|composer audit|cargo vet"
                r"|(?:yarn|pnpm)(?: npm)? audit|osv-scanner|dependency-review-action"
                r"|scorecard(?:-action)?|safety check|dependency-check|gosec|ggshield"
                r"|cosign verify"
                r"|sonarcloud\S*|checkov|tfsec|kics)\b"
                # https://docs.gitlab.com/user/application_security/detect/security_configuration/
                r"|^(?:Jobs|Security)/(?:[\w-]*SAST|Secret-Detection|[\w-]+-Scanning|DAST)\b"
                r"|/components/(?:sast|secret-detection|[\w-]+-scanning|dast)/",
    "coverage": r"\b(?:codecov(?:-action)?|coveralls\S*|coverage report|diff-cover"
                r"|sonar(?:qube|cloud|source)[\w/-]*|--cov-fail-under|fail-under"
                r"|nyc check-coverage)\b",
}  # fmt: skip
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
    "template",
    "component",
)
_SPEAKS = lazy_pattern(
    r"\s*(?:sudo )?(?:grep|echo|cat|sed|awk|rm|cp|mv|mkdir|export|jq|git|ls|find|tee|printf|tar"
    r"|curl|wget|unzip|chmod|ln|touch"
    r"|if|for|while|case|\[)\b"
)
_QUOTED = lazy_pattern(r"\b(?:sh|bat|powershell)\s*\(?['\"]{1,3}([^'\"]+)['\"]{1,3}\)?")
_EXPRESSION = lazy_pattern(r"\$\{\{[^}\n]*\}\}")  # it differs from run to run anyway
_BEGINS = lazy_pattern(r"^\s*(?:(?:then|do|else|time)\s+)*")
_SAYS_ITSELF = lazy_pattern(r"\s--(?:version|help)\b")
_SLASHES = lazy_pattern(r"^\s*//.*$")  # a comment of Groovy
COMMENT = lazy_pattern(r"(?:^|\s)#.*$")


class Command(NamedTuple):
    """A command that checks something: of which kind, its text, and its line."""

    kind: str
    text: str
    line: int


def is_readable(path: str, text: str) -> bool:
    """It is gone or empty, or can be parsed: of what cannot, the checks of syntax tell."""
    return "Jenkinsfile" in path or not bare_text(text).strip() or read_tree(text) is not None


def bare_text(text: str) -> str:
    """A pipeline without its comments."""
    return "\n".join(COMMENT.sub("", row) for row in text.split("\n"))


_OF_CHANGES = frozenset(
    ("push", "pull_request", "pull_request_target", "merge_group", "workflow_call", "workflow_run")
)


def runs_for_changes(text: str) -> bool:
    """It may hold back a change: it is no workflow that only a clock or a person starts."""
    events = events_of(text)
    return not events or not events.isdisjoint(_OF_CHANGES)


def find_checks(path: str, text: str) -> list[Command]:
    """The commands and actions of a pipeline that check something."""
    if "Jenkinsfile" in path:
        rows = enumerate((_SLASHES.sub("", row) for row in text.split("\n")), 1)
        return [found for at, row in rows for found in _in_row(_QUOTED.sub(r" \1 ", row), at)]
    return find_node_checks(read_tree(text))


def find_node_checks(node: Any) -> list[Command]:
    """Those of a part of a pipeline in YAML, such as one job; None has none."""
    found: list[Command] = []
    _walk(node, False, found, 0, {})
    return found


_Matrix = Mapping[str, Sequence[str]]  # the values of each name


def _walk(node: Any, runs: bool, found: list[Command], depth: int, matrix: _Matrix) -> None:
    if node is None or depth > 50:
        return
    if node.id == "mapping":
        matrix = _matrix(node) or matrix
        for key, value in node.value:
            named = key.id == "scalar" and key.value.lower() in _RUNS
            _walk(value, named or (runs and value.id != "scalar"), found, depth + 1, matrix)
    elif node.id == "sequence":
        for item in node.value:
            _walk(item, runs, found, depth + 1, matrix)
    elif runs:
        first = node.start_mark.line + 1 + (node.style in ("|", ">"))
        for at, row in enumerate(node.value.split("\n")):
            found += _in_row(row, first + at) or [
                command for each in _filled_in(row, matrix) for command in _in_row(each, first + at)
            ]


# https://docs.github.com/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations
_OF_MATRIX = lazy_pattern(r"\$\{\{\s*matrix\.(?P<name>[\w.-]+)\s*\}\}")


def _matrix(job: Any) -> _Matrix:
    """The values of a job's matrix by their names; of `include` those that are texts."""
    found = defaultdict[str, list[str]](list)
    for key, value in _entries(_below(job, "strategy", "matrix")):
        for item in value.value if value.id == "sequence" else ():
            around = "" if key.value == "include" else f"{key.value}."
            for name, one in _entries(item):
                found[f"{around}{name.value}"] += [one.value] if one.id == "scalar" else []
            found[key.value] += [item.value] if item.id == "scalar" else []
    return found


def _below(node: Any, *names: str) -> Any:
    for name in names:
        node = next((value for key, value in _entries(node) if key.value == name), None)
    return node


def _entries(node: Any) -> Sequence[tuple[Any, Any]]:
    return node.value if node is not None and node.id == "mapping" else ()


def _filled_in(row: str, matrix: _Matrix) -> Iterator[str]:
    """The commands that a row stands for, whose program or task the matrix names."""
    found = _OF_MATRIX.search(row)
    for value in matrix.get(found["name"], ()) if found else ():
        if found and "\n" not in value:
            yield f"{row[: found.start()]}{value}{row[found.end() :]}"


def _in_row(row: str, number: int) -> list[Command]:
    """The check that a line runs, if it does."""
    bare = _EXPRESSION.sub("${{ }}", COMMENT.sub("", row)).strip()
    if not bare or bare.startswith("--") or installs(bare) or _SAYS_ITSELF.search(bare):
        return []
    # A tool may name another in its options: the first one runs
    found = [
        (match.start(), kind)
        for kind, pattern in KINDS.items()
        if runs_check(bare, pattern) and (match := re.search(pattern, bare))
    ]
    return [Command(min(found)[1], _without_version(bare), number)] if found else []


def tool_of(command: Command) -> tuple[str, str]:
    """Which program checks, whatever its options: the first and the last word of what names it."""
    found = re.search(KINDS[command.kind], command.text)
    words = found[0].split() if found else [command.text]
    return words[0], words[-1]


def runs_check(text: str, pattern: str) -> bool:
    """One of the commands of the line is the check, and does not only speak of it."""
    parts = re.split(r"&&|\|\||[;|]", text)
    bare = (_BEGINS.sub("", part) for part in parts)
    return any(
        re.search(pattern, part) and not (_SPEAKS.match(part) or installs(part)) for part in bare
    )


def installs(text: str) -> bool:
    return (
        re.match(
            r"(?:sudo |python\S*(?: -\w+)+ |uv )*"
            r"(?:rustup (?:component|toolchain|target)|pip\S*|npm"
            r"|yarn|pnpm|apt\S*|brew|go|gem|cargo"
            r"|choco|composer|pipx|uv tool|uv) (?:install|add|i|ci|get|sync|require)\b"
            r"|actions/(?:checkout|cache|upload-artifact|download-artifact|setup-)",
            text,
        )
        is not None
    )


def without_expressions(text: str) -> str:
    """A command without what the service fills in: `matrix.test-mode` runs no test."""
    return _EXPRESSION.sub("${{ }}", text)


def _without_version(text: str) -> str:
    """An action is the same one in another version."""
    return re.sub(r"^([\w.-]+/[\w./-]+)@\S+", r"\1", text)
