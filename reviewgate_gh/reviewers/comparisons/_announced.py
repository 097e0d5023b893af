"""Losses that the subject of a commit announces: whoever reads the change knows of them."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from ...model.change import Commit
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern

# What people announce, with the words that name it whatever the code says. Not among them: what
# guards data or people, and what a change breaks elsewhere, of which its author may not know
_TESTS = r"tests?|specs?|cases?|asserts?|assertions?|expectations?"
_PIPELINES = r"ci|cd|actions?|workflows?|jobs?|pipelines?|matrix|builds?|triggers?"
_ABOUT = {
    "change/test-removed": _TESTS,
    "change/test-skipped": _TESTS,
    "change/test-not-run": _TESTS,
    "change/test-case-removed": _TESTS,
    "change/assertion-weakened": _TESTS,
    "change/ci-check-removed": rf"{_PIPELINES}|checks?|lint\w*|scans?|audits?|coverage|codecov",
    "change/ci-matrix-reduced": rf"{_PIPELINES}|python|node|ruby|php|java|go|versions?|support",
    "change/ci-trigger-removed": _PIPELINES,
    "change/ci-needs-removed": _PIPELINES,
    "change/ci-check-loosened": _PIPELINES,
    "change/coverage-lowered": r"coverage|codecov|coveralls|threshold",
    "change/lint-weakened": r"lint\w*|rules?|checks?|warnings?",
    "change/types-loosened": r"types?|typing|mypy|strict\w*",
    "change/file-unchecked": r"lint\w*|rules?|checks?|warnings?|types?",
    "change/guard-removed": r"dependabot|renovate|codeowners|policy|hooks?|updates?",
    "change/dependency-from-url": r"forks?|git|master|main|branch|upstream",
    "change/dependency-unpinned": r"pins?|pinned|unpin\w*|branch|latest",
    "change/image-unpinned": r"pins?|unpin\w*|latest|images?",
    "change/error-swallowed": r"errors?|failures?|exceptions?|fail\w*",
    "change/error-handling-removed": r"errors?|failures?|exceptions?|fail\w*",
    "change/timeout-removed": r"time-?outs?|limits?|deadlines?",
    "change/migration-drops": r"columns?|tables?|fields?|migrations?",
    "change/migration-edited": r"migrations?",
    "change/generated-file-edited": r"protos?|protobuf|protoc|code|clients?|bindings?|grpc|openapi",
    "change/licence-changed": r"licen[cs]e\w*|relicen[cs]e\w*",
}
_TAKES_AWAY = lazy_pattern(
    r"(?i)\b(?:re-?generat|remov|drop|delet|disabl|skip|ignor|exclud|omit|suppress|silenc|relax"
    r"|loosen|lower"
    r"|reduc|weaken|unpin|switch|mov(?:e|ing)\b|retir|revert|stop|cut|strip"
    r"|get(?:ting)?"
    r" rid|turn(?:s|ed|ing)? off|no longer|no more|clean|kill|edit|fix(?:e[sd])?\b.*\bmigration"
    r"|quarantin|xfail|swallow|tolerat|allow(?:s|ed|ing)?\b|from (?:git|master|main|source)\b"
    r"|relicen|without\b|end of life|eol\b|only\b|limit(?:s|ed|ing)?\b.*\bto\b)"
)
# To use something takes nothing else away, unless it says what; nor is the noun a verb: "for use"
_USES = lazy_pattern(r"(?i)(?<!\bfor )(?<!\bin )(?<!\bof )(?<!\bthe )\bus(?:e|es|ed|ing)\b")
_IN_PLACE = lazy_pattern(r"(?i)\b(?:instead|rather than|in favou?r of|in place of|over)\b")
_OF_TESTS = frozenset(
    f"change/{name}"
    for name in (
        "test-removed",
        "test-skipped",
        "test-not-run",
        "test-case-removed",
        "assertion-weakened",
    )
)
_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)*")
_WHOLE = lazy_pattern(r"[A-Za-z]+")  # CodeQL
_SHORTEST = 4  # characters of a word that names something
_ANY = frozenset(
    [
        "this",
        "that",
        "with",
        "from",
        "more",
        "like",
        "before",
        "after",
        "than",
        "were",
        "have",
        "been",
        "does",
        "here",
        "they",
        "their",
        "them",
        "what",
        "which",
        "when",
        "where",
        "into",
        "other",
        "only",
        "also",
        "longer",
        "removed",
        "removes",
        "remove",
        "test",
        "tests",
        "change",
        "changes",
        "code",
        "file",
        "files",
        "line",
        "lines",
        "name",
        "names",
        "value",
        "values",
        "data",
        "true",
        "false",
        "none",
        "null",
        "return",
        "self",
        "const",
        "import",
        "function",
        "class",
        "public",
        "private",
        "static",
        "void",
        "string",
        "type",
        "types",
        "default",
        "update",
        "updates",
    ]
)


def weigh_announced(finding: Finding, commits: Sequence[Commit]) -> Finding:
    """The finding, as a hint where a subject says what it says: a verb that takes away, and either
    its kind or what stood there. A P1 stays one: to be announced makes it no better."""
    kinds = _ABOUT.get(finding.rule)
    if kinds is None or finding.priority is not Priority.P2:
        return finding
    names = _names(f"{finding.title} {finding.path} {finding.body.partition(' Now: ')[0]}")
    for commit in commits:
        said = _takes_away(finding, commit.subject)
        rest = _USES.sub(" ", _TAKES_AWAY.sub(" ", commit.subject))
        origin = finding.rule == _OF_PACKAGE
        kind = re.search(rf"(?i)\b(?:{kinds})\b", commit.subject if origin else rest)
        named = not origin and names & _names(rest)
        if said and (kind or named) and not _is_of_others(finding, commit.subject):
            body = f"A commit says so in its subject. {finding.body}"
            return replace(finding, priority=Priority.P3, body=body)
    return finding


def _takes_away(finding: Finding, subject: str) -> bool:
    """A verb of the subject says so."""
    if _TAKES_AWAY.search(subject):
        return True
    swaps = finding.rule not in _OF_TESTS or _IN_PLACE.search(subject) is not None
    return swaps and _USES.search(subject) is not None


# The package stays, so its name says nothing of where it comes from
_OF_PACKAGE = "change/dependency-from-url"
_DOCUMENTS = r"\b(?:docs?|documentation|markdown|readmes?|md)\b"
_SKIPS_DOCUMENTS = lazy_pattern(rf"(?i)\b(?:skip|ignor|exclud|omit)\w*\b.*{_DOCUMENTS}")


def _is_of_others(finding: Finding, subject: str) -> bool:
    """The pipeline skips documents, says the subject, and it no longer runs for something else."""
    return (
        finding.rule == "change/ci-trigger-removed"
        and _SKIPS_DOCUMENTS.search(subject) is not None
        and not re.search(_DOCUMENTS, finding.title)
    )


def _names(text: str) -> frozenset[str]:
    """The words that name something, without the `s` of several."""
    words = (word.lower() for word in (*_WORDS.findall(text), *_WHOLE.findall(text)))
    long = (
        word for word in words if len(word) >= _SHORTEST or (word[:1].isdigit() and "." in word)
    )
    return frozenset(word.removesuffix("s") for word in long if word not in _ANY)
