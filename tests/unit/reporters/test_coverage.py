"""Code that nobody for its language read is said in every form, with what would read it."""

import json

import pytest

from reviewgate_gh.pull_request import check_run
from reviewgate_gh.pull_request.actions import PostReview
from reviewgate_gh.pull_request.review_text import review_body
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.json import load_report
from reviewgate_gh.system.plugins import load as load_plugin
from reviewgate_gh.system.plugins import names
from tests.unit.reporters.sample import CLEAN, COVERAGE, NO_LINTER, UNREVIEWED

LOOK = OutputStyle()
FORMS = names("reporters")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_names_the_languages_the_files_and_what_would_read_them(form):
    text = load_plugin("reporters", form).render(UNREVIEWED, LOOK)
    for word in (
        "Kotlin",
        "Go",
        "app/Main.kt",
        "golangci-lint",
        "add a language model as a reviewer",
    ):
        assert word in text, (form, word)


@pytest.mark.parametrize("form", FORMS)
def test_without_such_files_nothing_is_said(form):
    text = load_plugin("reporters", form).render(CLEAN, LOOK)
    assert "Kotlin" not in text and "excluded" not in text.replace('"excluded": 0', "")


def test_the_last_line_counts_them_by_language_and_what_is_excluded():
    last = load_plugin("reporters", "terminal").render(UNREVIEWED, LOOK).splitlines()[-1]
    assert last.startswith("reviewgate-gh: concerns · nothing found in 7 files") and last.endswith(
        "3 not reviewed: 2 Kotlin, 1 Go · 1 excluded"
    )


def test_an_agent_is_told_that_no_edit_helps_and_to_do_nothing_again():
    text = load_plugin("reporters", "agent").render(UNREVIEWED, LOOK)
    assert "Tell your user: 3 files were not reviewed" in text and "re-run" not in text


def test_the_runner_warns_once():
    assert load_plugin("reporters", "annotations").render(UNREVIEWED, LOOK).count("::warning ") == 1


def test_a_check_run_says_it_in_its_title_and_summary():
    assert (
        check_run.check_title(UNREVIEWED)
        == "concerns · nothing found in 7 files · 3 not reviewed: 2 Kotlin, 1 Go"
    )
    assert COVERAGE.reason.partition(":")[0] in check_run.check_summary(UNREVIEWED)


def test_a_posted_review_says_it():
    text = review_body(PostReview("COMMENT", UNREVIEWED.change.head), UNREVIEWED)
    assert "Kotlin" in text and "app/Main.kt" in text


def test_json_keeps_every_row():
    text = load_plugin("reporters", "json").render(UNREVIEWED, LOOK)
    assert load_report(text).coverage == COVERAGE
    rows = {row["path"]: row for row in json.loads(text)["coverage"]["rows"]}
    assert (
        rows["app/Main.kt"]["how"],
        rows["app/Main.kt"]["missing"],
        rows["app/Main.kt"]["why"],
    ) == ("scanned", True, NO_LINTER)


def test_a_report_of_an_earlier_release_has_no_rows_and_is_read():
    plain = json.loads(load_plugin("reporters", "json").render(CLEAN, LOOK))
    del plain["coverage"]
    assert load_report(json.dumps(plain)).coverage.rows == ()
