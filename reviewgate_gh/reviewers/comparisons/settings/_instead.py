"""What may do the work of a check that a pipeline no longer runs itself: the project's own scripts,
pipelines of other repositories, services."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import takewhile

from ....text.patterns import lazy_pattern
from .._pipelines import (
    COMMENT,
    KINDS,
    PIPELINES,
    Command,
    bare_text,
    installs,
    runs_check,
    tool_of,
)
from .._sources import ComparedFile, ComparisonInput, Line, has_word

SPEAKS_ONLY = lazy_pattern(r"^\s*(?:-\s+)?(?:name|if|id|needs|echo)\b|\becho\b|\binstall\b")
_CHECKS_NOTHING = r"(?!\S*(?:deploy|release|publish|label|stale))"  # a workflow by its name
_OWN = lazy_pattern(
    r"\b(?:make|just|rake|invoke|nox|tox|hatch|composer|mage|task|earthly)\s+[\w$+-]"
    r"|\b(?:make|just|rake|nox|tox|mage)[\"']?\s*$"  # what it does when nothing is asked for
    r"|\b(?:npm|pnpm|yarn|bun) (?:run|test|t)\b|\bpre-commit\b"
    r"|(?:^|[\s\"'])\.?/?(?:bin|scripts?|ci|tools|dev|\.ci)/[\w.-]+"
    rf"|\buses:.*/workflows/{_CHECKS_NOTHING}"
)
# What each service takes from elsewhere:
# https://docs.github.com/actions/how-tos/reuse-automations/reuse-workflows,
# https://docs.gitlab.com/ci/yaml/includes/, https://circleci.com/docs/orb-intro/,
# https://www.jenkins.io/doc/book/pipeline/shared-libraries/
_CALLS = {
    r"^\.(?:github|gitea|forgejo)/": lazy_pattern(
        r"(?i)\s*uses:\s*[\"']?\w\S*/\.(?:github|gitea|forgejo)/workflows/" + _CHECKS_NOTHING
    ),
    r"\.gitlab": lazy_pattern(r"\s*(?:-\s+)?(?:project|remote|component|template):\s*\S"),
    r"^\.circleci/": lazy_pattern(r"\s*-\s+[\w-]+/[\w-]+:?\s*$"),
    r"azure-pipelines": lazy_pattern(r"\s*(?:-\s*)?template:\s*\S+@"),
    r"Jenkinsfile": lazy_pattern(r"\s*@Library\("),
}
_SCRIPTS = (
    "package.json", "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "tox.ini",
    "noxfile.py", "composer.json", "Taskfile.yml", "Rakefile", "tasks.py", "pyproject.toml",
    "magefile.go", "Earthfile",
)  # fmt: skip
NAMED = lazy_pattern(
    r"(?:^|[\s\"'])(?:\./)?(?P<path>[\w.-]+(?:/[\w.-]+)+|\.?[\w-]+"
    r"\.(?:sh|bash|py|rb|mjs|js|ps1|bat|cmd))"
)


def stands_instead(file: ComparedFile, command: Command) -> Iterator[str]:
    """The lines in the place of the command, or of a part of it, without comments."""
    numbers = _folded_rows(file, command)
    block = next(
        (each for each in file.blocks if any(r.number in numbers for r in each.removed)), None
    )
    return _without_comments(file, block.added if block else ())


def _folded_rows(file: ComparedFile, command: Command) -> range:
    """The lines of a command that is folded over several."""
    rows = file.base_rows[command.line :]
    more = takewhile(lambda row: row.strip() and row.strip() in command.text, rows)
    return range(command.line, command.line + 1 + len([*more]))


def _without_comments(file: ComparedFile, lines: Iterable[Line]) -> Iterator[str]:
    comment = _SLASHES if "Jenkinsfile" in file.path else COMMENT
    return (comment.sub("", line.text) for line in lines)


_SLASHES = lazy_pattern(r"^\s*//.*$")


def runs_own(file: ComparedFile, command: Command) -> bool:
    """In its place the project's own script or another workflow is run, which may do it."""
    return any(
        _OWN.search(text) and not SPEAKS_ONLY.search(text) for text in stands_instead(file, command)
    )


def runs_unknown(file: ComparedFile, command: Command) -> bool:
    """In its place something runs of which nobody can say here what it does."""
    rows = (_KEYS.sub("", text).strip() for text in stands_instead(file, command))
    return any(
        _COMMAND.match(row) and not (installs(row) or _DOES_OTHER.search(row)) for row in rows
    )


