"""Comments that silence a tool, on the added lines of a change that is not trusted: they are listed
for people to judge."""

import re
from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ._paths import is_document
from ._sources import CheckInput, added_lines, mentions_any

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
# In any case of letters, one of these stands in every comment that the pattern finds.
_WORDS = (
    b"noqa",
    b"NOQA",
    b"NoQA",
    b"NoQa",
    b"ignore",
    b"nosec",
    b"NOSEC",
    b"disable",
    b"nosem",
    b"nolint",
    b"gitleaks:allow",
)
_SILENCERS = re.compile(
    r"#\s*(?:(?:ruff|flake8)\s*[:=]\s*)?(?P<noqa>noqa)\b|\btype\s*:\s*(?P<type_ignore>ignore)\b"
    r"|\bpyright\s*:\s*(?P<pyright>ignore)\b|#\s*(?P<nosec>nosec)\b"
    r"|\bpylint\s*:\s*(?P<pylint>disable)"
    r"|\bshellcheck\s+(?:[\w-]+=\S*\s+){0,8}(?P<shellcheck>disable)\b|\b(?P<eslint>eslint-disable)"
    r"|\b(?P<oxlint>oxlint-disable)|\bruff\s*:\s*(?P<ruff>[a-z-]{0,20}(?:disable|ignore))\b"
    r"|\bzizmor\s*:\s*(?P<zizmor>ignore)"
    r"|\b(?P<nosemgrep>nosem(?:grep)?)\b|//\s*(?P<nolint>nolint)\b"
    r"|\bhadolint\s+(?:global\s+)?(?P<hadolint>ignore)\b"
    r"|(?P<gitleaks>gitleaks:allow)\b|\breviewgate-gh:\s*(?P<reviewgate_gh>ignore)\b",
    re.IGNORECASE,
)
_BODY = (
    "It does not suppress P0 or P1 findings of this change. Ask for the reason, and keep it "
    "only if the reason is stated next to it."
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line; none for a trusted change, and none for a whole tree, where nothing is
    new."""
    if sources.change.trusted or sources.change.whole_tree:
        return
    for file in sources.change.files:
        if not file.binary and not is_document(file.path) and mentions_any(file, _WORDS):
            yield from _in_file(file)


def _in_file(file: FileDiff) -> Iterator[Finding]:
    for number, line in added_lines(file):
        if found := _SILENCERS.search(line):
            tool = (found.lastgroup or "").replace("_", " ")
            title = f"this silences a tool: {tool}"
            yield Finding(
                Priority.P3,
                "suppression",
                "builtin/new-suppression",
                file.path,
                number,
                number,
                title,
                _BODY,
            )
