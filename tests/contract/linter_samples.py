"""What each linter prints. A new linter needs an entry in `SAMPLES` and one in `TOOLS`.

`SAMPLES` is one result, cut to the fields that its parser reads; `TOOLS` is what the program says
as a whole, and how it ends.
"""

from typing import Any, NamedTuple

from ..e2e.on_path import SAMPLES as ON_PATH

_RUFF = {
    "code": "F401",
    "filename": "/r/a.py",
    "message": "m",
    "url": "u",
    "severity": "error",
    "location": {"row": 1, "column": 1},
    "end_location": {"row": 2, "column": 1},
    "fix": {
        "applicability": "safe",
        "message": "f",
        "edits": [
            {
                "content": "x\n",
                "location": {"row": 1, "column": 1},
                "end_location": {"row": 2, "column": 1},
            }
        ],
    },
}
_SHELLCHECK = {
    "file": "a.sh",
    "line": 2,
    "endLine": 2,
    "column": 6,
    "endColumn": 8,
    "level": "info",
    "code": 2086,
    "message": "m",
    "fix": {
        "replacements": [{"line": 2, "column": 6, "endLine": 2, "endColumn": 6, "replacement": '"'}]
    },
}
_ZIZMOR = {
    "ident": "template-injection",
    "desc": "d",
    "url": "u",
    "determinations": {"severity": "High", "confidence": "High"},
    "ignored": False,
    "locations": [
        {
            "symbolic": {
                "key": {"Local": {"verbatim_path": "action.yml"}},
                "annotation": "a",
                "kind": "Primary",
            },
            "concrete": {
                "location": {
                    "start_point": {"row": 1, "column": 0},
                    "end_point": {"row": 2, "column": 0},
                }
            },
        }
    ],
}
_OXLINT = {
    "message": "m",
    "code": "eslint(no-debugger)",
    "severity": "error",
    "filename": "a.js",
    "help": "h",
    "url": "u",
    "labels": [{"span": {"offset": 0, "length": 1, "line": 1, "column": 1}}],
}
_BANDIT = {
    "test_id": "B602",
    "issue_severity": "HIGH",
    "issue_confidence": "HIGH",
    "filename": "./a.py",
    "line_number": 1,
    "line_range": [1, 2],
    "issue_text": "t",
    "more_info": "m",
}
_SEMGREP = {
    "ruleId": "a",
    "message": {"text": "m"},
    "locations": [
        {"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 1}}}
    ],
}
_MYPY = {
    "file": "a.py",
    "line": 1,
    "end_line": 1,
    "column": 1,
    "message": "m",
    "hint": "h",
    "code": "assignment",
    "severity": "error",
}
_ESLINT = {
    "ruleId": "no-undef",
    "severity": 2,
    "message": "m",
    "line": 1,
    "column": 1,
    "endLine": 2,
    "endColumn": 1,
}
_GOLANGCI = {
    "FromLinter": "gosec",
    "Text": "t",
    "Severity": "",
    "Pos": {"Filename": "a.go", "Line": 1},
    "LineRange": {"From": 1, "To": 2},
}

# Of these the sample is the whole answer
_WHOLE = (
    "ansible_lint", "biome", "buf", "checkstyle", "clippy", "cppcheck", "dotnet_format", "go_vet",
    "html_validate", "javac", "ktlint", "kube_linter", "luacheck", "perlcritic", "php", "phpstan",
    "rubocop", "rumdl", "shfmt", "sqruff", "squawk", "staticcheck", "stylelint", "swiftlint",
    "taplo", "terraform", "tflint", "typos", "yamllint",
)  # fmt: skip
_AST_GREP = {
    "file": "a.go",
    "ruleId": "go-error",
    "text": "package a\n\nfunc a() {{\n}\n",
    "range": {"start": {"line": 0, "column": 0}, "end": {"line": 3, "column": 1}},
    "metaVariables": {
        "multi": {
            "secondary": [
                {"range": {"start": {"line": 2, "column": 1}, "end": {"line": 2, "column": 2}}}
            ]
        }
    },
}
_RULES = {
    "file": "a.go",
    "ruleId": "no-print",
    "severity": "error",
    "message": "m",
    "note": "n",
    "lines": "\tprint(1) // c",
    "charCount": {"leading": 1, "trailing": 5},
    "replacement": "log(1)",
    "replacementOffsets": {"start": 3, "end": 11},
    "range": {
        "byteOffset": {"start": 3, "end": 11},
        "start": {"line": 1, "column": 1},
        "end": {"line": 1, "column": 9},
    },
}

SAMPLES: dict[str, Any] = {
    "ruff": _RUFF,
    "shellcheck": {"comments": [_SHELLCHECK]},
    "zizmor": [_ZIZMOR],
    "oxlint": {"diagnostics": [_OXLINT]},
    "bandit": {"errors": [{"filename": "./a.py", "reason": "syntax error"}], "results": [_BANDIT]},
    "semgrep": {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "Semgrep OSS", "rules": [{"id": "a"}]}},
                "results": [_SEMGREP],
            }
        ],
    },
    "mypy": _MYPY,
    "eslint": [{"filePath": "/r/a.js", "messages": [_ESLINT]}],
    "hadolint": [
        {
            "code": "DL3006",
            "column": 1,
            "file": "Dockerfile",
            "level": "warning",
            "line": 1,
            "message": "m",
        }
    ],
    "actionlint": [
        {
            "message": "m",
            "filepath": ".github/workflows/a.yml",
            "line": 1,
            "column": 1,
            "kind": "expression",
        }
    ],
    "gitleaks": [{"RuleID": "r", "Description": "d", "StartLine": 1, "EndLine": 1, "File": "a"}],
    "ast_grep": [_AST_GREP],
    "rules": [_RULES],
    "defects": [_RULES],
    "golangci_lint": {"Issues": [_GOLANGCI], "Report": {}},
    **{
        name: sample.printed if isinstance(sample.printed, dict | list) else sample.text
        for name, sample in ON_PATH.items()
        if name in _WHOLE
    },
}

