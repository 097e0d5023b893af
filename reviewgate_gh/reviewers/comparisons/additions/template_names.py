"""Handlers and components that the template of a component names and that its script does not
have: Svelte, and `<script setup>` of Vue.

https://svelte.dev/docs/svelte/svelte-files, https://vuejs.org/api/sfc-script-setup.html
"""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._remark import ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line, has_word

EVERY_FILE = False
UNDEFINED = ComparisonRule(
    "template-name-missing",
    Priority.P2,
    "It fails when it is used. Give the name that the script has, or define it there.",
)
_SCRIPT = lazy_pattern(r"(?m)^[ \t]*<script\b(?P<attributes>[^>]{0,300})>")
# Of what an attribute says: a name alone, a call, or a function that calls it first
_FIRST = (
    r"\s{0,40}(?:(?:async )?\(?[\w\s,$]{0,80}\)? ?=>\s{0,40}\{?\s{0,40})?(?:await |void )?"
    r"(?P<name>[A-Za-z_]\w*)"
)
_SVELTE = lazy_pattern(rf"\b(?:on:[\w|-]+|on[a-z]+)=[\"']?\{{{_FIRST}\s{{0,40}}(?=[}}(])")
_SVELTE_TAG = lazy_pattern(r"<(?P<name>[A-Z]\w*)(?=[\s/>])")
_VUE = lazy_pattern(rf"(?<=\s)(?:@|v-on:)[\w.:-]+=[\"']{_FIRST}\s{{0,40}}(?=[\"'(])")
# What a template declares itself
_OWN = lazy_pattern(
    r"\blet:[^\s>]{1,100}|\{#each\b[^}]{0,300}|\{[#:](?:await|then|catch)\b[^}]{0,300}"
    r"|\{@const\b[^}]{0,200}|\{#snippet\b[^}]{0,300}"
    r"|\bv-for=\"[^\"]{0,300}\"|(?:\bv-slot|(?<=\s)#)[\w:.\[\]-]*=\"[^\"]{0,300}\""
    r"|\bconst\s[^=]{0,100}"
)
_GLOBAL = """
    alert confirm prompt print open close stop focus blur scroll scrollTo scrollBy fetch
    setTimeout setInterval clearTimeout clearInterval requestAnimationFrame queueMicrotask history
    location window document console navigator localStorage sessionStorage globalThis self
    dispatchEvent reportError structuredClone parseInt parseFloat Number String Boolean Object Array
    Math JSON Date Map Set Promise Symbol BigInt Intl Error undefined null true false event function
    if for while return new typeof delete async this require import emit isNaN isFinite Event
    CustomEvent URL encodeURIComponent decodeURIComponent crypto performance caches throw switch try
"""
_LARGEST = 200_000  # characters
_LONGEST = 200  # characters of parameters
_UNKNOWN_PROPS = lazy_pattern(r"\bdefineProps\s*<\s*[^{\s]|\bdefineProps\(\s*[^\[{\s)]")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, of a name that the base did not lack."""
    for file in sources.files:
        if not file.path.endswith((".svelte", ".vue")) or not file.is_product or file.is_gone:
            continue
        missing = _missing(file, file.head)
        old = _missing(file, file.base) if missing and not file.is_new else {}
        name = next((name for name in missing if name not in old), "")
        if name and not _is_given(sources, file, name):
            line = Line(missing[name], file.head_rows[missing[name] - 1])
            what = f"the script defines or imports no {name}, which the template uses"
            yield put(UNDEFINED, file, line, what)


def _missing(file: ComparedFile, text: str) -> dict[str, int]:
    """Names that the template uses and nothing in the file has, with their lines."""
    found = _parts(text) if len(text) <= _LARGEST else None
    if found is None:
        return {}
    script, markup = found
    is_svelte = file.path.endswith(".svelte")
    if not is_svelte and ("setup" not in _attributes(text) or _UNKNOWN_PROPS.search(script)):
        return {}
    uses = [*(_SVELTE if is_svelte else _VUE).finditer(markup)]
    uses += [*_SVELTE_TAG.finditer(markup)] if is_svelte else []
    own = " ".join([*(each[0] for each in _OWN.finditer(markup)), *_parameters(markup)])
    return {
        use["name"]: markup.count("\n", 0, use.start("name")) + 1
        for use in reversed(uses)
        if not has_word(_GLOBAL, use["name"])
        and not has_word(script, use["name"])
        and not has_word(own, use["name"])
    }


def _parameters(markup: str) -> Iterator[str]:
    """What stands before each arrow: a name, or several in brackets."""
    for part in markup.split("=>")[:-1]:
        near, depth = part[-_LONGEST:].rstrip(), 0
        for at in range(len(near) - 1, -1, -1):
            depth += (near[at] == ")") - (near[at] == "(")
            if depth == 0 and not (near[at].isalnum() or near[at] in "_$"):
                yield near[at:]
                break


def _attributes(text: str) -> str:
    return " ".join(found["attributes"] for found in _SCRIPT.finditer(text))


def _parts(text: str) -> tuple[str, str] | None:
    """The scripts and the rest of a component, where lines keep their numbers; None where a script
    lies elsewhere, or there is none."""
    scripts, rest, at = list[str](), list[str](), 0
    for found in _SCRIPT.finditer(text):
        end = text.find("</script>", found.end())
        if found.start() < at or end < 0:
            continue
        if re.search(r"\bsrc=", found["attributes"]):
            return None
        scripts.append(text[found.end() : end])
        rest += [text[at : found.start()], "\n" * text.count("\n", found.start(), end)]
        at = end
    if not scripts:
        return None
    return "\n".join(scripts), _without_comments("".join(rest) + text[at:])


def _without_comments(text: str) -> str:
    """Without comments and styles of HTML, whose line breaks stay."""
    for opens, closes in (("<!--", "-->"), ("<style", "</style>")):
        parts = text.split(opens)
        for at, part in enumerate(parts[1:], 1):
            inside, found, after = part.partition(closes)
            parts[at] = "\n" * inside.count("\n") + after if found else part
        text = "".join(parts)
    return text


def _is_given(sources: ComparisonInput, file: ComparedFile, name: str) -> bool:
    """A project of Vue may give its templates names that no script imports:
    https://nuxt.com/docs/guide/concepts/auto-imports, `app.config.globalProperties`."""
    if file.path.endswith(".svelte"):
        return False
    found = sources.find_words(["nuxt", "unplugin", "globalProperties"])
    return any(found.values())
