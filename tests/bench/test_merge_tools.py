"""What is left of the comments of several AI reviewers after they were merged, on the comments that
Martian's code review benchmark keeps: REVIEWGATE_GH_MARTIAN is a clone of its repository."""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from reviewgate_gh.findings.merge import merge_findings
from reviewgate_gh.model.finding import Finding, FindingState, Priority

CLONE = os.environ.get("REVIEWGATE_GH_MARTIAN", "")
pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(not CLONE, reason="REVIEWGATE_GH_MARTIAN names no clone"),
]
LINES = 200


class Comment(NamedTuple):
    tool: str
    defect: str  # "" for none that is known
    text: str


def pull_requests(answers: Path) -> Iterator[tuple[str, list[Comment]]]:
    """The comments of each, by what the benchmark's judge said of them; each one once."""
    for url, tools in json.loads(answers.read_text("utf-8")).items():
        comments: dict[tuple[str, str], Comment] = {}
        for tool, result in tools.items():
            rows = [
                Comment(tool, hit["golden_comment"], hit["matched_candidate"])
                for hit in result.get("true_positives", ())
            ]
            rows += [Comment(tool, "", miss["candidate"]) for miss in result["false_positives"]]
            for row in rows:
                comments.setdefault((tool, row.text), row)
        yield url, list(comments.values())


def placed(url: str, comments: list[Comment], spread: int | None, rule: str) -> list[Finding]:
    """The comments as imported findings: without a place, or about a made-up one; of rules that say
    nothing, if any."""
    chance, places = Random(url), dict[str, tuple[str, int]]()
    made = []
    for number, comment in enumerate(comments):
        path, line = "", 0
        if spread is not None:
            somewhere = f"{chance.choice('abc')}.py", chance.randrange(10, LINES)
            path, line = places.setdefault(comment.defect or comment.text, somewhere)
            line += chance.randint(-spread, spread) if comment.defect else 0
        made.append(
            Finding(
                Priority.P2, "", rule and f"{comment.tool}/{rule}{number}", path, line, line,
                comment.text, "",
                placed=bool(line), sources=(comment.tool,),
            )
        )  # fmt: skip
    return made


def groups(findings: list[Finding]) -> Callable[[Comment], str]:
    """The text that stands for a comment after merging."""
    stands: dict[tuple[str, str], str] = {}
    merged = merge_findings(findings)
    heads = {f.rule or f.title: f.title for f in merged if f.state is FindingState.OPEN}
    for finding in merged:
        if finding.state is FindingState.DUPLICATE:
            head = heads[finding.note.removeprefix("same as ")]
            stands[finding.sources[0], finding.title] = head
        else:
            stands.update({(source, finding.title): finding.title for source in finding.sources})
    return lambda comment: stands[comment.tool, comment.text]


@pytest.mark.parametrize("known_only", [False, True], ids=["all", "known"])
@pytest.mark.parametrize("spread", [None, 4, 0], ids=["nowhere", "near", "there"])
@pytest.mark.parametrize("rule", ["", "c"], ids=["no rules", "rules"])
def test_few_repeat_another_one_and_nearly_all_defects_are_told(
    rule: str, spread: int | None, known_only: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for answers in sorted(Path(CLONE, "offline/results").glob("*/evaluations.json")):
        repeated = left = defects = kept = 0
        for url, found in pull_requests(answers):
            comments = [each for each in found if each.defect or not known_only]
            standing = groups(placed(url, comments, spread, rule))
            about = {comment.text: comment.defect for comment in comments}
            by_defect = defaultdict(list)
            for comment in comments:
                by_defect[comment.defect].append(standing(comment))
            by_defect.pop("", None)
            for defect, texts in by_defect.items():
                repeated, left = repeated + len(texts) - 1, left + len(set(texts)) - 1
                defects, kept = defects + 1, kept + any(about[text] == defect for text in texts)
        told.append((left / repeated, kept / defects))
        with capsys.disabled():
            print(
                f"\n{answers.parent.name}: {left} of {repeated} left ({left / repeated:.3f}), "
                f"{kept} of {defects} defects kept ({kept / defects:.3f})"
            )
    assert told
    limit, least = (0.2, 0.92) if spread is None and not known_only else (0.11, 0.95)
    assert all(left <= limit and kept >= least for left, kept in told)
