"""Names of runs."""

import re
import time
from pathlib import Path

from reviewgate_gh.system.environment import Environment
from reviewgate_gh.system.files import save_review, stored_reviews


def names(number: int) -> list[str]:
    """Names in the order of their making, a moment apart."""
    made = []
    for _ in range(number):
        made.append(Environment({}, Path()).new_id())
        time.sleep(0.001)
    return made


def test_they_sort_by_time_within_one_second_too() -> None:
    made = names(20)
    assert made == sorted(made)
    assert all(re.fullmatch(r"\d{8}T\d{12}Z-[0-9a-f]{8}", name) for name in made)


def test_the_latest_review_is_the_one_saved_last(tmp_path: Path) -> None:
    for name in names(8):
        save_review(tmp_path, name, "{}")
        assert (
            stored_reviews(tmp_path)[0] == tmp_path / "reviewgate-gh/reviews" / name / "report.json"
        )
