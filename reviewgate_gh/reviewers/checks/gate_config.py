"""Changes to what decides how code is reviewed: the gate's own files, agents' instructions, hooks,
and workflows' rights."""

import re
from collections.abc import Iterator, Sequence

from ...model.change import EMPTY_BLOBS, FileDiff
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._agent_texts import loosening_line
from ._hook_settings import keeps_hooks
from ._owners import is_outranked, keeps_owners
from ._paths import is_agent_file
from ._sources import (
    CheckInput,
    added_lines,
    added_text,
    content_at_base,
    mentions_any,
    removed_text,
)
from ._workflows import (
    calls_own_workflow,
    is_for_strangers,
    keeps_strangers_out,
    may_run_code,
)

WANTS: tuple[str, ...] = ("*.yml", "*.yaml")
EVERY_FILE = False
_KINDS = (
    (
        "gate-config",
        "the gate's config, waivers or rules",
        lazy_pattern(r"\.reviewgate-gh(?:(?:-waivers)?\.yaml|/rules/[^/]+\.ya?ml)\Z"),
    ),
    (
        "hooks",
        "git hooks",
        lazy_pattern(
            r"(?:\A|/)(?:\.husky/.+|\.githooks/.+|\.pre-commit-config\.ya?ml"
            r"|\.?lefthook(?:-local)?\.\w+)\Z"
        ),
    ),
    (
        "code-owners",
        "the code owners",
        lazy_pattern(r"(?:\A|\A\.github/|\A\.gitlab/|\Adocs/)CODEOWNERS\Z"),
    ),
    (
        "git-settings",
        "git attributes or submodules",
        lazy_pattern(r"(?:\A|/)\.git(?:attributes|modules)\Z"),
    ),
)
_WORKFLOW = lazy_pattern(r"\.github/workflows/[^/]+\.ya?ml\Z|(?:\A|/)action\.ya?ml\Z")
_WORDS = (b"write", b"pull_request_target", b"workflow_run", b"inherit")
_SCOPES = (
    "actions|artifact-metadata|attestations|checks|contents|deployments|discussions|id-token"
    "|issues|models|packages|pages|pull-requests"
    "|repository-projects|security-events|statuses"
)
_WRITE, _INHERITS = "a write permission", "a called workflow that inherits all secrets"
_TRIGGERED = ("a pull_request_target trigger", "a workflow_run trigger")
# What robots that label, greet and close need; without code there is nothing to turn it on
_TALK = ("discussions", "issues", "pull-requests")
_WRITES = lazy_pattern(rf"(?:^|[\s{{,\"'])({_SCOPES})[\"']?\s*:\s*[\"']?write\b")
# Possessive: a line of blanks is read once, not again from each of them.
_TRIGGERS = r"^\s*+(?:[\"']?on[\"']?\s*+:)?[\[{\-\s\"',\w]*"
_RIGHTS = (
    (lazy_pattern(r"\bpermissions[\"']?\s*:\s*[\"']?write-all\b"), "write-all permissions"),
    (_WRITES, _WRITE),
    (lazy_pattern(rf"{_TRIGGERS}\bpull_request_target\b"), _TRIGGERED[0]),
    (lazy_pattern(rf"{_TRIGGERS}\bworkflow_run\b"), _TRIGGERED[1]),
    (
        lazy_pattern(r"\bsecrets[\"']?\s*:\s*[\"']?inherit\b"),
        _INHERITS,
    ),
)
# A version or a commit; a branch is none
_REVISION = lazy_pattern(
    rb"-?(?:rev|ref):[\"']?(?:v?\d+(?:\.\d+)+[\w.+-]*|[0-9a-f]{40})[\"']?(?:#[^\n]*)?"
)
_VERSION = lazy_pattern(rb"version:\s*1")
_OUR_REPOSITORY = lazy_pattern(rb"- repo: https://\S+/reviewgate-gh(?:\.git)?")
_OUR_HOOK = lazy_pattern(
    rb"(?:repos:|hooks:|%b|rev: [\"']?[0-9a-f]{40}[\"']?|- id: reviewgate-gh(?:-staged)?)"
    rb"(?:\s+#.*)?|#.*" % _OUR_REPOSITORY.pattern
)
_UPDATE_BODY = "These revisions run on the machines of everybody who has the hooks installed."
_PLAIN_ATTRIBUTE = lazy_pattern(
    rb"[-!]?text|text=auto|eol=(?:lf|crlf)|[-!]?whitespace(?:=\S+)?|export-(?:ignore|subst)"
    rb"|[-!]?linguist-(?:detectable|documentation|vendored)(?:=(?:true|false))?"
    rb"|linguist-language=\S+"
    # https://git-scm.com/docs/gitattributes#_built_in_merge_drivers
    rb"|-merge|merge=(?:text|binary|union)"
)
# Nobody can read these in a diff anyway
_BINARY_FILES = lazy_pattern(
    rb"\S*\.(?:png|jpe?g|gif|ico|icns|bmp|webp|tiff?|pdf|zip|gz|tgz|bz2|xz|7z|jar|war|ttf|otf"
    rb"|woff2?|eot"
    rb"|mp[34]|mov|avi|ogg|wav|webm|exe|dll|so|dylib|snk|keystore|jks)"
)
_PRE_COMMIT = lazy_pattern(r"(?:\A|/)\.pre-commit-config\.ya?ml\Z")
# Without spaces: a hook's name, its revision and options, and comments
_ORDINARY = lazy_pattern(
    rb"-id:[\w.-]+(?:#.*)?|#.*|(?:(?:args|name|alias|verbose):|-[\"']?--?\w)(?:(?!//)[^$`])*|%b"
    % _REVISION.pattern
)
_HOOK_SCRIPT = lazy_pattern(r"(?:\A|/)(?:\.husky|\.githooks)/[\w-]+\Z")
# A task that the repository itself defines
_TASK = lazy_pattern(
    rb"(?:(?:p?npm|yarn|bun)(?: run)?|make|just|task|composer run)(?: [\w:./=-]+)+|\s*#(?!!).*|"
)
_PROSE = lazy_pattern(r"\.mdc?\Z|rules\Z", re.IGNORECASE)
# What settings of agents forbid, or run beside
_FORBIDS = lazy_pattern(rb"""["']?\b(?:deny|ask|hooks|disable\w*|sandbox\w*)["']?\s*[:=\]]""")
_COMMENT = lazy_pattern(r"\s#.*|\A#.*")
_BODY = (
    "This takes effect as soon as it is merged: a person should approve it, whatever the rest "
    "of the review says."
)
_RIGHTS_BODY = (
    "Check that the job needs it, and that no step with this permission runs code or text from "
    "an untrusted pull request."
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a file; in workflows, one more for each line that raises rights a little.

    A whole tree changes nothing.
    """
    if sources.change.whole_tree:
        return
    for file in sources.change.files:
        kind = _kind(file.path) or _kind(file.old_path)
        if kind and (_sets_nothing(file) or _is_stray_link(file, sources)):
            continue
        if kind:
            yield _changed(file, *kind, _weigh(file, kind[0], sources))
        elif _WORKFLOW.search(file.path) and mentions_any(file, _WORDS):
            yield from _raised(file, sources.contents.get(file.path, b""))


def _is_stray_link(file: FileDiff, sources: CheckInput) -> bool:
    """A gitlink that no submodule is known for: nothing is ever checked out there. The check of
    submodules tells it."""
    return file.is_submodule and ".gitmodules" not in sources.head_paths


def _kind(path: str) -> tuple[str, str] | None:
    if is_agent_file(path) and not path.endswith(("/.gitignore", "/.gitkeep")):
        return "agent-instructions", "the instructions or permissions of coding agents"
    return next(((rule, what) for rule, what, pattern in _KINDS if pattern.search(path)), None)


def _weigh(file: FileDiff, rule: str, sources: CheckInput) -> tuple[Priority, int]:
    """The priority, and the line that decides it, else the first one."""
    line = _first_added(file)
    if rule == "agent-instructions" and _PROSE.search(_agent_path(file)):
        if not is_agent_file(file.path):
            return Priority.P3, line
        if loosens := next((n for n, row in added_lines(file) if loosening_line(row)), 0):
            return Priority.P2, loosens
        # What was another file before the diff does not show
        shown = file.status in "MAD" or is_agent_file(file.old_path)
        return (Priority.P3 if shown else Priority.P2), line
    return (Priority.P3 if _guards_no_less(file, rule, sources) else Priority.P2), line


def _agent_path(file: FileDiff) -> str:
    return file.path if is_agent_file(file.path) else file.old_path


def _guards_no_less(file: FileDiff, rule: str, sources: CheckInput) -> bool:
    """What the file guards is guarded as before."""
    if rule == "hooks":
        ours = _adds_our_hook(file) and _is_own(sources)
        return ours or _runs_nothing_else(file) or _keeps_hooks(file, sources)
    if rule == "code-owners":
        changed = {each.path for each in sources.change.files} - {file.path}
        return (
            _is_first(file, sources)
            or _keeps_owners(file, sources)
            or (file.status in "AMD" and is_outranked(file.path, sources.head_paths, changed))
            or (_only_moves(file) and not is_outranked(file.path, sources.head_paths, changed))
        )
    if rule == "agent-instructions":
        return file.status == "D" and not _FORBIDS.search(sources.before(file))
    if file.path.endswith(".gitmodules"):
        return _only_adds_submodules(file, sources)
    return rule == "git-settings" and _hides_nothing(file)


def _runs_nothing_else(file: FileDiff) -> bool:
    """Revisions and options of hooks that are there, and further hooks of repositories that the
    project uses already: no other code comes, and no hook is gone or given less to read."""
    old, new = (
        [b"".join(row.split()) for row in text(file).split(b"\n") if row.strip()]
        for text in (removed_text, added_text)
    )
    return (
        _PRE_COMMIT.search(file.path) is not None
        and file.status == "M"
        and not any(row.startswith(b"-id:") for row in old)
        and all(map(_ORDINARY.fullmatch, (*old, *new)))
    )


def _keeps_hooks(file: FileDiff, sources: CheckInput) -> bool:
    """The hooks of the base are all there, and no code comes that did not run before, but what has
    a version; the first hooks have none before them."""
    if file.status == "M" and _HOOK_SCRIPT.search(file.path):
        rows = [row.strip() for row in added_text(file).split(b"\n")]
        return not removed_text(file).strip() and all(map(_is_own_task, rows))
    if not _PRE_COMMIT.search(file.path) or file.status not in "AM":
        return False
    return keeps_hooks(sources.before(file), sources.contents.get(file.path, b""))


def _is_own_task(row: bytes) -> bool:
    words = row.split()[1:2]
    return _TASK.fullmatch(row) is not None and words != [b"exec"] and words != [b"dlx"]


def _is_first(file: FileDiff, sources: CheckInput) -> bool:
    """Nobody owned anything before."""
    others = (path for path in sources.head_paths if path != file.path)
    gone = any(each.status in "RD" for each in sources.change.files if _owns(each.old_path))
    known = bool(sources.head_paths)
    return known and file.status == "A" and not gone and not any(map(_owns, others))


def _only_moves(file: FileDiff) -> bool:
    """From one of the places where it counts to another one, as it was."""
    return file.status == "R" and not file.hunks and _owns(file.old_path) and _owns(file.path)


def _keeps_owners(file: FileDiff, sources: CheckInput) -> bool:
    return file.status == "M" and keeps_owners(
        sources.before(file), removed_text(file), added_text(file)
    )


def _owns(path: str) -> bool:
    return any(rule == "code-owners" and pattern.search(path) for rule, _what, pattern in _KINDS)


def _hides_nothing(file: FileDiff) -> bool:
    """Attributes of ends of lines, blanks and languages: what a reviewer is shown, what git runs
    and what it merges stay the same (gitattributes(5))."""
    rows = [*added_text(file).split(b"\n"), *removed_text(file).split(b"\n")]
    set_here = [row.split() for row in rows if row.strip() and not row.startswith(b"#")]
    return (
        file.path.endswith(".gitattributes")
        and file.status in "AM"
        and bool(file.hunks)
        and all(_is_plain(pattern, each) for pattern, *row in set_here for each in row)
    )


def _only_adds_submodules(file: FileDiff, sources: CheckInput) -> bool:
    """Submodules come, each with a place and an address that shows, or go; of those that stay
    nothing is said anew (gitmodules(5)). What commit they are at is told by itself."""
    old, new = removed_text(file), added_text(file)
    if file.status == "D" or (file.status == "M" and not new.strip()):
        return True
    rows = [row for row in map(bytes.strip, new.split(b"\n")) if row]
    names = [row for row in rows if row.startswith(b"[")]
    before = sources.before(file) if file.status == "M" else b""
    return (
        file.status in "AM"
        and not old.strip()
        and rows[:1] == names[:1]
        and len({*names}) == len(names)
        and not any(name.removeprefix(b"[submodule").strip(b" ]") in before for name in names)
        and all(map(_SUBMODULE.fullmatch, rows))
    )


_SUBMODULE = lazy_pattern(
    rb"\[submodule \"[^\"\\]+\"\]|path\s*=\s*[\w./-]+|url\s*=\s*(?:https://|git@|\.\.?/)[\w./@:~+-]+"
)


def _is_plain(pattern: bytes, attribute: bytes) -> bool:
    binary = attribute in (b"binary", b"-diff", b"-merge") and _BINARY_FILES.fullmatch(pattern)
    return bool(binary or _PLAIN_ATTRIBUTE.fullmatch(attribute))


def _sets_nothing(file: FileDiff) -> bool:
    """A new configuration of the gate that is comments alone, as `init` writes it; new attributes
    without a line."""
    if file.status == "A" and file.oid in EMPTY_BLOBS and file.path.endswith(".gitattributes"):
        return True
    rows = map(bytes.strip, added_text(file).split(b"\n"))
    return (
        file.path == ".reviewgate-gh.yaml"
        and file.status == "A"
        and all(not row or row.startswith(b"#") or _VERSION.fullmatch(row) for row in rows)
    )


def _adds_our_hook(file: FileDiff) -> bool:
    """The gate's own hook is added at a commit, and nothing else."""
    rows = [row for row in map(bytes.strip, added_text(file).split(b"\n")) if row]
    return (
        not removed_text(file).strip()
        and any(map(_OUR_REPOSITORY.fullmatch, rows))
        and all(map(_OUR_HOOK.fullmatch, rows))
    )


def _is_own(sources: CheckInput) -> bool:
    """Approved, or made by the user it seems: a stranger's repository can have any name."""
    return sources.change.trusted or sources.change.made_here


def _changed(file: FileDiff, rule: str, what: str, weight: tuple[Priority, int]) -> Finding:
    if rule == "hooks" and _only_updates(file):
        return Finding(
            Priority.P3,
            "gate-config",
            "builtin/hook-version",
            file.path,
            _first_added(file),
            _first_added(file),
            "this updates pinned git hooks",
            _UPDATE_BODY,
        )
    priority, line = weight
    return Finding(
        priority,
        "gate-config",
        f"builtin/{rule}",
        file.path,
        line,
        line,
        f"this changes {what}",
        _BODY,
    )


def _first_added(file: FileDiff) -> int:
    return next((first for hunk in file.hunks for first, _last in hunk.added_runs()), 0)


def _only_updates(file: FileDiff) -> bool:
    """Nothing but revisions and indents change, from one version or commit to another."""
    old, new = (
        [b"".join(row.split()) for row in text(file).split(b"\n")]
        for text in (removed_text, added_text)
    )
    pairs = list(zip(old, new, strict=False))
    pinned = [pair for pair in pairs if all(_REVISION.fullmatch(row) for row in pair)]
    same = all(one == other for one, other in pairs if (one, other) not in pinned)
    return file.status == "M" and len(old) == len(new) and bool(pinned) and same


def _raised(file: FileDiff, head: bytes) -> Iterator[Finding]:
    """One finding a line of little weight; all others of a workflow are one: who may start it and
    what it may do then are one question. What only moves weighs less, such as a permission from the
    workflow to one of its jobs, or a trigger that is indented now."""
    rows = [
        _COMMENT.sub("", row) for row in removed_text(file).decode("utf-8", "replace").split("\n")
    ]
    before = {scope for row in rows for scope in _WRITES.findall(row)}
    started = {
        what for pattern, what in _RIGHTS if what in _TRIGGERED and any(map(pattern.search, rows))
    }
    gained: list[tuple[int, str]] = []
    limited = _is_limited_now(file, head)
    for number, line in added_lines(file):
        code = _COMMENT.sub("", line)
        for pattern, what in _RIGHTS:
            if not (found := pattern.search(code)):
                continue
            moved = what in started or (what == _WRITE and found[1] in before)
            less = what == _WRITE and limited
            if moved or less or _is_harmless(what, found, number, head):
                verb = "moves" if moved else "gains"
                yield _right(file.path, number, Priority.P3, f"{verb} {what}")
            else:
                gained.append((number, what))
    if gained:
        yield _together(file, gained)


def _is_limited_now(file: FileDiff, head: bytes) -> bool:
    """The workflow said nothing of rights, and gives each job only what it names from now on."""
    if file.status == "A" or _NO_RIGHTS.search(head) is None:
        return False
    return b"permissions:" not in content_at_base(file, head)


_NO_RIGHTS = lazy_pattern(
    rb"(?m)^permissions:\s*(?:\{\s*\}|read-all|\s+contents:\s*read)\s*(?:#.*)?$"
)


def _together(file: FileDiff, gained: Sequence[tuple[int, str]]) -> Finding:
    lines = ", ".join(str(number) for number, _what in gained)
    where = f" Lines {lines}." if len(gained) > 1 else ""
    titles = " and ".join(dict.fromkeys(what for _number, what in gained))
    # Where the linters speak of it, too
    place = next((number for number, what in gained if what in _TRIGGERED), gained[0][0])
    return _right(file.path, place, Priority.P2, f"gains {titles}", where)


def _right(path: str, line: int, priority: Priority, says: str, more: str = "") -> Finding:
    title, rule = f"this workflow {says}", "builtin/workflow-rights"
    body = f"{_RIGHTS_BODY}{more}"
    return Finding(priority, "gate-config", rule, path, line, line, title, body)


def _is_harmless(what: str, found: re.Match[str], number: int, head: bytes) -> bool:
    """No stranger starts the workflow, or this job of it; or it runs no code, and all that can be
    done with its rights is to talk; or the secrets stay in the repository."""
    if what == _INHERITS:
        return calls_own_workflow(head, number)
    if what in _TRIGGERED:
        return bool(head) and not may_run_code(head)
    if what != _WRITE:
        return False
    talks = bool(head) and found[1] in _TALK and not may_run_code(head)
    # What is called never has more rights than who calls it
    no_stranger = not is_for_strangers(head, called=False) or keeps_strangers_out(head, number)
    return talks or no_stranger
