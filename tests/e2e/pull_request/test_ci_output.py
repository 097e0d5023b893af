"""The lens that reads what the pull request's own CI says, and runs nothing of it."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.github import pull_request
from tests.peers.github.handle import GATE
from tests.peers.model_server import serving

from ..panels import CODE, claim, kind, panel
from .test_incremental import Hosted

MORE = "ensemble: {lenses: [build-and-test], reverse_audit: {max_rounds: 0}, cache: false}"
CORRECTNESS = MORE.replace("build-and-test", "correctness")
DENIED = "\npolicy: {denied_paths: [key/]}"
SECRET = "AKIA" + "Z3MSJQ7LX2WPN5TB"


@pytest.fixture(params=[MORE])
def hosted(github, repo, tmp_path, request):
    """A pull request, and a model that reads CI alone."""
    with serving() as server:
        made = Hosted(github, repo, tmp_path, server)
        made.configure(request.param)
        repo.commit({"Makefile": f"test:\n\ttouch {tmp_path}/ran\n"})
        made.open({"a.py": CODE})
        server.answer = panel(lambda what: [claim()] if what == "Build and test" else [])
        yield made


def failed(hosted: Hosted) -> None:
    stored, head = hosted.stored, hosted.repo.rev("topic")
    stored.check(head, "lint")
    bad = stored.check(head, "tests (3.12)", "failure")
    bad.output = {"title": "1 failed", "summary": f"mean([]) raised ZeroDivisionError {SECRET}"}
    bad.annotations = [
        {
            "path": path,
            "start_line": 3,
            "end_line": 3,
            "annotation_level": "failure",
            "message": "ZeroDivisionError: division by zero",
        }
        for path in ("a.py", "key/a.py")
    ]


def asked(hosted: Hosted) -> str:
    """What the lens was sent."""
    [question] = [each for each in hosted.server.requests if kind(each) == "Build and test"]
    return question.prompt.rpartition("Your task: ")[2]


def test_a_pull_requests_own_ci_is_read_and_nothing_of_it_is_run(hosted, tmp_path):
    failed(hosted)
    code, report, _sent = hosted.review()
    told = asked(hosted)
    assert "check tests (3.12): failure\n  1 failed\n  mean([]) raised" in told
    assert "a.py:3: failure: ZeroDivisionError: division by zero" in told
    assert "check lint: success" in told and SECRET not in told
    assert code == 1 and not (tmp_path / "ran").exists()
    assert any(each["sources"] == ["one/build-and-test"] for each in report["findings"])


def test_the_action_reads_it_too_and_leaves_out_its_own_run(hosted, tmp_path):
    failed(hosted)
    hosted.stored.check(hosted.repo.rev("topic"), "Review", None, run=4242)
    event = pull_request(hosted.repo.rev("main"), hosted.repo.rev("topic"))
    hosted.act("pull_request", event, tmp_path / "action", GITHUB_RUN_ID="4242")
    assert "tests (3.12): failure" in asked(hosted) and "check Review" not in asked(hosted)


LOG = "".join(
    f"2026-11-26T10:00:{second:02}.1234567Z {row}\n"
    for second, row in enumerate(
        [
            *(f"collecting {number}" for number in range(60)),
            f"\x1b[31mE   assert mean([]) == 0 {SECRET}\x1b[0m",
            "##[error]Process completed with exit code 1.",
            "Post job cleanup.",
            "Cleaning up orphan processes",
        ]
    )
)


@contextmanager
def storage(log: str, status: int = 200) -> Iterator[tuple[str, list[Mapping[str, str]]]]:
    """The host where logs lie: its address, and the headers of what it was asked."""
    asked: list[Mapping[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append({name.lower(): value for name, value in self.headers.items()})
            data = log.encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/log?sig=abc", asked
    finally:
        server.shutdown()
        server.server_close()


def failed_job(hosted: Hosted, log_url: str, app: str = "github-actions") -> None:
    bad = hosted.stored.check(hosted.repo.rev("topic"), "unit", "failure", run=77, app=app)
    bad.log_url = log_url


def reviewed(hosted: Hosted) -> str:
    """What the lens was sent. The storage is asked besides GitHub, which the run counts."""
    done = hosted.clone.cli(
        *("review", "--pr", "1", "--output", "json"),
        env={**hosted.github.env(), "GITHUB_TOKEN": hosted.token, "CI": "true"},
    )
    assert done.code in (0, 1), done.output
    return asked(hosted)


def test_the_log_of_a_failed_job_is_read_up_to_its_last_error_and_without_the_token(hosted):
    with storage(LOG) as (url, headers):
        failed_job(hosted, url)
        told = reviewed(hosted)
    assert "check unit: failure\n  the end of its log:\n    collecting" in told
    assert "    E   assert mean([]) == 0 [REDACTED" in told and "\x1b" not in told
    assert "##[error]Process completed" in told and "cleanup" not in told
    assert "collecting 10\n" not in told and SECRET not in told
    assert len(headers) == 1 and "authorization" not in headers[0]


@pytest.mark.parametrize("app", ["github-actions", "another"])
@pytest.mark.parametrize("status", [403, 500])
def test_a_log_that_cannot_be_read_is_named_and_no_reason_to_skip_the_lens(hosted, status, app):
    """Another app's check may name any page, and has no log."""
    with storage(LOG, status) as (url, headers):
        failed_job(hosted, url, app)
        told = reviewed(hosted)
    why = "its log cannot be read: GitHub at 127.0.0.1 did not answer"
    assert (why in told and f"status {status}" in told) == (app == "github-actions")
    assert len(headers) == (app == "github-actions") and "collecting" not in told


