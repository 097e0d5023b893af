"""An organisation may say where findings are kept; a floor without a tracker leaves that to the repository."""

import pytest

from reviewgate_gh.model.config import Config, Tracker
from reviewgate_gh.steps.floor import tighten

MINE, THEIRS = Tracker(type="local", max_new=3), Tracker(type="github", close_fixed=True)


@pytest.mark.parametrize(
    ("floor", "said", "due"),
    [
        (Config(tracker=THEIRS), {"tracker": {}}, THEIRS),
        (Config(tracker=THEIRS), {}, MINE),
        (Config(tracker=Tracker(type="none")), {"tracker": {}}, MINE),
    ],
)
def test_the_floors_tracker_holds_where_it_names_one(floor, said, due):
    raised, keys = tighten(Config(tracker=MINE), floor, said)
    assert raised.tracker == due and keys == (("tracker",) if due is THEIRS else ())
