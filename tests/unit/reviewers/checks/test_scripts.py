"""Mistakes in scripts that their parsers take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.reviewers.checks import scripts
from reviewgate_gh.text.perl import find_foreign_branch, find_input_in_command, find_text_as_number
from reviewgate_gh.text.powershell import find_foreign_operator, find_run_download
from tests.unit.reviewers.checks.support import edited, on, short, sources

ASKED = "my $a = $q->param('a');\n"


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.pl", "next if $state == 'paid';\n", [("P2", "perl-text-as-number", 1)]),
        ("a.pm", 'if ("open" != $self->{state}) {\n}\n', [("P2", "perl-text-as-number", 1)]),
        ("a.t", "ok($row->[1] == 'x y');\n", [("P2", "perl-text-as-number", 1)]),
        ("a.pl", "next if $a eq 'b' or $c == '12' or $d == 'inf';\n", []),
        ("a.pl", "# $a == 'b'\n=pod\n\n$a == 'b'\n\n=cut\n", []),
        ("a.cgi", f"{ASKED}print `host $a`;\n", [("P1", "perl-input-in-command", 2)]),
        ("a.pl", f'{ASKED}system("host $a");\n', [("P1", "perl-input-in-command", 2)]),
        ("a.pl", f"{ASKED}system('host', $a);\nprint `host $b`;\n", []),
        ("a.pl", f"{ASKED}die unless $a =~ /^\\w+$/;\nprint `host $a`;\n", []),
        (
            "a.ps1",
            "$s = (Invoke-WebRequest $u).Content\nInvoke-Expression $s\n",
            [("P2", "powershell-download-run", 2)],
        ),
        ("a.psm1", "$s = irm $u\n$S | iex\n", [("P2", "powershell-download-run", 2)]),
        ("a.ps1", "$s = irm $u\n$t = 'Get-Date'\niex $t\n", []),
        ("a.txt", "next if $state == 'paid';\n", []),
    ],
)
def test_what_is_found(path: str, text: str, found: list[tuple[str, str, int]]) -> None:
    assert on(scripts, path, text) == [
        (priority, rule, f"{path}:{line}") for priority, rule, line in found
    ]


def test_what_stood_there_before_is_not_told() -> None:
    text = "next if $state == 'paid';\nprint 1;\n"
    given_ = sources(edited("a.pl", "-print 2;", "+print 1;", start=2), contents={"a.pl": text})
    assert short(scripts, given_) == []


@given(text=st.text(alphabet="$ab=!'\"`(){}\n |#-ifxelsqwh", max_size=80))
def test_any_text_is_read(text: str) -> None:
    lines = text.count("\n") + 1
    for line in (find_foreign_branch(text), find_foreign_operator(text)):
        assert 0 <= line <= lines
    for found in (find_text_as_number, find_input_in_command, find_run_download):
        assert all(0 < line <= lines for line in found(text))
