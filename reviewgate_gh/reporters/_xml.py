"""XML that others read: text made safe, and written with ElementTree, which escapes it."""

import re
from xml.etree.ElementTree import Element, indent, tostring

from ..text.patterns import lazy_pattern

# What XML 1.0 forbids and is not shown otherwise already: https://www.w3.org/TR/xml/#charsets
_NO_CHARACTER = lazy_pattern("[\ufffe\uffff]")
# A line that the runner of GitHub Actions would take for a command; references are the same text
_COMMAND = lazy_pattern(r"^([^\S\n]*):(?=:)|(##)\[", re.MULTILINE)


def written(root: Element) -> str:
    """The document, an element a line."""
    indent(root)
    body = tostring(root, encoding="unicode", short_empty_elements=True)
    shown = _NO_CHARACTER.sub(lambda found: f"&lt;U+{ord(found[0]):04X}&gt;", body)
    inert = _COMMAND.sub(lambda found: "##&#91;" if found[2] else f"{found[1]}&#58;", shown)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{inert}\n'
