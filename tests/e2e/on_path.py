"""Stand-ins on PATH for linters: each prints what the real tool says about one defect, in the real
tool's form."""

import json
import os
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .pushing import executable

_BANDIT = {
    "errors": [],
    "generated_at": "2026-01-01T00:00:00Z",
    "metrics": {"_totals": {"CONFIDENCE.HIGH": 1, "SEVERITY.MEDIUM": 1, "loc": 1, "nosec": 0,
        "skipped_tests": 0}},
    "results": [
        {
            "code": "1 eval(input())\n", "col_offset": 0, "end_col_offset": 13,
            "filename": "././a.py", "issue_confidence": "HIGH",
            "issue_cwe": {"id": 78, "link": "https://cwe.mitre.org/data/definitions/78.html"},
            "issue_severity": "MEDIUM",
            "issue_text": "Use of possibly insecure function.", "line_number": 1, "line_range": [1],
            "more_info": "https://x.example/b307",
            "test_id": "B307", "test_name": "blacklist",
        }
    ],
}  # fmt: skip
_SEMGREP = {
    "version": "2.1.0",
    "runs": [
        {
            "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": []}],
            "results": [
                {
                    "fingerprints": {"matchBasedId/v1": "requires login"},
                    "message": {"text": "no eval"}, "properties": {},
                    "locations": [{"physicalLocation": {
                        "artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 1, "endLine": 1, "startColumn": 1, "endColumn": 14,
                            "snippet": {"text": "eval(input())"}},
                    }}],
                    "ruleId": "no-eval",
                }
            ],
            "tool": {"driver": {"name": "Semgrep OSS", "semanticVersion": "1.182.0", "rules": [
                {"id": "no-eval", "name": "no-eval", "defaultConfiguration": {"level": "error"},
                 "fullDescription": {"text": "no eval"}},
            ]}},
        }
    ],
}  # fmt: skip
_MYPY = {
    "file": "a.py", "line": 2, "column": 9, "end_line": 2, "end_column": 12,
    "message": ("Incompatible types in "
    "assignment"), "hint": None,
    "code": "assignment", "severity": "error",
}  # fmt: skip
_ESLINT = {
    "filePath": "@HERE@/a.js", "suppressedMessages": [], "errorCount": 1, "fatalErrorCount": 0,
    "warningCount": 0, "source": "foo();\n",
    "messages": [
        {"ruleId": "no-undef", "severity": 2, "message": "'foo' is not defined.", "line": 1,
         "column": 1, "messageId": "undef"}
    ],
    "fixableErrorCount": 0, "fixableWarningCount": 0, "usedDeprecatedRules": [],
}  # fmt: skip
_HADOLINT = {
    "code": "DL3006",
    "column": 1,
    "file": "Dockerfile",
    "level": "warning",
    "line": 1,
    "message": "Always tag the version",
}
_WORKFLOW = ".github/workflows/w.yml"
_ACTIONLINT = {
    "message": 'undefined variable "nothing"', "filepath": _WORKFLOW, "line": 2, "column": 9,
    "kind": "expression", "snippet": "x",
    "end_column": 15,
}  # fmt: skip
_GITLEAKS = {
    "RuleID": "generic-api-key", "Description": "Detected a Generic API Key.", "StartLine": 1,
    "EndLine": 1, "StartColumn": 1,
    "EndColumn": 9, "Match": "REDACTED", "Secret": "REDACTED", "File": "a.txt", "SymlinkFile": "",
    "Commit": "", "Entropy": 3.5,
    "Author": "", "Email": "", "Date": "", "Message": "", "Tags": [],
    "Fingerprint": "a.txt:generic-api-key:1",
}  # fmt: skip
_GOLANGCI = {
    "Issues": [
        {
            "FromLinter": "errcheck", "Text": "Error return value is not checked", "Severity": "",
            "SourceLines": ["\tf()"],
            "Pos": {"Filename": "main.go", "Offset": 30, "Line": 2, "Column": 3},
            "ExpectNoLint": False, "ExpectedNoLintLinter": "",
        }
    ],
    "Report": {"Linters": [{"Name": "errcheck", "Enabled": True, "EnabledByDefault": True}]},
}  # fmt: skip


