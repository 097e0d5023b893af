"""Which files of a repository a command line or a file mentions: what would run, or be read as instructions, together with it.

It is meant to find too much rather than too little: a mention is any word that names a path from the root or from the file's own
folder, with or without its suffix, or a module or package by its dotted name.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from posixpath import dirname, join, normpath, splitext

_WORD = re.compile(r"[\w.@+~/-]+")
_PACKAGE = ("__init__", "__main__", "index", "mod")
_SHORTEST = 3  # letters of a program's name that a file at the root may hold: `make`, `tox`, `just`
# Programs whose instructions lie in files that do not have their name.
_NODE = ("npm", "npx", "pnpm", "yarn", "bun", "bunx", "node", "deno")
_PYTHON = ("python", "python3", "pytest", "uv", "poetry", "hatch", "pdm")
_INSTRUCTIONS = {
    **dict.fromkeys(_NODE, ("package.json", ".npmrc", ".yarnrc.yml", "deno.json")),
    **dict.fromkeys(_PYTHON, ("pyproject.toml", "setup.cfg", "setup.py", "conftest.py")),
    **dict.fromkeys(("mvn", "mvnw"), ("pom.xml", ".mvn/extensions.xml", ".mvn/jvm.config", ".mvn/maven.config")),
    **dict.fromkeys(("cargo", "rustc"), ("Cargo.toml", "build.rs", ".cargo/config.toml", ".cargo/config")),
    **dict.fromkeys(("bundle", "ruby"), ("Gemfile", ".bundle/config")),
    **dict.fromkeys(("mise", "rtx"), (".mise.toml", ".tool-versions")),
}


class Names:
    """The paths of a repository, to be looked up by what a text says."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._stems: dict[str, list[str]] = {}
        for path in self._paths:
            self._stems.setdefault(splitext(path)[0], []).append(path)
        self._top = tuple(path for path in self._paths if "/" not in path)

    def of_command(self, words: Sequence[str]) -> frozenset[str]:
        """The files that a command line names, or that the programs in it read by themselves."""
        found = set(self.of_text("\n".join(words), ""))
        for word in words:
            name = splitext(word.rpartition("/")[2].lower())[0]
            found |= self._paths.intersection(_INSTRUCTIONS.get(name, ()))
            if len(name) >= _SHORTEST and not name.startswith("-") and normpath(word) not in self._paths:
                found.update(path for path in self._top if name in path.lower())
        return frozenset(found)

    def of_text(self, text: str, folder: str) -> frozenset[str]:
        """The files that a text mentions which lies in this folder."""
        words = {word.strip(",:;") for word in _WORD.findall(text)}
        return frozenset(path for word in words for place in _places(word, folder) for path in self._at(place))

    def _at(self, place: str) -> Iterator[str]:
        if place in self._paths:
            yield place
        yield from self._stems.get(place, ())
        for name in _PACKAGE:
            yield from self._stems.get(f"{place}/{name}", ())


def _places(word: str, folder: str) -> Iterator[str]:
    """The paths that a word can stand for."""
    for start in dict.fromkeys((folder, "")):
        if start == folder or "/" in word or "." in word:
            yield from _inside(join(start, word))
    if "/" in word or "." not in word:
        return
    above = folder  # `from ..x import y` counts from the folder above
    for _dot in range(len(word) - len(word.lstrip(".")) - 1):
        above = dirname(above)
    parts = [part for part in word.split(".") if part]
    for start in dict.fromkeys((folder, above, "")):
        for end in range(1, len(parts) + 1):
            yield from _inside(join(start, *parts[:end]))


def _inside(path: str) -> Iterator[str]:
    plain = normpath(path)
    if plain not in (".", "..") and not plain.startswith(("/", "../")):
        yield plain
