"""What a model may look up while it answers."""

import os

import pytest

from reviewgate_gh.ensemble.repository_tools import (
    MAX_ALL_BYTES,
    MAX_BYTES,
    MAX_CALLS,
    ReadableTree,
    RepositoryTools,
)
from reviewgate_gh.git import open_repository
from reviewgate_gh.model.question import ReadLines
from tests.support import Repo

SECRET = "AKIA" + "Z3MSJQ7LX2WPN5TB"
KEY_LINES = [f"{at}MDTvhZDk0mOZrsK9E6jgA1if4as2vjGUV1kECRvziiSYBv/qX{at}" for at in range(20)]
PRIVATE_KEY = "\n".join(
    ["-----BEGIN RSA PRIVATE " + "KEY-----", *KEY_LINES, "-----END RSA PRIVATE " + "KEY-----", ""]
)


@pytest.fixture
def tools(repo: Repo):
    base = repo.commit({"a.py": "x = 1\n", "gone.py": "old = 1\n"})
    repo.file("link.py").symlink_to("private/key.py")
    files = {
        "a.py": f"x = 2\nkey = '{SECRET}'\nevil = '\u202e'\n",
        "gone.py": None,
        "private/key.py": "secret_plan = 2\n",
        "lib/b.py": "from a import x\nprint(x)\n",
        "lib/deploy.txt": PRIVATE_KEY,
        "binary.bin": b"x = \0",
        "long.txt": "".join(f"row {at}\n" for at in range(1000)),
        "wide.txt": f"{'y' * 100_000}\n",
        "many.txt": "".join(f"{'z' * 400}\n" for at in range(300)),
    }
    head = repo.commit(files)
    git = open_repository(repo.path, {**os.environ})

    def hidden(paths):
        return {path for path in paths if path.startswith("private/")}

    return RepositoryTools(ReadableTree(git, base, head, hidden))


def said(tools: RepositoryTools, name: str, **arguments: object) -> list[str]:
    """The rows of the answer within its block."""
    text = tools.call(name, arguments)
    return text.split("\n")[1:-1] if text.startswith("<data-") else [text]


def test_lines_of_a_file_on_both_sides(tools):
    assert said(tools, "read_file", path="a.py", first_line=1)[0] == "     1 | x = 2"
    assert said(tools, "show_base", path="a.py", first_line=0) == ["     1 | x = 1", "     2 | "]
    assert said(tools, "show_base", path="gone.py", first_line=1)[0] == "     1 | old = 1"
    rows = said(tools, "read_file", path="long.txt", first_line=601)
    assert (len(rows), rows[0], rows[-1]) == (400, "   601 | row 600", "  1000 | row 999")
    assert said(tools, "read_file", path="long.txt", first_line=5000) == [
        "the file has fewer lines"
    ]


def test_what_was_shown_at_head_is_known(tools):
    assert tools.shown == ()
    for name, arguments in [
        ("show_base", {"path": "gone.py", "first_line": 1}),
        ("read_file", {"path": "private/key.py", "first_line": 1}),
        ("list_files", {"folder": ""}),
        ("grep", {"text": "x"}),
        ("read_file", {"path": "long.txt", "first_line": 998}),
    ]:
        tools.call(name, arguments)
    assert tools.shown == (
        ReadLines("a.py", 1, 1),
        ReadLines("lib/b.py", 1, 2),
        ReadLines("long.txt", 998, 1001),
    )
    tools.call("read_file", {"path": "many.txt", "first_line": 1})
    [cut] = [each for each in tools.shown if each.path == "many.txt"]
    assert cut.first == 1 and 90 < cut.last < 100, "of an answer that is cut, whole lines count"


def test_nothing_leaves_that_no_question_may_hold(tools):
    text = tools.call("read_file", {"path": "a.py", "first_line": 1})
    assert SECRET not in text and "[REDACTED:aws-access-key]" in text and "<U+202E>" in text
    assert SECRET not in tools.call("grep", {"text": "key"})


def test_a_line_of_a_key_does_not_leave_alone(tools):
    assert said(tools, "grep", text="qX7") == ["lib/deploy.txt:9: [REDACTED:private-key]"]
    read = tools.call("read_file", {"path": "lib/deploy.txt", "first_line": 9})
    assert not any(line in read for line in KEY_LINES)


@pytest.mark.parametrize(
    "path",
    ["private/key.py", "link.py/x", "binary.bin", "gone.py", "lib", "", "../a.py", "/etc/passwd",
     "a.py\nb", "nowhere.py"],
)  # fmt: skip
def test_what_is_denied_or_no_text_is_not_read(tools, path):
    text = tools.call("read_file", {"path": path, "first_line": 1})
    assert "not a file that you may read" in text and "secret_plan" not in text


def test_a_link_is_not_followed(tools):
    assert said(tools, "read_file", path="link.py", first_line=1) == ["     1 | private/key.py"]


def test_words_and_names(tools):
    assert said(tools, "grep", text="x") == [
        "a.py:1: x = 2",
        "lib/b.py:1: from a import x",
        "lib/b.py:2: print(x)",
    ]
    assert said(tools, "grep", text="secret_plan") == ["no line holds it"]
    assert said(tools, "grep", text="x.*") == ["no line holds it"]
    assert said(tools, "grep", text="a\nb") == ["text: 1 to 200 characters in one line"]
    assert said(tools, "list_files", folder="lib/") == ["lib/b.py", "lib/deploy.txt"]
    every = said(tools, "list_files", folder="")
    assert "a.py" in every and "private/key.py" not in every
    for folder in ("nowhere", ":(top)lib", "../"):
        assert said(tools, "list_files", folder=folder) == ["no such folder"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", {"path": "a.py"}),
        ("read_file", {"path": "a.py", "first_line": "1"}),
        ("read_file", {"path": "a.py", "first_line": True}),
        ("read_file", {"path": ["a.py"], "first_line": 1}),
        ("grep", {"text": "x", "tree": "HEAD"}),
        ("grep", {}),
    ],
)
def test_wrong_arguments_are_told(tools, name, arguments):
    assert f"{name} takes exactly: " in tools.call(name, arguments)


def test_calls_and_bytes_have_an_end(tools):
    wide = tools.call("read_file", {"path": "many.txt", "first_line": 1})
    assert MAX_BYTES <= len(wide) < MAX_BYTES + 100 and "\ncut here\n" in wide
    for _ in range(MAX_CALLS):
        tools.call("read_file", {"path": "many.txt", "first_line": 1})
    assert tools.is_used_up
    assert tools.call("grep", {"text": "x"}).startswith("no more calls are answered")


def test_all_answers_together_have_an_end(tools):
    sent = 0
    while not tools.is_used_up:
        sent += len(tools.call("read_file", {"path": "many.txt", "first_line": 1}))
    assert MAX_ALL_BYTES <= sent < MAX_ALL_BYTES + MAX_CALLS * 100


def test_a_search_says_that_there_is_more(tools):
    rows = said(tools, "grep", text="row")
    assert len(rows) == 51 and rows[0] == "long.txt:1: row 0"
    assert rows[-1] == "and more that are not shown: look for a rarer word"
