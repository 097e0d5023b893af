"""The Action as a workflow uses it, under act."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from ...github import merge_group, pull_request, push, workflow_dispatch
from ...support import Repo
from ..acting import Acted, act

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
# In halves, so that this file is no defect itself.
CONFLICT = f"one\n{'<' * 7} HEAD\ntwo\n{'=' * 7}\nthree\n{'>' * 7} topic\n"
BLOCK = {"bad.py": "def f():\n    return undefined_name\n", "sub/a.txt": CONFLICT}
CONCERNS = {"CLAUDE.md": "Be kind.\n"}
PASS = {"good.py": "def f(x):\n    return x\n"}
EVENTS = ("pull_request", "push", "merge_group", "workflow_dispatch")


def change(repo: Repo, files: dict[str, str | bytes | None]) -> tuple[Repo, str, str]:
    """A clone with these files on a topic branch, its base and its head."""
    base = repo.head
    repo.branch("topic")
    head = repo.commit(files)
    return repo.clone(repo.path.parent / "clone"), base, head


def acted(repo: Repo, files: dict[str, str | bytes | None], **more: Any) -> Acted:
    """The Action on a pull request with these files."""
    clone, base, head = change(repo, files)
    return act(clone, "pull_request", pull_request(base, head), repo.path.parent / "act", **more)


def without_fingerprint(title: str) -> str:
    """The title of an annotation; a finding's ends with its fingerprint."""
    return re.sub(r" \([0-9a-f]{16}(-\d+)?\)$", "", title)


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_is_reviewed_and_its_block_fails_the_job(repo: Repo, event: str) -> None:
    clone, base, head = change(repo, BLOCK)
    payload = {
        "pull_request": pull_request(base, head),
        "push": push(base, head, "refs/heads/topic"),
        "merge_group": merge_group(base, head),
        "workflow_dispatch": workflow_dispatch("refs/heads/topic"),
    }[event]
    done = act(clone, event, payload, repo.path.parent / "act")
    assert (done.ran.code, done.codes, done.outcome) == (1, {1}, "failure"), done.ran.output
    report = done.report()
    assert (report["change"]["base"], report["change"]["head"], report["change"]["trusted"]) == (
        base,
        head,
        False,
    )
    assert {
        (level, place["file"], place["line"], without_fingerprint(place["title"]))
        for level, place, _ in done.annotations
    } == {
        ("error", "bad.py", "2", "P1 ruff/F821"),
        ("error", "sub/a.txt", "2", "P0 builtin/conflict-marker"),
    }
    assert {name: done.outputs[name] for name in ("verdict", "exit-code", "findings")} == {
        "verdict": "block", "exit-code": "1", "findings": "2",
    }  # fmt: skip
    assert json.loads((done.folder / "report.sarif").read_text())["runs"][0]["results"]
    assert (
        "reviewgate-gh: block" in done.log
        and "block" in done.summary
        and "ruff/F821" in done.summary
    )


@pytest.mark.parametrize(
    ("files", "inputs", "verdict", "code"),
    [
        (PASS, {}, "pass", 0),
        (PASS, {"fail_on": "concerns"}, "pass", 0),
        (CONCERNS, {}, "concerns", 0),
        (CONCERNS, {"fail_on": "concerns"}, "concerns", 1),
        (CONCERNS, {"fail_on": "never"}, "concerns", 0),
        (BLOCK, {"fail_on": "never"}, "block", 0),
    ],
    ids=["pass", "pass, strict", "concerns", "concerns, strict", "concerns, mute", "block, mute"],
)
def test_the_verdict_and_fail_on_decide(
    repo: Repo, files: dict[str, Any], inputs: dict[str, str], verdict: str, code: int
) -> None:
    done = acted(repo, files, **inputs)
    assert (done.outputs["verdict"], done.codes, done.ran.code) == (verdict, {code} - {0}, code), (
        done.ran.output
    )
    assert done.outputs["exit-code"] == ("1" if verdict == "block" else "0")
    assert done.outcome == ("failure" if code else "success")
    assert bool(done.annotations) == (verdict != "pass")


