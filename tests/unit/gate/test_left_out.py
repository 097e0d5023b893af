"""Whom `--reviewer` may leave out under an organisation's floor."""

from pathlib import Path

import pytest

from reviewgate_gh.model.errors import ConfigError, UsageError
from reviewgate_gh.settings.settings import require_floor_reviewers
from reviewgate_gh.system.environment import Environment

FLOOR = """\
reviewers:
  builtin: {type: builtin}
  linters: {type: linters, where: [cli]}
  late: {type: linters, where: [pr]}
  extra: {type: linters, required: false}
"""


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """A folder with two policies."""
    (tmp_path / "floor.yaml").write_text(FLOOR)
    (tmp_path / "plain.yaml").write_text("mode: block\n")
    return Environment({}, tmp_path)


def test_a_choice_that_leaves_out_a_required_one_is_refused_in_one_line(
    environment: Environment,
) -> None:
    with pytest.raises(UsageError) as caught:
        require_floor_reviewers(("linters",), "cli", "floor.yaml", environment)
    assert (
        caught.value.message
        == "--reviewer leaves out builtin, which the policy floor.yaml requires"
    )
    assert caught.value.hint == "add --reviewer builtin"
    with pytest.raises(UsageError, match="builtin, linters, which"):
        require_floor_reviewers(
            ("extra",),
            "cli",
            "",
            Environment({"REVIEWGATE_GH_POLICY": "floor.yaml"}, environment.cwd),
        )


@pytest.mark.parametrize(
    ("names", "policy"),
    [
        (("builtin", "linters"), "floor.yaml"),
        (("linters", "builtin", "mine"), "floor.yaml"),
        ((), "floor.yaml"),
        (("mine",), "plain.yaml"),
        (("mine",), ""),
    ],
)
def test_a_choice_with_all_that_this_door_requires_is_nobodys_business(
    environment: Environment, names: tuple[str, ...], policy: str
) -> None:
    require_floor_reviewers(names, "cli", policy, environment)


def test_a_policy_that_cannot_be_read_is_no_way_round_it(environment: Environment) -> None:
    with pytest.raises(ConfigError, match="cannot read the policy"):
        require_floor_reviewers(("mine",), "cli", "gone.yaml", environment)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_policy_that_holds_nothing_is_one_that_was_not_fetched(
    environment: Environment, text: str
) -> None:
    (environment.cwd / "fetched.yaml").write_text(text)
    with pytest.raises(ConfigError, match="is empty"):
        require_floor_reviewers(("mine",), "cli", "fetched.yaml", environment)
