"""Installs that no longer hold to the lockfile."""

from collections.abc import Iterator
from itertools import islice

from ....model.config import LOCK_FILES
from ....model.finding import Finding, Priority
from ....text.paths import matching_paths
from ....text.patterns import lazy_pattern
from .._pipelines import COMMENT, PIPELINES
from .._remark import ComparisonRule, put, quoted, taken
from .._sources import ComparedFile, ComparisonInput, squeeze

EVERY_FILE = True
_RULE = ComparisonRule(
    "lockfile-not-enforced",
    Priority.P2,
    "An install may now take versions that nobody has tested, and a lockfile that is out of date "
    "is not noticed. Keep the option, or say what checks the lockfile.",
)
_FILES = lazy_pattern(
    r"^\.(?:github|gitea|forgejo|circleci|buildkite)/|(?:^|/)(?:[\w.-]*Dockerfile[\w.-]*"
    r"|Containerfile|Makefile|justfile|tox\.ini|noxfile\.py|\.gitlab-ci\.yml|\.travis\.yml"
    r"|azure-pipelines\.yml|Jenkinsfile|package\.json|action\.ya?ml)$|\.(?:sh|mk)$"
)
# `npm help ci`, https://doc.rust-lang.org/cargo/commands/cargo.html
# https://docs.astral.sh/uv/concepts/projects/sync/, https://pip.pypa.io/en/stable/cli/pip_install/
_OPTION = lazy_pattern(
    r"\s--(?:locked|frozen(?:-lockfile)?|immutable(?:-cache)?|require-hashes"
    r"|locked-mode|check-locked)\b(?![=-](?:false|\w))"
    r"|\s--lockfile=\S+|(?:\s[-/]p(?:roperty)?:)?\bRestoreLockedMode=true"
)
# The option alone, where a pipeline gives it to a task by a key
_ARGUMENT = lazy_pattern(
    r"^\s*(?:-\s+)?\w*[aA]rg(?:ument)?s\s*:\s*[\"']?(?P<option>--\S+)[\"']?\s*$"
)
_LOOSE = lazy_pattern(
    r"\s--no-(?:frozen-lockfile|immutable|locked)\b|\s--(?:frozen-lockfile|immutable)=false\b"
)
# Told as such, or without a say in versions
_NO_SCRIPTS = lazy_pattern(
    r"\s--(?:ignore-scripts|legacy-peer-deps|force|no-audit|no-fund|prefer-offline|silent|quiet)\b"
)
_STRICT_VERB = lazy_pattern(r"\bnpm (?:ci|clean-install)\b")
# What installs from the lockfile; `update` writes it anew (`composer help update`)
_VERBS = lazy_pattern(
    r"\b(?P<tool>composer|bundle|poetry|pipenv|pod|mix deps\.)( ?)(?:install|get|sync)\b"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change, at the first such install; a lockfile that is gone is another
    comparison's."""
    if any(
        file.is_gone and file.path in matching_paths((file.path,), LOCK_FILES)
        for file in sources.files
    ):
        return
    wanted = (
        file
        for file in sources.files
        if (_FILES.search(file.path) or PIPELINES.search(file.path))
        and not (file.is_new or file.is_gone or file.is_test)
    )
    yield from islice(filter(None, map(_loosened, wanted)), 1)


def _loosened(file: ComparedFile) -> Finding | None:
    """The first command that is as it was, without what made it strict."""
    for block in file.blocks:
        old = {_loose(line.text): line for line in block.removed if _is_strict(line.text)}
        old |= {squeeze(anew): line for line in block.removed if (anew := _anew(line.text))}
        for line in block.added:
            bare = squeeze(_NO_SCRIPTS.sub("", _LOOSE.sub("", COMMENT.sub("", line.text))))
            was = old.get(bare)
            if bare and was and not (_is_strict(line.text) or _holds_in_pipelines(file, line.text)):
                title = "an install no longer enforces the lockfile"
                return put(_RULE, file, line, title, quoted(was.text))
        given = (found for line in block.removed if (found := _ARGUMENT.match(line.text)))
        if not block.added and any(_OPTION.fullmatch(f" {each['option']}") for each in given):
            return taken(
                _RULE, file, block.removed[0], "an install no longer enforces the lockfile"
            )
    return None


def _holds_in_pipelines(file: ComparedFile, text: str) -> bool:
    """pnpm holds to the lockfile by itself where it runs in a pipeline.
    https://pnpm.io/cli/install#--frozen-lockfile"""
    runs_there = PIPELINES.search(file.path) or _OF_PIPELINES.search(file.path)
    return bool(runs_there and _PNPM.search(text) and not _LOOSE.search(text))


_OF_PIPELINES = lazy_pattern(
    r"^\.(?:github|gitea|forgejo|circleci|buildkite)/|(?:^|/)action\.ya?ml$"
)
_PNPM = lazy_pattern(r"\bpnpm\b[^|&;]*\s(?:i|install)\b")


def _anew(text: str) -> str:
    """The command as it would write the lockfile anew; "" of any other one."""
    bare = COMMENT.sub("", text)
    return _VERBS.sub(r"\g<tool>\2update", bare) if _VERBS.search(bare) else ""


def _is_strict(text: str) -> bool:
    return bool(_OPTION.search(text) or _STRICT_VERB.search(text)) and not _LOOSE.search(text)


def _loose(text: str) -> str:
    """The command without its strictness, as it may stand afterwards."""
    bare = _NO_SCRIPTS.sub("", _OPTION.sub("", COMMENT.sub("", text)))
    return squeeze(_STRICT_VERB.sub("npm install", bare))
