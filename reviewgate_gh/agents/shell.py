"""What a command line that an agent is about to run would do to the gate.

It is read as text, with its quotes taken away, so that what a nested shell would run counts as
well; what is data for certain (a commit's message, a pattern) is left out before. Text alone cannot
show everything that a shell might do: the git hook and the CI review what is pushed, whatever the
command line said, and what was changed is told when the agent stops, however that was done.
"""

from itertools import pairwise

from msgspec import Struct

from ..model.variables import AGENT_MARKS, SKIP_VARIABLE
from ..text.patterns import lazy_pattern
from .shell_data import executed_parts, pushing_folders

_QUOTES = lazy_pattern(r"[\"'\\]")
_WORDS = lazy_pattern(r"[^\s;|&()<>`{}\[\]$]+")
_GIT = lazy_pattern(r"(?<![\w.])git(?!\w)")
_PUSH = lazy_pattern(r"(?<![\w-])push(?![\w-])|(?<!\w)(?:git-push|send-pack)(?!\w)")
_COMMIT = lazy_pattern(r"(?<![\w-])commit(?![\w-])")
_SETTERS = {"export", "declare", "typeset", "set", "setenv", "local", "readonly", "read", "env"}
# All repetitions are bounded: a line may be made to take long
_SKIP_SET = lazy_pattern(rf"\b{SKIP_VARIABLE}\b\]?\s{{0,9}}:?\+?=")
# Shorter beginnings can mean --no-verbose, too: https://git-scm.com/docs/gitcli
_NO_VERIFY = lazy_pattern(r"(?<![\w-])--no-veri(?:fy?)?(?![\w-])")
# Others of git's commands that have it; what is none of these may be an alias of push
_WITH_NO_VERIFY = {"am", "cherry-pick", "commit", "gui", "merge", "pull", "rebase", "revert"}
# Settings by which git finds other hooks; a name alone is how they are read
_HOOKS_SET = lazy_pattern(
    r"(?:core\.hookspath|include(?:if\.\S{0,200}?)?\.path)(?:\s{0,9}=|\s{1,9}[^\s;|&-])"
    r"|unset[\w-]{0,9}\s{1,9}core\.hookspath"
    r"|(?:remove|rename)-section\s{1,9}(?:core|include)"
)
_SETTINGS_MOVED = lazy_pattern(
    r"\b(?:GIT_CONFIG\w{0,40}|GIT_DIR|GIT_COMMON_DIR|GIT_EXEC_PATH|HOME|XDG_CONFIG_HOME)="
)
_GIT_FOLDER = r"(?:\.git|git-dir\)|git-common-dir\)|\$GIT_DIR)/"
_OWN_FILES = (
    rf"(?:{_GIT_FOLDER}{{1,3}}(?:hooks|config|reviewgate-gh)(?![\w-])|git-path\s{{1,9}}hooks"
    r"|(?:^|[\s/])reviewgate-gh/(?:trust\.json|agents|audit|reviews)(?![\w-]))"
)
_OWN_FILE = lazy_pattern(_OWN_FILES)
_WRITTEN = lazy_pattern(rf">[ \t]{{0,9}}[^\n;|&>]{{0,300}}?{_OWN_FILES}")
_IN_GIT = lazy_pattern(
    r"(?:cd|pushd)\s{1,9}[^\n;|&]{0,300}?(?:\.git(?:/\S{0,100})?|git-(?:common-)?dir\)"
    r"|hooks\))\s{0,9}"
    r"(?:[\n;|&]|$)"
)
_GIT_REMOVED = lazy_pattern(r"(?:rm|mv)\s(?:[^\n;|&]{0,300}\s)?(?:\./)?\.git/?(?=[\s;|&)]|$)")
_CHANGERS = {
    "chmod", "cp", "dd", "install", "ln", "mv", "rm", "rmdir", "rsync", "tee", "truncate", "unlink",
}  # fmt: skip
_EDITORS = {"sed": ("-i", "--in-place"), "perl": ("-i", "-pi", "-ni"), "find": ("-delete", "-exec")}
_OURS = {"reviewgate-gh", "reviewgate_gh", "review-gate"}
_HARMLESS = {"--list", "--dry-run", "--revoke", "--help", "-h"}
_CLEARED = lazy_pattern(
    r"\benv(?:\s{1,9}(?:-\S{1,99}|\w{1,99}=\S{0,99})){0,9}?\s{1,9}(?:-\w{0,9}i\w{0,9}|-"
    r"|--i[\w-]{0,40})(?=\s)"
    r"|\bexec\s{1,9}-\w{0,3}c\w{0,3}\s"
)
_ADMIN_MERGE = lazy_pattern(r"(?<![\w-])gh(?!\w)[^\n;|&]{0,300}?\bmerge\b[^\n;|&]{0,900}?--admin\b")


