"""shellcheck: weights on real runs, and which files are its own."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import shellcheck
from tests.unit.reviewers.linters.real import ask, takes

BAD = {
    "shellcheck/SC2068": ("#!/bin/bash\nls $@\n", "P3"),
    "shellcheck/SC2199": ('#!/bin/bash\n[[ "$@" == x ]]\n', "P3"),
    "shellcheck/SC2294": ('#!/bin/bash\neval "$@"\n', "P3"),
    "shellcheck/SC2324": ("#!/bin/bash\nn=0\nn+=1\necho $n\n", "P2"),
    "shellcheck/SC2053": ('#!/bin/bash\n[[ "$1" == $2 ]]\n', "P3"),
    "shellcheck/SC1083": ("#!/bin/bash\ngit rev-parse @{upstream}\n", "P3"),
    "shellcheck/SC2070": ("#!/bin/bash\n[ -n $1 ]\n", "P1"),
    "shellcheck/SC2071": ("#!/bin/bash\n[[ 1 > 2 ]]\n", "P1"),
    "shellcheck/SC2115": ('#!/bin/bash\nrm -rf "$1/"*\n', "P2"),
    "shellcheck/SC1073": ('#!/bin/bash\necho "a\n', "P0"),
    "shellcheck/SC2164": ("#!/bin/bash\ncd foo\nrm -r bar\n", "P2"),
    "shellcheck/SC2154": ('#!/bin/bash\necho "$a"\n', "P2"),
    "shellcheck/SC3043": ('#!/bin/sh\nf() { local a=1; echo "$a"; }\nf\n', "P3"),
    "shellcheck/SC2086": ("#!/bin/bash\necho $1\n", "P3"),
    "shellcheck/SC2045": ('#!/bin/bash\nfor f in $(ls *.txt); do cat "$f"; done\n', "P3"),
    "shellcheck/SC2046": ("#!/bin/bash\nrm $(cat list)\n", "P3"),
    "shellcheck/SC2064": ('#!/bin/sh\na=$(mktemp)\ntrap "rm -f $a" EXIT\n', "P3"),
    "shellcheck/SC2207": ('#!/bin/bash\na=($(cat list))\necho "${a[@]}"\n', "P3"),
    "shellcheck/SC2163": ("#!/bin/bash\na=b\nexport $a\n", "P2"),
    "shellcheck/SC2316": ("#!/bin/bash\nf() { local readonly a=1; echo $a; }\nf\n", "P2"),
    "shellcheck/SC1071": ("#!/usr/bin/env fish\necho\n", "P3"),
}
_KEPT = {
    name: getattr(shellcheck, name)
    for name in (
        "PROGRAM",
        "FILES",
        "DEFAULT_CONFIG",
        "CLEAN_EXITS",
        "FOUND_EXITS",
        "argv",
        "parse",
    )
}
# As for a file whose first line is not known
_BY_SUFFIX = SimpleNamespace(**_KEPT)


@pytest.mark.parametrize("rule", sorted(BAD))
def test_weights(rule: str, tmp_path: Path) -> None:
    source, priority = BAD[rule]
    asked = ask(_BY_SUFFIX, tmp_path, {"bad.sh": source})
    assert asked.code == 1
    assert asked.weights().get(rule) == priority, asked.findings


def test_where_it_stops_reading_is_said_once(tmp_path: Path) -> None:
    sources = {
        "a.sh": "#!/bin/sh\nif true; then\n  echo a\n",  # it says this four times
        "b.sh": "#!/bin/bash\ncase $1 in\n a) echo;;\n",
        "c.sh": "#!/bin/sh\nfoo(a) { echo; }\nif x; then\n  :\n",  # and of another thing
    }
    found = ask(shellcheck, tmp_path, sources).findings
    told = sorted((f.path, f.rule[11:], f.line_start, f.title) for f in found if f.priority < "P2")
    assert told == [
        ("a.sh", "SC1073", 2, "Couldn't parse this if expression. Line 4: Expected 'fi'."),
        ("b.sh", "SC1073", 2, "Couldn't parse this case expression. Line 4: Expected 'esac' to "
         "close the case statement."),
        ("c.sh", "SC1065", 2, "Trying to declare parameters? Don't. Use () and refer to params "
         "as $1, $2.."),
        ("c.sh", "SC1073", 3, "Couldn't parse this if expression. Line 5: Expected 'fi'."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("after", "priority"),
    [
        ("rm -rf build", "P2"),
        ("find . -delete", "P2"),
        ("git clean -fd", "P2"),
        ("make", "P3"),
        ("echo farm", "P3"),
    ],
)
def test_a_failed_cd_does_harm_where_something_is_deleted(after: str, priority: str) -> None:
    found = Finding(Priority.P2, "lint", "shellcheck/SC2164", "a.sh", 2, 2, "t")
    text = f"rm before\ncd a\n{after}\n".encode()
    assert shellcheck.relocate(found, lambda: text).priority == priority


@pytest.mark.parametrize(
    ("line", "priority"), [("grep [:alpha:] a", "P2"), ("listen -b [::]:80", "P3")]
)
def test_an_address_is_no_class_of_letters(line: str, priority: str) -> None:
    found = Finding(Priority.P2, "lint", "shellcheck/SC2101", "a.sh", 1, 1, "t")
    assert shellcheck.relocate(found, line.encode).priority == priority


@pytest.mark.parametrize(
    ("line", "rule", "priority"),
    [
        ('. "${0%/*}/setup"', "SC2154", "P3"),
        ("cd a; source ./b", "SC2164", "P3"),
        ("[ -f b ] && . ./b", "SC2154", "P3"),
        ("# . ./setup", "SC2154", "P2"),
        ('eval "$1=x"', "SC2154", "P3"),
        ("ls . ./b", "SC2154", "P2"),
        ("ls . ./b", "SC2164", "P3"),
        (". ./b", "SC2068", "P2"),
    ],
)
def test_what_another_script_may_decide(line: str, rule: str, priority: str) -> None:
    found = Finding(Priority.P2, "lint", f"shellcheck/{rule}", "a.sh", 3, 3, "t")
    text = f"#!/bin/sh\n{line}\necho $a\n".encode()
    assert shellcheck.relocate(found, lambda: text).priority == priority


def test_what_reads_a_file_without_a_shell_of_its_own_may_assign() -> None:
    found = Finding(Priority.P2, "lint", "shellcheck/SC2154", "a.sh", 2, 2, "t")
    for first, priority in (("#!/bin/bash", "P2"), ("# A part", "P3")):
        text = f"{first}\necho $a\n".encode()
        assert shellcheck.relocate(found, lambda text=text: text).priority == priority


@pytest.mark.parametrize(
    ("line", "priority"),
    [
        ('export "$name"', "P3"),
        ('export "${var_name}" # of the caller', "P3"),
        ("export $name", "P2"),
        ('export $name "$other"', "P2"),
    ],
)
def test_whoever_quotes_an_exported_name_means_it(line: str, priority: str) -> None:
    found = Finding(Priority.P2, "lint", "shellcheck/SC2163", "a.sh", 2, 2, "t")
    text = f"#!/bin/bash\n{line}\n".encode()
    assert shellcheck.relocate(found, lambda: text).priority == priority


def test_clean_sourced_and_odd_files(tmp_path: Path) -> None:
    clean = {"ok.sh": '#!/bin/sh\necho "$1"\n', "lib.sh": ". ./other\nhello() { echo hi; }\n"}
    asked = ask(shellcheck, tmp_path, clean)
    assert (asked.code, asked.findings) == (0, ())
    names = ("x b/ü '.sh", "-dash.sh", "n\udcff.sh", "a\nb.sh")
    odd = ask(shellcheck, tmp_path, dict.fromkeys(names, "#!/bin/sh\necho $1\n"))
    assert {f.path for f in odd.findings} == set(names)


def test_the_projects_own_config(tmp_path: Path) -> None:
    files = {".shellcheckrc": "disable=SC2086\n", "sub/a.sh": "#!/bin/sh\necho $1\ncd x\n"}
    asked = ask(shellcheck, tmp_path, files, own_config=True)
    assert {f.rule for f in asked.findings} == {"shellcheck/SC2164"}
    assert {f.rule for f in ask(shellcheck, tmp_path, files).findings} == {
        "shellcheck/SC2164",
        "shellcheck/SC2086",
    }


def test_a_fix_is_told_in_words(tmp_path: Path) -> None:
    (found,) = ask(shellcheck, tmp_path, {"a.sh": "#!/bin/sh\necho $1\n"}).findings
    assert 'Fix: insert `"` at 2:6; insert `"` at 2:8' in found.body
    assert found.suggestion is None


def test_a_missing_file_is_no_clean_run(tmp_path: Path) -> None:
    gone = ask(shellcheck, tmp_path, {"a.sh": "#!/bin/sh\n"}, args=["nothere.sh"])
    assert gone.code not in (*shellcheck.CLEAN_EXITS, *shellcheck.FOUND_EXITS)


@pytest.mark.parametrize(
    ("path", "head", "taken"),
    [
        ("a.sh", b"", True), ("a.bash", b"", True), ("bin/run", b"#!/bin/sh\n", True),
        ("run", b"#!/usr/bin/env bash\n", True),
        ("run", b"#! /usr/bin/env -S bash -e\n", True), ("a.sh", b"#!/bin/zsh\n", False),
        ("a.fish", b"", False), ("run", b"", False),
        ("run", b"#!/usr/bin/env python3\n", False), ("a.zsh", b"", False),
        ("run", b"#!/usr/bin/env\n", False), ("run", b"#!\n", False),
    ],
)  # fmt: skip
def test_takes(path: str, head: bytes, taken: bool) -> None:
    assert takes(shellcheck, path, head) is taken
