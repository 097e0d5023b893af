"""Which files a command line or a file mentions or loads by convention: what would run with it."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import basename, dirname, join, normpath, splitext
from unicodedata import normalize

from msgspec import Struct

from ..text.patterns import lazy_pattern

# Programs whose instructions lie in files that do not have their name; patterns from the folder in
# which they run.
_NODE = (
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "node",
    "deno",
    "nodejs",
    "corepack",
    "lerna",
    "turbo",
    "nx",
)
_PYTHON = (
    "pytest",
    "py",
    "uv",
    "uvx",
    "poetry",
    "hatch",
    "pdm",
    "pip",
    "pip3",
    "pipx",
    "tox",
    "nox",
    "flake8",
    "pylint",
    "build",
)
_MAKE = ("make", "gmake", "nmake", "mingw32-make")
_INSTRUCTIONS = {
    **dict.fromkeys(
        _NODE,
        (
            "package.json",
            ".npmrc",
            ".yarnrc.yml",
            ".yarnrc",
            "bunfig.toml",
            "deno.json",
            "deno.jsonc",
            ".pnpmfile.cjs",
        ),
    ),
    **dict.fromkeys(
        _PYTHON,
        (
            "pyproject.toml",
            "setup.cfg",
            "setup.py",
            "conftest.py",
            "tox.ini",
            "pytest.ini",
            "noxfile.py",
        ),
    ),
    **dict.fromkeys(_MAKE, ("makefile", "gnumakefile")),
    **dict.fromkeys(("mvn", "mvnw", "mvnd"), ("pom.xml", ".mvn/*")),
    **dict.fromkeys(
        ("gradle", "gradlew"), ("*.gradle", "*.gradle.kts", "gradle.properties", "gradle/wrapper/*")
    ),
    **dict.fromkeys(
        ("cargo", "rustc"),
        ("cargo.toml", "build.rs", ".cargo/*", "rust-toolchain*", "src/main.rs", "src/lib.rs"),
    ),
    **dict.fromkeys(
        ("bundle", "ruby", "rake", "rspec", "rubocop"),
        ("gemfile", ".bundle/*", "rakefile", ".rspec"),
    ),
    **dict.fromkeys(
        ("mise", "rtx", "asdf"), ("mise.toml", ".mise.toml", ".mise/*", ".tool-versions")
    ),
    **dict.fromkeys(("composer", "php"), ("composer.json",)),
    "dotnet": ("*.csproj", "*.sln", "directory.build.*"),
    "go": ("go.mod", "go.work"),
    "just": ("justfile", ".justfile"),
    "task": ("taskfile.y*ml",),
    "pre-commit": (".pre-commit-config.yaml",),
    "direnv": (".envrc",),
    "cmake": ("cmakelists.txt", "cmakepresets.json"),
    "meson": ("meson.build",),
    "ant": ("build.xml",),
    # Https://docs.pyinvoke.org/en/stable/concepts/loading.html
    **dict.fromkeys(("inv", "invoke"), ("tasks.py", "invoke.*")),
    "doit": ("dodo.py",),  # https://pydoit.org/cmd-run.html
    "scons": ("sconstruct*", "sconscript"),  # https://scons.org/doc/production/HTML/scons-man.html
    "waf": ("wscript",),  # https://waf.io/book/
    "rebar3": ("rebar.config*",),  # https://rebar3.org/docs/configuration/configuration/
    # Https://codeberg.org/leiningen/leiningen/src/branch/main/doc/TUTORIAL.md
    "lein": ("project.clj", "profiles.clj"),
    # Https://bazel.build/concepts/build-ref
    **dict.fromkeys(("bazel", "bazelisk"), ("module.bazel", "workspace*", "build", "build.bazel")),
    # Https://dart.dev/tools/analysis
    **dict.fromkeys(("dart", "flutter"), ("pubspec.yaml", "analysis_options.yaml")),
    "earthly": ("earthfile",),  # https://docs.earthly.dev/docs/earthfile
    "nix": ("flake.nix", "default.nix", "shell.nix"),
}
# `.toolrc`, `.toolrc.js`, `.tool.yml`, `.toolignore`; `tool.config.js`, `tool.toml`: many programs
# take such, in any folder.
_HIDDEN = lazy_pattern(r"\.([\w-]+?)(?:rc|ignore)?(?:\.\w+)*")
_CONFIG = lazy_pattern(
    r"([\w-]+?)(?:rc|\.config|\.conf|-config)(?:\.\w+)+|([\w-]+)\.(?:toml|ini|cfg|conf)"
)
# Words of every script, whose files run nothing
_TELLS_NOTHING = ("git", "env", "github", "editorconfig")
_PYTHONS = lazy_pattern(r"(?:.*/)?(?:python|pypy)[\d.]*(?:\.exe)?")
_SEALED = lazy_pattern(r"-[bBdEiOqsSuvx]*[IP]\w*")
_IMPORTED = lazy_pattern(r"\.(?:py|pyc|pyd|so)", re.IGNORECASE)
_MODULE_RUNNERS = ("pytest",)
_FOLDER_RUNNERS = ("run-parts", "go")


def instruction_patterns(program: str) -> tuple[str, ...]:
    """Patterns of the files that a program of this name reads by itself."""
    return _INSTRUCTIONS.get(program, ())


def configured_program(base: str) -> str:
    """The program that a file of this name is a configuration of; "" where the name does not
    tell."""
    found = _HIDDEN.fullmatch(base) or _CONFIG.fullmatch(base)
    name = next(filter(None, found.groups()), "") if found else ""
    return "" if name in _TELLS_NOTHING else name


def is_python(word: str) -> bool:
    """A Python, which imports from the folder that it runs in."""
    return _PYTHONS.fullmatch(word) is not None or basename(word) in _MODULE_RUNNERS


def is_isolation_option(word: str) -> bool:
    """Python's -I and -P: neither the script's folder nor the present one is searched for
    modules."""
    return _SEALED.fullmatch(word) is not None


def is_python_module(path: str) -> bool:
    """A module of Python, compiled or not."""
    name = basename(path)
    return _IMPORTED.fullmatch(name[name.rfind(".") :]) is not None


def shadows_standard_module(path: str) -> bool:
    """A module with the name of one of Python's own takes its place, whoever imports it."""
    parts = path.split("/")
    name = (
        parts[-2]
        if parts[-1].startswith("__init__.") and len(parts) > 1
        else parts[-1].split(".")[0]
    )
    return name in sys.stdlib_module_names