_KEYS = lazy_pattern(r"^\s*(?:-\s+)?(?:(?:run|script|bash|pwsh|command|uses)\s*:)?\s*(?:-\s+)?")
_COMMAND = lazy_pattern(r"(?:[A-Z_]+=\S+\s+)*[\w./-]+\s+[\w.$./-]")
_DOES_OTHER = lazy_pattern(
    r"\b(?:build|compile|install|deploy|publish|pack|package|upload|download|echo|exit|true|cd|cp"
    r"|mkdir|export|set|sudo|checkout|cache|setup|docs?|release|push|format|fix|write)\b|\s-[ce]\s"
)


def calls_others(file: ComparedFile) -> bool:
    """The pipeline begins to run what another repository has, which nobody can read here."""
    calls = next((each for path, each in _CALLS.items() if re.search(path, file.path)), None)
    return calls is not None and any(calls.match(COMMENT.sub("", line.text)) for line in file.added)


def _files_in(texts: Iterable[str]) -> set[str]:
    """The files that commands name, but for what lies outside of the project."""
    found = (each["path"] for text in texts for each in NAMED.finditer(text))
    return {path for path in found if ".." not in path.split("/")}


def runs_in_script(sources: ComparisonInput, file: ComparedFile, command: Command) -> bool:
    """A script that the pipeline begins to call runs the same tool at head; or the change gives
    scripts another one of its kind."""
    added = _without_comments(file, file.added)
    texts = [text for text in added if not SPEAKS_ONLY.search(text)]
    if not any(map(_OWN.search, texts)):
        return False
    named = _files_in(texts)
    tool = _program(command)
    # One that lies in a folder is not called by any other name
    pattern = re.compile("" if "/" in tool_of(command)[0] else KINDS[command.kind])
    written = sources.read_head([*_SCRIPTS, *named]).values()
    if any(command.text in text for text in written):
        return True
    rows = [row for text in written for row in text.split("\n")]
    if any(_needs(row, texts, tool_of(command)) for row in rows):
        return True
    # What that script reads its steps from: https://github.com/rails/rails (`config/ci.rb`)
    others = [each for each in sources.files if each.is_product and not PIPELINES.search(each.path)]
    rows += [line.text for each in others for line in each.added]
    named_so = any(has_word(row, tool) and pattern.search(row) for row in rows)
    return named_so or _begins_to_run(others, command.kind)


def _begins_to_run(files: Iterable[ComparedFile], kind: str) -> bool:
    """A script of the change runs a check of the kind in a new line."""
    scripts = (each for each in files if each.name.endswith(_SHELLS) or "." not in each.name)
    rows = (line.text for each in scripts for line in each.added)
    return any(runs_check(COMMENT.sub("", row), KINDS[kind]) for row in rows)


def _needs(row: str, texts: Iterable[str], tool: tuple[str, str]) -> bool:
    """A target that make is told to make needs the one that it made."""
    found = _TARGET.match(row) if tool[0] == "make" else None
    return (
        found is not None
        and any(has_word(text, "make") and has_word(text, found["name"]) for text in texts)
        and has_word(found["needs"], tool[1])
    )


_TARGET = lazy_pattern(r"(?P<name>[\w.-]+)\s*:(?!=)(?P<needs>[^#]*)")
_SHELLS = (".sh", ".bash", ".ps1", ".bat", ".cmd")


def _program(command: Command) -> str:
    """Which program checks, wherever it lies."""
    return tool_of(command)[0].rpartition("/")[2]


def runs_in_called_script(
    sources: ComparisonInput, command: Command, pipelines: Iterable[str]
) -> bool:
    """A script of the project's own that a pipeline calls at head runs the same tool."""
    texts = (bare_text(text).replace("\\", "/") for text in pipelines)
    scripts = sorted(path for path in _files_in(texts) if path.endswith(_RUN_OTHERS))[
        :_MOST_SCRIPTS
    ]
    tool, pattern = _program(command), KINDS[command.kind]
    called = [bare_text(text) for text in sources.read_head(scripts).values()]
    return any(command.text in text for text in called) or any(
        has_word(row, tool) and runs_check(row, pattern)
        for text in called
        for row in text.split("\n")
    )


