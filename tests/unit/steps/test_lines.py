"""Quoted lines hold no secret, not even one line of a longer one."""

from reviewgate_gh.steps.lines import Shown

from .support import added


def test_a_key_of_several_lines_is_redacted_line_by_line():
    begin, end = "-----BEGIN OPENSSH PRIVATE " + "KEY-----", "-----END OPENSSH PRIVATE " + "KEY-----"
    shown = Shown(added("id", f"before\n{begin}\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n{end}\nafter\n"))
    assert [shown.text(n) for n in range(1, 6)] == ["before", *["[REDACTED:private-key]"] * 3, "after"]
    assert "b3Blbn" not in f"{shown.quote(2, 2)}"


def test_long_lines_are_cut_after_redaction():
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    assert token[:20] not in (Shown(added("a", "x" * 380 + " " + token)).text(1) or "")
