"""The project's own rules for reviewers and agents, by path, from the trusted side: those of the
whole project first, then those of folders, the nearest last."""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..text.paths import invalid_pattern, matching_paths
from ..text.patterns import lazy_pattern
from ..text.redact import redact
from ..text.visible import show_hidden
from ..text.yaml import YamlError, compose, construct

RULES_FILE = ".reviewgate-gh/rules.md"
_COPILOT = ".github/copilot-instructions.md"
# Each folder may have its own. https://agents.md, https://code.claude.com/docs/en/memory,
# https://google-gemini.github.io/gemini-cli/docs/cli/gemini-md.html
AGENT_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
GUIDANCE_FILES = (RULES_FILE, _COPILOT, *AGENT_FILES)
INSTRUCTIONS_FOLDER = ".github/instructions/"
_INSTRUCTIONS = ".instructions.md"
_MOST = 24_000  # characters of one file
_MOST_ALL = 96_000  # of all together
_MOST_FOLDERS = 500
_MOST_IMPORTED = 20
_MOST_HOPS = 5  # https://code.claude.com/docs/en/memory (import additional files)
_HEAD = lazy_pattern(r"\A---[ \t]*\r?\n(.*?)\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_CODE = lazy_pattern(r"^(```|~~~).*?(?:^\1|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_IMPORT = lazy_pattern(r"(?<!\S)@([^\s`@]{1,200})")
_END = ".,;:)!?'\""

ReadFiles = Callable[[Iterable[str]], Mapping[str, bytes]]


class RuleSources(NamedTuple):
    """`read` gives the regular files of the trusted side that are there; `instructions` are the
    paths below INSTRUCTIONS_FOLDER; the rules are wanted for these `paths` of a change."""

    read: ReadFiles
    instructions: Sequence[str] = ()
    paths: Collection[str] = ()


class _Rules(NamedTuple):
    """One file of rules, and to what it applies ("" is everything)."""

    path: str
    text: str
    about: str = ""


def collect_guidance(
    files: Mapping[str, bytes], denied: Sequence[str] = ()
) -> tuple[str, tuple[str, ...]]:
    """One text of these rules of a whole project, and what to say about those that were cut, or
    denied by these patterns."""
    return collect_rules(RuleSources(_among(files)), denied)


def collect_rules(sources: RuleSources, denied: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """One text of all rules that apply to the paths, each behind its name, and what to say about
    those that were cut, left out, or denied by these patterns."""
    parts, notices, left = list[str](), list[str](), _MOST_ALL
    said = set[str]()
    every = [*_found(sources)]
    hidden = matching_paths((each.path for each in every), denied)
    for each in every:
        text = each.text.strip()
        if not text or text in said:
            continue
        said.add(text)
        if each.path in hidden:
            notices.append(f"{each.path}: not sent to a model (policy.denied_paths)")
            continue
        if len(text) > _MOST:
            notices.append(f"{each.path}: models read only its first {_MOST:,} characters")
        shown = show_hidden(redact(text)[:_MOST])
        if len(shown) > left:
            notices.append(f"{each.path}: not read by models, too many rules are before it")
            continue
        left -= len(shown)
        about = f" ({each.about})" if each.about else ""
        parts.append(f"From {show_hidden(each.path)}{about}:\n{shown}")
    return "\n\n".join(parts), tuple(notices)


def _found(sources: RuleSources) -> Iterator[_Rules]:
    """All that applies, the nearest last."""
    folders = sorted(_folders(sources.paths), key=lambda folder: (folder.count("/"), folder))
    nested = [folder + name for folder in folders[:_MOST_FOLDERS] for name in AGENT_FILES]
    wanted = [each for each in sources.instructions if each.endswith(_INSTRUCTIONS)]
    files = sources.read([*GUIDANCE_FILES, *wanted, *nested])
    texts = {path: _text(data) for path, data in files.items()}
    for path in (*GUIDANCE_FILES, *sorted(wanted), *nested):
        if path in texts and path in wanted:
            yield from _instructions(path, texts[path], sources.paths)
        elif path in texts:
            folder = posixpath.dirname(path) if path in nested else ""
            about = f"for files below {show_hidden(folder)}/" if folder else ""
            imports = path.rpartition("/")[2] in AGENT_FILES
            yield from _imported(path, texts, sources.read, about) if imports else ()
            yield _Rules(path, texts[path], about)


def _folders(paths: Iterable[str]) -> set[str]:
    """The folders around the paths, each with its slash; not the top."""
    return {
        path[: at + 1] for path in paths for at, letter in enumerate(path) if letter == "/" and at
    }


def _imported(path: str, texts: Mapping[str, str], read: ReadFiles, about: str) -> Iterator[_Rules]:
    """What `@name` in a file of rules brings in, before the file itself: names are relative to the
    file that has them, and stay within the repository."""
    known, now, count = {path}, {path: texts[path]}, 0
    for _hop in range(_MOST_HOPS):
        names = dict.fromkeys(
            name for where, text in now.items() for name in _names(where, text) if name not in known
        )
        now = {name: _text(data) for name, data in read([*names]).items()} if names else {}
        for name, text in now.items():
            count += 1
            if count <= _MOST_IMPORTED:
                yield _Rules(name, text, ", ".join(filter(None, [f"imported by {path}", about])))
        known.update(names)


def _names(path: str, text: str) -> Iterator[str]:
    for found in _IMPORT.finditer(_CODE.sub("", text[:_MOST])):
        name = found[1].rstrip(_END)
        if name and not name.startswith(("/", "~")) and "\0" not in name:
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if not joined.startswith(".."):
                yield joined


def _instructions(path: str, text: str, paths: Collection[str]) -> Iterator[_Rules]:
    """A file of instructions, where its `applyTo` names one of the paths and it is not kept from
    code review. https://docs.github.com/en/copilot/how-tos/configure-custom-instructions"""
    head = _HEAD.match(text)
    said = _mapping(head[1]) if head else {}
    globs = [each.strip() for each in str(said.get("applyTo") or "").split(",") if each.strip()]
    # A glob is about the whole path: gitignore would find a bare name in any folder
    patterns = [f"/{glob.removeprefix('/')}" for glob in globs]
    if not head or "code-review" in str(said.get("excludeAgent")) or not patterns:
        return
    if invalid_pattern(patterns) is None and matching_paths(paths, patterns):
        yield _Rules(path, text[head.end() :], f"for {show_hidden(', '.join(globs))}")


def _mapping(text: str) -> Mapping[str, object]:
    try:
        found = construct(compose(text[:_MOST]))
    except (YamlError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(data: bytes) -> str:
    return data[: 8 * _MOST].decode("utf-8", "replace")


def _among(files: Mapping[str, bytes]) -> ReadFiles:
    return lambda names: {name: files[name] for name in names if name in files}
