"""Value classes are the library's dataclasses in all that can be seen of them; only the way they
are made differs."""

import copy
import dataclasses
import inspect
import pickle
import re
import threading
from collections.abc import Mapping
from typing import Any, Generic, TypeVar, get_type_hints

import pytest
from pydantic import TypeAdapter, ValidationError

from reviewgate_gh.model.values import dataclass as value
from tests.support import ROOT

T = TypeVar("T")


def body(decorate: Any) -> list[type]:
    """The same classes made by ours and by the library's decorator."""

    @decorate(frozen=True, slots=True)
    class Plain:
        """Two needed, three not."""

        name: str
        size: int
        kind: str = "x"
        parts: tuple[str, ...] = ()
        more: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    @decorate(frozen=True, slots=True, kw_only=True)
    class Named:
        size: int = 1
        name: str

        def __post_init__(self) -> None:
            if self.size < 1:
                raise ValueError("size must be 1 or more")

    @decorate(frozen=True, slots=True)
    class Mixed(Generic[T]):
        first: T
        last: str = dataclasses.field(default="z", kw_only=True)
        self_made: list[int] = dataclasses.field(default_factory=list)

    @decorate(frozen=True, slots=True)
    class Empty:
        pass

    return [Plain, Named, Mixed, Empty]


def local(text: object) -> str:
    return str(text).replace(body.__qualname__ + ".<locals>.", "")


PAIRS = list(zip(body(value), body(dataclasses.dataclass), strict=True))
ARGUMENTS: list[tuple[int, tuple[Any, ...], dict[str, Any]]] = [
    (0, ("a", 1), {}), (0, ("a", 1, "y", ("p",), {"k": 1}), {}),
    (0, ("a",), {"size": 2, "parts": ("q",)}),
    (1, (), {"name": "a"}), (1, (), {"name": "b", "size": 3}),
    (2, (5,), {}), (2, (5,), {"last": "y"}), (2, (5, [1]), {}), (3, (), {}),
]  # fmt: skip
WRONG: list[tuple[int, tuple[Any, ...], dict[str, Any]]] = [
    (0, (), {}), (0, ("a", 1, "y", (), {}, 9), {}), (0, ("a", 1), {"name": "b"}),
    (0, ("a", 1), {"other": 2}),
    (1, ("a",), {}), (1, (), {"size": 2}), (1, (), {"name": "a", "size": 0}), (2, (), {}),
    (3, (1,), {}),
]  # fmt: skip


@pytest.mark.parametrize(("which", "args", "named"), ARGUMENTS)
def test_values_are_made_shown_compared_and_copied_alike(
    which: int, args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours, theirs = PAIRS[which]
    one, other = ours(*args, **named), theirs(*args, **named)
    assert local(repr(one)) == local(repr(other))
    assert [getattr(one, f.name) for f in dataclasses.fields(one)] == [
        getattr(other, f.name) for f in dataclasses.fields(other)
    ]
    assert one == ours(*args, **named) and one != other and one != args
    assert copy.copy(one) == copy.deepcopy(one) == one and dataclasses.replace(one) == one
    assert dataclasses.asdict(one) == dataclasses.asdict(other)
    try:
        expected = hash(other)
    except TypeError:
        with pytest.raises(TypeError):
            hash(one)
    else:
        assert hash(one) == expected and {one: 1}[ours(*args, **named)] == 1


@pytest.mark.parametrize(("which", "args", "named"), WRONG)
def test_wrong_arguments_are_refused_in_the_same_words(
    which: int, args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    said = []
    for kind in PAIRS[which]:
        with pytest.raises((TypeError, ValueError)) as error:
            kind(*args, **named)
        said.append((error.type, local(error.value)))
    assert said[0] == said[1]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_a_class_looks_alike(ours: Any, theirs: Any) -> None:
    assert (
        dataclasses.is_dataclass(ours)
        and ours.__slots__ == theirs.__slots__
        and ours.__match_args__ == theirs.__match_args__
    )
    assert [(f.name, f.type, f.default, f.kw_only) for f in dataclasses.fields(ours)] == [
        (f.name, f.type, f.default, f.kw_only) for f in dataclasses.fields(theirs)
    ]
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert get_type_hints(ours.__init__) == get_type_hints(theirs.__init__)
    assert (
        ours.__init__.__qualname__ == theirs.__init__.__qualname__
        and ours.__init__.__module__ == __name__
    )


def test_nothing_can_be_set_or_taken_away() -> None:
    one = PAIRS[0][0]("a", 1)
    for change in (
        lambda: setattr(one, "name", "b"),
        lambda: setattr(one, "other", 1),
        lambda: delattr(one, "name"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert one.name == "a" and not hasattr(one, "__dict__")


@value(frozen=True, slots=True)
class Kept:
    """At the top of a module, where pickle finds it."""

    name: str
    parts: tuple[int, ...] = ()


def test_pickled_values_come_back() -> None:
    kept = Kept("a", (1, 2))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(kept, protocol)) == kept
    match kept:
        case Kept(name, parts):
            assert (name, parts) == ("a", (1, 2))


def test_pydantic_reads_them_strictly() -> None:
    reader = TypeAdapter(PAIRS[1][0])
    assert reader.validate_json('{"name": "a", "size": 4}').size == 4
    for wrong in ("{}", '{"name": 1}', '{"name": "a", "size": 0}'):
        with pytest.raises(ValidationError):
            reader.validate_json(wrong, strict=True)


def test_only_values_are_made() -> None:
    with pytest.raises(TypeError):
        value(frozen=False, slots=True)
    with pytest.raises(TypeError):
        value()


def test_first_values_on_many_threads() -> None:
    """Each thread may be the one that compiles the constructor."""
    for _ in range(20):
        kind, made = body(value)[0], []
        threads = [
            threading.Thread(target=lambda kind=kind, made=made: made.append(kind("a", 1)))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 8 and len(set(made)) == 1


def test_a_class_compiles_nothing_before_it_is_used() -> None:
    kind = body(value)[0]
    assert not inspect.isfunction(vars(kind)["__init__"])
    one = kind("a", 1)
    assert inspect.isfunction(vars(kind)["__init__"]) and not inspect.isfunction(
        vars(kind)["__eq__"]
    )
    assert one == kind("a", 1) and inspect.isfunction(vars(kind)["__eq__"])


def test_all_values_are_made_so() -> None:
    """A file whose dataclasses are all frozen and slotted takes the decorator from here."""
    made = re.compile(r"^@dataclass\b(.*)$", re.MULTILINE)
    for path in (ROOT / "reviewgate_gh").rglob("*.py"):
        text = path.read_text()
        kinds = made.findall(text)
        if kinds and all("frozen=True, slots=True" in words for words in kinds):
            assert "values import dataclass" in text, (
                f"{path}: from model.values, not from dataclasses"
            )
