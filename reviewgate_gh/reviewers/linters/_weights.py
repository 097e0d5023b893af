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
        Weight(
            ("B011", "B905", "S104", "S106", "S107", "S110", "S112", "S310"),
            Priority.P3,
            "any `assert False`, `zip`, server for all networks, password by its name, error that "
            "is ignored, and address that is opened",
        ),
        Weight(
            (
                "B007",
                "B009",
                "B010",
                "B013",
                "B024",
                "B026",
                "B027",
                "B028",
                "B034",
                "B903",
                "B904",
            ),
            Priority.P3,
            "style: the code does the same without it",
        ),
        Weight(("BLE", "SIM", "SLF", "SLOT"), Priority.P3, "families that only begin like another"),
        Weight(
            ("B018",),
            Priority.P2,
            "an expression without effect; P3 in tests, where it may be what has to raise",
        ),
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
                "react-hooks/rules-of-hooks",
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
            ("SC2045", "SC2068", "SC2145", "SC2199"),
            Priority.P3,
            "`for x in $(ls ...)`, and lists that are meant as one text, or to be split",
        ),
        Weight(
            ("SC2154", "SC2164"),
            Priority.P2,
            "a variable without a value, `cd` without a way out; P3 in a script that reads others "
            "with `.` or `source`: they may assign it, or say `set -e`; a variable also in one "
            "with `eval` or without `#!`, `cd` also where nothing is deleted or moved after it",
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
        Weight(
            (
                "SC2014",
                "SC2032",
                "SC2050",
                "SC2055",
                "SC2056",
                "SC2069",
                "SC2088",
                "SC2089",
                "SC2090",
                "SC2115",
                "SC2123",
                "SC2140",
                "SC2141",
                "SC2146",
                "SC2156",
                "SC2179",
                "SC2189",
                "SC2192",
                "SC2193",
                "SC2195",
                "SC2215",
                "SC2216",
                "SC2217",
                "SC2221",
                "SC2222",
                "SC2225",
                "SC2227",
                "SC2229",
                "SC2238",
                "SC2240",
                "SC2256",
                "SC2257",
                "SC2318",
                "SC2319",
                "SC2320",
                "SC2322",
                "SC2324",
                "SC3024",
                "SC3030",
                "SC3054",
            ),
            Priority.P2,
            'does something else than it says: `rm -rf "$x/"*`, `> file 2>&1` in the wrong order, '
            "a case that is never reached, `n+=1` of a text, arrays in `sh`. All other warnings "
            "are P3: true of many scripts that work, such as unused variables, loops over `ls`, "
            'words that are meant to be split, `> file` alone, `trap "rm $file" EXIT`, '
            "`local x=$(...)`",
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
    "staticcheck": (
        Weight(
            ("SA1000", "SA5000", "SA5007", "SA5010", "SA5012"),
            Priority.P1,
            "fails wherever it is run: a pattern that does not compile, a nil map that is written, "
            "a call of itself without an end",
        ),
        Weight(
            ("SA1012", "SA1015", "SA1029", "SA4006", "SA4009", "SA9004"),
            Priority.P3,
            "works: a nil context, a text as the key of a context, a value that nobody reads",
        ),
        Weight(("SA",), Priority.P2, "probably wrong"),
    ),
    "zizmor": (
        Weight(
            ("unpinned-uses", "unpinned-images", "unpinned-tools"),
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
