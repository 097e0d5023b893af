import json

import pytest

from tests.support import Repo

FLOOR = "reviewers:\n  builtin: {type: builtin}\n  linters: {type: linters}\n"


@pytest.mark.parametrize("way", ["option", "environment"])
def test_a_choice_of_reviewers_leaves_out_none_that_the_floor_requires(
    repo: Repo, way: str
) -> None:
    repo.write({"../floor.yaml": FLOOR})
    args, env = (
        (("--policy", "../floor.yaml"), {})
        if way == "option"
        else ((), {"REVIEWGATE_GH_POLICY": "../floor.yaml"})
    )
    repo.commit({"a.py": "x = 1\n"})
    done = repo.cli("review", "--commit", "HEAD", "--reviewer", "linters", *args, env=env)
    assert (done.code, done.stdout) == (64, ""), done.output
    assert done.stderr.splitlines()[0].startswith(
        "reviewgate-gh: --reviewer leaves out builtin, which the policy "
    )
    assert (
        repo.cli(
            "review",
            "--commit",
            "HEAD",
            "--reviewer",
            "linters",
            "--reviewer",
            "builtin",
            *args,
            env=env,
        ).code
        == 0
    )
    assert repo.cli("review", "--commit", "HEAD", "--reviewer", "linters").code == 0


def test_an_imported_finding_by_another_count_of_lines_is_not_lost(repo: Repo) -> None:
    row = {
        "message": "m",
        "location": {"path": "a.py", "range": {"start": {"line": 5}}},
        "severity": "ERROR",
        "source": {"name": "acme"},
    }
    repo.write({"../r.jsonl": json.dumps(row) + "\n"})
    repo.commit({"a.py": "# 1\r# 2\r# 3\r# 4\nx = 1\n"})
    done = repo.cli("review", "--commit", "HEAD", "--import", "../r.jsonl")
    assert done.code == 1, done.output
    assert "m (line 5, as the tool counts)" in done.stdout
