"""One remark is one finding; two remarks stay two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.findings.merge import merge_findings, merge_patterns
from reviewgate_gh.model.finding import Confidence, Finding, FindingState, Priority
from tests.unit.support import finding


def open_ones(findings):
    return [f for f in findings if f.state is FindingState.OPEN]


@pytest.mark.req("R007-007")
def test_the_same_remark_of_two_reviewers_names_both_and_keeps_the_worse_priority():
    one = finding(sources=("linters/ruff",), priority=Priority.P2, title="Use of eval detected")
    other = finding(
        sources=("linters/bandit",),
        priority=Priority.P1,
        rule="bandit/B307",
        title="Use of possibly insecure eval detected",
    )
    merged = merge_findings([one, other])
    (kept,) = open_ones(merged)
    assert set(kept.sources) == {"linters/ruff", "linters/bandit"} and kept.priority is Priority.P1
    assert len(merged) == 2 and merged[1].state is FindingState.DUPLICATE


def test_two_different_remarks_on_one_line_stay_two():
    one = finding(sources=("linters/ruff",), title="subprocess call with shell=True")
    other = finding(sources=("linters/mypy",), title="Argument 1 has incompatible type")
    assert len(open_ones(merge_findings([one, other]))) == 2


def test_one_tool_reporting_twice_on_a_line_means_two():
    twice = [
        finding(sources=("linters/ruff",), rule="ruff/F401", title=f"`{name}` imported but unused")
        for name in ("os", "re")
    ]
    merged = open_ones(merge_findings(twice))
    assert len(merged) == 2 and len({f.fingerprint for f in merged}) == 2
    assert merged[1].fingerprint == f"{merged[0].fingerprint}-2"


def test_exactly_equal_findings_are_always_one():
    assert len(open_ones(merge_findings([finding(sources=("a",)), finding(sources=("a",))]))) == 1


def test_the_order_of_the_reviewers_changes_nothing():
    some = [finding(line=n, sources=(f"r{n % 2}",), title=f"remark {n % 3}") for n in (3, 1, 2, 1)]
    assert merge_findings(some) == merge_findings(some[::-1])


@pytest.mark.req("R003-029")
def test_one_issue_in_many_files_is_one_finding_that_lists_them():
    files = [finding(f"f{n}.py", n + 1, title="missing timeout") for n in range(4)]
    gathered = merge_patterns(merge_findings([*files, finding("z.py", title="something else")]))
    pattern, other = open_ones(gathered)
    assert pattern.places == ("f0.py:1", "f1.py:2", "f2.py:3", "f3.py:4") and other.path == "z.py"
    assert [f.note for f in gathered if f.state is FindingState.DUPLICATE] == [
        "the same issue as f0.py:1"
    ] * 3
    assert len(gathered) == 5


def test_two_files_are_no_pattern():
    assert len(open_ones(merge_patterns([finding("a.py"), finding("b.py")]))) == 2


def test_a_light_remark_keeps_no_heavy_ones_of_its_kind_back():
    light, heavy = (
        [finding(f"{n}{p}.py", title="a shell", priority=p) for n in "abc"]
        for p in (Priority.P3, Priority.P1)
    )
    gathered = open_ones(merge_patterns([*light, *heavy]))
    assert [(f.priority, len(f.places)) for f in gathered] == [(Priority.P3, 3), (Priority.P1, 3)]


@pytest.mark.parametrize("priority", [Priority.P2, Priority.P3])
def test_made_up_values_of_one_file_are_one_finding_that_lists_them(priority):
    secrets = [
        finding("a_test.go", line, "builtin/secret-assigned-secret", "a secret", priority=priority)
        for line in (3, 9, 12)
    ]
    other = finding("b_test.go", 4, "builtin/secret-assigned-secret", "a secret", priority=priority)
    gathered = merge_patterns([*secrets, other])
    head, alone = open_ones(gathered)
    assert head.places == ("a_test.go:3", "a_test.go:9", "a_test.go:12") and not alone.places
    assert len(gathered) == 4 and merge_patterns(gathered) == gathered


def test_the_rights_of_one_workflow_are_told_once():
    rule, workflow = "zizmor/excessive-permissions", ".github/workflows/a.yml"
    some = [
        finding(workflow, line, rule, "default permissions used", priority=Priority.P2)
        for line in (1, 19)
    ]
    head, *others = open_ones(merge_patterns(some))
    assert head.places == (f"{workflow}:1", f"{workflow}:19") and not others


@pytest.mark.parametrize(
    ("rule", "priority"),
    [("builtin/secret-assigned-secret", Priority.P0), ("shellcheck/SC2086", Priority.P2)],
)
def test_secrets_that_block_and_other_remarks_of_one_file_stay_apart(rule, priority):
    some = [finding("a.go", line, rule, "the same", priority=priority) for line in (3, 9, 12)]
    assert len(open_ones(merge_patterns(some))) == 3


def said(title, body="", line=5, source="claude/security", **fields):
    """A model's finding, placed at a line."""
    fields = {"priority": Priority.P2, "category": "security", "placed": True, **fields}
    last = fields.pop("last", line)
    return Finding(
        fields.pop("priority"),
        fields.pop("category"),
        "",
        "a.py",
        line,
        last,
        title,
        body,
        sources=(source,),
        **fields,
    )


