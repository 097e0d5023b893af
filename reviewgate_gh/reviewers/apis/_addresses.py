"""Where model APIs are: the vendors' own addresses, and what a question's address and login look
like at any other."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit

from ...system.http import LOOPBACK

VENDOR_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_OPENROUTER = "openrouter.ai"
_HEADERS = {
    "openai": "Authorization",
    "responses": "Authorization",
    "anthropic": "x-api-key",
    "gemini": "x-goog-api-key",
}
_PATHS = {"openai": "chat/completions", "responses": "responses"}


def address_problem(url: str, has_key: bool) -> str:
    """What is wrong with a base address, or ""."""
    try:
        parts = urlsplit(url)
        host_of, _port = parts.hostname or "", parts.port
    except ValueError:
        return "url is not a valid address"
    if parts.scheme not in ("http", "https") or not host_of or any(sign.isspace() for sign in url):
        return "url must look like https://HOST/PATH"
    if parts.username or parts.password:
        return (
            "url must not contain credentials: set `key` to the environment variable that "
            "holds the key"
        )
    if parts.query or parts.fragment:
        return "url must end with its path: the rest is added from api_version and model"
    if parts.scheme == "http" and has_key and host_of not in LOOPBACK:
        return (
            "url must begin with https:// when a key is sent; leave out `key` if the server "
            "needs none"
        )
    return ""


def host_of(url: str) -> str:
    """The host of an address, in small letters."""
    return (urlsplit(url).hostname or "").lower()


def is_vendor_address(dialect: str, url: str) -> bool:
    """It is the vendor's own."""
    return host_of(url) == host_of(VENDOR_ADDRESSES[dialect])


def is_azure(url: str) -> bool:
    """It is OpenAI's API at Microsoft's."""
    return host_of(url).endswith(_AZURE)


def is_openrouter(url: str) -> bool:
    """It is the one server like OpenAI's that must be told what to cache."""
    return host_of(url) == _OPENROUTER


def request_address(dialect: str, url: str, model: str, api_version: str | None) -> str:
    """The address that a question goes to; `url` may end before or behind the API's version."""
    base = url.rstrip("/")
    if dialect in _PATHS:
        version = f"?{urlencode({'api-version': api_version})}" if api_version else ""
        return f"{base}/{_PATHS[dialect]}{version}"
    if dialect == "anthropic":
        return f"{base.removesuffix('/v1')}/v1/messages"
    root = base if urlsplit(base).path else f"{base}/v1beta"
    return f"{root}/models/{quote(model.removeprefix('models/'), safe='')}:generateContent"


def auth_headers(dialect: str, url: str, key: str, header: str | None) -> Mapping[str, str]:
    """The headers that go with every question: the key in the vendor's own, or in the one that the
    config names."""
    version = {"anthropic-version": "2023-06-01"} if dialect == "anthropic" else {}
    if not key:
        return version
    name = header or ("api-key" if is_azure(url) else _HEADERS[dialect])
    return version | {name: f"Bearer {key}" if name.lower() == "authorization" else key}
