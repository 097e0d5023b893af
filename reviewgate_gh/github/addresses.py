"""Where GitHub is: the roots of its two APIs, and which addresses may see the token."""

from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from msgspec import Struct

from ..model.errors import UsageError
from ..text.patterns import lazy_pattern

_PUBLIC = "https://api.github.com"
# At every GitHub: https://docs.github.com/en/graphql/guides/forming-calls-with-graphql
GRAPHQL = "/graphql"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_NAME = lazy_pattern(r"(?!\.\.?(/|$))[A-Za-z0-9_.-]{1,100}/(?!\.\.?$)[A-Za-z0-9_.-]{1,100}")
UrlOrigin = tuple[str, str, int | None]


class ApiAddresses(Struct, frozen=True):
    """The roots of the REST and the GraphQL API, without a slash at the end."""

    rest: str
    graphql: str


def find_addresses(env: Mapping[str, str], api_url: str | None) -> ApiAddresses:
    """The roots that the option or the environment name; the GraphQL root of another host than the
    option's is not used.

    Raises:
        UsageError: an address cannot be used.
    """
    rest = _root(
        api_url or env.get("GITHUB_API_URL") or _PUBLIC,
        "--api-url" if api_url else "GITHUB_API_URL",
    )
    named = env.get("GITHUB_GRAPHQL_URL", "")
    if named and (
        not api_url or url_origin(_root(named, "GITHUB_GRAPHQL_URL")) == url_origin(rest)
    ):
        return ApiAddresses(rest, _graphql_root(named))
    return ApiAddresses(rest, f"{rest.removesuffix('/v3')}{GRAPHQL}")


def api_host(env: Mapping[str, str], api_url: str | None) -> str:
    """The host that is asked.

    Raises:
        UsageError: the address cannot be used.
    """
    return url_origin(find_addresses(env, api_url).rest)[1]


def url_origin(url: str) -> UrlOrigin:
    """Scheme, host and port of an address; ("", "", None) for none."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        return ("", "", None)
    return (parts.scheme, (parts.hostname or "").lower(), port)


def may_see_token(url: str) -> bool:
    """A token sent there is encrypted, or does not leave this machine."""
    scheme, host, _ = url_origin(url)
    return bool(host) and (scheme == "https" or (scheme == "http" and host in _LOOPBACK))


def check_repository(name: str) -> str:
    """The name, which must be owner/name.

    Raises:
        UsageError: it is not.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a repository", "name it as owner/name")
    return name


def path_segments(*parts: str | int) -> str:
    """The parts as a path, each one segment whatever it holds."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def _graphql_root(url: str) -> str:
    root = _root(url, "GITHUB_GRAPHQL_URL")
    if not root.endswith(GRAPHQL):
        raise UsageError(
            f"GITHUB_GRAPHQL_URL is not the address of GitHub's GraphQL API: {url!r}",
            "use an address that ends in /graphql, or unset it",
        )
    return root


def _root(url: str, source: str) -> str:
    scheme, host, _ = url_origin(url)
    parts = urlsplit(url) if host else None
    if (
        parts is None
        or scheme not in ("https", "http")
        or parts.query
        or parts.fragment
        or parts.username
        or parts.password
    ):
        raise UsageError(
            f"{source} is not a GitHub API address: {url!r}",
            "use https://api.github.com, or https://HOST/api/v3 for GitHub Enterprise Server",
        )
    if not may_see_token(url):
        raise UsageError(f"{source} would send the token unencrypted: {url!r}", "use https://")
    return url.rstrip("/")
