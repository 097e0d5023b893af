"""What somebody needed while working, and forgot: debuggers, prints, notes, local files."""

import re
from collections.abc import Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._ignored import is_ignored
from .._remark import WHOLE_FILE, ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line, squeeze
from .._spoken import lines_in_long_texts

EVERY_FILE = False
_DEBUGGER = ComparisonRule(
    "debugger-left",
    Priority.P2,
    "The program stops here and waits for someone at a terminal. Remove it.",
)
_PRINT = ComparisonRule(
    "debug-output-left",
    Priority.P3,
    "The project does not print like this anywhere else. Remove it, or use its logger.",
)
_NOTE = ComparisonRule(
    "note-left",
    Priority.P3,
    "It says that the work is not done. Finish it, or file an issue and link it here.",
)
_FILE = ComparisonRule(
    "local-file-committed",
    Priority.P2,
    "It belongs to one machine or one merge, and may hold secrets. Remove it, and add its name to "
    ".gitignore.",
)
_LOADS = lazy_pattern(r"^\s*(?:require|import|from)\b")
# `debugger` of JavaScript is told by oxlint
_STOPS = lazy_pattern(
    r"^\s*(?:i?pdb\.set_trace\(|breakpoint\(\)|pudb\.set_trace\(|binding\.(?:pry|irb|break)\b"
    r"|byebug\b|require\s+['\"](?:pry|byebug|debug)['\"]|dd\(|xdebug_break\("
    r"|runtime\.Breakpoint\(\)|IEx\.pry|require IEx|__import__\(['\"]i?pdb['\"]\)"
    r"|debugpy\.(?:listen|breakpoint|wait_for_client)\(|set_trace\(\))|;\s*i?pdb\.set_trace\("
)
_PRINTS = {
    r"\.(?:[cm]?[jt]sx?|vue|svelte)$": lazy_pattern(r"\bconsole\.(?:log|debug|dir|trace|table)\("),
    r"\.(?:java|kt|scala)$": lazy_pattern(
        r"\bSystem\.out\.print\w*\(|\.printStackTrace\(\)|^\s*println\("
    ),
    r"\.rs$": lazy_pattern(r"\bdbg!\("),
    r"\.go$": lazy_pattern(
        r"\bspew\.Dump\(|^\s*fmt\.Print(?:ln|f)?\(\s*\"(?:DEBUG|debug|here|XXX|>>>|###|---)"
        r"|^\s*println\("
    ),
    r"\.php$": lazy_pattern(r"\b(?:var_dump|print_r|dump)\("),
    r"\.py$": lazy_pattern(r"^\s*(?:pp?rint|ic)\((?!$)(?!.*\bfile\s*=)"),
    r"\.rb$": lazy_pattern(r"^\s*(?:p|pp|puts)\s+[\"'\w@]"),
    r"\.swift$": lazy_pattern(r"^\s*(?:debugPrint|dump|print)\("),
    r"\.(?:c|cc|cpp)$": lazy_pattern(
        r"\b(?:printf\(|fprintf\(\s*stderr,)\s*\"(?:DEBUG|debug|here|XXX|>>>|###)"
    ),
    r"\.cs$": lazy_pattern(r"\bConsole\.Write(?:Line)?\("),
    r"\.exs?$": lazy_pattern(r"\bIO\.inspect\b|(?:^|\|>)\s*dbg\("),
}
_NOTES = lazy_pattern(
    r"(?:#|//|/\*|--|<!--|;|^\s*\*)[\s*!@]*(?P<word>FIXME|TODO(?=\b.*\bbefore"
    r" (?:we |the )?(?:merg|releas|commit|push|ship|deploy))|DO NOT (?:MERGE|COMMIT"
    r"|SUBMIT)|DONOTMERGE|NOCOMMIT|WIP)\b"
)
_LOCAL = lazy_pattern(
    r"(?:^|/)(?:\.env(?:\.(?:local|production|prod|staging|development|dev))?|\.DS_Store"
    r"|Thumbs\.db|desktop\.ini|[^/]*\.(?:orig|rej|swp|swo|bak|pyc)|[^/]*~|npm-debug\.log"
    r"|yarn-error\.log|[^/]*_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+\.\w+|core\.\d+|[^/]*\.log"
    r"|\.coverage|nohup\.out|debug\.log|\.idea/workspace\.xml|id_rsa|id_ed25519|\.netrc"
    r"|\.pgpass|[^/]*\.tfstate(?:\.backup)?|[^/]*\.stackdump|__pycache__/.*|node_modules/.*)$"
)
_LONGEST = 1000  # lines of a new file: more were not written for this change, but copied
_OF_SAMPLES = lazy_pattern(r"test|fixture|sample|example|(?:^|/)_?demo/", re.I)
_SCRIPTS = lazy_pattern(
    r"(?:^|/)(?:scripts?|bin|tools?|cli|cmd|examples?|bench\w*|demo\w*|docs?(?:tests?)?|build"
    r"|dev|hack|ci"
    r"|\.github|\.circleci|perf\w*)(?:/|\.|$)|(?:^|[_/-])(?:cli(?!ent|ck|p)|main|manage|setup"
    r"|build|gulpfile|Gruntfile|config|release|script)\w*\.\w+$|\.config\.\w+$|__main__|(?:^"
    r"|/)program\.cs$",
    re.I,
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if (
            file.is_new
            and _LOCAL.search(file.path)
            and not (file.is_test or _OF_SAMPLES.search(file.path))
            and not _was_elsewhere(sources, file)
            and not _is_for_compose(sources, file)
            and not _may_be_shared(sources, file)
        ):
            yield put(_FILE, file, WHOLE_FILE, f"a local file is committed: {file.name}")
        elif (file.added and not file.is_gone and not file.is_new) or (
            file.is_new and file.is_product
        ):
            yield from _lines(sources, file)


def _was_elsewhere(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The base has the same text under the same name in another folder."""
    return any(
        each.is_gone and each.name == file.name and each.base == file.head for each in sources.files
    )


def _is_for_compose(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The compose file beside it asks for each of its variables, and none is a secret by its name.
    https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/"""
    rows = [row.strip() for row in file.head_rows if row.strip() and not row.startswith("#")]
    names = [row.partition("=")[0].strip() for row in rows]
    if file.name != ".env" or any(map(_SECRET.search, names)):
        return False
    paths = [path for path in sources.list_head() if path.startswith(f"{file.folder}")]
    beside = [path for path in paths if _COMPOSE.fullmatch(path[len(file.folder) :])]
    texts = "\n".join(sources.read_head(beside).values())
    return bool(names) and all(re.search(rf"\$\{{?{re.escape(each)}\b", texts) for each in names)


_COMPOSE = lazy_pattern(r"(?:docker-)?compose(?:\.[\w-]+)*\.ya?ml")
_SECRET = lazy_pattern(r"(?i)pass|secret|token|key|cred|private|auth|salt|dsn|url")


def _may_be_shared(sources: ComparisonInput, file: ComparedFile) -> bool:
    """Settings of an environment, which some tools keep beside the code for everybody, where the
    project neither ignores the file nor has a sample of it:
    https://symfony.com/doc/current/configuration.html#configuring-environment-variables-in-env-files
    """
    if not _ENVIRONMENT.search(file.name) or is_ignored(sources, file):
        return False
    if _holds_for_everybody(file):
        return True
    names = [
        path[len(file.folder) :]
        for path in sources.list_head()
        if path.startswith(f"{file.folder}.env") and path != file.path
    ]
    if any(_SAMPLE.search(name) for name in names):
        return False
    return file.name != ".env" or any(_ENVIRONMENT.search(name) for name in names)


def _holds_for_everybody(file: ComparedFile) -> bool:
    """Each of its values is public, taken from another variable, or plain and no secret."""
    rows = [row for row in file.head_rows if "=" in code_of(row)]
    if not rows:
        return False
    if all(map(_PUBLIC.match, rows)) or all(map(_REFERS.match, rows)):
        return True
    said = any(row.lstrip().startswith("#") for row in file.head_rows)
    plain = _PLAIN if said else _SWITCH
    runs = any(map(_RUNS.match, file.head_rows))
    return not any(map(_SECRET.search, rows)) and (runs or all(map(plain.match, rows)))


_ENVIRONMENT = lazy_pattern(r"^\.env(?:\.(?:production|prod|staging|development|dev|test))?$")
# Their values are part of the page that everybody gets: https://vite.dev/guide/env-and-mode
_PUBLIC = lazy_pattern(
    r"\s*(?:export\s+)?(?:VITE|NEXT_PUBLIC|REACT_APP|NUXT_PUBLIC|VUE_APP|EXPO_PUBLIC|GATSBY"
    r"|PUBLIC)_"
)
# What another variable says is another thing on each machine
_REFERS = lazy_pattern(r"\s*(?:export\s+)?\w+=[\"']?\$(?:\w+|\{\w+\})(?:/[\w./-]*)?[\"']?\s*$")
# A switch, a number, a name or a path
_PLAIN = lazy_pattern(r"\s*(?:export\s+)?\w+=[\"']?[\w./:-]{0,40}[\"']?\s*$")
# On or off: no machine differs in it
_SWITCH = lazy_pattern(
    r"(?i)\s*(?:export\s+)?\w+=[\"']?(?:true|false|on|off|yes|no|[01])[\"']?\s*$"
)
# A script for a shell that enters the folder, and no list of values: https://direnv.net
_RUNS = lazy_pattern(r"\s*(?:if\s.*(?:\]|then|;)\s*$|source\s|\.\s+\S)")
_SAMPLE = lazy_pattern(r"^\.env\b.*(?:example|sample|dist|template|default|tpl)")


def _lines(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    added = [line for line in file.added if squeeze(line.text) not in sources.removed_statements]
    if stop := _debugger(file, added):
        yield put(_DEBUGGER, file, stop, "a debugger is left in the code")
    if not file.is_product or file.is_foreign or (file.is_new and len(file.head_rows) > _LONGEST):
        return
    notes = (line for line in added if _NOTES.search(line.text))
    note = next((line for line in notes if not _has_link(file, line)), None)
    if note and (found := _NOTES.search(note.text)) and not _is_usual(sources, found["word"], file):
        yield put(_NOTE, file, note, f"a note is left in the code: {found['word']}")
    yield from _prints(sources, file, added)


def _debugger(file: ComparedFile, added: Sequence[Line]) -> Line | None:
    """The first new line that stops in a debugger, in a file that is not about debugging."""
    if not re.search(r"\.(?:py|rb|php|go|exs?)$", file.name):
        return None
    old = {squeeze(code_of(line.text)) for line in file.removed}
    new = (line for line in added if squeeze(code_of(line.text)) not in old)
    stops = [line for line in new if _STOPS.search(code_of(line.text))]
    samples = lines_in_long_texts(file.path, file.head_rows) if stops else ()
    stop = next((line for line in stops if line.number not in samples), None)
    if stop is None or _is_debug_tool(file, stop):
        return None
    return stop if file.is_product or not _LOADS.match(stop.text) else None


def _is_debug_tool(file: ComparedFile, stop: Line) -> bool:
    """The file is about debugging by its name, or gives such a function to others."""
    name = re.findall(r"\w+", stop.text)[0]
    own = rf"\b(?:function|def|func)\s+{name}\b"
    return re.search(r"debug|pdb|pry", file.path, re.I) is not None or bool(
        re.search(own, file.head)
    )


def _attributes(file: ComparedFile, line: Line) -> Iterator[str]:
    """The attributes above a line; Rust has its tests last."""
    return (row for row in file.head_rows[: line.number] if row.lstrip().startswith("#["))


def _has_link(file: ComparedFile, note: Line) -> bool:
    """It names the issue, or its next line does: as it was asked for."""
    return any(map(_LINK.search, file.head_rows[note.number - 1 : note.number + 1]))


_LINK = lazy_pattern(r"https?://|(?<![&\w])#\d+\b|\b[A-Z]{2,}-\d+\b|\bissues? \d+\b")


def _is_usual(sources: ComparisonInput, word: str, file: ComparedFile) -> bool:
    """The project writes such notes elsewhere: it has decided about them."""
    if word.startswith(("DO", "NO", "WIP")):
        return False
    places = [
        place
        for place in sources.find_words([word])[word]
        if place.path not in sources.changed_paths
    ]
    return len(places) >= 3 or any(word in each.base for each in sources.files)


def _prints(sources: ComparisonInput, file: ComparedFile, added: list[Line]) -> Iterator[Finding]:
    pattern = next((p for suffix, p in _PRINTS.items() if re.search(suffix, file.path)), None)
    if pattern is None or file.is_new or _SCRIPTS.search(file.path):
        return  # what a new file prints it may print for those who use it
    numbers = {each.number for each in added}
    new = (line for line in file.code.added if line.number in numbers)
    said = (line for line in new if not _FOR_USERS.search(line.text))
    line = next((line for line in said if pattern.search(code_of(line.text))), None)
    if line is None or _is_example(file, line):
        return
    found = pattern.search(line.text)
    word = re.findall(r"\w+", found[0])[0] if found else ""
    if _printed_before(file, pattern, word) or _has_moved(sources, pattern):
        return
    if _count_elsewhere(sources, pattern, word) <= 1:
        yield put(_PRINT, file, line, "debug output is left in the code")


def _count_elsewhere(sources: ComparisonInput, pattern: re.Pattern[str], word: str) -> int:
    """How often the product's other files print in this way."""
    return sum(
        place.path not in sources.changed_paths
        and pattern.search(place.text) is not None
        and not _SCRIPTS.search(place.path)
        and not re.search(r"test|spec|example|fixture|\.md$|docs?/", place.path, re.I)
        for place in sources.find_words([word])[word]
    )


# A message that says by its first word that it is one
_FOR_USERS = lazy_pattern(
    r"(?i)\(\s*[fr]?[\"'`]\W*(?:warn(?:ing)?|error|usage|note|deprecat\w+|please)\b"
)


def _has_moved(sources: ComparisonInput, pattern: re.Pattern[str]) -> bool:
    gone = (row.text for each in sources.files for row in each.removed)
    return any(pattern.search(code_of(row)) for row in gone)


def _is_example(file: ComparedFile, line: Line) -> bool:
    """It stands in a docstring, in a test beside the code, or in what is there to print."""
    near = (row for row in reversed(file.head_rows[: line.number]) if _DEFINES.search(row))
    if _SHOWS.search(next(near, "")):
        return True
    if file.path.endswith(".rs"):
        return any("test" in row for row in _attributes(file, line))
    above = "".join(file.head_rows[: line.number])
    return file.path.endswith(".py") and above.count('"""') % 2 == 1


_DEFINES = lazy_pattern(r"\b(?:defp?|fun|fn|func|function|static|void)\s+[\w.]+\s*[(<]")
_SHOWS = lazy_pattern(r"(?i)inspect|print|dump|debug|display|show")


def _printed_before(file: ComparedFile, pattern: re.Pattern[str], word: str) -> bool:
    """The file did so before, if in another form."""
    return (
        pattern.search("\n".join(map(code_of, file.base_rows))) is not None
        or any(pattern.search(row) for row in file.base_rows)
        or any(re.search(rf"\b{re.escape(word)}\b", row) for row in file.base_rows)
    )
