"""Whatever file would run with an approved command: when it changes or appears, nothing runs until
it is approved again."""

import json
import os
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Approvals
from reviewgate_gh.trust.named_files import named_files, unapproved_file

from ...support import Repo
from ..pushing import ENV
from .test_trust import CONFIG, Attack

SARIF = json.dumps(
    {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "own"}}, "results": []}]}
)
SAY = f"echo '{SARIF}'\n"
PRINT = f"import json\nprint({SARIF!r})\n"
MAKES = f"lint:\n\t@{SAY}"
EVIL = "lint:\n\t@touch {CANARY}\n"
RUNS = "touch {CANARY}\n"
IMPORTED = "open('{CANARY}', 'w')\n"


def own_config(*argv: str) -> str:
    keyless = "  linters: {type: linters}\n  builtin: {type: builtin}\n"
    return (
        f"version: 1\nreviewers:\n{keyless}  own: {{type: command, options: {{argv: "
        f"{json.dumps(list(argv))}, format: sarif}}}}\n"
    )


Case = tuple[list[str], dict[str, str], dict[str, str]]
# What is approved: the command and the files; then what a stranger's commit changes or adds.
CASES: dict[str, Case] = {
    "dir variable": (
        ["sh", "tools/run.sh"],
        {"tools/run.sh": 'D=tools\n. "$D/lib.sh"\n' + SAY, "tools/lib.sh": ":\n"},
        {"tools/lib.sh": RUNS},
    ),
    "dirname": (
        ["sh", "tools/run.sh"],
        {"tools/run.sh": '. "$(dirname "$0")/lib.sh"\n' + SAY, "tools/lib.sh": ":\n"},
        {"tools/lib.sh": RUNS},
    ),
    "dirname up": (
        ["sh", "tools/run.sh"],
        {"tools/run.sh": '. "$(dirname "$0")/../lib/lib.sh"\n' + SAY, "lib/lib.sh": ":\n"},
        {"lib/lib.sh": RUNS},
    ),
    "space in name": (["sh", "my run.sh"], {"my run.sh": SAY}, {"my run.sh": RUNS}),
    "space in sourced": (
        ["sh", "run.sh"],
        {"run.sh": '. "./my lib.sh"\n' + SAY, "my lib.sh": ":\n"},
        {"my lib.sh": RUNS},
    ),
    "odd letters": (["sh", "r(1),x=y.sh"], {"r(1),x=y.sh": SAY}, {"r(1),x=y.sh": RUNS}),
    "colon": (["sh", "run.sh"], {"run.sh": '. "./a:b"\n' + SAY, "a:b": ":\n"}, {"a:b": RUNS}),
    "not utf-8": (
        ["sh", "run.sh"],
        {"run.sh": ". ./l\udcffb\n" + SAY, "l\udcffb": ":\n"},
        {"l\udcffb": RUNS},
    ),
    "make in script": (
        ["sh", "run.sh"],
        {"run.sh": "make -s lint\n", "Makefile": MAKES},
        {"Makefile": EVIL},
    ),
    "GNUmakefile added": (
        ["sh", "run.sh"],
        {"run.sh": "make -s lint\n", "Makefile": MAKES},
        {"GNUmakefile": EVIL},
    ),
    "invoke": (["inv", "lint"], {"tasks.py": "x = 1\n"}, {"tasks.py": IMPORTED}),
    "doit": (["sh", "-c", "doit -s lint"], {"dodo.py": "x = 1\n"}, {"dodo.py": IMPORTED}),
    "scons": (["scons", "-Q"], {"SConstruct": "x = 1\n"}, {"SConstruct": IMPORTED}),
    "bazel": (["bazel", "run", "//:lint"], {"MODULE.bazel": "", "BUILD": "x\n"}, {"BUILD": "y\n"}),
    "rebar3": (["rebar3", "as", "test", "lint"], {"rebar.config": "x\n"}, {"rebar.config": "y\n"}),
    "lein": (["lein", "check"], {"project.clj": "x\n"}, {"project.clj": "y\n"}),
    "dart": (
        ["dart", "analyze"],
        {"analysis_options.yaml": "x\n"},
        {"analysis_options.yaml": "y\n"},
    ),
    "make -C": (
        ["make", "-s", "-C", "sub", "lint"],
        {"sub/Makefile": MAKES},
        {"sub/Makefile": EVIL},
    ),
    "make -Csub": (
        ["make", "-s", "-Csub", "lint"],
        {"sub/Makefile": MAKES},
        {"sub/Makefile": EVIL},
    ),
    "make --directory=": (
        ["make", "-s", "--directory=sub", "lint"],
        {"sub/Makefile": MAKES},
        {"sub/Makefile": EVIL},
    ),
    "cd and make": (
        ["sh", "-c", "cd sub && make -s lint"],
        {"sub/Makefile": MAKES},
        {"sub/Makefile": EVIL},
    ),
    "one word make": (["sh", "-c", "make -s lint"], {"Makefile": MAKES}, {"Makefile": EVIL}),
    "makefile includes glob": (
        ["make", "-s", "lint"],
        {"Makefile": "include mk/*.mk\nlint:\n\t@" + SAY, "mk/a.mk": "A=1\n"},
        {"mk/b.mk": "X:=$(shell touch {CANARY})\n"},
    ),
    "shell glob": (
        ["sh", "run.sh"],
        {"run.sh": 'for f in checks/*.sh; do sh "$f"; done\n' + SAY, "checks/a.sh": ":\n"},
        {"checks/b.sh": RUNS},
    ),
    "run-parts": (
        ["sh", "-c", "run-parts checks; sh say.sh"],
        {"say.sh": SAY, "checks/a": "#!/bin/sh\n"},
        {"checks/a": "#!/bin/sh\ntouch {CANARY}\n"},
    ),
    "transitive shadow": (
        ["python3", "tools/check.py"],
        {"tools/check.py": PRINT},
        {"tools/re.py": IMPORTED},
    ),
    "transitive shadow package": (
        ["python3", "tools/check.py"],
        {"tools/check.py": PRINT},
        {"tools/re/__init__.py": IMPORTED},
    ),
    "python -m at root": (["python3", "-m", "tool"], {"tool.py": PRINT}, {"re.py": IMPORTED}),
    "python -m stdlib": (
        ["python3", "-m", "json.tool", "data.json"],
        {"data.json": SARIF},
        {"argparse.py": IMPORTED},
    ),
    "python -c": (
        ["python3", "-c", f"import json; print({SARIF!r})"],
        {"data.json": SARIF},
        {"re.py": IMPORTED},
    ),
    "shell python -m": (
        ["sh", "run.sh"],
        {"run.sh": "python3 -m json.tool data.json\n", "data.json": SARIF},
        {"argparse.py": IMPORTED},
    ),
    "env python": (
        ["tools/check"],
        {"tools/check": f"#!/usr/bin/env python3\nimport json\nprint({SARIF!r})\n"},
        {"tools/re.py": IMPORTED},
    ),
    "dir main": (["python3", "tools"], {"tools/__main__.py": PRINT}, {"tools/re.py": IMPORTED}),
    "pytest conftest": (
        ["sh", "-c", ": pytest tests; sh say.sh"],
        {"say.sh": SAY, "tests/test_a.py": ""},
        {"tests/conftest.py": "x"},
    ),
    "absolute": (
        ["ROOT/tools/run.sh"],
        {"tools/run.sh": "#!/bin/sh\n" + SAY},
        {"tools/run.sh": "#!/bin/sh\ntouch {CANARY}\n" + SAY},
    ),
    "env var": (
        ["env", "BASH_ENV=tools/env.sh", "bash", "run.sh"],
        {"run.sh": SAY, "tools/env.sh": ":\n"},
        {"tools/env.sh": RUNS},
    ),
    "file url": (["sh", "-c", "sh<tools/x.sh"], {"tools/x.sh": SAY}, {"tools/x.sh": RUNS}),
    "backslash": (["sh", "-c", "sh my\\ run.sh"], {"my run.sh": SAY}, {"my run.sh": RUNS}),
    "up and down": (["sh", "tools/../tools/run.sh"], {"tools/run.sh": SAY}, {"tools/run.sh": RUNS}),
    "double slash": (["sh", ".//tools//run.sh"], {"tools/run.sh": SAY}, {"tools/run.sh": RUNS}),
    "out and in": (["sh", "../repo/tools/run.sh"], {"tools/run.sh": SAY}, {"tools/run.sh": RUNS}),
    "PATH in script": (
        ["sh", "run.sh"],
        {"run.sh": 'PATH="$PWD/bin:$PATH"\nlint-all\n', "bin/lint-all": "#!/bin/sh\n" + SAY},
        {"bin/lint-all": "#!/bin/sh\ntouch {CANARY}\n" + SAY},
    ),
    "node dir": (
        ["sh", "-c", "node tools/check; sh say.sh"],
        {"say.sh": SAY, "tools/check/index.js": ""},
        {"tools/check/index.js": "x"},
    ),
    "go run": (
        ["sh", "-c", "go run ./cmd/check; sh say.sh"],
        {"say.sh": SAY, "cmd/check/main.go": ""},
        {"cmd/check/main.go": "x"},
    ),
    "perl use": (
        ["perl", "-Itools", "tools/x.pl"],
        {"tools/x.pl": f"use My::Mod;\nprint '{SARIF}';\n", "tools/My/Mod.pm": "1;\n"},
        {"tools/My/Mod.pm": "system('touch {CANARY}'); 1;\n"},
    ),
    "npm script in folder": (
        ["sh", "-c", "npm --prefix web run lint; sh say.sh"],
        {"say.sh": SAY, "web/package.json": "{}"},
        {"web/package.json": '{"a": 1}'},
    ),
    "prettierrc": (
        ["sh", "-c", "prettier --check .; sh say.sh"],
        {"say.sh": SAY},
        {"web/.prettierrc.js": "x"},
    ),
    "npmrc in folder": (
        ["sh", "-c", "cd web; npm run lint; sh ../say.sh"],
        {"say.sh": SAY, "web/package.json": "{}"},
        {"web/.npmrc": "script-shell=x"},
    ),
    "case of letters": (["sh", "./Run.sh"], {"run.sh": SAY}, {"run.sh": RUNS}),
    "compiled": (
        ["python3", "tools/check.py"],
        {"tools/check.py": "import helper\n", "tools/helper.py": ""},
        {"tools/__pycache__/helper.cpython-311.pyc": "x"},
    ),
    "extension module": (
        ["python3", "tools/check.py"],
        {"tools/check.py": "import helper\n", "tools/helper.py": ""},
        {"tools/helper.cpython-311-x86_64-linux-gnu.so": "x"},
    ),
    "a module of another one's": (
        ["python3", "tools/check.py"],
        {"tools/check.py": "import requests\n"},
        {"tools/idna.py": IMPORTED},
    ),
    "go package": (
        ["go", "run", "./cmd/check"],
        {"cmd/check/main.go": 'import "example.com/m/internal/x"\n', "internal/x/x.go": ""},
        {"internal/x/init.go": "x"},
    ),
    "babel": (
        ["npx", "eslint", "."],
        {"eslint.config.js": 'import parser from "@babel/eslint-parser"\n'},
        {"babel.config.js": "x"},
    ),
    "import above": (
        ["python3", "-m", "pkg.sub.run"],
        {
            "pkg/__init__.py": "",
            "pkg/sub/__init__.py": "",
            "pkg/sub/run.py": "from ..other import x\n",
            "pkg/other.py": "",
        },
        {"pkg/other.py": "x"},
    ),
    "toolchain": (["cargo", "clippy"], {"Cargo.toml": ""}, {"rust-toolchain.toml": "x"}),
}

