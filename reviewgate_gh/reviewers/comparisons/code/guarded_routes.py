"""Routes that stay while what guarded them as a group does not, and places that are opened to all
in the place of a guard."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import OPENS, code_of
from .._remark import put, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._said_by_name import each_says
from .access_checks import RULE, is_hook

EVERY_FILE = False
_WORDS = (
    b"uth", b"plug", b"pipe_through", b"middleware", b"permitAll", b"PermitAll", b"AllowAny",
    b"AllowAnonymous", b"deny", b"use(", b"Use(", b"oute",
    b"Role", b"role", b"ermission", b"Admin", b"admin", b"staff", b"passes_test",
    b"get", b"post", b"put", b"patch", b"delete", b"resource",
)  # fmt: skip
# A route, by the method and the path or the handler that it names
_ROUTE = lazy_pattern(
    r"^(?:[\w$]+(?:\.|->)|Route::)?(?:get|post|put|patch|delete|resources?|any|match|live)\b\s*\(?"
    r"\s*[\"'/:]"
)
# https://ktor.io/docs/server-auth.html, https://laravel.com/docs/routing#route-group-middleware,
# https://github.com/heartcombo/devise/wiki (authenticate, authenticated)
_GROUP = lazy_pattern(
    r"^(?:authenticate|authenticated)\b.*(?:\{|\bdo\b.*)$"
    r"|\bmiddleware\(\s*(?:\[\s*)?['\"](?:auth|can|role|permission|verified|admin)\b.*\bgroup\("
    r"|\bconstraints\b.*(?:[Aa]uth|[Aa]dmin).*\bdo\b"
)
_PIPE = lazy_pattern(r"^\s*pipe_through\b(?P<names>.*)$")
_PIPELINE = lazy_pattern(r"^\s*pipeline\s+:(?P<name>\w+)")
_GUARDS = lazy_pattern(
    r"\bplug\b.*(?:[Rr]equire|[Ee]nsure|[Aa]uth(?!or\b)|[Pp]rotect_from_forgery|[Aa]dmin)"
)
# A function of the project, as generators write it:
# https://hexdocs.pm/phoenix/mix_phx_gen_auth.html#module-forbidding-access
_PLUG = lazy_pattern(r"(?:require|ensure)_\w+|\w*auth(?!or)\w*$")
_ATOM = lazy_pattern(r":(\w+)")
# What says that only some may
_CLOSED = lazy_pattern(
    r"\b(?:authenticated|fullyAuthenticated|denyAll|hasRole|hasAnyRole|hasAuthority|hasAnyAuthority"
    r"|RolesAllowed|PreAuthorize|Authorize|Is[A-Z]\w*(?:User|Admin|Authenticated|Owner)"
    r"|Is(?:Admin|Authenticated|Owner)\w*|DenyAll)\b"
)
# https://nginx.org/en/docs/http/ngx_http_access_module.html, ngx_http_auth_request_module.html
_DIRECTIVE = lazy_pattern(
    r"^\s*(?P<what>deny\s+all|auth_request\s+(?!off)\S+|auth_basic\s+(?!off)\S+|satisfy\s+all)\b.*;"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file and kind of loss."""
    for file in sources.files:
        if file.is_edited_product and file.mentions(*_WORDS):
            yield from islice(leave_their_group(sources, file), 1)
            yield from islice(_other_pipeline(sources, file), 1)
            yield from islice(_opened(file), 1)
            yield from islice(_any_role(file), 1)
            yield from islice(_directive(sources, file), 1)
            yield from islice(_middleware(sources, file), 1)


