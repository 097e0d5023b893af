"""The builtin reviewer over real repositories: what it reads, covers and leaves out, and checks
that break."""

import json
import os
from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from reviewgate_gh import __version__
from reviewgate_gh.git import open_repository
from reviewgate_gh.git.client import Git
from reviewgate_gh.model.change import Change, Range
from reviewgate_gh.model.config import Config, Policy
from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.model.review import Review, ReviewRequest, ReviewStatus
from reviewgate_gh.reviewers import builtin
from reviewgate_gh.reviewers._checkout import open_checkout
from reviewgate_gh.reviewers._context import ReviewContext
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system import plugins
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.text.config_file import validate_settings
from tests.support import Repo

TOKEN = "gh" + "p_" + "A8dk29Xq0Zm3Lw7Rt5Yb1Ns6Vc4Gf2Hj9KpQ"
RLO = "\u202e"
NAMES = frozenset(plugins.names("checks"))


def ask(
    repo: Repo,
    options: builtin.Options | None = None,
    excluded: Iterable[str] = (),
    most: int = 1_000_000,
    timeout: float = 60,
    trusted: bool = True,
) -> tuple[Review, Change]:
    """The review of the last commit; a machine for other people's commits does not trust it."""
    environment = Environment(
        dict(os.environ) if trusted else {**os.environ, "CI": "true"}, repo.path
    )
    git = open_repository(repo.path, environment.variables)
    change = load_change(git, Range(repo.rev("HEAD~1"), repo.head), environment, trusted)
    assert change.trusted is trusted
    return _answer(
        git, environment, change, options or builtin.Options(), frozenset(excluded), most, timeout
    ), change


def _answer(
    git: Git,
    environment: Environment,
    change: Change,
    options: builtin.Options,
    excluded: frozenset[str],
    most: int,
    timeout: float,
) -> Review:
    with open_checkout(git, change) as files:
        context = ReviewContext(
            git, files, environment, Config(policy=Policy(max_file_bytes=most)), timeout, excluded
        )
        assert builtin.parts(change, options, context) == ("",)
        return builtin.review(ReviewRequest(change), options, context)


def rules(review: Review) -> list[tuple[str, str, str]]:
    return sorted(
        (f.priority.value, f.rule.removeprefix("builtin/"), f.location) for f in review.findings
    )


BAD = {
    "a.py": f"key = '{TOKEN}'\nx = 1 {RLO}\n",
    "b.py": "<<<<<<< HEAD\n",
    "c.yml": "a: 1\na: 2\n",
    "d.json": "{\n",
    "g.json": '{"a": 1,\n"a": 2}\n',
    "g.yml": "privileged: true\n",
    "Makefile": "all:\n    cc a\n",
    "README.MD": "again\n",
    "AGENTS.md": "push with --no-verify\n",
    ".github/workflows/ci.yml": "on: push\npermissions: write-all\n",
    "e.bin": b"\0" * 1_000_001,
}


def test_every_check_speaks(repo: Repo) -> None:
    repo.write(BAD | {"f.py": "x = 1  # no" + "qa\n"})
    repo.file("out").symlink_to("../../etc")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head},lib")
    repo.git("add", "--all", ":!lib")
    repo.git("commit", "--quiet", "--message", "bad")
    review, _change = ask(repo, trusted=False)
    assert rules(review) == [
        ("P0", "conflict-marker", "b.py:1"),
        ("P0", "hidden-bidi", "a.py:2"),
        ("P0", "json-syntax", "d.json:1"),
        ("P0", "secret-github-token", "a.py:1"),
        ("P1", "case-collision", "README.MD"),
        ("P1", "makefile-separator", "Makefile:2"),
        ("P1", "symlink-target", "out"),
        ("P2", "agent-instructions", "AGENTS.md:1"),
        ("P2", "json-duplicate-key", "g.json:2"),
        ("P2", "large-file", "e.bin"),
        ("P2", "workflow-rights", ".github/workflows/ci.yml:2"),
        ("P2", "yaml-duplicate-key", "c.yml:2"),
        ("P3", "container-rights", "g.yml:1"),
        ("P3", "new-suppression", "f.py:1"),
        ("P3", "submodule", "lib:1"),
    ]
    assert (review.status, review.found, review.version, review.error) == (
        ReviewStatus.OK,
        15,
        __version__,
        "",
    )
    assert all(
        TOKEN not in repr(f)
        and (f.anchor, f.excerpt, f.sources, f.placed, f.origin) == ("", (), (), False, "")
        for f in review.findings
    )