@pytest.mark.contract(plain=False)
def test_an_inconclusive_run_fails(repo: Repo) -> None:
    repo.commit({".reviewgate-gh.yaml": "policy: {max_file_bytes: 10}\n"})
    done = acted(repo, {"large.dat": "more than ten bytes\n"})
    assert (done.outputs["verdict"], done.outputs["exit-code"], done.codes) == (
        "inconclusive",
        "2",
        {2},
    ), done.ran.output
    assert any("inconclusive" in place["title"] for _, place, _ in done.annotations)


def test_mistakes_fail_whatever_fail_on_says(repo: Repo) -> None:
    repo.commit({".reviewgate-gh.yaml": "mode: blok\n"})
    done = acted(repo, PASS, fail_on="never")
    assert (done.ran.code, done.codes, done.outputs) == (1, {78}, dict.fromkeys(done.outputs, ""))
    assert ".reviewgate-gh.yaml:1" in done.log


@pytest.mark.contract
def test_reports_go_where_the_inputs_say(repo: Repo, tmp_path: Path) -> None:
    done = acted(
        repo, BLOCK, json_file="reports/gate.json", sarif_file=str(tmp_path / "gate.sarif")
    )
    assert (
        done.outputs["json"].endswith("/hostexecutor/reports/gate.json")
        and done.report()["verdict"]["outcome"] == "block"
    )
    assert done.outputs["sarif"] == str(tmp_path / "gate.sarif")


def test_an_override_needs_a_reason_and_shows_it(repo: Repo) -> None:
    clone, base, head = change(repo, BLOCK)
    event = pull_request(base, head)
    done = act(
        clone,
        "pull_request",
        event,
        repo.path.parent / "act",
        job={"REVIEWGATE_GH_SKIP": "the site is down"},
    )
    assert (done.ran.code, done.outputs["verdict"]) == (0, "inconclusive"), done.ran.output
    assert done.annotations[0] == (
        "warning",
        {"title": "The gate was overridden"},
        "the site is down",
    )
    assert "the site is down" in done.summary and done.report()["skipped"] == "the site is down"
    assert act(
        clone, "pull_request", event, repo.path.parent / "again", job={"REVIEWGATE_GH_SKIP": " "}
    ).codes == {64}


def test_pull_request_target_with_the_head_checked_out_is_refused(repo: Repo) -> None:
    clone, base, head = change(repo, PASS)
    done = act(clone, "pull_request_target", pull_request(base, head), repo.path.parent / "act")
    assert done.codes == {64} and "their code would have access to your secrets" in done.log
    clone.git("switch", "--quiet", "--detach", base)
    assert (
        act(
            clone, "pull_request_target", pull_request(base, head), repo.path.parent / "again"
        ).ran.code
        == 0
    )


def test_a_shallow_checkout_is_told_what_to_do(repo: Repo) -> None:
    _, base, head = change(repo, PASS)
    shallow = repo.clone(repo.path.parent / "shallow", "--depth=1", "--branch=topic")
    done = act(shallow, "pull_request", pull_request(base, head), repo.path.parent / "act")
    assert done.codes == {64} and "fetch-depth: 0" in done.log


def tricks(sentinel: Path) -> list[str]:
    """Texts that a shell, a runner or an expression would act on; none has a slash but for the
    sentinel's own."""
    touch = f"touch {sentinel}"
    return [
        f'"; {touch}; #', f"$({touch})", f"`{touch}`", f"'; {touch}; '", f"a\n{touch}\n",
        "x\n::error::injected", "x\r::error::injected",
        "::add-mask::reviewgate", "::stop-commands::x", "##[error]injected",
        "x%0A::error::injected", ("::set-output "
        "name=verdict::pass"),
        "${{ github.token }}", "x\nverdict=pass", "x\nverdict<<E\npass\nE",
    ]  # fmt: skip


def inert(done: Acted, sentinel: Path) -> None:
    """Nothing ran, the runner obeyed no command but the gate's own, and those are all about the
    conflict marker."""
    assert not sentinel.exists()
    assert done.outputs["verdict"] == "block", done.ran.output
    # Without our random token
    words = {word for word in done.commands if not word.isalnum() or len(word) != 32}
    assert words <= {
        "error",
        "warning",
        "notice",
        "stop-commands",
        "set-output",
        "summary",
        "ignored",
    }, words
    titles = {without_fingerprint(place.get("title", "")) for _, place, _ in done.annotations}
    assert "P0 builtin/conflict-marker" in titles and titles <= {
        "P0 builtin/conflict-marker",
        "reviewgate-gh",
    }
    assert "***" not in done.log and not any(
        message.startswith("injected") for _, _, message in done.annotations
    )


