"""A change gives an old suppression more to silence: what it brings counts all the same, and what
was silenced before stays old."""

import json

import pytest

from tests.support import Repo

# Put together, so that nothing is silenced here
OFF, ON, NOQA = ("ruff: dis" + "able", "ruff: en" + "able", "ruff: no" + "qa")
JS_OFF, JS_ON = ("eslint-dis" + "able", "eslint-en" + "able")
_OLD = "first = old_name\n"
_NEW = "second = new_name\n"
_BEGIN, _END = f"# {OFF}[F821]\n", f"# {ON}[F821]\n"
_TAIL = "third = 3\n"

WIDENED = {
    "the end moves below new code": (
        f"{_BEGIN}{_OLD}{_END}{_TAIL}",
        f"{_BEGIN}{_OLD}{_NEW}{_END}{_TAIL}",
    ),
    "new code in the block": (
        f"{_BEGIN}{_OLD}{_TAIL}{_END}",
        f"{_BEGIN}{_OLD}{_NEW}{_TAIL}{_END}",
    ),
    "the end goes": (
        f"{_BEGIN}{_OLD}{_END}{_TAIL}",
        f"{_BEGIN}{_OLD}{_TAIL}{_NEW}",
    ),
    "the end is for another rule": (
        f"{_BEGIN}{_OLD}{_END}{_TAIL}",
        f"{_BEGIN}{_OLD}# {ON}[E501]\n{_TAIL}{_NEW}",
    ),
    "the end is text": (
        f"{_BEGIN}{_OLD}{_END}{_TAIL}",
        f'{_BEGIN}{_OLD}TEXT = """\n{_END}"""\n{_TAIL}{_NEW}',
    ),
    "text becomes the beginning": (
        f'"""\n{_BEGIN}"""\n{_TAIL}',
        f"{_BEGIN}{_TAIL}{_NEW}",
    ),
    "the comment of other code in other words": (
        f"{_OLD.strip()}  # {NOQA.partition(' ')[2]}: F821\n",
        f"{_NEW.strip()}  # ruff: ign" + "ore[undefined-name]\n",
    ),
    "the code above goes": (
        f'import os\n\n"""\n# {NOQA}\n"""\n{_TAIL}',
        f"# {NOQA}\n{_TAIL}{_NEW}",
    ),
}
KEPT = {
    "a file that is silenced as a whole": (
        f"# {NOQA}: F821\n{_OLD}",
        f"# {NOQA}: F821\n{_OLD}{_NEW}",
    ),
    "a block beside what changes": (
        f"{_BEGIN}{_OLD}{_END}{_TAIL}",
        f"{_BEGIN}{_OLD}{_END}{_TAIL}fourth = 4\n",
    ),
    "what a block held before": (
        f"{_BEGIN}{_OLD}{_END}{_TAIL}",
        f"{_BEGIN}{_OLD}fourth = 4\n{_END}{_TAIL}",
    ),
    "another reason": (
        f"# {NOQA}: F821\n{_OLD}",
        f"# {NOQA}: F821 (set by the loader)\n{_OLD}{_TAIL}",
    ),
    "the comment of a line in other words": (
        f"{_OLD.strip()}  # {NOQA.partition(' ')[2]}: F821\n",
        f"{_OLD.strip()}  # ruff: ign" + "ore[undefined-name]\n",
    ),
}


def review(repo: Repo, path: str, before: str, after: str) -> tuple[str, set[str]]:
    """The outcome of a stranger's change, and the lines whose findings count."""
    repo.commit({path: before})
    repo.commit({path: after})
    report = json.loads(repo.cli("review", "--commit", "HEAD", "--output", "json").stdout)
    rows = after.split("\n")
    found = [f for f in report["findings"] if f["state"] == "open" and f["priority"] == "P1"]
    lines = {rows[f["line_start"] - 1].partition("  #")[0] for f in found}
    return report["verdict"]["outcome"], lines


@pytest.mark.parametrize("name", WIDENED)
@pytest.mark.req("R008-011")
def test_new_code_under_a_suppression_that_was_given_more_to_silence_counts(
    repo: Repo, name: str
) -> None:
    assert review(repo, "a.py", *WIDENED[name]) == ("block", {_NEW.strip()})


@pytest.mark.parametrize("name", KEPT)
def test_what_was_silenced_before_stays_silent(repo: Repo, name: str) -> None:
    assert review(repo, "a.py", *KEPT[name])[1] == set()


@pytest.mark.parametrize("rule", ["no-dupe-keys", ""])
def test_the_block_of_another_language(repo: Repo, rule: str) -> None:
    begin, end = f"/* {JS_OFF} {rule} */\n", f"/* {JS_ON} {rule} */\n"
    new = "export const b = { k: 1, k: 2 };\n"
    before = f"{begin}export const a = {{ k: 1, k: 2 }};\n{end}"
    found = review(repo, "a.js", before, before.replace(end, f"{new}{end}"))
    assert found == ("block", {new.strip()})


def test_minor_findings_in_a_block_stay_silenced(repo: Repo) -> None:
    old, new = "try:\n    A = 1\nexcept:\n    pass\n", "try:\n    B = 1\nexcept:\n    pass\n"
    begin, end = f"# {OFF}[S110, E722]\n", f"# {ON}[S110, E722]\n"
    outcome, _lines = review(repo, "a.py", f"{begin}{old}{end}", f"{begin}{old}{new}{end}")
    assert outcome == "pass"


def test_a_comment_that_counts_no_more_excuses_nothing_beyond_its_block(repo: Repo) -> None:
    bare = "try:\n    {} = 1\nexcept:\n    pass\n"
    block = f"# {OFF}[S110, E722]\n{bare.format('A')}# {ON}[S110, E722]\n"
    line = f"# {NOQA.partition(' ')[2]}\nB = 1\n"
    new = bare.format("C")
    outcome, _lines = review(repo, "a.py", f"{block}{line}", f'{block}{line}"""Text."""\n{new}')
    assert outcome == "concerns"