SSRF = (
    "Caller's URL is fetched without validation of its host",
    "An attacker reaches internal services by it.",
)
AGAIN = (
    "SSRF: the URL is not validated",
    "Its host may be internal, so an attacker can fetch from services inside.",
)


@pytest.mark.parametrize("source", ["codex/security", "claude/attacker"])
@pytest.mark.parametrize("line", [3, 5, 8])
def test_one_problem_in_other_words_by_another_model_or_lens_is_one(source, line):
    one, other = (
        said(*SSRF, priority=Priority.P2, suggestion="check(url)"),
        said(*AGAIN, line=line, source=source, priority=Priority.P0),
    )
    merged = merge_findings([one, other])
    (kept,) = open_ones(merged)
    assert (
        kept.priority is Priority.P0
        and set(kept.sources) == {"claude/security", source}
        and kept.title == AGAIN[0]
    )
    assert [(f.state, f.note) for f in merged[1:]] == [
        (FindingState.DUPLICATE, f"same as {AGAIN[0]}")
    ]
    assert kept.suggestion == ("check(url)" if line == 5 else None), (
        "a suggestion replaces the lines that it was made for"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"source": "claude/security"},
        {"line": 14},
        {"side": "LEFT"},
        {"state": FindingState.OUTSIDE_DIFF},
    ],
)
def test_one_question_twice_and_other_places_sides_and_states_mean_two(change):
    merged = merge_findings([said(*SSRF), said(*AGAIN, **{"source": "codex/security", **change})])
    assert sum(f.state is FindingState.DUPLICATE for f in merged) == 0


SHELL = (
    "Command injection through shell=True",
    "User input reaches subprocess with a shell, so it can run any command.",
)


def by_tool(
    title="`subprocess` call with `shell=True` identified, security issue",
    rule="ruff/S602",
    **fields,
):
    made = finding(
        "a.py",
        5,
        rule,
        title,
        sources=(rule.partition("/")[0],),
        anchor="subprocess.run(cmd, shell=True)",
        placed=True,
    )
    return replace(made, priority=Priority.P2, **fields)


def test_a_tools_finding_stands_for_what_models_say_of_it():
    models = (
        said(*SHELL, line=4, last=5, priority=Priority.P1),
        said(*SHELL[::-1], source="codex/x"),
    )
    merged = merge_findings([*models, replace(by_tool(), priority=Priority.P1)])
    (kept,) = open_ones(merged)
    assert (kept.rule, kept.priority) == ("ruff/S602", Priority.P1) and kept.sources == (
        "ruff",
        "claude/security",
        "codex/x",
    )
    assert {f.note for f in merged[1:]} == {"same as ruff/S602"}


def test_what_is_more_severe_than_a_tools_remark_does_not_hide_behind_it():
    title, body = by_tool().title, "Whoever names the folder runs commands."
    for models in (
        [said(*SHELL, priority=Priority.P0)],
        [said(title, body, last=5, priority=Priority.P0)],
    ):
        kept = open_ones(merge_findings([*models, by_tool()]))
        assert {(each.rule, each.priority, each.sources) for each in kept} == {
            ("ruff/S602", Priority.P2, ("ruff",)),
            ("", Priority.P0, ("claude/security",)),
        }


