"""Protection that a change switches off: certificate checks, permissions of files, cross-origin
rules, debug modes, and programs that are run as they come from the network."""

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_document, is_tests
from .._definitions import language_of
from .._guards import code_of, is_explained
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line, squeeze
from ._meant import is_chosen, is_moot
from ._protections import CONTAINER, CORS, PATTERNS, PIPE, TLS

EVERY_FILE = False
_TLS_CHOSEN = replace(TLS, priority=Priority.P2)
_LONGEST = 1000
_DESCRIPTION = lazy_pattern(r"\.(?:ya?ml|json|tf|hcl|tpl|jsonnet)$")
# One of them is in whatever a pattern finds: the quick question about a file, and about a line
_WORDS = (
    r"GOSUM|GONOSUM|GOINSEC|GOFLAGS|unauthenticated|force-yes|gpg|trusted|erif|VERIF|rejectUn"
    r"|REJECT_UN|certs|Insecure|insecure|CERT_NONE|danger|Hostname|Trust|Certificate"
    r"|strict-ssl|hostname|check_host|unverified|sslmode|trusted-host|ertif"
    r"|withoutVer|Evaluat|777|666|S_I[RW]|chmod|umask|rwx|curl|wget|iex|Expression|ebug|DEBUG|_ENV"
    r"|display_err|stacktrace"
    r"|consider_all"
    r"|rigin|ORIGIN|Cors|COOKIE|SECURE|CSRF|csrf|HOSTS|ecure|ttpOnly|forgery|skip_before"
    r"|escape|rivilege|NonRoot|Integration|Isolation|lgorithm|StrictHost|AutoAdd|accessible"
    r"|skip_auth|allow_unauth|public-read|0\.0\.0\.0|force_ssl|helmet|ecurity|NO_VERIFY"
    r"|verify_none|ssl\s*=|ors::|anyHost|Writable|Everyone"
)
_IN_A_FILE, _IN_A_LINE = lazy_pattern(_WORDS.encode()), lazy_pattern(_WORDS)


def says_insecure(text: str) -> bool:
    """The line is one of those that this comparison tells."""
    return any(re.search(source, text) for _rule, _title, source in PATTERNS)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if file.added and not file.is_gone and _may_matter(file):
            yield from _in_file(sources, file)


def _may_matter(file: ComparedFile) -> bool:
    if not file.is_product and not file.name.endswith((".sh", "Dockerfile", "Manifest.xml")):
        return False
    return any(_IN_A_FILE.search(hunk.body) for hunk in file.diff.hunks)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    code = _new_code(sources, file)
    for rule, title, source in PATTERNS:
        if rule is CONTAINER and not _DESCRIPTION.search(file.path):
            continue
        pattern = re.compile(source)
        matches = [(line, found) for line in code if (found := pattern.search(line.text))]
        if rule is PIPE:
            matches += _run_later(file, code)
        line = next((each for each, found in matches if not is_moot(file, each, rule, found)), None)
        if line is None or _was_there(file, pattern):
            continue
        weighed = _weigh(sources, file, line, rule, pattern)
        if weighed is None:
            continue
        old = next((each for each in _beside(file, line.number)), None)
        chosen = rule is TLS and is_chosen(file, line, pattern)
        title += " where an option says so" * chosen
        yield put(weighed, file, line, title, quoted(old.text) if old else "")


def _run_later(file: ComparedFile, code: Sequence[Line]) -> Iterator[tuple[Line, re.Match[str]]]:
    """Downloads that one of the next lines runs, with no look at their digest before it."""
    known = {found["saved"] for found in map(_SAVES.search, file.base_rows) if found}
    for line in code:
        found = _SAVES.search(line.text)
        if found and found["saved"] in known:
            continue
        for row in file.head_rows[line.number : line.number + _SOON] if found else ():
            if _VERIFIES.search(row):
                break
            if found and re.search(_RUNS_SAVED.format(re.escape(found["saved"])), row):
                yield line, found
                break


_SAVES = lazy_pattern(
    r"\b(?:curl|wget)\b[^|;&]*\s(?:-[a-zA-Z]*[oO]|--output(?:-document)?)[= ]\s*"
    r"[\"']?(?P<saved>[\w./${}-]*\w[\w./${}-]*)"
)
_SOON = 6  # lines
_VERIFIES = lazy_pattern(r"sha\d*sum|shasum|md5sum|\bgpg\b|cosign|minisign|\bopenssl\b")
_RUNS_SAVED = (
    r"(?:(?:^|[\s;&|(])(?:(?:ba|z|da|k)?sh(?:\s+-\w+)*|source|\.|python3?|node|perl|ruby|php)\s+"
    r"|(?:^|[;&|]|\bRUN|\bsudo)\s*)[\"']?(?:\./)?{}(?=$|[\s;&|\"')])"
)


