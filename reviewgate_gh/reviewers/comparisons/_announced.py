"""Losses that the subject of a commit announces: whoever reads the change knows of them."""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ...model.change import Commit
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern

# What people announce, with the words that name it whatever the code says. Not among them: what
# guards data or people, and what a change breaks elsewhere, of which its author may not know
_TESTS = r"tests?|specs?|cases?|asserts?|assertions?|expectations?"
_PIPELINES = r"ci|cd|actions?|workflows?|jobs?|pipelines?|matrix|builds?|triggers?"
_ERRORS = r"errors?|failures?|exceptions?|fail\w*"
_ABOUT = {
    "change/test-removed": _TESTS,
    "change/test-skipped": _TESTS,
    "change/test-not-run": _TESTS,
    "change/test-case-removed": _TESTS,
    "change/assertion-weakened": _TESTS,
    "change/ci-check-removed": rf"{_PIPELINES}|checks?",
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
    "change/image-unpinned": r"pins?|unpin\w*|latest|images?|nightly|edge",
    "change/error-swallowed": _ERRORS,
    "change/error-handling-removed": rf"{_ERRORS}|unbound|nounset|errexit|pipefail",
    "change/timeout-removed": r"time-?outs?|limits?|deadlines?",
    "change/migration-drops": r"columns?|tables?|fields?|migrations?",
    "change/migration-edited": r"migrations?",
    "change/generated-file-edited": r"protos?|protobuf|protoc|code|clients?|bindings?|grpc|openapi",
    "change/licence-changed": r"to\b.*\blicen[cs]e|licen[cs]e\w* to|relicen[cs]e\w*",
}
# A word that a sentence has, not the name of a function, an option or a file
_BEFORE, _BEHIND = r"(?<![\w.`$@/#-])", r"(?![\w(]|-[a-z])"
_LOSES = (
    r"remov|drop|delet|disabl|skip|exclud|omit|retir|revert|stop|ceas|kill|quarantin|unpin|xfail"
    r"|get(?:ting)? rid of|turn(?:s|ed|ing)? off|no longer|no more|end of life|eol\b"
)
# Of tests they take something away where they say that they are about tests
_LESSENS = (
    r"re-?generat|ignor|suppress|silenc|relax|loosen|lower|reduc|weaken|switch|mov(?:e|ing)\b|cut"
    r"|strip|clean|edit|swallow|tolerat|allow(?:s|ed|ing)?\b|from (?:git|master|main|source)\b"
    r"|relicen|without\b|only\b(?= (?:on|for|in|when)\b| ?$)|limit(?:s|ed|ing)?\b(?=.*\bto\b)"
    r"|fix(?:e[sd])?\b(?=.*\bmigration)"
)
_TAKES_AWAY = lazy_pattern(
    rf"{_BEFORE}(?:(?P<loses>(?i:{_LOSES})[a-z]*)|(?i:{_LESSENS})[a-z]*){_BEHIND}"
)
# To use something takes nothing else away, unless it says what; nor is the noun a verb: "for use"
_USES = lazy_pattern(
    rf"(?i)(?<!\bfor )(?<!\bin )(?<!\bof )(?<!\bthe ){_BEFORE}us(?:e|es|ed|ing)\b(?!-)"
)
_IN_PLACE = lazy_pattern(r"(?i)\b(?:instead|rather than|in favou?r of|in place of|over)\b")
# What comes behind one of these is added, whatever it takes away when it is used
_ADDS = (
    r"add(?:s|ed|ing)?|support(?:s|ed|ing)?|introduc\w+|implement\w*|ensur\w+|ability|option|flag"
    r"|able|allow(?:s|ed|ing)?"
)
_GIVES = lazy_pattern(rf"(?i){_BEFORE}(?:{_ADDS})\b(?!-)")
_OTHER = r"fix|updat|upgrad|bump|mak|improv|refactor|renam|return|swap|handl|chang|enabl|us[ei]|set"
_CLAUSES = lazy_pattern(
    r"[:;.] | \(|(?:,| and\b| then\b| but\b| by\b) "
    rf"(?=(?i:(?:{_LOSES}|{_LESSENS}|{_ADDS}|{_OTHER})[a-z]*)\b(?!-))"
)
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
# Of these the subject says what is there instead, and that nothing of the kind was before
_NEW_STATES = (
    "change/dependency-from-url",
    "change/dependency-unpinned",
    "change/image-unpinned",
)
# Their file is one thing, and its name says which
_OF_FILE = ("change/ci-trigger-removed", "change/migration-drops")
# What they name may change in many ways
_OF_KIND = ("change/dependency-from-url", "change/migration-edited")
_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)*")
_WHOLE = lazy_pattern(r"[A-Za-z]+")  # CodeQL
_SHORTEST = 4  # characters of a word that names something
# Words of any sentence and any code, and those of the findings' own sentences
_SENTENCES = """
    this that with from more like before after than were have been does here they their them what
    which when where into other only also longer removed removes remove test tests change changes
    code file files line lines name names value values data true false none null return self const
    import function class public private static void string type types default update updates
    pipeline loses runs running checked check checks job workflow error errors swallowed reaches
    caller handled assertion assertions stays claims less script sets time limit switched migration
    drops existing edited package packages version weaker loosened added comes address registry
    instead nothing fewer failures ignored request requests pull accepts licence license
    """