def test_a_clean_change_is_covered_whole(repo: Repo) -> None:
    repo.commit({"gone.py": "x = 1\n", "old name.py": "y = 1\n" * 9})
    repo.file("link").symlink_to("README.md")
    repo.git("mv", "old name.py", "new\nname.py")
    repo.commit(
        {
            "gone.py": None,
            "a.py": "x = 2\n",
            "p.png": b"\x89PNG\0\0",
            "\udcff.txt": "x\n",
            "empty": "",
        }
    )
    review, change = ask(repo)
    assert (review.status, review.findings) == (ReviewStatus.OK, ())
    assert (
        sorted(review.covered)
        == sorted(f.path for f in change.files)
        == sorted(["gone.py", "link", "new\nname.py", "a.py", "p.png", "\udcff.txt", "empty"])
    )


def test_a_text_file_over_the_limit_is_not_covered_but_searched_for_secrets(repo: Repo) -> None:
    repo.commit({"big.js": "{" + " " * 300 + TOKEN, "small.json": "{}", "big.bin": b"\0" * 300})
    review, _change = ask(repo, most=200)
    assert sorted(review.covered) == ["big.bin", "small.json"]
    assert rules(review) == [("P0", "secret-github-token", "big.js:1")]


def test_large_yaml_is_read_as_a_whole(repo: Repo) -> None:
    rows = "".join(f"- name: member {n}\n" for n in range(60_000))
    huge = "".join(f"- {'x' * 200}\n" for _ in range(30_000))
    assert 1_000_000 < len(rows) < 5_000_000 < len(huge)
    files = {"all.yaml": rows, "huge.yml": huge, "twice.yml": f"{rows}- a: 1\n  a: 2\n"}
    repo.commit({**files, "broken.yaml": f"{rows}- [a"})
    review, _change = ask(repo)
    assert sorted(review.covered) == ["all.yaml", "broken.yaml", "twice.yml"]
    assert sorted(rule for _priority, rule, _place in rules(review)) == [
        "large-file",
        "yaml-duplicate-key",
        "yaml-syntax",
    ]


def test_large_json_is_read_as_a_whole(repo: Repo) -> None:
    rows = json.dumps([{"name": f"member {n}"} for n in range(40_000)], indent=1)
    huge = json.dumps(["x" * 200 for _ in range(30_000)], indent=1)
    assert 1_000_000 < len(rows) < 5_000_000 < len(huge)
    twice = f'{rows[:-2]},\n{{"a": 1, "a": 2}}]'
    repo.commit(
        {"api.json": rows, "broken.json": rows[:-1], "huge.json": huge, "twice.json": twice}
    )
    review, _change = ask(repo)
    assert sorted(review.covered) == ["api.json", "broken.json", "twice.json"]
    assert sorted(rule for _priority, rule, _place in rules(review)) == [
        "json-duplicate-key",
        "json-syntax",
        "large-file",
    ]


def test_of_a_large_text_for_people_the_added_lines_are_enough(repo: Repo) -> None:
    words = "".join(f'msgid "{n}"\n' for n in range(100))
    page = "<p>word</p>\n" * 100
    repo.commit({"po/de.po": words, "po/fr.po": "", "page.html": page, "run.md": words})
    (repo.path / "run.md").chmod(0o755)
    more = {"po/de.po": f'{words}msgstr "{TOKEN}"\n', "po/fr.po": words, "page.html": f"{page}x\n"}
    component = f'import x from "y"\n\nexport const a = x\n{words}'  # code, whatever its name says
    repo.commit(more | {"run.md": f"{words}x\n", "docs/a.mdx": component, "i18n/action.js": words})
    review, _change = ask(repo, most=200)
    assert review.covered == ("po/de.po", "po/fr.po")
    assert rules(review) == [("P0", "secret-github-token", "po/de.po:101")]


