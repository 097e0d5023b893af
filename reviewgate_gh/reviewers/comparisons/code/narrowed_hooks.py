"""Guards whose own line says that they cover less: an argument that is gone, an action that is left
out, a path or a condition that comes with it, a role that anybody has."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from ....findings.source_text import SourceText
from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze
from . import access_checks, guarded_routes, guards_unwrapped, narrowed_guards, own_guards
from ._access_words import FOR_ALL, NAME
from ._asked_around import is_asked_around, is_asked_at_each_request
from ._unsaid import where_silent
from .access_checks import RULE

EVERY_FILE = False
_RULE = ComparisonRule(RULE.name, Priority.P2, RULE.advice)
_TOKEN = lazy_pattern(r"'[^']*'|\"[^\"]*\"|\w+|[^\w\s]")
_ASKS = lazy_pattern(
    rf"{NAME}|\b(?:\w*[a-z]Auth|\w+_auth|\w*Guard|[aA]uth|JWT|jwt\w*|bearer"
    r"|[Rr]equireAuthorization|(?:get_)?current_(?:active_)?(?:user|admin)|CurrentUser|AuthUser"
    r"|(?:Auth|Admin|Session)User|IsOwner\w*|IsAdmin\w*|IsAuthenticated)\b|:auth\b|:require_\w+"
)
# Where a guard is named: a registration, a decorator, the head of what answers a request
_PLACE = lazy_pattern(
    r"\b(?:APIRouter|include_router|Router|FastAPI|Group|MapGroup|Map(?:Get|Post|Put|Delete|Patch)"
    r"|Handle(?:Func)?|Blueprint|Depends|Annotated)\(|\bpermission_classes\b|\bpipe_through\b"
    r"|\.(?:get|post|put|patch|delete|use|route|GET|POST|PUT|PATCH|DELETE)\(|^\s*@"
    r"|^\s*(?:pub\s+)?(?:async\s+)?(?:def|fn)\s|@auth\b|\bmatcher\s*:"
)
_HOOK = lazy_pattern(
    r"^\s*(?:before_action|before_filter|prepend_before_action"
    r"|plug)\s*(?:\(\s*)?:(?P<rails>\w*(?:auth|login|admin"
    r"|permi|require|user|verify|ensure|member|owner)\w*)"
    r"|^\s*\$this->middleware\(\s*\[?['\"](?P<laravel>auth|can|role|permission|verified|admin)\b"
)
_LIST = lazy_pattern(
    r"(?P<kind>\bonly\b|\bexcept\b|\bwhen\s+action\s+(?:not\s+)?in|\bif:|\bunless:)(?P<names>.*)$"
)
_PATHS = lazy_pattern(r"\bmatcher\s*:|\b(?:request|ant|mvc|path|regex)Matchers\(")
_TEXT = lazy_pattern(r"['\"`]([^'\"`]+)['\"`]")
_NAMES = lazy_pattern(r"\w+[?!]?")
_ROLE = lazy_pattern(r"\.(?:has(?:Any)?(?:Role|Authority)|access)\([^)]*\)")
_FILTER = lazy_pattern(r"^\s*(?:@(?P<on>\w+)\.before_request\b|before\b(?P<rest>.*)\bdo\s*$)")
_CONDITION = lazy_pattern(r"^\s*(?:if|unless)\b\s*(?P<asked>.*?)\s*(?:[:{]\s*)?$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where no other comparison says it."""
    found = [
        finding
        for file in sources.files
        if file.is_edited_product
        for finding in islice(_in_file(sources, file), 1)
    ]
    others = (
        access_checks.compare,
        guarded_routes.compare,
        guards_unwrapped.compare,
        narrowed_guards.compare,
        own_guards.compare,
    )
    yield from where_silent(sources, found, others)


_MOST_PAIRS = 2_500  # of lines
_Kind = Callable[[ComparisonInput, ComparedFile, Line, Line], tuple[str, ComparisonRule] | None]


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    kinds: Sequence[_Kind] = (_hook, _role, _paths, _argument, _filter, _condition)
    for block in file.blocks:
        if len(block.removed) * len(block.added) > _MOST_PAIRS:
            continue  # a rewrite
        for old in block.removed if block.added else ():
            for new in block.added:
                for kind in kinds:
                    if said := kind(sources, file, old, new):
                        yield taken(said[1], file, old, said[0], quoted(new.text))
                        return


