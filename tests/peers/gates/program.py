"""The program of a fake review gate: DIALECT FOLDER COMMAND ... Strict about its arguments as the
real ones are.

The plan (FOLDER/plan.json) may hold, by command ("spawn", "wait", "help"): `code`, `out` (text or
JSON), `err`, `hang`, `huge` (megabytes), `flaky` (the codes of the first calls); and `findings`,
`verdict`, `stale`, `nothing`, `own` (the answer's missing keys).
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

SPEC_HELP = {
    "spawn-code-review": (
        "usage: spawn-code-review --diff A..B [--context-file F] [--codex-reasoning LEVEL]"
    ),
    "spawn-epic-verify": (
        "usage: spawn-epic-verify EPIC_FILE [--commit SHA... | A..B | --uncommitted]"
    ),
    "wait": "usage: review-gate wait --json [--timeout S] [--session-key K]",
}
V1_HELP = {
    "spawn-code-review": "Usage: review-gate spawn-code-review [--agents a,b] "
    "[--max-rounds n] [--mode m] "
    "[--consensus c]"
    " [--context-file p] [--focus t] [--exclude p] [--uncommitted | --base b | --commit sha... | "
    "range]",
    "spawn-epic-verify": (
        "Usage: review-gate spawn-epic-verify [--agents a] [--max-rounds n] [--mode m] "
        "[--session-id id] <epic-file>"
    ),
    "wait": (
        "Usage: review-gate wait --json [--finalize] [--timeout s] [--poll-interval s] "
        "[--session-key k] [--session-id id]"
    ),
}
FLAGS = {"--uncommitted", "--finalize", "--json", "--debate", "--artifact-only"}
VALUES = {
    "spec": {"--diff", "--context-file", "--codex-reasoning", "--timeout", "--session-key",
        "--session-id"},
    "v1": {
        "--agents", "--max-rounds", "--mode", "--consensus", "--context-file", "--focus",
        "--exclude", "--base", "--timeout",
        "--poll-interval", "--session-key", "--session-id", "--reason", "--debate-seed",
    },
}  # fmt: skip


def main(dialect: str, folder: Path, argv: list[str]) -> int:
    record(folder, argv)
    plan = read(folder / "plan.json", {})
    command = argv[0] if argv else ""
    helps = SPEC_HELP if dialect == "spec" else V1_HELP
    if "--help" in argv:
        return scripted(
            plan.get(f"help-{command}", plan.get("help", {})),
            folder,
            "help",
            helps.get(command, ""),
            0 if command in helps else 2,
        )
    if command == "resolve":
        (folder / "resolved").write_text("yes")
        return 0
    if command not in helps:
        return die(f"unknown command {command}")
    options, words, problem = parse(dialect, argv[1:])
    if problem:
        return die(problem)
    return (wait if command == "wait" else spawn)(dialect, folder, plan, command, options, words)


def spawn(
    dialect: str, folder: Path, plan: dict, command: str, options: dict, words: list[str]
) -> int:
    session = options.get("--session-id") or os.environ.get("CLAUDE_SESSION_ID", "")
    problem = refusal(dialect, command, options, words, session)
    if problem:
        return die(problem)
    if plan.get("stale") and not (folder / "resolved").exists():
        return die("Error: a review gate is already active for this session")
    if plan.get("nothing"):
        return die("Error: No changes found in diff mode")
    with (folder / "pids").open("a") as pids:
        left = subprocess.Popen(
            ["sleep", "300"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        pids.write(f"{left.pid}\n")
    (folder / f"session-{session}").write_text(command)
    out = (
        json.dumps({"session_key": session, "reviewers_spawned": ["codex"]})
        if dialect == "spec"
        else ""
    )
    if dialect == "v1":
        print("Spawned codex", file=sys.stderr)
    return scripted(plan.get("spawn", {}), folder, "spawn", out, 0)


def refusal(dialect: str, command: str, options: dict, words: list[str], session: str) -> str:
    context = options.get("--context-file")
    if context is not None and (
        not Path(context).is_file() or not Path(context).read_text().strip()
    ):
        return f"Error: context file missing or empty: {context}"
    if not session:
        return "Error: CLAUDE_SESSION_ID is not set"
    if command == "spawn-epic-verify":
        return "" if words and Path(words[0]).is_file() else "Error: no epic file"
    span = options.get("--diff") if dialect == "spec" else next(iter(words), "")
    if not span and "--uncommitted" not in options and "--commit" not in options:
        return "Error: --diff is required" if dialect == "spec" else ""
    done = (
        subprocess.run(
            ["git", "diff", "--quiet", *span.split("..")],
            check=False,
            capture_output=True,
            text=True,
        )
        if span
        else None
    )
    return (
        f"Error: bad range {span}: {done.stderr}" if done and done.returncode not in (0, 1) else ""
    )


def wait(
    dialect: str, folder: Path, plan: dict, command: str, options: dict, words: list[str]
) -> int:
    newest = os.environ.get("CLAUDE_SESSION_ID", "") if dialect == "spec" else ""
    session = options.get("--session-key") or options.get("--session-id") or newest
    if "--json" not in options or words or not (folder / f"session-{session}").exists():
        return die(f"Error: usage, or no session {session}")
    findings = plan.get("findings", [])
    verdict = plan.get("verdict", "FAIL" if findings else "PASS")
    status = plan.get("status", "resolved" if dialect == "spec" else "complete")
    said = answer(dialect, status, verdict, findings, session) | plan.get("own", {})
    code = {"PASS": 0, "FAIL": 1, "NEEDS_WORK": 1, "no_reviewers": 4}.get(verdict, 2)
    return scripted(
        plan.get("wait", {}),
        folder,
        "wait",
        json.dumps(said),
        {"timeout": 3, "no_reviewers": 4}.get(status, code),
    )


def answer(dialect: str, status: str, verdict: str, findings: list, session: str) -> dict:
    row = {"verdict": verdict, "summary": "read", "error": None}
    if dialect == "spec":
        return {
            "status": status, "consensus": {"verdict": verdict, "iteration": 1},
            "reviewers": {"codex": row | {"issues": findings}},
            "issues": findings, "parse_errors": [], "session_dir": f"/tmp/sessions/{session}",
        }  # fmt: skip
    items = [
        {("file_path" if key == "file" else key): value for key, value in found.items()}
        for found in findings
    ]
    return {
        "status": status, "consensus_verdict": verdict,
        "reviewers": {"codex": row | {"findings": items}},
        "aggregated_findings": items, "parse_errors": [],
    }  # fmt: skip


def scripted(step: dict, folder: Path, name: str, out: str, code: int) -> int:
    counter = folder / f"count-{name}"
    number = int(counter.read_text()) if counter.exists() else 0
    counter.write_text(str(number + 1))
    steps = step.get("flaky", [])
    step = {**step, **(steps[number] if number < len(steps) else {})}
    if step.get("hang"):
        time.sleep(step["hang"])
    for _ in range(step.get("huge", 0)):
        sys.stdout.write("x" * 1_000_000)
    text = step.get("out", out)
    sys.stdout.write(text if isinstance(text, str) else json.dumps(text))
    sys.stderr.write(step.get("err", ""))
    return step.get("code", code)


def parse(dialect: str, argv: list[str]) -> tuple[dict, list[str], str]:
    options: dict = {}
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--commit":
            options[word] = []
            while rest and not rest[0].startswith("-"):
                options[word].append(rest.pop(0))
        elif word in FLAGS:
            options[word] = True
        elif word in VALUES[dialect]:
            if not rest:
                return options, words, f"Error: {word} needs a value"
            options[word] = rest.pop(0)
        elif word.startswith("-"):
            return options, words, f"Error: unknown option {word}"
        else:
            words.append(word)
    return options, words, ""


def record(folder: Path, argv: list[str]) -> None:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("CLAUDE_", "REVIEWGATE_", "MY_", "GITHUB_", "OPENAI_"))
    }
    files = [Path(word) for word in argv if word.startswith("/") and word.endswith((".txt", ".md"))]
    read_files = {str(file): file.read_text() for file in files if file.exists()}
    with (folder / "calls.jsonl").open("a") as log:
        log.write(
            json.dumps({"argv": argv, "cwd": str(Path.cwd()), "env": kept, "files": read_files})
            + "\n"
        )


def read(path: Path, otherwise: object) -> dict:
    return json.loads(path.read_text()) if path.exists() else otherwise


def die(why: str) -> int:
    print(why, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
