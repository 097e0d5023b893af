"""`review-gate` installed, as a shell script of somebody else's calls it; and how many reviewers
must pass."""

import os
import shutil
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

from ...peers.model_server import Asked, ModelServer
from ...support import ROOT, Ran, Repo, peer, run
from ..gating import CONFLICT, spawn, wait
from ..panels import CODE, claim, declare, review

# What an orchestrator's author writes: the gate's words, JSON, an exit code.
CALLER = """\
#!/bin/sh
set -u
spawned=$(review-gate spawn-code-review --diff "$1") || exit 9
key=$(echo "$spawned" | python -c 'import json, sys; print(json.load(sys.stdin)["session_key"])')
review-gate wait --json --timeout 120 --session-key "$key" > answer.json
code=$?
python - <<END
import json
said = json.load(open("answer.json"))
places = ["%s:%s P%s" % (i["file"], i["line_start"], i["priority"]) for i in said["issues"]]
print(said["consensus"]["verdict"], *places)
END
exit $code
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a new environment into which this project was installed; what it needs is lent
    to it."""
    pytest.importorskip("hatchling")
    place = tmp_path_factory.mktemp("installed")
    made = run([sys.executable, "-m", "venv", "--without-pip", place], ROOT)
    assert made.code == 0, made.output
    (library,) = place.glob("lib/python*/site-packages")
    (library / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    pip = sys.executable if find_spec("pip") else peer("venv/bin/python")
    options = [
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "--disable-pip-version-check",
    ]
    done = run(
        [pip, "-m", "pip", "--python", place / "bin/python", "install", *options, ROOT], place
    )
    assert done.code == 0, done.output
    return place / "bin"


def call(repo: Repo, installed: Path, folder: Path, span: str) -> Ran:
    """The caller's script, with the installed programs and the system's."""
    script = folder / "gate.sh"
    script.write_text(CALLER)
    env = {"PATH": f"{installed}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": ""}
    assert shutil.which("review-gate", path=env["PATH"]) == str(installed / "review-gate")
    return run(["sh", script, span], repo.path, env)


@pytest.mark.req("R001-001", "R001-005", "R001-006", "R001-013")
def test_a_script_spawns_waits_and_reads_the_answer(
    repo: Repo, installed: Path, tmp_path: Path
) -> None:
    repo.commit(
        {
            ".reviewgate-gh.yaml": "reviewers: {linters: off, change: off, callers: off, "
            "builtin: {type: builtin}}\n"
        }
    )
    clean = repo.commit({"good.txt": "x\n"})
    repo.commit({"bad.txt": CONFLICT})
    later = repo.commit({"later.txt": "y\n"})
    done = call(repo, installed, tmp_path, f"{clean}~..{clean}")
    assert (done.code, done.stdout) == (0, "PASS\n"), done.output
    done = call(repo, installed, tmp_path, f"{clean}..{later}")
    assert (done.code, done.stdout) == (1, "FAIL bad.txt:2 P0\n"), done.output
    done = call(repo, installed, tmp_path, "nowhere..HEAD")
    assert done.code == 9 and "'nowhere' is not a commit here" in done.stderr, done.output


ONE_QUESTION = (
    "ensemble: {lenses: [correctness], assign: cross, verify: false, reverse_audit: "
    "{max_rounds: 0}}"
)


@pytest.mark.req("R001-003", "R001-013")
@pytest.mark.parametrize(
    ("against", "codes"),
    [
        (("one",), {"all": 1, "majority": 0, "any": 0}),
        (("one", "two"), {"all": 1, "majority": 0, "any": 0}),
        (("one", "two", "three"), {"all": 1, "majority": 1, "any": 0}),
    ],
)
def test_how_many_must_pass_is_the_callers_word(
    repo: Repo, model_server: ModelServer, against: tuple[str, ...], codes: dict
) -> None:
    """Three models, the linters and the built-in checks, of which so many models find a defect; it
    is in every answer."""

    def answer(asked: Asked) -> str:
        return review(
            asked, *([claim()] if str(asked.json()["model"]).partition("-")[0] in against else [])
        )

    model_server.answer = answer
    declare(repo, dict.fromkeys(("one", "two", "three"), model_server), ONE_QUESTION)
    base, head = repo.head, repo.commit({"a.py": CODE})
    repo.commit({"a.py": f"{CODE}\n\nprint(mean([1]))\n"})
    for rule, code in codes.items():
        spawned = spawn(repo, "--diff", f"{base}..{head}", "--consensus", rule)
        assert spawned["reviewers_spawned"] == ["linters", "builtin", "one", "two", "three"]
        ended, said = wait(repo, "--session-key", spawned["session_key"])
        assert (ended, said["consensus_verdict"]) == (code, "FAIL" if code else "PASS"), (
            rule,
            said,
        )
        assert {name for name, own in said["reviewers"].items() if own["verdict"] == "FAIL"} == set(
            against
        )
        assert [each["title"] for each in said["issues"]] == ["Division by zero on an empty list"]
    assert all("print(mean" not in asked for asked in model_server.prompts), (
        "what came after the range is not asked about"
    )


def test_a_majority_counts_nobody_who_gave_no_answer(repo: Repo, model_server: ModelServer) -> None:
    model_server.answer = lambda asked: (
        "nothing" if "three" in str(asked.json()["model"]) else review(asked)
    )
    declare(repo, dict.fromkeys(("one", "two", "three"), model_server), ONE_QUESTION)
    repo.commit({"a.py": CODE})
    answers = {}
    for rule in ("all", "majority"):
        spawn(repo, "--diff", "HEAD~1..HEAD", "--consensus", rule)
        answers[rule] = wait(repo)
    assert [answers[rule][0] for rule in ("all", "majority")] == [2, 0], answers
    assert all(
        [text.partition(":")[0] for text in said["parse_errors"]] == ["three"]
        for _code, said in answers.values()
    )