# Scripts, and what `docker compose` starts
_RUN_OTHERS = (*_SHELLS, ".py", ".rb", ".yml", ".yaml")
_MOST_SCRIPTS = 20


def runs_in_other_entry(
    sources: ComparisonInput, command: Command, left: Iterable[Command]
) -> bool:
    """It called a script of package.json, whose program another script that a pipeline calls runs
    from this change on."""
    called = name_entry(command)
    names = {name for each in left if (name := name_entry(each))}
    for file in sources.files if called else ():
        if file.name == "package.json":
            was = [*entries_of(file.base_rows, {called})]
            now = [*entries_of((line.text for line in file.added), names)]
            if any(has_word(runs, text.split(" ")[0]) for text in was for runs in now):
                return True
    return False


def name_entry(command: Command) -> str:
    found = _CALLS_ENTRY.search(command.text)
    return found["name"] if found else ""


def entries_of(rows: Iterable[str], names: Collection[str]) -> Iterator[str]:
    """What the scripts of these names run."""
    found = filter(None, map(_ENTRY.match, rows))
    return (each["runs"] for each in found if each["name"] in names)


_CALLS_ENTRY = lazy_pattern(r"\b(?:npm|pnpm|yarn|bun)(?: run)? (?:-\S+ )*(?P<name>[\w:.-]+)")
_ENTRY = lazy_pattern(r"\s*\"(?P<name>[\w:.-]+)\"\s*:\s*\"(?P<runs>\w[^\"]*)")


def runs_in_tox(sources: ComparisonInput, command: Command, left: Iterable[Command]) -> bool:
    """A pipeline still runs tox or nox, whose file has a command of the same tool; of one that ran
    so itself, in an environment that a pipeline names.
    https://tox.wiki/en/latest/config.html"""
    calls = [each.text for each in left if _TOX.search(each.text)]
    runners = {_TOX.findall(text)[0] for text in calls}
    texts = sources.read_head([path for name in runners for path in _OF_TOX[name]]).values()
    rows: Iterator[str] = (row for text in texts for row in text.split("\n"))
    tool, last = tool_of(command)
    if _TOX.search(tool):
        named = {
            name
            for text in calls
            for each in _ENVIRONMENTS.findall(text)
            for name in each.split(",")
        }
        tool, rows = last, _rows_of(rows, named)
    pattern = re.compile(KINDS[command.kind])
    return any(has_word(row, tool) and pattern.search(row) for row in rows)


def _rows_of(rows: Iterable[str], environments: Collection[str]) -> Iterator[str]:
    """What these environments of tox, or sessions of nox, run."""
    inside = False
    for row in rows:
        if found := _ENVIRONMENT.match(row):
            inside = found["name"] in environments
        elif inside:
            yield row