def _weigh(
    sources: ComparisonInput,
    file: ComparedFile,
    line: Line,
    rule: ComparisonRule,
    pattern: re.Pattern[str],
) -> ComparisonRule | None:
    """Less, where a comment says why or the project does so anyway; None where nothing is lost."""
    explained, elsewhere = is_explained(file, line), _goes_elsewhere(sources, rule, pattern)
    if rule is TLS:
        light = explained or _is_usual(sources, pattern, _words(pattern, line))
        chosen = is_chosen(file, line, pattern)
        if _serves_tests(sources, file) or (light and chosen):
            return None
        return _TLS_CHOSEN if light or chosen or elsewhere else TLS
    if elsewhere:
        return None
    is_first = rule is CONTAINER and file.is_new
    light = explained or is_first or _is_habit(sources, line, rule, pattern)
    return hint(rule) if light else rule


# Names of what a program does as well: its files say which it is
_OF_TESTS = lazy_pattern(r"^(?:[^/]+/){0,2}?(?:integration|acceptance|functional|smoke)/")
_ENOUGH = 3


def _serves_tests(sources: ComparisonInput, file: ComparedFile) -> bool:
    """It lies beside tests, in a folder that is called like them."""
    found = _OF_TESTS.match(file.path)
    suffix = file.path.rpartition(".")[2]
    beside = [
        path
        for path in (sources.list_head() if found else ())
        if found and path.startswith(found[0]) and path.endswith(f".{suffix}")
    ]
    return sum(map(is_tests, beside)) * _ENOUGH > len(beside)


def _new_code(sources: ComparisonInput, file: ComparedFile) -> list[Line]:
    """The statements that the change adds, and takes away nowhere."""
    return [
        Line(line.number, bare)
        for line in _whole((file.code if language_of(file.path) else file).added)
        if len(line.text) <= _LONGEST
        and _IN_A_LINE.search(line.text)
        and squeeze(line.text) not in sources.removed_statements
        and (bare := code_of(line.text))
    ]


def _whole(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines, each with those in which its command goes on."""
    for at, line in enumerate(lines):
        text = line.text
        for more in lines[at + 1 :]:
            if not text.endswith("\\") or len(text) > _LONGEST:
                break
            text = f"{text[:-1].rstrip()} {more.text.strip()}"
        yield line if text is line.text else Line(line.number, text)


def _is_habit(
    sources: ComparisonInput, line: Line, rule: ComparisonRule, pattern: re.Pattern[str]
) -> bool:
    """The project installs programs in this way, or runs those of the same owner elsewhere."""
    tool = "wget" if "wget" in line.text else "curl"
    return rule is PIPE and (_is_usual(sources, pattern, [tool]) or _runs_owner(sources, line))


_OF_OWNER = lazy_pattern(r"//raw\.githubusercontent\.com/(?P<owner>[\w-]+)/")


def _runs_owner(sources: ComparisonInput, line: Line) -> bool:
    """Actions or workflows of the owner of the program run in the project's pipelines anyway."""
    owners = _OF_OWNER.findall(line.text)
    return bool(owners) and all(
        any(
            place.path not in sources.changed_paths
            and re.search(rf"\buses:\s*[\"']?{re.escape(owner)}/", place.text)
            for place in sources.find_words([owner]).get(owner, ())
        )
        for owner in owners
    )


def _is_usual(sources: ComparisonInput, pattern: re.Pattern[str], words: Collection[str]) -> bool:
    """Code that the change leaves alone does the same; the words find it."""
    return any(
        place.path not in sources.changed_paths
        and not (is_document(place.path) or is_tests(place.path))
        and pattern.search(code_of(place.text))
        for places in sources.find_words(words).values()
        for place in places
    )


def _words(pattern: re.Pattern[str], line: Line) -> list[str]:
    """The longest word of what the pattern finds in the line."""
    found = pattern.search(line.text)
    return sorted(re.findall(r"\w{6,}", found[0]) if found else [], key=len)[-1:]


def _was_there(file: ComparedFile, pattern: re.Pattern[str]) -> bool:
    """The file did the same before: nothing is switched off that was on."""
    return any(pattern.search(code_of(row)) for row in file.base_rows if len(row) <= _LONGEST)


def _goes_elsewhere(
    sources: ComparisonInput, rule: ComparisonRule, pattern: re.Pattern[str]
) -> bool:
    """The change takes the same away from another file of the product: it moved, and may be written
    in another way now."""
    patterns = (pattern, _ECHOED) if rule is CORS else (pattern,)
    return any(
        each.search(code_of(line.text))
        for file in sources.files
        if file.is_product
        for line in file.removed
        for each in patterns
    )


# Whoever asks is allowed: no less open than `*`
_ECHOED = lazy_pattern(
    r"(?i)Access-Control-Allow-Origin\b\W.*\borigin\b|\bWithOrigins\(\s*\"\*\"\s*\)"
)


def _beside(file: ComparedFile, number: int) -> tuple[Line, ...]:
    for block in file.blocks:
        if any(line.number == number for line in block.added):
            return block.removed
    return ()
