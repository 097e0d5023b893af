"""Each of the gate's own rules for ast-grep finds its mistake, and not what differs in one sign."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import defects
from reviewgate_gh.system import process
from reviewgate_gh.text.patterns import lazy_pattern
from tests.support import tool

RULES = Path(defects.__file__).parent / "data/defects.yml"
_ID = lazy_pattern(r"(?m)^id: (\S+)$")
CASES = yaml.safe_load(Path(__file__).with_name("defects.yml").read_text("utf-8"))


def ask(folder: Path, files: Mapping[str, str]) -> dict[str, list[Finding]]:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"{text}\n")
    answer = process.run_process(
        [*defects.argv(tool("ast-grep"), RULES, ()), *files], cwd=folder, env={}
    )
    assert answer.code == 0, answer.err
    found: dict[str, list[Finding]] = {name: [] for name in files}
    for finding in defects.parse(answer.lines()):
        found[finding.path].append(finding)
    answer.close()
    return found


def test_each_rule_finds_its_mistake_alone(tmp_path: Path) -> None:
    bad = {f"{rule}/{case['file']}": case["bad"] for rule, case in CASES.items()}
    good = {f"good-{rule}/{case['file']}": case["good"] for rule, case in CASES.items()}
    found = ask(tmp_path, bad | good)
    rules = {
        path: [each.rule.removeprefix("defects/") for each in rows] for path, rows in found.items()
    }
    assert {path: rows for path, rows in rules.items() if path in bad} == {
        path: [path.partition("/")[0]] for path in bad
    }
    assert {path: rows for path, rows in rules.items() if path in good and rows} == {}
    assert {each.priority for rows in found.values() for each in rows} == {Priority.P2, Priority.P3}


def test_no_rule_is_without_a_case() -> None:
    assert sorted(_ID.findall(RULES.read_text("utf-8"))) == sorted(CASES)


@pytest.mark.parametrize(("path", "priority"), [("src/a.ts", "P2"), ("tests/a.test.ts", "P3")])
def test_a_test_hands_over_what_it_chose(path: str, priority: str) -> None:
    found = Finding(Priority.P2, "lint", "defects/typescript-sql-text", path, 1, 1, "t")
    assert defects.relocate(found, bytes).priority == priority
