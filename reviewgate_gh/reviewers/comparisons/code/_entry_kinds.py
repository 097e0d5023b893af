"""Names that one file defines and others use by a text: targets of builds, jobs and inputs of
pipelines, services, settings, options. How each is defined, and how its uses look."""

import re
from collections.abc import Callable
from typing import NamedTuple

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile

_ANY = lazy_pattern(r"")
_YAML = lazy_pattern(r"\.ya?ml$")
_WORKFLOW = lazy_pattern(r"(?:^|/)\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$")
_MAKE = lazy_pattern(r"(?:^|/)(?:GNU)?[Mm]akefile$|\.mk$")
_RUNS = lazy_pattern(
    r"\.(?:ya?ml|sh|bash|mk|json|toml|rb|py|js|ts|md|service)$|(?:^|/)(?:GNU)?[Mm]akefile$"
    r"|(?:^|/)(?:Dockerfile|Jenkinsfile|Procfile|justfile)[\w.-]*$|(?:^|/)(?:bin|scripts?)/"
)
_COMPOSE = lazy_pattern(r"(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$")
_DOCKER = lazy_pattern(r"(?i)(?:^|/)(?:[\w.-]*\.)?(?:docker|container)file[\w.-]*$")
_STYLES = lazy_pattern(r"\.(?:css|scss|sass|less|vue|svelte)$")
_LOCALES = lazy_pattern(r"(?:^|/)(?:locales?|i18n|lang|translations|messages)/.*\.(?:json|ya?ml)$")


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
    certain: bool = True
    spelt: Callable[[str, ComparedFile], str] = lambda name, file: name.rpartition(".")[2]
    # What keeps the name alive, wherever it stands
    alive: Callable[[str], str] = lambda name: r"(?!)"
    # Of a use in another file: what that file has to say
    needs: Callable[[ComparedFile], str] = lambda file: ""
    shortest: int = 3
    few: bool = False  # files may use it: they are read, and the tree is not searched
    within: re.Pattern[str] | None = None  # what the defining file has to say


def _whole(name: str) -> str:
    return rf"(?<![\w.-]){re.escape(name)}(?![\w-])"


def _whole_path(name: str, file: ComparedFile) -> str:
    return name


def _without_language(name: str, file: ComparedFile) -> str:
    """Rails' locales begin with the language: https://guides.rubyonrails.org/i18n.html"""
    return re.sub(r"^[a-z]{2}(?:[-_][A-Za-z]{2,4})?\.", "", name)


def _after_file(name: str, file: ComparedFile) -> str:
    return f"{file.name.partition('.')[0]}.{name}"


def _module(file: ComparedFile) -> str:
    return re.sub(r"^(?:src/|lib/)|(?:/__init__)?\.py$", "", file.path).replace("/", ".")


def _item(keys: str, name: str) -> str:
    """The name as the value of a key, or of its entries in one line."""
    return rf"^\s*(?:-\s*)?(?:{keys}):\s*[\[\"']?(?:[^#]*[\s,\"'\[])?{re.escape(name)}(?![\w.-])"


