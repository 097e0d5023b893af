"""What programs run or read without being told: files of instructions, modules beside a script, the files of a folder."""

import re
import sys
from collections.abc import Iterable
from posixpath import basename

# Programs whose instructions lie in files that do not have their name; patterns from the folder in which they run.
_NODE = ("npm", "npx", "pnpm", "yarn", "bun", "bunx", "node", "deno", "nodejs", "corepack", "lerna", "turbo", "nx")
_PYTHON = ("pytest", "py", "uv", "uvx", "poetry", "hatch", "pdm", "pip", "pip3", "pipx", "tox", "nox", "flake8", "pylint", "build")
_MAKE = ("make", "gmake", "nmake", "mingw32-make")
_INSTRUCTIONS = {
    **dict.fromkeys(_NODE, ("package.json", ".npmrc", ".yarnrc.yml", ".yarnrc", "bunfig.toml", "deno.json", "deno.jsonc", ".pnpmfile.cjs")),
    **dict.fromkeys(_PYTHON, ("pyproject.toml", "setup.cfg", "setup.py", "conftest.py", "tox.ini", "pytest.ini", "noxfile.py")),
    **dict.fromkeys(_MAKE, ("makefile", "gnumakefile")),
    **dict.fromkeys(("mvn", "mvnw", "mvnd"), ("pom.xml", ".mvn/*")),
    **dict.fromkeys(("gradle", "gradlew"), ("*.gradle", "*.gradle.kts", "gradle.properties", "gradle/wrapper/*")),
    **dict.fromkeys(("cargo", "rustc"), ("cargo.toml", "build.rs", ".cargo/*", "rust-toolchain*", "src/main.rs", "src/lib.rs")),
    **dict.fromkeys(("bundle", "ruby", "rake", "rspec", "rubocop"), ("gemfile", ".bundle/*", "rakefile", ".rspec")),
    **dict.fromkeys(("mise", "rtx", "asdf"), ("mise.toml", ".mise.toml", ".mise/*", ".tool-versions")),
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
    **dict.fromkeys(("inv", "invoke"), ("tasks.py", "invoke.*")),  # https://docs.pyinvoke.org/en/stable/concepts/loading.html
    "doit": ("dodo.py",),  # https://pydoit.org/cmd-run.html
    "scons": ("sconstruct*", "sconscript"),  # https://scons.org/doc/production/HTML/scons-man.html
    "waf": ("wscript",),  # https://waf.io/book/
    "rebar3": ("rebar.config*",),  # https://rebar3.org/docs/configuration/configuration/
    "lein": ("project.clj", "profiles.clj"),  # https://codeberg.org/leiningen/leiningen/src/branch/main/doc/TUTORIAL.md
    **dict.fromkeys(
        ("bazel", "bazelisk"), ("module.bazel", "workspace*", "build", "build.bazel")
    ),  # https://bazel.build/concepts/build-ref
    **dict.fromkeys(("dart", "flutter"), ("pubspec.yaml", "analysis_options.yaml")),  # https://dart.dev/tools/analysis
    "earthly": ("earthfile",),  # https://docs.earthly.dev/docs/earthfile
    "nix": ("flake.nix", "default.nix", "shell.nix"),
}
# `.toolrc`, `.toolrc.js`, `.tool.yml`, `.toolignore`; `tool.config.js`, `tool.toml`: many programs take such, in any folder.
_HIDDEN = re.compile(r"\.([\w-]+?)(?:rc|ignore)?(?:\.\w+)*")
_CONFIG = re.compile(r"([\w-]+?)(?:rc|\.config|\.conf|-config)(?:\.\w+)+|([\w-]+)\.(?:toml|ini|cfg|conf)")
_TELLS_NOTHING = ("git", "env", "github", "editorconfig")  # words of every script, whose files run nothing
_PYTHONS = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*(?:\.exe)?")
_SEALED = re.compile(r"-[bBdEiOqsSuvx]*[IP]\w*")
_IMPORTED = re.compile(r"\.(?:py|pyc|pyd|so)", re.IGNORECASE)
_MODULE_RUNNERS = ("pytest",)
_FOLDER_RUNNERS = ("run-parts", "go")


def instructions(program: str) -> tuple[str, ...]:
    """Patterns of the files that a program of this name reads by itself."""
    return _INSTRUCTIONS.get(program, ())


def configured_program(base: str) -> str:
    """The program that a file of this name is a configuration of; "" where the name does not tell."""
    found = _HIDDEN.fullmatch(base) or _CONFIG.fullmatch(base)
    name = next(filter(None, found.groups()), "") if found else ""
    return "" if name in _TELLS_NOTHING else name


def is_python(word: str) -> bool:
    """A Python, which imports from the folder that it runs in."""
    return _PYTHONS.fullmatch(word) is not None or basename(word) in _MODULE_RUNNERS


def is_sealed(word: str) -> bool:
    """Python's -I and -P: neither the script's folder nor the present one is searched for modules."""
    return _SEALED.fullmatch(word) is not None


def importable(path: str) -> bool:
    """A module of Python, compiled or not."""
    name = basename(path)
    return _IMPORTED.fullmatch(name[name.rfind(".") :]) is not None


def of_the_language(path: str) -> bool:
    """A module with the name of one of Python's own takes its place, whoever imports it."""
    parts = path.split("/")
    name = parts[-2] if parts[-1].startswith("__init__.") and len(parts) > 1 else parts[-1].split(".")[0]
    return name in sys.stdlib_module_names


def runs_folders(words: Iterable[str]) -> bool:
    """One of these programs runs or compiles whatever lies in a folder that it is given."""
    return any(basename(word) in _FOLDER_RUNNERS for word in words)