_ENVIRONMENTS = lazy_pattern(r"\s-[es][\s=]*([\w,.-]+)")
_ENVIRONMENT = lazy_pattern(r"(?:\[(?:[\w.]*env[:.])?|def )(?P<name>[\w.-]+)")
_TOX = lazy_pattern(r"\b(?:tox|nox)\b")
_OF_TOX = {"tox": ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg"), "nox": ("noxfile.py",)}


def is_in_build(sources: ComparisonInput, command: Command, left: Iterable[Command]) -> bool:
    """The same build tool still runs all of its checks. A plug-in of Gradle adds its own to these,
    one of Maven where the build binds its goal: https://docs.gradle.org/current/userguide/base_plugin.html,
    https://maven.apache.org/guides/introduction/introduction-to-the-lifecycle.html"""
    if goal := _GOAL.search(command.text):
        pom = sources.read_head(["pom.xml"]).get("pom.xml", "")
        if not re.search(rf"<goal>\s*{re.escape(goal['goal'])}\s*</goal>", pom):
            return False
    return any(
        tool.search(command.text)
        and any(tool.search(each.text) and whole.search(each.text) for each in left)
        for tool, whole in _BUILDS
    )


_GOAL = lazy_pattern(r"\bmvnw?\b.*\s[\w.-]+:(?P<goal>[\w-]+)")


_BUILDS = (
    (lazy_pattern(r"\bgradlew?\b"), lazy_pattern(r"\s(?:check|build)\b")),
    (lazy_pattern(r"\bmvnw?\b"), lazy_pattern(r"\s(?:verify|install|deploy)\b")),
)


def runs_as_service(sources: ComparisonInput, command: Command) -> bool:
    """A service runs the hooks of every pull request: https://pre-commit.ci/#configuration"""
    if "pre-commit" not in command.text and "prek" not in command.text:
        return False
    text = sources.read_head([HOOKS]).get(HOOKS, "")
    return any(row.startswith("ci:") for row in text.split("\n"))


HOOKS = ".pre-commit-config.yaml"


def is_called_otherwise(
    sources: ComparisonInput, pipelines: Iterable[ComparedFile], command: Command
) -> bool:
    """The change moves the script that it runs, and a pipeline calls it where it is now."""
    moved = [
        file.path
        for file in sources.files
        if file.diff.old_path != file.path and file.diff.old_path in command.text
    ]
    texts = [text for file in pipelines for text in _without_comments(file, file.added)]
    return any(path in text for path in moved for text in texts)


def reads_no_other(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The whole pipeline goes, and the project has one of a service that is not read here."""
    return file.is_gone and any(map(_UNREAD.search, sources.list_head()))


_UNREAD = lazy_pattern(
    r"^(?:circle\.yml|wercker\.yml|shippable\.yml|\.?cloudbuild\.ya?ml|buildspec\.ya?ml"
    r"|\.?zuul\.ya?ml"
    r"|codeship-\w+\.yml|\.ci\.yaml|(?:zuul\.d|\.zuul\.d|\.teamcity|\.semaphore|\.prow|\.builds?"
    r"|\.tekton)/)"
)


def runs_default_goal(sources: ComparisonInput, command: Command, pipelines: Iterable[str]) -> bool:
    """Maven without a goal runs what the project says.
    https://maven.apache.org/pom.html#basebuild_element_set"""
    if not re.search(r"\bmvnw?\b", command.text):
        return False
    pom = sources.read_head(["pom.xml"]).get("pom.xml", "")
    return "<defaultGoal>" in pom and any(map(_WITHOUT_GOAL.search, pipelines))


_WITHOUT_GOAL = lazy_pattern(r"(?m)(?:^|[\s/])mvnw?(?:[ \t]+-\S+)*[ \t]*$")


def is_named_anew(pipelines: Iterable[ComparedFile], command: Command) -> bool:
    """A pipeline begins to give the tool to something, such as a script of the project's own."""
    tool, last = tool_of(command)
    added = (text for file in pipelines for text in _without_comments(file, file.added))
    return tool == last and any(
        has_word(text, tool) for text in added if not SPEAKS_ONLY.search(text)
    )


def is_done_within(command: Command, pipelines: Iterable[str]) -> bool:
    """An action that a pipeline uses does it as a part of its work."""
    within = next((each for tool, each in _WITHIN.items() if has_word(command.text, tool)), None)
    return within is not None and any(map(within.search, pipelines))


# https://github.com/pypa/gh-action-pypi-publish#disabling-metadata-verification
_WITHIN = {
    "twine check": lazy_pattern(
        r"\bpypa/gh-action-pypi-publish@|\bhynek/build-and-inspect-python-package@"
    )
}


def others_check_more(sources: ComparisonInput) -> bool:
    """The change tells another checker to do more, which may be what this one did."""
    return any(file.added and _OF_CHECKERS.search(file.path) for file in sources.files)


_OF_CHECKERS = lazy_pattern(
    r"(?:^|/)(?:\.pre-commit-config\.ya?ml|\.clang-tidy|\.golangci\.\w+|\.?ruff\.toml|\.flake8"
    r"|\.?pylintrc|\.eslintrc[\w.]*|eslint\.config\.\w+|biome\.jsonc?|\.?oxlintrc\.json"
    r"|\.rubocop\.yml|\.?lefthook\.yml|\.trunk/trunk\.yaml)$"
)


def read_local_actions(sources: ComparisonInput, pipelines: Iterable[str]) -> Mapping[str, str]:
    """The actions of the project's own that pipelines use.
    https://docs.github.com/actions/tutorials/create-actions/create-a-composite-action"""
    used = {found.rstrip("/") for text in pipelines for found in _LOCAL.findall(bare_text(text))}
    names = [f"{path}/action.{ending}" for path in sorted(used)[:20] for ending in ("yml", "yaml")]
    return sources.read_head(names)


_LOCAL = lazy_pattern(r"\buses:\s*[\"']?\./([\w./-]+)")