class CommandLine(Struct, frozen=True):
    """Whether it pushes, whether it commits before that, what in it only a person may do, and the
    folders that it pushes from."""

    pushes: bool
    commits: bool
    forbidden: tuple[str, ...]
    folders: tuple[str, ...] = ("",)


def read_command(text: str) -> CommandLine:
    """What the command line would do."""
    pushes = commits = False
    forbidden = dict[str, None]()
    for part in executed_parts(text):
        plain = _QUOTES.sub("", part)
        git = _GIT.search(plain) is not None
        publishes = git and _PUSH.search(plain) is not None
        pushes = pushes or publishes
        commits = commits or (git and _COMMIT.search(plain) is not None)
        forbidden |= dict.fromkeys(_forbidden(plain, publishes))
    folders = pushing_folders(text) if pushes else ("",)
    return CommandLine(pushes, pushes and commits, tuple(forbidden), folders)


def _forbidden(plain: str, pushes: bool) -> list[str]:
    words = _WORDS.findall(plain)
    names = [word.rpartition("/")[2] for word in words]
    ours = any(map(_is_ours, names))
    asked = set(pairwise(words)) if ours else set()
    found = {
        f"skip the review with {SKIP_VARIABLE}": _skips(plain, words, pushes),
        "push without the hook (--no-verify)": bool(_NO_VERIFY.search(plain))
        and (pushes or ("git" in names and _WITH_NO_VERIFY.isdisjoint(words))),
        "change where git looks for hooks": bool(_HOOKS_SET.search(plain.lower()))
        or (pushes and bool(_SETTINGS_MOVED.search(plain))),
        "change hooks, git's settings or approvals": _changes_own_files(plain, words, names),
        "remove the pre-push hook": ("hook", "uninstall") in asked,
        "hide from the gate that an agent runs it": (pushes or ours) and _hides(plain),
        "accept findings": not {("waive", "add"), ("waive", "migrate")}.isdisjoint(asked),
        "clear what agents tried": ("agents", "clear") in asked,
        "merge past required checks (--admin)": bool(_ADMIN_MERGE.search(plain)),
        "approve what may run": _HARMLESS.isdisjoint(words) and _calls_trust(names),
    }
    return [what for what, is_so in found.items() if is_so]


def _skips(plain: str, words: list[str], pushes: bool) -> bool:
    is_set = pushes or bool(_SKIP_SET.search(plain)) or not _SETTERS.isdisjoint(words)
    return SKIP_VARIABLE in plain and is_set


def _is_ours(program: str) -> bool:
    return program.partition(".")[0] in _OURS


def _calls_trust(names: list[str]) -> bool:
    return any(_is_ours(name) and word == "trust" for name, word in pairwise(names))


def _changes_own_files(plain: str, words: list[str], names: list[str]) -> bool:
    edits = any(
        program in names and any(word.startswith(options) for word in words)
        for program, options in _EDITORS.items()
    )
    changes = edits or not _CHANGERS.isdisjoint(names)
    writes = _WRITTEN.search(plain) is not None or (">" in plain and bool(_IN_GIT.search(plain)))
    touched = any(pattern.search(plain) for pattern in (_OWN_FILE, _IN_GIT))
    return writes or (changes and touched) or bool(_GIT_REMOVED.search(plain))


def _hides(plain: str) -> bool:
    """It takes the variables away that show an agent, by name or all of them."""
    return bool(_CLEARED.search(plain)) or any(mark in plain for mark in AGENT_MARKS)
