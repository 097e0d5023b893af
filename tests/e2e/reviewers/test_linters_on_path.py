"""Every tool that is used where it is found on PATH, asked through the gate: chosen by its config,
read, and never taken for well."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.reviewers.linters import swiftlint
from reviewgate_gh.system import plugins
from tests.unit.reviewers.linters.real import program_of

from ...support import Repo
from ..on_path import FILES, SAMPLES, calls, config_of, put

# What stands for the answer, and what the gate then says about the tool.
BROKEN = {
    "crash": ("echo it broke >&2; exit 70", "failed", "exit code 70: it broke"),
    "hangs": ("sleep 60", "timeout", "stopped after"),
    "rubbish": ("echo Everything is fine!", "unparsable", "not "),
    "cut": ("head -c 40 @SAID@", "unparsable", "not "),
}
# More files of every kind: no tool is started once a file.
MORE = {
    f"more{n}/{path}": text
    for n in range(20)
    for path, text in FILES.items()
    if not path.startswith(".")
}
MORE |= {
    path.replace("/w.", f"/w{n}."): text
    for n in range(20)
    for path, text in FILES.items()
    if path.startswith(".")
}
MORE_FOLDERS = {path.partition("/")[0] for path in MORE if path.startswith("more")}
BY_FOLDER = ("go_vet", "staticcheck", "terraform", "tflint")  # package by package
every = pytest.mark.parametrize("name", SAMPLES)


def review(repo: Repo, path: str) -> tuple[int, dict[str, Any]]:
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    assert done.stdout.startswith("{"), done.output
    return done.code, json.loads(done.stdout)


@cache
def reviewed(folder: Path, body: str) -> tuple[int, dict[str, Any]]:
    """All of them over one change, in a project that configures each."""
    repo = Repo.init(folder / "repo")
    timeouts = dict.fromkeys(SAMPLES, "timeout: 1") if body.startswith("sleep") else {}
    repo.commit(config_of(*SAMPLES, **timeouts), "config")
    repo.commit(FILES if body else {**FILES, **MORE})
    return review(repo, put(folder / "bin", SAMPLES, body))


def row(report: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [row for row in report["reviews"] if row["part"] == name]
    return found


def test_these_are_the_tools_that_do_not_come_with_us() -> None:
    assert set(SAMPLES) == {
        name for name in plugins.names("linters") if not plugins.load("linters", name).DEFAULT
    } - {"rules"}  # which the project brings along


@every
def test_what_it_says_is_in_the_report(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    folder, sample = tmp_path_factory.getbasetemp() / "well", SAMPLES[name]
    code, report = reviewed(folder, "")
    assert (code, report["verdict"]["outcome"], report["tools"][name]) == (1, "block", "9.8.7")
    tool = plugins.load("linters", name)
    paths = {path for path in MORE if Path(path).suffix == Path(sample.finding[1]).suffix} | {
        sample.finding[1]
    }
    alone = getattr(tool, "ONE_BY_ONE", False)  # each call says the same of one file
    times = len(paths) if alone else 1 + len(MORE_FOLDERS) if name in BY_FOLDER else 1
    assert (row(report, name)["status"], row(report, name)["found"]) == ("ok", times), row(
        report, name
    )
    found = [
        finding
        for finding in report["findings"]
        if name.replace("_", "-") == finding["rule"].partition("/")[0]
        and not finding["path"].startswith("more")
    ]
    told = [(f["rule"], f["path"], f["line_start"], f["priority"]) for f in found]
    assert told == [sample.finding] * (times if alone else 1)
    every_call = calls(folder / "bin", name)
    assert len(every_call) == times
    asked = {word for call in every_call for word in call}
    assert (paths & asked) == (set() if getattr(tool, "WHOLE_TREE", False) else paths), asked


@every
@pytest.mark.parametrize("how", BROKEN)
def test_one_that_breaks_is_a_failed_review(
    tmp_path_factory: pytest.TempPathFactory, name: str, how: str
) -> None:
    body, status, words = BROKEN[how]
    if how == "crash" and getattr(plugins.load("linters", name), "EXIT_COUNTS", False):
        _, status, words = BROKEN["rubbish"]  # any code may be a number of errors
    code, report = reviewed(tmp_path_factory.getbasetemp() / how, body)
    assert (code, report["verdict"]["outcome"]) == (2, "inconclusive")
    assert row(report, name)["status"] == status and words in row(report, name)["error"], row(
        report, name
    )
    assert any(name in reason for reason in report["verdict"]["reasons"]), report["verdict"]


@pytest.mark.parametrize(
    "name",
    [name for name in SAMPLES if not getattr(plugins.load("linters", name), "WHEN_INSTALLED", 0)],
)
def test_without_a_config_of_the_project_it_is_not_chosen(
    repo: Repo, tmp_path: Path, name: str
) -> None:
    repo.commit(config_of())
    repo.commit(FILES)
    code, report = review(repo, put(tmp_path / "bin", [name]))
    assert code == 0 and name not in {row["part"] for row in report["reviews"]}
    assert calls(tmp_path / "bin", name) == []


def test_a_tool_that_takes_no_paths_reads_what_was_changed_and_nothing_else(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit(
        {
            **config_of("gitleaks"),
            ".gitignore": "node_modules/\n",
            "old.txt": "words\n",
            ".gitleaksignore": "a.txt:r:1\n",
        }
    )
    repo.commit({"a.txt": "words\n", "d/b.txt": "words\n"})
    repo.write({"node_modules/x/secret.js": "words\n", "new.txt": "words\n"})
    code, report = review(
        repo, put(tmp_path / "bin", ["gitleaks"], f"find . -type f > {tmp_path}/read; echo '[]'")
    )
    assert code == 0 and row(report, "gitleaks")["status"] == "ok", report
    assert set((tmp_path / "read").read_text().split()) == {
        "./a.txt",
        "./d/b.txt",
        "./.gitleaks.toml",
        "./.gitleaksignore",
    }


@pytest.mark.parametrize(("name", "code"), [("clippy", 101), ("staticcheck", 1)])
def test_one_that_prints_nothing_is_quoted_with_what_it_said_beside(
    repo: Repo, tmp_path: Path, name: str, code: int
) -> None:
    repo.commit(config_of(name))
    repo.commit(FILES)
    body = f"echo 'error: no lock file' >&2; exit {code}"
    _code, report = review(repo, put(tmp_path / "bin", [name], body))
    said = row(report, name)
    assert said["status"] in ("failed", "unparsable"), said
    assert said["error"].endswith(": error: no lock file"), said


def test_a_file_of_settings_that_says_nothing_of_the_tool_does_not_choose_it(
    repo: Repo, tmp_path: Path
) -> None:
    manifest = '[package]\nname = "p"\nversion = "0.1.0"\n'
    repo.commit({**config_of(), "Cargo.toml": manifest, ".editorconfig": "[*]\nindent_size = 4\n"})
    repo.commit(FILES)
    code, report = review(repo, put(tmp_path / "bin", ["clippy", "dotnet_format"]))
    assert code == 0 and not {"clippy", "dotnet_format"} & {r["part"] for r in report["reviews"]}


def test_files_that_the_settings_leave_out_are_not_read_though_the_tool_fails_for_it(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit(config_of("swiftlint"))
    repo.commit({"a.swift": "enum A { case a }\n"})
    body = "echo \"Error: No lintable files found at paths: 'a.swift'\" >&2; exit 1"
    _code, report = review(repo, put(tmp_path / "bin", ["swiftlint"], body))
    assert report["verdict"]["outcome"] == "concerns" and row(report, "swiftlint")["status"] == "ok"
    assert [file["how"] for file in report["coverage"]["rows"]] == ["scanned"], report["coverage"]


_EXCLUDED = {".swiftlint.yml": "only_rules: [duplicate_enum_cases]\nexcluded: [b.swift]\n"}
_ENUMS = {f"{name}.swift": "enum Kind { case one, one }\n" for name in "abcde"}


def _swift_rows(repo: Repo, path: str, settings: dict[str, str]) -> dict[str, Any]:
    repo.commit({**config_of("swiftlint"), **settings})
    repo.commit(_ENUMS)
    return review(repo, path)[1]


@pytest.mark.peer
def test_of_several_files_swiftlint_counts_as_read_what_its_settings_let_it_read(
    repo: Repo,
) -> None:
    path = f"{Path(program_of(swiftlint)).parent}:{os.environ['PATH']}"
    report = _swift_rows(repo, path, _EXCLUDED)
    assert row(report, "swiftlint")["status"] == "ok", report
    read = {each["path"] for each in report["coverage"]["rows"] if each["how"] == "reviewed"}
    assert read == {*_ENUMS} - {"b.swift"}, report["coverage"]
    assert {f["path"] for f in report["findings"]} == read


@pytest.mark.peer
@pytest.mark.parametrize("settings", ["a: [", "swiftlint_version: 0.1.0"])
def test_settings_that_swiftlint_does_not_take_are_no_answer(repo: Repo, settings: str) -> None:
    path = f"{Path(program_of(swiftlint)).parent}:{os.environ['PATH']}"
    report = _swift_rows(repo, path, {".swiftlint.yml": f"{settings}\n"})
    assert row(report, "swiftlint")["status"] == "unparsable", report


def test_a_file_that_swiftlint_leaves_out_beside_others_is_not_read(
    repo: Repo, tmp_path: Path
) -> None:
    """Its answer does not name it: half by half the gate finds out which it was."""
    files = "for each; do case $each in b.swift) ;; *.swift) n=$((n+1));; esac; done"
    body = f"""n=0; {files}
if [ $n = 0 ]; then echo "Error: No lintable files found at paths: 'b.swift'" >&2; exit 1; fi
echo "Done linting! Found 0 violations, 0 serious in $n files." >&2; echo '[]'"""
    report = _swift_rows(repo, put(tmp_path / "bin", ["swiftlint"], body), {})
    assert row(report, "swiftlint")["status"] == "ok", report
    how = {each["path"]: each["how"] for each in report["coverage"]["rows"]}
    assert how == {name: "scanned" if name == "b.swift" else "reviewed" for name in _ENUMS}
    assert len(calls(tmp_path / "bin", "swiftlint")) > 1
