"""Checks of who may do something that are gone from code that stays."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import OPENS, code_of, decorated, removed_guards, surroundings_stay
from .._remark import ComparisonRule, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from ._access_words import (
    ASKS_PEOPLE,
    BRANCH,
    CALL,
    DECORATOR,
    HOOK,
    IMPORT,
    LEAVES,
    MIXIN,
    OF_ASKER,
    OWNER,
    REFUSES,
    still_guarded,
)
from ._asked_around import ANSWERED, asks, is_asked_anew, is_asked_for_all, is_default, is_matched
from ._bared_routes import bared_routes
from ._said_by_name import asks_before, inherits, is_asked_by_user

EVERY_FILE = False
RULE = ComparisonRule(
    "access-check-removed",
    Priority.P1,
    "People who could not reach this before may reach it now. Restore the check, or name the place "
    "that does it instead.",
)
_WORDS = (
    b"uth", b"ermission", b"ogin", b"csrf", b"role", b"Role", b"Secured", b"olicy", b"dmin",
    b"rateLimit", b"rate_limit", b"imiter", b"owner", b"Allowed", b"can", b"Guard", b"protect",
    b"throttle", b"erify", b"Mixin", b"enant", b"ccount", b"eam", b"org", b"Org", b"ser",
    b"ignature", b"oken", b"elmet", b"csurf", b"passport", b"ATION", b"PERM", b"THROTTLE",
    b"require_",
    b"Matchers", b"SafeEqual", b"hash_equals", b"TimeCompare", b"secure_compare", b"TimeEquals",
    b"IsGranted", b"ethodSecurity", b"ebSecurity", b"digest", b"ebhook", b"Rack", b"Protection",
    b"plug ",
)  # fmt: skip

# Words of a name that speaks of who may do what; "author" is none of them
_ACCESS = lazy_pattern(
    r"auth(?!or$|ors$)|permi(?:ssion|t)|polic(?:y|ies)|roles?$|access$|log(?:in|ged)$"
    r"|sign(?:in|ed)$|session"
    r"|admin|owner|requires?$|required$|can$|guard|protect|secur|allow|forbid|den(?:y|ied)$|ensure"
    r"|verif|credential|acl$|scopes?$|tenant|token|csrf|xsrf|limiter$|throttl|middleware"
)
_NAMED = lazy_pattern(r"[A-Za-z_]\w*")
_PARTS = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MOST_DECORATORS = 12  # lines


def is_access_check(code: str) -> bool:
    """The line asks whether somebody may do something."""
    asks = BRANCH.match(code) or CALL.match(code) or DECORATOR.match(code)
    return bool(asks or _owner_branch(code))


def is_hook(code: str) -> bool:
    """The line makes a router or controller ask, by the name of what it uses."""
    return HOOK.match(code) is not None


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a check that is gone."""
    for file in sources.files:
        if file.is_edited_product and file.mentions(*_WORDS):
            yield from unless_asked_anew(sources, _in_file(sources, file))
            yield from _refuses_no_more(file)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    seen = [
        *_bared_definitions(sources, file),
        *_bared_classes(sources, file),
        *_hooks_gone(sources, file),
    ]
    for line, title in seen:
        if title:
            yield taken(RULE, file, line, title)
    told = {line.number for line, _title in seen}
    for block in file.blocks:
        if not told.intersection(line.number for line in block.removed):
            yield from _in_block(sources, file, block)


# A line that is looked at no further, and what is to be said of it, if anything
_Seen = tuple[Line, str]


def _bared_definitions(sources: ComparisonInput, file: ComparedFile) -> Iterator[_Seen]:
    """A decorator of a definition that stays."""
    for line, block, found in removed_guards(sources, file, DECORATOR):
        guard, name = found["name"], _name_at_head(file, block, line)
        if any(OPENS.search(code_of(new.text)) for new in block.added):
            yield line, ""  # told as that
        elif name and not still_guarded(file, name, guard):
            # Calls to others are limited as well
            of_calls = _LIMITS.search(guard) and not _is_about_people(
                file.base.replace(line.text, "")
            )
            meant = of_calls or is_asked_for_all(sources, file, name, guard)
            yield line, "" if meant else f"{name} is no longer guarded by {guard}"


def _bared_classes(sources: ComparisonInput, file: ComparedFile) -> Iterator[_Seen]:
    """A class that what it inherits from asked for."""
    for line, block, found in removed_guards(sources, file, MIXIN):
        if _is_class_left(file, block, found):
            yield line, f"{found['name']} is no longer guarded by {found['mixin']}"