def leave_their_group(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A route stood below a guard, and stands below none."""
    if _groups(file.head_rows) - _groups(file.base_rows):
        return  # another guard may do the same
    before, now = _guarded(file.base_rows), _guarded(file.head_rows)
    for route, (number, guard) in before.items():
        if guard and route in now and not now[route][1] and not _is_new(sources, guard):
            title = f"a route is no longer guarded by {quoted(guard)}"
            row = Line(number, file.base_rows[number - 1])
            yield taken(RULE, file, row, title, quoted(file.head_rows[now[route][0] - 1]))


def _groups(rows: tuple[str, ...]) -> set[str]:
    return {squeeze(row) for row in rows if _GROUP.search(row.strip())}


def _is_new(sources: ComparisonInput, guard: str) -> bool:
    """Another file begins to guard in this way: all its routes may be below it."""
    word = re.match(r"\w+", guard.lstrip("$"))
    return word is not None and any(
        _GROUP.search(line.text.strip())
        for file in sources.files
        for line in file.added
        if not any(squeeze(line.text) == squeeze(old.text) for old in file.removed)
    )


def _guarded(rows: tuple[str, ...]) -> dict[str, tuple[int, str]]:
    """Each route without its spaces: its line, and the innermost guard that it is indented below,
    "" for none."""
    found = dict[str, tuple[int, str]]()
    around = list[tuple[int, str]]()  # what is open: how far it is indented, and its text
    for number, row in enumerate(rows, 1):
        bare = row.strip()
        if not bare:
            continue
        depth = len(row) - len(row.lstrip())
        while around and around[-1][0] >= depth:
            around.pop()
        if _ROUTE.match(bare):
            guard = next((text for _depth, text in reversed(around) if _GROUP.search(text)), "")
            found[squeeze(bare)] = (number, guard)
        around.append((depth, bare))
    return found


def _other_pipeline(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Phoenix: a scope goes no longer through a pipeline that asks who it is."""
    guards = _guarding_pipelines(file.head_rows)
    for block in file.blocks:
        new = {name for line in block.added for name in _piped(line)}
        for line in block.removed:
            asks = (name for name in _piped(line) if name in guards or _PLUG.match(name))
            lost = [name for name in asks if name not in new and not _is_added(sources, name)]
            if lost and guards.isdisjoint(new) and _scope_stays(file, line):
                now = quoted(block.added[0].text) if block.added else ""
                title = f"these routes no longer go through {lost[0]}"
                yield taken(RULE, file, line, title, now)


def _is_added(sources: ComparisonInput, name: str) -> bool:
    return any(has_word(row, name) for row in sources.added_rows)


def _piped(line: Line) -> list[str]:
    found = _PIPE.match(code_of(line.text))
    return _ATOM.findall(found["names"]) if found else []


def _guarding_pipelines(rows: tuple[str, ...]) -> set[str]:
    """The pipelines with a plug that refuses strangers."""
    found, name = set[str](), ""
    for row in rows:
        begins = _PIPELINE.match(row)
        name = begins["name"] if begins else "" if re.match(r"\s*scope\b", row) else name
        if name and _GUARDS.search(row):
            found.add(name)
    return found


def _scope_stays(file: ComparedFile, line: Line) -> bool:
    """What the line is indented below was not removed with it."""
    depth = len(line.text) - len(line.text.lstrip())
    rows = range(line.number - 1, 0, -1)
    above = (at for at in rows if (row := file.base_rows[at - 1]).strip() and _depth(row) < depth)
    opener = next(above, 0)
    return bool(opener) and all(line.number != opener for line in file.removed)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _opened(file: ComparedFile) -> Iterator[Finding]:
    """In the place of who may, it says now that anybody may."""
    for block in file.blocks:
        closed = [line for line in block.removed if _CLOSED.search(code_of(line.text))]
        was_open = any(OPENS.search(code_of(line.text)) for line in block.removed)
        for line in block.added:
            code = code_of(line.text)
            # What stays closed beside it was only put in order
            if not closed or was_open or not OPENS.search(code) or _is_import(code):
                continue
            if not any(_CLOSED.search(_FOR_ALL.sub("", code_of(new.text))) for new in block.added):
                title = "this is open to everyone"
                yield put(RULE, file, line, title, quoted(closed[0].text))


# The annotation of a role, which names none
_FOR_ALL = lazy_pattern(r"@PreAuthorize\(\s*(?:value\s*=\s*)?\"permitAll(?:\(\))?\"\s*\)")


def _any_role(file: ComparedFile) -> Iterator[Finding]:
    """Whoever has logged in may do what only some might."""
    for block in file.blocks:
        for old in block.removed:
            code = code_of(old.text)
            if not (_ABOVE.match(code) and _ROLE.search(code)):
                continue
            news = [line for line in block.added if _ABOVE.match(code_of(line.text))]
            texts = [code_of(line.text) for line in news]
            asks = any(_ASKS_MORE.search(code_of(new.text)) for new in file.added)
            if asks or len(news) != 1:
                continue
            if _LOGGED_IN.search(texts[0]) and not _ROLE.search(texts[0]):
                title = "anyone who is logged in may do this"
                yield put(RULE, file, news[0], title, quoted(old.text))


_ABOVE = lazy_pattern(r"^\s*(?:@|#?\[)\s*\w")
_ROLE = lazy_pattern(
    r"\bhas(?:Any)?(?:Role|Authority)\b|\bRoles?\s*=|\bPolicy\s*=|RolesAllowed|permission_required"
    r"|user_passes_test|staff_member_required|(?:roles?|admin)_required|IsAdmin\w*|requires?_role"
)
# What the body may ask instead
_ASKS_MORE = lazy_pattern(
    r"(?i)\bhas_?(?:perm|role|scope|authority)|permission_?denied|forbidden"
    r"|is_?(?:staff|admin|superuser|owner|in_?role)\b"
)
_LOGGED_IN = lazy_pattern(
    r"isAuthenticated\(\)|\[Authorize\]|login_required|Authenticated\b|jwt_required"
    r"|IsAuthenticated\b"
)


def _is_import(code: str) -> bool:
    return re.match(r"\s*(?:import|from|use|using)\b", code) is not None


def _directive(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A web server no longer asks who it is for a place that stays."""
    for line in file.removed:
        found = _DIRECTIVE.match(code_of(line.text))
        if not found or squeeze(line.text) in sources.added_statements:
            continue
        kind = found["what"].split()[0]
        said = (kind in new.text or _ANSWERS.match(new.text) for new in file.added)
        if _scope_stays(file, line) and not any(said):
            yield taken(RULE, file, line, f"an access check is removed: {found['what']}")


# https://nginx.org/en/docs/http/ngx_http_rewrite_module.html#return
_ANSWERS = lazy_pattern(r"\s*return\s+4\d\d\b")


def _middleware(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A router no longer uses what answers strangers with 401 or 403, whatever its name."""
    for line in file.removed:
        code = code_of(line.text)
        found = _USE.match(code)
        if not found or is_hook(code) or squeeze(line.text) in sources.added_statements:
            continue
        name = found["name"]
        moved = any(name in new.text for each in sources.files for new in each.added)
        if not moved and _scope_stays(file, line) and refuses(sources, name):
            yield taken(RULE, file, line, f"an access check is removed: {name}")


_USE = lazy_pattern(
    r"\s*(?:[\w$]+\.)?[uU]se\(\s*(?:['\"`][^'\"`]*['\"`]\s*,\s*)?(?:[\w$]+\.)*(?P<name>\w+)\b"
)
_DENIES = lazy_pattern(r"\b40[13]\b|StatusForbidden|StatusUnauthorized|[Ff]orbidden|[Uu]nauth\w+")


def refuses(sources: ComparisonInput, name: str) -> bool:
    """What has the name at head answers strangers."""
    return each_says(sources, name, _DENIES)
