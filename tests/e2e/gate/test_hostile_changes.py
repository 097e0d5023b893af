"""Changes of somebody who wants a defect through: hidden from whoever reads the language, put where
the diff does not show it, or excused by a comment. None passes, and nothing of them runs.

The defect is a name that nothing defines, which ruff tells for certain (P1). Cases are made from a
few lists, so that a class is tried as a whole.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

import pytest

from tests.support import Content, Repo

BAD = "def f():\n    return undefined_name\n"
FINE = "def f():\n    return 1\n"
CANARY = "import os\nos.system('touch canary')\n"


class Case(NamedTuple):
    """Two states of a repository; `programs` are the paths that are executable at head.

    `least` is what the verdict must come to at least.
    """

    base: Mapping[str, Content]
    head: Mapping[str, Content]
    programs: tuple[str, ...] = ()
    least: str = "block"


def _hidden_places() -> Iterator[tuple[str, Case]]:
    """Python that a tool's own defaults, a name or an attribute might leave out."""
    places = (
        ".vscode/x.py", "_build/x.py", "venv/x.py", "buck-out/x.py", ".tox/x.py", "build/x.py",
        "A.PY", "a.pyw", "a.pyi", "a.min.py", "-x.py", "a b.py", "tests/x.py", ".x.py",
        "__pypackages__/x.py", "site/x.py", "é.py", "d/" * 30 + "x.py", "x.py.py", "'q'.py",
    )  # fmt: skip
    for place in places:
        yield f"place {place}", Case({}, {place: BAD})
    for line in (
        "*.py binary",
        "*.py -diff",
        "*.py linguist-generated",
        "*.py -text",
        "* export-ignore",
    ):
        yield f"attribute {line}", Case({}, {".gitattributes": f"{line}\n", "a.py": BAD})
        yield f"old attribute {line}", Case({".gitattributes": f"{line}\n"}, {"a.py": BAD})


def _interpreters() -> Iterator[tuple[str, Case]]:
    lines = (
        "/usr/bin/python3", "/usr/bin/env python", "/usr/bin/env -S uv run --script",
        "/usr/bin/env -i python3", "/usr/bin/env -u A python3", "/usr/bin/env A=b python3.13t",
        "/usr/bin/env -vS python3 -I", "/usr/bin/env --split-string=python3 -u", "/usr/bin/pypy3",
        "/usr/bin/env -C / python3", "/usr/bin/sudo python3", "/usr/bin/nice -n 5 python3",
        "/usr/bin/env graalpy", "/usr/bin/env -S poetry run python", " /usr/bin/python3 -E",
        "/usr/bin/env -S conda run python", "/usr/bin/env -S pixi run python",
        "/usr/bin/setsid python3", "/usr/bin/env -S ionice -c3 python3",
        "/usr/bin/taskset 0x1 python",
        "/usr/bin/env -S PYTHONPATH=. python3", "/nix/store/abc/bin/python3.11",
        "/usr/bin/env --chdir=/ python3", "/usr/bin/env\tpython3",
    )  # fmt: skip
    for line in lines:
        yield f"interpreter {line}", Case({}, {"tool": f"#!{line}\n{BAD}"}, ("tool",))


def _languages() -> Iterator[tuple[str, Case]]:
    """Code in languages that nothing here need read."""
    names = (
        "a.go", "A.java", "a.rs", "a.rb", "a.php", "a.c", "a.cs", "a.swift", "a.scala", "a.pl",
        "a.lua", "a.hs", "a.sql", "a.tf", "Dockerfile", "Makefile", "a.proto",
        "a.ps1", "a.zsh", "a.ex", "a.kt",
        "a.dart", "a.jl", "a.nim", "a.r", "a.vb", "a.f90", "a.sol", "a.bat",
        "a.html.j2", "\udcff.go",
        ".gitlab-ci.yml", "Jenkinsfile", "BUILD.bazel", "a.groovy", "a.clj",
        "a.erl", "CMakeLists.txt",
    )  # fmt: skip
    for name in names:
        yield f"language {name!r}", Case({}, {name: "x (\n"}, least="concerns")
    yield "name in no encoding", Case({}, {"\udcff.py": BAD}, least="inconclusive")
    yield "a program without a name", Case({}, {"run": "anything\n"}, ("run",), "concerns")