_SET_BY_US = ("", "")
_PRINTED: dict[str, Any] = {
    "biome": {
        "source": {"name": "Biome", "url": "u"},
        "diagnostics": [
            {
                "code": {"value": "lint/correctness/noUnknownUnit", "url": "u"},
                "location": {
                    "path": "a.css",
                    "range": {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 2}},
                },
                "message": "m",
            }
        ],
    },
    "buf": {
        "path": "a.proto",
        "start_line": 1,
        "start_column": 1,
        "end_line": 1,
        "end_column": 2,
        "type": "COMPILE",
        "message": "field number `1` used more than once",
    },
    "html_validate": [
        {
            "filePath": "@HERE@/a.html",
            "messages": [
                {
                    "ruleId": "no-dup-id",
                    "severity": 2,
                    "message": 'Duplicate ID "a"',
                    "offset": 86,
                    "line": 1,
                    "column": 19,
                    "size": 1,
                    "selector": "p",
                    "ruleUrl": "u",
                }
            ],
            "errorCount": 1,
            "warningCount": 0,
            "source": "<p>",
        }
    ],
    "ktlint": [
        {
            "file": "a.kt",
            "errors": [{"line": 1, "column": 8, "message": "m", "rule": "standard:colon-spacing"}],
        }
    ],
    "phpstan": {
        "totals": {"errors": 0, "file_errors": 1},
        "files": {
            "@HERE@/a.php": {
                "errors": 1,
                "messages": [
                    {
                        "message": "Function f not found.",
                        "line": 1,
                        "ignorable": True,
                        "tip": "Learn more at https://x.example",
                        "identifier": "function.notFound",
                    }
                ],
            }
        },
        "errors": [],
    },
    "stylelint": [
        {
            "source": "@HERE@/a.css",
            "deprecations": [],
            "invalidOptionWarnings": [],
            "parseErrors": [],
            "errored": True,
            "warnings": [
                {
                    "line": 1,
                    "column": 13,
                    "endLine": 1,
                    "endColumn": 17,
                    "rule": "color-no-invalid-hex",
                    "severity": "error",
                    "text": 'Invalid hex color "#ggg" (color-no-invalid-hex)',
                }
            ],
        }
    ],
    "rubocop": {
        "metadata": {"rubocop_version": "1.39.0"},
        "files": [
            {
                "path": "a.rb",
                "offenses": [
                    {
                        "severity": "warning",
                        "message": "m",
                        "cop_name": "Lint/DuplicateMethods",
                        "corrected": False,
                        "location": {"start_line": 1, "last_line": 2, "line": 1, "column": 1},
                    }
                ],
            }
        ],
        "summary": {"offense_count": 1},
    },
    "clippy": {
        "reason": "compiler-message",
        "message": {
            "message": "equal expressions as operands to `==`",
            "level": "error",
            "code": {"code": "clippy::eq_op", "explanation": None},
            "children": [{"message": "`#[deny(clippy::eq_op)]` on by default"}],
            "spans": [
                {
                    "file_name": "a.rs",
                    "line_start": 1,
                    "line_end": 1,
                    "is_primary": True,
                    "column_start": 28,
                    "expansion": None,
                }
            ],
        },
    },
    "kube_linter": {
        "Checks": [],
        "Reports": [
            {
                "Diagnostic": {"Message": 'Duplicate environment variable A in container "web"'},
                "Check": "duplicate-env-var",
                "Remediation": "r",
                "Object": {
                    "Metadata": {"FilePath": "@HERE@/a.yaml"},
                    "K8sObject": {
                        "Namespace": "",
                        "Name": "web",
                        "GroupVersionKind": {
                            "Group": "apps",
                            "Version": "v1",
                            "Kind": "Deployment",
                        },
                    },
                },
            }
        ],
        "Summary": {"ChecksStatus": "Failed", "KubeLinterVersion": "0.8.3"},
    },
    "staticcheck": {
        "code": "SA4000",
        "severity": "error",
        "location": {"file": "@HERE@/main.go", "line": 2, "column": 5},
        "end": {"file": "@HERE@/main.go", "line": 2, "column": 21},
        "message": "identical expressions on the left and right side of the '==' operator",
    },
    "swiftlint": [
        {
            "character": 5,
            "file": "@HERE@/a.swift",
            "line": 1,
            "reason": "Enum can't contain multiple cases with the same name",
            "rule_id": "duplicate_enum_cases",
            "severity": "Warning",
            "type": "Duplicate Enum Cases",
        }
    ],
    "terraform": {
        "format_version": "1.0",
        "valid": False,
        "error_count": 1,
        "warning_count": 0,
        "diagnostics": [
            {
                "severity": "error",
                "summary": "Duplicate output definition",
                "detail": 'An output named "b" was already defined at a.tf:1,1-11.',
                "range": {
                    "filename": "a.tf",
                    "start": {"line": 1, "column": 1, "byte": 0},
                    "end": {"line": 1, "column": 11, "byte": 10},
                },
            }
        ],
    },
    "tflint": {
        "issues": [
            {
                "rule": {
                    "name": "terraform_map_duplicate_keys",
                    "severity": "warning",
                    "link": "u",
                },
                "message": 'Duplicate key: "a", first defined at a.tf:1,12-13',
                "range": {
                    "filename": "a.tf",
                    "start": {"line": 1, "column": 19},
                    "end": {"line": 1, "column": 20},
                },
                "callers": [],
            }
        ],
        "errors": [],
    },
    "rumdl": [
        {
            "file": "a.md",
            "line": 1,
            "column": 5,
            "rule": "MD011",
            "message": "m",
            "severity": "error",
        }
    ],
    "squawk": [
        {
            "file": "a.sql",
            "line": 0,
            "column": 0,
            "level": "Error",
            "message": "m",
            "help": "h",
            "rule_name": "syntax-error",
            "column_end": 0,
            "line_end": 0,
        }
    ],
    "ansible_lint": [
        {
            "type": "issue",
            "check_name": "risky-octal",
            "categories": ["formatting"],
            "url": "u",
            "severity": "major",
            "description": "m",
            "fingerprint": "f",
            "location": {"path": "site.yaml", "lines": {"begin": 1}},
            "content": {"body": "Task/Handler: x"},
        }
    ],
    "sqruff": {
        "a.sql": [
            {
                "range": {
                    "start": {"line": 1, "character": 7},
                    "end": {"line": 1, "character": 7},
                },
                "message": "m",
                "severity": "Warning",
                "source": "sqruff",
                "code": "CV05",
            }
        ]
    },
    "typos": {
        "type": "typo",
        "path": "a.md",
        "line_num": 1,
        "byte_offset": 17,
        "typo": "useage",
        "corrections": ["usage"],
    },
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A tool: its program, the project's config of it (none: ours enables it), what it prints and
    how it ends, and the finding that this is."""

    program: str
    config: tuple[str, str]
    printed: Any
    code: int
    finding: tuple[str, str, int, str]
    stderr: bool = False

    @property
    def text(self) -> str:
        """What it prints."""
        printed = self.printed if isinstance(self.printed, str) else json.dumps(self.printed)
        return f"{printed}\n"


SAMPLES = {
    "bandit": Sample(
        "bandit", (".bandit", "[bandit]\n"), _BANDIT, 1, ("bandit/B307", "a.py", 1, "P2")
    ),
    "semgrep": Sample(
        "semgrep",
        (".semgrep.yml", "rules: []\n"),
        _SEMGREP,
        0,
        ("semgrep/no-eval", "a.py", 1, "P1"),
    ),
    "mypy": Sample(
        "mypy", ("mypy.ini", "[mypy]\n"), _MYPY, 1, ("mypy/assignment", "a.py", 2, "P1")
    ),
    "eslint": Sample(
        "eslint",
        ("eslint.config.mjs", "export default [];\n"),
        [_ESLINT],
        1,
        ("eslint/no-undef", "a.js", 1, "P1"),
    ),
    "hadolint": Sample(
        "hadolint",
        (".hadolint.yaml", "ignored: []\n"),
        [_HADOLINT],
        0,
        ("hadolint/DL3006", "Dockerfile", 1, "P3"),
    ),
    "actionlint": Sample(
        "actionlint",
        (".github/actionlint.yaml", "{}\n"),
        [_ACTIONLINT],
        1,
        ("actionlint/expression", _WORKFLOW, 2, "P2"),
    ),
    "gitleaks": Sample(
        "gitleaks",
        (".gitleaks.toml", ""),
        [_GITLEAKS],
        0,
        ("gitleaks/generic-api-key", "a.txt", 1, "P0"),
    ),
    "golangci_lint": Sample(
        "golangci-lint",
        (".golangci.yml", 'version: "2"\n'),
        _GOLANGCI,
        0,
        ("golangci-lint/errcheck", "main.go", 2, "P2"),
    ),
    "biome": Sample(
        "biome",
        ("biome.json", "{}\n"),
        _PRINTED["biome"],
        0,  # of warnings
        ("biome/noUnknownUnit", "a.css", 1, "P3"),
    ),
    "buf": Sample(
        "buf", _SET_BY_US, _PRINTED["buf"], 100, ("buf/compile", "a.proto", 1, "P1"), True
    ),
    "clippy": Sample(
        "cargo",
        ("clippy.toml", ""),
        json.dumps(_PRINTED["clippy"]) + '\n{"reason":"build-finished","success":false}',
        101,
        ("clippy/eq_op", "a.rs", 1, "P2"),
    ),
    "cppcheck": Sample(
        "cppcheck",
        _SET_BY_US,
        "a.c\t1\terror\tzerodiv\tDivision by zero, which no program survives.",
        3,
        ("cppcheck/zerodiv", "a.c", 1, "P1"),
        True,
    ),
    "dotnet_format": Sample(
        "dotnet",
        (".editorconfig", "[*]\ndotnet_sort_system_directives_first = true\n"),
        "@HERE@/a.cs(1,5): error WHITESPACE: Fix whitespace formatting. Delete 1 characters. "
        "[@HERE@/a.csproj]",
        2,
        ("dotnet-format/WHITESPACE", "a.cs", 1, "P3"),
        True,
    ),
    "go_vet": Sample(
        "go",
        _SET_BY_US,
        "vet: ./main.go:2:13: undefined: height, says go vet about this line",
        1,
        ("go-vet/types", "main.go", 2, "P1"),
        True,
    ),
    "javac": Sample(
        "javac",
        _SET_BY_US,
        "A.java\t1\t\tmissing return statement, says javac of a method here",
        1,
        ("javac/missing-return", "A.java", 1, "P1"),
        True,
    ),
    "kube_linter": Sample(
        "kube-linter",
        (".kube-linter.yaml", "{}\n"),
        _PRINTED["kube_linter"],
        1,
        ("kube-linter/duplicate-env-var", "a.yaml", 2, "P2"),
    ),
    "luacheck": Sample(
        "luacheck",
        _SET_BY_US,
        "a.lua:1:3-8: (W314) value assigned to field x is overwritten",
        1,
        ("luacheck/W314", "a.lua", 1, "P2"),
    ),
    "perlcritic": Sample(
        "perlcritic",
        (".perlcriticrc", ""),
        "a.pl\t1\tInputOutput::ProhibitTwoArgOpen\tTwo-argument open used",
        2,
        ("perlcritic/InputOutput::ProhibitTwoArgOpen", "a.pl", 1, "P2"),
    ),
    "checkstyle": Sample(
        "checkstyle",
        _SET_BY_US,
        '<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="8.36.1">\n'
        '<file name="A.java">\n<error line="1" column="11" severity="error" message="m" source='
        '"com.puppycrawl.tools.checkstyle.checks.coding.StringLiteralEqualityCheck"/>\n</file>\n'
        # It names every file that it has read, also those in which it finds nothing
        + "".join(f'<file name="more{number}/A.java">\n</file>\n' for number in range(20))
        + "</checkstyle>",
        1,
        ("checkstyle/StringLiteralEquality", "A.java", 1, "P2"),
    ),
    "html_validate": Sample(
        "html-validate",
        _SET_BY_US,
        _PRINTED["html_validate"],
        1,
        ("html-validate/no-dup-id", "a.html", 1, "P2"),
    ),
    "ktlint": Sample(
        "ktlint",
        (".editorconfig", "[*.kt]\nktlint_code_style = intellij_idea\n"),
        _PRINTED["ktlint"],
        1,
        ("ktlint/standard:colon-spacing", "a.kt", 1, "P3"),
    ),
    "php": Sample(
        "php",
        _SET_BY_US,
        '\nParse error: syntax error, unexpected token ";" in a.php on line 1\n'
        "Errors parsing a.php",
        255,
        ("php/syntax", "a.php", 1, "P0"),
    ),
    "phpstan": Sample(
        "phpstan",
        ("phpstan.neon", "parameters:\n    level: 5\n"),
        _PRINTED["phpstan"],
        1,
        ("phpstan/function.notFound", "a.php", 1, "P1"),
    ),
    "stylelint": Sample(
        "stylelint",
        (".stylelintrc.json", '{"rules": {"color-no-invalid-hex": true}}\n'),
        _PRINTED["stylelint"],
        2,
        ("stylelint/color-no-invalid-hex", "a.css", 1, "P2"),
        True,
    ),
    "rubocop": Sample(
        "rubocop",
        _SET_BY_US,
        _PRINTED["rubocop"],
        1,
        ("rubocop/Lint/DuplicateMethods", "a.rb", 1, "P2"),
    ),
    "rumdl": Sample(
        "rumdl", (".rumdl.toml", ""), _PRINTED["rumdl"], 1, ("rumdl/MD011", "a.md", 1, "P3")
    ),
    "squawk": Sample(
        "squawk",
        (".squawk.toml", ""),
        _PRINTED["squawk"],
        1,
        ("squawk/syntax-error", "a.sql", 1, "P0"),
    ),
    "ansible_lint": Sample(
        "ansible-lint",
        (".ansible-lint", "profile: min\n"),
        _PRINTED["ansible_lint"],
        2,
        ("ansible-lint/risky-octal", "site.yaml", 1, "P2"),
    ),
    "shfmt": Sample(
        "shfmt",
        (".editorconfig", "[*.sh]\nbinary_next_line = true\n"),
        "a.bash:1:1: `if <cond>` must be followed by `then`, says shfmt",
        1,
        ("shfmt/syntax", "a.bash", 1, "P0"),
        True,
    ),
    "sqruff": Sample(
        "sqruff",
        (".sqruff", "[sqruff]\ndialect = postgres\n"),
        _PRINTED["sqruff"],
        1,
        ("sqruff/CV05", "a.sql", 1, "P2"),
    ),
    "taplo": Sample(
        "taplo",
        (".taplo.toml", "[formatting]\nindent_tables = true\n"),
        "diff a/@HERE@/a.toml b/@HERE@/a.toml\n--- a/@HERE@/a.toml\n+++ b/@HERE@/a.toml",
        1,
        ("taplo/format", "a.toml", 0, "P3"),
        True,
    ),
    "yamllint": Sample(
        "yamllint",
        (".yamllint", "extends: default\n"),
        "site.yaml:1:81: [error] line too long (120 > 80 characters) (line-length)",
        1,
        ("yamllint/line-length", "site.yaml", 1, "P3"),
    ),
    "staticcheck": Sample(
        "staticcheck",
        _SET_BY_US,
        _PRINTED["staticcheck"],
        1,
        ("staticcheck/SA4000", "main.go", 2, "P2"),
    ),
    "swiftlint": Sample(
        "swiftlint",
        (".swiftlint.yml", "only_rules: []\n"),
        _PRINTED["swiftlint"],
        0,  # of warnings
        ("swiftlint/duplicate_enum_cases", "a.swift", 1, "P2"),
    ),
    "terraform": Sample(
        "terraform",
        _SET_BY_US,
        _PRINTED["terraform"],
        1,
        ("terraform/module", "a.tf", 1, "P1"),
    ),
    "tflint": Sample(
        "tflint",
        (".tflint.hcl", ""),
        _PRINTED["tflint"],
        2,
        ("tflint/terraform_map_duplicate_keys", "a.tf", 1, "P2"),
    ),
    "typos": Sample(
        "typos", ("typos.toml", ""), _PRINTED["typos"], 2, ("typos/typo", "a.md", 1, "P3")
    ),
}
# What a tool says beside its answer, on standard error
ASIDE = {
    "phpstan": " 999/999 [▓▓▓▓] 100%\n",
    "swiftlint": "Done linting! Found 1 violation, 0 serious in 999 files.\n",
}
# The change that they speak about. The built-in checks find nothing in it.
FILES = {
    "a.py": 'eval("1")\nx: int = "a"\n', "a.js": "foo();\n", "Dockerfile": "FROM debian\n",
    "a.txt": "words\n",
    _WORKFLOW: "on: push\njobs: {}\n", "main.go": "package main\nfunc f() {}\n",
    "a.css": "a { margin: 1pxx }\n", "a.proto": 'syntax = "proto3";\n', "a.c": "int a;\n",
    "A.java": "class A {}\n", "a.lua": "return 1\n", "a.pl": "print 1;\n", "a.rb": "x = 1\n",
    "a.md": "Words.\n", "a.sql": "SELEC 1;\n", "a.bash": "ls\n", "a.toml": "a =  1\n",
    "site.yaml": "a:  1\n",
    "a.rs": "pub fn f(x: i32) -> bool { x == x }\n", "a.cs": "class A {}\n",
    "a.swift": "enum A { case a }\n", "a.tf": 'output "b" { value = { a = 1, a = 2 } }\n',
    "a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n",
    "a.php": "<?php f(;\n", "a.kt": "fun f(a:Int) {}\n", "a.html": "<p>Words.</p>\n",
}  # fmt: skip


def config_of(*names: str, **more: str) -> dict[str, str]:
    """The project's files: the configs of these tools, and ours, in which no other linter runs."""
    off = "".join(
        f"  {name}: {{enabled: false}}\n"
        for name in ("ruff", "shellcheck", "zizmor", "oxlint", "ast_grep", "defects")
    )
    set_by_us = {name: "enabled: true" for name in names if SAMPLES[name].config == _SET_BY_US}
    texts = {
        name: ", ".join(filter(None, (set_by_us.get(name), more.get(name))))
        for name in (*set_by_us, *more)
    }
    ours = off + "".join(f"  {name}: {{{text}}}\n" for name, text in texts.items())
    return {
        ".reviewgate-gh.yaml": f"linters:\n{ours}",
        **configs(*names),
    }