def test_a_missing_blob_is_not_covered(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    environment = Environment(dict(os.environ), repo.path)
    git = open_repository(repo.path, environment.variables)
    change = load_change(git, Range(repo.rev("HEAD~1"), repo.head), environment, True)
    oid = repo.rev("HEAD:a.py")
    (git.common / "objects" / oid[:2] / oid[2:]).unlink()
    review = _answer(git, environment, change, builtin.Options(), frozenset(), 1000, 60)
    assert (review.status, review.covered) == (ReviewStatus.OK, ("b.py",))


def test_excluded_files_are_read_for_secrets_and_hidden_text_alone(repo: Repo) -> None:
    repo.commit(BAD)
    review, change = ask(repo, excluded=[*BAD])
    assert rules(review) == [
        ("P0", "hidden-bidi", "a.py:2"),
        ("P0", "secret-github-token", "a.py:1"),
    ]
    assert len(review.covered) == len(change.files)


def test_checks_can_be_disabled_by_name(repo: Repo) -> None:
    repo.commit({"a.py": f"key = '{TOKEN}'\n<<<<<<< HEAD\n"})
    review, _change = ask(repo, builtin.Options(disable=("secrets",)))
    assert rules(review) == [("P0", "conflict-marker", "a.py:2")]
    with pytest.raises(ConfigError, match="unknown built-in check 'secret'") as caught:
        ask(repo, builtin.Options(disable=("secret",)))
    assert "secrets" in caught.value.hint


def test_options_are_strict() -> None:
    assert validate_settings({"disable": ["secrets"]}, builtin.Options, "x") == builtin.Options(
        disable=("secrets",)
    )
    for wrong in ({"disabled": []}, {"disable": [1]}):
        with pytest.raises(ConfigError):
            validate_settings(wrong, builtin.Options, "x")


def test_a_check_that_breaks_is_named_and_the_others_stay(repo: Repo) -> None:
    repo.commit({"a.py": f"key = '{TOKEN}'\n"})
    environment = Environment(dict(os.environ), repo.path)
    git = open_repository(repo.path, environment.variables)
    change = load_change(git, Range(repo.rev("HEAD~1"), repo.head), environment, True)
    odd = replace(change, files=(replace(change.files[0], old_path=None),))  # type: ignore[arg-type]
    review = _answer(git, environment, odd, builtin.Options(), frozenset(), 1000, 60)
    assert (review.status, review.found, rules(review)) == (
        ReviewStatus.FAILED,
        1,
        [("P0", "secret-github-token", "a.py:1")],
    )
    assert review.error.startswith("the check gate_config failed (TypeError: ")


def test_no_time_left_is_a_timeout(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n"})
    review, _change = ask(repo, timeout=-1)
    assert review.status is ReviewStatus.TIMEOUT and "secrets" in review.error


def test_what_git_is_asked_for(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n", "b.json": "{}\n", "sub/c.YML": "a: 1\n", "d.toml": "a = 1\n"})
    repo.commit({"a.py": "x = 2\n", "b.json": "[]\n", "d.toml": "a = 2\n"})
    environment = Environment(dict(os.environ), repo.path)
    git = open_repository(repo.path, environment.variables)
    change = load_change(git, Range(repo.rev("HEAD~1"), repo.head), environment, True)
    with open_checkout(git, change) as files:
        found = builtin.gather_sources(
            change, ("*.json", "*.toml"), ReviewContext(git, files, environment, Config(), 60)
        )
    assert (dict(found.contents), dict(found.sizes), found.head_paths) == (
        {"b.json": b"[]\n", "d.toml": b"a = 2\n"}, {"a.py": 6, "b.json": 3, "d.toml": 6}, (),
    )  # fmt: skip


def test_each_check_is_a_plug_in() -> None:
    assert {"secrets", "hidden_text", "conflict_markers"} < NAMES
    for name in NAMES:
        module = plugins.load("checks", name)
        assert (
            isinstance(module.WANTS, tuple)
            and isinstance(module.EVERY_FILE, bool)
            and module.check.__doc__
        )


@pytest.mark.parametrize(
    ("beside", "mode", "priority"),
    [
        ({}, "100644", "P3"),
        ({"README.md": "See vendor/lib/tool.sh\n"}, "100644", "P3"),
        ({"index.html": "<script src='vendor/lib/tool.sh'></script>\n"}, "100644", "P3"),
        ({"vendor/lib/Makefile": "all:\n\t./tool.sh\n"}, "100644", "P3"),
        ({}, "100755", "P0"),
        ({".github/workflows/a.yml": "jobs: {a: {steps: [{run: sh vendor/lib/tool.sh}]}}\n"},
         "100644", "P0"),
        ({"Makefile": "all:\n\tsh vendor/lib/tool.sh\n"}, "100644", "P0"),
        ({"build": "#!/bin/sh\n. vendor/lib/tool.sh\n"}, "100644", "P0"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_old", [False, True])
def test_a_vendored_script_that_a_machine_starts_keeps_its_weight(
    repo: Repo, beside: dict[str, str], mode: str, priority: str, is_old: bool
) -> None:
    """Also if the change leaves alone what starts it."""
    password = "x7Kq" + "92-Lm_pZ4" + "tRw81vBn"
    if is_old:
        repo.commit({**beside, "other": "x\n"})
    repo.write({"vendor/lib/tool.sh": f"#!/bin/sh\napi_token='{password}'\n"})
    repo.write({} if is_old else beside)
    repo.git("add", "--all")
    if mode == "100755":
        repo.git("update-index", "--chmod=+x", "vendor/lib/tool.sh")
    repo.git("commit", "--quiet", "--message", "vendored")
    review, _change = ask(repo, excluded=["vendor/lib/tool.sh"] if mode == "100644" else [])
    found = [row for row in rules(review) if row[2].startswith("vendor/lib/tool.sh")]
    assert found == [(priority, "secret-assigned-secret", "vendor/lib/tool.sh:2")]


def test_checks_ask_for_files_by_their_base_names() -> None:
    """A glob with a folder fits none, and the check would see what others ask for alone."""
    for name in plugins.names("checks"):
        assert not [glob for glob in plugins.load("checks", name).WANTS if "/" in glob], name
