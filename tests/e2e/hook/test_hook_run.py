"""What a push gets to see: the worst answer, overrides, refusals, and how little an empty push
costs."""

import sys
from pathlib import Path

import pytest

from ...support import Repo, run
from ..pushing import BAD, ENV, GOOD, Pushing


def test_a_config_that_is_wrong_refuses_the_push_and_the_other_refs_are_reviewed(
    tmp_path: Path,
) -> None:
    it = Pushing.make(tmp_path)
    base = it.repo.head
    it.repo.branch("one")
    wrong = it.repo.commit({".reviewgate-gh.yaml": "mode: blok\n"})
    it.repo.cli("trust", "--change", wrong)
    it.repo.branch("two", base)
    good = it.repo.commit({"a.txt": GOOD})
    done = it.push("origin", "one", "two")
    assert done.code != 0
    assert ".reviewgate-gh.yaml:1" in done.stderr
    assert it.reviewed() == {(base, good)}


@pytest.mark.contract(plain=False)
def test_the_worst_answer_decides(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path, install=False)
    base, tips = it.repo.head, {}
    for name, file, content in (
        ("good", "a.txt", GOOD),
        ("wrong", ".reviewgate-gh.yaml", "mode: blok\n"),
        ("bad", "a.txt", BAD),
    ):
        it.repo.branch(name, base)
        tips[name] = it.repo.commit({file: content})
    assert it.repo.cli("trust", "--change", tips["wrong"]).code == 0

    def code(*names: str) -> int:
        lines = "".join(
            f"refs/heads/{name} {tips[name]} refs/heads/{name} {'0' * 40}\n" for name in names
        )
        return it.repo.cli("hook", "run", "origin", str(it.bare.path), stdin=lines).code

    assert [
        code("good"),
        code("good", "wrong"),
        code("wrong", "good"),
        code("wrong", "bad"),
        code("bad", "wrong"),
    ] == [0, 78, 78, 1, 1]


def test_modules_in_the_work_tree_are_not_imported(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w'); raise SystemExit(0)\n"
    it.repo.commit(
        {
            "click.py": trap,
            "re.py": trap,
            "reviewgate_gh/__init__.py": "",
            "reviewgate_gh/__main__.py": trap,
            "a.txt": BAD,
        }
    )
    assert it.push("origin", "main").code != 0
    assert not (tmp_path / "sprung").exists()
    assert len(it.reports()) == 1


@pytest.mark.contract
def test_a_list_that_is_not_gits_refuses_the_push(repo: Repo) -> None:
    done = repo.cli("hook", "run", "origin", "url", stdin="refs/heads/main nonsense\n")
    assert done.code == 64
    assert "an invalid line" in done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "",
        f"(delete) {'0' * 40} refs/heads/x {'1' * 40}\n",
        "refs/heads/main {head} refs/heads/y {zero}\n",
    ],
)
def test_with_nothing_to_review_little_is_loaded(line: str, tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    program = (
        "import sys\nfrom reviewgate_gh.cli import run, cli\n"
        "assert run(cli, ['hook', 'run', 'origin', 'url']) == 0\n"
        "heavy = {'github', 'pathspec', 'pydantic', 'requests', 'rich', 'yaml', "
        "'reviewgate_gh.gate.review'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = run(
        [sys.executable, "-c", program],
        it.repo.path,
        ENV,
        line.format(head=it.repo.head, zero="0" * 40),
    )
    assert done.output == "exit 0\n--- stdout\n[]\n\n--- stderr\n", done.output


@pytest.mark.contract
def test_an_override_is_loud_and_on_record(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    it.repo.branch("one")
    it.repo.commit({"a.txt": BAD})
    it.repo.branch("two")
    it.repo.commit({"b.txt": BAD})
    done = it.push(
        "--quiet", "origin", "one", "two", env={"REVIEWGATE_GH_SKIP": " the site is down\x1b[2J "}
    )
    assert done.code == 0, done.output
    assert done.stdout == ""
    assert (
        done.stderr
        == "reviewgate-gh: THE GATE IS OVERRIDDEN, NOTHING WAS REVIEWED: the site is down\n"
    )
    assert [report["skipped"].startswith("the site is down") for report in it.reports()] == [
        True,
        True,
    ]
    assert {report["verdict"]["outcome"] for report in it.reports()} == {"inconclusive"}
    assert {
        tuple(file["path"] for file in report["change"]["files"]) for report in it.reports()
    } == {("a.txt",), ("a.txt", "b.txt")}
    # Nothing is new
    assert (
        it.push("origin", "one", env={"REVIEWGATE_GH_SKIP": "again"}).stderr.count("OVERRIDDEN")
        == 0
    )


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("reason", ["", " \t"])
def test_an_override_needs_a_reason(tmp_path: Path, reason: str) -> None:
    it = Pushing.make(tmp_path)
    it.repo.commit({"a.txt": GOOD})
    done = it.push("origin", "main", env={"REVIEWGATE_GH_SKIP": reason})
    assert done.code != 0
    assert "REVIEWGATE_GH_SKIP needs a reason" in done.stderr
    assert it.reports() == []


def test_review_is_overridden_the_same_way(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path, install=False)
    it.repo.commit({"a.txt": BAD})
    done = it.repo.cli("review", env={"REVIEWGATE_GH_SKIP": "known"})
    assert done.code == 0
    assert "OVERRIDDEN" in done.stderr and "OVERRIDDEN: known" in done.stdout
    assert it.reports()[0]["skipped"] == "known"
    assert it.repo.cli("review", env={"REVIEWGATE_GH_SKIP": ""}).code == 64
    assert it.repo.cli("review").code == 1


def test_a_refusal_says_each_way_on_once(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    it.repo.commit({"a.txt": BAD})
    said = it.push("origin", "main").output
    assert [
        said.count(words) for words in ("waive add", "REVIEWGATE_GH_SKIP", "This push was refused")
    ] == [1, 1, 1], said


def test_the_deadline_holds_for_the_push_as_a_whole(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    config = (
        "hook: {deadline: 10}\nreviewers:\n  linters: off\n  change: off\n  callers: off\n"
        "  builtin: off\n"
        "  slow: {type: command, options: {argv: [sleep, '6']}}\n"
    )
    base, tips = it.repo.commit({".reviewgate-gh.yaml": config}), []
    it.push("-q", "--no-verify", "origin", "main")
    for name in ("one", "two", "three"):
        it.repo.branch(name, base)
        tips.append(it.repo.commit({f"{name}.txt": GOOD}))
    done = it.push("origin", "one", "two", "three")
    assert done.code != 0
    assert it.reviewed() == {(base, tips[0]), (base, tips[1])}, done.output
    late = {report["change"]["head"]: report["late"] for report in it.reports()}
    assert late == {tips[0]: False, tips[1]: True}, "the second had what the first had left"
    assert (
        "reviewgate-gh: refs/heads/three: 1 new commit since origin/main: not reviewed\n"
        "  hook.deadline covers the whole push"
    ) in done.stderr
