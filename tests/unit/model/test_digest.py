"""The digest of text, whichever module makes it."""

import hashlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.finding import sha256_hex
from tests.support import ROOT, run


@given(st.text(st.characters(codec="utf-8")))
def test_it_is_sha_256_of_the_text(text):
    assert sha256_hex(text) == hashlib.sha256(text.encode()).hexdigest()
    assert sha256_hex(text, 12) == sha256_hex(text)[:12]


def test_bytes_that_are_no_text_count_as_they_were():
    assert sha256_hex("\udcff") == hashlib.sha256(b"\xff").hexdigest()


@pytest.mark.parametrize("missing", [(), ("_sha2",), ("_sha256",), ("_sha2", "_sha256")])
def test_a_python_without_one_of_the_modules_takes_another(missing):
    script = f"import sys; sys.modules.update(dict.fromkeys({missing!r}))\n"
    script += "from reviewgate_gh.model.finding import sha256_hex\nprint(sha256_hex('x'))"
    done = run([sys.executable, "-P", "-c", script], ROOT, {"PYTHONPATH": str(ROOT)})
    assert done.stdout.strip() == hashlib.sha256(b"x").hexdigest()
