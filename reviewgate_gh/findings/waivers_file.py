"""The waivers file: new entries from a report's findings, edited in place so that comments and
order stay."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..model.errors import UsageError
from ..model.finding import Finding, FindingState
from ..model.waiver import Waiver
from ..text.redact import redact
from ..text.yaml import compose, yaml_scalar
from .identity import base_fingerprint

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class WaiverTerms(Struct, frozen=True):
    """Why findings are accepted, until when (YYYY-MM-DD), and how many equal ones (None: as many as
    there are)."""

    reason: str
    expires: str | None = None
    count: int | None = None


def open_fingerprints(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The fingerprints of everything that stands open."""
    return tuple(finding.fingerprint for finding in findings if finding.state is FindingState.OPEN)


def make_waivers(
    findings: Sequence[Finding], wanted: Sequence[str], known: Sequence[Waiver], terms: WaiverTerms
) -> tuple[Waiver, ...]:
    """One waiver for each defect: a base fingerprint, of a model's finding with its title. Of a
    pattern all places are accepted.

    `known` are the waivers there are: a fingerprint that only they know keeps what it says.

    Raises:
        UsageError: a fingerprint that nobody knows, or terms that a waiver cannot have.
    """
    by_name = {finding.fingerprint: finding for finding in reversed(findings)}
    earlier = _grouped(known, lambda waiver: waiver.fingerprint)
    unknown = [name for name in wanted if name not in by_name and name not in earlier]
    if unknown:
        raise UsageError(
            f"no saved report contains the finding {', '.join(unknown)}",
            "list the fingerprints with: reviewgate-gh review",
        )
    places = _grouped(
        (f for f in findings if f.state is FindingState.DUPLICATE),
        lambda f: (f.note, f.rule, f.title),
    )
    equals = _grouped(findings, lambda f: (base_fingerprint(f.fingerprint), f.title))
    made: dict[tuple[str, str], Waiver] = {}
    for name in wanted:
        head = by_name.get(name)
        group = (
            [
                head,
                *(
                    places.get((f"the same issue as {head.location}", head.rule, head.title), ())
                    if head.places
                    else ()
                ),
            ]
            if head
            else []
        )
        new = [_waiver(f, terms, equals[base_fingerprint(f.fingerprint), f.title]) for f in group]
        for waiver in new or [_renewed(old, terms) for old in earlier[name]]:
            made[waiver_identity(waiver)] = _both(made.get(waiver_identity(waiver)), waiver)
    return tuple(made.values())


def renamed_waivers(
    before: Sequence[Waiver], findings: Iterable[Finding]
) -> tuple[dict[int, Waiver], tuple[Waiver, ...]]:
    """Waivers that hold under a former name of a file or a former format, as they would be made
    now: entries by position, and additions where one of them covers findings that are several now.

    Reason, date and priority stay, and no more findings are accepted than were.
    """
    covered: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.state is FindingState.WAIVED:
            covered[finding.waiver].append(finding)
    changed, added = {}, list[Waiver]()
    for position, old in enumerate(before):
        groups = _grouped(
            covered.get(old.fingerprint, ()), lambda f: base_fingerprint(f.fingerprint)
        )
        if not groups.keys() - {old.fingerprint}:
            continue
        now = [
            replace(
                old,
                fingerprint=name,
                path=_writable(of[0].path),
                unit=_writable(of[0].unit),
                count=min(old.count, len(of)),
            )
            for name, of in groups.items()
        ]
        changed[position] = now[0]
        added += now[1:]
    return changed, tuple(added)


def waiver_identity(waiver: Waiver) -> tuple[str, str]:
    """What makes an entry another one: where no rule says what is wrong, several things can be
    accepted under one fingerprint."""
    return waiver.fingerprint, "" if "/" in waiver.rule else waiver.title


def _grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def _both(one: Waiver | None, other: Waiver) -> Waiver:
    """The entry that covers what either of them does."""
    if one is None:
        return other
    wider = other if other.count > one.count else one
    severe = min(filter(None, (one.priority, other.priority)), default=None)
    return replace(wider, priority=severe)


def _waiver(finding: Finding, terms: WaiverTerms, equals: Iterable[Finding]) -> Waiver:
    """`equals` have its fingerprint, but for the ordinal, and its title. Of what no rule tells
    apart, only these are equal ones."""
    count = finding.ordinal
    if not finding.has_specific_rule:
        count = len({each.ordinal for each in equals if each.ordinal <= finding.ordinal})
    named = Waiver(
        fingerprint=base_fingerprint(finding.fingerprint),
        reason="-",
        count=count,
        rule=finding.rule,
        path=_writable(finding.path),  # it is there for people and for renames
        unit=_writable(finding.unit),
        title=_writable(redact(finding.title)),
        priority=finding.priority,
    )
    return _renewed(named, terms)


