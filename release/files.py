"""The repository's files as a release reads and writes them."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, INIT, CHANGELOG = (
    "reviewgate_gh/__init__.py",
    "reviewgate_gh/tools/init.py",
    "CHANGELOG.md",
)
_NOT_SHOWN = ("tests/", "release/")  # where placeholders are examples, not what users copy


def fail(message: str, hint: str) -> NoReturn:
    """End with one clear line and what to do."""
    sys.exit(f"{sys.argv[0]}: {message}\n  {hint}")


def git(*argv: str) -> str:
    """git's answer in this repository."""
    done = subprocess.run(["git", *argv], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(f"git {argv[0]} failed: {done.stderr.strip()}", "run it in a clone of the repository")
    return done.stdout


def refuse_changes() -> None:
    """End where the work tree is not what is committed."""
    if changed := git("status", "--porcelain").splitlines():
        fail(f"{len(changed)} files differ from the commit", "commit or stash them first")


def shown_texts() -> dict[str, str]:
    """The tracked texts that users see or that ship, by path."""
    texts = {}
    for name in git("ls-files", "-z").split("\0"):
        path = ROOT / name
        if name and not name.startswith(_NOT_SHOWN) and path.is_file() and not path.is_symlink():
            try:
                texts[name] = path.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue
    return texts


def is_plugin(name: str) -> bool:
    """It describes the plug-in for coding agents."""
    return name.startswith("plugins/") and name.endswith(".json")


def changed(texts: Mapping[str, str], make: Callable[[str], str]) -> dict[str, str]:
    """The texts with every one made new."""
    return {name: make(text) for name, text in texts.items()}


def write(old: Mapping[str, str], new: Mapping[str, str], dry_run: bool) -> None:
    """Write what differs, or only say which files those are."""
    for name in sorted(name for name, text in new.items() if old[name] != text):
        print(f"{'would change' if dry_run else 'changed'} {name}")
        if not dry_run:
            (ROOT / name).write_bytes(new[name].encode())


def remaining(texts: Mapping[str, str], left_over: Callable[[str], list[str]]) -> list[str]:
    """`path: line` for each placeholder that is left."""
    return [f"{name}: {line}" for name, text in texts.items() for line in left_over(text)]
