"""What CI says: every page of runs, suites and statuses; our own run by number alone; what may be
missing is told."""

from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec.structs import replace

from reviewgate_gh.github.checks import CiFacts, OwnRun, read_ci_facts
from reviewgate_gh.github.pull_requests import read_pull
from reviewgate_gh.github.reading import BadCredentials, GitHubUnreachable, MalformedAnswer
from reviewgate_gh.model.pull_request import (
    Account,
    CiClass,
    OwnResult,
    PullRequest,
    RequiredCheck,
)
from reviewgate_gh.pull_request.ci import ci_status
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Say, Seen, Server, opened

ACTIONS = {"id": 15368, "slug": "github-actions"}
HEAD, MERGE = "a" * 40, "b" * 40
PULL = PullRequest(
    1,
    "octo/repo",
    "c" * 40,
    HEAD,
    "release/1.x",
    Account(5, "ada", "User"),
    state="open",
    merge_commit=MERGE,
)


def asked(github: GitHub, own: OwnRun | None = None, token: str | None = None) -> CiFacts:
    client = client_of(github, token)
    return read_ci_facts(client, read_pull(client, 1), own or OwnRun(run="99"))


def judged(facts: CiFacts) -> CiClass:
    return ci_status(
        facts.head, facts.required, merge=facts.merge, cut=facts.incomplete_reason
    ).ci_class