# Work on these goes on from day to day, and the command only reads them.
ONLY_READ: dict[str, Case] = {
    "linted folder": (
        ["sh", "run.sh"],
        {"run.sh": "ruff check src tests\n", "src/app.py": "", "tests/test_app.py": ""},
        {"src/app.py": "x = 1\n", "tests/test_b.py": ""},
    ),
    "pattern of folders": (
        ["npm", "run", "lint"],
        {"package.json": '{"scripts": {"lint": "oxlint \'src/**/*.js\'"}}\n'},
        {"src/a.js": "x"},
    ),
    "an edited module at the root": (
        ["python3", "-m", "mylint"],
        {"app.py": "", "feature/__init__.py": ""},
        {"app.py": "x = 1\n", "feature/a.py": ""},
    ),
    "sealed": (
        ["python3", "-I", "tools/check.py"],
        {"tools/check.py": PRINT},
        {"tools/other.py": ""},
    ),
    "prose": (
        ["sh", "run.sh"],
        {"run.sh": "# run all checks and make sure that they pass\ntrue\n", "docs/checks.md": ""},
        {"docs/checks.md": "x", "README.md": "x"},
    ),
    "ignored results": (
        ["sh", "run.sh"],
        {"run.sh": "pytest --cov-report=xml:coverage.xml\n", ".gitignore": "coverage.xml\n"},
        {"coverage.xml": "<a/>"},
    ),
}