_RUFF_ANSWER = {
    "cell": None, "code": "F401", "filename": "@HERE@/a.py", "fix": None,
    "message": "`os` imported but unused", "noqa_row": 1,
    "location": {"row": 1, "column": 8}, "end_location": {"row": 1, "column": 10},
    "severity": "error", "url": "https://x.example/F401",
}  # fmt: skip
_SHELLCHECK_ANSWER = {
    "file": "a.sh", "line": 1, "endLine": 1, "column": 1, "endColumn": 3, "level": "info",
    "code": 2086, "message": "Quote it.",
    "fix": None,
}  # fmt: skip
_ZIZMOR_ANSWER = {
    "ident": "template-injection", "desc": "d", "url": "u",
    "determinations": {"severity": "High", "confidence": "High"}, "ignored": False,
    "locations": [{
        "symbolic": {"key": {"Local": {"verbatim_path": ".github/workflows/w.yml"}},
            "annotation": "a", "kind": "Primary"},
        "concrete": {"location": {"start_point": {"row": 1, "column": 0},
            "end_point": {"row": 1, "column": 4}}},
    }],
}  # fmt: skip
_OXLINT_ANSWER = {
    "message": "m",
    "code": "eslint(no-undef)",
    "severity": "error",
    "filename": "a.js",
    "labels": [{"span": {"line": 1}}],
}
_AST_GREP_ANSWER = {
    "file": "main.go", "ruleId": "go-error", "text": "package x\n\nfunc (\n",
    "range": {"start": {"line": 0, "column": 0}},
    "metaVariables": {"multi": {"secondary": [{"range": {"start": {"line": 0, "column": 0}}}]}},
}  # fmt: skip


class Tool(NamedTuple):
    """A tool's program, what it prints of one defect and of none, and the exit codes beside that
    (the same one: it tells nothing)."""

    program: str
    found: Any
    nothing: str
    found_exit: int
    clean_exit: int = 0


TOOLS = {
    "ruff": Tool("ruff", _RUFF_ANSWER, "", 1),
    "shellcheck": Tool("shellcheck", {"comments": [_SHELLCHECK_ANSWER]}, '{"comments":[]}', 1),
    "zizmor": Tool("zizmor", [_ZIZMOR_ANSWER], "[]", 0),
    "oxlint": Tool("oxlint", {"diagnostics": [_OXLINT_ANSWER]}, '{"diagnostics":[]}', 1),
    "ast_grep": Tool("ast-grep", [_AST_GREP_ANSWER], "[]", 0),
    "bandit": Tool("bandit", ON_PATH["bandit"].printed, '{"errors":[],"results":[]}', 1),
    "semgrep": Tool(
        "semgrep",
        ON_PATH["semgrep"].printed,
        '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Semgrep OSS"}},"results":[]}]}',
        0,
    ),
    "mypy": Tool("mypy", ON_PATH["mypy"].printed, "", 1),
    "eslint": Tool(
        "eslint", ON_PATH["eslint"].printed, '[{"filePath":"@HERE@/a.js","messages":[]}]', 1
    ),
    "hadolint": Tool("hadolint", ON_PATH["hadolint"].printed, "[]", 0),
    "actionlint": Tool("actionlint", ON_PATH["actionlint"].printed, "[]", 1),
    "gitleaks": Tool("gitleaks", ON_PATH["gitleaks"].printed, "[]", 0),
    "golangci_lint": Tool(
        "golangci-lint", ON_PATH["golangci_lint"].printed, '{"Issues":[],"Report":{}}', 0
    ),
}
_NOTHING = {
    "ansible_lint": "[]",
    "biome": '{"source":{"name":"Biome"},"diagnostics":[]}',
    "clippy": '{"reason":"build-finished","success":true}',
    "checkstyle": '<?xml version="1.0"?><checkstyle><file name="A.java"></file></checkstyle>',
    "html_validate": "[]",
    "ktlint": "[]",
    "php": "No syntax errors detected in a.php",
    "phpstan": '{"files":[],"errors":[]}',
    "rubocop": '{"files":[]}',
    "rumdl": "[]",
    "sqruff": '{"a.sql":[]}',
    "squawk": "[]",
    "swiftlint": "[]",
    "terraform": '{"valid":true,"diagnostics":[]}',
    "tflint": '{"issues":[],"errors":[]}',
    "stylelint": "[]",
}
TOOLS |= {
    name: Tool(
        ON_PATH[name].program, ON_PATH[name].printed, _NOTHING.get(name, ""), ON_PATH[name].code
    )
    for name in _WHOLE
}
