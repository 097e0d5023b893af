"""The same as loop.sh for orchestrators in Python: what each session came to is read as data.

python3 loop.py 'claude -p --permission-mode acceptEdits' 7 8 9
"""

import json
import shlex
import subprocess
import sys

GOES_ON = (0, 1, 2, 3)  # any other code would end every further issue as well


def gate(*words: str) -> tuple[int, dict]:
    """An orchestrate command: its exit code, and what it says as data."""
    command = ["reviewgate-gh", "orchestrate", *words, "--output", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, json.loads(done.stdout or "{}")


def main(agent: str, issues: list[str]) -> int:
    """Work on the issues; the exit code of the run."""
    code, _run = gate("start", "--issues", ",".join(issues))
    if code:
        return code
    done: dict[str, bool] = {}
    for issue in issues:
        task = f'Work on issue {issue}. Commit with the subject "bd-{issue}: WHAT".\n'
        agents = subprocess.run(shlex.split(agent), input=task, text=True, check=False)
        if agents.returncode:
            done[issue] = False
            continue
        code, said = gate("trigger", "session_end", "--issue", issue)
        if code not in GOES_ON:
            return code
        done[issue] = code == 0
        review = said.get("review") or {}
        for finding in review.get("findings", []):
            print(f"{issue}: {finding['priority']} {finding['path']}: {finding['title']}")
    failed = len(done) - sum(done.values())
    code, said = gate("end", "--succeeded", str(sum(done.values())), "--failed", str(failed))
    print(
        f"{sum(done.values())} of {len(issues)} issues done; {said.get('why') or 'the run passed'}"
    )
    return code


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: loop.py AGENT ISSUE...")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
