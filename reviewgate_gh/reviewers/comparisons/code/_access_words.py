"""The words by which code asks who may do something, in the usual frameworks of many languages."""

import re
from itertools import takewhile

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile

# Nobody is asked anything by the author of a book
_AUTH = r"[Aa]uth(?!or(?!i[sz]))"
NAME = (
    r"\b\w{0,30}?(?:[Ll]ogin_?(?:[Rr]equired|[Nn]eeded)|(?:[Rr]equires?|[Nn]eeds?)_?(?:[Ll]ogin"
    rf"|{_AUTH}\w*|[Uu]ser|[Rr]oles?"
    r"|[Aa]dmin|[Pp]ermissions?|[Ss]copes?|[Ss]igned_?[Ii]n|[Tt]oken|[Ss]ession|[Oo]wner)"
    r"|[Aa]uth(?:enticated|orized|orize|enticate|_required|Required|Guard)"
    r"|[Pp]ermissions?_?(?:[Rr]equired|[Nn]eeded)|[Ss]taff_member_required"
    r"|[Uu]ser_passes_test|[Cc]srf_?[Pp]rotect\w*|[Rr]oles?(?:_?(?:[Rr]equired|[Nn]eeded)|Allowed)"
    r"|[Pp]re[Aa]uthorize|[Pp]ost[Aa]uthorize|Secured|[Jj]wt_?[Rr]equired"
    r"|[Aa]dmin_?(?:[Rr]equired|[Oo]nly)|[Pp]ermission_classes|[Aa]uthentication_classes"
    r"|[Rr]ate_?[Ll]imit(?:ed|er)?|[Uu]se[Gg]uards|[Tt]hrottle\w*"
    r"|(?<![Dd]e)[Ll]imiter|[Ee]nsure_?(?:[Ll]ogged_?[Ii]n|[Aa]uth\w*|[Aa]dmin)"
    r"|[Ii]s_?[Aa]uthenticated"
    r"|[Ii]s_?[Aa]dmin|[Vv]erify_?(?:[Tt]oken|[Jj]wt|[Aa]uth\w*)|[Cc]heck_?(?:[Pp]ermissions?"
    r"|[Aa]uth\w*|[Aa]ccess))\w*"
)
# https://docs.djangoproject.com/en/stable/topics/auth/default/#limiting-access-to-logged-in-users
MIXIN = lazy_pattern(
    r"^\s*class\s+(?P<name>\w+)\s*\((?P<bases>[^)]*\b(?P<mixin>\w*(?:LoginRequired"
    r"|PermissionRequired"
    r"|UserPassesTest|StaffRequired|Superuser\w*|Authenticat\w*|Access)\w*Mixin)\b)"
)
# What a page needs before anybody has logged in, and what a probe asks
FOR_ALL = lazy_pattern(
    r"(?i)health|ready|live|ping|log_?[io]n|sign|static|asset|favicon|docs?\b|swagger|openapi"
    r"|public"
    r"|error|css|js\b|image|register|webjars|robots|manifest|actuator/info|version"
)
REFUSES = lazy_pattern(
    r"\b(?:raise|throw|abort|panic|403|401|404)\b|[Ff]orbidden|[Uu]nauthor|[Dd]enied"
    r"|[Nn]ot_?[Ff]ound"
)
_WHOSE = (
    r"\w*(?:[Oo]wner|[Uu]ser|[Tt]enant|[Oo]rg(?:ani[sz]ation)?|[Aa]ccount|[Tt]eam|[Ww]orkspace)"
    r"_?[Ii][dD]"
)
# Whose something is
OWNER = lazy_pattern(
    rf"\b(?:\w+(?:\.|->))+(?P<what>{_WHOSE})\s*(?:!==?|<>)"
    rf"|(?:!==?|<>)\s*[$@]?(?:\w+(?:\.|->))+(?P<turned>{_WHOSE})\b"
)
DECORATOR = lazy_pattern(
    # What draws seldom enough is throttled as well
    rf"^\s*(?:@|#?\[)\s*(?:[\w.]+\.)?(?!throttle\b)(?P<name>{NAME}|Authorize|Protected|IsGranted"
    # https://docs.djangoproject.com/en/stable/topics/http/decorators/#allowed-http-methods
    r"|require_(?:POST|GET|safe|http_methods)"
    # https://docs.spring.io/spring-security/reference/servlet/authorization/method-security.html
    r"|Enable(?:Global|Reactive)?MethodSecurity|EnableWebSecurity"
    r"|(?:Auto)?Validate(?:Anti)?ForgeryToken|RequireHttps|RequireScope)\b"
)
# A part of a program that is about access, and asks nobody
_MOUNTED = (
    r"\w*(?:[Rr]out(?:es?|er|ers|ing)|[Cc]ontrollers?|[Pp]lugin|[Pp]rovider|[Cc]ontext|[Ss]tore"
    r"|[Aa]pi|API|[Mm]odule|[Pp]ages?|[Ss]ervice)\b"
)
HOOK = lazy_pattern(
    rf"^\s*(?:before_action|before_filter"
    rf"|prepend_before_action)\s*(?:\(\s*)?:(?P<hook>\w*(?:{_AUTH}"
    rf"|login|admin|permission|require|current_user|verify|ensure)\w*)"
    rf"|^\s*(?:\w+\.)?(?:use"
    rf"|Use)(?:Middleware)?\(\s*(?:['\"`][^'\"`]*['\"`]\s*,\s*)?(?P<use>(?:[\w.]+\.)?"
    rf"(?!{_MOUNTED})(?:{NAME}|\w*(?:{_AUTH}"
    rf"|[Cc]srf|[a-z]Jwt\b|\bjwt\b"
    rf"|csurf|helmet|passport)\w*)[^)]*)\)"
    r"|^\s*plug\s*(?:\(\s*)?:(?P<plug>(?!(?:store|put|assign|save|set|track"
    r"|log)_)\w*(?:auth(?!or(?!i[sz]))|login"
    r"|admin|permission|csrf|forgery|require"
    r"|ensure)\w*)"
    # https://hexdocs.pm/plug/Plug.html#module-module-plugs
    r"|^\s*plug\s*(?:\(\s*)?(?P<module>(?:[A-Z]\w*\.)*"
    r"(?!(?:Set|Put|Assign|Fetch|Load|Save|Store|Track|Log)[A-Z])[A-Z]?\w*?(?:Auth(?!or)|Login"
    r"|Admin|Permission|C(?:srf|SRF)|Forgery|Require|Ensure|RateLimit|Throttle)\w*)(?![\w.])"
    # https://docs.rs/tower/latest/tower/trait.Layer.html, https://actix.rs/docs/middleware
    rf"|^\s*\.(?:layer|route_layer|wrap|wrap_fn)\((?P<layer>[^;]*?(?:{NAME}"
    rf"|HttpAuthentication)[^;]*)\)\s*(?:;\s*)?$"
    # https://docs.spring.io/spring-security/reference/servlet/authorization/authorize-http-requests.html
    r"|^\s*\.(?P<matcher>(?:request|ant|mvc|path|regex)Matchers\(.*\)"
    r"\.(?:has\w+|authenticated|fullyAuthenticated|denyAll|access)\(.*\))\s*(?:;\s*)?$"
    # https://fastify.dev/docs/latest/Reference/Hooks/
    r"|^\s*\w+\.addHook\(\s*['\"](?:onRequest|preHandler|preValidation)['\"]\s*,\s*"
    rf"(?P<fastify>[^()]*{NAME}[^()]*)\)"
    # https://learn.microsoft.com/aspnet/core/fundamentals/middleware/
    r"|^\s*\w+\.(?P<net>Use(?:Authorization|Authentication|Antiforgery|RateLimiter))\("
    # https://github.com/rack/rack-attack, and middleware of Rack
    r"|^\s*(?P<rack>(?:throttle|blocklist)\(?\s*[\"'][^\"']+[\"'])"
    r"|^\s*(?:[\w:]+\.)?use[ (]+(?P<ruby>(?:::)?(?:\w+::)+\w*(?:Protection|Auth|Csrf|CSRF|Attack"
    r"|HostAuthorization|SSL)\w*(?:::\w+)*)"
    r"|^\s*(?P<rails>protect_from_forgery|verify_authorized|load_and_authorize_resource)\b"
    rf"|^\s*(?:permission_classes|authentication_classes)\s*=\s*(?P<classes>[\[(]\s*\w.*)"
    # https://www.django-rest-framework.org/api-guide/settings/
    r"|^\s*[\"'](?P<default>DEFAULT_(?:PERMISSION_CLASSES|AUTHENTICATION_CLASSES"
    r"|THROTTLE_\w+))[\"']"
    rf"|^\s*[\"'](?P<setting>(?:[\w.]+\.)?(?:CsrfViewMiddleware|AuthenticationMiddleware"
    rf"|SecurityMiddleware|XFrameOptionsMiddleware))[\"']"
)
# Somebody, as the frameworks name whoever asks
_ASKER = (
    r"(?:\w+(?:\.|->|::))*(?:request\.user|req\.user|[cC]urrent_?[uU]ser\w*|locals\.user"
    r"|session\.user\w*|Auth::(?:id|user)\(\)|auth\(\)->(?:id|user)\(\)|\bg\.user|ctx\.user\w*"
    r"|context\.user|principal\.\w+|User\.Identity\.\w+|user\.(?:id|pk|uuid))"
)
_COMPARED = r"(?:!==?|={2,3}|<>|\bis\s+not\b|\bnot\s+in\b)"
# What belongs to somebody, compared with whoever asks
OF_ASKER = lazy_pattern(
    rf"(?P<what>[\w.$>()-]*\.\w+\s*{_COMPARED}\s*[@(]*\(?(?P<asker>{_ASKER}))"
    rf"|(?P<turned>(?P<asks>{_ASKER})\s*{_COMPARED}\s*[\w$@]+(?:\.|->)\w+)"
)
# A guard that begins a function: if the user may not, leave
BRANCH = lazy_pattern(
    r"^\s*(?:(?:else\s+)?if|unless|guard)\b.*(?:\b(?:not|!|unless|==|!=)"
    r"|!).*?(?P<what>\b\w*(?:is_?[Aa]uthenticated|is_?[Aa]dmin|is_?[Ss]taff|is_?[Ss]uperuser"
    r"|has_?[Pp]erm\w*|has_?[Rr]ole\w*|has_?[Ss]cope\w*|[Aa]uthoriz\w+|can_?[A-Z_a-z]*(?:edit"
    r"|delete|view|read|write|access|manage)\w*|current_user|is_?[Oo]wner"
    r"|timingSafeEqual|hash_equals|ConstantTimeCompare"
    r"|secure_compare|FixedTimeEquals|constant_time_eq|digest_eq"
    r"|is_?[Ll]ogged\w*|check_?[Pp]assword\w*|verify_?\w*(?:[Tt]oken|[Ss]ignature)\w*"
    r"|compare_digest|isAllowed)\b)"
)
LEAVES = lazy_pattern(
    r"\b(?:(?:raise|return|throw|panic|exit)\b|abort|redirect|render|http\.Error|res\.status|next\("
    r"|head[ (]+[:\d])"
)
CALL = lazy_pattern(
    r"^\s*(?:await\s+|self\.|this\.|\$this->|current_user\.|\w+\.)*(?P<call>(?:require|ensure"
    rf"|check|assert|authorize|verify|enforce|authenticate)_?(?:{_AUTH}\w*|[Ll]ogin"
    r"|[Pp]ermissions?|[Aa]ccess|[Rr]oles?|[Aa]dmin|[Oo]wner\w*|[Tt]oken|[Ss]ignature|[Uu]ser"
    r"|[Cc]srf\w*|[Ww]ebhook|[Hh]mac)!?|\w*(?:validate|verify)_?(?:[Ww]ebhook|[Ss]ignature"
    r"|[Hh]mac)\w*!?|(?:setup|apply|enable|install)_\w*(?:authori[sz]ation|authentication|csrf"
    r"|protection|rate_limit)\w*|authorize!?|verify_jwt\w*|denyAccessUnlessGranted"
    r"|abort_unless)\b\s*[!(\s]"
)
# https://laravel.com/docs/authentication#protecting-routes
ARGUMENT = lazy_pattern(
    rf"(?P<argument>\b{NAME}\b|(?<=middleware\(['\"])(?:auth|can|verified"
    r"|throttle)\b)(?:\([^()]*\))?"
)
ROUTE = lazy_pattern(
    r"(?:\.(?:get|post|put|patch|delete|all|use|route|Handle(?:Func)?|GET|POST|PUT|DELETE"
    r"|PATCH|Get|Post|Put|Patch|Delete)(?:<[^()]{0,300}>)?\(|\bpath\(|\bre_path\(|\burl\(|Depends\(|Security\("
    r"|->middleware\(|Route::)"
)
IMPORT = lazy_pattern(
    r"\s*(?:import|from|use|using|require(?:_relative|_once)?|include(?:_once)?"
    r"|const\s.*\brequire\()\b"
)


