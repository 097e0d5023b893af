"""Slips in a page of HTML that a browser says nothing of: attributes and elements that are one
letter off, references to a name that nothing has, passwords that go into an address.

https://html.spec.whatwg.org/multipage/indices.html#attributes-3
"""

from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.keywords import is_one_slip
from ...text.markup import elements, is_static_page
from ...text.patterns import lazy_pattern
from ._paths import is_fixture, is_foreign, is_tests
from ._problems import Problem, new_problems
from ._sources import CheckInput

WANTS = ("*.html", "*.htm")
EVERY_FILE = False
# Words that others have as attributes, which say nothing here
_FOR_ALL = """
    accesskey autocapitalize autofocus class contenteditable dir draggable enterkeyhint hidden id
    inert inputmode is itemid itemprop itemref itemscope itemtype lang nonce part popover role slot
    spellcheck style tabindex title translate onclick onchange oninput onload onsubmit onkeydown
    onkeyup onfocus onblur onerror key ref text align valign width height color vocab typeof
    property resource prefix about datatype xmlns"""
_EVERYWHERE = frozenset(_FOR_ALL.split())
_OF = {
    "a": "href target rel download hreflang ping referrerpolicy type name",
    "img": "src alt srcset sizes loading decoding crossorigin usemap ismap fetchpriority border "
    "referrerpolicy hspace vspace name longdesc lowsrc",
    "script": "src type async defer crossorigin integrity nomodule referrerpolicy language charset "
    "fetchpriority blocking",
    "link": "href rel media type sizes as crossorigin integrity hreflang imagesrcset imagesizes "
    "referrerpolicy disabled fetchpriority charset blocking target rev",
    "form": "action method enctype target novalidate autocomplete accept-charset name rel",
    "input": "type name value placeholder required readonly disabled checked maxlength minlength "
    "min max step pattern multiple accept autocomplete list form formaction formmethod formtarget "
    "formnovalidate formenctype size src alt capture dirname popovertarget popovertargetaction "
    "autocorrect",
    "button": "type name value disabled form formaction formmethod formtarget formnovalidate "
    "formenctype popovertarget popovertargetaction command commandfor",
    "label": "for form",
    "select": "name multiple required disabled size form autocomplete",
    "option": "value selected disabled label",
    "textarea": "name rows cols placeholder required readonly disabled maxlength minlength wrap "
    "form autocomplete dirname autocorrect",
    "iframe": "src srcdoc name sandbox allow allowfullscreen loading referrerpolicy frameborder "
    "scrolling marginwidth marginheight allowtransparency",
    "video": "src poster controls autoplay loop muted preload playsinline crossorigin "
    "controlslist disablepictureinpicture",
    "audio": "src controls autoplay loop muted preload crossorigin controlslist",
    "source": "src srcset type media sizes",
    "meta": "name content charset http-equiv media scheme",
    "td": "colspan rowspan headers scope abbr nowrap bgcolor axis char",
    "th": "colspan rowspan headers scope abbr nowrap bgcolor axis char",
}
# https://html.spec.whatwg.org/multipage/indices.html#elements-3, and old ones
_NAMED = """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big
    blink blockquote body br button canvas caption center cite code col colgroup content data
    datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer
    form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins
    kbd label legend li link main map mark marquee math menu meta meter nav nobr noembed noframes
    noscript object ol optgroup option output p param picture plaintext pre progress q rb rp rt rtc
    ruby s samp script search section select shadow slot small source span strike strong style sub
    summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var
    video wbr xmp"""
