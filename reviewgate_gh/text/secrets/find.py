"""Find the secrets of a text: vendors' own forms, names and their values, passwords in
addresses, commands and headers."""

from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from . import custom
from .assignments import WORDS, Assignment, find_assignments, squeezed
from .calls import find_in_calls
from .encoded import (
    decoded,
    find_cluster_secrets,
    find_coded_keys,
    find_user_passwords,
    is_sample_token,
)
from .general import ASSIGNED, BASIC_AUTH, GENERAL, PRIVATE_KEY
from .kind import Kind, SecretSpan
from .names import Strength, is_credential, name_strength
from .passwords import find_in_addresses, find_in_commands, find_phrases, may_be_password
from .plausible import (
    LONGEST,
    is_code,
    is_code_between,
    is_object_name,
    is_password,
    is_placeholder,
    is_random,
    is_reference,
    is_uuid,
    without_escapes,
)
from .private_keys import find_private_keys
from .runs import Runs
from .samples import is_documented

_SHORTEST = 12  # characters: no text below this holds a secret and what tells it
_GENERAL = {name: 10_000 + place for place, name in enumerate(GENERAL)}
_SAY_NOTHING = frozenset(("key", "keys", "auth", "salt"))  # in a test
_LOWEST = 16  # of a name or a value that is surely random


def find_secrets(text: str) -> list[SecretSpan]:
    """The secrets of a text, in order; documented examples and placeholders are none."""
    if len(text) < _SHORTEST:
        return []
    found = [*custom.find_custom(text)]
    runs = Runs(text)
    if runs:
        from .vendors import find_vendor_secrets  # the table: most texts of people need none of it

        found += find_vendor_secrets(text, runs)
    if "://" in text:
        found += find_in_addresses(text)
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose lower case is two would shift every place
        lowered = text
    if any(word in lowered for word in WORDS):
        found += _assigned(text, lowered)
        found += _encoded(text)
    found += find_in_commands(text)
    found += find_in_calls(text)
    found += find_phrases(text)
    keys = (*find_private_keys(text), *find_coded_keys(text))
    found += (SecretSpan(PRIVATE_KEY.id, *place) for place in keys)
    return [each for each in _apart(found) if not is_documented(text[each.start : each.end])]


def _encoded(text: str) -> Iterator[SecretSpan]:
    for password, start, end in find_user_passwords(text):
        if may_be_password(password):
            yield SecretSpan(BASIC_AUTH.id, start, end)
    for name, plain, start, end in find_cluster_secrets(text):
        each = Assignment(name, plain, start, True, True)
        if judged := _judge(each):
            yield SecretSpan(judged[0].id, start, end, judged[1])
        elif within := find_secrets(plain):  # a file of settings
            yield SecretSpan(within[0].kind, start, end, within[0].chosen)


def _assigned(text: str, lowered: str) -> Iterator[SecretSpan]:
    sealed = "SealedSecret" in text  # https://github.com/bitnami-labs/sealed-secrets
    for each in find_assignments(text, lowered):
        if sealed and each.value.startswith("Ag"):
            continue
        if (judged := _judge(each)) and not _is_for_search(each, text):
            yield SecretSpan(judged[0].id, each.start, each.start + len(each.value), judged[1])


def _is_for_search(each: Assignment, text: str) -> bool:
    """A key that a site's search sends from every browser, as its neighbours say.
    https://www.algolia.com/doc/guides/security/api-keys/#search-only-api-key"""
    if squeezed(each.name) not in ("api_key", "apikey", "search_api_key"):
        return False
    around = text[max(0, each.start - 200) : each.start + 300]
    return "indexName" in around and "admin" not in around.lower()


def _judge(each: Assignment) -> tuple[Kind, bool] | None:
    """The kind of an assigned value, and whether a person may have made it up; None: no secret."""
    if not 8 <= len(each.value) <= LONGEST or " " in each.value or "\t" in each.value:
        return None
    return _judge_value(replace(each, start=0))


@lru_cache(1_000)  # a hostile text assigns the same again and again
def _judge_value(each: Assignment) -> tuple[Kind, bool] | None:
    value = each.value
    strength = name_strength(each.name)
    is_expression = is_code_between if each.quoted else is_code
    if strength is Strength.NONE or is_expression(value):
        return None
    if is_reference(value) or is_placeholder(value, vendor=True):
        return None
    if squeezed(value) == squeezed(each.name):  # a setting that is read by its name
        return None
    if kind := _vendor(each):
        return kind, False
    if is_uuid(value):
        return (ASSIGNED, False) if is_credential(each.name) else None
    if is_placeholder(value) or is_sample_token(value) or _stands_for_words(value):
        return None
    return _judge_general(without_escapes(value), strength, each)


def _judge_general(value: str, strength: Strength, each: Assignment) -> tuple[Kind, bool] | None:
    if strength is Strength.WEAK and (is_object_name(value) or not any(c.isdigit() for c in value)):
        return None
    if is_random(value, _LOWEST if strength is Strength.WEAK else 10):
        return ASSIGNED, each.name.lower() in _SAY_NOTHING
    if strength is Strength.PASSWORD and (each.quoted or each.whole) and is_password(value):
        return ASSIGNED, True
    return None


def _stands_for_words(value: str) -> bool:
    """It is base64 of plain text, and no secret in that."""
    plain = decoded(value)
    return plain is not None and not is_random(plain, 10) and not is_password(plain)


def _vendor(each: Assignment) -> Kind | None:
    from .vendors import named_kind

    return named_kind(each)


def _apart(found: list[SecretSpan]) -> list[SecretSpan]:
    """In order and without overlaps: of two the earlier kind of the table stays, since it says
    more."""
    kept: list[SecretSpan] = []
    for secret in sorted(found, key=lambda each: each.start):
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
            continue
        last = kept[-1]
        best = secret if _rank(secret) < _rank(last) else last
        kept[-1] = SecretSpan(
            best.kind, min(secret.start, last.start), max(secret.end, last.end), best.chosen
        )
    return kept


def _rank(secret: SecretSpan) -> int:
    """The project's own kinds first, then the vendors', then the general ones."""
    if secret.kind in _GENERAL:
        return _GENERAL[secret.kind]
    from .table import RANK

    return RANK.get(secret.kind, -1)
