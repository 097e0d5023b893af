"""Review threads: all of them with all that was said, from GraphQL; from REST the same with fewer
facts, and that is said."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.github.identity import read_viewer
from reviewgate_gh.github.reading import (
    BadCredentials,
    GitHubUnreachable,
    MalformedAnswer,
    NotFound,
)
from reviewgate_gh.github.threads import read_threads
from reviewgate_gh.model.pull_request import Account
from tests.peers.github.handle import GitHub
from tests.peers.github.shapes import node_id
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Say, Seen, Server, opened

BOT = "github-actions[bot]"
FEWER = {
    "node": "",
    "resolved": None,
    "minimized": False,
    "can_resolve": False,
    "hidden_as": "",
    "resolved_by": 0,
}


def talk(github: GitHub, repo: Repo):
    """Threads of every kind, and a push that makes one outdated."""
    pull = pull_of(github, repo)
    ours = pull.on_line(BOT, "code.py", 10, "ours", start_line=9, start_side="RIGHT")
    pull.reply(ours, "ada", "why?")
    pull.reply(ours, BOT, "because")
    pull.on_line("bob", "new.py", 1, "bob's")
    whole = pull.on_line(BOT, "new.py", 0, "the file", subject_type="file")
    moved = pull.on_line(BOT, "new.py", 2, "outdated soon")
    pull.resolve(whole, by="ada")
    moved.minimized = "OUTDATED"
    repo.commit({"new.py": "a\nchanged\n"})
    pull.push()
    return pull


def test_every_fact_of_a_thread(github_plain: GitHub, repo: Repo):
    pull = talk(github_plain, repo)
    client = client_of(github_plain, github_plain.token(contents="write", pull_requests="write"))
    me = read_viewer(client)
    found = read_threads(client, 1)
    ours = found.threads[0]
    ada = Account(github_plain.world.account("ada").id, "ada", "User")
    first = pull.inline[0]
    assert (ours.id, ours.node, ours.comment_node) == (
        first.id,
        node_id("PRRT", first.id),
        node_id("PRRC", first.id),
    )
    assert (ours.path, ours.line, ours.start_line, ours.side, ours.body) == (
        "code.py",
        10,
        9,
        "RIGHT",
        "ours",
    )
    assert [
        (reply.author.same_as(me), reply.author.same_as(ada), reply.body) for reply in ours.replies
    ] == [(False, True, "why?"), (True, False, "because")]
    assert [thread.author.same_as(me) for thread in found.threads] == [True, False, True, True]
    assert [thread.resolved for thread in found.threads] == [False, False, True, False]
    assert [thread.minimized for thread in found.threads] == [False, False, False, True]
    assert [thread.hidden_as for thread in found.threads] == ["", "", "", "outdated"]
    assert [thread.resolved_by for thread in found.threads] == [0, 0, ada.id, 0]
    assert [thread.can_resolve for thread in found.threads] == [True, True, False, True]
    assert [thread.line for thread in found.threads] == [10, 1, 0, 0]
    assert ours.commit == repo.head and found.note == ""
    assert client.requests.graphql == 2


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("403", "not accessible"),
        ("404", "Not Found"),
        ("other-json", "data is not there"),
        ("no token", "token"),
        ("422", "422"),
    ],
)
def test_rest_has_the_same_threads_with_fewer_facts(github_plain: GitHub, repo: Repo, mode, said):
    talk(github_plain, repo)
    github_plain.world.repos["octo/repo"].private = mode != "no token"
    client = client_of(github_plain)
    whole = read_threads(client, 1)
    if mode == "no token":
        client = client_of(github_plain, "")
    else:
        github_plain.fault(mode, "POST", "/graphql", text="status 422" if mode == "422" else "")
    fewer = read_threads(client, 1)
    assert said in fewer.note and "are unknown" in fewer.note and whole.note == ""
    bots = [
        replace(thread.author, login=thread.author.login.removesuffix("[bot]"))
        for thread in fewer.threads
    ]
    assert bots == [thread.author for thread in whole.threads]
    assert [replace(thread, author=Account(), replies=()) for thread in fewer.threads] == [
        replace(thread, author=Account(), replies=(), **FEWER) for thread in whole.threads
    ]
    assert [[reply.body for reply in thread.replies] for thread in fewer.threads] == [
        ["why?", "because"],
        [],
        [],
        [],
    ]
    assert all(
        thread.author.same_as(other.author)
        for thread, other in zip(fewer.threads, whole.threads, strict=True)
    )


@pytest.mark.contract(plain=False)
def test_hundreds_of_threads_and_of_replies(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    made = [pull.on_line(BOT, "new.py", 1, str(number)) for number in range(205)]
    for number in range(230):
        pull.reply(made[150], "ada", f"reply {number}")
    client = client_of(github_plain)
    found = read_threads(client, 1).threads
    assert [thread.body for thread in found] == [str(number) for number in range(205)]
    assert [reply.body for reply in found[150].replies] == [
        f"reply {number}" for number in range(230)
    ]
    assert client.requests.total == 3 + 2, (
        "a request for a hundred threads, and one for each further hundred comments of a thread"
    )


def comment(number: int, **fields) -> dict:
    who = {"__typename": "User", "login": "ada", "databaseId": 5}
    fixed = {
        "id": f"PRRC_{number}",
        "fullDatabaseId": str(number),
        "body": "b",
        "createdAt": "t",
        "isMinimized": False,
        "commit": None,
    }
    return {**fixed, "author": who, **fields}


def thread(*comments: dict, more: str = "", **fields) -> dict:
    page = {"hasNextPage": bool(more), "endCursor": more or None}
    fixed = {
        "id": "PRRT_1",
        "path": "a.py",
        "line": None,
        "startLine": None,
        "diffSide": "RIGHT",
        "isResolved": False,
        "isOutdated": True,
    }
    return {
        **fixed,
        "viewerCanResolve": False,
        "comments": {"pageInfo": page, "nodes": list(comments)},
        **fields,
    }


def threads(*nodes, more: bool = False, cursor: str | None = None) -> Say:
    found = {"pageInfo": {"hasNextPage": more, "endCursor": cursor}, "nodes": list(nodes)}
    return Say(200, {"data": {"repository": {"pullRequest": {"reviewThreads": found}}}})


def test_somebody_who_is_gone_and_somebody_without_a_number_are_nobody(server: Server, client):
    enterprise = {"__typename": "EnterpriseUserAccount", "login": "e"}
    server.say(threads(thread(comment(1, author=None), comment(2, author=enterprise))))
    (found,) = read_threads(client, 1).threads
    assert found.author == Account() and found.replies[0].author == Account(
        0, "e", "EnterpriseUserAccount"
    )
    assert not found.author.same_as(found.replies[0].author) and (found.line, found.commit) == (
        0,
        "",
    )


@pytest.mark.parametrize(
    "answers",
    [
        [
            threads(thread(comment(1)), more=True, cursor="c"),
            threads(thread(comment(2)), more=True, cursor="c"),
        ],
        [threads(thread(comment(1)), more=True, cursor=None)],
        [threads(None)],
        [threads(thread())],
        [threads(thread(None))],
        [threads(thread(comment(1), isResolved=None))],
        [threads(thread(comment(1, fullDatabaseId=None)))],
        [threads(thread(comment(1, body=None)))],
        [threads(thread(comment(1), more="c")), Say(200, {"data": {"node": None}})],
        [Say(200, {"data": {"repository": None}})],
        [
            Say(
                200,
                {
                    "data": {"repository": {"pullRequest": None}},
                    "errors": [{"type": "NOT_FOUND", "message": "gone"}],
                },
            )
        ],
        [
            Say(
                200,
                {
                    "data": {},
                    "errors": [{"message": "x", "extensions": {"code": "undefinedField"}}],
                },
            )
        ],
    ],
)
def test_graphql_that_makes_no_sense_is_not_believed(server: Server, client, answers):
    def rest(seen: Seen) -> Say:
        return Say(200, []) if seen.method == "GET" else Say(500, {})

    server.say(*answers)
    server.rule = rest
    found = read_threads(client, 1)
    assert (
        found.threads == ()
        and found.note
        and [seen.method for seen in server.seen] == ["POST"] * len(answers) + ["GET"]
    )


@pytest.mark.parametrize("body", [{"unexpected": True}, [{"id": 1}], [None], [[]]])
def test_where_rest_makes_no_sense_either_there_is_no_answer(server: Server, clock, body):
    server.rule = lambda seen: Say(200, body)
    with pytest.raises(MalformedAnswer):
        read_threads(opened(server, clock, token=""), 1)


@pytest.mark.parametrize(
    ("say", "error", "methods"),
    [
        (Say(401, {"message": "Bad credentials"}), BadCredentials, {"POST"}),
        (Say(502, {}), GitHubUnreachable, {"POST", "GET"}),
    ],
)
def test_what_rest_does_not_know_better_is_an_error(server: Server, client, say, error, methods):
    server.rule = lambda seen: say
    with pytest.raises(error):
        read_threads(client, 1)
    assert {seen.method for seen in server.seen} == methods


def test_a_pull_request_that_is_not_there(server: Server, client):
    server.say(
        Say(
            200,
            {
                "data": {"repository": {"pullRequest": None}},
                "errors": [{"type": "NOT_FOUND", "message": "no"}],
            },
        )
    )
    with pytest.raises(NotFound):
        read_threads(client, 1)


def test_answers_to_a_comment_that_was_deleted_are_one_thread(server: Server, clock):
    user = {"id": 5, "login": "ada", "type": "User"}
    one = {
        "node_id": "n",
        "path": "a.py",
        "line": 3,
        "body": "b",
        "user": user,
        "commit_id": "c" * 40,
        "created_at": "t",
        "in_reply_to_id": 1,
    }
    server.say(
        Say(200, [{**one, "id": 2}, {**one, "id": 4, "in_reply_to_id": None}, {**one, "id": 3}])
    )
    found = read_threads(opened(server, clock, token=""), 1).threads
    assert [(each.id, [reply.id for reply in each.replies]) for each in found] == [
        (2, [3]),
        (4, []),
    ]
