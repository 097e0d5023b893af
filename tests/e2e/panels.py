"""Language models for whole runs: a model server that answers as a test's function says, with this
run's nonce."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.peers.model_server import Asked, ModelServer
from tests.support import Repo

CODE = "def mean(items):\n    total = sum(items)\n    return total / len(items)\n"
LENSES = {
    "Correctness", "Security", "Code quality", "Performance", "Test coverage", "The attacker",
    ("On call at three in the "
    "morning"),
    "The maintainer",
}  # fmt: skip
# The value of `ensemble` with all of them and what runs the project's own code.
NINE = (
    "{lenses: [correctness, security, quality, performance, tests, attacker, oncall, "
    "maintainer, build-and-test]}"
)
_NONCE = re.compile(r"nonce: ([0-9a-f]{32})")
_IDS = re.compile(r'"id": "(f\d+)"')
Said = Mapping[str, Any]


def claim(**more: Any) -> Said:
    """A finding as a model states it: the division in CODE."""
    stated = {
        "file": "a.py",
        "quote": "    return total / len(items)",
        "line_start": 3,
        "line_end": 3,
        "priority": "P1",
        "category": "correctness",
        "title": "Division by zero on an empty list",
        "body": "An empty list makes len(items) zero.",
        "suggestion": None,
        "confidence": "high",
    }
    return {**stated, **more}


def review(asked: Asked, *claims: Said, verdict: str | None = None) -> str:
    """A whole review with the nonce that the question gave."""
    return json.dumps(
        {
            "nonce": nonce(asked),
            "verdict": verdict or ("FAIL" if claims else "PASS"),
            "summary": "s",
            "findings": claims,
        }
    )


def rulings(asked: Asked, ruling: str = "confirmed", **more: str) -> str:
    """The same ruling on every finding that was asked about."""
    said = {
        "ruling": ruling,
        "reason": "why",
        "reason_kind": "other",
        "file": "",
        "quote": "",
        **more,
    }
    return json.dumps(
        {
            "nonce": nonce(asked),
            "rulings": [{"id": name, **said} for name in _IDS.findall(asked.prompt)],
        }
    )


def nonce(asked: Asked) -> str:
    """The nonce of a question."""
    return _NONCE.findall(asked.prompt)[-1]


def kind(asked: Asked) -> str:
    """What is asked: the lens's title, `verify`, `reconsider` or `audit`."""
    task = asked.prompt.rpartition("Your task: ")[2]
    if task.startswith("check every finding again"):
        return "reconsider"
    if task.startswith("check every finding"):
        return "verify"
    return "audit" if task.startswith("a reverse audit") else re.findall(r"Lens: (.*)", task)[0]


def panel(
    claims: Callable[[str], Sequence[Said]] = lambda kind: (), ruling: str = "confirmed"
) -> Callable[[Asked], str]:
    """A model that finds what the function says of a lens's title, nothing in an audit unless it
    says so, rules alike on everything, and stands by what it found."""

    def answer(asked: Asked) -> str:
        what = kind(asked)
        if what == "reconsider":
            return rulings(asked)
        return rulings(asked, ruling) if what == "verify" else review(asked, *claims(what))

    return answer


def declare(
    repo: Repo,
    servers: Mapping[str, ModelServer],
    more: str = "",
    dialect: str = "openai",
    price: Any = None,
    **entry: Any,
) -> None:
    """Commit a config with linters, builtin and an api reviewer for each server; `more` is YAML
    that follows."""
    repo.commit({".reviewgate-gh.yaml": declared(servers, more, dialect, price, **entry)}, "config")


def declared(
    servers: Mapping[str, ModelServer],
    more: str = "",
    dialect: str = "openai",
    price: Any = None,
    **entry: Any,
) -> str:
    """That config."""
    rows = ["reviewers:", "  change: off", "  callers: off"]
    for name, server in servers.items():
        options = {
            "dialect": dialect,
            "url": server.url(dialect),
            "model": f"{name}-model",
            "price": price,
        }
        rows.append(f"  {name}: {json.dumps({'type': 'api', 'options': options, **entry})}")
    return "\n".join([*rows, more, ""])


# What rounds of an audit say, one after another.
MISSED = [
    [claim(quote=quote, title=title, body=title)]
    for quote, title in zip(
        CODE.splitlines(), ("Names no type at all", "Strings cannot be added up"), strict=False
    )
]