def _hooks_gone(sources: ComparisonInput, file: ComparedFile) -> Iterator[_Seen]:
    """What a router or controller ran before it answered."""
    for line, _block, found in removed_guards(sources, file, HOOK):
        what = next(each for each in found.groups() if each)
        called = what.split("(")[0]
        gone = what.strip("[]() ") and file.head.count(called) < file.base.count(called)
        if gone and not (called == _FORGERY and _refuses_forgery(sources)):
            asked = (
                is_default(sources, found)
                or is_matched(file, found)
                or inherits(sources, file, called.strip(" :"))
            )
            yield line, "" if asked else f"an access check is removed: {quoted(what.rstrip(' ('))}"


_LIMITS = lazy_pattern(r"(?i)limit|throttl")


_FORGERY = "protect_from_forgery"
_DEFAULTS = lazy_pattern(r"\.load_defaults\W+(?P<major>\d+)\.(?P<minor>\d+)")


def _refuses_forgery(sources: ComparisonInput) -> bool:
    """Rails 5.2 and later refuse it by themselves.
    https://guides.rubyonrails.org/configuring.html#default-values-for-target-version-5-2"""
    defaults = (
        _DEFAULTS.search(place.text)
        for place in sources.find_words({"load_defaults"})["load_defaults"]
    )
    return any(found and (int(found["major"]), int(found["minor"])) >= (5, 2) for found in defaults)


