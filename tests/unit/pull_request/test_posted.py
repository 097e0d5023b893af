"""What is posted on a pull request: inert whatever it quotes, within GitHub's limits, and a
suggestion only where a click is harmless."""

import ast
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

import reviewgate_gh
from reviewgate_gh.findings import markers
from reviewgate_gh.findings.markers import FindingMarker, ReviewMarker, last_marker, with_marker
from reviewgate_gh.model.finding import Finding, FindingState, Priority
from reviewgate_gh.model.pull_request import Account
from reviewgate_gh.model.report import Outcome, Report, ReviewRow
from reviewgate_gh.model.review import ModelCall, ReviewStatus
from reviewgate_gh.pull_request import posted_text, review_text
from reviewgate_gh.pull_request.actions import PlacedFinding, Placement, PostReview
from reviewgate_gh.pull_request.answers import earlier_review, explanation, refusal
from reviewgate_gh.pull_request.dismissal import (
    DismissalRequest,
    GrantedDismissals,
    apply_dismissals,
)
from reviewgate_gh.pull_request.placement import MAX_LISTED
from reviewgate_gh.pull_request.rows import without_findings
from reviewgate_gh.text.safe import without_commands
from tests.unit.model.values import values
from tests.unit.reporters.sample import BASE, BLOCKED, HEAD, RICH, UNDEFINED
from tests.unit.reporters.test_safety import HOSTILE, TOKEN, everywhere, full
from tests.unit.text.test_sanitize import _TEXTS, _acting

pytestmark = pytest.mark.slow

# Every place of the product that sends words to GitHub, with what shows that they are inert. Who
# adds one adds its hostile test.
SENDERS = {
    ("pull_request/post.py", "post_review"): "here: inline and body",
    (
        "pull_request/publish.py",
        "account_by_pending",
    ): "tests/unit/github/test_degraded.py: it has no words, and is gone before anybody sees it",
    (
        "pull_request/apply.py",
        "dismiss_review",
    ): "tests/unit/pull_request/test_actions.py: our own words and object ids",
    (
        "pull_request/publish_kept.py",
        "missing_permissions",
    ): "tests/e2e/pull_request/test_permissions.py: nothing is created, and it sends no words",
    ("pull_request/apply.py", "edit_review"): "here: a text that stands there, with fewer rows",
    ("pull_request/answer_comment.py", "post_comment"): "here: answers",
    ("pull_request/answer_comment.py", "edit_comment"): "here: answers",
    ("action/comment.py", "react"): "one of three words",
    ("pull_request/check_run.py", "send_check_run"): "tests/unit/pull_request/test_check.py",
    ("issues/trackers/github.py", "write"): "tests/contract/test_trackers.py",
}
OURS = re.compile(
    r"</?sub>|<code>/reviewgate-gh dismiss REASON</code>|(?m:^<!-- reviewgate-gh:[^\n]*-->\Z)"
)
MARK, REVIEW = (
    FindingMarker("0123456789abcdef", HEAD),
    ReviewMarker(HEAD, "feedfeedfeedfeed", ("0123456789abcdef",)),
)
EVIL = {
    **HOSTILE,
    "our marker": "<!-- reviewgate-gh:finding 0123456789abcdef " + "a" * 40 + " -->",
    "our marker, nested": "<!--<!-- reviewgate-gh:review "
    + "a" * 40
    + " feedfeed -->-->\n<!-- reviewgate-gh:x",
    "ticks": "`" * 20 + "\n@user\n" + "~" * 20 + "\n```suggestion\nrm -rf /\n```",
    "closing": "fixes #1, closes octo/repo#2, Resolved GH-3 https://github.com/o/r/issues/4",
    "slash": "/approve\n/lgtm\n@dependabot squash and merge",
    "images": (
        '![x](https://evil.example/?d=1) <img src="https://evil.example"> '
        "[![a](b)](http://c.example) [l](javascript:x)"
    ),
}


OUR_LINK = "[this comment](#issuecomment-1)"


