"""What a person reads about each mistake in the two files, whole: file, line, key, value, and what
is allowed or the nearest key."""

import pytest

from reviewgate_gh.text.config_file import CONFIG_FILE, WAIVER_FILE
from tests.unit.reporters.golden import assert_golden

from ...support import Repo

CONFIGS = (
    "version: 1\npolcy:\n  finding_threshold: P1\n",
    "policy:\n  max_file_bytes: 10\n  finding_treshold: P1\n",
    "reviewers:\n  me:\n    type: codex\n    whre: [cli]\n",
    "reviewers:\n  me:\n    typ: codex\n",
    "reviewers:\n  me:\n    type: builtin\n    options:\n      disabel: [secrets]\n",
    "policy:\n  zzz: 1\n",
    "mode: blok\n",
    "version: 2\n",
    "policy:\n  finding_threshold: p1\n",
    "policy:\n  exclude: '*.x'\n",
    "policy:\n  exclude: []\n  max_file_bytes: -1\n",
    "hook:\n  deadline: soon\n",
    "hook:\n  reviewers: [builtn]\n",
    "reviewers:\n  me:\n    where: [ci]\n    type: codex\n",
    "reviewers:\n  me:\n    type: codx\n",
    "reviewers:\n  me:\n    where: [cli]\n",
    "reviewers:\n  me:\n    type: codex\n    options:\n      key: not-the-name but the key\n",
    "linters:\n  ruf: {}\n",
    "tracker:\n  type: local\n  max_new: 0\n",
    "ensemble:\n  deadline: 60\n  lenses: [correctnes]\n",
    "commands:\n  test: [pytest]\n  lint: []\n",
    "validation_triggers:\n  session_end:\n    failure_mode: abbort\n",
    "mode: warn\nmode: block\n",
    "mode: [\n",
    "- mode\n",
)
WAIVERS = (
    "waivers:\n- fingrprint: a\n  reason: b\n",
    "waivers:\n- fingerprint: a\n  reason: ' '\n",
    "waivers:\n- fingerprint: a\n  reason: b\n  expires: '31.12.2030'\n",
    "waivers:\n- fingerprint: a\n  reason: b\n  count: 0\n",
    "waivers:\n- {fingerprint: a, reason: b}\n- {fingerprint: a, reason: c}\n",
)


def test_each_mistake_as_it_is_told(repo: Repo) -> None:
    told = []
    for name, texts in ((CONFIG_FILE, CONFIGS), (WAIVER_FILE, WAIVERS)):
        for text in texts:
            repo.write({name: text})
            done = repo.cli("config", "check")
            assert (done.code, done.stdout) == (78, ""), done.output
            told.append(f"{text}\n{done.stderr}")
        repo.write({name: None})
    assert_golden("config-mistakes.txt", "\n----\n".join(told))


@pytest.mark.parametrize("text", ["titel: Money\n", ""])
def test_a_lens_of_the_project_is_read_too(repo: Repo, text: str) -> None:
    own = ".reviewgate-gh/lenses/money.yaml"
    repo.write(
        {
            CONFIG_FILE: "mode: warn\nensemble:\n  lenses: [money]\n",
            own: text or "title: Money\ninstructions: Look for floats.\n",
        }
    )
    done = repo.cli("config", "check")
    assert done.code == (78 if text else 0), done.output
    assert not text or done.stderr.splitlines() == [
        f"reviewgate-gh: {CONFIG_FILE}:3: {own}:1: unknown key titel",
        "  did you mean title?",
    ]