@pytest.mark.parametrize(
    ("tool", "model", "one"),
    [
        (
            ("`os` imported but unused", "ruff/F401"),
            ("Unused import os", "The module os is imported but never used."),
            True,
        ),
        (
            ("Undefined name `cfg`", "ruff/F821"),
            ("cfg is not defined", "This raises NameError, as no name cfg exists."),
            True,
        ),
        (
            ("Probable use of `requests` call without timeout", "ruff/S113"),
            ("Request has no timeout", "It may hang for ever."),
            True,
        ),
        (
            ("Double quote to prevent globbing and word splitting.", "shellcheck/2086"),
            ("Unquoted $dir", "Word splitting and globbing."),
            True,
        ),
        (
            ("`subprocess` call with `shell=True` identified", "ruff/S602"),
            ("Return code is ignored", "Pass check=True."),
            False,
        ),
        (
            ("Probable use of `requests` call without timeout", "ruff/S113"),
            ("SSRF", "The url is fetched unchecked."),
            False,
        ),
        (
            ("Undefined name `cfg`", "ruff/F821"),
            ("Path may be relative", "cfg.path is not resolved."),
            False,
        ),
    ],
)
def test_a_tool_and_a_model_mean_the_same_where_their_words_do(tool, model, one):
    assert (len(open_ones(merge_findings([by_tool(*tool), said(*model)]))) == 1) is one


def test_what_models_say_joins_no_two_tools():
    tools = (
        by_tool(SHELL[0], "ruff/S602"),
        replace(by_tool(SHELL[0], "bandit/B602"), line_start=6, line_end=6),
    )
    models = [said(*SHELL, line=5, last=6, source=f"m{n}/security") for n in range(4)]
    merged = merge_findings([*tools, *models], ("ruff", "bandit"))
    assert [f.rule for f in open_ones(merged)] == ["ruff/S602", "bandit/B602"] and len(merged) == 6


def test_tools_that_are_no_linters_of_ours_are_compared_by_what_they_say():
    said_by_three = [
        by_tool("`value` may be None when the key is missing: `strip()` fails", "owl/null-deref"),
        by_tool("Missing None check: value is None for a missing key, strip fails", "elk/npe-1"),
        by_tool("value can be None if the key is missing, so strip() fails", "yak/none.check"),
    ]
    another = by_tool("the key is logged with its password", "owl/leak")
    merged = merge_findings([*said_by_three, another], ("ruff",))
    assert [len(f.sources) for f in open_ones(merged)] == [3, 1]
    apart = merge_findings([*said_by_three, another], ("owl", "elk", "yak"))
    assert len(open_ones(apart)) > 2
    milder = replace(said_by_three[1], priority=Priority.P3)
    assert {f.priority for f in open_ones(merge_findings([said_by_three[0], milder]))} == {
        said_by_three[0].priority
    }


def test_rules_of_other_tools_hide_no_equal_remark_some_lines_away():
    """A SARIF file of a reviewer that is a model has rules too, which say nothing."""
    owl = by_tool(
        "Deleting runs in the background because forEach does not await its async callback, so "
        "errors stay unhandled", "owl/finding-3"
    )  # fmt: skip
    elk = by_tool(
        "Async callbacks in forEach are not awaited: the handler returns before deleting is done "
        "and its errors are lost", "elk/9", line_start=9, line_end=9, anchor="});"
    )  # fmt: skip
    assert [len(f.sources) for f in open_ones(merge_findings([owl, elk], ("ruff",)))] == [2]
    assert len(open_ones(merge_findings([owl, elk], ("owl", "elk")))) == 2
    assert len(open_ones(merge_findings([owl, elk], ("owl",)))) == 2
    nowhere = replace(elk, line_start=0, line_end=0, placed=False)
    assert len(open_ones(merge_findings([owl, nowhere], ()))) == 1


def test_a_finding_without_a_place_joins_only_what_is_much_alike():
    lost = said(*SSRF, line=0, placed=False, source="codex/x", priority=Priority.P1)
    (kept,) = open_ones(
        merge_findings([said(*SSRF[:1], "An attacker reaches internal services."), lost])
    )
    assert kept.placed and kept.line_start == 5 and kept.priority is Priority.P1
    assert (
        len(
            open_ones(
                merge_findings([said("The request has no timeout", "It blocks for ever."), lost])
            )
        )
        == 2
    )


