"""What language models are asked: one shared part, byte-identical in every question of a run, and an own part with lens and nonce last.

Everything that comes from the change stands in blocks whose tags carry a digest of the block itself: no text can hold its own end.
Title, body, branch and commit messages are not sent: how somebody speaks of a change must not decide what is found in it.
"""

import json
from collections.abc import Iterable, Sequence

from ..model.digest import sha256_hex
from ..model.finding import Finding
from ..model.lens import Lens
from . import prompt_words as words
from .answer_schema import REVIEW, VERIFICATION
from .diff_text import FileText, shown


def shared_part(files: Sequence[FileText], rules: str, intent: str = "", again: bool = False) -> str:
    """Instructions, trusted rules, what the change is meant to do, diff: the same bytes for the same ones of these.

    `again`: the diff is only what is new of a change.
    """
    schemas = {name: json.dumps(schema, separators=(",", ":")) for name, schema in (("review", REVIEW), ("rulings", VERIFICATION))}
    parts = [words.PREAMBLE.replace("{review}", schemas["review"]).replace("{rulings}", schemas["rulings"])]
    if rules:
        parts.append(words.RULES.replace("{rules}", block(rules)))
    if intent:
        parts.append(words.INTENT.replace("{intent}", block(intent)))
    parts.append((words.NEWS if again else words.CHANGE).replace("{change}", block("\n".join(file.text for file in files))))
    return "".join(parts)


def lens_part(lens: Lens, nonce: str, paths: Sequence[str] = (), extra: str = "") -> str:
    """The question of one lens; `paths` where it is about some of the files only, `extra` is data that belongs to it."""
    scope = f"This lens covers only these files:\n{block(chr(10).join(map(shown, paths)))}\n" if paths else ""
    filled = {"title": lens.title, "persona": lens.persona.strip(), "instructions": lens.instructions, "scope": scope}
    return _filled(words.LENS, {**filled, "extra": f"{block(extra)}\n" if extra else "", "nonce": nonce})


def verify_part(findings: Iterable[tuple[str, Finding]], nonce: str) -> str:
    """The one question about all findings, each with its id."""
    return _filled(words.VERIFY, {"findings": block(_listed(findings)), "nonce": nonce})


def audit_part(findings: Iterable[Finding], nonce: str) -> str:
    """The question for what is missing."""
    numbered = ((str(number), finding) for number, finding in enumerate(findings, 1))
    return _filled(words.AUDIT, {"findings": block(_listed(numbered) or "nothing"), "nonce": nonce})


def block(text: str) -> str:
    """A data block; its tag is made from what it holds."""
    tag = f"data-{sha256_hex(text, 16)}"
    return f"<{tag}>\n{text}\n</{tag}>"


def tokens(text: str) -> int:
    """About how many tokens a model counts: a quarter of the bytes."""
    return (len(text.encode("utf-8", "surrogateescape")) + 3) // 4


def _listed(findings: Iterable[tuple[str, Finding]]) -> str:
    return "\n".join(
        json.dumps(
            {
                "id": name,
                "file": shown(finding.path),
                "lines": [finding.line_start, finding.line_end],
                "priority": finding.priority.value,
                "category": finding.category,
                "title": shown(finding.title),
                "body": shown(finding.body)[:2000],
                "code": [shown(line.text) for line in finding.excerpt if finding.anchors(line)][:20],
            },
            ensure_ascii=False,
        )
        for name, finding in findings
    )


def _filled(template: str, values: dict[str, str]) -> str:
    """Each placeholder once, in one pass over the template alone: a value that looks like one stays as it is."""
    pieces = []
    rest = template
    while rest:
        before, brace, after = rest.partition("{")
        pieces.append(before)
        if not brace:
            break
        name, _, rest = after.partition("}")
        pieces.append(values[name])
    return "".join(pieces)