# The text is about somebody who asks for something
ASKS_PEOPLE = lazy_pattern(
    r"(?i)\b(?:auth\w*|session|login|logged_?in|current_?user|permission\w*)\b"
    r"|req(?:uest)?\.user|\.user_?id\b|\bjwt"
)
# More than that somebody has logged in
_NARROWS = lazy_pattern(
    r"(?i)permission|role|scope|owner|polic|admin|staff|csrf|forgery|throttle|limit|post|methods"
    r"|granted"
)


def still_guarded(file: ComparedFile, name: str, lost: str) -> bool:
    """Another check stands above the definition at head, or at its beginning; where the lost one
    asked for more than a login, one that did not stand in the file before."""
    old = {*file.base_rows} if _NARROWS.search(lost) else set[str]()
    rows = file.head_rows
    at = next(
        (at for at, row in enumerate(rows) if re.search(rf"\b{re.escape(name)}\s*[(:<]", row)), 0
    )
    above = takewhile(lambda row: not _ENDS.match(row), reversed(rows[max(0, at - 6) : at]))
    below = takewhile(lambda row: not _ENDS.match(row), rows[at : at + 6])
    around = (row for row in (*above, *below) if not IMPORT.match(row))
    return any(DECORATOR.match(row) or re.search(NAME, row) for row in around if row not in old)


# What stands beyond it belongs to another definition
_ENDS = lazy_pattern(r"\s*(?:$|\}|end\b)")