def test_a_mistake_that_was_copied_is_two_remarks_and_two_places_of_one_mistake_are_not():
    """Eight lines apart, in the same words: the code tells."""
    copied = 'run(f"rm {name}", shell=True)', 'run(f"rm {path}", shell=True)'
    one, other = (
        said(*SSRF, line=line, source=source, anchor=anchor)
        for line, source, anchor in ((5, "claude/a", copied[0]), (13, "codex/a", copied[1]))
    )
    assert len(open_ones(merge_findings([one, other]))) == 2
    definition = replace(other, anchor="def fetch(self, address, retries=3):")
    assert len(open_ones(merge_findings([one, definition]))) == 1


def test_who_says_most_of_what_all_say_stands_for_them():
    told = [
        said("The URL is not validated", "It may be internal.", source="a/x"),
        said("The URL is not validated: SSRF", "Its host may be internal.", source="b/x"),
        said("SSRF by an internal host", "", source="c/x"),
    ]
    for order in (told, told[::-1]):
        (kept,) = open_ones(merge_findings(order))
        assert kept.title == told[1].title


def test_who_is_certain_makes_the_remark_certain():
    for first, second in (
        (Confidence.LOW, Confidence.HIGH),
        (Confidence.HIGH, Confidence.LOW),
        (Confidence.LOW, Confidence.LOW),
    ):
        (kept,) = open_ones(
            merge_findings(
                [said(*SSRF, confidence=first), said(*AGAIN, source="codex/x", confidence=second)]
            )
        )
        assert kept.confidence is (
            Confidence.HIGH if Confidence.HIGH in (first, second) else Confidence.LOW
        )


def test_what_is_settled_stays_as_it_is():
    refuted = said(*SSRF, state=FindingState.REFUTED, note="why")
    merged = merge_findings(merge_findings([refuted, said(*SSRF), said(*AGAIN, source="codex/x")]))
    assert sorted(f.state.value for f in merged) == ["duplicate", "open", "refuted"]
    assert [(f.title, f.note) for f in merged if f.state is FindingState.REFUTED] == [
        (SSRF[0], "why")
    ]
    alike = [refuted, said(*AGAIN, source="codex/x", state=FindingState.REFUTED)]
    assert [f.state for f in merge_findings(alike)] == [FindingState.REFUTED] * 2


@pytest.mark.parametrize(
    "change",
    [{"placed": False}, {"origin": "b.py"}, {"anchor": "x"}, {"note": "x"}, {"suggestion": "x"}],
)
def test_findings_that_are_equal_but_for_one_thing_have_an_order_too(change):
    for one in (by_tool(), said(*SSRF)):
        assert merge_findings([one, replace(one, **change)]) == merge_findings(
            [replace(one, **change), one]
        )


def test_ordinals_are_given_anew():
    some = [said(f"remark {n}", ordinal=7 - n) for n in range(3)]
    assert [f.ordinal for f in merge_findings(some)] == [1, 2, 3] and merge_findings(
        merge_findings(some)
    ) == merge_findings(some)


WORDS = st.lists(
    st.sampled_from(["url", "host", "attacker", "loop", "query", "lock", "secret", "変数"]),
    min_size=1,
    max_size=6,
).map(" ".join)
STATES = st.sampled_from(
    [
        FindingState.OPEN,
        FindingState.OPEN,
        FindingState.OUTSIDE_DIFF,
        FindingState.REFUTED,
        FindingState.DUPLICATE,
    ]
)


@st.composite
def any_finding(draw):
    rule, placed = draw(st.sampled_from(["", "", "", "ruff/F1", "t/1"])), draw(st.booleans())
    line, last = (draw(st.integers(1, 8)), draw(st.integers(0, 3))) if placed or rule else (0, 0)
    source = draw(st.sampled_from(["a/x", "a/y", "b/x", "ruff"]))
    made = said(
        draw(WORDS),
        draw(WORDS),
        line,
        source,
        last=line + last,
        placed=placed,
        priority=draw(st.sampled_from(Priority)),
    )
    return replace(made, rule=rule, state=draw(STATES), ordinal=draw(st.integers(1, 4)))