def _argument(
    sources: ComparisonInput, file: ComparedFile, old: Line, new: Line
) -> tuple[str, ComparisonRule] | None:
    """The statement is as it was, without what named a guard."""
    code, now = (_DEFINED.sub("", code_of(each.text)) for each in (old, new))
    if not (_PLACE.search(old.text) and _ASKS.search(code)) or not 0 < len(now.strip()) < len(code):
        return None
    before, after = Counter(_TOKEN.findall(code)), Counter(_TOKEN.findall(now))
    gone = before - after
    named = [each for each in gone if _ASKS.search(each)]
    if after - before or not named or not _is_part(_TOKEN.findall(now), _TOKEN.findall(code)):
        return None
    if re.match(r"\s*(?:from|import|use|export)\b", code):
        return None
    if _HEAD.match(old.text) and not re.search(_TAKEN.format(re.escape(named[0])), code):
        return None
    around = is_asked_around(file, new, named[0])
    if around or guards_unwrapped.covers_router(sources, code, named[0]):
        return None
    goes_on = len(file.head_code.rows(new.number)) > 1  # what is gone may stand in the next row
    if goes_on or has_word(sources.added_text, named[0].strip(":")):
        return None
    if is_asked_at_each_request(sources, named[0]):
        return None
    return f"this is no longer guarded by {named[0]}", _RULE


_HEAD = lazy_pattern(r"^\s*(?:pub\s+)?(?:async\s+)?(?:def|fn)\s")
# A parameter guards by its type, or by what gives it its value, not by its own name
_TAKEN = r"(?:\b(?:Depends|Security)\(|:)[^,()]*(?<!\w){}"
_DEFINED = lazy_pattern(r"\b(?<=def|.fn)\s+\w+(?=\()")


def _is_part(some: Sequence[str], every: Sequence[str]) -> bool:
    """All tokens are among the others, in their order."""
    rest = iter(every)
    return all(token in rest for token in some)


def _hook(
    sources: ComparisonInput, file: ComparedFile, old: Line, new: Line
) -> tuple[str, ComparisonRule] | None:
    """Fewer actions of a controller. https://guides.rubyonrails.org/action_controller_overview.html,
    https://hexdocs.pm/phoenix/Phoenix.Controller.Pipeline.html"""
    was, now = _HOOK.match(code_of(old.text)), _HOOK.match(code_of(new.text))
    if not (was and now) or was.groups() != now.groups():
        return None
    actions = _actions(file.head_code, file.head_rows) & _actions(file.base_code, file.base_rows)
    open_before, open_now = (_left_open(each.text, actions) for each in (old, new))
    lost = sorted(open_now - open_before)
    name = was["rails"] or was["laravel"]
    return (f"{lost[0]} is no longer guarded by {name}", _RULE) if lost else None


def _actions(code: SourceText, rows: Sequence[str]) -> set[str]:
    """The names of methods that a router reaches: those above the word that hides what follows."""
    hidden = next((at for at, row in enumerate(rows, 1) if _HIDES.match(row)), len(rows) + 1)
    names = {
        unit.rpartition(".")[2]
        for unit, at in code.definitions.items()
        if at < hidden and not _HIDDEN.match(rows[at - 1])
    }
    return {name for name in names if name[:1].islower()}


# https://docs.ruby-lang.org/en/master/syntax/modules_and_classes_rdoc.html#label-Visibility
_HIDES = lazy_pattern(r"\s*(?:private|protected)\s*$")
_HIDDEN = lazy_pattern(r"\s*(?:private|protected|defp)\b")


def _left_open(text: str, actions: set[str]) -> set[str]:
    """The actions of the file that the hook leaves out."""
    found = _LIST.search(code_of(text))
    if not found or found["kind"] in ("if:", "unless:"):
        return set()
    named = {*_NAMES.findall(found["names"])}
    out = found["kind"] == "except" or "not" in found["kind"]
    return actions & named if out else actions - named - {"initialize"}