def unless_asked_anew(sources: ComparisonInput, found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, where the change adds nothing that may ask in another way."""
    lost = [*found]
    if lost and not speaks_of_access(sources):
        yield from lost


def speaks_of_access(sources: ComparisonInput) -> bool:
    """Some code of the product names more of access than what stood in its place."""
    return any(
        Counter(_access_names(block.added)) - Counter(_access_names(block.removed))
        for file in sources.files
        if file.is_product
        for block in file.blocks
    )


def _access_names(lines: Iterable[Line]) -> Iterator[str]:
    for code in (code_of(line.text) for line in lines):
        if not IMPORT.match(code):
            for name in _NAMED.findall(code):
                if any(_ACCESS.match(part.lower()) for part in _PARTS.findall(name)):
                    yield name


def _body_stays(file: ComparedFile, line: Line) -> bool:
    """Half of the definition that the check was in is there at head, but for the check."""
    unit = file.base_code.unit(line.number)
    depth = _depth(line.text)
    inside = takewhile(lambda row: _depth(row) > depth, file.base_rows[line.number :])
    check = range(line.number, line.number + 1 + len([*inside]))
    head = {*map(squeeze, file.head_rows)}
    stays = [
        squeeze(row) in head
        for number, row in enumerate(file.base_rows, 1)
        if number not in check and re.search(r"\w", row) and file.base_code.unit(number) == unit
    ]
    return 2 * sum(stays) >= len(stays)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _name_at_head(file: ComparedFile, block: Block, line: Line) -> str:
    """What the definition below a decorator of the base is called at head; "" where it is gone."""
    name = decorated(file.base, line.number)
    if not name or _is_left(file, line, name):
        return name
    names = [new for row in block.added if (new := decorated(file.head, row.number))]
    return names[0] if len({*names}) == 1 and _body_stays(file, line) else ""


def _is_left(file: ComparedFile, line: Line, name: str) -> bool:
    """The very definition is there at head, where definitions of the language are known."""
    below = range(line.number, line.number + _MOST_DECORATORS)
    units = (file.base_code.unit(number) for number in below)
    unit = next((unit for unit in units if unit.rpartition(".")[2] == name), "")
    if unit:
        return unit in file.head_code.units
    return re.search(rf"\b{re.escape(name)}\b", file.head) is not None


def _is_class_left(file: ComparedFile, block: Block, found: re.Match[str]) -> bool:
    """The class is there with other bases, none of which may guard it."""
    known = _bases(found.string[found.start("bases") :])
    for line in block.added:
        head = re.match(r"\s*class\s+(\w+)\s*(?:\(|:|$)", line.text)
        if head and head[1] == found["name"]:
            rows = "\n".join(file.head_rows[line.number - 1 : line.number + _MOST_DECORATORS])
            now = _bases(rows[head.end() :] if head[0].endswith("(") else "")
            return now <= known and found["mixin"] not in now
    return False


def _bases(text: str) -> set[str]:
    """What a class of Python inherits from, with what follows its opening bracket."""
    return {base.strip() for base in re.split(r"\)\s*:", text)[0].split(",")} - {""}


def _in_block(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A guard that begins a function, a call that asks, or an argument of a route."""
    for line, title, now in bared_routes(sources, file, block):
        yield taken(RULE, file, line, title, now)
    if len(block.added) > 1:
        return
    for line in block.removed:
        what = _asked_by(file, line)
        if what is not None and _is_gone(sources, file, line, what):
            code = code_of(line.text)
            if not (_is_replaced(file, block, line) or _is_unsure(sources, file, line, code)):
                now = quoted(block.added[0].text) if block.added else ""
                yield taken(RULE, file, line, f"an access check is removed: {what}", now)
            return


def _asked_by(file: ComparedFile, line: Line) -> str | None:
    """What a row of the base asks, where it refuses or leaves if that is not so, or the guard that
    it calls; None if it is neither."""
    code = code_of(line.text)
    branch, call, owner = BRANCH.match(code), CALL.match(code), _owner_branch(code)
    follows = " ".join(file.base_rows[line.number - 1 : line.number + 2])
    if _is_looked_up(file, owner):
        return None
    if branch and LEAVES.search(follows):
        return _asked(branch)
    if owner and REFUSES.search(follows):
        return _asked(branch or owner)
    return call["call"] if call else None


def _is_gone(sources: ComparisonInput, file: ComparedFile, line: Line, what: str) -> bool:
    """What it guarded stays, and nothing there or elsewhere asks the same."""
    asked = _asks_still(file, line, what) or is_asked_anew(sources, what)
    return not asked and surroundings_stay(file, line) and not _goes_whole(file, line)


def _refuses_no_more(file: ComparedFile) -> Iterator[Finding]:
    """One finding a block."""
    for block in file.blocks:
        asked = ((line, _asked_in_vain(file, line)) for line in block.removed)
        found = next(((line, what) for line, what in asked if what), None)
        if found and len(block.added) <= 1:
            yield taken(RULE, file, found[0], f"an access check no longer refuses: {found[1]}")


def _asked_in_vain(file: ComparedFile, line: Line) -> str:
    """What the condition above a refusal of the base asks, where the head has the condition, and
    under it nothing that does more than to note the case; "" where it refuses in another way."""
    if not LEAVES.search(code_of(line.text)):
        return ""
    condition = _above(file.base_rows, line.number)
    code = code_of(condition)
    found = BRANCH.match(code) or _owner_branch(code)
    numbers = [at for at, row in enumerate(file.head_rows, 1) if row == condition]
    unit = file.base_code.unit(line.number)
    here = [at for at in numbers if file.head_code.unit(at) == unit]
    if not found or len(here) != 1:
        return ""
    under = takewhile(lambda row: _depth(row) > _depth(condition), file.head_rows[here[0] :])
    return _asked(found) if all(_NOTES.match(code_of(row)) for row in under) else ""


def _asked(found: re.Match[str]) -> str:
    """What a condition asks."""
    return next(filter(None, map(found.groupdict().get, ("what", "turned"))), "")


def _is_looked_up(file: ComparedFile, owner: re.Match[str] | None) -> bool:
    """A new line of the file names whoever asks: it looks for what is theirs, perhaps."""
    groups = owner.groupdict() if owner else {}
    asker = groups.get("asker") or groups.get("asks") or ""
    return bool(asker) and any(asker in line.text for line in file.added)


def _above(rows: Sequence[str], number: int) -> str:
    """The line that a line stands under, by its indent."""
    depth = _depth(rows[number - 1])
    return next((row for row in reversed(rows[: number - 1]) if row and _depth(row) < depth), "")


# Nothing, or a line for a log
_NOTES = lazy_pattern(
    r"(?i)\s*(?:pass\b|\.\.\.|;|$|(?:[\w.$]*\.)?(?:log(?:ger|ging)?|console|print\w*|fmt\.Print\w*"
    r"|warn\w*|debug|info|puts|echo|error_log|slog|tracing)\b)"
)


def _is_unsure(sources: ComparisonInput, file: ComparedFile, line: Line, code: str) -> bool:
    """Access may be as before: the code behind the check is another, it was about a file, what
    others got instead is gone, or what the definition is given asks as well."""
    if not _body_stays(file, line) or (_OF_FILES.search(code) and not _OF_PEOPLE.search(code)):
        return True
    if _OF_ANYTHING.search(code) and not _is_about_people(_OF_ANYTHING.sub("", file.base)):
        return True
    below = " ".join(file.base_rows[line.number : line.number + 2])
    shown = re.search(r"\breturn\s+(?:await\s+)?(?P<page>[A-Za-z_]\w*)\(", below)
    page = shown["page"] if shown and not REFUSES.search(shown["page"]) else ""
    whole = rf"\b{re.escape(page)}\b" if page else ""
    if whole and re.search(rf"{whole}\(", file.base) and not re.search(whole, file.head):
        return True
    return bool(asks_before(sources, file, line)) or is_asked_by_user(sources, file, line)


def _is_replaced(file: ComparedFile, block: Block, line: Line) -> bool:
    """Another condition stands before the same refusal, or what the check was before goes with
    it."""
    rows, known = file.base_rows, {*_NAMED.findall(line.text)}
    below = rows[line.number] if line.number < len(rows) else ""
    for new in block.added:
        named = {*_NAMED.findall(new.text)} - known - _WORDS_OF_CONDITIONS
        asks = named and _CONDITION.match(new.text) and not ANSWERED.search(new.text)
        if asks and below.strip() and file.head_rows[new.number : new.number + 1] == (below,):
            return True
    inside = takewhile(
        lambda row: not row.strip() or _depth(row) > _depth(line.text), rows[line.number :]
    )
    after = line.number + len([*inside])
    gone = {each.number: each.text for each in block.removed}
    rest = [text for number, text in gone.items() if number > after and text.strip(" \t{}();")]
    is_branch = BRANCH.match(code_of(line.text)) is not None
    return is_branch and bool(rest) and not _is_end(rest[0])


def _is_end(text: str) -> bool:
    return re.match(r"\s*(?:end|else|fi|elif|elsif)\b", text) is not None


_WORDS_OF_CONDITIONS = frozenset(
    ("if", "unless", "guard", "else", "not", "and", "or", "is", "in", "let", "true", "false",
     "True", "False", "null", "nil", "None", "debug")
)  # fmt: skip
_CONDITION = lazy_pattern(r"^\s*(?:(?:else\s+)?if|unless|guard)\b")
_OF_FILES = lazy_pattern(r"(?i)\b\w*(?:path|file|dir|directory|folder|fd|socket|buffer|disk)\w*\b")
_OF_PEOPLE = lazy_pattern(
    r"(?i)user|owner|admin|role|auth|session|request|token|account|member|login"
)


def _is_about_people(text: str) -> bool:
    """The rest of a file speaks of somebody, or of requests."""
    return bool(ASKS_PEOPLE.search(text) or _SOMEBODY.search(text))


_SOMEBODY = lazy_pattern(
    r"(?i)\b(?:users?|admins?|accounts?|members?|req|requests?|routes?|router|views?"
    r"|controllers?)\b"
    r"|_request\b|[a-z](?:User|Request|Response|Controller|Router|Route|View)\b"
)
# Words of languages, trees and clients as well
_OF_ANYTHING = lazy_pattern(
    r"\b(?:check|assert|require|ensure)_?[Tt]oken|\b(?:is_?[aA]llowed|has_?(?:[rR]ole"
    r"|[sS]cope)\w*)\b"
)


def _goes_whole(file: ComparedFile, line: Line) -> bool:
    """The definition that the check is in goes with it: whoever called it is told as such."""
    unit = file.base_code.unit(line.number)
    first = file.base_code.definitions.get(unit, 0)
    return unit not in file.head_code.units and any(old.number == first for old in file.removed)


def _asks_still(file: ComparedFile, line: Line, what: str) -> bool:
    """The same definition asks this at head, or calls one of its file that does."""
    unit = file.base_code.unit(line.number)
    if not unit or unit not in file.head_code.units:
        return any(asks(row, what) for row in file.head_rows)
    asking, called = set[str](), set[str]()
    for number, row in enumerate(file.head_rows, 1):
        around = file.head_code.unit(number)
        if around == unit:
            called.update(_NAMED.findall(row))
        if asks(row, what):
            asking.add(around)
    return unit in asking or any(each.rpartition(".")[2] in called for each in asking if each)


def _owner_branch(code: str) -> re.Match[str] | None:
    if not re.match(r"\s*(?:(?:else\s+)?if|unless|guard)\b", code):
        return None
    return OWNER.search(code) or OF_ASKER.search(code)