def _executed() -> Iterator[tuple[str, Case]]:
    """What a machine runs, under names that are usually left out."""
    twice = "let a = 1; let a = 2;\n"
    action = "name: x\ndescription: x\nruns:\n  using: node20\n  {}: {}\n"
    for key, place in product(("main", "pre", "post"), ("dist/index.js", "vendor/a.min.js")):
        yield (
            f"{key} {place}",
            Case({"action.yml": action.format(key, place)}, {place: twice}, (), "concerns"),
        )
    yield (
        "bin",
        Case({"package.json": '{"bin": {"x": "./dist/x"}}'}, {"dist/x.js": twice}, (), "concerns"),
    )
    injection = (
        "on: issues\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: echo ${{ github.event.issue.title }}\n"
    )
    for name in ("x.generated.yml", "x.min.yml", "a_pb2.yaml"):
        yield f"workflow {name}", Case({}, {f".github/workflows/{name}": injection})
    for bad, least, place in (
        (injection, "block", ".github/workflows/x.yml"),
        (injection, "block", ".github/workflows/x.YAML.yaml"),
        (_COMPOSITE, "block", ".github/actions/x/action.yml"),
        (_COMPOSITE, "block", "tools/a/b/c/action.yaml"),
        ("x: [", "concerns", ".gitlab/ci/x.yml"),
        ("x (", "concerns", "Jenkinsfile"),
        ("if [ a ]; then", "block", "deploy.sh"),
        ("if [ a ]; then", "concerns", ".envrc"),
        ("x (", "concerns", "Dockerfile"),
    ):
        for old in ("docs/x.txt", f"{place}.disabled"):
            yield f"{old} moves to {place}", Case({old: bad}, {old: None, place: bad}, (), least)
    for hook in (
        "vendor/hooks/pre-push",
        "node_modules/x/.husky/pre-commit",
        "third_party/hooks/post-merge",
    ):
        yield f"hook {hook}", Case({}, {hook: "#!/bin/sh\nif [ a ]; then\n"}, (hook,))


_COMPOSITE = (
    "name: x\ndescription: x\nruns:\n  using: composite\n  steps:\n"
    "    - run: echo ${{ github.event.issue.title }}\n      shell: bash\n"
)


def _newly_executed() -> Iterator[tuple[str, Case]]:
    """What was there and excluded by its name, and is executed from now on, as it is."""
    python, shell = f"#!/usr/bin/python3\n{BAD}", "#!/bin/sh\nif [ a ]; then\n"
    for place, text in product(("vendor/tool", "third_party/x.min.js"), (python, shell)):
        yield f"{place} becomes a program", Case({place: text}, {place: text, "b": "b\n"}, (place,))
    yield (
        "an edited program",
        Case({"vendor/t": f"{python}x = 1\n"}, {"vendor/t": f"{python}x = 2\n"}, ("vendor/t",)),
    )
    twice, names = "let a = 1; let a = 2;\n", '{{"name": "x"{}}}'
    for start in (', "bin": "dist/x.js"', ', "bin": {"x": "./dist/x.js"}'):
        base = {"package.json": names.format(""), "dist/x.js": f"{twice}// a\n"}
        head = {"package.json": names.format(start), "dist/x.js": f"{twice}// b\n"}
        yield f"newly started by {start}", Case(base, head, (), "concerns")
    for event in ("issues", "[push, issue_comment]", "{push: {}, pull_request_target: {}}"):
        job = _COMPOSITE.partition("steps:\n")[2].replace("      shell: bash\n", "")
        text = "on: {}\npermissions: {{}}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n{}"
        path = ".github/workflows/a.yml"
        yield (
            f"an old injection that {event} lets strangers use",
            Case({path: text.format("push", job)}, {path: text.format(event, job)}),
        )


