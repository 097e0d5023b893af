"""The pipelines of the usual services, and which of their commands check something."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...text.patterns import lazy_pattern
from ..checks._workflows import events_of, read_tree
from ._check_names import CHECKS, LINT, SECURITY, TESTS, TYPES, named_as, says_check

PIPELINES = lazy_pattern(
    r"(?:^|/)Jenkinsfile[\w.-]*$|^\.github/workflows/[^/]+\.ya?ml$|(?:^"
    r"|/)\.gitlab-ci[\w.-]*\.ya?ml$|(?:^"
    r"|/)\.gitlab/ci/[^/]+\.ya?ml$|^\.circleci/\w+\.ya?ml$"
    r"|(?:^|/)\.?azure-pipelines[\w./-]*\.ya?ml$|(?:^|/)\.travis\.ya?ml$|^\.buildkite/[^/]+\.ya?ml$"
    r"|(?:^|/)bitbucket-pipelines\.ya?ml$|^\.drone\.ya?ml$|^\.woodpecker[\w./-]*\.ya?ml$"
    r"|^\.?appveyor\.yml$|^\.cirrus\.yml$"
)
_TOOLS = {
    "tests": r"\b(?:py\.?test|(?:tox4?|nox)(?![^|&;]*\s-[es]\s*\S*(?:typ(?:ing|es?)|mypy"
             r"|pyright)\b)|unittest|jest|vitest|mocha|karma|cypress|playwright test"
             r"|rspec|minitest|manage\.py test|phpunit|bin/pest|artisan test|ctest|gotestsum"
             r"|nextest|bats|surefire(?!-report)|testthat)\b"
    r"|\b(?:npm|yarn|pnpm|bun)(?: run)?(?: -\S+)* (?:t(?![:\w-])|test[:\w-]*)\b"
    r"|\b(?:go|cargo|dotnet"
    r"|mix|swift|flutter|dart|deno|bazel|sbt|lein|zig build|meson|rake|rails|hatch|pdm run|make"
    r"|just|gradlew?|ant|composer|stack|cabal|bundle exec rake)\b[^|&;]*(?<!no-)"
    r"(?<!\s-)(?<!\s--)(?<!-x\s)\b(?:(?:re)?tests?|check|verify|spec)\b"
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
            r"|phpmd|pmd|isort|pydocstyle|vulture|deptry|machete|udeps|erb_?lint|haml-lint"
            r"|scalafmt\S*"
            r"|scalafix\S*"
            r"|hlint|swiftformat|dprint|taplo"
            r"|prek(?:-action)?|super-linter|prettier|black|rustfmt|gofmt|cargo fmt|spotbugs)\b"
            r"|\b(?:npm|yarn|pnpm|bun|make|just|composer|tox -e)(?: run)? (?:[\w-]+:)?lint\b"
            # https://developer.hashicorp.com/terraform/cli/commands/validate
            r"|\bterraform\b[^|&;]*\s(?:validate|fmt)\b|\b(?:tflint|kubeconform|kubeval|kube-linter"
            r"|ansible-lint|cfn-lint|markdownlint\S*|typos|codespell)\b"
            r"|\b(?:mix(?: do\b[^|&;]*,)?|dotnet|swift|terragrunt|buf|nix|deno|dart)"
            r" (?:format|fmt)\b"
            # What is generated, or written elsewhere, fits what it comes from
            r"|\balembic check\b|\bmakemigrations\b[^|&;]*--check|\bgo mod (?:verify|tidy -diff)\b"
            r"|\bprisma (?:validate|migrate diff)\b|\btwine check\b|\bcheck-manifest\b"
            r"|\bgo vet\b|\b(?:dart|flutter) analyze\b"
            r"|\b(?:helm|ct|ah|buf|api-linter|sqlfluff|spectral|protolint|vale) lint\b",
    "types": r"\b(?:tox4?|nox)\b[^|&;]*\s-[es]\s*\S*(?:typ(?:ing|es?)|mypy|pyright)\b"
             r"|\b(?:mypy|pyright|basedpyright|pytype|pyre|tsc|vue-tsc|phpstan|psalm|sorbet|srb"
             r"|steep|dialyzer|type-?check)\b",
    "security": r"\b(?:bandit|semgrep|codeql-action/analyze|codeql(?!-action)"
                r"|trivy(?!-(?!action)\w)"
                r"|grype|snyk|gitleaks"
                r"|trufflehog|anchore/scan-action"
                r"|pip-audit|npm audit(?!\s+fix)|cargo[- ]audit|cargo[- ]deny|govulncheck"
                r"|brakeman|bundler?-audit|sobelow|(?:deps|hex)\.audit|composer audit|cargo vet"
                r"|(?:yarn|pnpm)(?: npm)? audit|osv-scanner|dependency-review-action"
                r"|scorecard(?:-action)?|safety check|dependency-check|gosec|ggshield"
                r"|cosign verify|docker scout cves|license_finder"
                r"|sonarcloud\S*|checkov|tfsec|kics)\b"
                # https://docs.gitlab.com/user/application_security/detect/security_configuration/
                r"|^(?:Jobs|Security)/(?:[\w-]*SAST|Secret-Detection|[\w-]+-Scanning|DAST)\b"
                r"|/components/(?:sast|secret-detection|[\w-]+-scanning|dast)/",
    "coverage": r"\b(?:codecov(?:-action)?|coveralls\S*|coverage report|diff-cover"
                r"|sonar(?:qube|cloud|source)[\w/-]*|--cov-fail-under|fail-under"
                r"|nyc check-coverage)\b"
                # A script of the project's own
                r"|(?:^|[\s/])(?:[\w-]*[-_])?coverage(?:[-_][\w-]*)?\.(?:sh|bash|py|rb|[cm]?js"
                r"|ps1)\b",
}  # fmt: skip
_NAMED = {
    "tests": named_as(TESTS), "lint": named_as(LINT), "types": named_as(TYPES),
    "security": named_as(SECURITY), "check": named_as(CHECKS),
}  # fmt: skip
KINDS = {
    kind: "|".join(each[kind] for each in (_TOOLS, _NAMED) if kind in each)
    for kind in (*_TOOLS, "check")
}
_RUNS = (
    "run", "script", "before_script", "after_script", "command", "commands", "bash", "uses",
    "task", "sh", "pwsh", "powershell", "build_script", "test_script", "inlinescript", "entry",
    "args", "template", "component",
)  # fmt: skip
_SPEAKS = lazy_pattern(
    r"\s*(?:sudo )?(?:grep|echo|cat|sed|awk|rm|cp|mv|mkdir|export|jq|ls"
    r"|git(?! diff\b.*\s--exit-code)|find|tee|printf|tar"
    r"|curl|wget|unzip|chmod|ln|touch"
    r"|command -v|which|type|hash|file|uname|df"
    r"|for|case)\b|\s*(?:\[|(?:if|elif|while|until|!)\s)"
)
_QUOTED = lazy_pattern(
    r"\b(?:sh|bat|powershell)\s*\(?(?P<quote>\"{3}|'{3}|[\"'])(?P<runs>.+?)(?:(?P=quote)|$)\)?"
)
_OVER_ROWS = lazy_pattern(r"\$\{\{[^}\n]{0,300}\n[^}]{0,1000}\}\}")
_EXPRESSION = lazy_pattern(r"\$\{\{[^}\n]*\}\}")  # it differs from run to run anyway
# What stands before a command, also one whose failure a condition asks for
_BEGINS = lazy_pattern(
    r"^\s*(?:(?:then|do|else|time|if|elif|while|until|!)\s+(?!\(|(?:!\s+)?git\s))*"
)
# It says something of itself, or prepares what a later call checks:
# https://hexdocs.pm/dialyxir/Mix.Tasks.Dialyzer.html, https://playwright.dev/docs/browsers,
# https://docs.cypress.io/app/references/command-line#cypress-install, https://pre-commit.com/#cli
_PREPARES = lazy_pattern(
    r"\s--(?:version|help|notest|plt|init|download-db-only|clear-?[cC]ache)(?![\w-])"
    r"|\b(?:playwright|cypress|puppeteer|pre-commit)\s+install(?:-\w+)?\b"
)
_STAGE = lazy_pattern(r"\s*stage\s*\(?\s*[\"'](?P<name>[^\"']+)")
_SLASHES = lazy_pattern(r"^\s*//.*$")  # a comment of Groovy
_LONGEST = 1000  # characters of a line
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
        return [found for stage in _stages(text) for found in stage]
    return find_node_checks(read_tree(text))


def _stages(text: str) -> Iterator[list[Command]]:
    """The checks of each stage of a Jenkinsfile."""
    found, name, last = list[Command](), "", None
    for at, whole in enumerate(text.split("\n"), 1):
        row = _SLASHES.sub("", whole[:_LONGEST])
        if stage := _STAGE.match(row):
            yield found or _only_named(name, last)
            found, name, last = [], stage["name"], None
        found += _in_row(_QUOTED.sub(r" \g<runs> ", row), at)
        if (runs := _QUOTED.search(row)) and _may_check(runs["runs"]):
            last = Command("check", runs["runs"].strip(), at)
    yield found or _only_named(name, last)


def _only_named(name: str, last: Command | None) -> list[Command]:
    """The last command of a step or job, where only its name says that it checks."""
    return [last] if last is not None and says_check(name) else []


def is_of_known_tool(text: str) -> bool:
    """The command runs a tool that is known to check, and is not only called so."""
    return any(runs_check(text, pattern) for pattern in _TOOLS.values())


def is_named_alone(command: Command) -> bool:
    """The command itself does not say that it checks: the step or the job around it does."""
    return command.kind == "check" and not runs_check(command.text, KINDS["check"])


def find_node_checks(node: Any, name: str = "") -> list[Command]:
    """Those of a part of a pipeline in YAML, such as one job, which may have a name; None has
    none."""
    return _walk(node, False, 1 if name else 0, {}, name)


_Matrix = Mapping[str, Sequence[str]]  # the values of each name


def _walk(node: Any, runs: bool, depth: int, matrix: _Matrix, name: str = "") -> list[Command]:
    """The checks below a node, of which the key around it says whether it is run."""
    if node is None or depth > 50:
        return []
    if node.id == "sequence":
        return [each for item in node.value for each in _walk(item, runs, depth + 1, matrix)]
    if node.id != "mapping":
        return [*_in_text(node, matrix)] if runs else []
    matrix = _matrix(node) or matrix
    found = list[Command]()
    for key, value in node.value:
        told = key.value if key.id == "scalar" else ""
        named = told.lower() in _RUNS or (runs and value.id != "scalar")
        found += _walk(value, named, depth + 1, matrix, told)
    if not found and depth and not _is_for_failures(node):
        return _only_named(_name_of(node) or name, _last_command(node))
    return found


def _in_text(node: Any, matrix: _Matrix) -> Iterator[Command]:
    """The checks of one text of commands, row by row."""
    first = node.start_mark.line + 1 + (node.style in ("|", ">"))
    text = _OVER_ROWS.sub(lambda found: "${{ }}" + "\n" * found[0].count("\n"), node.value)
    for at, row in _outside_of_documents(text.split("\n"), first):
        # `tox -e ${{ matrix.tool }}` may run several kinds of checks
        filled = (command for each in _filled_in(row, matrix) for command in _in_row(each, at))
        yield from [*filled] or _in_row(row, at)


def _outside_of_documents(rows: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """The rows with their numbers, but for those that a command only writes into a file."""
    end = ""
    for at, row in enumerate(rows, first):
        if end:
            end = "" if row.strip() == end else end
            continue
        yield at, row
        found = _DOCUMENT.search(row[:_LONGEST])
        end = found["end"] if found else ""


# https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html#tag_18_07_04
_DOCUMENT = lazy_pattern(r"\b(?:cat|tee)\b[^|\n]*<<-?\s*[\"']?(?P<end>\w+)[^|\n]*$")
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


# How services call what a step or a job is named with
_NAMES = ("name", "displayName", "label", "job", "stage")


def _name_of(node: Any) -> str:
    """The name that a step or a job has of its own."""
    names = {key.value: value.value for key, value in node.value if value.id == "scalar"}
    return next((names[key] for key in _NAMES if key in names), "")


def _is_for_failures(node: Any) -> bool:
    """It runs after something failed, to tell about it."""
    conditions = (value.value for key, value in node.value if key.value in ("if", "condition"))
    return any(isinstance(each, str) and "fail" in each for each in conditions)


def _last_command(node: Any) -> Command | None:
    """The last command below a part of a pipeline that may check something."""
    last, left = None, [(node, False)]
    while left:
        each, runs = left.pop()
        if each.id == "mapping":
            for key, value in reversed(each.value):
                named = key.id == "scalar" and key.value.lower() in _RUNS
                left.append((value, named or (runs and value.id != "scalar")))
        elif each.id == "sequence":
            left += [(item, runs) for item in reversed(each.value)]
        elif runs:
            first = each.start_mark.line + 1 + (each.style in ("|", ">"))
            for at, row in enumerate(each.value.split("\n")):
                bare = _without_version(COMMENT.sub("", row).strip())
                last = Command("check", bare, first + at) if _may_check(bare) else last
    return last


def _may_check(row: str) -> bool:
    return bool(re.search(r"[a-z]{2}", row)) and not (
        row.startswith("--")
        or _ENDS.match(row)
        or _ASSIGNS.match(row)
        or installs(row)
        or _PREPARES.search(row)
        or _SPEAKS.match(row)
        or _NOT_TOLD.search(row)
    )


# A value for later rows, and no program that is given it: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html#tag_18_09_01
_ASSIGNS = lazy_pattern(r"(?:(?:export|local|readonly)\s+)?\w+=(?:[\"']?\$\(|\S*\s*$)")
_ENDS = lazy_pattern(r"(?:fi|done|esac|else|then|do|exit|return|set)\b")
# It keeps what it finds for later steps, or leaves the tests out
_NOT_TOLD = lazy_pattern(
    r"GITHUB_OUTPUT|GITHUB_ENV|skipTests|maven\.test\.skip|\s-x\s+\S*[tT]est|--(?:skip|no)-tests?\b"
)


def _in_row(row: str, number: int) -> list[Command]:
    """The check that a line runs, if it does."""
    bare = _EXPRESSION.sub("${{ }}", COMMENT.sub("", row[:_LONGEST])).strip()
    if not bare or bare.startswith("--") or installs(bare):
        return []
    # A tool may name another in its options: the first one runs
    found = [
        (kind == "check", match.start(), kind)
        for kind, pattern in KINDS.items()
        if runs_check(bare, pattern) and (match := re.search(pattern, bare))
    ]
    return [Command(min(found)[2], _without_version(bare), number)] if found else []


def tool_of(command: Command) -> tuple[str, str]:
    """Which program checks, whatever its options: the first and the last word of what names it."""
    known = _TOOLS.get(command.kind)
    found = re.search(known, command.text) if known else None
    found = found or re.search(KINDS[command.kind], command.text)
    words = found[0].split() if found else [command.text]
    return words[0], words[-1]


def without_wrapper(program: str) -> str:
    """A build tool by its own name, where the project has a script that fetches and calls it.
    https://maven.apache.org/wrapper/, https://docs.gradle.org/current/userguide/gradle_wrapper.html"""
    return _WRAPPER.sub(r"\1", program)


_WRAPPER = lazy_pattern(r"^(?:\./)?(mvn|gradle)w(?:\.bat|\.cmd)?$")


def runs_check(text: str, pattern: str) -> bool:
    """One of the commands of the line is the check, and does not only speak of it."""
    parts = re.split(r"&&|\|\||[;|]", _SAID.sub("echo", text))
    bare = (_BEGINS.sub("", part) for part in parts)
    return any(
        re.search(pattern, part)
        and not (_SPEAKS.match(part) or installs(part) or _PREPARES.search(part))
        for part in bare
    )


# A text may have the signs between commands in it
_SAID = lazy_pattern(r"\b(?:echo|printf)\s+(?:-\w+\s+)?(?:\"[^\"]*\"|'[^']*')")


def installs(text: str) -> bool:
    return (
        re.match(
            r"(?:sudo |python\S*(?: -\w+)+ |uv )*"
            r"(?:rustup (?:component|toolchain|target)|pip\S*|npm"
            r"|yarn|pnpm|apt\S*|brew|go|gem|cargo"
            r"|choco|composer|pipx|uv tool|uv)(?: -\S+)*"
            r" (?:install|add|i|ci|get|sync|require|new|init)\b"
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