@given(st.lists(any_finding(), max_size=12), st.randoms())
def test_nothing_is_lost_and_the_order_does_not_matter(some, chance):
    merged = merge_findings(some)
    assert len(merged) == len(some) and sorted(f.title for f in merged) == sorted(
        f.title for f in some
    )
    shuffled = [*some]
    chance.shuffle(shuffled)
    assert merge_findings(shuffled) == merged
    standing = [f for f in merged if f.state is not FindingState.DUPLICATE]
    assert len({f.fingerprint for f in standing}) == len(standing)
    for state in (FindingState.OPEN, FindingState.OUTSIDE_DIFF):
        before, after = ([f for f in fs if f.state is state] for fs in (some, merged))
        assert bool(before) == bool(after) and {s for f in before for s in f.sources} == {
            s for f in after for s in f.sources
        }
        assert min((f.priority for f in before), default=None) == min(
            (f.priority for f in after), default=None
        )


def _tool(rule: str, line: int, title: str, tool: str, **more: object) -> Finding:
    return Finding(
        Priority.P1, "security", rule, "a.py", line, line, title, sources=(tool,), **more
    )  # type: ignore[arg-type]


def test_a_traced_flow_and_the_linter_on_the_same_statement_are_one_remark() -> None:
    linter = _tool("ruff/S605", 3, "Starting a process with a shell", "ruff")
    traced = _tool("taint/command-injection", 3, "request.args reaches a shell", "builtin")
    head, other = merge_findings([linter, traced])
    assert (head.rule, head.sources) == ("taint/command-injection", ("builtin", "ruff"))
    assert (other.rule, other.state) == ("ruff/S605", FindingState.DUPLICATE)


def test_a_query_that_is_built_in_one_line_and_executed_in_another_is_one_remark() -> None:
    linter = _tool("ruff/S608", 3, "Possible SQL injection", "ruff")
    traced = _tool(
        "taint/sql-injection", 7, "it reaches SQL", "builtin", places=("a.py:2", "a.py:3")
    )
    second = _tool("taint/sql-injection", 9, "it reaches SQL", "builtin", places=("a.py:3",))
    states = {(f.rule, f.line_start): f.state for f in merge_findings([linter, traced, second])}
    assert states == {
        ("ruff/S608", 3): FindingState.DUPLICATE,
        ("taint/sql-injection", 7): FindingState.OPEN,
        ("taint/sql-injection", 9): FindingState.OPEN,
    }


def test_other_defects_of_a_statement_stay_remarks_of_their_own() -> None:
    linter = _tool("ruff/S608", 3, "Possible SQL injection", "ruff")
    traced = _tool("taint/command-injection", 3, "request.args reaches a shell", "builtin")
    assert [f.state for f in merge_findings([linter, traced])] == [FindingState.OPEN] * 2


@pytest.mark.parametrize(
    ("rules", "lines"),
    [
        (("builtin/code-owners", "change/guard-removed"), (0, 0)),
        (("builtin/hooks", "change/guard-removed"), (0, 0)),
        (("builtin/large-file", "change/binary-committed"), (0, 0)),
        (("builtin/container-rights", "change/security-setting-off"), (4, 4)),
        (("ruff/S110", "change/error-swallowed"), (4, 5)),
        (("ruff/PLE2502", "builtin/hidden-bidi"), (4, 4)),
        (("ruff/PLE2515", "builtin/hidden-zero-width"), (4, 4)),
    ],
)
def test_one_loss_that_two_reviewers_see_is_told_once(rules, lines):
    both = [
        finding(
            rule=rule,
            sources=(rule.partition("/")[0],),
            line_start=line,
            line_end=lines[1],
            title=f"{rule} says so",
        )
        for rule, line in zip(rules, lines, strict=True)
    ]
    assert len(open_ones(merge_findings(both))) == 1


def test_two_tools_that_cannot_parse_a_file_say_one_thing():
    one, again, other = (
        finding(
            category="syntax",
            sources=(f"linters/{by}",),
            rule=f"{by}/syntax",
            line_start=line,
            line_end=line,
            title=f"{by} {line}",
        )
        for by, line in (("ast_grep", 3), ("go_vet", 4), ("go_vet", 9))
    )
    assert [f.line_start for f in open_ones(merge_findings([one, again, other]))] == [3, 9]
    elsewhere = replace(again, path="other.go")
    assert len(open_ones(merge_findings([one, elsewhere]))) == 2
