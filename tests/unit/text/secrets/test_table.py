"""Every row of the table is well formed, and a value of its form is found as its kind."""

import random
import re

import pytest

from reviewgate_gh.text.redact import find_secrets, redact
from reviewgate_gh.text.secrets.kind import Kind
from reviewgate_gh.text.secrets.table import KINDS, RANK, VENDORS
from reviewgate_gh.text.secrets.vendors import CHECKS, base62_crc32
from tests.secret_samples import base62_crc, filled, sampled


def made_up(kind: Kind, rng: random.Random) -> tuple[str, str]:
    """A text with a value of this kind, as its vendor writes it, and the value."""
    body = sampled(kind.body, rng)
    if kind.words:
        word = rng.choice(kind.words)
        text = f"{word}{body}"
        group = re.match(kind.body, body)
        value = group["value"] if group and "value" in group.groupdict() else text
        return f"x = <{text}>\n" if not word.startswith(('"', "?", "&", ";")) else text, value
    name = kind.beside[0].removesuffix("!").strip("_").upper()
    return f'{name}_API_KEY = "{body}"\n', body


def test_there_are_many_and_each_is_a_fact_with_a_source() -> None:
    names = [kind.id for kind in VENDORS]
    assert len(names) == len(set(names)) >= 180
    for kind in VENDORS:
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]+", kind.id), kind.id
        assert kind.words or kind.beside, kind.id
        for page in (kind.revoke, kind.source):
            assert "." in page and not page.startswith("http") and " " not in page, kind.id
        assert not kind.checksum or kind.checksum in CHECKS
        # Bounded repetitions only
        assert "MAXREPEAT" not in repr(re._parser.parse(kind.body)), kind.id  # type: ignore[attr-defined]


@pytest.mark.contract(plain=False)
def test_a_value_of_its_form_is_found() -> None:
    for kind in VENDORS:
        rng, found = random.Random(kind.id), 0
        for _ in range(5):
            text, value = made_up(kind, rng)
            kinds, shown = {span.kind for span in find_secrets(text)}, redact(text)
            # Another vendor may use the same form: of two the earlier one is named
            found += any(RANK[name] <= RANK[kind.id] for name in kinds) and value not in shown
        assert found >= 4, (kind.id, text, kinds)


def test_every_kind_says_where_it_is_revoked() -> None:
    assert all(KINDS[kind.id].revoke for kind in VENDORS)


def test_a_right_checksum_leaves_no_doubt_and_a_wrong_one_does_not_hide() -> None:
    rng = random.Random(4)
    body = filled("{A20}", rng) + "fakeexample"[:10]
    right = f"ghp_{body}{base62_crc(body)}"
    wrong = f"ghp_{body}{filled('{A6}', rng)}"
    assert base62_crc32(right) and not base62_crc32(wrong)
    assert [s.kind for s in find_secrets(f"x {right}")] == ["github-token"]
    assert find_secrets(f"x {wrong}") == []  # "fake": a placeholder
    plain = filled("gh|p_{A36}", rng)
    assert not base62_crc32(plain) and [s.kind for s in find_secrets(plain)] == ["github-token"]
