"""The merge of models' findings on a frozen set that was written before it: pair precision and
recall, with a part held out."""

from collections import defaultdict
from itertools import combinations
from random import Random

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.merge import merge_findings
from reviewgate_gh.findings.scope import ChangedLines, anchor_finding
from reviewgate_gh.model.finding import Finding, FindingState, Priority
from tests.unit.ensemble import golden
from tests.unit.findings.merge_set import OTHER, SAME
from tests.unit.support import change

# The benchmark's own domains in the words that models are given.
CATEGORY = {
    "style": "quality", "upgrade": "compatibility", "breaking-changes": "compatibility",
    "error-handling": "reliability",
    "data-modeling": "correctness",
}  # fmt: skip


def remarks(data):
    """The set as findings of models, by case: (what it is about, the finding)."""
    experts, cases, voices = golden.comments(data), golden.cases(data), defaultdict(int)
    scopes = {
        number: ChangedLines(change(*golden.files(case["patch"])))
        for number, case in enumerate(cases)
    }
    rows = []
    for index in dict.fromkeys(row[0] for row in SAME):
        comment = experts[index][1]
        title, _, body = comment["body"].partition(". ")
        rows.append(
            (
                index,
                "m0/expert",
                (index, 0, 0, CATEGORY.get(comment["domain"], comment["domain"]), title, body),
            )
        )
    for row in SAME:
        voices[row[0]] += 1
        rows.append((row[0], f"m{voices[row[0]]}/lens", row))
    rows += [((row[0], at), f"other{at}/lens", row) for at, row in enumerate(OTHER)]
    made = defaultdict(list)
    for about, source, (index, first, last, category, title, body) in rows:
        number, comment = experts[index]
        end = comment["line_end"] if isinstance(about, int) else comment["line_start"]
        lines = max(1, comment["line_start"] + first), end + last
        said = Finding(
            Priority.P2, category, "", comment["file"], *lines, title, body, sources=(source,)
        )
        made[number].append((about, anchor_finding(said, scopes[number], source)))
    return made


def measure(cases):
    """Right, wrong and missed pairs of findings of one file that different reviewers made."""
    right = wrong = missed = 0
    for rows in cases:
        merged = merge_findings([finding for _, finding in rows])
        assert len(merged) == len(rows) == len({(f.path, f.title) for f in merged})
        head = {(f.path, f.title): f.note.removeprefix("same as ") or f.title for f in merged}
        for (about, one), (other_about, other) in combinations(rows, 2):
            if one.path == other.path and one.sources != other.sources:
                same, together = (
                    about == other_about,
                    head[one.path, one.title] == head[other.path, other.title],
                )
                right, wrong, missed = (
                    right + (same and together),
                    wrong + (together and not same),
                    missed + (same and not together),
                )
    return right, wrong, missed


@pytest.mark.peer
@pytest.mark.parametrize(("part", "remainder"), [("chosen on", 0), ("held out", 1)])
def test_what_means_the_same_is_one_and_what_does_not_is_not(data, capsys, part, remainder):
    right, wrong, missed = measure(
        rows for number, rows in remarks(data).items() if number % 2 == remainder
    )
    precision, recall = right / (right + wrong), right / (right + missed)
    with capsys.disabled():
        print(
            f"\nmerge, {part}: precision {precision:.3f}, recall {recall:.3f} ({right} pairs "
            f"right, {wrong} wrong, {missed} missed)"
        )
    assert precision >= 0.98 and recall >= 0.90


@pytest.mark.peer
def test_the_same_from_tools_that_have_no_rules(data, capsys):
    """As `--import` reads them: a tool's name for a rule, and no category of ours."""
    right, wrong, missed = measure(
        [
            (about, replace(f, rule=tool, category="lint", sources=(tool,)))
            for about, f in rows
            for tool in [f.sources[0].partition("/")[0]]
        ]
        for rows in remarks(data).values()
    )
    precision, recall = right / (right + wrong), right / (right + missed)
    with capsys.disabled():
        print(f"\nmerge of imports: precision {precision:.3f}, recall {recall:.3f}")
    assert precision >= 0.94 and recall >= 0.95


@pytest.mark.peer
def test_the_order_of_the_answers_changes_nothing(data):
    rows = [finding for found in remarks(data).values() for _, finding in found]
    expected = merge_findings(rows)
    for seed in range(5):
        Random(seed).shuffle(rows)
        assert merge_findings(rows) == expected
    assert sorted(f.title for f in expected) == sorted(f.title for f in rows)
    assert len({(f.path, f.fingerprint) for f in expected if f.state is FindingState.OPEN}) == sum(
        f.state is FindingState.OPEN for f in expected
    )
