"""What a path alone says about a file."""

import re

from ...model.config import LOCK_FILES, MINIFIED, VENDORED
from ...model.languages import language_by_path
from ...text.paths import matching_paths
from ...text.patterns import lazy_pattern

_PROSE = lazy_pattern(
    r"\.(?:md|markdown|mdx|txt|text|rst|adoc|asciidoc|org|tex|po|pot|html?|xhtml|xml|svg|csv|tsv"
    r"|srt|vtt|ipynb|jsonl|ndjson|strings|arb"
    r"|xlf|xliff|resx|diff|patch|rej)\Z",
    re.IGNORECASE,
)
_DOCUMENT = lazy_pattern(
    r"\.(?:md|markdown|mdx|txt|text|rst|adoc|asciidoc|org|tex|diff|patch|rej)\Z", re.IGNORECASE
)
_RUNS = lazy_pattern(r"\.(?:html?|xhtml|xml|svg|ipynb)\Z", re.IGNORECASE)
_PAGES = lazy_pattern(r"\.(?:ai|eps|pdf|ps)\Z", re.IGNORECASE)
_KEY_FILE = lazy_pattern(
    r"\.(?:pem|key|crt|cert|priv|p8|ppk)\Z|(?:\A|/)[^/.]*(?:key|[rd]sa|ed25519)[^/.]*\Z",
    re.IGNORECASE,
)
_PROSE_NAME = lazy_pattern(
    r"README|LICEN[SC]E|COPYING|NOTICE|AUTHORS|CONTRIBUTORS|THANKS|CREDITS|CHANGE(?:S|LOG)"
    r"|HISTORY|NEWS",
    re.IGNORECASE,
)
_DATA = lazy_pattern(r"\.(?:json|ya?ml|toml|properties|ini)\Z", re.IGNORECASE)
_LOCALE = lazy_pattern(
    r"(?:\A|/)(?:locales?|locali[sz]ations?|i18n|l10n|lang|langs|languages?|translations?"
    r"|intl|nls)(?:/"
    r"|[-_.][^/]*\Z)",
    re.IGNORECASE,
)
_TRANSLATION = lazy_pattern(
    r"\.(?:po|pot|strings|arb|xlf|xliff|resx|html?)\Z"
    # A file that is called as its language, among the texts of a program: `strings/pt-br.json`
    r"|(?:\A|/)(?:strings|texts|messages)/[a-z]{2,3}(?:[-_][a-z]{2,4})?"
    r"\.(?:json|ya?ml|properties)\Z",
    re.IGNORECASE,
)
_TESTS = lazy_pattern(
    r"(?i:(?:\A|/)(?:(?:[^/]*[-_.])?(?:tests?|test-?suite)|testing|specs?|__tests__|e2e"
    r"|regress"
    r"|(?<!src/)(?<!packages/)(?:cypress|playwright|molecule)"  # but in these tools themselves
    r"|test[-_ ]?data)/|(?:\A|/)(?:test_[^/]*|[^/]*[._-](?:test|tests|spec))\.[^/.]+\Z"
    # What Django makes for an application, and modules of Rust
    r"|(?:\A|/)tests\.(?:py|rs|[cm]?[jt]sx?)\Z"
    r"|fixture)"
    # `androidTest/`; scenarios of Cucumber; of Perl and what is tested in its way
    r"|\.feature\Z|[a-z](?:Tests?|Specs?)(?:/|\.(?:java|kts?|scala|groovy|cs|php|swift)\Z)|\At/"
    r"|/t/[^/]+\Z|\.t\Z"
)
_EXAMPLE = lazy_pattern(
    r"example|(?:\A|[/._-])samples?(?:[/._-]|\Z)|\.(?:dist|template|tmpl)(?:\.|\Z)", re.IGNORECASE
)
# Of sources that a build ships the folders are packages, whose names say nothing of the program:
# generators of projects suggest `com.example`; Spring has `org.springframework.samples`
_PACKAGE = lazy_pattern(r"(?<![^/])src/main/[a-z]+/(?:[a-z][a-z0-9_]*/)+")
_MANUAL = lazy_pattern(
    r"(?:\A|/)(?:[\w-]+-)?(?:docs?|documentation)/|(?:\A|[/._-])(?:openapi"
    r"|swagger)[^/]*\.(?:ya?ml|json)\Z",
    re.IGNORECASE,
)
_FIXTURE = lazy_pattern(
    r"fixture|(?:\A|/)(?:test[-_ ]?data|invalid|malformed|broken|bad|fail(?:ed|ing"
    r"|s)?\d*)(?:/|[-_.])"
    r"|[-_.](?:invalid|malformed|broken|bad)\.[^/]*\Z",
    re.IGNORECASE,
)
_AGENTS = lazy_pattern(
    r"(?:\A|/)(?:AGENTS(?:\.override)?\.md|CLAUDE(?:\.local)?\.md|GEMINI\.md|\.cursorrules"
    r"|\.windsurfrules|\.clinerules|\.mcp\.json"
    r"|\.github/(?:copilot-instructions\.md|(?:instructions|prompts|chatmodes|agents|hooks)/.+)"
    r"|QWEN\.md|\.vscode/mcp\.json"
    r"|\.(?:agents|claude|codex|gemini|qwen|cursor|windsurf|clinerules)/.+)\Z",
    re.IGNORECASE,
)

