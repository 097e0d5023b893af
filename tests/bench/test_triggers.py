"""What a trigger costs beyond its commands and reviewers, against `--help`: printed, not
asserted."""

import sys

import pytest

from tests.orchestrating import CLEAN, Place, review
from tests.support import Repo

from .test_speed import GATE, measure

pytestmark = pytest.mark.bench
ROUNDS = 10


def test_a_trigger_beyond_its_commands_and_its_review(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reviewer and a command that cost next to nothing; what they do cost alone, in the same
    turns, is taken off."""
    place = Place(repo)
    quiet = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        'print(\'{"source": {"name": "quiet"}, "diagnostics": []}\')',
    ]
    reviewers = {"quiet": {"type": "command", "options": {"argv": quiet, "format": "rdjson"}}}
    named = {"commands": [{"ref": "true"}], "code_review": review()}
    place.configure(
        reviewers=reviewers, validation_triggers={"session_end": named}, commands={"true": ["true"]}
    )
    place.begin("1")
    repo.commit({"a.py": CLEAN}, "bd-1: work")
    argvs = {
        "help": [*GATE, "--help"],
        "review": [*GATE, "review", "--commit", "HEAD"],
        "trigger": [*GATE, "orchestrate", "trigger", "session_end", "--issue", "1"],
        "reviewer": quiet,
        "command": ["true"],
        "start": [*GATE, "orchestrate", "start", "--issues", "1"],
    }
    seen: dict[str, list[float]] = {name: [] for name in argvs}
    for _ in range(ROUNDS):  # in turns, so that all see the same moods of the machine
        for name, argv in argvs.items():
            seen[name].append(measure(argv, repo.path, 1)[0])
    wall = {name: min(times) for name, times in seen.items()}
    apart = wall["reviewer"] + wall["command"]
    with capsys.disabled():
        print(
            f"\ntrigger {wall['trigger']:.3f} s, its review {wall['review']:.3f} s, its reviewer "
            f"and command alone {apart:.3f} s, --help"
            f" {wall['help']:.3f} s: beyond the review "
            f"{(wall['trigger'] - wall['review']) / wall['help']:.2f} of --help, beyond reviewer"
            f" and command {(wall['trigger'] - apart) / wall['help']:.2f} (goal: at most 3); "
            f"start {wall['start'] / wall['help']:.2f}"
        )
