"""The frame of checks that read a whole file: they tell what its base did not have."""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text.visible import show_hidden
from ._sources import CheckInput, content_at_base, shown_line_number

_MOST = 10  # findings a file
_LONGEST = 200  # of a title


class Problem(Struct, frozen=True):
    """What is wrong at a line of a file."""

    rule: str
    line: int
    title: str
    body: str
    priority: Priority = Priority.P2
    area: str = "correctness"


def new_problems(
    sources: CheckInput,
    wanted: Callable[[str], bool],
    find: Callable[[str, bytes], Iterable[Problem]],
    largest: int = 1_000_000,
) -> Iterator[Finding]:
    """One finding a problem that the base of its file did not have; equal titles are one."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not file.is_text_file or len(data) > largest or not wanted(file.path):
            continue
        found: dict[tuple[str, str], Problem] = {}
        for each in find(file.path, data):
            found.setdefault((each.rule, each.title), each)
        if found and file.status != "A":
            for each in find(file.path, content_at_base(file, data)):
                found.pop((each.rule, each.title), None)
        for each in [*found.values()][:_MOST]:
            line = shown_line_number(file, each.line)
            yield Finding(
                each.priority,
                each.area,
                f"builtin/{each.rule}",
                file.path,
                line,
                line,
                show_hidden(each.title[:_LONGEST]),
                each.body,
            )