# Copies of libraries, and what a program packed
_COPIES = (*VENDORED, "vendors/", "3rdparty/", "3rd-party/", "3rd_party/", "dist/", *MINIFIED)
# Elsewhere these names are usual for code of one's own: what FastAPI calls dependencies, clients of
# other services
_COPIES_AT_THE_ROOT = lazy_pattern(r"(?:deps|externals?)/[^/]+/")


# As libraries for browsers are published: `jquery-3.7.1.js`; as bundlers call what they write:
# `app.7ffe5d96.css`
_RELEASED = lazy_pattern(
    r"(?:\A|/)[A-Za-z][\w.-]*?(?:[-.]v?\d+\.\d+\.\d+(?:[-.]\w+)*|\.(?=[a-f]*\d)[0-9a-f]{8,20})"
    r"\.(?:m?js|css)\Z"
)


def is_foreign(path: str) -> bool:
    """Kept here and written elsewhere: the code of a library, or what a program packed."""
    return (
        _COPIES_AT_THE_ROOT.match(path) is not None
        or _RELEASED.search(path) is not None
        or path in matching_paths((path,), _COPIES)
    )


def is_document(path: str) -> bool:
    """Text for people, where a row of signs may be a heading, a quotation or a patch."""
    return _DOCUMENT.search(path) is not None or is_prose_name(path)


def is_manual(path: str) -> bool:
    """A manual's folder, or the description of an interface, with samples of what is sent."""
    return is_document(path) or _MANUAL.search(path) is not None


def is_prose_name(path: str) -> bool:
    """README, LICENSE, AUTHORS and the like, without a suffix."""
    return _PROSE_NAME.fullmatch(path.rpartition("/")[2]) is not None


def is_prose(path: str) -> bool:
    """Text or data for people in any script, and not instructions that an agent follows."""
    if is_agent_file(path):
        return False
    return (
        _PROSE.search(path) is not None
        or is_prose_name(path)
        or (is_locale(path) and _DATA.search(path) is not None)
    )


def is_plain_prose(path: str) -> bool:
    """Documents and translations that nothing runs: no page of a browser, no notebook."""
    return is_prose(path) and _RUNS.search(path) is None


def is_rendered_document(path: str) -> bool:
    """Drawn pages: bytes that begin like text, and that no compiler and no model reads as text."""
    return _PAGES.search(path) is not None


def is_key_file(path: str) -> bool:
    """A key or certificate in a file of its own."""
    return _KEY_FILE.search(path) is not None


def is_translation(path: str) -> bool:
    """Words that people read on a screen, under the names of their fields."""
    return is_locale(path) or _TRANSLATION.search(path) is not None


def is_lock_file(path: str) -> bool:
    """Versions and digests that a package manager writes."""
    name = path.rpartition("/")[2]
    return name in LOCK_FILES or name.endswith((".lock", ".sum"))


def is_data(path: str) -> bool:
    """JSON, whose text nobody compiles; instructions and settings of agents are no mere data."""
    return path.lower().endswith(".json") and not is_agent_file(path)


def is_locale(path: str) -> bool:
    """A folder of translations; a pipeline is none, whatever it is called."""
    return _LOCALE.search(path) is not None and not language_by_path(path)


def is_tests(path: str) -> bool:
    """Tests, examples and fixtures, where made-up passwords are usual."""
    return is_own_test(path) or _EXAMPLE.search(without_packages(_telling(path))) is not None


def without_packages(path: str) -> str:
    """The path without the names of packages in it, which say nothing of the program:
    `src/main/java/com/example/demo/`."""
    return _PACKAGE.sub("/", path)


def is_own_test(path: str) -> bool:
    """Tests and fixtures: nobody copies them and puts in what is real, as with an example."""
    return _TESTS.search(_telling(path)) is not None


def is_fixture(path: str) -> bool:
    """A sample that a test reads, which may be broken on purpose."""
    return _FIXTURE.search(_telling(path)) is not None


def is_agent_file(path: str) -> bool:
    """Instructions or settings that a coding agent follows."""
    return _AGENTS.search(path) is not None


def _telling(path: str) -> str:
    """As much of it as says what the file is for: what a machine starts by its place does so
    under any name (`.github/workflows/test_x.yml`), and its folder alone tells."""
    return path[: path.rfind("/") + 1] if language_by_path(path) else path
