"""How far ast-grep's grammars are to be believed. The figures are files of public projects that
compile, and how many of these a grammar calls broken (tests/bench/test_grammars.py counts them).
"""

from enum import Enum

from msgspec import Struct

from ...model.finding import Priority


class Trust(Enum):
    """What of a grammar is to be believed by itself. Brackets that do not match always are, and so
    are strings without an end and misspelt keywords at the place: of 6,400 files that compile and
    that a grammar does not understand none has one."""

    ERRORS = "all that it does not understand"
    MISSING = "a missing token, where it understands all else"
    BRACKETS = "nothing"


class Grammar(Struct, frozen=True):
    """A language: ast-grep's name of it, the node of a whole file, suffixes, and what to believe.

    `empty` are nodes that may hold nothing; `gap` is code that the grammar does not know yet.
    `steady`: how bad it is that it understood a file without a `gap` before and no longer does.
    `newer` is most of the code that compiles and that it does not understand; `odd`: how bad it is
    that it does not understand a file without that.
    """

    name: str
    root: str
    suffixes: tuple[str, ...]
    trust: Trust
    empty: tuple[str, ...] = ()
    gap: str = ""
    steady: Priority | None = None
    newer: str = ""
    odd: Priority | None = None

    @property
    def has_end(self) -> bool:
        """Its blocks end with that word."""
        return self.name in ("elixir", "lua", "ruby")


GRAMMARS = {
    # 525 of 1,453, 267 of 1,023. Of files that commits change: 4 of 752 in C++, by new macros
    "C": Grammar("c", "translation_unit", (".c", ".h"), Trust.BRACKETS, steady=Priority.P3),
    "C++": Grammar(
        "cpp",
        "translation_unit",
        (".cc", ".cpp", ".cxx", ".hpp", ".hh"),
        Trust.BRACKETS,
        ("raw_string_content",),
        r"\boperator(?:\+\+|--)\(\)|\bconst = ",
        steady=Priority.P3,
    ),
    "C#": Grammar(  # 443, 0 of 7,372; code that is compiled under a condition need not be whole
        "csharp",
        "compilation_unit",
        (".cs",),
        Trust.MISSING,
        gap=r"(?m)^[ \t]*#[ \t]*(?:if|elif|else)\b",
        # `async` as a name, extensions, generic attributes, `a?[b] = c`, lists that begin like
        # an attribute's target. But for these: 0 of 6,145
        newer=r"(?m)^[ \t]*#[ \t]*(?:if|elif|else|line)\b|\basync\b(?![ \t]*[\w(<@\[])"
        r"|\bextension[ \t]*[<(\]]|\[[ \t]*(?:\w+<|(?:type|property|field|method|event|param)\b)"
        r"|\?\[",
        odd=Priority.P2,
    ),
    "Dart": Grammar(  # 16, 0 of 1,999
        "dart", "source_file", (".dart",), Trust.MISSING, steady=Priority.P2, odd=Priority.P2
    ),
    "Elixir": Grammar("elixir", "source", (".ex", ".exs"), Trust.ERRORS),  # 0 of 2,783
    "Go": Grammar(  # 2 of 9,000
        "go",
        "source_file",
        (".go",),
        Trust.ERRORS,
        ("raw_string_literal_content",),
        # of an expression: https://go.dev/doc/go1.26#language
        r"\bnew\((?:(?![A-Za-z_*\[][\w.*\[\]]*\))|\w+\.\w+\.)",
    ),
    "Haskell": Grammar(  # 16 of 2,515
        "haskell", "haskell", (".hs",), Trust.BRACKETS, steady=Priority.P2
    ),
    "HCL": Grammar("hcl", "config_file", (".tf", ".hcl", ".nomad"), Trust.ERRORS),  # 0 of 1,201
    "Java": Grammar(  # 18, 0 of 9,000
        "java",
        "program",
        (".java",),
        Trust.MISSING,
        steady=Priority.P2,
        newer=r"@\w+[ \t]*(?:\.\.\.|\[)",  # but for these: 1 of 5,136
        odd=Priority.P2,
    ),
    "Kotlin": Grammar(  # 26 of 2,210
        "kotlin",
        "source_file",
        (".kt", ".kts"),
        Trust.BRACKETS,
        ("multiline_comment",),
        # References of what may be null, type arguments before a lambda, context parameters, the
        # constructors of what is `actual`, lists in annotations. But for these: 1 of 4,780.
        # Annotated types of functions, lines that go on with a bracket, `::` or `->`, guards in
        # `when`, fields that back a property: 94 of 4,205 with Compose, 0 without these
        newer=r"(?m)\?::|=[ \t]*\[\]|\w<\w+>[ \t]*\{|\bcontext\s*\(|\bactual\b|\)\(|\0"
        r"|\bvar \w+ = \w+\n\s*suspend\b|@\w+(?:\([^()\n]*\))?[ \t]+\("
        r"|^[ \t]*(?:\(|::|->|field[ \t]*[:=])|\bif\b[^\n{}]*->",
        odd=Priority.P2,
    ),
    "Lua": Grammar(  # 0 of 2,246
        "lua", "chunk", (".lua",), Trust.ERRORS, ("comment_content",)
    ),
    "Nix": Grammar("nix", "source_code", (".nix",), Trust.ERRORS),  # 0 of 3,530
    "PHP": Grammar(  # 6 of 9,000, 5 of them begin with HTML
        "php", "program", (".php",), Trust.ERRORS, gap=r"\A(?!<\?php\b|#!)|\?>[^<]*<(?!\?)"
    ),
    "Ruby": Grammar(  # 0 of 3,536; a block that is handed on, alone on its line
        "ruby", "program", (".rb", ".rbw", ".gemspec"), Trust.ERRORS, gap=r"&[ \t]*\n\s*\)"
    ),
    "Rust": Grammar(  # 291 of 3,217
        "rust",
        "source_file",
        (".rs",),
        Trust.BRACKETS,
        ("string_content",),
        steady=Priority.P2,
        # A macro with the name of a type, those of macros, and what is not stable. But for these: 0
        # of 2,582
        newer=r"\bstr!|\$|\bdyn \w+:|\btrait \w+ =|#\[cfg[^\n]*\n[^\n]*,\n",
        odd=Priority.P2,
    ),
    "Scala": Grammar(  # 1 of 4,309
        "scala", "compilation_unit", (".scala", ".sbt", ".sc"), Trust.ERRORS
    ),
    "Solidity": Grammar("solidity", "source_file", (".sol",), Trust.ERRORS),  # 0 of 1,028
    "Swift": Grammar(  # 134 of 1,115
        "swift",
        "source_file",
        (".swift",),
        Trust.BRACKETS,
        ("bang",),
        # `()` as a value, conditions of the compiler, and what the standard library alone uses.
        # But for these: 1 of 1,379
        newer=r"(?m)[(:,=>{?][ \t]*\(\)(?![ \t]*(?:async|throws|->))|\bin[ \t]*\(\)|^[ \t]*\(\)"
        r"|\b__(?:owned|consuming|shared)\b|@_\w+|\bsending\b|^[ \t]*#(?:if|elseif|error|warning)\b"
        r"|\b(?:borrow|_read|_modify|yield)\b|\bnonisolated\(|\bwhere\b[^{\n]*(?:==|\w\.\w+:)"
        r"|\bcase \w+\(_:|^\s*[\w.]+ == [\w.]+,$",
        odd=Priority.P3,
    ),
    "Zig": Grammar(  # 9 of 544
        "zig", "source_file", (".zig",), Trust.BRACKETS, steady=Priority.P2
    ),
}
