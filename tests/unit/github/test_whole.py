"""Every call that the package makes, against the fake behind GitHub's own description: neither side
may be refused by it."""

from reviewgate_gh.github.check_runs import CheckRunDraft, send_check_run
from reviewgate_gh.github.checks import OwnRun, read_ci_facts
from reviewgate_gh.github.identity import may_write, missing_permissions, read_viewer
from reviewgate_gh.github.pull_requests import (
    read_blob,
    read_changed_files,
    read_comparison,
    read_merge_base,
    read_pull,
)
from reviewgate_gh.github.reviews import (
    CleanupTally,
    delete_empty_pending,
    dismiss_review,
    minimize_comments,
    post_review,
    read_reviews,
    resolve_threads,
    reviews_by,
)
from reviewgate_gh.github.threads import read_threads
from reviewgate_gh.model.pull_request import Account, DraftComment
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Clock

WRITER = {
    "contents": "write",
    "pull_requests": "write",
    "checks": "write",
    "statuses": "read",
    "actions": "read",
    "issues": "write",
}


def test_a_pull_request_is_read(github: GitHub, repo: Repo):
    pull = pull_of(github, repo, author="ada", draft=True)
    client = client_of(github)
    found = read_pull(client, 1)
    ada = github.world.account("ada")
    assert (found.base, found.head, found.base_ref) == (repo.rev("main"), repo.head, "main")
    assert (found.author, found.draft, found.state) == (
        Account(ada.id, "ada", "User"),
        True,
        "open",
    )
    assert (found.changed_files, found.merge_commit) == (3, pull.stored.merge_sha)
    assert (found.repository, found.head_repository) == ("octo/repo", "octo/repo") and found.node
    assert read_merge_base(client, found.base, found.head) == repo.rev("main")
    compared = read_comparison(client, found.base, found.head)
    assert (compared.status, compared.ahead, compared.paths) == (
        "ahead",
        1,
        {"code.py", "gone.py", "new.py"},
    )
    files = read_changed_files(client, found)
    assert [(row.path, row.status, row.additions, row.deletions) for row in files.rows] == [
        ("code.py", "modified", 2, 1),
        ("gone.py", "removed", 0, 1),
        ("new.py", "added", 2, 0),
    ]
    assert (files.unread, files.missing) == ((), 0)
    assert read_blob(client, files.rows[2].oid) == b"a\nb\n"


def test_a_review_is_posted_listed_resolved_and_minimised(github: GitHub, repo: Repo):
    pull = pull_of(github, repo)
    client = client_of(github, github.token(**WRITER))
    me = read_viewer(client)
    assert me == Account(41898282, "github-actions[bot]", "Bot")
    drafts = (
        DraftComment("code.py", 10, "one"),
        DraftComment("new.py", 2, "two", start_line=1),
        DraftComment("code.py", 10, "three", side="LEFT"),
    )
    posted = post_review(client, 1, repo.head, "COMMENT", "Three things.", drafts)
    assert (posted.state, posted.commit, posted.author.same_as(me)) == (
        "COMMENTED",
        repo.head,
        True,
    )
    assert reviews_by(read_reviews(client, 1), me) == (posted,)
    found = read_threads(client, 1)
    assert found.note == "" and [thread.body for thread in found.threads] == ["one", "two", "three"]
    assert [
        (thread.path, thread.line, thread.start_line, thread.side) for thread in found.threads
    ] == [("code.py", 10, 0, "RIGHT"), ("new.py", 2, 1, "RIGHT"), ("code.py", 10, 0, "LEFT")]
    assert all(
        thread.author.same_as(me) and thread.commit == repo.head and thread.can_resolve
        for thread in found.threads
    )
    nodes = [thread.node for thread in found.threads]
    assert resolve_threads(client, nodes[:2]) == CleanupTally(done=2)
    assert minimize_comments(client, [found.threads[2].comment_node], "OUTDATED") == CleanupTally(
        done=1
    )
    again = read_threads(client, 1).threads
    assert [(thread.resolved, thread.minimized) for thread in again] == [
        (True, False),
        (True, False),
        (False, True),
    ]
    assert [each.id for each in pull.inline] == [thread.id for thread in again]


def test_a_verdict_is_dismissed_twice(github: GitHub, repo: Repo):
    pull = pull_of(github, repo)
    client = client_of(github)
    posted = post_review(client, 1, repo.head, "REQUEST_CHANGES", "No.")
    dismiss_review(client, 1, posted.id, "It is mended.")
    dismiss_review(client, 1, posted.id, "It is mended.")
    assert [(each.state, each.dismissed_with) for each in pull.reviews] == [
        ("DISMISSED", "It is mended.")
    ]
    github.forgive()  # the second dismissal is refused, as it should be


