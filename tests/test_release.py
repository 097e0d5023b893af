"""release/: what a release changes, that no placeholder is left, and that builds are equal."""

import re
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import yaml

from release import files, texts
from reviewgate_gh import __version__
from reviewgate_gh.tools import init

from .support import ROOT, Ran, Repo, run, tool

REPOSITORY, COMMIT = "octo-org/reviewgate-gh", "1f" * 20
NEXT = "9.8.7"
SHOWN = ("README.md", "CHANGELOG.md", "docs/action.md", files.PACKAGE, files.INIT, "pyproject.toml")


@pytest.fixture
def clone(make_repo) -> Repo:
    """A repository with the release's scripts and the files that they change."""
    repo: Repo = make_repo("project")
    for name in (*SHOWN, ".gitignore", *(f"release/{each.name}" for each in scripts())):
        repo.file(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, repo.file(name))
        if name in SHOWN:
            repo.file(name).write_text(as_before_a_release((ROOT / name).read_text("utf-8")))
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "all")
    return repo


def as_before_a_release(text: str) -> str:
    """With all placeholders, and a change to release, whatever was released since."""
    text = re.sub(r"[\w-]+/reviewgate-gh(?=[@/#\n\"])", texts.UNNAMED, text)
    text = re.sub(r"(?<=/reviewgate-gh@)[0-9a-f]{40}", texts.NO_COMMIT, text)
    text = re.sub(r"(?<= rev: )[0-9a-f]{40}", texts.NO_COMMIT, text)
    return text.replace("## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n- News.\n", 1)


def scripts() -> list[Path]:
    """The files of the folder."""
    return [path for path in (ROOT / "release").iterdir() if path.is_file()]


def released_init(file: Path) -> Any:
    """`tools/init.py` as a release has it."""
    spec = spec_from_file_location("reviewgate_gh.tools.released_init", file)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def release(repo: Repo, script: str, *args: str) -> Ran:
    """One of the scripts."""
    return run([repo.file(f"release/{script}"), *args], repo.path)


@pytest.mark.contract(plain=False)
def test_a_release_is_prepared_filled_and_described(clone: Repo) -> None:
    done = release(clone, "prepare", NEXT, "--repository", REPOSITORY, "--date", "2031-02-03")
    assert done.code == 0 and f"git tag -s v{NEXT}" in done.stdout, done.output
    changelog = clone.file("CHANGELOG.md").read_text()
    assert f"## [Unreleased]\n\n## [{NEXT}] - 2031-02-03\n" in changelog
    assert f'__version__ = "{NEXT}"' in clone.file(files.PACKAGE).read_text()
    clone.git("commit", "--quiet", "--all", "--message", "Release")

    done = release(clone, "fill", COMMIT, "--build", "--tag", f"v{NEXT}")
    assert done.code == 0, done.output
    for name in SHOWN:
        assert texts.left_over(clone.file(name).read_text()) == [], name
    readme = clone.file("README.md").read_text()
    assert f"uses: {REPOSITORY}@{COMMIT} # v{NEXT}\n" in readme
    assert f"rev: {COMMIT} # frozen: v{NEXT}\n" in readme
    assert f"git+https://github.com/{REPOSITORY}@{COMMIT}'" in readme
    assert f"](https://github.com/{REPOSITORY}/raw/v{NEXT}/docs/terminal.svg)" in readme
    assert f"](https://github.com/{REPOSITORY}/blob/v{NEXT}/SECURITY.md)" in readme
    assert not re.search(
        r"\]\((?!https?://|#)", re.sub(r"^```.*?^```", "", readme, flags=re.M | re.S)
    )
    [action] = re.findall(r'^RELEASED_ACTION = "(.*)"$', clone.file(files.INIT).read_text(), re.M)
    assert action == f"{REPOSITORY}@{COMMIT}" and init._ACTION.fullmatch(action)
    workflow = released_init(clone.file(files.INIT)).starter_workflow(action)
    assert f"      - uses: {action} # v{__version__}\n" in workflow
    assert "ACTION" not in workflow and yaml.safe_load(workflow)["jobs"]

    notes = release(clone, "notes", f"v{NEXT}").stdout
    assert notes.startswith("### ") and "\n## " not in notes and notes in changelog


def test_the_next_release_replaces_the_last_ones_commit() -> None:
    text = texts.with_commit((ROOT / "README.md").read_text("utf-8"), COMMIT, "0.2.0")
    again = texts.with_commit(text, "2e" * 20, "0.3.0")
    assert COMMIT not in again and "0.2.0" not in again and again.count("2e" * 20) >= 2


