"""What a tool's rules weigh, where its own words do not say it: measured by how well a rule tells
bad code from good. docs/rules.md shows this table."""

from functools import cache

from msgspec import Struct

from ...model.finding import Priority


class Weight(Struct, frozen=True):
    """Rules by the beginnings of their codes, their priority, and why."""

    codes: tuple[str, ...]
    priority: Priority
    why: str


# The first row that fits counts
WEIGHTS = {
    "ruff": (
        Weight(("invalid-syntax", "E9"), Priority.P0, "the file does not parse"),
        Weight(("F7", "F821", "F822", "F823", "PLE"), Priority.P1, "fails wherever it is run"),
        Weight(
            ("S501", "S506", "S602", "S604", "S605", "S608"),
            Priority.P1,
            "injections and switched-off checks; P3 where ruff says that the call seems safe",
        ),
        # Of 200 calls in the standard library and in packages 164 have one of these three
        Weight(
            ("S102", "S307"),
            Priority.P1,
            "`exec` and `eval`; P3 with a namespace, of a constant, or of what `compile` made",
        ),
        Weight(("S324",), Priority.P3, "MD5 and SHA-1 as a checksum; P1 for a password"),
        Weight(("BLE", "SIM", "SLF", "SLOT"), Priority.P3, "families that only begin like another"),
        Weight(("ASYNC", "B", "S"), Priority.P2, "probably wrong"),
        Weight(("",), Priority.P3, "all others"),
    ),
    "zizmor": (
        Weight(
            ("unpinned-uses", "unpinned-images"),
            Priority.P3,
            "so common that they would hide the rest",
        ),
    ),
}


@cache
def weight(tool: str, code: str) -> Priority | None:
    """The priority of a rule by its code; None where the table has none."""
    rows = (row for row in WEIGHTS[tool] if code.startswith(row.codes))
    return next((row.priority for row in rows), None)


def table() -> str:
    """The rows as Markdown."""
    head = "| tool | rules | priority | why |\n| --- | --- | --- | --- |\n"
    return head + "".join(
        f"| {tool} | {', '.join(f'`{code}`' if code else 'all others' for code in row.codes)} "
        f"| {row.priority.value} | {row.why} |\n"
        for tool, rows in WEIGHTS.items()
        for row in rows
    )