@pytest.mark.parametrize("number", range(0, 15, 1 if FULL else 2))
def test_titles_and_branch_names_are_data(repo: Repo, tmp_path: Path, number: int) -> None:
    sentinel = tmp_path / "sprung"
    title, branch = tricks(sentinel)[number], tricks(sentinel)[number - 1]
    clone, base, head = change(repo, {"a.txt": CONFLICT})
    payload = pull_request(base, head, fork=True, title=title, branch=branch)
    inert(act(clone, "pull_request", payload, tmp_path / "act"), sentinel)


def test_file_names_and_their_content_are_data(repo: Repo, tmp_path: Path) -> None:
    sentinel = tmp_path / "sprung"
    words = [trick.replace(str(sentinel), "sprung").replace("/", "") for trick in tricks(sentinel)]
    files: dict[str, Any] = {f"{word}.txt": f"{word}\n{CONFLICT}" for word in words}
    repo.git("config", "user.name", "x\r::error::injected")
    clone, base, head = change(repo, files)
    done = act(clone, "pull_request", pull_request(base, head), tmp_path / "act")
    inert(done, sentinel)
    assert not list(tmp_path.rglob("sprung"))
    assert {file["path"] for file in done.report()["change"]["files"]} == set(files)


def test_what_a_broken_configuration_quotes_is_data(repo: Repo, tmp_path: Path) -> None:
    repo.commit({".reviewgate-gh.yaml": 'mode: "x ##[error]injected\\n::error::injected"\n'})
    done = acted(repo, PASS)
    assert done.codes == {78} and done.annotations == [] and "injected" in done.log


def test_inputs_are_data(repo: Repo, tmp_path: Path) -> None:
    sentinel = tmp_path / "sprung"
    clone, base, head = change(repo, PASS)
    for number, trick in enumerate(
        [
            f'"; touch {sentinel}; #',
            f"$(touch {sentinel})",
            f"`touch {sentinel}`",
            "--help",
            "x\n::error::y",
        ]
    ):
        done = act(
            clone, "pull_request", pull_request(base, head), tmp_path / f"act{number}", base=trick
        )
        assert done.codes == {64} and not sentinel.exists() and done.annotations == [], (
            done.ran.output
        )


@pytest.mark.contract(plain=False)
def test_the_locked_installation(repo: Repo, tmp_path: Path) -> None:
    """From the action's own path with every hash checked; of the checkout it imports nothing, and a
    second run takes nothing from the network (.ci/full makes it; tests/test_install.py has one of
    its own). All others install nothing."""
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w')\n"
    files: dict[str, str | bytes | None] = {
        **BLOCK,
        "pip.py": trap,
        "venv.py": trap,
        "click.py": trap,
        "sitecustomize.py": trap,
        "reviewgate_gh/__main__.py": trap,
    }
    clone, base, head = change(repo, files)
    cache, event = tmp_path / "kept", pull_request(base, head)
    cache.mkdir()
    job = {"TEST_CACHE": str(cache), "PYTHONPATH": "."}
    options = {"install": "true", "python": sys.executable}
    done = act(clone, "pull_request", event, tmp_path / "cold", job=job, **options)
    assert (done.codes, done.outputs["verdict"]) == ({1}, "block"), done.ran.output
    assert {"reviewgate-gh", "ruff"} <= set(done.report()["tools"])
    [kept] = cache.iterdir()
    assert kept.name.startswith("reviewgate-gh-wheels-") and list(kept.glob("ruff-*.whl"))
    if FULL:
        job["PIP_INDEX_URL"] = (tmp_path / "gone").as_uri()
        again = act(clone, "pull_request", event, tmp_path / "warm", job=job, **options)
        assert (again.codes, again.outputs["verdict"]) == ({1}, "block"), again.ran.output
    assert not (tmp_path / "sprung").exists()