_ELEMENTS = tuple(_NAMED.split())
_LONG = 4
_KNOWN = {name: _EVERYWHERE | frozenset(words.split()) for name, words in _OF.items()}
_ANYWHERE = frozenset().union(*_KNOWN.values())
_SHORTEST, _MOST_NAMES, _MOST_ELEMENTS = 3, 500, 5_000
# What a template engine fills in
_FILLED_IN = lazy_pattern(r"\{\{[^{}]{0,500}\}\}|\{%[^%]{0,500}%\}|<[%?][^<>]{0,500}[%?]>")
_SIGN = lazy_pattern(r"[^\n]")
# Wherever they stand: within drawings, texts and scripts too
_NAMES = lazy_pattern(r"(?i)\b(?:id|name)\s{0,9}=\s{0,9}[\"']?([^\s\"'>]{1,200})")
_FRAGMENT = lazy_pattern(r"#[A-Za-z][\w-]*")
# Of each the ids that it names
_POINTS = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "list", "form")


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a slip."""
    return new_problems(sources, _is_wanted, _problems)


def _is_wanted(path: str) -> bool:
    if is_fixture(path) or is_tests(path) or is_foreign(path):
        return False
    return path.endswith((".html", ".htm"))


def _problems(_path: str, data: bytes) -> Iterator[Problem]:
    text = data.decode("utf-8", "replace")
    is_static = is_static_page(text)
    text = _FILLED_IN.sub(lambda part: _SIGN.sub(" ", part[0]), text)
    found = [*elements(text)]
    for name, attributes, line in found:
        if meant := _meant(name):
            yield Problem(
                "html-element",
                line,
                f"there is no element `<{name}>` (there is `<{meant}>`)",
                "Browsers show its content and give it no meaning.",
            )
        for key, meant in _slips(name, attributes):
            yield Problem(
                "html-attribute",
                line,
                f"`<{name}>` has no attribute `{key}` (there is `{meant}`)",
                "Browsers do nothing with it, and say nothing.",
            )
    if is_static:
        yield from _dangling(found, set(_NAMES.findall(text)))
        yield from _sent_passwords(found)


def _meant(name: str) -> str:
    """The element that a name is a slip away from; "" for an element."""
    if name in _ELEMENTS or len(name) < _LONG or not name.isalpha():
        return ""
    return next((each for each in _ELEMENTS if len(each) >= _LONG and is_one_slip(name, each)), "")


def _slips(name: str, attributes: dict[str, str]) -> Iterator[tuple[str, str]]:
    known = _KNOWN.get(name, frozenset())
    for key in attributes if known else ():
        if len(key) < _SHORTEST or key in known or not key.isalpha():
            continue
        # A word of another element is in a wrong place, and no slip
        near = () if key in _ANYWHERE else (each for each in sorted(known) if _is_near(key, each))
        meant = next((each for each in near if each not in attributes), "")
        if meant:
            yield key, meant


def _is_near(word: str, other: str) -> bool:
    return min(len(word), len(other)) >= _SHORTEST and is_one_slip(word, other)


def _dangling(found: list[tuple[str, dict[str, str], int]], names: set[str]) -> Iterator[Problem]:
    """Where scripts may give names to others, only one that is a slip away counts."""
    made = any(tag == "script" or tag.count("-") for tag, _, _ in found)
    if len(names) > _MOST_NAMES:
        return
    for tag, attributes, line in found[:_MOST_ELEMENTS]:
        named = [word for key in _POINTS for word in attributes.get(key, "").split()]
        link = attributes.get("href", "") if tag == "a" else ""
        if link != "#top" and _FRAGMENT.fullmatch(link):
            named.append(link.removeprefix("#"))
        for word in named:
            near = next((each for each in sorted(names) if _is_near(word, each)), "")
            if word not in names and (near or not made):
                instead = f" (there is `{near}`)" if near else ""
                yield Problem(
                    "html-reference",
                    line,
                    f"no element has the id `{word[:60]}`{instead}",
                    "Labels, links and descriptions that name it do nothing.",
                )


def _sent_passwords(found: list[tuple[str, dict[str, str], int]]) -> Iterator[Problem]:
    """The form around a field of a password is the last that begins before it."""
    form: dict[str, str] | None = None
    for tag, attributes, line in found:
        if tag == "form":
            form = attributes
        elif tag == "input" and attributes.get("type", "").lower() == "password" and form:
            method = form.get("method", "get" if form.get("action") else "").lower()
            if method == "get" and "onsubmit" not in form:
                yield Problem(
                    "html-password",
                    line,
                    "this password becomes a part of the address: the form is sent by GET",
                    "It gets into histories and logs. Send the form by POST.",
                    Priority.P1 if "method" in form else Priority.P2,
                    "security",
                )
