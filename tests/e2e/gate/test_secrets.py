"""Secrets as a user meets them: where they are found, what the trusted side allows, and that no
output holds one."""

import hashlib
import json

import pytest

from tests.support import Repo
from tests.unit.text.test_archives import zipped

TOKEN = "gh" + "p_" + "A8dk29Xq0Zm3Lw7Rt5Yb1Ns6Vc4Gf2Hj9KpQ"
OTHER = TOKEN[:-4] + "zzY8"
OWN = "acme_" + "k29x8s7w1q0z"
GITLEAKS = (
    "[extend]\nuseDefault = true\n"
    "[[rules]]\nid = \"acme\"\nregex = '''acme_[a-z0-9]{12}'''\nkeywords = [\"acme_\"]\n"
    "[allowlist]\npaths = ['''^samples/''']\n"
)


def found(repo: Repo, *args: str, env: dict[str, str] | None = None) -> list[tuple[str, str]]:
    """Title and state of the findings; no value is in any output or file of ours."""
    done = repo.cli("review", "--output", "json", *args, env=env)
    kept = [path for path in repo.path.joinpath(".git").rglob("*.json") if path.is_file()]
    texts = [done.output, *(path.read_text("utf-8", "replace") for path in kept)]
    assert not any(value in text for text in texts for value in (TOKEN, OTHER, OWN))
    rows = json.loads(done.stdout)["findings"]
    return sorted(
        (row["title"], row["state"]) for row in rows if row["rule"].startswith("builtin/s")
    )


@pytest.mark.req("R009-005")
def test_everything_that_is_published_is_searched(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n"})
    files = {"b.docx": zipped({"word/x.xml": f"<w>{TOKEN}</w>".encode()}), "c.txt": "plain\n"}
    for name, data in files.items():
        content = data if isinstance(data, bytes) else data.encode()
        repo.path.joinpath(name).write_bytes(content)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", f"with {OTHER}")
    oid = repo.git("rev-parse", "HEAD").strip()[:12]
    assert found(repo, "--commit", "HEAD") == [
        ("a secret in b.docx, member word/x.xml: github token", "open"),
        (f"a secret in the message of commit {oid}: github token", "open"),
    ]


def test_what_only_moves_is_not_new(repo: Repo) -> None:
    repo.commit({"a.py": f"def f():\n    return '{TOKEN}'\n", "b.py": "x = 1\n"})
    moved = f"class A:\n    def f(self):\n        return '{TOKEN}'\n"
    repo.commit({"a.py": moved, "b.py": f"x = '{OTHER}'\n"})
    assert found(repo, "--commit", "HEAD") == [
        ("a secret in the code: github token", "open"),
        ("a secret in the code: github token", "outside_diff"),
    ]


def test_gitleaks_config_of_the_trusted_side_counts_and_the_head_s_own_does_not(repo: Repo) -> None:
    ci = {"CI": "true"}  # there the base's settings count
    digest = hashlib.sha256(OTHER.encode()).hexdigest()
    config = f"secrets:\n  allow: [{digest}]\n"
    repo.commit({"a.py": "x = 1\n", ".gitleaks.toml": GITLEAKS})
    repo.commit(
        {
            ".reviewgate-gh.yaml": config,
            "a.py": f"x = '{OWN}'\n",
            "b.py": f"x = '{OTHER}'\n",
            "samples/c.py": f"x = '{TOKEN}'\n",
        }
    )
    assert found(repo, "--commit", "HEAD", env=ci) == [
        ("a secret in the code: acme", "open"),
        ("a secret in the code: github token", "open"),
    ]
    repo.commit({"d.py": f"y = '{OTHER}'\n"})
    assert found(repo, "--commit", "HEAD", env=ci) == []
