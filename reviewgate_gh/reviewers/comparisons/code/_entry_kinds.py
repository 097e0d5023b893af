"""Names that one file defines and others use by a text: targets of builds, jobs and inputs of
pipelines, services, settings, options. How each is defined, and how its uses look."""

import re
from collections.abc import Callable
from typing import NamedTuple

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile

ANY = lazy_pattern(r"")
_YAML = lazy_pattern(r"\.ya?ml$")
_WORKFLOW = lazy_pattern(r"(?:^|/)\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$")
_MAKE = lazy_pattern(r"(?:^|/)(?:GNU)?[Mm]akefile$|\.mk$")
RUNS = lazy_pattern(
    r"\.(?:ya?ml|sh|bash|mk|json|toml|rb|py|js|ts|md|service)$|(?:^|/)(?:GNU)?[Mm]akefile$"
    r"|(?:^|/)(?:Dockerfile|Jenkinsfile|Procfile|justfile)[\w.-]*$|(?:^|/)(?:bin|scripts?)/"
)
COMPOSE = lazy_pattern(r"(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$")
_DOCKER = lazy_pattern(r"(?i)(?:^|/)(?:[\w.-]*\.)?(?:docker|container)file[\w.-]*$")


class EntryKind(NamedTuple):
    """`row` finds the name in a line of its file, or `under` the keys above a key of YAML or JSON;
    `spelt` makes the text of which uses are patterns. Where uses lie: `used_in`; in the same file
    alone, in its folder, or in the whole tree: `scope`."""

    what: str
    paths: re.Pattern[str]
    used_in: re.Pattern[str]
    uses: Callable[[str, ComparedFile], str]
    row: re.Pattern[str] | None = None
    under: re.Pattern[str] | None = None
    scope: str = "tree"
    spelt: Callable[[str, ComparedFile], str] = lambda name, file: name.rpartition(".")[2]
    # What keeps the name alive, wherever it stands
    alive: Callable[[str], str] = lambda name: r"(?!)"
    # How another file gives the name a value
    given: Callable[[str], str] = lambda name: r"(?!)"
    # Of a use in another file: what that file has to say
    needs: Callable[[ComparedFile], str] = lambda file: ""
    shortest: int = 3
    near: bool = False  # that has to stand in the block of the use
    # What the head of the file has to say for the name to live on without being spelt there
    makes: Callable[[str, str], bool] = lambda name, head: False
    own: re.Pattern[str] | None = None  # files that only see what they define themselves
    few: bool = False  # files may use it: they are read, and the tree is not searched
    within: re.Pattern[str] | None = None  # what the defining file has to say
    nearest: bool = False  # a use means the file of the name that lies nearest above it


def whole_path(name: str, file: ComparedFile) -> str:
    return name


def _item(keys: str, name: str) -> str:
    """The name as the value of a key, or of its entries in one line."""
    return rf"^\s*(?:-\s*)?(?:{keys}):\s*[\[\"']?(?:[^#]*[\s,\"'\[])?{re.escape(name)}(?![\w.-])"


# https://www.gnu.org/software/make/manual/html_node/Pattern-Rules.html
_TARGETS = lazy_pattern(r"(?m)^(?![#\t ])(?=[^:=\n]*[%$])([^:=\n]+):(?!=)")


# Other files, by a name that is only known when it runs
_TAKES_IN = lazy_pattern(r"(?m)^-?s?include\s[^#\n]*\$")


def _is_made(name: str, targets: str, head: str) -> bool:
    """A rule of make has it among its targets, by a pattern, a variable or a function."""
    if re.search(r"\$[({]\w+\s", targets):
        return True
    if re.search(r"\$[({]", targets) and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", head):
        return True
    patterns = (re.escape(each).replace("%", ".+") for each in targets.split() if "%" in each)
    return any(re.fullmatch(each, name) for each in patterns)


def _runs_alone(name: str, base: str) -> str:
    """Without `run` these look for a program as well, which the script may only have started.
    https://pnpm.io/pnpm-cli"""
    starts = re.search(rf"\"{re.escape(name)}\"\s*:\s*\"{re.escape(name)}(?![\w-])", base)
    return "" if starts else r"|yarn(?:\s+run)?|pnpm"