def runs_whole_folders(words: Iterable[str]) -> bool:
    """One of these programs runs or compiles whatever lies in a folder that it is given."""
    return any(basename(word) in _FOLDER_RUNNERS for word in words)


_WORD = lazy_pattern(r"[\w.@+~/*?-]+")
_PLAIN = lazy_pattern(r"[\w.@+~-]+")
_PACKAGE = ("__init__", "__main__", "index", "mod")
_OPTION = lazy_pattern(r"-[a-z](?=[^-])", re.IGNORECASE)  # `-Itools`, `-Csub`
_SEPARATORS = lazy_pattern(r"[/@+~*?.-]+")
_SHORTEST = 3  # letters of a program's name that a file at the root may hold: `make`, `tox`, `just`


class MentionedFiles(Struct, frozen=True):
    """`mentioned` would run, or be read; `beside` lie where a program that runs looks for the
    modules that it imports."""

    mentioned: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()


class _TextMentions(Struct, frozen=True):
    """A text's folder, its words and their ends, the folders that it mentions, and all places that
    its words may count from."""

    own: str
    words: frozenset[str]
    tails: frozenset[str]
    folders: frozenset[str]
    places: tuple[str, ...]


class RepositoryPaths:
    """The paths of a repository, to be looked up by what texts say.

    A folder that one text mentions counts for all: `cd`, `-C`, PATH.
    """

    def __init__(self, paths: Iterable[str], folders: Iterable[str] = ()) -> None:
        self._exact = _grouped(paths, _folded)
        self._stems = _grouped(paths, lambda path: splitext(_folded(path))[0])
        self._inside = _grouped(paths, lambda path: dirname(_folded(path)))
        self._orders = _grouped(paths, lambda path: configured_program(basename(_folded(path))))
        self._odd = [path for path in paths if not all(map(_PLAIN.fullmatch, path.split("/")))]
        self._by_base = _grouped(self._exact, basename)
        self._known = {folder for path in self._exact for folder in _above(path)}
        self._parts = {
            *self._by_base,
            *(splitext(base)[0] for base in self._by_base),
            *map(basename, self._known),
        } - {""}
        self._folders = {"", *map(_folded, folders)} & self._known
        self._said: set[str] = set()
        self._sealed: frozenset[str] = frozenset()

    def of_command(self, words: Sequence[str]) -> MentionedFiles:
        """The files that a command line names, or that the programs in it read by themselves."""
        found = self._of("\n".join(words), "", sealed=any(map(is_isolation_option, words)))
        top = self._inside.get("", ())
        more: set[str] = set()
        for word in words:
            name = splitext(_folded(basename(word)))[0]
            if (
                len(name) >= _SHORTEST
                and not name.startswith("-")
                and _folded(normpath(word)) not in self._exact
            ):
                more.update(path for path in top if name in _folded(path))
        return MentionedFiles(found.mentioned | more, found.beside)

    def of_file(self, text: str, path: str) -> MentionedFiles:
        """The files that a file with this text mentions."""
        found = self._of(_without_sections(text, path), path)
        return MentionedFiles(found.mentioned | {*self._compiled(path)}, found.beside)

    def from_folders(self) -> MentionedFiles:
        """The files that anything so far mentions by their path from any of the folders that are
        mentioned."""
        found = {
            path
            for base in {basename(tail) for tail in self._said}
            for key in self._by_base.get(base, ())
            for folder in _above(key)
            if folder in self._folders and key[len(folder) + 1 if folder else 0 :] in self._said
            for path in self._exact[key]
        }
        return MentionedFiles(frozenset(found), frozenset(self._beside_scripts(found)))

    def _of(self, text: str, path: str, sealed: bool = False) -> MentionedFiles:
        said = self._read(text, path)
        exact = {
            p for tail in said.tails for start in (said.own, "") for p in self._at(start, tail)
        }
        found = exact | {*self._loosely(said)} | {name for name in self._odd if _is_in(name, text)}
        found |= {
            p
            for name in {name for word in said.words for name in _programs(word)}
            for p in self._orders_of(name, said.places)
        }
        if runs_whole_folders(said.words) or path.endswith(".go"):
            found |= {
                p
                for place in said.folders | ({said.own} if path else set())
                for p in self._inside.get(place, ())
            }
        if sealed:
            self._sealed = frozenset(exact)
            return MentionedFiles(frozenset(found))
        runs = not path.endswith(".py") and any(map(is_python, said.words))
        beside = {p for place in said.places if runs for p in self._importable(place)}
        return MentionedFiles(frozenset(found), frozenset(beside | self._beside_scripts(exact)))

    def _read(self, text: str, path: str) -> "_TextMentions":
        """What a text says; from now on its words and the folders that it mentions count for
        others, too."""
        own, folded = dirname(_folded(path)), _folded(text)
        words = frozenset(word.strip(",:;") for word in _WORD.findall(folded.replace("::", "/")))
        tails = frozenset(tail for word in words if self._may_name(word) for tail in _tails(word))
        folders = {_place(start, tail) for tail in tails for start in (own, "")} & self._known
        folders |= {
            folder
            for name in self._odd
            for folder in _above(_folded(name))
            if folder and _is_in(folder, folded)
        }
        self._folders |= folders
        self._said |= tails
        return _TextMentions(
            own, words, tails, frozenset(folders), (*dict.fromkeys((own, "", *sorted(folders))),)
        )

    def _may_name(self, word: str) -> bool:
        """Some part of it is a part of a path; of most words of a text none is."""
        return "*" in word or "?" in word or not self._parts.isdisjoint(_parts(word))

    def _loosely(self, said: "_TextMentions") -> Iterator[str]:
        """What the text names without a suffix, by a dotted name or by a pattern."""
        for tail in said.tails:
            for place in said.places:
                yield from self._by_stem(place, tail)
                if "*" in tail or "?" in tail:
                    yield from self._matching(place, tail)
            if "." in tail and "/" not in tail:
                yield from self._dotted(tail, [*said.places, *_above(said.own)])

    def _at(self, start: str, tail: str) -> Iterator[str]:
        """The file of this path, or what stands in the way there: a link, or a repository of its
        own."""
        place = _place(start, tail)
        yield from self._exact.get(place, ())
        for folder in _above(place):
            yield from self._exact.get(folder, ())

    def _by_stem(self, start: str, tail: str) -> Iterator[str]:
        place = _place(start, tail)
        yield from self._stems.get(place, ())
        for name in _PACKAGE:
            yield from self._stems.get(f"{place}/{name}", ())

    def _dotted(self, word: str, places: Iterable[str]) -> Iterator[str]:
        parts = [part for part in word.split(".") if part]
        for place in dict.fromkeys(places):
            for end in range(1, len(parts) + 1):
                yield from self._by_stem(place, "/".join(parts[:end]))

    def _matching(self, start: str, tail: str) -> Iterator[str]:
        """The files that a pattern of one folder names; one of several folders (`**`) is for what
        is read, and would name them all."""
        folder, pattern = dirname(tail), basename(tail)
        if "**" in tail or "*" in folder or not (folder or re.search(r"\w", pattern)):
            return
        for path in self._inside.get(_place(start, folder), ()):
            if fnmatchcase(basename(_folded(path)), pattern):
                yield path

    def _orders_of(self, name: str, places: Sequence[str]) -> Iterator[str]:
        """The files from which a program of this name takes its orders."""
        if len(name) >= _SHORTEST:
            yield from self._orders.get(name, ())
        for pattern in instruction_patterns(name):
            folder, base = dirname(pattern), basename(pattern)
            for place in places:
                yield from (
                    p
                    for p in self._inside.get(join(place, folder).rstrip("/"), ())
                    if fnmatchcase(basename(_folded(p)), base)
                )

    def _beside_scripts(self, found: Iterable[str]) -> set[str]:
        """Python looks into a script's folder before it looks anywhere else."""
        return {
            p
            for path in found
            if path.endswith(".py") and path not in self._sealed
            for p in self._importable(dirname(_folded(path)))
        }

    def _importable(self, folder: str) -> Iterator[str]:
        yield from (path for path in self._inside.get(folder, ()) if is_python_module(path))
        start = f"{folder}/" if folder else ""
        for place in self._known:
            if place.startswith(start) and place != folder and "/" not in place[len(start) :]:
                yield from (
                    path
                    for path in self._stems.get(f"{place}/__init__", ())
                    if is_python_module(path)
                )

    def _compiled(self, path: str) -> Iterator[str]:
        """What Python may run in the place of this file (PEP 552 allows compiled files that are
        never compared with their source)."""
        folder, stem = dirname(_folded(path)), splitext(basename(_folded(path)))[0]
        for found in self._inside.get(join(folder, "__pycache__"), ()):
            if basename(_folded(found)).startswith(f"{stem}."):
                yield found


