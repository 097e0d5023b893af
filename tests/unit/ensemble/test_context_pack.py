"""The unchanged code that a model is shown: which definitions a change alters, which of their uses
come first, and what of it all stays within its bounds."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.ensemble.context_pack import PackSources, build_pack
from reviewgate_gh.ensemble.excerpts import ContextPack, ExcerptCollector, Section
from reviewgate_gh.ensemble.prompt import estimate_tokens
from reviewgate_gh.ensemble.symbols import ChangedCode, ChangedSymbol, changed_symbols, used_words
from reviewgate_gh.ensemble.uses import MAX_HITS, MAX_LINES, rank_uses
from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Range
from reviewgate_gh.model.finding import CausingPlace
from reviewgate_gh.reviewers.comparisons._sources import Place
from reviewgate_gh.settings.change import start_loading
from reviewgate_gh.system.environment import Environment
from tests.support import Repo
from tests.unit.support import added, edited

GO = "package a\n\nfunc (s *S) Read(p string) error {\n\treturn nil\n}\n\nvar limit = 3\n"
TS = """export class Buffer {
  constructor(private size: number) {
    this.size = size;
  }

  prune(
    kept: Set<string>,
  ): Buffer {
    return this;
  }
}

export const LIMIT = 3;
"""
PY = """import os

LIMIT = 3


class Box:
    def __init__(self, size):
        self.size = size