def test_ci_is_read(github: GitHub, repo: Repo):
    pull = pull_of(github, repo)
    client = client_of(github)
    pull.repo.check(repo.head, "build", "failure", run=71)
    pull.repo.status(repo.head, "ci/old", "pending")
    pull.repo.stored.required["main"] = [("build", 15368)]
    pull.repo.stored.rules["main"] = [("e2e", None)]
    facts = read_ci_facts(client, read_pull(client, 1), OwnRun(run="99"))
    assert [
        (check.kind, check.name, check.status, check.conclusion, check.app) for check in facts.head
    ] == [
        ("check", "build", "completed", "failure", "github-actions"),
        ("status", "ci/old", "pending", "", "ci-bot"),
    ]
    assert [(each.name, each.app) for each in facts.required] == [
        ("build", "github-actions"),
        ("e2e", ""),
    ] and facts.incomplete_reason == ""


def test_a_check_run_with_many_annotations(github: GitHub, repo: Repo):
    pull = pull_of(github, repo)
    client = client_of(github, github.token(**WRITER))
    lines = [
        {
            "path": "code.py",
            "start_line": n,
            "end_line": n,
            "annotation_level": "warning",
            "message": str(n),
        }
        for n in range(1, 121)
    ]
    draft = CheckRunDraft(
        "reviewgate", repo.head, "key", "neutral", "120 findings", "All of them.", tuple(lines)
    )
    number = send_check_run(client, draft)
    (made,) = pull.repo.stored.checks
    assert (made.id, made.status, made.conclusion, made.external_id) == (
        number,
        "completed",
        "neutral",
        "key",
    )
    assert [each["message"] for each in made.annotations] == [str(n) for n in range(1, 121)]
    assert send_check_run(client, draft) == number
    assert [entry.method for entry in github.journal.of(path="*check-runs*")] == [
        "GET",
        "POST",
        "PATCH",
        "PATCH",
        "GET",
    ]


def test_what_is_pending_of_ours_goes_when_it_is_empty(github: GitHub, repo: Repo):
    pull = pull_of(github, repo)
    client = client_of(github)
    me = read_viewer(client)
    pull.review("bob", event="")
    pull.review("github-actions[bot]", event="")
    assert delete_empty_pending(client, 1, read_reviews(client, 1), me) is None
    assert [each.author.login for each in pull.reviews] == ["bob"]
    pull.review(
        "github-actions[bot]",
        {"path": "new.py", "line": 1, "side": "RIGHT", "body": "mine"},
        event="",
    )
    kept = delete_empty_pending(client, 1, read_reviews(client, 1), me)
    assert kept and kept.state == "PENDING" and len(pull.reviews) == 2


def test_permissions_that_are_missing_are_named_before_the_work(github: GitHub, repo: Repo):
    pull = pull_of(github, repo)
    wanted = (
        "pull-requests: write",
        "issues: write",
        "checks: write",
        "checks: read",
        "statuses: read",
        "contents: read",
    )
    whole = client_of(github, github.token(**WRITER))
    assert missing_permissions(whole, read_pull(whole, 1), wanted) == ()
    little = client_of(github, github.token("gate[bot]", pull_requests="read", contents="read"))
    missing = missing_permissions(little, read_pull(little, 1), wanted)
    assert [each.permission for each in missing] == [
        "pull-requests: write",
        "issues: write",
        "checks: write",
        "checks: read",
        "statuses: read",
    ]
    assert all("not accessible" in each.message for each in missing)
    assert pull.reviews == pull.comments == [] and github.journal.created == []


def test_who_may_write(github: GitHub, repo: Repo):
    pull = pull_of(github, repo)
    pull.repo.stored.collaborators |= {
        "wren": "write",
        "mo": "maintain",
        "tri": "triage",
        "rea": "read",
    }
    client = client_of(github)
    found = {}
    for login in ("octo", "wren", "mo", "tri", "rea", "stranger"):
        account = github.world.account(login)
        found[login] = may_write(client, Account(account.id, login))
    assert found == {
        "octo": True,
        "wren": True,
        "mo": True,
        "tri": False,
        "rea": False,
        "stranger": False,
    }
    assert not may_write(client, Account(github.world.account("rea").id, "wren")), (
        "the login is somebody else's today"
    )
    assert not may_write(client, Account(0, "wren")) and not may_write(
        client, Account(5, "nobody-here")
    )


def test_writes_are_paced_and_counted(github: GitHub, repo: Repo):
    pull_of(github, repo)
    clock = Clock()
    client = client_of(github, clock=clock)
    for number in range(3):
        post_review(client, 1, repo.head, "COMMENT", str(number))
    read_reviews(client, 1)
    read_viewer(client)
    assert clock.naps == [1, 1]
    assert (client.requests.reads, client.requests.writes, client.requests.graphql) == (
        1,
        3,
        1,
    ) and len(github.journal.entries) == 5
