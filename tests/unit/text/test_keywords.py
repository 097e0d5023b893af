"""Keywords with a slip."""

import pytest

from reviewgate_gh.text.brackets import find_open_string
from reviewgate_gh.text.keywords import find_misspelt_keyword


@pytest.mark.parametrize(
    ("language", "row", "word"),
    [
        ("Kotlin", "    func send(to: String) {", "func"),
        ("Kotlin", "    fun send(to: String) {", ""),
        ("Swift", "  fucn send() {", "fucn"),
        ("Swift", "  func send() { // fucn a", ""),
        ("C#", "  pubic bool Send()", "pubic"),
        ("C#", "  publicc bool Send()", "publicc"),
        ("C#", "  pblic bool Send()", "pblic"),
        ("C#", "  publik bool Send()", "publik"),
        ("Rust", "    retrun 1", ""),  # a name may stand before a number: nothing follows it
        ("Rust", "    retrun x", "retrun"),
        ("Java", "  x.clas y", ""),
        ("Java", "  twice clas twice clas", ""),
        ("Java", "  vlue x", ""),
        ("Perl", "  retrun x", ""),
    ],
)
def test_slips(language: str, row: str, word: str) -> None:
    assert find_misspelt_keyword(language, f"a\n{row}\nb", 2) == word


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("Kotlin", 'a\nval b = "c\nd\n', 2),
        ("Kotlin", 'val b = "c\\"" + """d\ne"""\n', 0),
        ("C#", '// "\nvar a = @"b\nc";\n', 0),
        ("PowerShell", "$a = 'b''\n", 1),
        ("PowerShell", "$a = 'it''s'\n", 0),
        ("Swift", 'let a = #"b " c"#\n', 0),
        ("Ruby", 'a = "\n', 0),
    ],
)
def test_strings_without_an_end(language: str, text: str, line: int) -> None:
    assert find_open_string(language, text) == line
