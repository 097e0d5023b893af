"""Rate limits: six header forms by two statuses wait as documented, and never longer than the run
lasts."""

import pytest

from reviewgate_gh.github.reading import Forbidden, RateLimited
from reviewgate_gh.model.errors import Exit
from tests.unit.github.scripted import Clock, Say, Server, opened

SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)
PRIMARY = "API rate limit exceeded for installation ID 1."
GOOD = Say(200, {"id": 7})
RESET = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000090"}
FORMS = {
    "retry-after": ({"retry-after": "7", **RESET}, SECONDARY, [7]),
    "reset": (RESET, PRIMARY, [91]),
    "used up, no reset": ({"x-ratelimit-remaining": "0"}, PRIMARY, [60]),
    "reset, not used up": (
        {"x-ratelimit-remaining": "5", "x-ratelimit-reset": "1000090"},
        SECONDARY,
        [60],
    ),
    "words alone": ({}, SECONDARY, [60]),
    "nothing": ({}, "Forbidden", None),
    "reset is over": ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "999000"}, PRIMARY, [1]),
    "retry at once": ({"retry-after": "0"}, SECONDARY, [1]),
    "retry-after is not a number": ({"retry-after": "soon"}, SECONDARY, [60]),
    "old wording": ({}, "You have triggered an abuse detection mechanism.", [60]),
    "github's clock is ahead of ours": (
        {**RESET, "date": "Mon, 12 Jan 1970 13:48:00 GMT"},
        PRIMARY,
        [11],
    ),
}


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("form", FORMS)
def test_how_long_is_waited(server: Server, client, clock, form, status, method):
    headers, message, naps = FORMS[form]
    server.say(Say(status, {"message": message}, headers), GOOD)
    if naps is None and status == 403:
        with pytest.raises(Forbidden):
            client.get("/x")
        assert clock.naps == [] and len(server.seen) == 1
        return
    assert (client.get("/x") if method == "GET" else client.write(method, "/x", {})).number(
        "id"
    ) == 7
    assert clock.naps == (naps or [60]) and client.requests.waited == sum(clock.naps)


def test_without_a_time_each_wait_is_twice_the_last_and_there_are_five(server: Server):
    clock = Clock()
    server.rule = lambda seen: Say(403, {"message": SECONDARY})
    with pytest.raises(RateLimited, match="after 5 waits"):
        opened(server, clock, deadline=10_000).get("/x")
    assert clock.naps == [60, 120, 240, 480, 960] and len(server.seen) == 6


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_wait_beyond_the_deadline_is_an_error_that_says_until_when(server: Server, method):
    clock = Clock()
    client = opened(server, clock, deadline=30)
    server.rule = lambda seen: Say(429, {"message": PRIMARY}, RESET)
    with pytest.raises(RateLimited) as caught:
        client.get("/x") if method == "GET" else client.write(method, "/x", {})
    assert (
        caught.value.until == "1970-01-12T13:48:11Z" and caught.value.until in caught.value.message
    )
    assert caught.value.exit is Exit.UPSTREAM and "30 s are left" in caught.value.message
    assert clock.naps == [] and len(server.seen) == 1


def test_faults_and_limits_are_counted_apart(server: Server, client, clock):
    lost, wait = Say(502, {}), Say(403, {"message": SECONDARY}, {"retry-after": "3"})
    server.say(lost, wait, lost, wait, lost, GOOD)
    assert client.get("/x").number("id") == 7
    assert clock.naps == [1, 3, 2, 3, 4]


def test_graphql_says_it_with_status_200(server: Server, client, clock):
    limited = {"errors": [{"type": "RATE_LIMITED", "message": PRIMARY}]}
    server.say(
        Say(200, limited, {"retry-after": "9"}),
        Say(200, limited, RESET),
        Say(200, {"data": {"a": 1}}),
    )
    assert client.graphql("query Q { a }", {}).number("a") == 1
    assert clock.naps == [9, 82]
    server.say(Say(200, limited), Say(200, {"data": {"doIt": {"a": 2}}}))
    assert client.mutation("doIt", {}, "a").number("a") == 2