def approved_then(repo: Repo, case: Case, found: dict[str, str] | None = None) -> str:
    """The file for whose sake the command is not approved any more after the second commit; ""
    where it still is."""
    argv, files, later = case
    words = [word.replace("ROOT", str(repo.path)) for word in argv]
    repo.commit(files, approve=False)
    git = open_repository(repo.path, os.environ)
    approvals = Approvals(
        frozenset((path, oid) for path, oids in named_files(git, words).items() for oid in oids)
    )
    assert unapproved_file(git, approvals, words) == ""
    repo.commit(later, approve=False)
    return unapproved_file(git, approvals, words)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.req("R008-002")
def test_what_would_run_is_part_of_the_approval(tmp_path: Path, name: str) -> None:
    repo = Repo.init(tmp_path / "repo", env=ENV)
    assert approved_then(repo, CASES[name]) in CASES[name][2]


@pytest.mark.parametrize("name", ONLY_READ)
def test_what_is_only_read_is_none(tmp_path: Path, name: str) -> None:
    assert approved_then(Repo.init(tmp_path / "repo", env=ENV), ONLY_READ[name]) == ""


@pytest.mark.parametrize(
    "name",
    [
        "dirname",
        "make in script",
        "transitive shadow",
        "space in sourced",
        "PATH in script",
        "not utf-8",
    ],
)
def test_a_review_says_so_and_runs_nothing(tmp_path: Path, name: str) -> None:
    at = Attack.make(tmp_path)
    argv, files, later = CASES[name]
    at.repo.branch("work")
    at.repo.write(files)
    for path in files:
        at.repo.file(path).chmod(0o755)
    at.repo.commit({CONFIG: own_config(*argv)})
    assert "reviewed by" in at.repo.cli("review", "--base", "main").output
    at.repo.commit(
        {path: text.replace("{CANARY}", str(at.canary)) for path, text in later.items()},
        approve=False,
    )
    done = at.repo.cli("review", "--base", "main")
    assert not at.canary.exists()
    assert (
        done.code == 2
        and "whose current content is not approved; see what it would run" in done.output
    ), done.output
