"""What a model says about lines counts only where the code that it quotes stands there."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.ensemble.anchor import NO_FILE, NO_QUOTE, NOT_IN_CHANGE, findings_of_claims
from reviewgate_gh.ensemble.answer import Claim
from reviewgate_gh.findings.code_search import CodeIndex
from reviewgate_gh.findings.lines import LONGEST_SHOWN, prompt_text
from reviewgate_gh.findings.scope import ChangedLines, anchor_findings, mark_outside_change
from reviewgate_gh.gate.policy import decide_verdict
from reviewgate_gh.model.coverage import Coverage
from reviewgate_gh.model.finding import Confidence, FindingState, Priority
from tests.unit.ensemble import golden
from tests.unit.support import added, change, edited

FILE = edited(
    "src/app.py",
    " def total(order):",
    "-    if order is None:",
    "-        return 0",
    "+    price = order.price * order.count",
    "+",
    "+    if order.discount:",
    '+        price -= order.discount  # "net"',
    "     return price",
    start=10,
)


def claim(quote, line=0, **fields):
    made = Claim(
        "src/app.py",
        quote,
        line,
        line,
        Priority.P1,
        "correctness",
        "A title",
        "Why.",
        None,
        Confidence.HIGH,
    )
    return replace(made, **fields)


def placed(quote, line=0, files=(FILE,), source="claude/security", **fields):
    changed_lines = ChangedLines(change(*files))
    return findings_of_claims(
        [claim(quote, line, **fields)], changed_lines, CodeIndex(changed_lines), source
    )[0]


def at(finding):
    return (finding.side, finding.line_start, finding.line_end) if finding.placed else None


def test_the_finding_says_what_the_model_said_and_who_it_was():
    made = placed(
        "    if order.discount:",
        category="security",
        suggestion="    if order.net:",
        confidence=Confidence.LOW,
    )
    assert (made.rule, made.category, made.sources, made.confidence) == (
        "",
        "security",
        ("claude/security",),
        Confidence.LOW,
    )
    assert (made.title, made.body, made.suggestion, made.anchor) == (
        "A title",
        "Why.",
        "    if order.net:",
        "    if order.discount:",
    )
    assert (
        [line.number for line in made.excerpt] == [11, 13, 14]
        and made.placed
        and made.origin == "src/app.py"
    )


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("    if order.discount:", ("RIGHT", 13, 13)),
        ("if order.discount:", ("RIGHT", 13, 13)),
        (("\n\n    if order.discount:  \r\n"
        "\t\tprice -= order.discount # \"net\"\n"), ("RIGHT", 13, 14)),
        ("+    if order.discount:", ("RIGHT", 13, 13)),
        ("    price = order.price * order.count\n\n    if order.discount:", ("RIGHT", 11, 13)),
        ("    price = order.price * order.count\n    if order.discount:", ("RIGHT", 11, 13)),
        ("+    price = order.price * order.count\n+\n+    if order.discount:", ("RIGHT", 11, 13)),
        (("+    11 |     price = order.price * order.count\n+    12 | \n"
        "+    13 |     if order.discount:"), ("RIGHT", 11, 13)),
        ("      15 |     return price", ("RIGHT", 15, 15)),
        ("-    11 |     if order is None:\n-    12 |         return 0", ("LEFT", 11, 12)),
        ("price -= order.discount", ("RIGHT", 14, 14)),
        ("order.count\n\n    if order.disc", ("RIGHT", 11, 13)),
        ("    if order is None:", ("LEFT", 11, 11)),
        ("if order is None:\n  return 0", ("LEFT", 11, 12)),
        ("-    if order is None:\n-        return 0", ("LEFT", 11, 12)),
        ("        return 0\n    return price", ("LEFT", 12, 13)),
        ("        return 0\n    price = order.price * order.count", ("RIGHT", 11, 11)),
        ("-        return 0\n+    price = order.price * order.count", ("RIGHT", 11, 11)),
        ("    price = order.prices * order.counts", ("RIGHT", 11, 11)),
        ("    return price", ("RIGHT", 15, 15)),
        ("    raise SystemExit('never')", None),
        ("", None),
        (" \n\t\n", None),
        ("x = 1\n" * 5000, None),
    ],
)  # fmt: skip
def test_lines_come_from_the_quoted_code(quote, expected):
    for line in (0, 3, 12, 900):
        assert at(placed(quote, line)) == expected


@pytest.mark.parametrize(
    ("line", "expected"), [(1, 2), (2, 2), (3, 2), (4, 5), (5, 5), (7, 8), (1000, 8), (0, None)]
)
def test_the_models_number_only_tells_equal_places_apart(line, expected):
    file = added(
        "src/app.py",
        "a = load()\n    close(a)\nb = load()\nc = load()\n    close(a)\nd = load()\ne = load()\n"
        "    close(a)\n",
    )
    for quote in ("    close(a)", "close(a)  "):
        assert at(placed(quote, line, (file,))) == (
            ("RIGHT", expected, expected) if expected else None
        )


def test_what_is_most_alike_counts_only_where_nothing_else_is_nearly_as_much():
    one = "    send(customer.address, subject)\n    log(customer.name)\n"
    two = one + "    send(customer.addressed, subject)\n"
    quote = "    send(customer.addresses, subject)"
    assert at(placed(quote, 1, (added("src/app.py", one),))) == ("RIGHT", 1, 1)
    assert at(placed(quote, 1, (added("src/app.py", two),))) is None
    assert at(placed("    receive(supplier.name)", 1, (added("src/app.py", one),))) is None


@pytest.mark.parametrize(
    ("said", "path"),
    [
        *((said, "src/app.py") for said in ("src/app.py", "./src/app.py", "a/src/app.py",
            "b/src/app.py", " src/app.py\n")),
        ("src/old.py", "src/new.py"), ("src/\\xff.py", "src/\udcff.py"), ("a/x.py", "a/x.py"),
    ],
)  # fmt: skip
def test_a_path_is_understood_as_diffs_write_it(said, path):
    others = [added(p, "x = compute()\n") for p in ("a/x.py", "x.py", "src/\udcff.py")]
    files = (
        FILE,
        *others,
        added("src/new.py", "x = compute()\n", old_path="src/old.py", status="R"),
    )
    made = placed(
        "def total(order):" if path == "src/app.py" else "x = compute()", 1, files, file=said
    )
    assert (
        made.placed
        and made.path == path
        and (made.origin == "src/old.py") is (path == "src/new.py")
    )


def test_what_has_no_place_stays_without_one_and_makes_the_run_inconclusive():
    nowhere = [
        placed("def total(order):", 10, file="src/other.py"),
        placed("", 11),
        placed("raise SystemExit('never')", 11),
    ]
    assert [(f.path, f.note) for f in nowhere] == [
        ("src/other.py", NO_FILE),
        ("src/app.py", NO_QUOTE),
        ("src/app.py", NOT_IN_CHANGE),
    ]
    changed_lines = ChangedLines(change(FILE))
    for finding in mark_outside_change(anchor_findings(nowhere, changed_lines, "x"), changed_lines):
        assert (finding.placed, finding.state, finding.line_start, finding.excerpt) == (
            False,
            FindingState.OPEN,
            0,
            (),
        )
        verdict = decide_verdict([finding], [], (), "P1", Coverage())
        assert (
            verdict.outcome == "inconclusive"
            and "claude/security reports P1 at src/" in verdict.reasons[0]
        )


def test_what_is_placed_on_lines_that_were_shown_is_about_the_change():
    changed_lines = ChangedLines(change(FILE))
    found = [
        placed(quote)
        for quote in ("    if order.discount:", "    if order is None:", "    return price")
    ]
    assert [
        f.state.value
        for f in mark_outside_change(anchor_findings(found, changed_lines, "x"), changed_lines)
    ] == ["open"] * 3
    assert decide_verdict(found[1:2], [], (), "P1", Coverage()).outcome == "block"
    assert (
        found[1].anchor == "    if order is None:" and found[1].fingerprint != found[0].fingerprint
    )


def test_redacted_and_hidden_characters_are_found_as_they_were_shown_and_as_they_are():
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    file = added(
        "src/app.py",
        f"user = 'x'\nlogin('{token}')\nif access\u202e == 'admin':\nname = '\udcff'\n",
    )
    places = {
        f"login('{token}')": 2,
        "login('[REDACTED:github-token]')": 2,
        "if access<U+202E> == 'admin':": 3,
        "if access\u202e == 'admin':": 3,
        "name = '\\xff'": 4,
    }
    for quote, line in places.items():
        made = placed(quote, 0, (file,))
        assert at(made) == ("RIGHT", line, line) and token not in f"{made.excerpt}{made.anchor}"
    begin, end = (
        "-----BEGIN OPENSSH PRIVATE " + "KEY-----",
        "-----END OPENSSH PRIVATE " + "KEY-----",
    )
    key = added("src/app.py", f"a\n{begin}\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n{end}\n")
    assert at(placed("a\n" + "[REDACTED:private-key]\n" * 3, 0, (key,))) == ("RIGHT", 1, 4)
    both = added("src/app.py", f"use('{token}', x\u202e)\n")
    for quote in (f"use('{token}', x\u202e)", "use('[REDACTED:github-token]', x<U+202E>)"):
        made = placed(quote, 0, (both,), suggestion="y")
        assert at(made) == ("RIGHT", 1, 1) and made.suggestion == "y"


def test_long_lines_are_found_as_they_were_shown():
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    for length in (900, 5000):
        file = added("src/app.py", f"x = 1\nuse('{token}', '{'ab ' * (length // 3)}')\n")
        row = next(line for line in file.added_lines() if line.new == 2)
        made = placed(prompt_text(row.text)[:LONGEST_SHOWN], 0, (file,), suggestion="y")
        assert at(made) == ("RIGHT", 2, 2) and made.suggestion == "y"


def test_a_suggestion_for_a_part_of_a_line_is_text():
    whole, part = (
        placed(quote, suggestion="price -= net(order)")
        for quote in ('price -= order.discount  # "net"', "price -= order.disc")
    )
    assert whole.suggestion == "price -= net(order)" and whole.body == "Why."
    assert part.suggestion is None and part.body == "Why.\n\nSuggested:\n\n    price -= net(order)"


def test_a_long_title_goes_to_the_body_whole():
    made = placed("    return price", title="word\n" * 100)
    assert (
        len(made.title) == 200
        and "\n" not in made.title
        and made.body == ("word\n" * 100).strip() + "\n\nWhy."
    )


LINES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=20),
    min_size=1,
    max_size=12,
)


@pytest.mark.req("R003-013")
def test_what_the_reverse_audit_is_unsure_of_stays_unsure():
    for source in ("claude/audit-2", "claude/security"):
        for word in Confidence:
            assert placed("    return price", confidence=word, source=source).confidence is word


@given(LINES, LINES, st.data())
def test_lines_of_the_change_are_found_where_they_are(before, after, data):
    file = edited(
        "src/app.py", *(f"-{row}" for row in before), *(f"+{row}" for row in after), start=5
    )
    first = data.draw(st.integers(0, len(after) - 1))
    last = data.draw(st.integers(first, len(after) - 1))
    quote = after[first : last + 1]
    assume(quote[0].strip() and quote[-1].strip())
    near = data.draw(st.integers(1, 40))
    made = placed("\n".join(quote), near, (file,))
    assert made.placed and made.side == "RIGHT" and made.anchor
    same = [n for n in range(len(after)) if after[n : n + len(quote)] == quote]
    assert made.line_start - 5 in same and made.line_end == made.line_start + last - first
    assert abs(made.line_start - near) == min(abs(n + 5 - near) for n in same)


@given(st.text(max_size=60), st.integers(0, 30), st.text(max_size=12))
def test_whatever_is_said_is_one_finding(quote, line, path):
    for file in ("src/app.py", path or "x"):
        made = placed(quote, line, file=file)
        assert made.placed or (made.line_start == 0 and made.note)


REWRITTEN = (
    str, str.lstrip, str.rstrip, lambda row: "    " + row, lambda row: f"\t{row.strip()}  ",
    lambda row: f"+{row}",
)  # fmt: skip


@pytest.mark.peer
def test_every_golden_remark_is_anchored_by_its_quote(data, capsys):
    """Line numbers that are off by up to 20; for lines that stand twice in their file, off by less
    than half their distance."""
    cases, right, tried = golden.cases(data), 0, 0
    for number, comment in golden.comments(data):
        changed_lines = ChangedLines(change(*golden.files(cases[number]["patch"])))
        code, prompt_text = CodeIndex(changed_lines), changed_lines.diff_lines(comment["file"])
        start = comment["line_start"]
        rows = (
            "\n".join(prompt_text.text(n) for n in range(start, comment["line_end"] + 1))
            .rstrip()
            .split("\n")
        )
        end = start + len(rows) - 1  # one remark ends on a blank line
        twins = [
            n
            for n in range(1, 400)
            if n != start and [prompt_text.text(n + i) for i in range(len(rows))] == rows
        ]
        if twins:  # with the lines before they are told apart however far off the numbers are
            before = "\n".join(prompt_text.text(n) for n in range(start - 4, start + 1))
            longer = findings_of_claims(
                [claim(before, max(1, start + by), file=comment["file"]) for by in range(-20, 21)],
                changed_lines,
                code,
                "m",
            )
            assert {at(f) for f in longer} == {("RIGHT", start - 4, end)}
        off = min([20, *((abs(n - start) - 1) // 2 for n in twins)])
        shifted = [claim("\n".join(map(turn, rows)), max(1, start + by), file=comment["file"])
                   for by in range(-off, off + 1) for turn in REWRITTEN]  # fmt: skip
        found = findings_of_claims(shifted, changed_lines, code, "m")
        tried += len(found)
        right += all(at(f) == ("RIGHT", start, end) for f in found)
        if not all(at(f) == ("RIGHT", start, end) for f in found):
            print(comment, rows, {at(f) for f in found})
    with capsys.disabled():
        print(
            f"\n{right} of 104 golden remarks anchored to their lines, each time ({tried} quotes)"
        )
    assert right == 104
