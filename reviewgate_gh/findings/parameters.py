"""The parameter of a function of Python that a place in its head is in."""

from ..text.patterns import lazy_pattern

_FUNCTION = lazy_pattern(r"\s*(?:async\s+)?def\s+\w+\s*(?:\[[^\[\]]*\]\s*)?(?=\()")
_TOKEN = lazy_pattern(
    r"\"\"\"(?s:.)*?\"\"\"|'''(?s:.)*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[()\[\]{},]"
)


def parameter_at(head: str, place: int) -> str:
    """The parameter at this index of the head, with its annotation and default; "" where the head
    is no function's, or the place is outside of its brackets."""
    found = _FUNCTION.match(head)
    if not found:
        return ""
    depth, begin = 0, found.end() + 1
    for token in _TOKEN.finditer(head, found.end()):
        sign = token[0]
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 or (depth == 1 and sign == ","):
            if begin <= place < token.start():
                return head[begin : token.start()].strip()
            begin = token.end()
        if depth == 0:
            break
    return ""
