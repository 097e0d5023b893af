"""Unchanged Python code that a change breaks: found, with the hunk that does it."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from reviewgate_gh.model.finding import CausingPlace, Finding, Priority
from reviewgate_gh.model.review import Review, ReviewStatus
from reviewgate_gh.reviewers.python import ty
from tests.support import Repo

from .asking import review_change
from .cases import BROKEN, HARMLESS, Case

CASES = {**BROKEN, **HARMLESS}


def ask(repo: Repo, timeout: float = 300) -> Review | None:
    """The review of the last commit; None where there is nothing to ask."""
    return review_change(repo.path, repo.rev("HEAD~1"), repo.rev("HEAD"), timeout)


def answer(repo: Repo, timeout: float = 300) -> Review:
    review = ask(repo, timeout)
    assert review is not None
    return review


def before(name: str, case: Case) -> dict[str, str]:
    files = {"__init__.py": "", "lib.py": case.before, "user.py": case.user, **case.more}
    return {f"{name}/{path}": text for path, text in files.items()}


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Finding]]:
    """What is said of all cases, by case."""
    # A fixture of a module is made before the home with an identity of its own
    roles = ("GIT_AUTHOR", "GIT_COMMITTER")
    who = {f"{role}_{part}": "a@example.com" for role in roles for part in ("NAME", "EMAIL")}
    repo = Repo.init(tmp_path_factory.mktemp("cases") / "repo", env=who)
    repo.commit({k: v for name, case in CASES.items() for k, v in before(name, case).items()})
    for name, case in CASES.items():
        if case.after is None:
            repo.git("rm", "-q", f"{name}/lib.py")
        else:
            repo.write({f"{name}/lib.py": case.after})
    repo.write({"now_a_package/lib/__init__.py": "def f():\n    pass\n"})
    repo.git("add", "--all")
    repo.git("commit", "-qm", "change")
    found: dict[str, list[Finding]] = {name: [] for name in CASES}
    for finding in answer(repo).findings:
        found[finding.path.partition("/")[0]].append(finding)
    return found


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_is_found(name: str, findings: Mapping[str, list[Finding]]) -> None:
    [finding] = findings[name]
    assert finding.rule == f"callers/{BROKEN[name].rule}"
    assert finding.path.rpartition("/")[2] in ("user.py", "__init__.py")
    certain = BROKEN[name].rule != "attribute"
    assert finding.priority is (Priority.P1 if certain else Priority.P2)
    assert finding.compared
    assert finding.cause
    assert finding.cause.path == f"{name}/lib.py"


@pytest.mark.parametrize("name", HARMLESS)
def test_what_goes_on_working_is_not(name: str, findings: Mapping[str, list[Finding]]) -> None:
    assert findings[name] == []


def test_an_argument_is_shown_with_its_call(findings: Mapping[str, list[Finding]]) -> None:
    [finding] = findings["many_lines"]
    assert (finding.line_start, finding.line_end) == (3, 5)
    assert [line.text for line in finding.excerpt] == ["    f(", "        a=1,", "    ),"]


LIB = "import os\n\n\ndef first():\n    return os\n\n\ndef second(a):\n    return a\n\n\nX = 1\n"
USER = "from pkg.lib import first, second\n\nfirst()\nsecond(1)\n"
TREE = {"src/pkg/__init__.py": "", "src/pkg/lib.py": LIB, "src/pkg/user.py": USER}


def test_the_hunk_is_named(repo: Repo) -> None:
    """A removed definition at the line that follows it, a changed one at its new line."""
    repo.commit(TREE)
    repo.commit({"src/pkg/lib.py": LIB.replace("def first():\n    return os\n\n\n", "")})
    [gone] = answer(repo).findings
    assert gone.cause == CausingPlace("src/pkg/lib.py", 4)
    repo.commit({"src/pkg/lib.py": LIB.replace("second(a)", "second(a, b)")})
    review = answer(repo)
    assert [f.cause for f in review.findings] == [CausingPlace("src/pkg/lib.py", 8)]


@pytest.mark.parametrize(
    ("path", "name"),
    [("lib/pkg", "pkg"), ("my-app/pkg", "pkg"), ("src/space/part", "space.part"), ("pkg", "pkg")],
)
def test_source_roots_are_found(path: str, name: str, repo: Repo) -> None:
    """`space` is a package without a file of its own, and a module has its name as well."""
    files = {"__init__.py": "", "lib.py": "def f():\n    pass\n"}
    user = f"from {name}.lib import f\n"
    repo.commit({f"{path}/{file}": text for file, text in files.items()} | {f"{path}/u.py": user})
    repo.commit({"src/space/space.py": "", f"{path}/new.py": ""})
    repo.commit({f"{path}/lib.py": "A = 1\n"})
    assert [f.path for f in answer(repo).findings] == [f"{path}/u.py"]


def test_two_projects_with_one_name(repo: Repo) -> None:
    """Who imports `app` means the one beside it."""
    files = {"app/__init__.py": "", "app/lib.py": "def f():\n    pass\n"}
    user = {"app/user.py": "from app.lib import f\n"}
    both = {
        f"{top}/{path}": text for top in ("one", "two") for path, text in (files | user).items()
    }
    repo.commit(both)
    for top in ("one", "two"):
        repo.commit({f"{top}/app/lib.py": "A = 1\n"})
        assert [f.path for f in answer(repo).findings] == [f"{top}/app/user.py"]
        repo.commit({f"{top}/app/lib.py": files["app/lib.py"]})


def test_ty_is_not_asked_where_nothing_is_lost(repo: Repo) -> None:
    """New files, bodies, comments, names that nobody uses: a parser says so."""
    repo.commit(TREE)
    repo.commit({"src/pkg/lib.py": LIB.replace("return os", "return 2").replace("X = 1", "Y = 1")})
    review = answer(repo)
    assert (review.status, review.version, review.findings) == (ReviewStatus.OK, "", ())
    repo.commit({"src/pkg/more.py": "A = 1\n", "a.txt": "a\n"})
    assert ask(repo) is None


HOSTILE = {
    "ty.toml": '[src]\nexclude = ["**"]\n',
    "src/pkg/ty.toml": '[rules]\nimport-not-found = "ignore"\nmissing-module-member = "ignore"\n',
    "pyproject.toml": '[tool.ty.src]\nexclude = ["**"]\n[tool.ty.environment]\npython = "x"\n',
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    ".venv/lib/python3.13/site-packages/pkg/__init__.py": "",
    ".venv/lib/python3.13/site-packages/pkg/lib.py": "def first():\n    pass\ndef second(a): ...\n",
}


def test_nothing_in_the_project_silences_it(repo: Repo) -> None:
    repo.commit(TREE)
    repo.commit({**HOSTILE, "src/pkg/lib.py": "def second(a):\n    return a\n"})
    assert [f.location for f in answer(repo).findings] == ["src/pkg/user.py:1"]


def test_links_lead_nowhere(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("def first():\n    pass\ndef second(a):\n    pass\n")
    repo.commit(TREE)
    repo.file("src/pkg/lib.py").unlink()
    repo.file("src/pkg/lib.py").symlink_to(tmp_path / "outside.py")
    repo.git("add", "--all")
    repo.git("commit", "-qm", "link")
    assert {f.rule for f in answer(repo).findings} == {"callers/import"}


def test_excluded_users_are_left_alone(repo: Repo) -> None:
    repo.commit({**TREE, "vendor/user.py": USER})
    repo.commit({"src/pkg/lib.py": "A = 1\n"})
    assert {f.path for f in answer(repo).findings} == {"src/pkg/user.py"}


def test_a_second_run_knows_the_answer(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    repo.commit(TREE)
    repo.commit({"src/pkg/lib.py": "A = 1\n"})
    first = answer(repo)
    [kept] = (repo.path / ".git/reviewgate-gh/cache/callers").iterdir()
    rows = json.loads(kept.read_bytes())
    rows[0][5] = "`first` from the cache."
    kept.write_text(json.dumps(rows))
    assert "from the cache." in " ".join(f.body for f in answer(repo).findings)
    kept.write_text("[[")
    assert answer(repo).findings == first.findings


def test_no_time_is_said_and_decides_nothing(repo: Repo) -> None:
    repo.commit(TREE)
    repo.commit({"src/pkg/lib.py": "A = 1\n"})
    review = answer(repo, timeout=0.0)
    assert (review.status, review.required) == (ReviewStatus.SKIPPED, False)
    assert review.error.startswith("unchanged Python files were not checked")


@pytest.mark.parametrize(
    "output",
    [b"", b"{}", b"[{}]", b'[{"check_name": 1}]', b"\xff", b"[" * 100_000],
)
def test_damaged_output_is_no_answer(output: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its words differ
        list(ty.parse(output, "/"))


ROW = {
    "check_name": "unresolved-attribute",
    "description": "unresolved-attribute: Object of type `A` has no attribute `b`",
    "location": {
        "path": "a.py",
        "positions": {"begin": {"line": 3, "column": 4}, "end": {"line": 3}},
    },
}


def test_names_of_earlier_releases_are_known() -> None:
    [told] = ty.parse(json.dumps([ROW]).encode(), "/")
    assert told[:6] == (
        "a.py",
        3,
        4,
        3,
        "attributes",
        "ty says: Object of type `A` has no attribute `b`.",
    )
    union = {
        **ROW,
        "description": "unresolved-attribute: Attribute `b` is not defined on `None` in union `A`",
    }
    assert not [*ty.parse(json.dumps([union, {**ROW, "check_name": "other"}]).encode(), "/")]