def posted(report: Report) -> dict[str, str]:
    """All texts about a report, as they are sent."""
    placed = [
        PlacedFinding(finding, Placement.INLINE, line=13, start=12) for finding in report.findings
    ]
    first = PostReview(
        "COMMENT",
        HEAD,
        (),
        tuple(replace(each, placement=Placement.BODY, reason="ours") for each in placed),
        more=3,
    )
    told = replace(first, reasons=("CI is failing: lint.",), hints=("Look again.",))
    texts = {
        f"inline {number}": with_marker(posted_text.inline_comment(each), MARK)
        for number, each in enumerate(placed)
    }
    explained = [explanation(each, report) for each in report.findings]
    refused = [refusal(1, each.title)[1].replace(OUR_LINK, "") for each in report.findings]
    for number, text in enumerate((*explained, *refused, earlier_review(report)[1])):
        texts[f"answer {number}"] = with_marker(without_commands(text), MARK)  # as answers_text
    return {
        **texts,
        "body": with_marker(review_text.review_body(told, report), REVIEW),
        "part": with_marker(review_text.review_body(replace(first, part=2), report), REVIEW),
    }


def test_every_sender_is_known() -> None:
    root = Path(reviewgate_gh.__file__).parent
    sending = {
        name
        for path in (root / "github").glob("*.py")
        if path.name != "runner.py"
        for name in _doors(ast.parse(path.read_text("utf-8")))
    }
    calls = set()
    for path in root.rglob("*.py"):
        name = path.relative_to(root).as_posix()
        if name.startswith("github/"):
            continue
        text = path.read_text("utf-8")
        if "github" in text:
            calls |= {
                (name, word)
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Call) and (word := _sends(node, sending))
            }
    assert calls - {("pull_request/publish.py", "dismiss")} == set(SENDERS), (
        "pull_request/dismissal.py sends nothing"
    )