PIPELINES = (
    EntryKind(
        "the target", _MAKE, _RUNS,
        lambda n, f: rf"\bmake\s+(?:(?!-C)-\S+\s+|[A-Z]\w*=\S+\s+|[a-z][\w-]*\s+){{0,4}}{re.escape(n)}(?![\w./=-])",
        row=lazy_pattern(r"^(?P<n>[A-Za-z][\w-]*)\s*:(?![=:])"),
        alive=lambda n: rf"^[^#=\t]*(?<![\w-]){re.escape(n)}(?![\w-])[^=]*:(?!=)",
    ),
    EntryKind(
        "the variable", _MAKE, _MAKE, lambda n, f: rf"\$[({{]{re.escape(n)}[)}}:]",
        row=lazy_pattern(r"^(?:export\s+|override\s+)?(?P<n>[A-Z]\w{2,})\s*[:?+]?="),
        certain=False,
        alive=lambda n: rf"^\s*(?:export\s+|define\s+)?[^$]*\b{n}\b\s*[:?+]?=|\b{n}=|^define\s+{n}\b",
    ),
    EntryKind(
        "the recipe", lazy_pattern(r"(?i)(?:^|/)\.?justfile$|\.just$"), _RUNS,
        lambda n, f: rf"\bjust\s+(?:-\S+\s+)*{re.escape(n)}(?![\w./=-])",
        row=lazy_pattern(r"^@?(?P<n>[A-Za-z][\w-]*)(?:\s+[^:=]*)?:(?!=)"),
        alive=lambda n: rf"^alias\s+{re.escape(n)}\b",
    ),
    EntryKind(
        "the script", lazy_pattern(r"(?:^|/)package\.json$"), _RUNS,
        lambda n, f: rf"\b(?:(?:npm|pnpm|bun)\s+run(?:-script)?|yarn(?:\s+run)?|pnpm|run-[sp])\s+"
        rf"(?:-\S+\s+)*[\"']?{re.escape(n)}(?![\w:./@-])",
        under=lazy_pattern(r"^scripts$"),
        alive=lambda n: rf"\"{re.escape(n)}\"\s*:|\bbin\b",
        spelt=lambda name, file: name.partition(".")[2],
    ),
    EntryKind(
        "the job", _WORKFLOW, _WORKFLOW,
        lambda n, f: rf"{_item('needs', n)}|\bneeds\.{re.escape(n)}\.",
        under=lazy_pattern(r"^jobs$"), scope="file",
    ),
    EntryKind(
        "the output", _WORKFLOW, _WORKFLOW,
        lambda n, f: rf"\bneeds\.{re.escape(n)}(?![\w-])",
        under=lazy_pattern(r"^jobs\.[\w-]+\.outputs$"), scope="file",
        spelt=lambda name, file: name.removeprefix("jobs."),
    ),
    EntryKind(
        "the step", _WORKFLOW, _WORKFLOW, lambda n, f: rf"\bsteps\.{re.escape(n)}\.",
        row=lazy_pattern(r"^\s*(?:-\s+)?id:\s*[\"']?(?P<n>[\w-]+)"), scope="file", shortest=1,
    ),
    EntryKind(
        "the variable", _WORKFLOW, _WORKFLOW, lambda n, f: rf"\benv\.{re.escape(n)}\b",
        under=lazy_pattern(r"(?:^|\.)env$"), scope="file",
        alive=lambda n: rf"\b{n}=",
    ),
    EntryKind(
        "the input", _WORKFLOW, _WORKFLOW,
        lambda n, f: rf"\binputs\.{re.escape(n)}(?![\w-])|^\s+{re.escape(n)}:\s",
        under=lazy_pattern(r"^on\.workflow_(?:call|dispatch)\.inputs$"),
        needs=lambda f: rf"uses:.*/{re.escape(f.name)}(?:@\S+)?\s*$",
        alive=lambda n: r"(?!)",
    ),
    EntryKind(
        "the input", lazy_pattern(r"(?:^|/)action\.ya?ml$"), _YAML,
        lambda n, f: rf"\binputs\.{re.escape(n)}(?![\w-])|^\s+{re.escape(n)}:\s",
        under=lazy_pattern(r"^inputs$"),
        needs=lambda f: rf"uses:\s*[\"']?\./{re.escape(f.folder.rstrip('/'))}[\"']?\s*$",
    ),
    EntryKind(
        "the job", lazy_pattern(r"(?:^|/)\.gitlab-ci\.ya?ml$"), lazy_pattern(r"\.gitlab-ci\.ya?ml$"),
        lambda n, f: _item("needs|dependencies|extends|job", n),
        under=lazy_pattern(r"^$"), scope="file",
    ),
)  # fmt: skip
DEPLOYED = (
    EntryKind(
        "the service", _COMPOSE, _ANY,
        lambda n, f: rf"{_item('depends_on|links', n)}|\bservice:{re.escape(n)}\b"
        rf"|(?://|@){re.escape(n)}(?::\d+|/)"
        rf"|\bcompose\s+(?:-\S+\s+)*(?:up|run|exec|logs|restart|build)\s+(?:-\S+\s+)*{re.escape(n)}(?![\w./=-])",
        under=lazy_pattern(r"^services$"), shortest=2,
        alive=lambda n: rf"(?:hostname|container_name|network_alias|aliases):\s*[\"']?{re.escape(n)}\b",
    ),
    EntryKind(
        "the volume", _COMPOSE, _COMPOSE, lambda n, f: rf"^\s*-\s+[\"']?{re.escape(n)}(?::|\s*$)",
        under=lazy_pattern(r"^(?:volumes|networks|secrets|configs)$"), scope="file",
    ),
    EntryKind(
        "the stage", _DOCKER, _ANY,
        lambda n, f: rf"--from={re.escape(n)}(?![\w.-])|^(?i:FROM)\s+{re.escape(n)}(?![\w.:/-])"
        rf"|^\s*target:\s*[\"']?{re.escape(n)}(?![\w.-])|--target[ =]{re.escape(n)}(?![\w.-])",
        row=lazy_pattern(r"(?i)^FROM\s.*\sAS\s+(?P<n>[\w.-]+)"),
    ),
    EntryKind(
        "the argument", _DOCKER, _ANY, lambda n, f: rf"--build-arg[ =][\"']?{n}\b",
        row=lazy_pattern(r"^ARG\s+(?P<n>\w+)"),
        alive=lambda n: rf"^(?:ARG|ENV)\s+{n}\b",
    ),
    EntryKind(
        "the local value", lazy_pattern(r"\.tf$"), lazy_pattern(r"\.tf$"),
        lambda n, f: rf"\blocal\.{n}\b", row=lazy_pattern(r"^  (?P<n>\w+)\s*=(?!=)"),
        under=lazy_pattern(r"^locals$"), scope="folder",
    ),
    EntryKind(
        "the output", lazy_pattern(r"/[^/]+\.tf$"), lazy_pattern(r"\.tf$"),
        lambda n, f: rf"\bmodule\.\w+(?:\[[^\]]*\])?\.{n}\b",
        row=lazy_pattern(r"^output\s+\"(?P<n>\w+)\""),
        needs=lambda f: rf"source\s*=\s*\"\.[./\w-]*\b{re.escape(f.folder.rstrip('/').rpartition('/')[2])}/?\"",
    ),
    EntryKind(
        "the variable", lazy_pattern(r"/[^/]+\.tf$"), lazy_pattern(r"\.tf$"),
        lambda n, f: rf"^\s+{n}\s*=(?!=)",
        row=lazy_pattern(r"^variable\s+\"(?P<n>\w+)\""),
        needs=lambda f: rf"source\s*=\s*\"\.[./\w-]*\b{re.escape(f.folder.rstrip('/').rpartition('/')[2])}/?\"",
    ),
    EntryKind(
        "the value", lazy_pattern(r"(?:^|/)values\.ya?ml$"), lazy_pattern(r"/templates/"),
        lambda n, f: rf"\.Values\.{re.escape(n)}(?![\w-])(?!.*\bdefault\b)",
        under=_ANY, scope="below", spelt=_whole_path,
        alive=lambda n: rf"\b(?:if|with|hasKey)\b.*\.Values\.{re.escape(n)}\b",
    ),
    EntryKind(
        "the variable", lazy_pattern(r"(?:^|/)(?:defaults|vars|group_vars|host_vars)/.*\.ya?ml$"),
        lazy_pattern(r"\.(?:ya?ml|j2)$"),
        lambda n, f: rf"(?:\{{\{{|\{{%|\bwhen:|\bthat:)[^|#]*(?<![\w.]){n}\b(?!.*(?:\bdefault\(|is (?:not )?defined))",
        under=lazy_pattern(r"^$"), shortest=6,
        alive=lambda n: rf"^\s*(?:-\s+)?[\"']?{n}[\"']?\s*[:=]|\bregister:\s*{n}\b|\b{n}\s+is\s+(?:not\s+)?defined",
    ),
    EntryKind(
        "the handler", lazy_pattern(r"/handlers/[^/]+\.ya?ml$"), _YAML,
        lambda n, f: rf"\bnotify:\s*[\"']?{re.escape(n)}[\"']?\s*$",
        row=lazy_pattern(r"^\s*-\s+name:\s*[\"']?(?P<n>[^\"'#]+?)[\"']?\s*$"), scope="role",
        alive=lambda n: rf"\blisten:\s*[\"']?{re.escape(n)}\b",
    ),
    EntryKind(
        "the key", _YAML, _YAML, lambda n, f: rf"^\s+(?:-\s+)?key:\s*[\"']?{re.escape(n)}[\"']?\s*$",
        under=lazy_pattern(r"^(?:data|stringData)$"), shortest=5, certain=False,
        alive=lambda n: rf"^\s+[\"']?{re.escape(n)}[\"']?\s*:",
    ),
)  # fmt: skip
SETTINGS = (
    EntryKind(
        "the property", _STYLES, _STYLES,
        lambda n, f: rf"\bvar\(\s*{re.escape(n)}\s*\)",
        row=lazy_pattern(r"^\s*(?:[^{]*\{\s*)?(?P<n>--[a-z][\w-]{3,})\s*:"),
        alive=lambda n: rf"{re.escape(n)}[\"']?\s*[:,]|setProperty\(.*{re.escape(n)}",
    ),
    EntryKind(
        "the mixin", lazy_pattern(r"\.s[ac]ss$"), lazy_pattern(r"\.(?:s[ac]ss|vue|svelte)$"),
        lambda n, f: rf"@include\s+(?:[\w-]+\.)?{re.escape(n)}(?![\w-])",
        row=lazy_pattern(r"^\s*@mixin\s+(?P<n>[\w-]+)"),
    ),
    EntryKind(
        "the variable", lazy_pattern(r"\.s[ac]ss$"), lazy_pattern(r"\.(?:s[ac]ss|vue|svelte)$"),
        lambda n, f: rf"(?<![\w-]){re.escape(n)}(?![\w-])(?!\s*:)",
        row=lazy_pattern(r"^(?P<n>\$[a-z][\w-]{3,})\s*:"), certain=False,
        alive=lambda n: rf"(?<![\w-]){re.escape(n)}\s*[:,)]",
    ),
    EntryKind(
        "the text", _LOCALES, _ANY,
        lambda n, f: rf"(?:\b(?:t|\$?tc?|trans|__|tr|translate|formatMessage|I18n\.t)\(\s*|\bi18nKey=|\bt )"
        rf"[\"'`]{re.escape(n)}[\"'`]",
        under=_ANY, spelt=_without_language, shortest=5,
        alive=lambda n: r"(?!)",
    ),
    EntryKind(
        "the text", lazy_pattern(r"(?:^|/)res/values[\w-]*/\w+\.xml$"), lazy_pattern(r"\.(?:kt|java|xml)$"),
        lambda n, f: rf"\bR\.\w+\.{n}\b|@\w+/{n}\b",
        row=lazy_pattern(r"^\s*<(?:string|dimen|color|style|plurals|string-array|bool|integer|item)\s[^>]*\bname=\"(?P<n>\w+)\""),
        alive=lambda n: rf"\bname=\"{n}\"|@\+id/{n}\b",
    ),
    EntryKind(
        "the text", lazy_pattern(r"(?:^|/)messages\w*\.properties$"), lazy_pattern(r"\.(?:java|kt|html|jsp|scala|groovy)$"),
        lambda n, f: rf"[\"'{{]{re.escape(n)}[\"'}}]",
        row=lazy_pattern(r"^(?P<n>[\w-]+(?:\.[\w-]+)+)\s*[=:]"), spelt=_whole_path,
    ),
    EntryKind(
        "the setting", lazy_pattern(r"(?:^|/)application[\w-]*\.(?:ya?ml)$"), lazy_pattern(r"\.(?:java|kt|scala|groovy|ya?ml|properties)$"),
        lambda n, f: rf"\$\{{{re.escape(n)}\}}", under=_ANY, spelt=_whole_path,
    ),
    EntryKind(
        "the setting", lazy_pattern(r"(?:^|/)application[\w-]*\.properties$"), lazy_pattern(r"\.(?:java|kt|scala|groovy|ya?ml|properties)$"),
        lambda n, f: rf"\$\{{{re.escape(n)}\}}",
        row=lazy_pattern(r"^(?P<n>[\w-]+(?:\.[\w-]+)+)\s*[=:]"), spelt=_whole_path,
    ),
    EntryKind(
        "the setting", lazy_pattern(r"(?:^|/)appsettings[\w.-]*\.json$"), lazy_pattern(r"\.cs$"),
        lambda n, f: rf"\"{re.escape(n)}\"", under=lazy_pattern(r"."),
        spelt=lambda name, file: name.replace(".", ":"),
    ),
    EntryKind(
        "the setting", lazy_pattern(r"(?:^|/)config/[\w-]+\.php$"), lazy_pattern(r"\.php$"),
        lambda n, f: rf"\b(?:config|Config::get)\(\s*[\"']{re.escape(n)}[\"']\s*\)",
        row=lazy_pattern(r"^    [\"'](?P<n>\w+)[\"']\s*=>"), spelt=_after_file,
    ),
    EntryKind(
        "the setting", lazy_pattern(r"(?:^|/)config/[\w-]+\.(?:json|ya?ml)$"), lazy_pattern(r"\.[cm]?[jt]s$"),
        lambda n, f: rf"\bconfig\.get\(\s*[\"'`]{re.escape(n)}[\"'`]", under=_ANY, spelt=_whole_path,
    ),
    EntryKind(
        "the setting", lazy_pattern(r"(?:^|/)config/[\w-]+\.exs$"), lazy_pattern(r"\.exs?$"),
        lambda n, f: rf"Application\.(?:fetch_env!?|compile_env!)\(\s*:\w+,\s*:{n}\b",
        row=lazy_pattern(r"^\s*(?:config\s+:\w+,\s*)?(?P<n>\w+):\s"),
        alive=lambda n: rf"(?<!:)\b{n}:\s",
    ),
    EntryKind(
        "the setting", lazy_pattern(r"(?:^|/)(?:settings|config)(?:/\w+)?\.py$"), lazy_pattern(r"\.py$"),
        lambda n, f: rf"(?<![\w.])settings\.{n}\b",
        row=lazy_pattern(r"^(?P<n>[A-Z][A-Z0-9_]{4,})\s*(?::[^=]+)?="),
        alive=lambda n: rf"^\s*{n}\s*(?::[^=]+)?=|(?:hasattr|getattr)\(\s*settings,\s*[\"']{n}",
    ),
    EntryKind(
        "the feature", lazy_pattern(r"(?:^|/)Cargo\.toml$"), lazy_pattern(r"\.(?:rs|ya?ml|sh)$"),
        lambda n, f: rf"\bfeature\s*=\s*\"{re.escape(n)}\"|--features[ =][\"']?(?:[\w/-]+[, ])*{re.escape(n)}(?![\w-])",
        row=lazy_pattern(r"^(?P<n>[a-z][\w-]*)\s*=\s*\["), scope="below",
        alive=lambda n: rf"(?:^|[\"/:]){re.escape(n)}\"?\s*[=:,\]]",
    ),
    EntryKind(
        "the entry point", lazy_pattern(r"\.py$"), lazy_pattern(r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg))$"),
        lambda n, f: rf"[\"'= ](?:[\w.]+\.)?{re.escape(_module(f))}:{n}\b",
        row=lazy_pattern(r"^(?:async\s+)?(?:def|class)\s+(?P<n>\w+)"), few=True,
    ),
    EntryKind(
        "the endpoint", lazy_pattern(r"\.py$"), lazy_pattern(r"\.(?:py|html?|jinja2?|j2)$"),
        lambda n, f: rf"\burl_for\(\s*[\"'](?:\w*\.)?{n}[\"']",
        row=lazy_pattern(r"^(?:async\s+)?def\s+(?P<n>\w+)"), within=lazy_pattern(r"\.route\("),
        alive=lambda n: rf"\b(?:def|class)\s+{n}\b|\bname\s*=\s*[\"']{n}[\"']|\bendpoint\s*=\s*[\"']{n}[\"']|as_view\(\s*[\"']{n}",
    ),
    EntryKind(
        "the event", lazy_pattern(r"\.[cm]?[jt]sx?$"), lazy_pattern(r"\.(?:[cm]?[jt]sx?|vue)$"),
        lambda n, f: rf"\.(?:on|once|addListener)\(\s*[\"'`]{re.escape(n)}[\"'`]",
        row=lazy_pattern(r"\.emit\(\s*[\"'`](?P<n>[a-z]+[-:.A-Z][\w:.-]{3,})[\"'`]"), certain=False,
        spelt=_whole_path,
        alive=lambda n: rf"\b(?:emit|dispatch|publish|trigger|send)\w*\([^)]*[\"'`]{re.escape(n)}[\"'`]",
    ),
)  # fmt: skip
_READS_ENV = (
    r"(?:\benviron(?:\.get)?\s*[\[(]\s*|\b(?:getenv|Getenv|LookupEnv|get_env!?|fetch_env!?|env)\(\s*"
    r"|\bprocess\.env\.|\bprocess\.env\[\s*|\bENV(?:\.fetch)?\s*[\[(]\s*|GetEnvironmentVariable\(\s*"
    r"|\benv::var(?:_os)?\(\s*|\benv!\(\s*|\bimport\.meta\.env\.)[\"']?"
)
_CODE = lazy_pattern(r"\.(?:py|[cm]?[jt]sx?|go|rb|php|cs|rs|java|kt|exs?|scala|swift)$")
_SETS = lazy_pattern(
    r"(?:^|/)\.env[\w.-]*$|\.(?:ya?ml|env|sh|service|toml|tf)$|(?:^|/)(?:Dockerfile|Procfile)[\w.-]*$"
)
_OPTION = (
    r"(?:add_argument|\boption|\.option|\.requiredOption|add_option)\(\s*(?:[\"']-\w[\"'],\s*|[\"']-\w,\s*)?"
    r"[\"']?--"
)
PROGRAMS = (
    EntryKind(
        "the variable", _CODE, _SETS,
        lambda n, f: rf"^\s*(?:-\s+)?(?:export\s+|ENV\s+|ARG\s+|name:\s*)?[\"']?{n}[\"']?\s*(?:[:=]|$)",
        row=lazy_pattern(rf"{_READS_ENV}(?P<n>[A-Z][A-Z0-9]*_[A-Z0-9_]{{3,}})"), certain=False,
        alive=lambda n: rf"{_READS_ENV}{n}|\$\{{?(?:env[.:])?{n}\b|\bvars\.{n}\b|\b(?:settings|config)\.{n}\b",
        spelt=_whole_path,
    ),
    EntryKind(
        "the variable", lazy_pattern(r"(?:^|/)\.env\.(?:example|sample|dist|template)$|(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$"), _CODE,
        lambda n, f: rf"{_READS_ENV}{n}[\"']?\s*(?:[\])]|$)",
        row=lazy_pattern(r"^\s*(?:-\s+)?(?:export\s+)?(?P<n>[A-Z][A-Z0-9]*_[A-Z0-9_]{3,})\s*[:=]"), certain=False,
        alive=lambda n: rf"^\s*(?:#\s*)?(?:-\s+)?(?:export\s+|ENV\s+|ARG\s+|name:\s*)?[\"']?{n}[\"']?\s*(?:[:=?]|$)",
        spelt=_whole_path,
    ),
    EntryKind(
        "the option", _CODE, _RUNS,
        lambda n, f: rf"(?<![\w-])--{re.escape(n)}(?![\w-])",
        row=lazy_pattern(
            rf"{_OPTION}(?P<n>[a-z][\w-]{{3,}})"
            r"|(?:\bflag|[fF]lags\(\)|\bfs|\bflags)\.(?:String|Bool|Int|Int64|Uint|Duration|Float64)(?:Slice|Array)?(?:Var)?P?\((?:&[\w.]+,\s*)?\"(?P<m>[a-z][\w-]{3,})\""
        ),
        certain=False, spelt=_whole_path,
        alive=lambda n: rf"[\"']--{re.escape(n)}\b|[\"'`]{re.escape(n)}[\"'`]",
        shortest=5,
    ),
    EntryKind(
        "the option", lazy_pattern(r"\.(?:sh|bash)$|(?:^|/)(?:bin|scripts?)/[\w-]+$"), _RUNS,
        lambda n, f: rf"{re.escape(f.name)}\b.*\s--{re.escape(n)}(?![\w-])",
        row=lazy_pattern(r"^\s*(?:-\w\s*\|\s*)?--(?P<n>[a-z][\w-]{2,})(?:=\*)?(?:\s*\|\s*-\w)?\)"), spelt=_whole_path,
    ),
    EntryKind(
        "the variable", lazy_pattern(r"\.(?:sh|bash|env)$"), lazy_pattern(r"\.(?:sh|bash)$"),
        lambda n, f: rf"\$\{{?{n}(?:\}}|(?![\w:-]))", certain=False, spelt=_whole_path,
        row=lazy_pattern(r"^\s*export\s+(?P<n>[A-Z][A-Z0-9]*_[A-Z0-9_]{3,})="),
        needs=lambda f: rf"(?:^|\n)\s*(?:\.|source)\s[^\n]*{re.escape(f.name)}\b",
        alive=lambda n: rf"\b{n}=|\bread\b.*\b{n}\b",
    ),
    EntryKind(
        "the table", lazy_pattern(r"\.sql$"), _ANY,
        lambda n, f: rf"(?i:\b(?:from|join|into|update)\s+(?:\w+\.)?{n}\b)",
        row=lazy_pattern(r"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:materialized\s+)?(?:view|table)\s+(?:if\s+not\s+exists\s+)?(?:\w+\.)?(?P<n>[a-z]\w*_\w+)"),
        alive=lambda n: rf"(?i:\b(?:create|rename|as)\b.*\b{n}\b|\b{n}\s+as\s*\()", certain=False,
    ),
    EntryKind(
        "the field", lazy_pattern(r"\.proto$"), lazy_pattern(r"\.(?:go|java|kt|py|rs|cs|[jt]s)$"),
        lambda n, f: rf"\.(?:[gs]et)?(?:{_camel(n)}|{_camel(n)[:1].lower() + _camel(n)[1:]}|{n})\b",
        row=lazy_pattern(r"^\s+(?:repeated\s+|optional\s+)?[\w.]+\s+(?P<n>[a-z]+_\w+)\s*=\s*\d+|^\s*rpc\s+(?P<m>[A-Z]\w{5,})"),
        certain=False,
    ),
    EntryKind(
        "the field", lazy_pattern(r"\.graphqls?$"), lazy_pattern(r"\.(?:graphqls?|[jt]sx?|vue)$"),
        lambda n, f: rf"^\s+(?:\w+:\s*)?{n}(?:\([^)]*\)?)?\s*\{{?\s*$",
        row=lazy_pattern(r"^\s+(?P<n>[a-z]+[A-Z]\w{3,})(?:\(.*\))?\s*:\s*\[?[A-Z]"),
        certain=False,
    ),
)  # fmt: skip


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


KINDS = (*PIPELINES, *DEPLOYED, *SETTINGS, *PROGRAMS)
