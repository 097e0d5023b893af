"""Code that runs when somebody installs or builds the package."""

from collections.abc import Iterator

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ....text.strict import load_loose_json
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze

EVERY_FILE = True
_RULE = ComparisonRule(
    "install-script",
    Priority.P2,
    "It runs with the rights of everyone who installs this package, and in their CI. Read what it "
    "does, and keep it only if there is no other way.",
)
_PRIVATE = lazy_pattern(r"\"private\"\s*:\s*true\b")  # nobody installs it from a registry
# Composer runs those of the project alone, never those of a package that it installs:
# https://getcomposer.org/doc/articles/scripts.md
_OF_PROJECT = replace(
    _RULE,
    advice="It runs for everyone who works on this project, and in its CI. Read what it does.",
)
_HOOKS = {
    "package.json": ("preinstall", "install", "postinstall", "preuninstall", "postuninstall"),
    "composer.json": (
        "pre-install-cmd", "post-install-cmd", "pre-update-cmd", "post-update-cmd",
        "post-autoload-dump",
    ),
}  # fmt: skip
# A build may compile; here it starts programs, decodes or fetches something
_ACTS = lazy_pattern(
    r"\b(?:subprocess\.|os\.system|os\.popen|urllib|requests\.|httpx\.|urlopen|socket\.|base64\."
    r"|exec\(|eval\(|cmdclass\s*=(?!\s*(?:cmdclass\b|\{\s*(?:\}|[\"'](?:build|[bs]dist|test))))"
    r"|cmdclass\[[\"'](?:install|develop|egg_info)|Command::new|reqwest"
    r"|ureq|system\(|`curl|Net::HTTP)"
)

_BUILDS = ("setup.py", "build.rs", "extconf.rb")
# What a build needs to know of its compiler and its own tree
_PROBES = lazy_pattern(r"Command::new\(\s*&?(?:rustc|cargo|cc)\b|--version|\"RUSTC\"")


_REACHES_OUT = lazy_pattern(
    r"(?i)\b(?:curl|wget|base64|eval|exec|system|passthru|proc_open|fsockopen|npx|bash|sh"
    r"|python3?)\b"
    r"|://|\bnode\s+-e\b|\$\(|`"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a hook, and one a build script that begins to act."""
    for file in sources.files:
        if file.is_gone or file.is_test or not file.added:
            continue
        if file.name in _HOOKS:
            yield from _hooks(sources, file)
        elif file.name in _BUILDS and (not file.is_new or file.name != "setup.py"):
            yield from _acts(file) if _is_built_by(sources, file) else ()


def _hooks(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    before, after = _scripts(file.base), _scripts(file.head)
    if before is None or after is None:
        return
    for hook in _HOOKS[file.name]:
        if hook not in after or _was_elsewhere(sources, file, hook, after[hook]):
            continue
        if after[hook] != before.get(hook):
            line = next((line for line in file.added if f'"{hook}"' in line.text), None)
            was = quoted(str(before[hook])) if hook in before else "no such script"
            what = "changes" if hook in before else "is new"
            if rule := _weigh(file, before.get(hook), after[hook]):
                yield put(rule, file, line or Line(0, ""), f"the {hook} script {what}", was)


def _was_elsewhere(
    sources: ComparisonInput, file: ComparedFile, hook: str, command: object
) -> bool:
    """Another package of the tree has had it, and no longer has."""
    others = (each for each in sources.files if each is not file and each.name == file.name)
    return any(
        (_scripts(each.base) or {}).get(hook) == command != (_scripts(each.head) or {}).get(hook)
        for each in others
    )


def _weigh(file: ComparedFile, before: object, after: object) -> ComparisonRule | None:
    """None where the same program gets other options, no command is new, or a private project runs
    a package that it installs anyway. A project's own script that changes is a hint, unless its new
    commands start other programs or reach the network."""
    if file.name != "composer.json":
        rule = _OF_PROJECT if _PRIVATE.search(file.head) else _RULE
        was, now = str(before or ""), str(after)
        own = rule is _OF_PROJECT and _runs_dependency(file, now)
        return None if own or _has_more_options(was, now) or _does_less(was, now) else rule
    old, new = ({*map(str, each if isinstance(each, list) else [each])} for each in (before, after))
    reaches = any(_REACHES_OUT.search(command) for command in new - old)
    return _OF_PROJECT if before is None or reaches else hint(_OF_PROJECT)


def _runs_dependency(file: ComparedFile, command: str) -> bool:
    """All of it are programs of the packages that the manifest names."""
    try:
        top = load_loose_json(file.head)
        kinds = ("dependencies", "devDependencies")
        names = {name for kind in kinds for name in (top.get(kind) or {})}
    except (ValueError, RecursionError, TypeError, AttributeError):
        return False
    parts = [part.split() for part in _JOINS.split(command) if part.strip()]
    tools = {name.rpartition("/")[2] for name in names} | names
    return not _REACHES_OUT.search(command) and all(
        words[0] in tools or words[0] in _IDLE for words in parts
    )


_JOINS = lazy_pattern(r"&&|\|\||;")
_IDLE = ("true", "echo", "exit", "is-ci", ":")


def _does_less(old: str, new: str) -> bool:
    """Each of its commands ran before."""
    before, after = ({part.strip() for part in _JOINS.split(each)} for each in (old, new))
    return after <= before


def _has_more_options(old: str, new: str) -> bool:
    """Nothing but long options tells the two commands apart."""
    bare = ([word for word in each.split() if not _OPTION.fullmatch(word)] for each in (old, new))
    return bool(old) and next(bare) == next(bare)


_OPTION = lazy_pattern(r"--[a-z][a-z-]*")


def _scripts(text: str) -> dict[str, object] | None:
    try:
        top = load_loose_json(text or "{}")
        return dict(top.get("scripts") or {})
    except (ValueError, RecursionError, TypeError, AttributeError):
        return None


def _is_built_by(sources: ComparisonInput, file: ComparedFile) -> bool:
    """Cargo runs the one beside a manifest; among sources any module may have its name.
    https://doc.rust-lang.org/cargo/reference/build-scripts.html"""
    if file.name != "build.rs" or "src/" not in file.folder:
        return True
    return f"{file.folder}Cargo.toml" in sources.list_head()


def _acts(file: ComparedFile) -> Iterator[Finding]:
    old = {squeeze(match[0]) for match in _ACTS.finditer(file.base)}
    for line in file.added:
        probes = _PROBES.search(line.text) or _asks_git(file, line)
        found = None if probes else _ACTS.search(line.text.partition("#")[0])
        if found and not (squeeze(found[0]) in old or _had_option(file, found[0])):
            yield put(
                _RULE, file, line, f"{file.name} does more than build: {found[0].rstrip('(.')}"
            )
            return


def _had_option(file: ComparedFile, found: str) -> bool:
    """The option was set before, in whatever way."""
    return found.endswith("=") and has_word(file.base, found.rstrip(" ="))


def _asks_git(file: ComparedFile, line: Line) -> bool:
    """It starts git to read which commit this is. https://git-scm.com/docs/git-rev-parse"""
    near = "\n".join(file.head_rows[line.number - 1 : line.number + _CALL])
    return _GIT.search(near) is not None and _READS.search(near) is not None


_CALL = 8  # lines
_GIT = lazy_pattern(
    r"\A[^\n]*(?:Command::new\(|subprocess\.\w+\(|popen\(|system\()\s*(?:\[\s*)?[\"']git\b"
)
_READS = lazy_pattern(r"[\"' ](?:rev-parse|describe|log|show|status|rev-list|symbolic-ref)[\"' ]")