def test_no_log_is_fetched_over_plain_http_from_elsewhere(hosted):
    failed_job(hosted, "http://logs.invalid/log?sig=abc")
    assert "its log cannot be read" in (told := reviewed(hosted))
    assert "https address" in told and "sig=abc" not in told


def test_a_token_without_the_permission_is_told_which(hosted):
    with storage(LOG) as (url, headers):
        failed_job(hosted, url)
        lacking = {name: how for name, how in GATE.items() if name != "actions"}
        hosted.token = hosted.github.token(**lacking)
        told = reviewed(hosted)
    assert "its log cannot be read: GitHub refused GET" in told and headers == []


def test_a_lens_whose_checks_cannot_be_read_is_left_out_and_says_so(hosted):
    lacking = {name: how for name, how in GATE.items() if name != "checks"}
    hosted.token = hosted.github.token(**lacking)
    _code, report, _sent = hosted.review()
    assert not hosted.server.requests
    [row] = [each for each in report["reviews"] if each["part"] == "build-and-test"]
    assert row["status"] == "skipped" and "checks cannot be read: GitHub refused" in row["error"]


@pytest.mark.parametrize("hosted", [CORRECTNESS + DENIED], indirect=True)
def test_every_lens_is_told_which_checks_failed(hosted):
    """Without what they say of files that models may not read."""
    failed(hosted)
    hosted.review()
    [question] = hosted.server.requests
    shared = question.prompt.rpartition("Your task: ")[0]
    said, told = shared.partition("Checks of the project's CI that failed")[::2]
    assert said and '{"check": "tests (3.12)", "result": "failure"}\n' in told
    assert '"says": "a.py:3: failure: ZeroDivisionError: division by zero"}' in told
    assert "reason to leave a finding out" in told.replace("\n", " ")
    assert "key/a.py" not in told and "lint" not in told and "ZeroDivision" not in said


@pytest.mark.parametrize("hosted", [CORRECTNESS], indirect=True)
def test_a_lens_that_does_not_need_ci_is_asked_where_it_cannot_be_read(hosted):
    failed(hosted)
    lacking = {name: how for name, how in GATE.items() if name != "checks"}
    hosted.token = hosted.github.token(**lacking)
    _code, report, _sent = hosted.review()
    [question] = hosted.server.requests
    assert "CI that failed" not in question.prompt and report["known"] == []
