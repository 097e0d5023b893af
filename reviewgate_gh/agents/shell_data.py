"""Which commands take their arguments as data alone, so that words in them do nothing: a commit's
message, a pattern, a text that is printed.

Whatever is not certain counts as run. What an unknown program does with its arguments nobody can
tell, so their text is judged.
"""

import posixpath
from collections.abc import Iterator, Sequence

from .shell_grammar import Pipeline, ShellCommand, Unclear, read_pipelines

_PRINTERS = {
    "[", "basename", "cat", "cd", "cut", "date", "diff", "dirname", "echo", "egrep", "false",
    "fgrep", "file", "grep", "head", "ls", "mkdir", "printf", "pwd", "readlink", "realpath",
    "sleep", "stat", "tail", "test", "touch", "tr", "true", "uniq", "wc", ":",
}  # fmt: skip
# https://www.gnu.org/software/bash/manual/html_node/Shell-Arithmetic.html: subscripts are evaluated
_EVALUATING = {"[", "printf", "test"}
# Names of git's own commands, which no alias can take: https://git-scm.com/docs/git-config
_GIT = {
    "add", "blame", "branch", "cat-file", "checkout", "commit", "describe", "diff", "grep", "log",
    "ls-files", "ls-tree", "merge-base", "mv", "reset", "restore", "rev-list", "rev-parse", "rm",
    "show", "stash", "status", "switch", "tag",
}  # fmt: skip
_GIT_OPTIONS = {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"}
# Options of those that name a program
_RUNNING = ("-O", "--open-files-in-pager", "--ext-diff", "--textconv")
_GH = {
    "pr": {"checks", "comment", "create", "diff", "edit", "list", "status", "view"},
    "issue": {"close", "comment", "create", "edit", "list", "reopen", "status", "view"},
}
_SHELLS = {"bash", "dash", "ksh", "sh", "zsh"}
# What they set holds for the commands that follow
_SETTING = {"declare", "export", "local", "readonly", "set", "setenv", "typeset", "unset"}


def executed_parts(text: str) -> list[str]:
    """The parts of a command line that do something, one for each pipeline, each with everything
    that is set in the line; the whole line where it is not clear what it does."""
    try:
        return _parts(read_pipelines(text), 0)
    except (Unclear, RecursionError):
        return [text]


def pushing_folders(text: str) -> tuple[str, ...]:
    """The folders from which a command line pushes, as it names them; "" for the one that it starts
    in, which also stands for what is not clear."""
    folder, found = "", dict[str, None]()
    try:
        pipelines = read_pipelines(text)
    except (Unclear, RecursionError):
        return ("",)
    for command in (command for pipeline in pipelines for command in pipeline):
        words = [word.text if word.is_plain else "" for word in command.words]
        match words:
            case ["cd" | "pushd", named]:
                folder = posixpath.join(folder, named) if named else ""
            case ["git", "push", *_]:
                found[folder] = None
            case ["git", "-C", named, "push", *_] if named:
                found[posixpath.join(folder, named)] = None
            case _ if "push" in command.raw and not _is_data(command):
                found[""] = None
    return tuple(found or ("",))


def _parts(pipelines: Sequence[Pipeline], depth: int) -> list[str]:
    settings = [each for pipeline in pipelines for each in _settings(pipeline)]
    kept = list[str]()
    data = list[Pipeline]()
    for pipeline in pipelines:
        for command in pipeline:
            if command.words and not command.words[0].is_plain:
                raise Unclear
        if all(map(_is_data, pipeline)):
            data.append(pipeline)
        elif (script := _script(pipeline)) and depth < 5:
            kept += _parts(read_pipelines(script), depth + 1)
        else:
            kept.append("\n".join(command.raw for command in pipeline))
    for pipeline in data:
        kept += _told(pipeline, "\n".join(kept))
    context = "\n".join(settings)
    return [f"{part}\n{context}" for part in [*kept, ""]]


def _settings(pipeline: Pipeline) -> Iterator[str]:
    for command in pipeline:
        yield from command.assignments
        name = _name(command)
        if name in _SETTING or name in ("cd", "pushd"):
            yield " ".join(word.text for word in command.words)


def _script(pipeline: Pipeline) -> str:
    """Of a shell that is given its commands as an argument the commands."""
    if len(pipeline) != 1 or pipeline[0].targets:
        return ""
    words = pipeline[0].words
    if len(words) != 3 or not all(word.is_plain for word in words):
        return ""
    shell, option, script = (word.text for word in words)
    is_script = shell.rpartition("/")[2] in _SHELLS and option in ("-c", "-lc", "-ec", "-lec")
    return script if is_script else ""


def _told(pipeline: Pipeline, others: str) -> Iterator[str]:
    """Of commands whose arguments are data: that they commit, and which files they write. What goes
    into a file that another part of the line may run is no data."""
    targets = [word for command in pipeline for word in command.targets]
    names = [word.text.rpartition("/")[2] for word in targets]
    if any(not name or name in others for name in names) or ("*" in others and names):
        yield "\n".join(command.raw for command in pipeline)
    yield from (f"> {word.text}" for word in targets)
    if any(_name(each) == "git" and _subcommand(each)[0] == "commit" for each in pipeline):
        yield "git commit"


def _is_data(command: ShellCommand) -> bool:
    name = _name(command)
    words = [word.text for word in command.words[1:]]
    if name in _EVALUATING:
        return not any(mark in word for word in words for mark in ("$", "`"))
    if name == "git":
        subcommand, rest = _subcommand(command)
        return subcommand in _GIT and not any(word.startswith(_RUNNING) for word in rest)
    if name == "gh":
        return len(words) > 1 and words[1] in _GH.get(words[0], ())
    return name in _PRINTERS or not command.words


def _name(command: ShellCommand) -> str:
    """The program; one of another folder may be any program."""
    return command.words[0].text if command.words else ""


def _subcommand(command: ShellCommand) -> tuple[str, list[str]]:
    """Git's subcommand and what follows it; "" where options of git itself may change what that
    does."""
    words = [word.text if word.is_plain else "" for word in command.words[1:]]
    while words and (words[0] in _GIT_OPTIONS or words[0] == "-C"):
        words = words[2 if words[0] == "-C" else 1 :]
    return (words[0], [word.text for word in command.words[-len(words) :]]) if words else ("", [])
