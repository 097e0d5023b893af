"""Answers of models, as text, for the tests of their readers."""

import json
from typing import Any

NONCE = "n-3f9c2a71"
IDS = ("f1", "f2", "f3")


def said(**fields: Any) -> dict[str, Any]:
    """One finding of an answer."""
    return {
        "file": "src/app.py", "quote": "    total = price * count", "line_start": 12,
        "line_end": 12, "priority": "P1",
        "category": "correctness",
        "title": "The discount is never taken off", "body": ("total ignores `discount`, so "
        "every order is too dear."),
        "suggestion": "    total = price * count - discount", "confidence": "high", **fields,
    }  # fmt: skip


def review(*findings: dict[str, Any], **fields: Any) -> str:
    """A review as a model writes it."""
    return json.dumps(
        {
            "nonce": NONCE,
            "verdict": "FAIL",
            "summary": "Two things are wrong.",
            "findings": findings,
            **fields,
        }
    )


def ruled(key: str, **fields: Any) -> dict[str, Any]:
    """One ruling of an answer."""
    return {
        "id": key, "ruling": "confirmed", "reason": "The code does this.", "reason_kind": "other",
        "file": "src/app.py", "quote": "",
        **fields,
    }  # fmt: skip


def rulings(*each: dict[str, Any], **fields: Any) -> str:
    """Rulings as a model writes them."""
    return json.dumps({"nonce": NONCE, "rulings": each, **fields})


REVIEW = review(
    said(),
    said(
        file="lib/ü b.py",
        priority="P0",
        title='Quote " and \\ in [it], {all}',
        suggestion=None,
        quote="a\n\tb",
        category="security",
    ),
    said(
        priority="P2",
        confidence="low",
        line_start=0,
        line_end=0,
        title="Nobody tests \U0001f600 this",
    ),
)
RULINGS = rulings(
    ruled("f1"),
    ruled("f2", ruling="refuted", reason_kind="behaviour", quote="if x is None:\n    return"),
    ruled("f3", ruling="uncertain", reason_kind="vague"),
)
