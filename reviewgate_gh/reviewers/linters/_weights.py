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
        Weight(("S501",), Priority.P1, "a check of certificates is switched off"),
        # Of 200 calls of `exec` and `eval` in the standard library and in packages 164 have a
        # namespace or are given a constant or what `compile` made
        Weight(
            ("S102", "S301", "S302", "S307", "S506", "S602", "S604", "S605", "S608"),
            Priority.P2,
            "ruff alone cannot tell harmful calls from harmless ones: P3 in tests and where all "
            "that reaches the call is constant or made safe, `exec` and `eval` also with a "
            "namespace or of what `compile` made; P1 together with `taint`, which sees input",
        ),
        Weight(("S324",), Priority.P3, "MD5 and SHA-1 as a checksum; P1 for a password"),
        Weight(
            ("S311", "S313", "S314", "S315", "S316", "S317", "S318", "S319", "S320"),
            Priority.P3,
            "any use of `random` and of an XML parser; `taint` knows which do harm",
        ),
        Weight(("S603", "S606", "S607"), Priority.P3, "any start of a program without a shell"),
        Weight(("BLE", "SIM", "SLF", "SLOT"), Priority.P3, "families that only begin like another"),
        Weight(("ASYNC", "B", "S"), Priority.P2, "probably wrong"),
        Weight(("",), Priority.P3, "all others"),
    ),
    "oxlint": (
        Weight(
            (
                "eslint/no-async-promise-executor",
                "eslint/no-constant-binary-expression",
                "eslint/no-dupe-class-members",
                "eslint/no-dupe-else-if",
                "eslint/no-eval",
                "eslint/no-loss-of-precision",
                "eslint/no-nonoctal-decimal-escape",
                "eslint/no-unsafe-finally",
                "eslint/no-unsafe-optional-chaining",
                "oxc/const-comparisons",
                "oxc/number-arg-out-of-range",  # up to 100 digits since ECMAScript 2018
                "typescript/no-duplicate-enum-values",
            ),
            Priority.P2,
            "works in some programs; other mistakes that oxlint calls errors are P1",
        ),
        Weight(
            (
                "eslint/getter-return",
                "typescript/no-unsafe-declaration-merging",
                "unicorn/no-invalid-fetch-options",
            ),
            Priority.P3,
            "a getter that gives nothing in some cases, an interface of a class's name, a method "
            "of a request that the rule takes for GET: mostly meant so",
        ),
    ),
    "shellcheck": (
        Weight(
            (
                "SC1007",
                "SC2010",
                "SC2013",
                "SC2034",
                "SC2038",
                "SC2044",
                "SC2045",
                "SC2046",
                "SC2048",
                "SC2060",
                "SC2061",
                "SC2062",
                "SC2064",
                "SC2068",
                "SC2120",
                "SC2124",
                "SC2125",
                "SC2128",
                "SC2145",
                "SC2155",
                "SC2166",
                "SC2184",
                "SC2199",
                "SC2206",
                "SC2207",
                "SC2254",
                "SC2294",
                "SC3043",
            ),
            Priority.P3,
            "true of many scripts that work: `CDPATH= cd`, unused variables, loops over `ls` and "
            "`find`, words and patterns without quotes that are meant to be split, lists that are "
            'meant as one text, `trap "rm $file" EXIT`, `local x=$(...)`, `local` in `sh`',
        ),
        Weight(
            ("SC2154", "SC2164"),
            Priority.P2,
            "a variable without a value, `cd` without a way out; P3 in a script that reads others "
            "with `.` or `source`: they may assign it, or say `set -e`; a variable also in one "
            "with `eval`, `cd` also where nothing is "
            "deleted or moved after it",
        ),
        Weight(
            ("SC2101",),
            Priority.P2,
            "a class of letters outside of brackets; P3 without its name: `[::]` is an address",
        ),
        Weight(
            ("SC2163", "SC2316"),
            Priority.P2,
            'a name beside the one that is meant; P3 for `export "$name"`, which means it',
        ),
    ),
    "cppcheck": (
        Weight(
            (
                "uninitvar",
                "legacyUninitvar",
                "uninitdata",
                "memleak",
                "resourceLeak",
                "nullPointer",
            ),
            Priority.P2,
            "without its headers, what a macro or a function without a prototype sets looks as if "
            "nobody did",
        ),
        Weight(
            ("overlappingWriteUnion", "va_list_", "unknownEvaluationOrder"),
            Priority.P3,
            "what it says of macros of the library and of whole unions is mostly no mistake",
        ),
    ),
    "zizmor": (
        Weight(
            ("unpinned-uses", "unpinned-images"),
            Priority.P3,
            "so common that they would hide the rest",
        ),
        Weight(("dependabot-cooldown",), Priority.P3, "advice that most projects do not follow"),
        Weight(
            ("github-app",),
            Priority.P2,
            "more rights than the job needs, for a workflow that no stranger starts",
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
