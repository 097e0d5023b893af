"""`trust.json`: the approvals of this clone. It lies in the git directory, where no commit can
bring it."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from ..git import Git
from ..git.objects import list_tree
from ..model.change import Approvals, RunGrant
from ..model.errors import GateError, UsageError
from ..model.finding import sha1, sha256, sha256_hex
from ..model.waiver import Waiver
from ..system.files import STATE_FOLDER, file_lock, set_damaged_aside, write_atomic
from .audit_facts import approval_fact
from .audit_log import record

_SCHEMA = 1
_WAIT = 10.0  # seconds for another process that is writing


def approvals_file(git: Git) -> Path:
    """Where the approvals are kept; all work trees of a clone share them."""
    return git.common / STATE_FOLDER / "trust.json"


def load_approvals(git: Git) -> Approvals:
    """The approvals; a file that is missing or damaged approves nothing."""
    try:
        return _read(approvals_file(git).read_bytes())
    except (OSError, ValueError, RecursionError):
        return Approvals()


def damage(git: Git) -> str:
    """What is wrong with the file of approvals, which then approves nothing and names no branch; ""
    where nothing is."""
    path = approvals_file(git)
    try:
        _read(path.read_bytes())
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, RecursionError):
        return (
            f"{path} cannot be read or is damaged, so nothing is approved and no branch is "
            "recorded; write it again: reviewgate-gh trust"
        )
    return ""


def change_approvals(git: Git, change: Callable[[Approvals], Approvals]) -> Approvals:
    """Replace the approvals by what `change` makes of them, and return that; a damaged file is kept
    under another name.

    Raises:
        UsageError: the file cannot be written.
    """
    path = approvals_file(git)
    with file_lock(path.with_suffix(".lock"), _WAIT) as held:
        if not held:
            raise UsageError(
                f"cannot lock {path}",
                "make sure the git directory is writable and that no other process holds the lock",
            )
        before = _read_or_set_aside(path)
        after = change(before)
        if after != before:
            text = _text(after)
            try:
                write_atomic(path, text.encode())
            except OSError as error:
                raise UsageError(
                    f"cannot write {path}: {error.strerror}",
                    "make sure the git directory is writable",
                ) from None
            record(git.common, git.user[0], [approval_fact(before, after, sha256_hex(text))])
    return after


def approve_content(
    git: Git,
    files: Iterable[tuple[str, bytes]] = (),
    waivers: Iterable[str] = (),
    dropped: Iterable[str] = (),
) -> None:
    """Approve files that this program has just written for the user, and single waivers; `dropped`
    ones were taken out of their file.

    Where the approval cannot be kept the file is still there, and the user can approve it; so no
    failure is raised.
    """
    pairs = [(path, oid) for path, data in files for oid in content_ids(git, data)]
    added, gone = frozenset(waivers), frozenset(dropped)
    if not pairs and not added and not gone:
        return
    try:
        change_approvals(
            git,
            lambda known: replace(with_files(known, pairs), waivers=(known.waivers - gone) | added),
        )
    except GateError:
        return


def with_files(known: Approvals, pairs: Iterable[tuple[str, str]]) -> Approvals:
    """The approvals with these contents in the place of earlier ones at the same paths.

    What was replaced must not count again when somebody brings it back.
    """
    new = frozenset(pairs)
    paths = {path for path, _oid in new}
    return replace(
        known, files=frozenset(pair for pair in known.files if pair[0] not in paths) | new
    )


def change_grant(git: Git, run_id: str, change: Callable[[RunGrant], RunGrant | None]) -> None:
    """Replace what is granted to a run by what `change` makes of it; None takes it back.

    Raises:
        UsageError: the file of approvals cannot be written.
    """

    def changed(known: Approvals) -> Approvals:
        before = known.grant_of(run_id)
        after = change(before)
        others = frozenset(each for each in known.grants if each.run_id != run_id)
        empty = after is None or not (after.agents or after.commits)
        return replace(known, grants=others if empty else others | {after})

    change_approvals(git, changed)


def with_tree(git: Git, known: Approvals, tree: str) -> Approvals:
    """The approvals with everything that this commit or tree holds, which was approved as a
    whole."""
    return replace(
        known,
        files=known.files
        | {
            (entry.path, entry.oid)
            for entry in list_tree(git, tree)
            if entry.mode.startswith("100")
        },
    )


def content_ids(git: Git, data: bytes) -> tuple[str, ...]:
    """The ids that approve this content: its own, and the one with the line ends that git stores
    where it writes others to the disk.

    https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreautocrlf
    """
    stored = data if b"\0" in data else data.replace(b"\r\n", b"\n")
    return tuple(dict.fromkeys((git_blob_id(git, data), git_blob_id(git, stored))))


def approved_content(git: Git, known: Approvals, path: str, data: bytes) -> bool:
    """This content was approved at this path, whatever its line ends."""
    return any(known.is_approved(path, oid) for oid in content_ids(git, data))


def git_blob_id(git: Git, data: bytes) -> str:
    """The id that git gives this content in this repository."""
    digest = sha1 if len(git.empty_tree) == 40 else sha256
    return str(digest(b"blob %d\0" % len(data) + data).hexdigest())


def waiver_digest(waiver: Waiver) -> str:
    """What one entry of the waivers file says, whatever its layout: an entry that says something
    else is not the approved one."""
    said = to_builtins(waiver)
    if not waiver.unit:
        del said["unit"]  # entries that were approved before there were units have none
    return sha256_hex(json.dumps(said, sort_keys=True), 32)


def _read_or_set_aside(path: Path) -> Approvals:
    try:
        return _read(path.read_bytes())
    except FileNotFoundError:
        return Approvals()
    except (OSError, ValueError, RecursionError):
        set_damaged_aside(path)
        return Approvals()


def _read(data: bytes) -> Approvals:
    plain: Any = json.loads(data)
    if not isinstance(plain, dict) or plain.get("version") != _SCHEMA:
        raise ValueError("not an approvals file of this version")
    files = _list(plain, "files")
    if any(
        not isinstance(row, list) or len(row) != 2 or not all(isinstance(word, str) for word in row)
        for row in files
    ):
        raise ValueError("files: expected pairs of path and blob id")
    branch = plain.get("branch", "")
    if not isinstance(branch, str):
        raise ValueError("branch: expected a name")
    pairs = frozenset((path, oid) for path, oid in files)
    return Approvals(
        pairs,
        frozenset(_words(plain, "waivers")),
        frozenset(_words(plain, "trees")),
        branch,
        frozenset(map(_grant, _list(plain, "runs"))),
    )


def _grant(plain: Any) -> RunGrant:
    if not isinstance(plain, dict) or not isinstance(run_id := plain.get("run"), str):
        raise ValueError("runs: expected objects with a run's id")
    agents, commits = _words(plain, "agents"), _words(plain, "commits")
    return RunGrant(run_id, tuple(agents), frozenset(commits))


def _list(plain: dict[str, Any], key: str) -> list[Any]:
    value = plain.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"{key}: expected a list")
    return value


def _words(plain: dict[str, Any], key: str) -> list[str]:
    words = _list(plain, key)
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f"{key}: expected names")
    return words


def _text(approvals: Approvals) -> str:
    plain = {
        "version": _SCHEMA,
        "branch": approvals.branch,
        "files": sorted(map(list, approvals.files)),
        "waivers": sorted(approvals.waivers),
        "trees": sorted(approvals.trees),
        "runs": [
            {"run": each.run_id, "agents": [*each.agents], "commits": sorted(each.commits)}
            for each in sorted(approvals.grants, key=lambda each: each.run_id)
        ],
    }
    return json.dumps(plain, indent=1) + "\n"
