"""The comments that silence a tool, in one table: a new linter's comment is a row here.

`suppressions.py` makes the new ones of a change unreadable to the tools, and the built-in check
`suppressions` lists them.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..text.patterns import lazy_pattern


class SuppressionComment(NamedTuple):
    """One form of comment, as patterns.

    `lead` stays and `word` is made unreadable; tools differ in what may stand before and between,
    so these two alone decide what is defused. A person is only shown a comment that also has
    `before`. `hint` is in every such comment, in small letters; `defused` is false where no linter
    reads the comment, or `defuse` does it in another way. `end` is the comment that ends what one
    of these begins, for a tool that has blocks.
    """

    name: str
    lead: str
    word: str
    hint: bytes
    before: str = r"\b"
    defused: bool = True
    end: str = ""


_HASH = r"#\s*"
COMMENTS = (
    SuppressionComment(
        "noqa", r"(?<!\w)no", r"qa\b", b"noqa", rf"{_HASH}(?:(?:ruff|flake8)\s*[:=]\s*)?"
    ),
    # https://docs.astral.sh/ruff/linter/#error-suppression
    SuppressionComment(
        "ruff",
        r"ruff\s*:\s*",
        r"[a-z-]*(?:disable|ignore)\b",
        b"ruff",
        end=r"ruff\s*:\s*enable\b",
    ),
    SuppressionComment("type_ignore", r"type\s*:\s*", r"ignore\b", b"ignore"),
    SuppressionComment("pyright", r"pyright\s*:\s*", r"ignore\b", b"ignore", defused=False),
    SuppressionComment("nosec", r"(?<!\w)no", r"sec\b", b"nosec", _HASH),
    SuppressionComment(
        "pylint", r"pylint\s*:\s*", r"disable\b", b"disable", end=r"pylint\s*:\s*enable\b"
    ),
    # https://mypy.readthedocs.io/en/stable/inline_config.html
    SuppressionComment(
        "mypy", r"mypy\s*:[^\n]{0,200}?\b", r"(?:ignore|disable|allow|no)(?=-)", b"mypy", _HASH
    ),
    SuppressionComment("ty", r"(?<!\w)ty\s*:\s*", r"ignore\b", b"ignore", _HASH),
    SuppressionComment(
        "shellcheck",
        r"shellcheck\s+(?:[\w-]+=\S*\s+){0,8}",
        r"disable\b",
        b"disable",
        defused=False,
    ),
    # https://eslint.org/docs/latest/use/configure/rules#using-configuration-comments
    SuppressionComment("eslint", r"eslint-", r"disable", b"disable", end=r"eslint-enable\b"),
    SuppressionComment("eslint_rule", r"/\*\s*es", r"lint(?=\s)", b"eslint", before=""),
    SuppressionComment("oxlint", r"oxlint-", r"disable", b"disable", end=r"oxlint-enable\b"),
    # https://biomejs.dev/analyzer/suppressions/
    SuppressionComment("biome", r"biome-", r"ignore", b"ignore", end=r"biome-ignore-end\b"),
    SuppressionComment("zizmor", r"zizmor\s*:\s*", r"ignore", b"ignore"),
    SuppressionComment("nosemgrep", r"(?<!\w)no", r"sem(?:grep)?\b", b"nosem", before=""),
    SuppressionComment("nolint", r"(?<!\w)no", r"lint\b", b"nolint", r"//\s*"),
    SuppressionComment("hadolint", r"hadolint\s+(?:global\s+)?", r"ignore\b", b"ignore"),
    SuppressionComment("gitleaks", r"gitleaks:", r"allow\b", b"allow", before=""),
    # https://docs.rubocop.org/rubocop/configuration.html#disabling-cops-within-source-code
    SuppressionComment(
        "rubocop",
        r"rubocop\s*:\s*",
        r"(?:disable|todo)\b",
        b"rubocop",
        end=r"rubocop\s*:\s*(?:enable|pop)\b",
    ),
    # https://luacheck.readthedocs.io/en/stable/inline.html
    SuppressionComment(
        "luacheck",
        r"luacheck\s*:\s*",
        r"(?:ignore|globals?|std|no)\b",
        b"luacheck",
        end=r"luacheck\s*:\s*pop\b",
    ),
    # https://metacpan.org/pod/Perl::Critic#BENDING-THE-RULES
    SuppressionComment(
        "perlcritic", r"##\s*no\s+", r"critic\b", b"critic", "", end=r"##\s*use\s+critic\b"
    ),
    # https://phpstan.org/user-guide/ignoring-errors#ignoring-in-code-using-phpdocs
    SuppressionComment("phpstan", r"@phpstan-", r"ignore", b"ignore", before=""),
    # https://checkstyle.org/filters, by the names that its own examples have
    SuppressionComment(
        "checkstyle",
        r"checkstyle\s*[:.]\s*",
        r'(?:off\b|suppress|(?<="checkstyle:)\w+)',
        b"checkstyle",
        end=r"checkstyle\s*[:.]\s*on\b",
    ),
    # https://pinterest.github.io/ktlint/latest/faq/#how-do-i-suppress-errors-for-a-lineblockfile
    SuppressionComment(
        "ktlint",
        r"kt",
        r'lint(?:-disable\b|(?=:\w|"\s*[,)]))',
        b"ktlint",
        end=r"ktlint-enable\b",
    ),
    # https://stylelint.io/user-guide/ignore-code
    SuppressionComment(
        "stylelint", r"stylelint-", r"disable", b"disable", end=r"stylelint-enable\b"
    ),
    # https://html-validate.org/usage/index.html#inline-configuration
    SuppressionComment(
        "html_validate",
        r"\[html-validate-",
        r"(?:disable(?:-block|-next)?)\b",
        b"html-validate",
        before="",
        end=r"\[html-validate-enable\b",
    ),
    SuppressionComment("buf", r"buf:lint:", r"ignore\b", b"ignore"),
    # https://docs.sqlfluff.com/en/stable/configuration/ignoring_configuration.html
    SuppressionComment(
        "sqruff", r"(?<!\w)no", r"qa\b", b"noqa", r"--\s*", end=r"--\s*noqa\s*:\s*enable\b"
    ),
    SuppressionComment("squawk", r"squawk-", r"ignore", b"ignore"),
    # https://yamllint.readthedocs.io/en/stable/disable_with_comments.html
    SuppressionComment(
        "yamllint", r"yamllint\s+", r"disable", b"yamllint", _HASH, end=r"yamllint\s+enable\b"
    ),
    # https://docs.ansible.com/projects/lint/usage/#ignoring-rules-for-entire-files
    SuppressionComment("ansible_lint", r"skip_ansible_", r"lint\b", b"skip_ansible_lint"),
    SuppressionComment("rumdl", r"rumdl-", r"disable", b"disable", end=r"rumdl-enable\b"),
    # https://staticcheck.dev/docs/configuration/#ignoring-problems
    SuppressionComment("staticcheck", r"//\s*lint:(?:file-)?", r"ignore\b", b"lint:", before=""),
    # https://github.com/realm/SwiftLint#disable-rules-in-code
    SuppressionComment(
        "swiftlint", r"swiftlint:", r"disable\b", b"swiftlint", end=r"swiftlint:enable\b"
    ),
    # https://github.com/terraform-linters/tflint/blob/master/docs/user-guide/annotations.md
    SuppressionComment("tflint", r"tflint-", r"ignore\b", b"ignore"),
    # https://docs.kubelinter.io/#/configuring-kubelinter?id=ignoring-violations-for-specific-cases
    SuppressionComment(
        "kube_linter",
        r"(?:ignore-(?=check\.)|kube-linter\.io/(?=ignore-all))",
        r"(?:check(?=\.kube-linter\.io/)|ignore-all\b)",
        b"kube-linter.io",
    ),
    # A word that nobody knows would not compile, and they run where the code is:
    # https://doc.rust-lang.org/clippy/usage.html#lint-level-attributes-and-flags and
    # https://learn.microsoft.com/en-us/dotnet/csharp/language-reference/preprocessor-directives
    SuppressionComment(
        "clippy",
        r"(?:#!?\[|,)\s*",
        r"(?:allow|expect)(?=\s*\([^\n]{0,200}?clippy::)",
        b"clippy::",
        before="",
        defused=False,
    ),
    SuppressionComment(
        "pragma_warning", r"#pragma\s+warning\s+", r"disable\b", b"pragma", before="", defused=False
    ),
    SuppressionComment("ast_grep", r"ast-grep-", r"ignore\b", b"ignore"),
    SuppressionComment(
        "reviewgate_gh", r"reviewgate-gh:\s*", r"ignore\b", b"ignore", defused=False
    ),
)
HINTS = tuple(dict.fromkeys(each.hint for each in COMMENTS))
# Bytes, since a file need not be text; two groups of each comment, what stays and what does not
DEFUSED = lazy_pattern(
    "|".join(f"({each.lead})({each.word})" for each in COMMENTS if each.defused).encode(),
    re.IGNORECASE,
)
# The name of the group is that of the comment
SHOWN = lazy_pattern(
    "|".join(f"{each.before}(?P<{each.name}>{each.lead}{each.word})" for each in COMMENTS),
    re.IGNORECASE,
)
# What ends a block that one of the comments has silenced
BLOCK_END = lazy_pattern(
    "|".join(each.end for each in COMMENTS if each.end).encode(), re.IGNORECASE
)
# A directive of shellcheck's holds several settings, in any order. Zeros are a code that nothing
# has, and a word that it knows.
_SHELLCHECK = b"shellcheck"
_DISABLE = lazy_pattern(rb"(dis)(able)\b(?!=)")
_CODES = lazy_pattern(rb"(disable=)(\S*)")


def find_suspects(data: bytes) -> Iterator[tuple[int, int]]:
    """Where the lines begin and end that hold a suppression's word, some more than once; finding
    words is many times faster than the patterns."""
    low = data.lower()
    for word in HINTS:
        at = low.find(word)
        while at >= 0:
            end = low.find(b"\n", at)
            end = len(low) if end < 0 else end
            yield low.rfind(b"\n", 0, at) + 1, end
            at = low.find(word, end)


def defuse(row: bytes) -> bytes:
    """The line with every suppression made unreadable; all positions stay."""
    row = DEFUSED.sub(_blunt, row)
    return _CODES.sub(_zeros, _DISABLE.sub(_blunt, row)) if _SHELLCHECK in row else row


def _blunt(found: re.Match[bytes]) -> bytes:
    lead, word = (group for group in found.groups() if group is not None)
    return lead + b"x" * len(word)


def _zeros(found: re.Match[bytes]) -> bytes:
    return found[1] + b"0" * len(found[2])
