"""Quoted lines hold no secret, not even one line of a longer one."""

from reviewgate_gh.findings.lines import DiffLines, file_text
from tests.unit.reviewers.checks.support import new
from tests.unit.support import added


def test_a_key_of_several_lines_is_redacted_line_by_line():
    begin, end = (
        "-----BEGIN OPENSSH PRIVATE " + "KEY-----",
        "-----END OPENSSH PRIVATE " + "KEY-----",
    )
    shown = DiffLines(
        added("id", f"before\n{begin}\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n{end}\nafter\n")
    )
    assert [shown.text(n) for n in range(1, 6)] == [
        "before",
        *["[REDACTED:private-key]"] * 3,
        "after",
    ]
    assert "b3Blbn" not in f"{shown.quote(2, 2)}"


def test_long_lines_are_cut_after_redaction():
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    assert token[:20] not in (DiffLines(added("a", "x" * 380 + " " + token)).text(1) or "")


def test_the_rest_of_a_key_is_redacted_too():
    body, end = (
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ",
        "-----END OPENSSH PRIVATE " + "KEY-----",
    )
    shown = DiffLines(added("id", f"{body}\n{body}\n{end}\nafter\n"))
    assert [shown.text(n) for n in range(1, 5)] == [*["[REDACTED:private-key]"] * 3, "after"]


def test_letters_of_several_bytes_and_bytes_that_are_no_text_hide_no_secret():
    token = "sk-" + "a1B2c3D4e5" * 4 + "f6G7h8Jk"
    for form in ("utf-16", "utf-16-be"):
        key = (
            "-----BEGIN EC PRIVATE "
            + "KEY-----\n"
            + "a1B2c3D4e5" * 5
            + "\n-----END EC PRIVATE "
            + "KEY-----"
        )
        shown = DiffLines(new("a.txt", f"{token}\nb = 1\n{key}\n".encode(form)))
        assert [(shown.text(n) or "").count("REDACTED") for n in range(1, 6)] == [1, 0, 1, 1, 1]
        assert "b\0 \0=" in (shown.text(2) or ""), "what hides nothing stays as it is"
    assert DiffLines(new("a.txt", b"\xff" + token.encode())).text(1) == "\\xff[REDACTED:openai-key]"


def test_a_value_whose_name_stands_on_another_line_is_not_shown() -> None:
    value = "x7Kq92LmpZ4t" + "Rw81vBnA8dk29"
    rows = ["- name: ACME_TOKEN", f"  value: {value}", "after: 1", ""]
    file = added("deploy.yaml", "\n".join(rows))
    shown = DiffLines(file)
    assert [shown.text(n) for n in (1, 2, 3)] == [rows[0], "[REDACTED:assigned-secret]", rows[2]]
    assert value not in file_text(file).text and "after: 1" in file_text(file).text