def _renewed(waiver: Waiver, terms: WaiverTerms) -> Waiver:
    try:
        reason = " ".join(_writable(terms.reason).split())
        count = waiver.count if terms.count is None else terms.count
        return replace(waiver, reason=reason, expires=terms.expires, count=count)
    except ValueError as error:
        raise UsageError(str(error), "see reviewgate-gh waive add --help") from None


def merge_waivers(
    before: Sequence[Waiver], new: Iterable[Waiver], terms: WaiverTerms, today: str
) -> tuple[dict[int, Waiver], tuple[Waiver, ...]]:
    """What changes in a file: entries by position, and additions.

    An entry that is there keeps its greater count and, while it has not passed, its date, unless
    the terms name others. One without a title takes that of the first new one with its fingerprint.
    """
    at = {waiver_identity(waiver): position for position, waiver in enumerate(before)}
    changed, added = {}, []
    for waiver in new:
        position = at.get(waiver_identity(waiver))
        if position is None and (position := at.pop((waiver.fingerprint, ""), None)) is None:
            added.append(waiver)
            continue
        old = before[position]
        count = waiver.count if terms.count is not None else max(waiver.count, old.count)
        expires = waiver.expires or (None if old.is_expired(today) else old.expires)
        changed[position] = replace(waiver, count=count, expires=expires)
    return changed, tuple(added)


def _writable(text: str) -> str:
    """No file of text can hold bytes that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


_HEAD = (
    "# Findings that somebody has accepted: made by `reviewgate-gh waive add`, in force from "
    "the commit that holds them.\nversion: 1\n"
)
_KEY = "waivers"


def waiver_file_text(waivers: Iterable[Waiver]) -> str:
    """A new file."""
    entries = "".join(_entry(waiver, "  ") for waiver in waivers)
    return f"{_HEAD}{_KEY}:\n{entries}" if entries else f"{_HEAD}{_KEY}: []\n"


def edit_waiver_file(
    text: str, changed: Mapping[int, Waiver | None], added: Iterable[Waiver]
) -> str:
    """The text with entries replaced or (None) removed by their position, and new ones at the end.

    Raises:
        ValueError: it is not laid out in a way that can be edited.
    """
    sequence = _sequence(text)
    indent = "  "
    if sequence is not None and sequence.value:
        if sequence.flow_style:
            raise ValueError("the list is written in brackets")
        indent = " " * sequence.start_mark.column
        for position in sorted(changed, reverse=True):
            start, end = _extent(text, sequence.value[position])
            waiver = changed[position]
            text = text[:start] + (_entry(waiver, indent) if waiver else "") + text[end:]
    elif sequence is not None:
        text = text[: sequence.start_mark.index].rstrip(" ") + text[sequence.end_mark.index :]
    text = text if text.endswith("\n") or not text else f"{text}\n"
    head = "" if sequence is not None else f"{_KEY}:\n"
    return text + head + "".join(_entry(waiver, indent) for waiver in added)


def _sequence(text: str) -> Any:
    """The node of the list; None where the file has none yet."""
    top = compose(text)
    if top is None:
        return None
    if top.id != "mapping":
        raise ValueError("the file is not a mapping")
    found = next((value for key, value in top.value if key.value == _KEY), None)
    if found is not None and found.id != "sequence":
        raise ValueError("the list is not a list")
    return found


def _extent(text: str, item: Any) -> tuple[int, int]:
    """Where the lines of an entry begin and end."""
    start = text.rfind("\n", 0, item.start_mark.index) + 1
    last = _end(item)
    if text[last - 1 : last] == "\n":
        return start, last
    end = text.find("\n", last) + 1
    return start, end or len(text)


def _end(node: Any) -> int:
    """Where the last word below a node ends; the node's own mark lies behind the comments that
    follow it."""
    if node.id == "mapping":
        return max((_end(value) for _key, value in node.value), default=node.end_mark.index)
    if node.id == "sequence" and not node.flow_style:
        return max((_end(value) for value in node.value), default=node.end_mark.index)
    return int(node.end_mark.index)


def _entry(waiver: Waiver, indent: str) -> str:
    fields = {"fingerprint": waiver.fingerprint, "rule": waiver.rule, "path": waiver.path}
    fields |= {
        "unit": waiver.unit,
        "priority": waiver.priority.value if waiver.priority else "",
        "title": waiver.title,
        "reason": waiver.reason,
    }
    fields |= {"expires": waiver.expires} if waiver.expires else {}
    rows = [f"{name}: {yaml_scalar(value)}" for name, value in fields.items() if value]
    rows += [f"count: {waiver.count}"] if waiver.count != 1 else []
    return f"{indent}- " + f"\n{indent}  ".join(rows) + "\n"