def _paths(
    sources: ComparisonInput, file: ComparedFile, old: Line, new: Line
) -> tuple[str, ComparisonRule] | None:
    """Paths that are asked for no more, or that anybody may see."""
    if not (_PATHS.search(old.text) and _PATHS.search(new.text)):
        return None
    before, after = ({*_TEXT.findall(code_of(each.text))} for each in (old, new))
    if not before & after:
        return None
    opens = "permitAll" in new.text and "permitAll" in old.text
    lost = sorted(after - before) if opens else sorted(before - after)
    if not lost or (before - after if opens else after - before):
        return None
    if opens and FOR_ALL.search(lost[0]):
        return None
    if any(f'{lost[0]}"' in row or f"{lost[0]}'" in row for row in _others(sources, new)):
        return None
    if not opens and _goes_itself(sources, file, old, lost[0]):
        return None
    return f"no longer guarded: {lost[0]}", hint(RULE) if opens else _RULE


def _goes_itself(sources: ComparisonInput, file: ComparedFile, old: Line, path: str) -> bool:
    """What answered at the path goes in the same change."""
    fixed = re.match(r"/?[\w./-]*", path)
    part = (fixed[0] if fixed else "").strip("/")
    if not part:
        return False
    files = (each.diff.old_path for each in sources.files if each.is_gone)
    rows = (
        line.text
        for each in sources.files
        for line in each.removed
        if each.is_product and (each is not file or line is not old)
    )
    return any(f"/{part}" in f"/{each}" for each in files) or any(
        re.search(rf"[\"'`/]{re.escape(part)}(?![\w-])", row) for row in rows
    )


def _others(sources: ComparisonInput, new: Line) -> Iterator[str]:
    return (row for row in sources.added_rows if row != new.text)


def _role(
    sources: ComparisonInput, file: ComparedFile, old: Line, new: Line
) -> tuple[str, ComparisonRule] | None:
    """Whoever has logged in may do what only some might."""
    if not _ROLE.search(old.text) or ".authenticated()" not in new.text:
        return None
    same = squeeze(_ROLE.sub("", old.text)) == squeeze(new.text.replace(".authenticated()", ""))
    return ("anyone who is logged in may do this", _RULE) if same else None


def _filter(
    sources: ComparisonInput, file: ComparedFile, old: Line, new: Line
) -> tuple[str, ComparisonRule] | None:
    """What runs before each request runs before some. https://flask.palletsprojects.com/api/,
    https://sinatrarb.com/intro.html#filters"""
    was, now = _FILTER.match(old.text), _FILTER.match(new.text)
    if not (was and now):
        return None
    below = " ".join(file.base_rows[old.number : old.number + 6])
    if not re.search(rf"{NAME}|\b40[13]\b|\bsession\b|current_user|redirect", below):
        return None
    narrower = (
        was["on"] in ("app", "application") and now["on"] not in ("app", "application")
    ) or (was["rest"] is not None and not was["rest"].strip() and (now["rest"] or "").strip())
    return (
        (("a check that ran before each request now runs for fewer of them"), _RULE)
        if narrower
        else None
    )


def _condition(
    sources: ComparisonInput, file: ComparedFile, old: Line, new: Line
) -> tuple[str, ComparisonRule] | None:
    """A refusal of strangers that asks for more before it refuses."""
    was, now = _CONDITION.match(code_of(old.text)), _CONDITION.match(code_of(new.text))
    if not (was and now):
        return None
    asked, asks = squeeze(was["asked"]).strip("()"), squeeze(now["asked"]).strip("()")
    joint = next((each for each in ("&&", "and") if each in now["asked"]), "")
    below = " ".join(file.head_rows[new.number : new.number + 2])
    refuses = _REFUSES.search(below)
    if not (joint and refuses and asked) or asked == asks or asked not in asks:
        return None
    rest = re.sub(r"^and|and$", "", asks.replace(asked, "", 1).strip("&()"))
    if _IS_SET.fullmatch(rest):
        return f"an access check only refuses if {quoted(rest)}", _RULE
    return ("an access check refuses less", hint(RULE)) if rest.strip("&()") else None


_REFUSES = lazy_pattern(
    r"\b40[13]\b|[Ff]orbidden|[Uu]nauth|PermissionDenied|(?i:redirect.*login|login_?required)"
)
# What whoever runs it sets, and no question about the one who asks
_IS_SET = lazy_pattern(
    r"(?:not|!)?(?:\w+(?:\.|->))*(?i:cfg|conf|config|settings?|options?|opts|flags?)(?:\.|->)\w+"
    r"|!?(?!Is|Has|Can)[A-Z]\w*"
)
