"""What made a shell script stop, or kept it from doing harm, and is gone: options of `set`, a
required argument, a trap, a transfer that fails loudly, what is left out of a copy, a step that is
still defined, and a checksum that was compared."""

import re
from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, weigh_loss
from .._remark import ComparisonRule, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from .validation import RULE as _VALIDATION

EVERY_FILE = False
_FAILS = ComparisonRule(
    "error-handling-removed",
    Priority.P2,
    "The script now continues after a failure. Restore it, or say what notices the failure.",
)
_LEAVES = replace(
    _FAILS,
    advice="What the script created or started is left behind. Restore it, or say what cleans up.",
)
_COPIES = ComparisonRule(
    "protection-removed",
    Priority.P2,
    "What was excluded is now copied to where others may read it. Restore the exclusion.",
)
_SHELL = lazy_pattern(r"\.(?:sh|bash|zsh|ksh)$")
_SHEBANG = lazy_pattern(r"#!.*\b(?:ba|z|k|da)?sh\b")
# https://www.gnu.org/software/bash/manual/bash.html#The-Set-Builtin
_SET = lazy_pattern(r"^\s*set\s+-")
_LONG = {"errexit": "e", "nounset": "u", "pipefail": "pipefail"}
# https://www.gnu.org/software/bash/manual/bash.html#Shell-Parameter-Expansion
_REQUIRED = lazy_pattern(r"\$\{(?P<name>\w+):?\?[^}]*\}")
_TRAP = lazy_pattern(r"^\s*trap\s+(?!-\s).*\b(?:EXIT|ERR|INT|TERM|0)\b")
# https://curl.se/docs/manpage.html
_LOUD = lazy_pattern(r"\s(?:--fail(?:-with-body)?|-[a-zA-Z]*f[a-zA-Z]*)(?=\s)")
_CURL = lazy_pattern(r"\bcurl\s")
_ADDRESS = lazy_pattern(r"https?://[^\s\"']+|\$\{?\w*(?:url|URL)\w*\}?")
_LEFT_OUT = lazy_pattern(
    r"\s--exclude(?:-from)?[= ][\"']?[^\s\"']*(?:\.env|secret|\.key|\.pem|credential|\.git\b"
    r"|id_rsa)[^\s\"']*[\"']?"
)
_STEP = lazy_pattern(
    r"^\s*(?P<name>\w*(?:backup|snapshot|verif|check|valid|test|lint|scan|sign|confirm|health)\w*)"
    r"(?:\s+[\"'$\w./-]+)*\s*$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file and kind."""
    for file in sources.files:
        if not file.is_edited_product or not _is_shell(file):
            continue
        yield from islice(_stops(sources, file), 1)
        yield from islice(_compared(sources, file), 1)
        yield from islice(_copies(file), 1)


def _is_shell(file: ComparedFile) -> bool:
    if "." in file.name:
        return _SHELL.search(file.path) is not None
    return _SHEBANG.match(file.written.head) is not None


def _stops(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for line in block.removed:
            if squeeze(line.text) in sources.added_statements:
                continue
            found = (
                _fewer_options(block, line)
                or _not_required(file, block, line)
                or _no_trap(sources, block, line)
                or _silent(block, line)
                or _not_called(file, block, line)
            )
            if found:
                rule = _LEAVES if _TRAP.match(code_of(line.text)) else _FAILS
                rule = weigh_loss(rule, file, block)
                now = quoted(block.added[0].text) if block.added else ""
                yield taken(rule, file, line, found, now)


# https://www.gnu.org/software/coreutils/manual/html_node/cksum-common-options.html
_COMPARES = lazy_pattern(
    r"\b(?:sha\d+sum|shasum|b2sum|md5sum)\b[^&|;]*\s(?:-\w*c\w*|--check)(?=\s)[^&|;'\"]*"
    r"|\bgpgv?\b[^&|;]*--verify\b[^&|;]*|\bcosign\s+verify[^&|;]*|\bminisign\s+-\w*V[^&|;]*"
)
_FETCHES = lazy_pattern(r"\b(?:curl|wget)\b")  # what is downloaded is told as such


def _compared(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The files of a command were compared with a checksum or a signature, and the rest of it is as
    it was."""
    lost = any(_COMPARES.search(line.text) for line in file.removed)
    if not lost or any(map(_COMPARES.search, sources.added_rows)) or _FETCHES.search(file.base):
        return
    for block in file.blocks:
        for line in block.removed:
            code = code_of(line.text)
            bare = squeeze(_JOINTS.sub("", _COMPARES.sub("", code)))
            news = (new for new in block.added if squeeze(_JOINTS.sub("", new.text)) == bare)
            if _COMPARES.search(code) and (new := next(news, None)):
                rule = weigh_loss(_VALIDATION, file, block)
                yield taken(rule, file, line, "a checksum is no longer compared", quoted(new.text))


_JOINTS = lazy_pattern(r"&&|;")


def _options(text: str) -> set[str]:
    """What a line of `set` switches on, of what stops a script."""
    code = code_of(text)
    if not _SET.match(code):
        return set()
    words = code.split()[1:]
    flags = {
        flag for word in words if re.match(r"-[a-zA-Z]", word) for flag in word if flag in "eu"
    }
    return flags | {_LONG[word] for word in words if word in _LONG}


def _fewer_options(block: Block, line: Line) -> str:
    was = _options(line.text)
    news = [options for new in block.added if (options := _options(new.text))]
    lost = was - set().union(*news) if news else set[str]()
    names = {"e": "errexit", "u": "nounset"}
    return f"the script no longer sets {names.get(min(lost), min(lost))}" if lost else ""


def _not_required(file: ComparedFile, block: Block, line: Line) -> str:
    """The same variable is used as it comes."""
    found = _REQUIRED.search(code_of(line.text))
    if not found or _REQUIRED.search("\n".join(new.text for new in block.added)):
        return ""
    plain = re.compile(rf"\$\{{?{found['name']}\b(?!:?[?\-=+])")
    used = any(plain.search(new.text) for new in block.added)
    asked = re.search(
        rf"\$\{{?{found['name']}:?\?|-[zn]\s+\"?\$\{{?{found['name']}\b|\$#", file.head
    )
    name = found["name"]
    what = f"argument {name}" if name.isdigit() else name
    return f"{what} may be missing from now on" if used and not asked else ""


def _no_trap(sources: ComparisonInput, block: Block, line: Line) -> str:
    if block.added or not _TRAP.match(code_of(line.text)):
        return ""
    again = any(_TRAP.match(row) for row in sources.added_rows)
    return "" if again else "what the script did when it ended is no longer done"


def _silent(block: Block, line: Line) -> str:
    """An answer that says that something is wrong is taken for the file."""
    code = code_of(line.text)
    address = _ADDRESS.search(code)
    if not (_CURL.search(code) and _LOUD.search(code) and address):
        return ""
    news = [code_of(new.text) for new in block.added if address[0] in new.text]
    quiet = any(_CURL.search(new) and not _LOUD.search(new) for new in news)
    return "a failed transfer is no longer noticed" if quiet else ""


def _not_called(file: ComparedFile, block: Block, line: Line) -> str:
    """A function of the script is still written, and nothing calls it."""
    found = _STEP.match(code_of(line.text))
    if not found or any(new.text.strip() for new in block.added):
        return ""
    name = found["name"]
    begins = re.compile(rf"^\s*(?:function\s+)?{re.escape(name)}\s*\(\)|^\s*function\s+{name}\b")
    rows = [row for row in file.head_rows if has_word(row, name)]
    alone = len(rows) == 1 and begins.match(rows[0])
    return f"{name} is still defined, but no longer called" if alone else ""


def _copies(file: ComparedFile) -> Iterator[Finding]:
    """The same copy, without leaving out what is secret."""
    for block in file.blocks:
        for old in block.removed:
            lost = _LEFT_OUT.search(code_of(old.text))
            bare = squeeze(_LEFT_OUT.sub("", code_of(old.text))) if lost else ""
            for new in block.added if lost else ():
                if lost and squeeze(code_of(new.text)) == bare:
                    rule = weigh_loss(_COPIES, file, block)
                    title = f"this is copied as well: {quoted(lost[0].split('exclude')[1][1:])}"
                    yield taken(rule, file, old, title, quoted(new.text))
