"""Lists: every page once, by GitHub's own links; what is missing, doubled or endless is an error
and never a short list."""

from urllib.parse import parse_qs, urlsplit

import pytest

from reviewgate_gh.github.reading import GitHubUnreachable, MalformedAnswer
from tests.unit.github.scripted import Say, Seen, Server, serving


def listing(server: Server, count: int, size: int = 100, wrap: str = "", total: int | None = None):
    """A list that is paged as GitHub does it, with addresses that only GitHub could have built."""

    def rule(seen: Seen) -> Say:
        page = int(parse_qs(urlsplit(seen.path).query).get("token", ["1"])[0].removeprefix("p"))
        items = [{"id": number} for number in range((page - 1) * size, min(count, page * size))]
        link = {
            "link": (
                f'<{server.url}/repositories/1/x?token=p{page + 1}>; rel="next", '
                f'<{server.url}/x>; rel="first"'
            )
        }
        body = {"total_count": count if total is None else total, wrap: items} if wrap else items
        return Say(200, body, link if page * size < count else {})

    server.rule = rule


def ids(found):
    return [each.number("id") for each in found.items]


@pytest.mark.parametrize("wrap", ["", "check_runs"])
@pytest.mark.parametrize(("count", "requests"), [(0, 1), (1, 1), (100, 1), (101, 2), (250, 3)])
def test_every_page_is_read_once(server: Server, client, count, requests, wrap):
    listing(server, count, wrap=wrap)
    found = client.pages("/x", key=wrap, state="open")
    assert ids(found) == list(range(count)) and found.whole
    # Behind a full page without a link, a list without a count is asked once more
    asked = requests + (count == 100 and not wrap)
    assert len(server.seen) == asked and server.seen[0].path == "/x?per_page=100&state=open"


def test_a_count_that_is_not_reached_is_told(server: Server, client):
    listing(server, 5, wrap="check_runs", total=6)
    found = client.pages("/x", key="check_runs")
    assert (found.whole, found.total, len(found.items)) == (False, 6, 5)


def test_an_item_that_moved_to_the_next_page_is_there_once(server: Server, client):
    link = {"link": f'<{server.url}/x?page=2>; rel="next"'}
    server.say(
        Say(200, [{"id": number} for number in range(100)], link),
        Say(200, [{"id": 99}, {"id": 100}]),
    )
    assert ids(client.pages("/x")) == list(range(101))


def page(start=0, count=100):
    return [{"id": number} for number in range(start, start + count)]


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        ([(page(), "/x?per_page=100"), (page(), "/x?page=2")], "twice"),
        ([(page(), "/x?page=2"), (page(100), "/x?page=2")], "form a loop"),
        ([(page(), "/x?page=2"), (page(), "/x?page=3")], "twice"),
        ([(page(0, 99), "/x?page=2")], "99 on a page of 100"),
        ([({"unexpected": True}, "")], "is not a list"),
        ([([None], "")], "is null"),
        ([([{"name": "x"}], "")], "id is not there"),
        ([([{"id": [1]}], "")], "is empty"),
        ([([7], "")], "is not an object"),
    ],
)
def test_what_is_no_list_is_an_error(server: Server, client, pages, said):
    server.say(
        *(
            Say(200, body, {"link": f'<{server.url}{link}>; rel="next"'} if link else {})
            for body, link in pages
        )
    )
    with pytest.raises(MalformedAnswer, match=said):
        client.pages("/x")
    assert server.plan == []


@pytest.mark.parametrize(
    "body",
    [
        {"check_runs": []},
        {"total_count": "6", "check_runs": {}},
        {"total_count": True, "check_runs": []},
        [],
        {},
    ],
)
def test_what_is_no_counted_list_is_an_error(server: Server, client, body):
    server.say(Say(200, body))
    with pytest.raises(MalformedAnswer):
        client.pages("/x", key="check_runs")


def test_the_next_page_is_never_on_another_host(server: Server, client):
    with serving() as other:
        server.say(Say(200, page(), {"link": f'<{other.url}/x?page=2>; rel="next"'}))
        with pytest.raises(MalformedAnswer, match="another host") as raised:
            client.pages("/x")
        assert other.seen == []
        assert "GITHUB_API_URL, --api-url" in raised.value.hint


@pytest.mark.parametrize("relation", ['"next"', "next", '"prev next"', '"NEXT"'])
def test_the_link_to_the_next_page_is_followed_however_it_is_spelt(
    server: Server, client, relation
):
    server.say(
        Say(200, page(), {"link": f"<{server.url}/x?page=2>; rel={relation}"}),
        Say(200, page(100, 1)),
    )
    assert ids(client.pages("/x")) == list(range(101))


def test_a_link_that_was_lost_leaves_nothing_out(server: Server, client):
    server.say(Say(200, page()), Say(200, page(100, 1)))
    assert ids(client.pages("/x", state="open")) == list(range(101))
    assert server.seen[1].path == "/x?page=2&per_page=100&state=open"


def test_a_page_that_cannot_be_had_is_not_left_out(server: Server, client):
    server.say(Say(200, page(), {"link": f'<{server.url}/x?page=2>; rel="next"'}))
    server.rule = lambda seen: Say(502, {})
    with pytest.raises(GitHubUnreachable):
        client.pages("/x")