"""


def code(path: str, base: str, head: str, **fields: str) -> ChangedCode:
    rows = [f"-{row}" for row in base.splitlines()] + [f"+{row}" for row in head.splitlines()]
    return ChangedCode(edited(path, *rows, **fields), base.encode(), head.encode())


def symbols(*files: ChangedCode) -> list[tuple[str, str]]:
    return [(each.change, each.word) for each in changed_symbols(files) if each.change != "body"]


@pytest.mark.parametrize(
    ("path", "base", "old", "new", "found"),
    [
        ("a.go", GO, "(p string)", "(p string, n int)", [("signature", "Read")]),
        ("a.go", GO, "Read", "Load", [("removed", "Read")]),
        ("a.go", GO, "var limit = 3\n", "", [("removed", "limit")]),
        ("a.go", GO, "return nil", "return x", []),
        ("a.ts", TS, "prune", "trim", [("removed", "prune")]),
        ("a.ts", TS, "kept: Set<string>,", "kept: string,", [("signature", "prune")]),
        ("a.ts", TS, "size: number", "size: string", [("signature", "Buffer")]),
        ("a.ts", TS, "export const LIMIT = 3;\n", "", [("removed", "LIMIT")]),
        ("a.py", PY, "self, size", "self, size, step", [("signature", "Box")]),
        ("a.py", PY, "LIMIT = 3\n", "", [("removed", "LIMIT")]),
        ("a.py", PY, "import os\n", "", [("import", "os")]),
        ("a.md", "# class Foo\n\nclass Foo\n", "class Foo\n", "x\n", []),
        ("a.yml", "on: push\njobs: {}\n", "on", "if", []),
        ("a.lua", "function read(p)\nend\n", "read(p)", "load(p)", [("removed", "read")]),
    ],
)
def test_the_symbols_that_a_change_removes_or_alters(path, base, old, new, found):
    assert symbols(code(path, base, base.replace(old, new))) == found


def test_what_is_gone_with_its_file_and_what_has_moved_within_its_scope():
    gone = {"status": "D", "mode": "000000"}
    python = ChangedCode(edited("lib/tools.py", "-def run(): ...", **gone), b"def run(): ...", b"")
    assert symbols(python) == [("removed", "tools"), ("removed", "run")]
    here, there = code("p/a.go", GO, "package a\n"), code("p/b.go", "package a\n", GO)
    assert symbols(here, there) == []
    assert symbols(here, code("q/b.go", "package a\n", GO)) == [
        ("removed", "Read"),
        ("removed", "limit"),
    ]
    inner = "function outer() {\n  function helper() {\n  }\n}\n"
    assert symbols(code("a.js", inner, "function outer() {\n}\n")) == []
    assert symbols(code("test_a.py", "def test_a(): ...\n", "x = 1\n")) == []


def test_a_changed_body_names_the_definition_that_others_call():
    base = "class A:\n    def run(self):\n        return 1\n\n\ndef main_loop():\n    return 2\n"
    file = ChangedCode(
        edited(
            "a.py", " class A:", "     def run(self):", "-        return 1", "+        return 3"
        ),
        base.encode(),
        base.replace("1", "3").encode(),
    )
    [found] = changed_symbols([file])
    assert (found.change, found.word, found.old) == ("body", "run", ((3, 3),))


def test_the_words_that_added_lines_use():
    file = ChangedCode(
        added("a.py", "x = fetch(URL)\ny: Order = fetch(1)\nif (a): ...\n"), b"", b""
    )
    assert used_words(file) == {"fetch": 1, "Order": 2}


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(["py", "ts", "go", "rb", ""]))
def test_any_text_has_symbols_or_none(base, head, suffix):
    for each in changed_symbols([code(f"a.{suffix}", base, head)]):
        assert each.word


def symbol(word="save", change="signature", path="lib/store.py"):
    return ChangedSymbol(word, change, path, (), ((1, 1),))


SAVE = symbol()


def order(*places, of=(SAVE,)):
    found = [Place(path, at, text) for at, (path, text) in enumerate(places, 1)]
    ranked = rank_uses(of, found, lambda path: path == "lib/changed.py")
    return [(use.symbol.word, use.hit.path) for use in ranked]


def test_uses_come_in_the_order_in_which_they_tell_most():
    assert order(
        ("lib/changed.py", "save(x)"),
        ("tests/test_a.py", "save(x)"),
        ("app/far.py", "save(x)"),
        ("lib/near.py", "save(x)"),
        ("lib/words.py", "# save(x)"),
        ("lib/plain.py", "x.save"),
        ("lib/other.rb", "save(x)"),
    ) == [
        ("save", path)
        for path in (
            "lib/near.py", "app/far.py", "tests/test_a.py", "lib/plain.py", "lib/words.py",
            "lib/changed.py",
        )
    ]  # fmt: skip
    assert order(("lib/store.py", "def save(x):")) == []
    many = [("a.py", "load(1)")] * 3
    both = (SAVE, symbol("load"), symbol("gone", "removed"), symbol("run", "body"))
    got = order(*many, ("b.py", "save(1)"), ("c.py", "gone()"), ("d.py", "run()"), of=both)
    assert [word for word, _path in got] == ["gone", "save", *["load"] * 3, "run"]


def test_a_symbol_has_few_lines_and_a_common_word_only_beside_its_module():
    assert len(order(*[("a.py", "save(1)")] * 99)) == MAX_LINES
    common = [("a.py", "save(1)")] * MAX_HITS
    assert order(*common, ("b.py", "store.save(1)")) == [("save", "b.py")]
    imported = symbol("os", "import")
    assert order(("a.py", "import os"), ("b.py", "from lib.store import os"), of=[imported]) == [
        ("os", "b.py")
    ]


@given(
    st.dictionaries(
        st.sampled_from(["a.py", "b/c.py", "d\u202e.py"]),
        st.lists(st.text(max_size=40), max_size=8),
        min_size=1,
    ),
    st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 9), max_size=6)), max_size=12),
    st.integers(0, 120),
)
def test_excerpts_never_take_more_than_their_room(files, asked, tokens):
    texts = {path: [line.encode() for line in lines] for path, lines in files.items()}
    paths = sorted(texts)
    taken = ExcerptCollector(tokens, {paths[0]: frozenset({1})}, texts.__getitem__)
    for at, (path, lines) in enumerate(asked):
        name = paths[path % len(paths)]
        taken.add(Section(name, f"why {at % 3}", lines, CausingPlace("x.py", at)), f"- {at % 2}")
    pack = taken.pack()
    assert estimate_tokens(pack.text) <= tokens
    shown = [
        (each.path, line)
        for each in pack.listed
        for line in range(each.line_start, each.line_end + 1)
    ]
    assert sorted(shown) == sorted(pack.causes)
    assert (paths[0], 1) not in pack.causes


@pytest.fixture
def pack(repo: Repo):
    def build(base: str, head: str, tokens: int = 2000, hidden: tuple[str, ...] = ()):
        environment = Environment({**os.environ}, repo.path)
        git = open_repository(repo.path, environment.variables)
        loading = start_loading(git, Range(base, head), environment, trusted=True)
        change = loading.complete()
        sources = PackSources(git, change, lambda paths: hidden)
        return build_pack(sources, tokens)

    return build


STORE = "def save(item):\n    return item\n"


def test_a_pack_shows_uses_surroundings_definitions_and_tests(repo, pack):
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    body = "".join(f"    step_{at}()\n" for at in range(5))
    first = {
        "app.py": f'from store import save\n\nsave(1, token="{key}")\n',
        "store.py": STORE,
        "tools.py": "def clean(\n    item,\n    deep=False,\n):\n    return item\n",
        "own.py": f"def outer(x):\n{body}    return x\n",
        "tests/test_own.py": "def test_outer():\n    assert outer(1)\n",
        "secret/app.py": "save(2)\n",
        "odd\nname.py": "save(3)\n",
        "data.bin": "save(4)\0",
        "min.py": f"{'x' * 2_000_000} save(5)\n",
    }
    base = repo.commit(first)
    head = repo.commit(
        {
            "store.py": STORE.replace("item)", "item, when)"),
            "own.py": first["own.py"].replace("return x", "return clean(x)"),
        }
    )
    found = pack(base, head, hidden=("secret/app.py",))
    assert found.text.startswith(
        "- save: signature changed at store.py:1\n- outer: changed at own.py:7\n"
        "=== app.py (unchanged lines)\n@@ uses save\n      1 | from store import save\n"
        "@@\n      3 | save(1, token="
    )
    assert key not in found.text and "REDACTED" in found.text
    assert [(each.path, each.line_start, each.line_end, each.why) for each in found.listed] == [
        ("app.py", 1, 1, "uses save"),
        ("app.py", 3, 3, "uses save"),
        ("tests/test_own.py", 2, 2, "uses outer"),
        ("tests/test_own.py", 1, 1, "tests own.py"),
        ("own.py", 1, 3, "encloses a hunk: outer"),
        ("tools.py", 1, 5, "defines clean"),
    ]
    assert found.causes["app.py", 3] == CausingPlace("store.py", 1)
    assert found.causes["tools.py", 1] == CausingPlace("own.py", 7)


def test_what_cannot_be_shown_is_not(repo, pack):
    base = repo.commit({"app.py": "save(1)\n", "store.py": STORE})
    head = repo.commit({"store.py": "x = 1\n"})
    assert pack(base, head).causes.keys() == {("app.py", 1)}
    assert pack(base, head, tokens=0) == ContextPack()
    assert pack(base, head, tokens=5).text == ""
    assert pack(base, head, hidden=("app.py",)).causes == {}


@pytest.mark.slow
def test_words_that_are_everywhere_hide_no_rare_one(repo, pack, monkeypatch):
    """Of a search that its limits end, the common words are left out."""
    line = f"common({'x' * 900})\n"
    files = {f"a{at:03}.py": line * 400 for at in range(120)}
    base = repo.commit(
        {**files, "z.py": "rare()\n", "s.py": "def common(): ...\ndef rare(): ...\n"}
    )
    head = repo.commit({"s.py": "x = 1\n"})
    assert ("z.py", 1) in pack(base, head).causes


def test_what_is_said_first_of_a_pack_holds_nothing_hidden_and_no_secret():
    """It names paths and words of the change."""
    key = "AKIA" + "Z3MSJQ7LX2WPN5TB"
    pack = ContextPack(about=(f"- save: removed from a\n=== b\u202e {key} .py",))
    assert key not in pack.text and "\n" not in pack.text and "<U+202E>" in pack.text
