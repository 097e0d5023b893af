"""Why a tool's graver findings matter, in the words of its own documentation."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...system import process
from ...system.children import ToolMissing
from ...text.strict import one_line
from ._run import LinterJob

_MOST_RULES = 10
_SECONDS = 5.0
_MOST_TEXT = 400  # characters
_SENTENCE = re.compile(r"(?<=[.!?]) ")


def explain_findings(
    findings: Sequence[Finding], job: LinterJob, seconds: float
) -> tuple[Finding, ...]:
    """The findings; those of P2 and above begin with what their rule is for. A tool that does not
    tell takes nothing away."""
    rules = dict.fromkeys(f.rule for f in findings if f.priority is not Priority.P3)
    known = {rule: _explanation(rule, job, seconds) for rule in list(rules)[:_MOST_RULES]}
    return tuple(
        replace(f, body="\n".join(part for part in (known.get(f.rule, ""), f.body) if part))
        if f.priority is not Priority.P3
        else f
        for f in findings
    )


def _explanation(rule: str, job: LinterJob, seconds: float) -> str:
    argv = job.tool.explain(job.program, rule.partition("/")[2])
    left = max(0.1, min(_SECONDS, seconds))
    try:
        answer = process.run_process(argv, cwd=job.root, env=job.env, deadline=left)
    except ToolMissing:
        return ""
    try:
        told = job.tool.explanation(answer.out) if answer.code == 0 else ""
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
