"""The comments that silence a tool, in one table: a new linter's comment is a row here.

`suppressions.py` makes the new ones of a change unreadable to the tools, and the built-in check
`suppressions` lists them.
"""

import re
from typing import NamedTuple


class SuppressionComment(NamedTuple):
    """One form of comment, as patterns.

    `lead` stays and `word` is made unreadable; tools differ in what may stand before and between,
    so these two alone decide what is defused. A person is only shown a comment that also has
    `before`. `hint` is in every such comment, in small letters; `defused` is false where no linter
    reads the comment, or `suppressions.py` does it in another way.
    """

    name: str
    lead: str
    word: str
    hint: bytes
    before: str = r"\b"
    defused: bool = True


_HASH = r"#\s*"
COMMENTS = (
    SuppressionComment(
        "noqa", r"(?<!\w)no", r"qa\b", b"noqa", rf"{_HASH}(?:(?:ruff|flake8)\s*[:=]\s*)?"
    ),
    SuppressionComment("ruff", r"ruff\s*:\s*", r"[a-z-]*(?:disable|ignore)\b", b"ruff"),
    SuppressionComment("type_ignore", r"type\s*:\s*", r"ignore\b", b"ignore"),
    SuppressionComment("pyright", r"pyright\s*:\s*", r"ignore\b", b"ignore", defused=False),
    SuppressionComment("nosec", r"(?<!\w)no", r"sec\b", b"nosec", _HASH),
    SuppressionComment("pylint", r"pylint\s*:\s*", r"disable\b", b"disable"),
    SuppressionComment(
        "shellcheck",
        r"shellcheck\s+(?:[\w-]+=\S*\s+){0,8}",
        r"disable\b",
        b"disable",
        defused=False,
    ),
    SuppressionComment("eslint", r"eslint-", r"disable", b"disable"),
    SuppressionComment("oxlint", r"oxlint-", r"disable", b"disable"),
    SuppressionComment("zizmor", r"zizmor\s*:\s*", r"ignore", b"ignore"),
    SuppressionComment("nosemgrep", r"(?<!\w)no", r"sem(?:grep)?\b", b"nosem", before=""),
    SuppressionComment("nolint", r"(?<!\w)no", r"lint\b", b"nolint", r"//\s*"),
    SuppressionComment("hadolint", r"hadolint\s+(?:global\s+)?", r"ignore\b", b"ignore"),
    SuppressionComment("gitleaks", r"gitleaks:", r"allow\b", b"allow", before=""),
    SuppressionComment("ast_grep", r"ast-grep-", r"ignore\b", b"ignore"),
    SuppressionComment(
        "reviewgate_gh", r"reviewgate-gh:\s*", r"ignore\b", b"ignore", defused=False
    ),
)
HINTS = tuple(dict.fromkeys(each.hint for each in COMMENTS))
# Bytes, since a file need not be text; two groups of each comment, what stays and what does not
DEFUSED = re.compile(
    "|".join(f"({each.lead})({each.word})" for each in COMMENTS if each.defused).encode(),
    re.IGNORECASE,
)
# The name of the group is that of the comment
SHOWN = re.compile(
    "|".join(f"{each.before}(?P<{each.name}>{each.lead}{each.word})" for each in COMMENTS),
    re.IGNORECASE,
)
