"""Every way in which the real coding agents were seen to fail, as one table: what each prints, and
the status of its review."""

import json
from pathlib import Path

from tests.agents import KEY, MODELS, NAME, Fake
from tests.support import Repo

from ..ensemble.test_ensemble_attacked import code, reviewed, told
from ..panels import CODE

FIRST = (
    "import re; asked = sys.stdin.read(); ANSWER = ANSWER.replace('NONCE', re.findall('nonce: "
    "([0-9a-f]{32})', asked)[-1])\n"
)
SAID = json.dumps({"nonce": "NONCE", "verdict": "PASS", "summary": "s", "findings": []})
FAILED_TURN = '{"type":"turn.failed","error":{"message":"unexpected status 401"}}'
IS_ERROR = (
    '{"type":"result","subtype":"success","is_error":true,"result":"API Error: 401 Invalid API '
    'key"}'
)
REFUSED = '{"error": {"type": "Error", "message": "no key", "code": 401}}'
QWEN_15 = (
    '[{"type":"result","subtype":"success","is_error":false,"result":"[API Error: 401 no key]"}]'
)
QWEN_24 = (
    '[{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"401 '
    'no key"}}]'
)
FOR_EVER = (
    "while True: print('Attempt failed with status 429. Retrying ...', file=sys.stderr, "
    "flush=True); time.sleep(0.1)"
)
# Who, what it does once it has read the question, what it means to say, and what becomes of its
# review.
TABLE = {
    "codex-api-error": ("codex", f"print({FAILED_TURN!r}); sys.exit(1)", SAID, "failed"),
    "codex-prose-for-the-schema": ("codex", "print(ANSWER)", "Looks good to me.", "unparsable"),
    # Its input has an end
    "codex-reads-on": ("codex", "print('' if sys.stdin.read() else ANSWER)", SAID, "ok"),
    "gemini-401": ("gemini", f"print({REFUSED!r}, file=sys.stderr); sys.exit(145)", SAID, "failed"),
    "gemini-tries-for-ever": ("gemini", FOR_EVER, SAID, "timeout"),
    "qwen-24-401": ("qwen", f"print({QWEN_24!r}); sys.exit(1)", SAID, "failed"),
    "qwen-15-401-as-success": ("qwen", f"print({QWEN_15!r})", SAID, "failed"),
    "claude-is-error": ("claude", f"print({IS_ERROR!r}); sys.exit(1)", SAID, "failed"),
    "claude-is-error-exit-0": ("claude", f"print({IS_ERROR!r})", SAID, "failed"),
    "claude-answers-and-exits-1": ("claude", "print(ANSWER); sys.exit(1)", SAID, "failed"),
    "claude-says-nothing": ("claude", "", SAID, "unparsable"),
    "claude-answers": ("claude", "print(ANSWER)", SAID, "ok"),
    "claude-is-not-there": ("claude", None, SAID, "unavailable"),
}


def test_each_failure_of_a_real_agent_has_its_status(repo: Repo, tmp_path: Path) -> None:
    """No exit code is believed alone, and none of them is a pass; the two that answered are
    heard."""
    reviewers = {}
    for case, (name, body, text, _) in TABLE.items():
        if body is not None:
            Fake.make(name, tmp_path / case, FIRST + body, text)
        options = {"path": str(tmp_path / case / "bin" / name), "key": NAME, "model": MODELS[name]}
        reviewers[case] = {
            "type": name,
            "timeout": 2 if case.endswith("for-ever") else 60,
            "options": options,
        }
    ensemble = {
        "lenses": ["correctness"],
        "assign": "cross",
        "reverse_audit": {"max_rounds": 0},
        "cache": False,
    }
    repo.commit(
        {".reviewgate-gh.yaml": json.dumps({"reviewers": reviewers, "ensemble": ensemble})},
        "config",
    )
    repo.commit({"a.py": CODE})
    report = reviewed(repo, env={NAME: KEY})
    rows = {row.reviewer: row for row in report.reviews if row.asked}
    assert {case: rows[case].status.value for case in TABLE} == {
        case: status for case, (*_, status) in TABLE.items()
    }
    assert all(bool(row.error) == (row.status.value != "ok") for row in rows.values())
    assert code(report) == 2 and report.verdict.quorum.startswith(f"2 of {len(TABLE)} reviewed"), (
        told(report)
    )


def test_one_that_does_not_say_its_version_leaves_the_verdict_open(
    repo: Repo, tmp_path: Path
) -> None:
    fake = Fake.make("codex", tmp_path)
    program = tmp_path / "bin/codex"
    program.write_text(program.read_text().replace('print("9.8.7 (a fake)")', "sys.exit(3)"))
    repo.commit(
        {
            ".reviewgate-gh.yaml": (
                "reviewers:\n  linters: off\n  change: off\n  callers: off\n  builtin: off\n"
                "  codex: {type: codex, options: {key: KEY, model: m}}\n"
            )
        }
    )
    repo.commit({"a.txt": "words\n"})
    done = repo.cli("review", "--commit", "HEAD", env={"PATH": fake.path, "KEY": "x" * 20})
    assert done.code == 2 and "--version gave no answer: exit code 3" in done.output, done.output
    told = repo.cli("doctor", env={"PATH": fake.path, "KEY": "x" * 20})
    assert "--version gave no answer: exit code 3: its answers do not count" in " ".join(
        told.stdout.split()
    ), told.output