def _notebooks() -> Iterator[tuple[str, Case]]:
    """Cells that ruff leaves out, as a whole."""
    cells = (
        "%%bash\nrm -rf x\n", "%%javascript\nalert(1)\n", "%%python2\nprint undefined_name\n",
        "\n\n%%sh\nls\n", "x = undefined_name\n%%html\n", "%%script perl\ndie\n",
        "%%TIME\nundefined_name\n", "who\nundefined_name\n", "pip list\nundefined_name\n",
        "time x\nundefined_name\n",
    )  # fmt: skip
    for cell in cells:
        yield f"cell {cell!r}", Case({}, {"a.ipynb": _notebook("x = 1\n", cell)}, least="concerns")
        yield (
            f"added cell {cell!r}",
            Case(
                {"a.ipynb": _notebook("x = 1\n", "%%html\n<b>\n")},
                {"a.ipynb": _notebook("x = 1\n", "%%html\n<b>\n", cell)},
                least="concerns",
            ),
        )
    hidden = _notebook("%%bash\nls\n").replace("%%", "\\u0025\\u0025")
    yield "cell in other letters", Case({}, {"a.ipynb": hidden}, least="concerns")


def _notebook(*cells: str) -> str:
    rows = [
        {"cell_type": "code", "source": c, "metadata": {}, "outputs": [], "execution_count": None}
        for c in cells
    ]
    about = {"language_info": {"name": "python"}}
    return json.dumps({"cells": rows, "metadata": about, "nbformat": 4, "nbformat_minor": 4})


def _encodings() -> Iterator[tuple[str, Case]]:
    """Code that Python reads in another way than people."""
    for name in (
        "utf-7",
        "raw_unicode_escape",
        "unicode_escape",
        "utf_16",
        "hz",
        "cp037",
        "punycode",
    ):
        for at, head in (("first", ""), ("second", "#!/usr/bin/python3\n")):
            yield f"{name} {at}", Case({}, {"a.py": f"{head}# coding: {name}\nx = 1\n"})
    yield "latin-1", Case({}, {"a.py": f"# coding: latin-1\n# \xe9\n{BAD}".encode("latin-1")})
    yield "byte order mark", Case({}, {"a.py": b"\xef\xbb\xbf" + BAD.encode()})
    yield "carriage returns", Case({}, {"a.py": BAD.replace("\n", "\r\n")})
    yield "nul", Case({}, {"a.py": b"x = 1\n\0undefined_name\n"})


def _elsewhere() -> Iterator[tuple[str, Case]]:
    """The defect is on a line that the change leaves alone."""
    filler = "".join(f"LINE_{n} = {n}\n" for n in range(40))
    use = f"{filler}\n\ndef f():\n    return thing\n"
    for name, gone in {
        "import": "from m import thing\n",
        "import as": "import m as thing\n",
        "assignment": "thing = 1\n",
        "function": "def thing():\n    pass\n",
        "class": "class thing:\n    pass\n",
        "loop": "for thing in range(3):\n    pass\n",
        "with": "with open(__file__) as thing:\n    pass\n",
        "annotated": "thing: int = 1\n",
    }.items():
        yield f"{name} is gone", Case({"a.py": gone + use}, {"a.py": use})
        yield (
            f"{name} has another name",
            Case({"a.py": gone + use}, {"a.py": gone.replace("thing", "other") + use}),
        )


def _becomes_code() -> Iterator[tuple[str, Case]]:
    """What was there, and nobody read, becomes code by its name, mode or first line."""
    for old, new in (
        ("notes.txt", "notes.py"), ("a.py.disabled", "a.py"), ("vendor/a.py", "src/a.py"),
        ("a.md", "a.pyw"),
        ("a.bak", "a.py"), ("node_modules/a.py", "lib/a.py"), ("x_pb2.py", "x.py"),
        ("docs/conf.txt", "docs/conf.py"),
    ):  # fmt: skip
        yield f"{old} becomes {new}", Case({old: BAD}, {old: None, new: BAD})
    yield "a new first line", Case({"tool": BAD}, {"tool": f"#!/usr/bin/python3\n{BAD}"})
    yield (
        "another mode",
        Case({"tool": "x (\n"}, {"tool": "x (\n", "b.txt": "b\n"}, ("tool",), "concerns"),
    )


