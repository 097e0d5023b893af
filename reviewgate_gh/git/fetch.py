"""Fetching into refs of our own: the one place where git may use the network."""

import os
from collections.abc import Mapping

from msgspec import Struct

from ..model.errors import UpstreamError
from .client import Git, GitFailed

# Remotes that start a program of the address's own choice (ext::, a helper's name) are refused.
# https://git-scm.com/docs/git-remote-ext
_PROTOCOLS = "https:http:ssh:file"
# How the user's own fetches reach the remote and prove who they are; the token for GitHub's API is
# not among them.
_KEPT = (
    "SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "HTTPS_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
)  # fmt: skip
_CONFIG = "GIT_CONFIG_COUNT"
# https://git-scm.com/docs/git-config (remote.<name>.uploadpack)
# The remote's settings may name another one, which would run here for a folder
_PROGRAM = "--upload-pack=git-upload-pack"
# https://git-scm.com/docs/git-fetch
_OBJECTS_ONLY = (
    "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=",
    "--no-prune", "--no-prune-tags",
    "--no-auto-maintenance", "--no-write-commit-graph", "--no-show-forced-updates", "--no-filter",
)  # fmt: skip
_SAYS_LITTLE = ("warning:", "hint:")


class RemoteRefs(Struct, frozen=True):
    """What a remote has: its default branch ("" where it says none), and object ids by the full
    name of the ref."""

    default: str
    refs: Mapping[str, str]


def list_remote(git: Git, env: Mapping[str, str], remote: str, *patterns: str) -> RemoteRefs:
    """The remote's default branch and its refs of these names or globs.

    Raises:
        UpstreamError: it cannot be reached, or does not let us in.
    """
    rows = _asked(
        git,
        env,
        remote,
        "ls-remote",
        "--quiet",
        "--symref",
        _PROGRAM,
        "--",
        remote,
        "HEAD",
        *patterns,
    ).splitlines()
    pairs = [row.partition("\t")[::2] for row in rows]
    default = next(
        (
            what.removeprefix("ref: refs/heads/")
            for what, name in pairs
            if name == "HEAD" and what.startswith("ref: ")
        ),
        "",
    )
    return RemoteRefs(default, {name: what for what, name in pairs if name.startswith("refs/")})


def fetch_refs(git: Git, env: Mapping[str, str], remote: str, wanted: Mapping[str, str]) -> None:
    """Fetch refs of the remote into refs of ours. Work tree, index, HEAD, FETCH_HEAD, tags and
    every other ref stay as they are.

    Raises:
        UpstreamError: it cannot be reached, does not let us in, or has no such ref.
    """
    pairs = [f"+{theirs}:{ours}" for theirs, ours in wanted.items()]
    # Newer versions of git would else note the remote's default branch.
    # https://git-scm.com/docs/git-config (remote.<name>.followRemoteHEAD)
    unmoved = ("-c", f"remote.{remote}.followRemoteHEAD=never")
    _asked(git, env, remote, *unmoved, "fetch", *_OBJECTS_ONLY, _PROGRAM, "--", remote, *pairs)


def _asked(git: Git, env: Mapping[str, str], remote: str, *argv: str) -> str:
    try:
        # From the work tree, since a remote's address may be relative to it.
        return os.fsdecode(git.run(*argv, in_tree=True, env=_reaching(env)))
    except GitFailed as error:
        rows = [
            row
            for row in error.stderr.splitlines()
            if row.strip() and not row.startswith(_SAYS_LITTLE)
        ]
        said = (
            rows[0].removeprefix("fatal: ").removeprefix("error: ") if rows else "no reason given"
        )
        raise UpstreamError(
            f"cannot fetch from {remote}: {said}", f"check that this works: git ls-remote {remote}"
        ) from None


def _reaching(source: Mapping[str, str]) -> dict[str, str]:
    """What a fetch needs beside git's clean environment; nothing is asked of anybody there
    either."""
    names = [*_KEPT, _CONFIG]
    count = source.get(_CONFIG, "")
    if count.isdecimal():
        names += [
            f"GIT_CONFIG_{part}_{number}"
            for number in range(min(int(count), 100))
            for part in ("KEY", "VALUE")
        ]
    return {name: source[name] for name in names if name in source} | {
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS
    }


_OURS = "refs/reviewgate-gh/"
_BASE = "-base"


def kept_refs(target: str) -> tuple[str, str]:
    """The names for a target's head and for the branch that it is compared with."""
    return f"{_OURS}{target}", f"{_OURS}{target}{_BASE}"


def delete_kept_refs(git: Git, target: str) -> list[str]:
    """Delete the target's refs; the names of those that were there."""
    rows = os.fsdecode(
        git.run("for-each-ref", "--format=%(refname)%00%(objectname)", *kept_refs(target))
    ).splitlines()
    found = [
        (name, oid)
        for name, _, oid in (row.partition("\0") for row in rows)
        if name in kept_refs(target)
    ]
    for name, oid in found:
        git.run("update-ref", "-d", name, oid)
    return [name for name, _ in found]