def _without_sections(text: str, path: str) -> str:
    """The heads of EditorConfig's sections are patterns of the files whose form it sets: nothing of
    these runs. https://spec.editorconfig.org/#file-format"""
    return _SECTION.sub("", text) if basename(path) == ".editorconfig" else text


_SECTION = lazy_pattern(r"^[ \t]*\[[^\n]*\][ \t]*$", re.MULTILINE)


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else normalize("NFC", text).casefold()


def _place(start: str, tail: str) -> str:
    plain = normpath(join(start, tail))
    return "" if plain == "." else plain


def _grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(key(path), []).append(path)
    return found


def _above(path: str) -> Iterator[str]:
    """The folders above a path, the root too."""
    while path.strip("/"):
        path = dirname(path)
        yield path


def _is_in(name: str, text: str) -> bool:
    """A name that is no single word stands in the text as it is, or with its letters quoted one by
    one."""
    base = basename(name)
    return not _PLAIN.fullmatch(base) and (base in text or base in text.replace("\\", ""))


def _programs(word: str) -> Iterator[str]:
    """The names of programs that a word may hold: `./gradlew`, `@babel/eslint-parser`."""
    yield splitext(basename(word))[0]
    yield from filter(None, _SEPARATORS.split(word))


def _parts(word: str) -> Iterator[str]:
    plain = _OPTION.sub("", word, count=1) if word.startswith("-") else word
    for part in {*word.split("/"), *plain.split("/")}:
        yield part
        yield splitext(part)[0]
        yield from part.split(".")


def _tails(word: str) -> Iterator[str]:
    """A word and what follows its slashes; `..` is left out, as what stands before it."""
    for start in dict.fromkeys(
        (word, _OPTION.sub("", word, count=1) if word.startswith("-") else word)
    ):
        parts = [part for part in start.split("/") if part not in ("", ".")]
        if ".." not in parts:
            yield from ("/".join(parts[at:]) for at in range(len(parts)))
            continue
        last = len(parts) - parts[::-1].index("..")
        yield normpath(start)
        yield from ("/".join(parts[at:]) for at in range(last, len(parts)))