def configs(*names: str) -> dict[str, str]:
    """The configs of these tools that the project has; several tools share `.editorconfig`."""
    found: dict[str, str] = {}
    for path, text in (
        SAMPLES[name].config for name in names if SAMPLES[name].config != _SET_BY_US
    ):
        found[path] = found.get(path, "") + text
    return found


def put(folder: Path, names: Iterable[str], body: str = "") -> str:
    """Put these tools there, each with this body in place of its answer; gives a PATH that starts
    with the folder.

    Each call but for the version leaves its words, NUL between them, in `NAME.calls`, and its
    environment in `NAME.env`.
    """
    for name in names:
        sample, log = SAMPLES[name], shlex.quote(f"{folder}/{name}")
        (folder / "said").mkdir(parents=True, exist_ok=True)
        (folder / "said" / name).write_text(sample.text)
        said = f'sed "s|@HERE@|$PWD|" "{folder}/said/{name}"'
        answer = f"printf %s {shlex.quote(ASIDE.get(name, ''))} >&2\n{said}\nexit {sample.code}"
        lines = (
            f'case $1 in --version|version|-version) echo "{sample.program} 9.8.7"; exit;; esac',
            f'printf "%s\\0" "$PWD" "$@" >> {log}.calls; echo >> {log}.calls; env > {log}.env',
            "exec >&2" if sample.stderr else "",
            body.replace("@SAID@", f"{folder}/said/{name}") or answer,
        )
        executable(folder / sample.program, "\n".join(lines))
    return f"{folder}:{os.environ['PATH']}"


def calls(folder: Path, name: str) -> list[list[str]]:
    """The calls of a tool that was put there: its folder, then its words."""
    path = folder / f"{name}.calls"
    return (
        [row.rstrip("\0").split("\0") for row in path.read_text().splitlines()]
        if path.exists()
        else []
    )
