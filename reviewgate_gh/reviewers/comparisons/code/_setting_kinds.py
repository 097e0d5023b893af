"""Settings, texts, entry points and options of scripts."""

import re

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile
from ._entry_kinds import ANY, RUNS, EntryKind, whole_path

_STYLES = lazy_pattern(r"\.(?:css|scss|sass|less|vue|svelte)$")
_LOCALES = lazy_pattern(r"(?:^|/)(?:locales?|i18n|lang|translations|messages)/.*\.(?:json|ya?ml)$")


def _without_language(name: str, file: ComparedFile) -> str:
    """Rails' locales begin with the language: https://guides.rubyonrails.org/i18n.html"""
    return re.sub(r"^[a-z]{2}(?:[-_][A-Za-z]{2,4})?\.", "", name)


def _after_file(name: str, file: ComparedFile) -> str:
    return f"{file.name.partition('.')[0]}.{name}"


def _module(file: ComparedFile) -> str:
    return re.sub(r"^(?:src/|lib/)|(?:/__init__)?\.py$", "", file.path).replace("/", ".")


# https://www.i18next.com/translation-function/plurals, https://guides.rubyonrails.org/i18n.html
_PLURAL = r"[\"']?(?<![\w-]){name}_(?:zero|one|two|few|many|other)[\"']?\s*:"
SETTINGS = (
    EntryKind(
        "the property",
        _STYLES,
        _STYLES,
        lambda n, f: rf"\bvar\(\s*{re.escape(n)}\s*\)",
        row=lazy_pattern(r"^\s*(?:[^{]*\{\s*)?(?P<n>--[a-z][\w-]{3,})\s*:"),
        alive=lambda n: rf"{re.escape(n)}[\"']?\s*[:,]|setProperty\(.*{re.escape(n)}",
    ),
    EntryKind(
        "the mixin",
        lazy_pattern(r"\.s[ac]ss$"),
        lazy_pattern(r"\.(?:s[ac]ss|vue|svelte)$"),
        lambda n, f: rf"@include\s+(?:[\w-]+\.)?{re.escape(n)}(?![\w-])",
        row=lazy_pattern(r"^\s*@mixin\s+(?P<n>[\w-]+)"),
    ),
    EntryKind(
        "the text",
        _LOCALES,
        ANY,
        lambda n, f: (
            rf"(?:\b(?:t|\$?tc?|trans|__|tr|translate|formatMessage|I18n\.t)\(\s*|\bi18nKey=|\bt )"
            rf"[\"'`]{re.escape(n)}[\"'`]"
        ),
        under=ANY,
        spelt=_without_language,
        shortest=5,
        alive=lambda n: r"(?!)",
        makes=lambda n, head: re.search(_PLURAL.format(name=re.escape(n)), head) is not None,
    ),
    EntryKind(
        "the text",
        lazy_pattern(r"(?:^|/)res/values[\w-]*/\w+\.xml$"),
        lazy_pattern(r"\.(?:kt|java|xml)$"),
        lambda n, f: rf"\bR\.\w+\.{n}\b|@\w+/{n}\b",
        row=lazy_pattern(
            r"^\s*<(?:string|dimen|color|style|plurals|string-array|bool|integer"
            r"|item)\s[^>]*\bname=\"(?P<n>\w+)\""
        ),
        alive=lambda n: rf"\bname=\"{n}\"|@\+id/{n}\b",
    ),
    EntryKind(
        "the text",
        lazy_pattern(r"(?:^|/)messages\w*\.properties$"),
        lazy_pattern(r"\.(?:java|kt|html|jsp|scala|groovy)$"),
        lambda n, f: rf"[\"'{{]{re.escape(n)}[\"'}}]",
        row=lazy_pattern(r"^(?P<n>[\w-]+(?:\.[\w-]+)+)\s*[=:]"),
        spelt=whole_path,
    ),
    EntryKind(
        "the setting",
        lazy_pattern(r"(?:^|/)application[\w-]*\.(?:ya?ml)$"),
        lazy_pattern(r"\.(?:java|kt|scala|groovy|ya?ml|properties)$"),
        lambda n, f: rf"\$\{{{re.escape(n)}\}}",
        under=ANY,
        spelt=whole_path,
    ),
    EntryKind(
        "the setting",
        lazy_pattern(r"(?:^|/)application[\w-]*\.properties$"),
        lazy_pattern(r"\.(?:java|kt|scala|groovy|ya?ml|properties)$"),
        lambda n, f: rf"\$\{{{re.escape(n)}\}}",
        row=lazy_pattern(r"^(?P<n>[\w-]+(?:\.[\w-]+)+)\s*[=:]"),
        spelt=whole_path,
    ),
    EntryKind(
        "the setting",
        lazy_pattern(r"(?:^|/)appsettings[\w.-]*\.json$"),
        lazy_pattern(r"\.cs$"),
        lambda n, f: rf"\"{re.escape(n)}\"",
        under=lazy_pattern(r"."),
        spelt=lambda name, file: name.replace(".", ":"),
    ),
    EntryKind(
        "the setting",
        lazy_pattern(r"(?:^|/)config/[\w-]+\.php$"),
        lazy_pattern(r"\.php$"),
        lambda n, f: rf"\b(?:config|Config::get)\(\s*[\"']{re.escape(n)}[\"']\s*\)",
        row=lazy_pattern(r"^    [\"'](?P<n>\w+)[\"']\s*=>"),
        spelt=_after_file,
    ),
    EntryKind(
        "the setting",
        lazy_pattern(r"(?:^|/)config/[\w-]+\.(?:json|ya?ml)$"),
        lazy_pattern(r"\.[cm]?[jt]s$"),
        lambda n, f: rf"\bconfig\.get\(\s*[\"'`]{re.escape(n)}[\"'`]",
        under=ANY,
        spelt=whole_path,
    ),
    EntryKind(
        "the setting",
        lazy_pattern(r"(?:^|/)config/[\w-]+\.exs$"),
        lazy_pattern(r"\.exs?$"),
        lambda n, f: rf"Application\.(?:fetch_env!?|compile_env!)\(\s*:\w+,\s*:{n}\b",
        row=lazy_pattern(r"^\s*(?:config\s+:\w+,\s*)?(?P<n>\w+):\s"),
        alive=lambda n: rf"(?<!:)\b{n}:\s",
    ),
    EntryKind(
        "the setting",
        lazy_pattern(r"(?:^|/)(?:settings|config)(?:/\w+)?\.py$"),
        lazy_pattern(r"\.py$"),
        lambda n, f: rf"(?<![\w.])settings\.{n}\b",
        row=lazy_pattern(r"^(?P<n>[A-Z][A-Z0-9_]{4,})\s*(?::[^=]+)?="),
        alive=lambda n: rf"^\s*{n}\s*(?::[^=]+)?=|(?:hasattr|getattr)\(\s*settings,\s*[\"']{n}",
    ),
    EntryKind(
        "the feature",
        lazy_pattern(r"(?:^|/)Cargo\.toml$"),
        lazy_pattern(r"\.(?:rs|ya?ml|sh)$"),
        lambda n, f: (
            rf"\bfeature\s*=\s*\"{re.escape(n)}\""
            rf"|--features[ =][\"']?(?:[\w/-]+[, ])*{re.escape(n)}(?![\w-])"
        ),
        row=lazy_pattern(r"^(?P<n>[a-z][\w-]*)\s*=\s*\["),
        scope="below",
        alive=lambda n: rf"(?:^|[\"/:]){re.escape(n)}\"?\s*[=:,\]]",
    ),
    EntryKind(
        "the entry point",
        lazy_pattern(r"\.py$"),
        lazy_pattern(r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg))$"),
        lambda n, f: rf"[\"'= ](?:[\w.]+\.)?{re.escape(_module(f))}:{n}\b",
        row=lazy_pattern(r"^(?:async\s+)?(?:def|class)\s+(?P<n>\w+)"),
        few=True,
    ),
    EntryKind(
        "the endpoint",
        lazy_pattern(r"\.py$"),
        lazy_pattern(r"\.(?:py|html?|jinja2?|j2)$"),
        lambda n, f: rf"\burl_for\(\s*[\"'](?:\w*\.)?{n}[\"']",
        row=lazy_pattern(r"^(?:async\s+)?def\s+(?P<n>\w+)"),
        within=lazy_pattern(r"\.route\("),
        alive=lambda n: (
            rf"\b(?:def|class)\s+{n}\b|\bname\s*=\s*[\"']{n}[\"']"
            rf"|\bendpoint\s*=\s*[\"']{n}[\"']|as_view\(\s*[\"']{n}"
        ),
    ),
    EntryKind(
        "the option",
        lazy_pattern(r"\.(?:sh|bash)$|(?:^|/)(?:bin|scripts?)/[\w-]+$"),
        RUNS,
        lambda n, f: rf"{re.escape(f.name)}\b.*\s--{re.escape(n)}(?![\w-])",
        row=lazy_pattern(r"^\s*(?:-\w\s*\|\s*)?--(?P<n>[a-z][\w-]{2,})(?:=\*)?(?:\s*\|\s*-\w)?\)"),
        spelt=whole_path,
    ),
)
