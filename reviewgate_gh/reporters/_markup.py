"""HTML elements. Whatever is not markup of ours is text, and one function escapes it."""

from collections.abc import Sequence
from functools import lru_cache
from html import escape

from ..text.patterns import lazy_pattern
from ..text.safe import safe_block, safe_code, safe_line

_CODE = lazy_pattern(r"`([^`\n]+)`")
# https://html.spec.whatwg.org/multipage/syntax.html#void-elements
_VOID = frozenset({"br", "input", "link", "meta"})


class Html(str):
    """Markup that is complete: what it shows of others is escaped already."""

    __slots__ = ()


Child = Html | str | None
NOTHING = Html("")


def _escaped(shown: str) -> Html:
    """The one function that makes text markup, inside an element or a value of an attribute; a
    command for the runner of GitHub Actions is none any more.

    Every caller has had it redacted and its hidden characters shown.
    """
    return Html(escape(shown).replace("::", "&#58;&#58;").replace("##[", "##&#91;"))


def line(text: str, limit: int = 300) -> Html:
    """Foreign text on one line, cut at so many characters."""
    return _escaped(safe_line(text, limit))


def prose(text: str, limit: int) -> Html:
    """A foreign remark that may have several lines, cut at so many characters; what stands between
    backticks is shown as code."""
    shown = safe_block(text).strip()
    cut = shown if len(shown) <= limit else f"{shown[: limit - 1]}…"
    return Html(_CODE.sub(r"<code>\1</code>", _escaped(cut)))


def code(text: str, marked: tuple[int, int] = (0, 0)) -> Html:
    """A line of foreign code, with a part of it marked; these columns are of the line as it is
    shown."""
    shown, (start, end) = safe_code(text), marked
    if not end:
        return _escaped(shown)
    part = element("mark", _escaped(shown[start:end]))
    return Html(f"{_escaped(shown[:start])}{part}{_escaped(shown[end:])}")


def markup(*children: Child) -> Html:
    """The children one after another; what is no markup is escaped."""
    return Html("".join(_child(child) for child in children))


def element(name: str, *children: Child, **attributes: str | bool) -> Html:
    """An element. Attributes are written without the underscore at the end, with hyphens for other
    ones; True stands for one without a value, False for none."""
    opening = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Html(opening if name in _VOID else f"{opening}{markup(*children)}</{name}>")


def _child(child: Child) -> str:
    if isinstance(child, Html):
        return child
    return _text(child) if child else ""


# Most of what is passed as it is are words of ours, again and again
@lru_cache(1_000)
def _text(text: str) -> Html:
    return _escaped(safe_block(text))


def _attribute(key: str, value: str | bool) -> str:
    if value is False:
        return ""
    name = key.removesuffix("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_child(value)}"'


def table(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[Child]], more: str = ""
) -> Html:
    """A table with the first column as the heads of its rows; nothing for no rows. A cell that is
    no markup holds words of ours, which stay on one line. `more` says what it does not hold."""
    if not rows:
        return NOTHING
    head = element("tr", *(element("th", text, scope="col") for text in heads))
    body = (
        element("tr", element("th", first, scope="row"), *map(_cell, cells))
        for first, *cells in rows
    )
    return markup(
        element(
            "table",
            element("caption", caption),
            element("thead", head),
            element("tbody", *body),
        ),
        element("p", more) if more else NOTHING,
    )


def _cell(cell: Child) -> Html:
    return element("td", cell, class_=not isinstance(cell, Html) and "short")
