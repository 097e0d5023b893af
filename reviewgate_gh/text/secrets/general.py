"""The general forms of secrets, which any vendor and anybody may use."""

from collections.abc import Mapping

from .kind import Kind, kind

_SCANNING = "docs.github.com/code-security/secret-scanning"
JSON_WEB_TOKEN = Kind(
    "json-web-token",
    ("eyJ",),
    r"[A-Za-z0-9_\-]{10,2000}+\.eyJ[A-Za-z0-9_\-]{10,4000}+\.[A-Za-z0-9_\-]{20,1000}",
    "",
    "www.rfc-editor.org/rfc/rfc7519",
    bare=True,
    generic=True,
)
PRIVATE_KEY = kind(
    "private-key", "", "", "", "www.rfc-editor.org/rfc/rfc7468", entropy=0.0, own=True
)
BASIC_AUTH = kind("basic-auth", "", "", "", "www.rfc-editor.org/rfc/rfc7617", generic=True)
COMMAND_PASSWORD = kind("command-password", "", "", "", "curl.se/docs/manpage.html", generic=True)
_BIP39 = "github.com/bitcoin/bips/blob/master/bip-0039.mediawiki"
RECOVERY_PHRASE = kind("recovery-phrase", "", "", "", _BIP39, generic=True)
URL_PASSWORD = kind("url-password", "", "", "", "www.rfc-editor.org/rfc/rfc3986", generic=True)
ASSIGNED = kind("assigned-secret", "", "", "", _SCANNING, generic=True)
# In the order in which they count
GENERAL: Mapping[str, Kind] = {
    k.id: k
    for k in (
        JSON_WEB_TOKEN, PRIVATE_KEY, BASIC_AUTH, COMMAND_PASSWORD, RECOVERY_PHRASE, URL_PASSWORD,
        ASSIGNED,
    )
}  # fmt: skip
