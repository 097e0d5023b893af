"""The pages of the site, as files in one folder: the repository's Markdown with its links made to
fit, and the generated reference."""

import posixpath
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference import pages as reference_pages

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "website/zensical.toml"
# Pages that lie beside the docs, by their name in the site
_BESIDE = {
    "README.md": "index.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CHANGELOG.md": "changelog.md",
}
_BLOCK = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(\]\()([^)\s]+)(\))")


def stage(to: Path) -> list[str]:
    """Write everything into this folder, made anew; what is wrong with the navigation, a line
    each."""
    shutil.rmtree(to, ignore_errors=True)
    files, made = sources(), pages()
    for name, text in made.items():
        place = to / "docs" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    for source, name in files.items():
        if not name.endswith(".md"):
            shutil.copy(ROOT / source, to / "docs" / name)
    shutil.copy(CONFIG, to / "zensical.toml")
    named, there = set(navigation()), set(made)
    return [
        *(f"{CONFIG.name} names no page {name}" for name in sorted(there - named)),
        *(f"{CONFIG.name} names {name}, which is no page" for name in sorted(named - there)),
    ]


def sources() -> dict[str, str]:
    """The files of the repository that are part of the site, and their names there."""
    docs = {
        f"docs/{path.name}": path.name
        for path in sorted((ROOT / "docs").iterdir())
        if path.suffix in (".md", ".svg", ".json")
    }
    return {**_BESIDE, **docs}


def pages() -> dict[str, str]:
    """Every page by its path in the site."""
    files = sources()
    return {
        **{
            name: with_links((ROOT / source).read_text("utf-8"), source, files)
            for source, name in files.items()
            if name.endswith(".md")
        },
        **reference_pages(ROOT),
    }


def with_links(text: str, source: str, files: dict[str, str]) -> str:
    """A page whose links lead to other pages of the site or, for all else, to the repository."""

    def fit(found: re.Match[str]) -> str:
        return f"{found[1]}{_target(found[2], source, files)}{found[3]}"

    parts = _BLOCK.split(text)
    parts[::2] = [_LINK.sub(fit, part) for part in parts[::2]]
    return "".join(parts)


def _target(target: str, source: str, files: dict[str, str]) -> str:
    if "://" in target or target.startswith("#"):
        return target
    path, mark, heading = target.partition("#")
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if whole in files:
        return f"{files[whole]}{mark}{heading}"
    kind = "tree" if (ROOT / whole).is_dir() else "blob"
    return f"{_repository()}/{kind}/main/{whole}{mark}{heading}"


def _repository() -> str:
    config = tomllib.loads(CONFIG.read_text("utf-8"))
    return str(config["project"]["repo_url"])


def navigation() -> Iterator[str]:
    """The pages that the navigation names."""
    yield from _named(tomllib.loads(CONFIG.read_text("utf-8"))["project"]["nav"])


def _named(entries: Any) -> Iterator[str]:
    for entry in entries:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from _named(value)
