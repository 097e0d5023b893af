"""An organisation may say where findings are kept; a floor without a tracker leaves that to the
repository."""

import pytest

from reviewgate_gh.model.config import Config, TrackerConfig
from reviewgate_gh.settings.floor import apply_floor

MINE, THEIRS = (
    TrackerConfig(type="local", max_new=3),
    TrackerConfig(type="github", close_fixed=True),
)


@pytest.mark.parametrize(
    ("floor", "said", "due"),
    [
        (Config(tracker=THEIRS), {"tracker": {}}, THEIRS),
        (Config(tracker=THEIRS), {}, MINE),
        (Config(tracker=TrackerConfig(type="none")), {"tracker": {}}, MINE),
    ],
)
def test_the_floors_tracker_holds_where_it_names_one(floor, said, due):
    raised, keys = apply_floor(Config(tracker=MINE), floor, said)
    assert raised.tracker == due and keys == (("tracker",) if due is THEIRS else ())
