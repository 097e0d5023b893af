"""Changes that would have linters read this machine for them, or that put files beside a defect so
that nobody looks at it."""

import json
from pathlib import Path

import pytest

from ...quiet_path import MACHINE_PATH
from ...support import Repo, tool
from ..on_path import FILES, SAMPLES, calls, config_of, put
from .test_linters_on_path import review, row

FOREIGN = {"CI": "true"}
HOSTNAME = 'file("/etc/hostname")'
MODULE = "locals {{\n  a = {{ ({0}) = 1, ({0}) = 2 }}\n}}\n"
BOTH = ["terraform", "tflint"]


def asked_about(repo: Repo, folder: Path, ci: bool, files: dict[str, str]) -> dict[str, set[str]]:
    """The last parts of the folders in which each of the two ran."""
    repo.commit(config_of("terraform"))
    repo.commit({**files, "z/b.tf": 'output "b" {}\n'}, approve=False)
    body = """echo '{"valid": true, "diagnostics": [], "issues": [], "errors": []}'"""
    env = {"PATH": put(folder, BOTH, body)} | (FOREIGN if ci else {})
    repo.cli("review", "--commit", "HEAD", "--output", "json", env=env)
    return {name: {call[0].rpartition("/")[2] for call in calls(folder, name)} for name in BOTH}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m/a.tf", MODULE.format(HOSTNAME)),
        ("m/a.tf", MODULE.format('core::file(\n"/etc/hostname")')),
        ("m/a.tf", MODULE.format('filebase64 /* a */ ("/etc/hostname")')),
        ("m/a.tf", MODULE.format('file("${path.module}/../../../etc/hostname")')),
        ("m/a.tf", MODULE.format('file("a${var.up}")')),
        ("m/a.tf", MODULE.format('fileset(".", "../../**")')),
        ("m/a.tf", MODULE.format('templatefile("a.sh", {})')),
        ("m/a.tf", MODULE.format("templatestring(local.b, {})")),
        ("m/a.tf.json", r'{"locals": {"a": {"${\u0066ile(\"/etc/hostname\")}": 1}}}'),
    ],
)
def test_no_file_of_this_machine_is_read_for_the_expressions_of_a_stranger(
    repo: Repo, tmp_path: Path, name: str, text: str
) -> None:
    """Of which line a remark is could spell out what the file holds."""
    asked = asked_about(repo, tmp_path / "bin", True, {name: text})
    assert asked == {name: {"z"} for name in BOTH}


@pytest.mark.parametrize(
    ("text", "ci"),
    [
        (MODULE.format('file("${path.module}/a.sh")'), True),
        (MODULE.format('filesha256( "b/a.sh" )'), True),
        (MODULE.format("var.file"), True),
        (MODULE.format(HOSTNAME), False),
    ],
)
def test_a_module_that_reads_its_own_files_or_is_your_own_is_read(
    repo: Repo, tmp_path: Path, text: str, ci: bool
) -> None:
    asked = asked_about(repo, tmp_path / "bin", ci, {"m/a.tf": text})
    assert asked == {name: {"m", "z"} for name in BOTH}


def test_what_is_kept_from_a_tool_counts_as_not_reviewed(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"README": "Words.\n"})
    repo.commit({"m/a.tf": MODULE.format(HOSTNAME)}, approve=False)
    env = {"PATH": put(tmp_path / "bin", BOTH), **FOREIGN}
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env=env)
    report = json.loads(done.stdout)
    assert report["verdict"]["not_reviewed"] == ["m/a.tf"]
    assert all("read files" in row(report, name)["error"] for name in BOTH)


def test_tflint_asks_nobody_for_its_newest_release(repo: Repo, tmp_path: Path) -> None:
    repo.commit(config_of("tflint"))
    repo.commit(FILES)
    review(repo, put(tmp_path / "bin", ["tflint"]))
    assert "TFLINT_DISABLE_VERSION_CHECK=1\n" in (tmp_path / "bin/tflint.env").read_text()


