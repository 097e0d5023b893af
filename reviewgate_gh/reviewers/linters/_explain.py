"""Why a tool's graver findings matter, in the words of its own documentation."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...git import Git
from ...model.finding import Finding, Priority
from ...system import plugins, process
from ...system.children import ToolMissing
from ...system.environment import Environment
from ...text.patterns import lazy_pattern
from ...text.strict import one_line
from .._program import find_program
from ._run import LinterJob

_MOST_RULES = 10
_SECONDS = 5.0
_MOST_TEXT = 400  # characters
_SENTENCE = lazy_pattern(r"(?<=[.!?]) ")


def explain_findings(
    findings: Sequence[Finding], job: LinterJob, seconds: float
) -> tuple[Finding, ...]:
    """The findings; those of P2 and above begin with what their rule is for. A tool that does not
    tell takes nothing away."""
    rules = dict.fromkeys(f.rule for f in findings if f.priority is not Priority.P3)
    known = {
        rule: _explanation(job.tool, _argv(job.tool, job.program, rule), job.root, job.env, seconds)
        for rule in list(rules)[:_MOST_RULES]
    }
    return tuple(
        replace(f, body="\n".join(part for part in (known.get(f.rule, ""), f.body) if part))
        if f.priority is not Priority.P3
        else f
        for f in findings
    )


def explain_rule(rule: str, git: Git, environment: Environment) -> str:
    """What a linter that is installed here says of one of its rules (`ruff/F821`); "" for others'
    rules, and where it does not tell."""
    name = rule.partition("/")[0].replace("-", "_")
    if name not in plugins.names("linters"):
        return ""
    tool = plugins.load("linters", name)
    if not hasattr(tool, "explain"):
        return ""
    path = environment.variables.get("PATH", "")
    program = find_program(tool.PROGRAM, git, False, path)
    if program is None:
        return ""
    env = process.clean_environment(environment.variables)
    return _explanation(tool, _argv(tool, program, rule), git.directory, env, _SECONDS)


def _argv(tool: Any, program: str, rule: str) -> list[str]:
    argv: list[str] = tool.explain(program, rule.partition("/")[2])
    return argv


def _explanation(
    tool: Any, argv: Sequence[str], root: Path, env: Mapping[str, str], seconds: float
) -> str:
    left = max(0.1, min(_SECONDS, seconds))
    try:
        answer = process.run_process(argv, cwd=root, env=env, deadline=left)
    except ToolMissing:
        return ""
    try:
        told = tool.explanation(answer.out) if answer.code == 0 else ""
    except ValueError:
        return ""
    finally:
        answer.close()
    return _first_sentences(one_line(told, 10 * _MOST_TEXT))


def _first_sentences(text: str) -> str:
    """As many as fit; the first one is cut if it must be."""
    kept = ""
    for sentence in _SENTENCE.split(text):
        if kept and len(kept) + 1 + len(sentence) > _MOST_TEXT:
            break
        kept = f"{kept} {sentence}".lstrip()
    return one_line(kept, _MOST_TEXT)