_ANY = frozenset(_SENTENCES.split())


def weigh_announced(finding: Finding, commits: Sequence[Commit]) -> Finding:
    """The finding, as a hint where a subject says what it says. A P1 stays one: to be announced
    makes it no better."""
    if finding.rule not in _ABOUT or finding.priority is not Priority.P2:
        return finding
    if any(map(_Announced(finding).by, (commit.subject for commit in commits))):
        body = f"A commit says so in its subject. {finding.body}"
        return replace(finding, priority=Priority.P3, body=body)
    return finding


class _Announced:
    """What a subject has to say of a finding: in one clause a verb that takes away, and either the
    kind or what stood there."""

    def __init__(self, finding: Finding) -> None:
        self._finding, self._rule = finding, finding.rule
        kinds = _ABOUT[self._rule]
        self._kinds = re.compile(rf"(?i)\b(?:{kinds})\b")
        # Where it happens, and not what: "Remove the formatter from CI"
        self._aside = re.compile(
            rf"(?i)\b(?:from|in|for|to|with|under|during)\s+(?:[\w-]+\s+){{0,2}}(?:{kinds})\b"
        )
        # The name of a file says what a line of it is about only where it goes as a whole
        is_whole = not finding.line_start or self._rule in _OF_FILE
        path = finding.path.rpartition("/")[2] if is_whole else ""
        # Of a command that stays the title names what it loses
        stays = self._rule == "change/ci-check-loosened"
        was = "" if stays else finding.body.partition(" Now: ")[0]
        self._names = _names(f"{finding.title} {path} {was}")

    def by(self, subject: str) -> bool:
        """The subject says it."""
        if _is_of_others(self._finding, subject):
            return False
        return any(map(self._says, _clauses(subject)))

    def _says(self, clause: str) -> bool:
        taking = _TAKES_AWAY.search(clause)
        if taking and _GIVES.search(clause, 0, taking.start()):
            return False
        named = self._rule not in _OF_KIND and not self._names.isdisjoint(_rest(clause))
        if taking and taking["loses"]:
            return named or self._has_kind(clause)
        if taking:
            return self._has_kind(clause) or (named and self._rule not in _OF_TESTS)
        if _USES.search(clause) is None:
            return False
        if _IN_PLACE.search(clause):
            return named or self._has_kind(clause)
        return self._rule in _NEW_STATES and self._has_kind(clause)

    def _has_kind(self, clause: str) -> bool:
        if self._rule in _NEW_STATES:
            return self._kinds.search(clause) is not None
        bare = _TAKES_AWAY.sub(" ", clause)
        if self._rule in _OF_TESTS or self._rule.startswith("change/ci-"):
            bare = self._aside.sub(" ", bare)
        return self._kinds.search(bare) is not None


def _clauses(subject: str) -> Iterator[str]:
    """Each with what it says; what stands before a lone verb is what it is about. To revert is to
    take away all that is quoted."""
    if re.match(r"(?i)revert\b", subject):
        yield subject
        return
    before = ""
    for clause in _CLAUSES.split(subject):
        yield clause if " " in clause.strip() else f"{before} {clause}"
        before = clause


def _rest(clause: str) -> frozenset[str]:
    """What a clause names but for its verbs."""
    return _names(_USES.sub(" ", _TAKES_AWAY.sub(" ", clause)))


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
