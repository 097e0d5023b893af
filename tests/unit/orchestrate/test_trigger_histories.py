"""Random runs of triggers over random histories, against a small model of what each must do; 1,000
with REVIEWGATE_GH_FULL."""

import os
import random
from dataclasses import dataclass, field

import pytest

from reviewgate_gh.model.errors import Exit
from tests.orchestrating import DEFECTS, Place, review
from tests.support import Repo

pytestmark = pytest.mark.slow
FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEEDS, STEPS = (range(50) if FULL else range(2)), 20
THRESHOLDS = {"run_end": "P1", "epic_completion": "none"}


@dataclass
class Model:
    """What should be remembered, and which files have a finding that was reported."""

    start: str = ""
    last: dict[str, str] = field(default_factory=dict)
    # Path to priority, of everything committed
    defects: dict[str, str] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)  # path to the commit before it
    reported: set[str] = field(default_factory=set)

    def baseline(self, key: str) -> str:
        return (self.last.get(key) if key != "run_end" else None) or self.start


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_run(repo: Repo, seed: int) -> None:
    dice, place, model = random.Random(seed), Place(repo), Model()
    blocks = {
        "run_end": review(
            baseline="since_run_start",
            finding_threshold=THRESHOLDS["run_end"],
            failure_mode="abort",
        ),
        "epic_completion": review(baseline="since_last_review", failure_mode="continue"),
    }
    place.configure(
        True, validation_triggers={name: {"code_review": block} for name, block in blocks.items()}
    )
    order = [repo.head]
    place.begin("1")
    model.start = repo.head
    for step in range(STEPS):
        what = dice.choice(
            [
                "commit",
                "commit",
                "empty",
                "epic",
                "epic",
                "run",
                "run",
                "fault",
                "resume",
                "fresh",
                "damage",
            ]
        )
        if what == "commit":
            priority = dice.choice(["P1", "P2", "P3"])
            name = f"m{step}.py"
            model.defects[name], model.added[name] = priority, repo.head
            order.append(repo.commit({name: DEFECTS[priority].replace("f(", f"f{step}(")}, "work"))
        elif what == "empty":
            order.append(repo.commit(message="nothing"))
        elif what == "resume":
            place.begin("1")
            model.start = model.start or repo.head
        elif what in ("fresh", "damage"):
            if what == "damage":
                place.store.path.write_bytes(b"\0\0")
            place.begin("1", fresh=what == "fresh")
            model.start, model.last = repo.head, {}
        else:
            fault = what == "fault"
            (place.beside / "faults").write_text("1" if fault else "0")
            trigger, epic = (
                ("run_end", "")
                if what == "run" or dice.random() < 0.5
                else ("epic_completion", dice.choice("EF"))
            )
            check(place, model, order, trigger, epic, fault)
    stored = place.store.load()
    assert stored and dict(stored.last_cumulative_review_commits) == model.last
    told = " ".join(issue["description"] + issue["notes"] for issue in place.issues())
    assert [name for name in model.reported if name not in told] == [], "no finding is lost"
    prints = [
        label for issue in place.issues() for label in issue["labels"] if label.startswith("fp:")
    ]
    assert len(prints) == len(set(prints)), "and none is there twice"


def check(
    place: Place, model: Model, order: list[str], trigger: str, epic: str, fault: bool
) -> None:
    key, head = f"{trigger}:{epic}" if epic else trigger, place.repo.head
    base = model.baseline(key)
    fired = place.fire(trigger, epic=epic, failed=0)
    assert fired.review and (fired.review.baseline, fired.review.head) == (base, head)
    within = [
        name for name, before in model.added.items() if order.index(before) >= order.index(base)
    ]
    if not within:
        assert (fired.review.skip_reason, fired.exit) == ("empty_diff", Exit.OK)
        return
    model.reported |= set(within)
    over = THRESHOLDS[trigger] == "P1" and any(model.defects[name] == "P1" for name in within)
    assert fired.review.status == ("failed" if fault else "success")
    assert fired.exit == (
        Exit.BLOCK if over else Exit.INCONCLUSIVE if fault and trigger == "run_end" else Exit.OK
    )
    if not fault:
        model.last[key] = head
    if fired.aborts:
        assert fault and trigger == "run_end"
        refused = place.fire("epic_completion", epic="E", failed=0)
        assert (refused.exit, refused.review) == (Exit.BLOCK, None)
        place.begin("1")
