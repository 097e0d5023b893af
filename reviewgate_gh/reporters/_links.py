"""Where a finding is on the web: its place at the reviewed commit, and the page about its rule.

Every address here is ours or a tool's own metadata; nothing that the change says becomes one.
"""

import re

from msgspec.structs import replace

from ..model.finding import Finding
from ..text.escape import uri_path
from ..text.patterns import lazy_pattern
from ..text.safe import safe_data
from ..text.visible import is_valid_unicode
from . import _words

_URL = lazy_pattern(r"https://[A-Za-z0-9._~:/?#@!$&*+,;=%-]{1,500}")
_REPOSITORY = lazy_pattern(
    r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?"
    r"/[A-Za-z0-9_.-]{1,100}/(?!\.\.?$)[A-Za-z0-9_.-]{1,100}"
)
_PLACE = lazy_pattern(r"(.+):([1-9][0-9]{0,8})", re.DOTALL)
_COMMIT = lazy_pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")


def repository_page(server: str, name: str) -> str:
    """The web address of a repository at a GitHub server; "" where these two name none."""
    page = f"{server.rstrip('/')}/{name}"
    return page if _REPOSITORY.fullmatch(page) else ""


def blob_url(repository: str, commit: str, path: str, line: int = 0, last: int = 0) -> str:
    """A file at a commit, at its line or from it to `last`; "" where no address can lead there, or
    where it would repeat a secret in the file's name. `repository` is its web address.
    https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-a-permanent-link-to-a-code-snippet"""
    if not _REPOSITORY.fullmatch(repository) or not _COMMIT.fullmatch(commit):
        return ""
    if not path or not is_valid_unicode(path) or safe_data(path) != path:
        return ""
    lines = f"#L{line}" + (f"-L{last}" if last > line else "") if line else ""
    return f"{repository}/blob/{commit}/{uri_path(path)}{lines}"


def place_url(finding: Finding, repository: str, commit: str) -> str:
    """A finding's place at the reviewed commit; "" for one in lines that are gone from it."""
    if finding.side == "LEFT":
        return ""
    return blob_url(repository, commit, finding.path, finding.line_start)


def at_other_places(finding: Finding) -> list[Finding]:
    """A finding that stands for a pattern, at each of its other places."""
    places = _words.other_places(finding)
    parts = (found.groups() if (found := _PLACE.fullmatch(each)) else (each, 0) for each in places)
    return [
        replace(finding, path=path, line_start=int(line), line_end=int(line))
        for path, line in parts
    ]


def rule_page(finding: Finding) -> str:
    """The page about its rule, as its tool names it; "" where it names none."""
    page = finding.rule_page
    return page if _URL.fullmatch(page) and finding.rule and safe_data(page) == page else ""


def remark(finding: Finding) -> str:
    """What it says beside its title, for where the rule is a link already."""
    body, page = finding.body.rstrip(), rule_page(finding)
    before, _, last = body.rpartition("\n")
    return before.rstrip() if page and last == page else body


def markdown_link(text: str, url: str) -> str:
    """Inert Markdown as a link; as it is without an address."""
    return f"[{text}]({url})" if url else text
