"""What a release changes in the text of a file: text in, text out."""

import re

PROJECT = "reviewgate-gh"
UNNAMED = f"OWNER/{PROJECT}"  # until it is known where the repository is
NO_COMMIT = "0" * 40  # until there is a release
REPOSITORY = re.compile(rf"[A-Za-z0-9][A-Za-z0-9-]{{0,38}}/{PROJECT}")
COMMIT = re.compile(r"[0-9a-f]{40}")
VERSION = re.compile(r"(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)")

_OURS = rf"[\w.-]+/{PROJECT}"
_WORKFLOW = r"(?:/\.github/workflows/[\w-]+\.yml)?"
_USED = re.compile(rf"(uses: {_OURS}{_WORKFLOW}@)[0-9a-f]{{40}} #[^\n]*")
_INSTALLED = re.compile(rf"(git\+https://github\.com/{_OURS}@)[0-9a-f]{{40}}")
_HOOKS = re.compile(rf"(- repo: https://github\.com/{_OURS}\n *rev: )[0-9a-f]{{40}} #[^\n]*")
# A clone that is put on it, and the image that is built of that
_CHECKED_OUT = re.compile(rf"(git checkout --quiet |/{PROJECT}:){NO_COMMIT}\b")
_LEFT = re.compile(
    rf"{re.escape(UNNAMED)}\b|(?:@|rev: |checkout --quiet |/{PROJECT}:){NO_COMMIT}\b"
)
_STATED = re.compile(r'^(__version__ = )"([^"]*)"$', re.MULTILINE)
_PLUGIN = re.compile(r'^(  "version": )"[^"]*"', re.MULTILINE)
_ACTION = re.compile(r'^(RELEASED_ACTION = )"[^"]*"$', re.MULTILINE)
_BLOCK = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
_RELATIVE = re.compile(r"(!?\[[^\]]*\]\()(?!https?://|#)([^)\s]+)\)")
_UNRELEASED = "## [Unreleased]\n"


def with_repository(text: str, repository: str) -> str:
    """With the repository's real name for the placeholder."""
    return re.sub(rf"\b{re.escape(UNNAMED)}\b", repository, text)


def with_commit(text: str, commit: str, version: str) -> str:
    """With the release's commit wherever a user copies one, as an Action or as hooks of the
    pre-commit framework; the comments are those that their update programs read."""
    text = _INSTALLED.sub(rf"\g<1>{commit}", _USED.sub(rf"\g<1>{commit} # v{version}", text))
    text = _CHECKED_OUT.sub(rf"\g<1>{commit}", text)
    return _HOOKS.sub(rf"\g<1>{commit} # frozen: v{version}", text)


def used_repository(text: str) -> str:
    """The repository that a text tells users to use as an Action."""
    found = _USED.search(text)
    if found is None:
        raise ValueError("it uses no Action of this project")
    return "/".join(found[1].removeprefix("uses: ").removesuffix("@").split("/")[:2])


def with_whole_links(text: str, repository: str, version: str) -> str:
    """A README as a package index shows it, far from the files that it links to: these are shown as
    the release has them."""

    def whole(found: re.Match[str]) -> str:
        kind = "raw" if found[1].startswith("!") else "blob"
        return f"{found[1]}https://github.com/{repository}/{kind}/v{version}/{found[2]})"

    parts = _BLOCK.split(text)
    parts[::2] = [_RELATIVE.sub(whole, part) for part in parts[::2]]
    return "".join(parts)


def left_over(text: str) -> list[str]:
    """The lines that still hold a placeholder."""
    return [line.strip() for line in text.splitlines() if _LEFT.search(line)]


def stated_version(text: str) -> str:
    """The version that `reviewgate_gh/__init__.py` states."""
    found = _STATED.search(text)
    if found is None:
        raise ValueError("it states no version")
    return found[2]


def with_plugin_version(text: str, version: str) -> str:
    """A plug-in's description for coding agents with another version."""
    return _PLUGIN.sub(rf'\g<1>"{version}"', text)


def with_version(text: str, version: str) -> str:
    """The same file with another version."""
    stated_version(text)
    return _STATED.sub(rf'\g<1>"{version}"', text)


def with_action(text: str, action: str) -> str:
    """`reviewgate_gh/tools/init.py` of a release, whose `init` names its own commit."""
    if len(_ACTION.findall(text)) != 1:
        raise ValueError("it does not set RELEASED_ACTION once")
    return _ACTION.sub(rf'\g<1>"{action}"', text)


def cut_changelog(text: str, version: str, date: str) -> str:
    """The changelog, what is unreleased now under the version."""
    if f"\n## [{version}]" in text:
        raise ValueError(f"it has a section for {version} already")
    before, found, after = text.partition(_UNRELEASED)
    if not found or not after.partition("\n## ")[0].strip():
        raise ValueError("nothing is listed under Unreleased")
    return f"{before}{_UNRELEASED}\n## [{version}] - {date}\n{after}"


def release_notes(text: str, version: str) -> str:
    """What the changelog lists under a version."""
    found = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    if found is None or not found[1].strip():
        raise ValueError(f"it lists nothing under {version}")
    return f"{found[1].strip()}\n"