def test_a_go_package_for_another_system_takes_no_finding_along(repo: Repo) -> None:
    """go vet stops at a package of which it reads no file."""
    if not tool("go"):
        pytest.skip("no go on PATH")
    wrong = "package p\n\nfunc F() int {\n\treturn height\n}\n"
    repo.commit({"go.mod": "module example.com/m\n\ngo 1.21\n"})
    repo.commit({"a/a.go": "//go:build neverset\n\npackage a\n", "p/p.go": wrong})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": MACHINE_PATH})
    report = json.loads(done.stdout)
    assert ("go-vet/types", "p/p.go") in {(f["rule"], f["path"]) for f in report["findings"]}
    assert row(report, "go_vet")["status"] == "ok"
    assert report["verdict"]["not_reviewed"] == ["a/a.go"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.go", "//go:build neverset\n\npackage p\n"),
        ("q_plan9.go", "package p\n"),
        ("q_test.go", "package p\n"),
        ("q_rows_test.go", "package p_test\n"),
    ],
)
def test_a_go_file_that_is_not_built_here_counts_as_not_reviewed(
    repo: Repo, name: str, text: str
) -> None:
    if not tool("go"):
        pytest.skip("no go on PATH")
    repo.commit({"go.mod": "module example.com/m\n\ngo 1.21\n", "p/p.go": "package p\n"})
    repo.commit({"p/p.go": "package p\n\nvar A int\n", f"p/{name}": text})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": MACHINE_PATH})
    missing = json.loads(done.stdout)["verdict"]["not_reviewed"]
    assert missing == ([] if name.endswith("_test.go") else [f"p/{name}"])


def test_a_list_that_leaves_out_all_markup_is_no_failure(repo: Repo, tmp_path: Path) -> None:
    repo.commit(config_of("html_validate"))
    repo.commit({"a.html": "<p>Words.</p>\n"})
    body = "echo \"No files matching patterns [ 'a.html' ]\" >&2; exit 1"
    code, report = review(repo, put(tmp_path / "bin", ["html_validate"], body))
    assert code == 0 and row(report, "html_validate")["status"] == "ok"


@pytest.mark.parametrize("accepted", [True, False])
def test_the_list_of_markup_to_leave_out_is_that_of_the_base(
    repo: Repo, tmp_path: Path, accepted: bool
) -> None:
    own = {".htmlvalidateignore": "old/\n"}
    repo.commit({**config_of("html_validate"), **(own if accepted else {})})
    repo.commit({"a.html": "<p>Words.</p>\n", ".htmlvalidateignore": "*\n"}, approve=False)
    seen = tmp_path / "seen"
    body = f"cat .htmlvalidateignore > {seen} 2>&1; echo '[]'"
    env = {"PATH": put(tmp_path / "bin", ["html_validate"], body), **FOREIGN}
    repo.cli("review", "--commit", "HEAD", env=env)
    assert (seen.read_text() == "old/\n") is accepted and "*" not in seen.read_text()


@pytest.mark.parametrize("name", ["php", "shfmt", "taplo", "yamllint"])
def test_a_line_break_in_a_name_hides_no_finding_in_other_files(
    repo: Repo, tmp_path: Path, name: str
) -> None:
    """A tool that prints a line a finding would print half a line, and all of it would be lost."""
    repo.commit(config_of(name))
    suffix = SAMPLES[name].finding[1].rpartition(".")[2]
    odd = f"0\n0.{suffix}"
    repo.commit({**FILES, odd: FILES.get(f"a.{suffix}", "a: 1\n")})
    _code, report = review(repo, put(tmp_path / "bin", [name]))
    assert SAMPLES[name].finding[0] in {f["rule"] for f in report["findings"]}
    asked = row(report, name)
    assert asked["status"] == "failed"
    assert asked["error"].startswith(f"it cannot name 0\\n0.{suffix}: ")
    assert not any(odd in word for call in calls(tmp_path / "bin", name) for word in call)


def test_no_name_means_the_home_of_the_user(repo: Repo, tmp_path: Path) -> None:
    repo.commit(config_of("kube_linter"))
    repo.commit({"~/a.yaml": "a: 1\n", "!a.yaml": "a: 1\n"})
    review(repo, put(tmp_path / "bin", ["kube_linter"], "exit 0"))
    (call,) = calls(tmp_path / "bin", "kube_linter")
    assert {"./~/a.yaml", "./!a.yaml"} <= set(call)


def test_settings_that_staticcheck_cannot_read_are_told(repo: Repo, tmp_path: Path) -> None:
    """It looks at nothing then."""
    repo.commit(config_of("staticcheck"))
    repo.commit({"main.go": "package main\n", "staticcheck.conf": "checks =\n"})
    place = '{"file": "\'$PWD\'/staticcheck.conf", "line": 1, "column": 9}'
    body = (
        f"""echo '{{"code": "config", "location": {place}, "message": "expected value"}}'; exit 1"""
    )
    _code, report = review(repo, put(tmp_path / "bin", ["staticcheck"], body))
    found = {(f["rule"], f["path"], f["priority"]) for f in report["findings"]}
    assert ("staticcheck/settings", "staticcheck.conf", "P2") in found
    assert row(report, "staticcheck")["status"] == "unparsable"
