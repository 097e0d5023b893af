"""Containerfile: a pinned base, locked packages, a user who is not root. Where a builder is at hand
(CI, docs/ci.md), it is built and the demo runs in it."""

import re
from pathlib import Path

import pytest
import yaml

from .support import ROOT, peer, run

TEXT = (ROOT / "Containerfile").read_text("utf-8")


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction with its arguments, on one line."""
    plain = re.sub(r"^ *#.*\n", "", text, flags=re.MULTILINE)
    joined = re.sub(r"\\\n", " ", plain)
    return [(line.split()[0], line.split(None, 1)[1]) for line in joined.splitlines() if line]


def complaints(text: str) -> list[str]:
    """What is wrong with an image of this text; an empty list is what we ship."""
    rows = instructions(text)
    bases = [args for word, args in rows if word == "FROM"]
    installs = [
        step
        for word, args in rows
        if word == "RUN"
        for step in args.split("&&")
        if "pip install" in step
    ]
    last_stage = rows[max(at for at, (word, _) in enumerate(rows) if word == "FROM") :]
    users = [args for word, args in last_stage if word == "USER"]
    return [
        *(f"no digest: {base}" for base in bases if not re.search(r"@sha256:[0-9a-f]{64}\b", base)),
        *(f"latest: {base}" for base in bases if ":latest" in base),
        *(
            f"not locked: {step}"
            for step in installs
            if not {"--require-hashes", "--no-index"} & set(step.split())
        ),
        *([] if users and re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1]) else ["runs as root"]),
        *(f"copies all: {args}" for word, args in rows if (word, args.split()[0]) == ("COPY", ".")),
    ]


def test_the_image_is_pinned_locked_and_not_roots() -> None:
    assert complaints(TEXT) == []
    stages = {args.split()[0] for word, args in instructions(TEXT) if word == "FROM"}
    assert len(stages) == 1, "both stages have the same Python"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (r"@sha256:[0-9a-f]{64}", "", "no digest"),
        (r":3\.[\w.-]+@", ":latest@", "latest"),
        (r"--require-hashes ", "", "not locked"),
        (r"USER .*", "USER root", "runs as root"),
        (r"USER .*", "USER 0:0", "runs as root"),
        (r"USER .*\n", "", "runs as root"),
        (r"COPY LICENSE .*", "COPY . ./", "copies all"),
    ],
)
def test_each_of_these_would_be_seen(old: str, new: str, complaint: str) -> None:
    assert any(complaint in each for each in complaints(re.sub(old, new, TEXT)))


def test_only_what_the_image_is_made_of_reaches_the_builder() -> None:
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    sent = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = {
        source.rstrip("/")
        for word, args in instructions(TEXT)
        if word == "COPY" and "--from" not in args
        for source in args.split()[:-1]
    }
    assert "*" in lines and sent == copied
    assert all((ROOT / name).exists() for name in sent)


@pytest.mark.peer
def test_hadolint_finds_nothing(tmp_path: Path) -> None:
    hadolint = peer("venv/bin/hadolint")
    done = run([hadolint, ROOT / "Containerfile"], tmp_path)
    assert done.code == 0 and done.stdout == "", done.output
    (tmp_path / "Containerfile").write_text(TEXT.replace("--no-install-recommends ", ""))
    assert "DL3015" in run([hadolint, "Containerfile"], tmp_path).stdout


def test_ci_builds_it_by_the_line_of_the_docs() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    lines = [str(step.get("run")) for step in jobs["image"]["steps"]]
    [shown] = re.findall(r"^docker build .*$", (ROOT / "docs/ci.md").read_text("utf-8"), re.M)
    assert shown in lines and any("demo" in line for line in lines)