@pytest.mark.contract(plain=False)
def test_after_a_release_only_the_docs_name_it(clone: Repo) -> None:
    release(clone, "prepare", NEXT, "--repository", REPOSITORY)
    clone.git("commit", "--quiet", "--all", "--message", "Release")
    assert release(clone, "fill", COMMIT).code == 0
    assert 'RELEASED_ACTION = ""' in clone.file(files.INIT).read_text()
    assert COMMIT in clone.file("docs/action.md").read_text()
    assert "](docs/action.md)" in clone.file("README.md").read_text()


@pytest.mark.contract(plain=False)
def test_what_cannot_be_released_changes_nothing(clone: Repo) -> None:
    good = (NEXT, "--repository", REPOSITORY)
    for args, words in (
        (("prepare", "1.2", *good[1:]), "is not a version"),
        (("prepare", NEXT, "--repository", "OWNER/reviewgate-gh"), "with the real owner"),
        (("prepare", NEXT, "--repository", "octo/other"), "is not the repository"),
        (("fill", "0" * 40), "is not a commit"),
        (("fill", COMMIT, "--tag", "v0.0.1"), "the version"),
        (("fill", COMMIT), "a placeholder is left"),
        (("notes", NEXT), "it lists nothing under"),
    ):
        done = release(clone, *args)
        assert done.code == 1 and words in done.stderr and "\n  " in done.stderr, done.output
    assert "would change README.md" in release(clone, "prepare", *good, "--dry-run").stdout
    assert clone.git("status", "--porcelain") == ""
    clone.write({"README.md": "uses: OWNER/reviewgate-gh@" + "0" * 40})
    done = release(clone, "prepare", *good)
    assert done.code == 1 and "differ from the commit" in done.stderr, done.output


@pytest.mark.parametrize(
    "line",
    [
        "uses: OWNER/reviewgate-gh@" + "0" * 40,
        "see OWNER/reviewgate-gh",
        "x@" + "0" * 40,
        "    rev: " + "0" * 40,
        "git checkout --quiet " + "0" * 40,
        "image: registry.example.com/tools/reviewgate-gh:" + "0" * 40,
    ],
)
def test_a_placeholder_is_seen_in_any_form(line: str) -> None:
    assert texts.left_over(f"a\n{line}\nb") == [line.strip()]


def test_no_file_holds_a_placeholder_that_the_scripts_do_not_replace() -> None:
    shown = files.changed(
        files.shown_texts(),
        lambda text: texts.with_commit(texts.with_repository(text, REPOSITORY), COMMIT, "0.2.0"),
    )
    assert files.remaining(shown, texts.left_over) == []
    assert texts.stated_version(shown[files.PACKAGE]) == __version__


def test_an_empty_or_repeated_section_is_no_release() -> None:
    full = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- x\n\n## [0.1.0]\n\n- y\n"
    cut = texts.cut_changelog(full, "0.2.0", "2026-01-02")
    assert texts.release_notes(cut, "0.2.0") == "### Added\n\n- x\n"
    assert texts.release_notes(cut, "0.1.0") == "- y\n"
    for text, words in ((cut, "nothing is listed"), (full.replace("0.1.0", "0.2.0"), "already")):
        with pytest.raises(ValueError, match=words):
            texts.cut_changelog(text, "0.2.0" if words == "already" else "0.3.0", "2026-01-02")


@pytest.mark.contract(plain=False)
def test_two_builds_are_equal(tmp_path: Path) -> None:
    """In another folder, with other times of files and other rights."""
    copy = tmp_path / "copy"
    for name in run(["git", "ls-files", "-z"], ROOT).stdout.split("\0"):
        if name.startswith(("reviewgate_gh/", "hooks/")) or (name and "/" not in name):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    env = {"SOURCE_DATE_EPOCH": "1700000000"}
    for where, out in ((ROOT, "one"), (copy, "two")):
        done = run(
            [tool("hatchling"), "build", "-t", "wheel", "-d", tmp_path / out], where, env=env
        )
        assert done.code == 0, done.output
    [one], [two] = ((tmp_path / out).iterdir() for out in ("one", "two"))
    assert one.name == two.name and one.read_bytes() == two.read_bytes()


def test_only_the_jobs_that_sign_or_publish_get_an_identity() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    rights = {name: job.get("permissions", {}) for name, job in jobs.items()}
    assert {name for name, given in rights.items() if "id-token" in given} == {"attest", "publish"}
    assert {name for name, given in rights.items() if given.get("contents") == "write"} == {"draft"}
    assert jobs["publish"]["environment"] == "pypi"
    assert [jobs[name]["needs"] for name in ("attest", "publish")] == ["build", "attest"]
    checked_out = {name for name, job in jobs.items() if "actions/checkout@" in str(job["steps"])}
    assert checked_out == {"build"}, "what signs and publishes runs no code of the repository"
    assert "cache" not in text and "secrets." not in text
