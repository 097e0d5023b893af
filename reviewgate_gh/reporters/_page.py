"""The frame of an HTML page that is one file: nothing is loaded, and only our own style and script
have any effect."""

from base64 import b64encode
from functools import cache
from pkgutil import get_data

from ..model.finding import sha256
from ._markup import NOTHING, Html, element, markup

_PACKAGE = "reviewgate_gh.reporters"


@cache
def _asset(name: str) -> str:
    return (get_data(_PACKAGE, name) or b"").decode("utf-8")


def _digest(text: str) -> str:
    """As a content security policy names a style or a script: https://www.w3.org/TR/CSP3/"""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


def page(title: str, *body: Html, script: bool = True, many: bool = False) -> str:
    """The whole document; of `many` parts a browser draws only those that it shows."""
    style, code = Html(_asset("page.css")), Html(_asset("page.js") if script else "")
    allowed = f"script-src {_digest(code)}; " if code else ""
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; {allowed}img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        # Before anything that it is about. The hash's alphabet needs no escaping.
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name_="color-scheme", content="light dark"),
        element("meta", name_="referrer", content="no-referrer"),
        element("title", title),
        element("link", rel="icon", href="data:,"),
        element("style", style),
    )
    last = element("script", code) if code else NOTHING
    whole = element("body", *body, last, class_=many and "many")
    return f"<!DOCTYPE html>\n{element('html', head, whole, lang='en')}\n"


def section(name: str, heading: str, *children: Html) -> Html:
    """A part of the page with a heading that links lead to; nothing for an empty one."""
    content = markup(*children)
    if not content:
        return NOTHING
    title = element("h2", heading, id=f"{name}-heading")
    return element("section", title, content, id=name, aria_labelledby=f"{name}-heading")