def _doors(module: ast.Module) -> set[str]:
    """The public functions of a module that write to GitHub, themselves or through others of it; to
    delete takes no words."""
    called = {
        function.name: [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        for function in module.body
        if isinstance(function, ast.FunctionDef)
    }
    writing = {name for name, nodes in called.items() if any(_writes(node) for node in nodes)}
    for _ in called:
        writing |= {
            name
            for name, nodes in called.items()
            if any(getattr(node.func, "id", "") in writing for node in nodes)
        }
    return {name for name in writing if not name.startswith("_")}


def _writes(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    deletes = isinstance(first, ast.Constant) and first.value == "DELETE"
    return isinstance(call.func, ast.Attribute) and call.func.attr == "write" and not deletes


def _sends(call: ast.Call, sending: set[str]) -> str:
    """The name of a function that sends, or `write` of a client."""
    if isinstance(call.func, ast.Name):
        return call.func.id if call.func.id in sending else ""
    if isinstance(call.func, ast.Attribute):
        write = call.func.attr == "write" and "client" in ast.unparse(call.func.value)
        return call.func.attr if write or call.func.attr in sending else ""
    return ""


@pytest.mark.parametrize("kind", EVIL)
def test_a_text_with_fewer_rows_is_the_same_text_without_them(kind: str) -> None:
    evil = everywhere(UNDEFINED, lambda old: f"{old} {EVIL[kind]}")
    three = tuple(replace(evil, line_start=n, line_end=n, code=str(n)) for n in (1, 2, 3))
    text = posted(replace(BLOCKED, findings=three))["body"]
    written = {
        each.fingerprint: row
        for each in three
        for row in text.split("\n")
        if f"`{each.fingerprint}`" in row
    }
    gone = three[1].fingerprint
    less = without_findings(text, {gone})
    assert len(written) == 3 and less == text.replace(f"{written[gone]}\n", "").replace(
        "3 findings without", "2 findings without"
    )
    check_inert(less, kind)


@pytest.mark.parametrize("whole", [True, False], ids=["instead", "behind"])
@pytest.mark.parametrize("kind", EVIL)
def test_nothing_foreign_acts(kind: str, whole: bool) -> None:
    change: Callable[[str], str] = (
        (lambda _: EVIL[kind]) if whole else (lambda old: f"{old} {EVIL[kind]}")
    )
    for outcome in (Outcome.INCONCLUSIVE, Outcome.BLOCK):
        report = everywhere(full(outcome), change)
        report = replace(
            report,
            findings=tuple(
                replace(each, state=FindingState.DISMISSED if n % 3 else FindingState.OPEN)
                for n, each in enumerate(report.findings)
            ),
        )
        for name, text in posted(report).items():
            check_inert(
                text,
                f"{kind} in {name}",
                EVIL[kind] if whole else f"{UNDEFINED.suggestion} {EVIL[kind]}",
            )


def check_inert(text: str, where: str, suggestion: str = "") -> None:
    """No secret, nothing hidden, no command, nothing that acts, and one marker, ours."""
    bare = "".join(char for char in text if char.isalnum() or char == "_")
    assert TOKEN not in bare and TOKEN[:16] not in bare, where
    odd = {
        char
        for char in text
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t"
    }
    assert not odd, (where, [f"U+{ord(char):04X}" for char in odd])
    assert not [
        line for line in text.split("\n") if line.lstrip().startswith("::") or "##[" in line
    ], where
    assert text.count("<!-- reviewgate-gh") == 1 and last_marker(text) in (MARK, REVIEW), where
    acting = [each for each in _acting(OURS.sub("", text)) if each.strip() != suggestion.strip()]
    assert not acting, (where, acting, text)
    assert len(text) <= posted_text.MAX_CHARACTERS, where


@given(st.lists(_TEXTS, min_size=6, max_size=6))
@example([*"tbrp", "\ud800", "n"])
@example([*"tb", "\ud800", "\ud800", *"sn"])
def test_no_mixture_of_texts_acts(texts: list[str]) -> None:
    title, body, rule, path, source, note = texts
    one = replace(
        UNDEFINED,
        title=title,
        body=body,
        rule=rule,
        path=path,
        sources=(source,),
        note=note,
        suggestion=body,
        places=(path, title),
    )
    gone = replace(one, state=FindingState.DISMISSED)
    report = replace(RICH, findings=(one, gone), notices=(note, source), config_source=rule)
    for name, text in posted(report).items():
        check_inert(text, name, body.replace("\r\n", "\n"))


def test_what_a_review_keeps_for_the_next_one_holds_no_secret() -> None:
    row = ReviewRow("one", "security", ReviewStatus.OK, asked=ModelCall())
    report = replace(
        everywhere(full(Outcome.BLOCK), lambda old: f"{old} {TOKEN}"), skipped="", reviews=(row,)
    )
    report = replace(
        report,
        verdict=replace(report.verdict, not_reviewed=()),
        findings=tuple(replace(f, rule="", state=FindingState.OPEN) for f in report.findings),
    )
    report = replace(report, config_digest="0" * 12, change=replace(report.change, base=BASE))
    kept = markers.read_posted_state(markers.write_posted_state(report))
    assert (
        kept is not None and kept.findings and TOKEN not in repr(kept) and "REDACTED" in repr(kept)
    )


def test_words_of_people_who_dismiss_are_inert() -> None:
    for kind, words in EVIL.items():
        wish = DismissalRequest(UNDEFINED.fingerprint, Account(1, words), words)
        report = apply_dismissals(
            BLOCKED, GrantedDismissals({UNDEFINED.fingerprint: wish}, {}, (f"{words} asked",))
        )
        assert report.findings[0].state is FindingState.DISMISSED
        check_inert(posted(report)["body"], kind)


# Suggestions


def suggested(finding: Finding = UNDEFINED, start: int = 12, line: int = 13) -> str:
    return posted_text.inline_comment(
        PlacedFinding(finding, Placement.INLINE, start=start, line=line)
    )


def test_a_suggestion_is_a_block_on_its_very_lines() -> None:
    assert "```suggestion\n    total = 0\n    for row in rows:\n```" in suggested()
    for start, line in ((0, 13), (0, 12), (11, 13), (12, 12)):
        assert "```suggestion" not in suggested(
            start=start, line=line
        ) and "total = 0" in suggested(start=start, line=line)
    assert "```suggestion\n```" in suggested(replace(UNDEFINED, suggestion="")), (
        "an empty one deletes the lines"
    )


@pytest.mark.parametrize(
    "path",
    [
        *(
            ".github/workflows/ci.yml",
            ".github/actions/x/action.yml",
            "action.yml",
            "sub/action.yaml",
            ".gitlab-ci.yml",
            "Jenkinsfile",
        ),
        *(
            "ci/Jenkinsfile.deploy",
            ".circleci/config.yml",
            "package-lock.json",
            "sub/yarn.lock",
            "Cargo.lock",
            "poetry.lock",
            "go.sum",
        ),
        *(
            "uv.lock",
            "Gemfile.lock",
            "pnpm-lock.yaml",
            ".pre-commit-config.yaml",
            ".GitHub/workflows/ci.yml",
        ),
    ],
)
def test_what_builds_run_is_never_changed_by_a_click(path: str) -> None:
    shown = suggested(replace(UNDEFINED, path=path))
    assert "```suggestion" not in shown and "total = 0" in shown


@pytest.mark.parametrize("ticks", [3, 4, 20, 199])
def test_a_fence_is_longer_than_any_run_of_backticks(ticks: int) -> None:
    shown = suggested(replace(UNDEFINED, suggestion=f"a\n{'`' * ticks}\nb"))
    fence = "`" * (ticks + 1)
    assert f"{fence}suggestion\na\n{'`' * ticks}\nb\n{fence}\n" in shown


@pytest.mark.parametrize(
    "text",
    [
        f"key = '{TOKEN}'",
        "a\u202eb",
        "a\x00b",
        "a\rb",
        "::error::x",
        "  ::add-mask::y",
        "##[error]x",
        "`" * 300,
        "x" * 6_001,
        "\udce9",
    ],
)
def test_what_cannot_stand_there_letter_for_letter_is_no_suggestion(text: str) -> None:
    shown = with_marker(suggested(replace(UNDEFINED, suggestion=text)), MARK)
    assert "```suggestion" not in shown and "Suggestion:" in shown
    check_inert(shown, text)


@given(st.text(max_size=400))
def test_a_suggestion_is_the_text_itself_and_nothing_else(text: str) -> None:
    shown = with_marker(suggested(replace(UNDEFINED, suggestion=text, body="")), MARK)
    found = re.search(r"(?ms)^(`{3,})suggestion\n(.*?)^\1$", shown)
    if found:
        assert found[2] in (text.replace("\r\n", "\n"), text.replace("\r\n", "\n") + "\n")
        assert "suggestion\n" not in shown[found.end() :]


# Sizes

_LONG = replace(
    UNDEFINED,
    title="t" * 2_000,
    body="b" * 2_000,
    path="p/" * 100 + "x.py",
    rule="r" * 500,
    sources=("s" * 900,) * 9,
)
_WORST = ("<", "&", "@a ", "|", "\u200b", "`", "<!--", "![", "\U0001f600", "x")


@pytest.mark.parametrize(
    ("unit", "number"), [*((unit, MAX_LISTED + 30) for unit in _WORST), ("<", 1), ("<", MAX_LISTED)]
)
def test_no_body_is_too_long_and_each_listed_finding_is_in_it(unit: str, number: int) -> None:
    long = (
        everywhere(_LONG, lambda old: unit * (len(old) // len(unit) + 1)) if unit != "x" else _LONG
    )
    findings = tuple(
        replace(long, line_start=n, line_end=n, code=str(n), note=unit * 900)
        for n in range(1, number + 1)
    )
    gone = tuple(replace(each, state=FindingState.DISMISSED, ordinal=2) for each in findings) * 3
    verdict = replace(RICH.verdict, not_reviewed=(unit * 900,) * 200, reasons=(unit * 900,) * 200)
    report = replace(
        RICH,
        findings=(*findings, *gone),
        verdict=verdict,
        notices=(unit * 900,) * 200,
        config_source=unit * 900,
    )
    listed = tuple(
        PlacedFinding(each, Placement.BODY, "beyond publish.max_inline") for each in findings
    )
    post = PostReview("COMMENT", HEAD, (), listed, (unit * 900,) * 9, (unit * 900,) * 3, more=400)
    text = with_marker(
        review_text.review_body(post, report),
        ReviewMarker(HEAD, "f" * 16, tuple(each.fingerprint for each in findings)),
    )
    assert len(text) + markers.MAX_CHARACTERS <= posted_text.MAX_CHARACTERS
    assert (
        all(text.count(f"`{each.fingerprint}`") == 1 for each in findings)
        and "400 findings more" in text
    )
    for each in findings[:2]:
        wide = replace(each, suggestion=unit * 9_000, body=unit * 9_000, places=(unit * 400,) * 400)
        assert (
            len(
                with_marker(
                    posted_text.inline_comment(PlacedFinding(wide, Placement.INLINE, line=1)), MARK
                )
            )
            <= posted_text.MAX_CHARACTERS
        )


@given(values(Report))
def test_any_report_can_be_posted(report: Report) -> None:
    for name, text in posted(
        replace(report, change=replace(report.change, base=BASE, head=HEAD))
    ).items():
        assert len(text) <= posted_text.MAX_CHARACTERS and last_marker(text) is not None, name
        text.encode("utf-8")


def test_a_person_can_read_it() -> None:
    listed = (
        PlacedFinding(
            replace(UNDEFINED, priority=Priority.P0), Placement.BODY, "beyond publish.max_inline"
        ),
    )
    text = review_text.review_body(
        PostReview("COMMENT", HEAD, (), listed, ("The pull request is a draft.",)), BLOCKED
    )
    assert (
        text.startswith("**reviewgate-gh: block** · 1 P1")
        and "Posted as a comment only: The pull request is a draft." in text
    )
    assert (
        "- **P0** `src/app/totals.py:12` Undefined name `total` (`F821` · linters/ruff, builtin"
        in text
    )