def _excuses() -> Iterator[tuple[str, Case]]:
    """Comments that silence the tool, new ones and old ones, in every place of a statement."""
    words = (
        "# noqa",
        "# noqa: F821",
        "#NOQA",
        "# ruff: noqa",
        "# type: ignore # noqa",
        "# flake8: noqa",
        "#\u00a0noqa",
    )
    shapes = (
        "call(  {0}\n    undefined_name,\n)\n",
        "call(\n    undefined_name,  {0}\n)\n",
        "call(undefined_name)  {0}\n",
        "{0}\ncall(undefined_name)\n",
    )
    start = "def call(*args):\n    return args\n\n\n"
    for word, shape in product(words, shapes):
        yield (
            f"new {word} in {shape!r}",
            Case({"a.py": start}, {"a.py": start + shape.format(word)}),
        )
    for word in ("# noqa", "# noqa: F821", "# noqa: E501"):
        old = f"call(  {word}\n    1,\n)\n"
        yield (
            f"old {word}",
            Case(
                {"a.py": start + old}, {"a.py": start + old.replace("    1", "    undefined_name")}
            ),
        )
    yield (
        "a waiver of its own",
        Case(
            {},
            {
                "a.py": BAD,
                ".reviewgate-gh-waivers.yaml": "waivers: []\n",
                "ruff.toml": 'lint.ignore = ["F821"]\n',
            },
        ),
    )
    yield (
        "a config of its own",
        Case(
            {},
            {
                "a.py": BAD,
                ".reviewgate-gh.yaml": "policy: {exclude: ['*.py']}\nreviewers: {linters: off}\n",
            },
        ),
    )


def _runs() -> Iterator[tuple[str, Case]]:
    """Code of the change where tools might run it."""
    for place in (
        "conftest.py",
        "sitecustomize.py",
        "setup.py",
        "ruff.py",
        "usercustomize.py",
        "noxfile.py",
        "git.py",
    ):
        yield f"{place} would run", Case({}, {place: CANARY, "a.py": BAD})
    for file, text in {
        "eslint.config.js": "require('fs').writeFileSync('canary', '')\n",
        ".pre-commit-config.yaml": "repos: []\n",
        "package.json": '{"scripts": {"prepare": "touch canary"}}\n',
        ".reviewgate-gh.yaml": (
            "reviewers: {x: {type: command, options: {argv: [touch, canary]}}}\n"
        ),
        ".git-blame-ignore-revs": "x\n",
    }.items():
        yield f"{file} would run", Case({}, {file: text, "a.py": BAD})


CASES = dict(
    case
    for make in (
        _hidden_places, _interpreters, _languages, _executed, _encodings, _elsewhere,
        _becomes_code, _excuses, _runs, _newly_executed, _notebooks,
    )
    for case in make()
)  # fmt: skip
ORDER = ("pass", "concerns", "inconclusive", "block")


def test_there_are_as_many_as_the_page_says() -> None:
    assert len(CASES) >= 240


@pytest.mark.parametrize("name", CASES)
@pytest.mark.req("R005-002", "R006-003")
def test_no_hostile_change_passes_and_nothing_of_it_runs(repo: Repo, name: str) -> None:
    case = CASES[name]
    base = repo.commit(case.base, approve=False)
    repo.write({path: data for path, data in case.head.items() if data is not None})
    for path in (path for path, data in case.head.items() if data is None):
        repo.file(path).unlink()
    for path in case.programs:
        repo.file(path).chmod(0o755)
    repo.commit(approve=False)
    done = repo.cli("review", "--base", base, "--output", "json")
    outcome = json.loads(done.stdout)["verdict"]["outcome"]
    assert ORDER.index(outcome) >= ORDER.index(case.least), done.output
    assert not list(repo.path.rglob("canary"))
