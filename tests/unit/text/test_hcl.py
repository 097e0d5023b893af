"""Terraform's code without its texts."""

import pytest

from reviewgate_gh.text.hcl import blocks_of, hcl_code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a = b # c", "a = b    "),
        ("a = b // c\nd", "a = b     \nd"),
        ("a /* b\n} */ c", "a     \n     c"),
        ('a = "b${c}d" e', "a =    {c}   e"),
        ('"\\"a" b', "      b"),
        ('"$${a}" b', "        b"),
        ('"${a["b"]}" c', "  {a[   ]}  c"),
        ('"${ {a = "}"} }" b', "  { {a =    } }  b"),
        ("<<EOT\na ${b}\n  EOT\nc", "     \n   {b}\n     \nc"),
        ('"a\nb', "  \nb"),
        ("/* a", "    "),
        ("<<A\nb", "   \n "),
    ],
)
def test_texts_are_blank(text: str, code: str) -> None:
    assert hcl_code(text) == code
    assert len(code) == len(text)


def test_blocks() -> None:
    text = 'resource "a" "b" {\n  c {\n    d = "}"\n  }\n}\nlocals {\n}\n} e {'
    found = blocks_of(text, hcl_code(text))
    assert [each[:3] for each in found] == [
        ("resource", "a", "b"),
        ("c", "", ""),
        ("locals", "", ""),
    ]
    assert text[found[1][3] : found[1][4]].strip() == 'd = "}"'