def test_every_page_counts(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    for number in range(150):
        pull.repo.check(repo.head, f"job {number}", run=1)
        pull.repo.status(repo.head, f"context {number}")
    pull.repo.check(repo.head, "last", "failure", run=2)
    facts = asked(github_plain)
    assert len(facts.head) == 301 and judged(facts) is CiClass.ANY_FAILURE


def test_nothing_at_all(github_plain: GitHub, repo: Repo):
    pull_of(github_plain, repo)
    facts = asked(github_plain)
    assert (replace(facts, pull=None), judged(facts)) == (CiFacts(()), CiClass.NO_CHECKS)
    assert facts.pull and (facts.pull.head, facts.pull.state) == (repo.head, "open")


def test_the_newest_status_of_each_context(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    for state in ("success", "failure", "pending"):
        pull.repo.status(repo.head, "ci/a", state)
    for _ in range(120):
        pull.repo.status(repo.head, "ci/b", "failure")
    pull.repo.status(repo.head, "ci/b", "success", by="ada")
    found = asked(github_plain).head
    assert {(each.kind, each.name, each.status, each.app) for each in found} == {
        ("status", "ci/a", "pending", "ci-bot"),
        ("status", "ci/b", "success", ""),
    }


@pytest.mark.parametrize(
    "state",
    [("queued", None), ("in_progress", None), ("completed", "success"), ("completed", "failure")],
)
def test_our_own_run_is_known_by_its_number_alone(github_plain: GitHub, repo: Repo, state):
    pull = pull_of(github_plain, repo)
    status, conclusion = state
    ours = pull.repo.check(repo.head, "gate (3.12)", conclusion, run=99, status=status)
    pull.repo.check(repo.head, "gate (3.11)", conclusion, run=99, status=status)
    pull.repo.check(repo.head, "gate (3.12)", "success", run=100)
    pull.repo.check(
        repo.head,
        "gate (3.12)",
        "success",
        app="other-ci",
        details_url="https://github.com/octo/repo/actions/runs/99/job/1",
    )
    pull.repo.check(repo.head, "lint", "success", run=990)
    by_run = [(each.name, each.app) for each in asked(github_plain).head if each.own]
    assert sorted(by_run) == [("gate (3.11)", "github-actions"), ("gate (3.12)", "github-actions")]
    by_check = [
        each for each in asked(github_plain, OwnRun(check=ours.id, run="99")).head if each.own
    ]
    assert [(each.name, each.app) for each in by_check] == [("gate (3.12)", "github-actions")]
    assert not any(each.own for each in asked(github_plain, OwnRun()).head)


@pytest.mark.parametrize(
    ("old", "new", "same_file", "cls"),
    [
        ("failure", "success", True, CiClass.ALL_PASSED),
        ("success", "failure", True, CiClass.ANY_FAILURE),
        ("success", None, True, CiClass.ALL_PENDING),
        ("failure", "success", False, CiClass.ANY_FAILURE),
    ],
)
def test_a_later_run_of_one_workflow_replaces_an_earlier_one_of_it_alone(
    github_plain: GitHub, repo: Repo, old, new, same_file, cls
):
    pull = pull_of(github_plain, repo)
    times = (
        {"completed": "2026-11-01T10:00:00Z"},
        {"completed": "2026-11-01T11:00:00Z"} if new else {},
    )
    for number, conclusion, path, when in (
        (1, old, "a.yml", times[0]),
        (2, new, "a.yml" if same_file else "b.yml", times[1]),
    ):
        pull.repo.workflow_run("CI", repo.head, id=number, path=f".github/workflows/{path}")
        pull.repo.check(
            repo.head, "build", conclusion, run=number, started="2026-11-01T09:00:00Z", **when
        )
    facts = asked(github_plain)
    assert judged(facts) is cls
    assert {each.workflow for each in facts.head} == {
        ".github/workflows/a.yml",
        f".github/workflows/{'a' if same_file else 'b'}.yml",
    }


def test_where_workflows_cannot_be_read_nothing_replaces_anything(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    pull.repo.check(repo.head, "build", "failure", run=1)
    pull.repo.check(repo.head, "build", "success", run=2)
    facts = asked(
        github_plain,
        token=github_plain.token(
            "g[bot]", checks="read", statuses="read", pull_requests="read", contents="read"
        ),
    )
    assert {each.workflow for each in facts.head} == {"run 1", "run 2"} and judged(
        facts
    ) is CiClass.ANY_FAILURE


def test_workflows_are_asked_for_only_where_names_meet(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    for number in range(5):
        pull.repo.check(repo.head, f"job {number}", run=number + 1)
    asked(github_plain)
    assert github_plain.journal.count("GET", "*/actions/runs/*") == 0


def test_the_test_merge_is_asked_too(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    pull.repo.check(repo.head, "build", run=1)
    pull.repo.status(pull.stored.merge_sha, "merge-ci", "failure")
    facts = asked(github_plain)
    assert [each.name for each in facts.merge] == ["merge-ci"] and judged(
        facts
    ) is CiClass.ANY_FAILURE
    github_plain.fault(
        "422",
        "GET",
        f"*/commits/{pull.stored.merge_sha}/check-runs",
        text="No commit found for SHA",
    )
    assert asked(github_plain).merge == ()


@pytest.mark.parametrize("lacks", ["checks", "statuses"])
def test_what_the_token_may_not_read_makes_ci_unknown(github_plain: GitHub, repo: Repo, lacks):
    pull = pull_of(github_plain, repo)
    pull.repo.check(repo.head, "build", run=1)
    pull.repo.status(repo.head, "ci/a")
    rights = {"checks": "read", "statuses": "read", "pull_requests": "read", "contents": "read"}
    facts = asked(github_plain, token=github_plain.token("g[bot]", **{**rights, lacks: ""}))
    assert (
        f"{lacks}: read" in facts.incomplete_reason
        and len(facts.head) == 1
        and judged(facts) is CiClass.UNKNOWN
    )


@pytest.mark.parametrize("method", ["short-page", "duplicate-page", "no-link"])
def test_a_page_that_is_missing_is_never_green(github_plain: GitHub, repo: Repo, method):
    pull = pull_of(github_plain, repo)
    for number in range(101):
        pull.repo.check(repo.head, f"job {number}", "failure" if not number else "success", run=1)
    github_plain.fault(
        method,
        "GET",
        f"*/commits/{repo.head}/check-runs",
        nth=2 if method == "duplicate-page" else 1,
    )
    try:
        facts = asked(github_plain)
    except MalformedAnswer:
        return
    assert judged(facts) in (CiClass.UNKNOWN, CiClass.ANY_FAILURE)


def counting(rules: int | None) -> dict:
    """GraphQL's count of the branch's rules; None for a branch that it does not show."""
    return {
        "data": {"repository": {"ref": None if rules is None else {"rules": {"totalCount": rules}}}}
    }


def answering(server: Server, **parts: object) -> None:
    """One answer for each part of CI; the others are empty."""
    wanted = {
        f"commits/{HEAD}/check-runs": {"total_count": 0, "check_runs": []},
        f"commits/{HEAD}/check-suites": {"total_count": 0, "check_suites": []},
        f"commits/{HEAD}/statuses": [],
        f"commits/{MERGE}/check-runs": {"total_count": 0, "check_runs": []},
        f"commits/{MERGE}/statuses": [],
        "branches/release%2F1.x": {"protected": False},
        "rules/branches/release%2F1.x": [],
        "apps/jenkins": None,
        "graphql": counting(len(rules) if isinstance(rules := parts.get("rules", []), list) else 0),
    }
    names = (
        "runs",
        "suites",
        "statuses",
        "merge_runs",
        "merge_statuses",
        "branch",
        "rules",
        "app",
        "counted",
    )
    names = dict(zip(names, wanted, strict=True))

    def rule(seen: Seen) -> Say | None:
        path = seen.path.partition("?")[0].removeprefix("/repos/octo/repo/").removeprefix("/")
        answers = wanted | {names[name]: value for name, value in parts.items()}
        found = answers.get(path)
        if callable(found):
            return found(seen)
        return found if isinstance(found, Say) else None if found is None else Say(200, found)

    server.rule = rule


BARE = {"oid": MERGE, "statusCheckRollup": None}
UNSURE = {
    "something reported": {**BARE, "statusCheckRollup": {"state": "SUCCESS"}},
    "another commit": {**BARE, "oid": HEAD},
    "the field is left out": {"oid": MERGE},
    "no such object": None,
}


def of_the_merge(server: Server) -> list[str]:
    return [each.path for each in server.seen if MERGE in each.path]


@pytest.mark.parametrize("told", ["nothing", *UNSURE, "an error"])
def test_the_test_merge_is_asked_unless_graphql_says_that_nothing_reported_there(
    server: Server, client, told
):
    answer = {"repository": {"ref": None, "object": UNSURE.get(told, BARE), "pullRequest": None}}
    refused = [{"type": "FORBIDDEN", "message": "not accessible", "path": ["repository"]}]
    answering(
        server, counted={"data": answer, **({"errors": refused} if told == "an error" else {})}
    )
    read_ci_facts(client, PULL, OwnRun())
    assert bool(of_the_merge(server)) == (told != "nothing")


@pytest.mark.parametrize(
    ("now", "wanted"),
    [
        ({"headRefOid": "d" * 40, "state": "OPEN", "isDraft": False}, ("d" * 40, "open", False)),
        ({"headRefOid": HEAD, "state": "MERGED", "isDraft": True}, (HEAD, "merged", True)),
        ({"headRefOid": HEAD, "state": "FROZEN", "isDraft": False}, None),
        ({"headRefOid": None, "state": "OPEN", "isDraft": False}, None),
        (None, None),
    ],
    ids=["moved", "merged draft", "a new word", "no head", "nothing"],
)
def test_how_the_pull_request_stands_after_ci_was_read(server: Server, client, now, wanted):
    answering(server, counted={"data": {"repository": {"pullRequest": now}}})
    pull = read_ci_facts(client, PULL, OwnRun()).pull
    assert (pull and (pull.head, pull.state, pull.draft)) == wanted


def test_a_token_that_may_not_read_checks_by_graphql_still_counts_the_rules(server: Server, client):
    def answer(seen: Seen) -> Say:
        if seen.json()["variables"]["checks"]:
            refused = {"type": "FORBIDDEN", "message": "Resource not accessible by integration"}
            return Say(200, {"data": {"repository": None}, "errors": [refused]})
        return Say(200, counting(2))

    answering(server, rules=RULES, counted=answer)
    facts = read_ci_facts(client, PULL, OwnRun())
    assert (facts.more, facts.incomplete_reason, bool(of_the_merge(server))) == (False, "", True)


def suite(number: int, conclusion: str | None, runs: int, status: str = "completed") -> dict:
    return {
        "id": number,
        "status": status,
        "conclusion": conclusion,
        "latest_check_runs_count": runs,
        "app": ACTIONS,
        "created_at": "t",
    }


def test_a_workflow_that_could_not_start_has_failed(server: Server, client):
    found = [
        suite(1, "startup_failure", 0),
        suite(2, "success", 3),
        suite(3, None, 0, "queued"),
        suite(4, "failure", 2),
        suite(5, "action_required", 0),
    ]
    answering(server, suites={"total_count": 5, "check_suites": found})
    facts = read_ci_facts(client, PULL, OwnRun())
    assert [(each.name, each.conclusion) for each in facts.head] == [
        ("github-actions suite 1", "startup_failure"),
        ("github-actions suite 5", "action_required"),
    ]
    assert judged(facts) is CiClass.ANY_FAILURE


def test_suites_that_may_not_be_read_may_have_failed(server: Server, client):
    answering(server, suites=NOT_YOURS)
    facts = read_ci_facts(client, PULL, OwnRun())
    assert (
        "check runs cannot be read" in facts.incomplete_reason and judged(facts) is CiClass.UNKNOWN
    )


@pytest.mark.parametrize("total", [1000, 1001, 5000])
def test_more_suites_than_github_keeps_runs_of_is_unknown(server: Server, client, total):
    answering(server, suites={"total_count": total, "check_suites": [suite(1, "success", 1)]})
    facts = read_ci_facts(client, PULL, OwnRun())
    assert "check suites" in facts.incomplete_reason and judged(facts) is CiClass.UNKNOWN


@pytest.mark.parametrize(("total", "known"), [(999, True), (1000, False)])
def test_the_last_suite_that_github_keeps_may_hide_older_ones(server: Server, client, total, known):
    def listed(seen: Seen) -> Say:
        page = int(parse_qs(urlsplit(seen.path).query).get("page", ["1"])[0])
        numbers = range((page - 1) * 100, min(total, page * 100))
        link = (
            {"link": f'<{server.url}{seen.path.partition("?")[0]}?page={page + 1}>; rel="next"'}
            if page * 100 < total
            else {}
        )
        return Say(
            200,
            {
                "total_count": total,
                "check_suites": [suite(number, "success", 1) for number in numbers],
            },
            link,
        )

    answering(server, suites=listed)
    assert (read_ci_facts(client, PULL, OwnRun()).incomplete_reason == "") is known


def test_words_that_are_new_are_kept(server: Server, client):
    run = {
        "id": 1,
        "name": "x",
        "status": "frobnicating",
        "conclusion": None,
        "app": None,
        "details_url": None,
    }
    other = {**run, "id": 2, "status": "completed", "conclusion": "frobnicated"}
    answering(server, runs={"total_count": 2, "check_runs": [run, other]})
    facts = read_ci_facts(client, PULL, OwnRun(run="1"))
    assert [(each.status, each.conclusion, each.app) for each in facts.head] == [
        ("frobnicating", "", ""),
        ("completed", "frobnicated", ""),
    ]
    assert judged(facts) is CiClass.UNKNOWN


@pytest.mark.parametrize(
    "part", ["runs", "suites", "statuses", "merge_runs", "merge_statuses", "branch", "rules"]
)
@pytest.mark.parametrize(
    ("say", "error"),
    [
        (Say(502, {}), GitHubUnreachable),
        (Say(200, {"unexpected": True}), MalformedAnswer),
        (Say(200, "x"), GitHubUnreachable),
    ],
)
def test_what_cannot_be_asked_is_an_error_and_never_green(server: Server, client, part, say, error):
    answering(server, **{part: say})
    with pytest.raises(error):
        read_ci_facts(client, PULL, OwnRun())


LEVEL = {"enforcement_level": "everyone", "contexts": ["a", "b"]}
PROTECTED = {"protected": True, "protection": {"enabled": True, "required_status_checks": LEVEL}}
RULES = [
    {"type": "deletion"},
    {
        "type": "required_status_checks",
        "parameters": {
            "required_status_checks": [{"context": "a"}, {"context": "c", "integration_id": 15368}]
        },
    },
]
NOT_YOURS, NOWHERE = (
    Say(403, {"message": "Upgrade to GitHub Pro"}),
    Say(404, {"message": "Not Found"}),
)
STATUS = {
    "id": 1,
    "context": "old",
    "state": "success",
    "created_at": "t",
    "creator": {"id": 9, "login": "jenkins[bot]", "type": "Bot"},
}


def level(**changes) -> dict:
    return {"protected": True, "protection": {"required_status_checks": {**LEVEL, **changes}}}


@pytest.mark.parametrize(
    ("parts", "required"),
    [
        ({}, ()),
        ({"branch": PROTECTED}, (RequiredCheck("a"), RequiredCheck("b"))),
        ({"branch": level(enforcement_level="off")}, ()),
        ({"branch": {"protected": True, "protection": None}}, ()),
        (
            {
                "branch": level(
                    checks=[{"context": "a", "app_id": -1}, {"context": "b", "app_id": None}]
                )
            },
            (RequiredCheck("a"), RequiredCheck("b")),
        ),
        ({"branch": level(checks=[{"context": "a", "app_id": 7}])}, (RequiredCheck("a", "app 7"),)),
        (
            {"branch": PROTECTED, "rules": RULES},
            (RequiredCheck("a"), RequiredCheck("b"), RequiredCheck("c", "app 15368")),
        ),
        (
            {"branch": NOT_YOURS, "rules": RULES},
            (RequiredCheck("a"), RequiredCheck("c", "app 15368")),
        ),
        ({"branch": PROTECTED, "rules": NOWHERE}, (RequiredCheck("a"), RequiredCheck("b"))),
        ({"branch": NOWHERE, "rules": NOT_YOURS}, None),
        ({"branch": NOWHERE}, None),
        (
            {
                "rules": RULES,
                "runs": {
                    "total_count": 1,
                    "check_runs": [
                        {
                            "id": 1,
                            "name": "c",
                            "status": "queued",
                            "app": ACTIONS,
                            "details_url": "",
                        }
                    ],
                },
            },
            (RequiredCheck("a"), RequiredCheck("c", "github-actions")),
        ),
        (
            {
                "branch": level(checks=[{"context": "old", "app_id": 7}]),
                "statuses": [STATUS],
                "app": {"id": 7},
            },
            (RequiredCheck("old", "jenkins"),),
        ),
        (
            {
                "branch": level(checks=[{"context": "old", "app_id": 7}]),
                "statuses": [STATUS],
                "app": {"id": 8},
            },
            (RequiredCheck("old", "app 7"),),
        ),
        (
            {"branch": level(checks=[{"context": "old", "app_id": 7}]), "statuses": [STATUS]},
            (RequiredCheck("old", "app 7"),),
        ),
    ],
)
def test_what_the_branch_requires(server: Server, client, parts, required):
    answering(server, **parts)
    facts = read_ci_facts(client, PULL, OwnRun())
    unread = any(parts.get(part) in (NOT_YOURS, NOWHERE) for part in ("branch", "rules"))
    assert (facts.required, facts.more) == (required, unread)


@pytest.mark.parametrize(
    ("app", "number", "own"),
    [("jenkins", 7, True), ("jenkins", 8, False), ("", 7, False), ("github-actions", 7, False)],
)
def test_our_own_verdict_is_required_of_us_alone(server: Server, client, app, number, own):
    answering(
        server,
        branch=level(
            checks=[{"context": "reviewgate-gh", "app_id": 7}, {"context": "b", "app_id": 7}]
        ),
        app={"id": number},
    )
    facts = read_ci_facts(client, PULL, OwnRun(app=app))
    assert {each.name: each.own for each in facts.required or ()} == {
        "reviewgate-gh": own,
        "b": False,
    }


EXTERNAL = "reviewgate-gh:" + "0123456789abcdef"


@pytest.mark.parametrize(
    ("app", "external", "asks", "own"),
    [
        ("github-actions", EXTERNAL, "", OwnResult.VERDICT),
        ("github-actions", EXTERNAL, "my-gate", OwnResult.VERDICT),
        ("my-gate", EXTERNAL, "my-gate", OwnResult.VERDICT),
        ("my-gate", EXTERNAL, "", OwnResult.NO),
        ("other-ci", EXTERNAL, "my-gate", OwnResult.NO),
        ("github-actions", "7c2f7c5e-6d1c-5a3e-9c5f-0d8f6a3f2b11", "", OwnResult.NO),
        ("github-actions", "", "", OwnResult.NO),
        ("", EXTERNAL, "", OwnResult.NO),
    ],
)
@pytest.mark.parametrize("where", ["runs", "merge_runs"])
def test_our_own_verdict_is_known_by_its_app_and_its_external_id(
    server: Server, client, where, app, external, asks, own
):
    run = {
        "id": 1,
        "name": "any name",
        "status": "completed",
        "conclusion": "success",
        "details_url": None,
        "external_id": external,
    }
    made = {**run, "app": {"id": 5, "slug": app} if app else None}
    answering(server, **{where: {"total_count": 1, "check_runs": [made]}})
    facts = read_ci_facts(client, PULL, OwnRun(app=asks))
    [check] = (*facts.head, *facts.merge)
    assert (check.own, check.marked) == (own, external == EXTERNAL)


@pytest.mark.parametrize("counted", [2, 1, 0])
def test_no_rule_is_missing_where_all_that_are_counted_are_shown(server: Server, client, counted):
    answering(server, rules=RULES, counted=counting(counted))
    facts = read_ci_facts(client, PULL, OwnRun())
    assert (len(facts.required or ()), facts.more, facts.incomplete_reason) == (2, False, "")
    [asked] = [each.json() for each in server.seen if each.path == "/graphql"]
    assert asked["variables"] == {
        "owner": "octo",
        "name": "repo",
        "number": 1,
        "branch": "refs/heads/release/1.x",
        "merge": MERGE,
        "checks": True,
    }


@pytest.mark.parametrize("branch", [PROTECTED, NOWHERE])
@pytest.mark.parametrize("shown", [RULES[:1], []])
def test_a_rule_that_is_counted_and_not_shown_makes_ci_unknown(
    server: Server, client, shown, branch
):
    passed = {
        "name": "a",
        "status": "completed",
        "conclusion": "success",
        "app": ACTIONS,
        "details_url": "",
    }
    runs = [{**passed, "id": 1}, {**passed, "id": 2, "name": "b"}]
    answering(
        server,
        rules=shown,
        branch=branch,
        counted=counting(2),
        runs={"total_count": 2, "check_runs": runs},
    )
    facts = read_ci_facts(client, PULL, OwnRun())
    assert (
        f"could not be read completely: GitHub counts 2 but returned {len(shown)}"
        in facts.incomplete_reason
        and judged(facts) is CiClass.UNKNOWN
    )


NO_FIELD = {
    "message": "Field 'rules' doesn't exist on type 'Ref'",
    "locations": [],
    "extensions": {"code": "undefinedField"},
}


@pytest.mark.parametrize(
    "counted",
    [
        {"errors": [NO_FIELD]},
        {
            "data": {"repository": None},
            "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}],
        },
        {"data": {"repository": {"ref": {"rules": None}}}},
        {"unexpected": True},
        counting(None),
        NOT_YOURS,
        NOWHERE,
    ],
    ids=["no such field", "forbidden", "null", "another shape", "no such branch", "403", "404"],
)
def test_rules_that_nobody_counts_are_those_that_are_shown_and_there_may_be_others(
    server: Server, client, counted
):
    answering(server, rules=RULES, counted=counted)
    facts = read_ci_facts(client, PULL, OwnRun())
    assert (facts.required, facts.more, facts.incomplete_reason) == (
        (RequiredCheck("a"), RequiredCheck("c", "app 15368")),
        True,
        "",
    )


def test_without_a_token_nobody_counts(server: Server, clock):
    answering(server, rules=RULES)
    facts = read_ci_facts(opened(server, clock, token=""), PULL, OwnRun())
    assert (
        facts.required and facts.more and not any(each.path == "/graphql" for each in server.seen)
    )


def test_a_count_that_github_fails_to_give_leaves_the_rules_incomplete(server: Server, client):
    answering(server, rules=RULES, counted=Say(502, {}))
    facts = read_ci_facts(client, PULL, OwnRun())
    assert facts.required and facts.more and "could not be counted" in facts.incomplete_reason


def test_a_count_that_cannot_be_asked_for_is_an_error(server: Server, client):
    answering(server, rules=RULES, counted=Say(401, {"message": "Bad credentials"}))
    with pytest.raises(BadCredentials):
        read_ci_facts(client, PULL, OwnRun())
