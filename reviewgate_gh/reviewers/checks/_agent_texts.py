"""What a text tells coding agents that loosens a review: to leave checks out, to approve, to say
less, to be given more rights."""

import re

from ...model.languages import interpreters
from ...text.patterns import lazy_pattern

# git's own options and the variables that leave hooks out; options of agents that ask nobody
_SWITCHES = (
    r"--no-verify\b|--no-gpg-sign\b|--dangerously-[\w-]+|--yolo\b|\bHUSKY=0|\bSKIP=\w"
    r"|\bcore\.hooksPath\b|\bREVIEWGATE_\w*SKIP\w*|\b(?:bypassPermissions|dontAsk|acceptEdits)\b"
    r"|\bpermission[-_]?mode\s*:"
    # What a command of Claude Code runs before it is sent
    r"|^\s*(?:[-*]\s+)?!`"
    r"|\b(?:curl|wget)\b[^|\n]{1,200}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b"
)
_LEAVE_OUT = (
    r"(?<![-\w])(?:skip|bypass|disable|ignore|suppress|circumvent|override|turn\s+off"
    r"|work\s+around)"
    r"\s+(?:\w+\s+){0,4}?(?:(?:pre-?commit|pre-?push|git|commit)[\s-]+)?"
    r"(?:hooks?|reviews?|reviewers?|gates?|scans?|scanners?|approvals?|safeguards?|guardrails?"
    r"|security|findings|polic(?:y|ies)|(?:previous|prior|other|above|earlier"
    r"|system)\s+instructions"
    r"|(?:failing|failed|the|all|any|every)\s+(?:ci\s+)?(?:checks?|tests?|linters?|ci|warnings?))\b"
)
_APPROVE = (
    r"\bauto[-\s]?(?:approve|merge)\b|\b(?:always|automatically|just|blindly)\s+(?:approve|merge)\b"
    r"|\bapprove\s+(?:all|every|any)\b"
    r"|\bwithout\s+(?:asking|(?:any\s+)?(?:confirmation|permission|approval|review|human))\b"
)
_SAY_LESS = (
    r"\b(?:do\s+not|don['\u2019]?t|never|must\s+not)\s+(?:report|flag|mention|comment\s+on"
    r"|block)\s+"
    r"(?:\w+\s+){0,4}?(?:findings?|issues?|problems?|bugs?|vulnerabilit\w+|secrets?|risks?"
    r"|security)\b"
)
_GIVEN_UP = lazy_pattern(rf"(?i){_SWITCHES}|{_LEAVE_OUT}|{_APPROVE}")
_SILENT = lazy_pattern(rf"(?i){_SAY_LESS}")
# What forbids it, with few words between
_FORBIDS = lazy_pattern(
    r"(?i)(?:\b(?:never|not|avoid|no|without|nor|neither|instead\s+of|rather\s+than|forbidden)"
    r"|n['\u2019]t)[*_]{0,2}\s+(?:[\w/-]+[*_]{0,2}\s+){0,4}[*_`\"'(]*(?:git\s+(?:commit"
    r"|push)\s+)?\Z"
)
_FORBIDDEN = lazy_pattern(
    r"(?i)[`*_\"')]*\s*(?:(?:is|are)\s+)?(?:forbidden|not\s+allowed|prohibited|never)\b"
)
_BEFORE = 120  # characters
# https://code.claude.com/docs/en/slash-commands: tools that only read, and programs by their names
_ALLOWS = lazy_pattern(r"(?i)\ballowed[-_]?tools\s*:(?P<tools>.*)")
_LITTLE = lazy_pattern(
    r"(?:Read|Grep|Glob|LS|TodoWrite)(?![\w(*])|Bash\((?P<program>[\w./-]+)(?P<more>[ :][^()]*)?\)"
)
# They run whatever they are given, or do whatever their second word says
_ANYTHING = {"env", "xargs", "sudo", "eval", "exec", "find", "curl", "wget", "ssh", "npx", "bunx",
             "pnpx", "pipx", "uvx"}  # fmt: skip
_MANY_THINGS = {"git", "gh", "docker", "podman", "kubectl", "aws", "gcloud", "az", "terraform",
                "npm", "pnpm", "yarn", "pip", "make", "just"}  # fmt: skip


def loosening_line(line: str) -> bool:
    """The line tells to leave a check out, to say less, or gives more rights; not one that forbids
    that."""
    if _SILENT.search(line) or ((found := _ALLOWS.search(line)) and _allows_much(found["tools"])):
        return True
    return any(
        not (
            _FORBIDS.search(line, max(0, found.start() - _BEFORE), found.start())
            or _FORBIDDEN.match(line, found.end())
        )
        for found in _GIVEN_UP.finditer(line)
    )


def _allows_much(tools: str) -> bool:
    """More than to read, and to run a few programs; nothing named may be a list below."""
    if not tools.strip() or _LITTLE.sub("", tools).strip(" ,[]\"'"):
        return True
    return any(map(_runs_anything, _LITTLE.finditer(tools)))


def _runs_anything(tool: re.Match[str]) -> bool:
    program = (tool["program"] or "").rpartition("/")[2].rstrip("0123456789.")
    if program in _MANY_THINGS:
        return not (tool["more"] or "").startswith(" ")
    return program in _ANYTHING or program in interpreters()