# https://docs.docker.com/reference/compose-file/services/#aliases
_ALIASES = lazy_pattern(r"\baliases:[ \t]*\n((?:[ \t]*-[ \t].*\n?)+)")
PIPELINES = (
    EntryKind(
        "the target",
        _MAKE,
        RUNS,
        lambda n, f: (
            rf"\bmake\s+(?:(?!-C)-\S+\s+|[A-Z]\w*=\S+\s+"
            rf"|[a-z][\w-]*\s+){{0,4}}{re.escape(n)}(?![\w./=-])"
        ),
        row=lazy_pattern(r"^(?P<n>[A-Za-z][\w-]*)\s*:(?![=:])"),
        alive=lambda n: rf"^[^#=\t]*(?<![\w-]){re.escape(n)}(?![\w-])[^=]*:(?!=)",
        makes=lambda n, head: (
            _TAKES_IN.search(head) is not None
            or any(_is_made(n, each[1], head) for each in _TARGETS.finditer(head))
        ),
    ),
    EntryKind(
        "the recipe",
        lazy_pattern(r"(?i)(?:^|/)\.?justfile$|\.just$"),
        RUNS,
        lambda n, f: rf"\bjust\s+(?:-\S+\s+)*{re.escape(n)}(?![\w./=-])",
        row=lazy_pattern(r"^@?(?P<n>[A-Za-z][\w-]*)(?:\s+[^:=]*)?:(?!=)"),
        alive=lambda n: rf"^alias\s+{re.escape(n)}\b",
    ),
    EntryKind(
        "the script",
        lazy_pattern(r"(?:^|/)package\.json$"),
        RUNS,
        lambda n, f: (
            rf"\b(?:(?:npm|pnpm|bun)\s+run(?:-script)?{_runs_alone(n, f.base)}|run-[sp])\s+"
            rf"(?:-\S+\s+)*[\"']?{re.escape(n)}(?![\w:./@-])"
        ),
        under=lazy_pattern(r"^scripts$"),
        alive=lambda n: rf"\"{re.escape(n)}\"\s*:|\bbin\b",
        spelt=lambda name, file: name.partition(".")[2],
        nearest=True,
    ),
    EntryKind(
        "the job",
        _WORKFLOW,
        _WORKFLOW,
        lambda n, f: rf"{_item('needs', n)}|\bneeds\.{re.escape(n)}\.",
        under=lazy_pattern(r"^jobs$"),
        scope="file",
    ),
    EntryKind(
        "the output",
        _WORKFLOW,
        _WORKFLOW,
        lambda n, f: rf"\bneeds\.{re.escape(n)}(?![\w-])",
        under=lazy_pattern(r"^jobs\.[\w-]+\.outputs$"),
        scope="file",
        spelt=lambda name, file: name.removeprefix("jobs."),
    ),
    EntryKind(
        "the step",
        _WORKFLOW,
        _WORKFLOW,
        lambda n, f: rf"\bsteps\.{re.escape(n)}\.",
        row=lazy_pattern(r"^\s*(?:-\s+)?id:\s*[\"']?(?P<n>[\w-]+)"),
        scope="file",
        shortest=1,
    ),
    EntryKind(
        "the variable",
        _WORKFLOW,
        _WORKFLOW,
        lambda n, f: rf"\benv\.{re.escape(n)}\b",
        under=lazy_pattern(r"(?:^|\.)env$"),
        scope="file",
        # A step may set it for those below it, whatever the script's language:
        # https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions#setting-an-environment-variable
        alive=lambda n: rf"\b{n}(?:=|<<)|\bexportVariable\(\s*[\"'`]{n}[\"'`]",
    ),
    EntryKind(
        "the input",
        _WORKFLOW,
        _WORKFLOW,
        lambda n, f: rf"\binputs\.{re.escape(n)}(?![\w-])",
        given=lambda n: rf"^\s+{re.escape(n)}:\s",
        under=lazy_pattern(r"^on\.workflow_(?:call|dispatch)\.inputs$"),
        needs=lambda f: rf"uses:.*/{re.escape(f.name)}(?:@\S+)?\s*$",
        near=True,
        alive=lambda n: r"(?!)",
    ),
    EntryKind(
        "the input",
        lazy_pattern(r"(?:^|/)action\.ya?ml$"),
        _YAML,
        lambda n, f: rf"\binputs\.{re.escape(n)}(?![\w-])",
        given=lambda n: rf"^\s+{re.escape(n)}:\s",
        under=lazy_pattern(r"^inputs$"),
        needs=lambda f: rf"uses:\s*[\"']?\./{re.escape(f.folder.rstrip('/'))}[\"']?\s*$",
        near=True,
    ),
    EntryKind(
        "the job",
        lazy_pattern(r"(?:^|/)\.gitlab-ci\.ya?ml$"),
        lazy_pattern(r"\.gitlab-ci\.ya?ml$"),
        lambda n, f: _item("needs|dependencies|extends|job", n),
        under=lazy_pattern(r"^$"),
        scope="file",
    ),
)
DEPLOYED = (
    EntryKind(
        "the service",
        COMPOSE,
        ANY,
        lambda n, f: (
            rf"{_item('depends_on|links', n)}|\bservice:{re.escape(n)}\b"
            rf"|(?://|@){re.escape(n)}(?::\d+|/)"
            rf"|\bcompose\s+(?:-\S+\s+)*(?:up|run|exec|logs|restart"
            rf"|build)\s+(?:-\S+\s+)*{re.escape(n)}(?![\w./=-])"
        ),
        under=lazy_pattern(r"^services$"),
        shortest=2,
        alive=lambda n: (
            rf"(?:hostname|container_name|network_alias|aliases):"
            rf"\s*(?:\[.*)?(?<![\w-]){re.escape(n)}(?![\w-])"
        ),
        makes=lambda n, head: any(
            n in re.findall(r"[\w.-]+", found[1]) for found in _ALIASES.finditer(head)
        ),
    ),
    EntryKind(
        "the volume",
        COMPOSE,
        COMPOSE,
        lambda n, f: rf"^\s*-\s+[\"']?{re.escape(n)}(?::|\s*$)",
        under=lazy_pattern(r"^(?:volumes|networks|secrets|configs)$"),
        scope="file",
    ),
    EntryKind(
        "the stage",
        _DOCKER,
        ANY,
        lambda n, f: (
            rf"--from={re.escape(n)}(?![\w.-])|^(?i:FROM)\s+{re.escape(n)}(?![\w.:/-])"
            rf"|^\s*target:\s*[\"']?{re.escape(n)}(?![\w.-])|--target[ =]{re.escape(n)}(?![\w.-])"
        ),
        row=lazy_pattern(r"(?i)^FROM\s.*\sAS\s+(?P<n>[\w.-]+)"),
        own=_DOCKER,
    ),
    EntryKind(
        "the argument",
        _DOCKER,
        ANY,
        lambda n, f: rf"--build-arg[ =][\"']?{n}\b",
        row=lazy_pattern(r"^ARG\s+(?P<n>\w+)"),
        alive=lambda n: rf"^(?:ARG|ENV)\s+{n}\b",
    ),
    EntryKind(
        "the local value",
        lazy_pattern(r"\.tf$"),
        lazy_pattern(r"\.tf$"),
        lambda n, f: rf"\blocal\.{n}\b",
        row=lazy_pattern(r"^  (?P<n>\w+)\s*=(?!=)"),
        under=lazy_pattern(r"^locals$"),
        scope="folder",
    ),
    EntryKind(
        "the output",
        lazy_pattern(r"/[^/]+\.tf$"),
        lazy_pattern(r"\.tf$"),
        lambda n, f: rf"\bmodule\.\w+(?:\[[^\]]*\])?\.{n}\b",
        row=lazy_pattern(r"^output\s+\"(?P<n>\w+)\""),
        needs=lambda f: (
            rf"source\s*=\s*\"\.[./\w-]*\b{re.escape(f.folder.rstrip('/').rpartition('/')[2])}/?\""
        ),
    ),
    EntryKind(
        "the variable",
        lazy_pattern(r"/[^/]+\.tf$"),
        lazy_pattern(r"\.tf$"),
        lambda n, f: rf"^\s+{n}\s*=(?!=)",
        row=lazy_pattern(r"^variable\s+\"(?P<n>\w+)\""),
        needs=lambda f: (
            rf"source\s*=\s*\"\.[./\w-]*\b{re.escape(f.folder.rstrip('/').rpartition('/')[2])}/?\""
        ),
        near=True,
    ),
    EntryKind(
        "the value",
        lazy_pattern(r"(?:^|/)values\.ya?ml$"),
        lazy_pattern(r"/templates/"),
        lambda n, f: rf"\.Values\.{re.escape(n)}(?![\w-])(?!.*\bdefault\b)",
        under=ANY,
        scope="below",
        spelt=whole_path,
        alive=lambda n: rf"\b(?:if|with|hasKey)\b.*\.Values\.{re.escape(n)}\b",
    ),
    EntryKind(
        "the variable",
        lazy_pattern(r"(?:^|/)(?:defaults|vars|group_vars|host_vars)/.*\.ya?ml$"),
        lazy_pattern(r"\.(?:ya?ml|j2)$"),
        lambda n, f: (
            rf"(?:\{{\{{|\{{%|\bwhen:|\bthat:)[^|#]*(?<![\w.]){n}\b"
            r"(?!.*(?:\bdefault\(|is (?:not )?defined))"
        ),
        under=lazy_pattern(r"^$"),
        shortest=6,
        alive=lambda n: (
            rf"^\s*(?:-\s+)?[\"']?{n}[\"']?\s*[:=]|\bregister:\s*{n}\b"
            rf"|\b{n}\s+is\s+(?:not\s+)?defined"
        ),
    ),
    EntryKind(
        "the handler",
        lazy_pattern(r"/handlers/[^/]+\.ya?ml$"),
        _YAML,
        lambda n, f: rf"\bnotify:\s*[\"']?{re.escape(n)}[\"']?\s*$",
        row=lazy_pattern(r"^\s*-\s+name:\s*[\"']?(?P<n>[^\"'#]+?)[\"']?\s*$"),
        scope="role",
        alive=lambda n: rf"\blisten:\s*[\"']?{re.escape(n)}\b",
    ),
)
