"""Links in the reviewed commit: no tool is given one, finds one beside its files, or reads what one
leads to."""

import json
import os
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from ...support import Repo, tool
from ..pushing import executable

BAD = "print({})\n"
FILES = {
    "real.py": BAD.format("of_the_file"),
    "pkg/m.py": BAD.format("of_the_folder"),
    "now/a.py": BAD.format("was_a_link"),
}
LINKS = {
    "to_file.py": "real.py", "to_folder": "pkg", "to_folder.py": "pkg", "itself.py": "itself.py",
    "nowhere.py": "none.py",
    "out.py": "../outside/secret.py", "sub/up.py": "../../outside/secret.py", "out": "../outside",
    "was.py": "../outside/secret.py",
    "folder": "pkg",
}  # fmt: skip
SETTINGS = {"ruff.toml": "../outside/ruff.toml", "pkg/.ruff.toml": "../../outside/ruff.toml"}


def linked(repo: Repo, tmp_path: Path, links: dict[str, str]) -> Repo:
    """The last commit adds files and links, makes links of a file and of a folder, and a folder of
    a link. ruff says what it was given."""
    outside = Repo.init(tmp_path / "outside")
    outside.write(
        {"secret.py": BAD.format("outside_the_tree"), "ruff.toml": "lint.ignore = ['F821']\n"}
    )
    repo.file("now").symlink_to("none")
    repo.commit({"was.py": "", "folder/x.py": ""})
    repo.write({"was.py": None, "folder/x.py": None, "now": None})
    repo.file("folder").rmdir()
    repo.write(FILES)
    for name, target in links.items():
        repo.file(name).parent.mkdir(exist_ok=True)
        repo.file(name).symlink_to(target)
    repo.commit()
    here, log = shlex.quote(str(repo.path)), shlex.quote(str(tmp_path / "log"))
    seen = (
        f'(printf "%s\\n" "$PWD" "$@"; [ "$PWD" = {here} ] || [ "$1" = --version ] || find . '
        f"-type l) >> {log}"
    )
    executable(tmp_path / "bin/ruff", f'{seen}\nexec {shlex.quote(tool("ruff"))} "$@"')
    return replace(repo, env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})


@pytest.mark.parametrize(
    "where", ["in place", "in copies", "beside linked settings", "of a stranger"]
)
def test_no_tool_follows_a_link(repo: Repo, tmp_path: Path, where: str) -> None:
    links = LINKS if where == "in place" else {**LINKS, **SETTINGS}
    repo = linked(repo, tmp_path, links)
    if where == "in copies":
        repo.write({"real.py": "# not as it was committed\n"})
    approved = ["--trusted"] if where == "in place" else []
    env = {"CI": "true"} if where == "of a stranger" else {}
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", *approved, env=env)
    assert done.code == 1, done.output
    report = json.loads(done.stdout)
    found = {
        (row["path"], row["line_start"]) for row in report["findings"] if row["rule"] == "ruff/F821"
    }
    assert found == {(path, 1) for path in FILES}
    assert [
        (row["status"], row["covered"]) for row in report["reviews"] if row["part"] == "ruff"
    ] == [("ok", len(FILES))]
    assert "outside_the_tree" not in done.output
    out = {row["path"] for row in report["findings"] if row["rule"] == "builtin/symlink-target"}
    assert out == {name for name, target in links.items() if "outside" in target}
    if where != "of a stranger":  # for whom only the tool beside us is taken
        given = set((tmp_path / "log").read_text().splitlines())
        assert set(FILES) <= given and not given & {*links, *(f"./{name}" for name in links)}
        assert (str(repo.path) in given) == (where == "in place")


TEXT = "import os\nos.system(input())\n"
NAMED = {
    "a link to old text": ({"notes.txt": TEXT}, {}, {"a.py": "notes.txt"}, ["a.py"]),
    "a link to new text": ({}, {"notes.txt": TEXT}, {"a.py": "notes.txt"}, ["a.py", "notes.txt"]),
    "through another link": (
        {"notes.txt": TEXT}, {}, {"b.dat": "notes.txt", "x/a.py": "../b.dat"}, ["x/a.py"]
    ),
    "through a folder": (
        {"docs/notes.txt": TEXT}, {}, {"d": "docs", "a.py": "d/notes.txt"}, ["a.py"]
    ),
    "a folder under a name that runs": (
        {"plain/pre-push": "echo a\n"}, {}, {".husky": "plain"}, [".husky"]
    ),
    "a folder that was left out": ({"vendor/a.py": TEXT}, {}, {"src": "vendor"}, ["src"]),
}  # fmt: skip
FINE = {
    "another name of the same language": ({"a.py": "A = 1\n"}, {}, {"b.py": "a.py"}),
    "of text": ({"a.md": "a\n"}, {"a.md": "b\n"}, {"b.md": "a.md"}),
    "without a suffix": ({"a.sh": "#!/bin/sh\n:\n"}, {}, {"bin/a": "../a.sh"}),
    "to nothing": ({"a.txt": "a\n"}, {"a.txt": "b\n"}, {"a.py": "none.txt", "b.py": "b.py"}),
    "in a folder that is left out": ({"a.txt": TEXT}, {}, {"vendor/a.py": "../a.txt"}),
}


def commit_links(repo: Repo, links: dict[str, str]) -> None:
    for name, target in links.items():
        repo.file(name).parent.mkdir(exist_ok=True)
        repo.file(name).symlink_to(target)
    repo.commit()


def unreviewed(repo: Repo) -> tuple[str, list[str]]:
    """The outcome, and the files that nobody read who knows what they are."""
    report = json.loads(repo.cli("review", "--commit", "HEAD", "--output", "json").stdout)
    rows = [row["path"] for row in report["coverage"]["rows"] if row["missing"]]
    return report["verdict"]["outcome"], sorted(rows)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.req("R005-012")
def test_text_that_a_link_makes_code_of_is_not_reviewed(repo: Repo, name: str) -> None:
    before, after, links, rows = NAMED[name]
    repo.commit({"README.md": "a\n", **before})
    repo.write(after)
    commit_links(repo, links)
    assert unreviewed(repo) == ("concerns", rows)


@pytest.mark.parametrize("name", FINE)
def test_a_link_that_makes_nothing_else_of_a_file_says_nothing(repo: Repo, name: str) -> None:
    before, after, links = FINE[name]
    repo.commit({"README.md": "a\n", **before})
    repo.write(after)
    commit_links(repo, links)
    assert unreviewed(repo) == ("pass", [])


@pytest.mark.req("R005-012")
def test_text_behind_an_older_link_is_not_reviewed(repo: Repo) -> None:
    repo.write({"notes.txt": "A = 1\n"})
    commit_links(repo, {"a.py": "notes.txt"})
    repo.commit({"notes.txt": TEXT})
    done = repo.cli("review", "--commit", "HEAD")
    assert (
        "the symbolic link a.py gives it a name of Python, as which nobody read it" in done.stdout
    )
    assert unreviewed(repo) == ("concerns", ["notes.txt"])


@pytest.mark.req("R005-012")
def test_however_many_names_links_give_none_is_taken_for_checked(repo: Repo) -> None:
    repo.commit({f"plain/{n}.txt": "" for n in range(1_100)} | {"plain/z.yaml": "a: {{ b }}\n"})
    commit_links(repo, {"templates": "plain"})
    assert unreviewed(repo) == ("concerns", ["templates"])
    commit_links(repo, {f"link{n:02}": "plain" for n in range(20)})
    found = unreviewed(repo)
    assert found[0] == "concerns" and "link19" in found[1] and "link00" not in found[1]
