"""The behaviours and the tests' marks name the same ids, and docs/specification.md is made of
both."""

import re

import pytest

from .specification import DOCUMENT, behaviours, document, marked


@pytest.mark.contract(plain=False)
def test_every_behaviour_is_shown_by_a_test_and_every_mark_is_explained() -> None:
    documented, shown = {key for key, _ in behaviours()}, set(marked())
    assert sorted(documented - shown) == [], "in behaviours.txt, and no test shows it"
    assert sorted(shown - documented) == [], "a test names it, and it is not in behaviours.txt"


def test_each_id_is_there_once_in_order_and_explained() -> None:
    ids = [key for key, _ in behaviours()]
    assert ids == sorted(set(ids)) and all(re.fullmatch(r"R\d{3}-\d{3}", key) for key in ids)
    assert all(text and "|" not in text for _, text in behaviours())


def test_the_document_is_up_to_date() -> None:
    assert DOCUMENT.read_text("utf-8") == document(), "run: .venv/bin/python -m tests.specification"
