"""What kind of token there is, which its beginning says, and what a person does about one that is
missing or lacks something."""

from enum import StrEnum


class TokenKind(StrEnum):
    """Only NONE is false. APP is that of a workflow, too; OTHER may be anything."""

    NONE = ""
    APP = "App token"
    FINE_GRAINED = "fine-grained personal token"
    CLASSIC = "classic personal token"
    OTHER = "token"


# https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
_BEGINNINGS = {
    "ghs_": TokenKind.APP,
    "github_pat_": TokenKind.FINE_GRAINED,
    "ghp_": TokenKind.CLASSIC,
    "gho_": TokenKind.CLASSIC,
}
TOKEN_VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")  # the first that is set counts
MISSING = (
    f"set {' or '.join(TOKEN_VARIABLES)}; in a workflow that is "
    f"{TOKEN_VARIABLES[0]}: ${{{{ github.token }}}} under `env:`"
)
_PERSONAL = "on GitHub under Settings > Developer settings > Personal access tokens"
_WHERE = {
    TokenKind.APP: (
        "add it under `permissions:` of the workflow, or to the permissions of the token's App"
    ),
    TokenKind.FINE_GRAINED: f"add it to the token {_PERSONAL}, and check that the token includes "
    "this repository",
    TokenKind.CLASSIC: f"give the token the scope repo {_PERSONAL}; public_repo is enough for a "
    "public repository",
    TokenKind.OTHER: "add it under `permissions:` of the workflow, or to the token",
    TokenKind.NONE: MISSING,
}
_UNSEEN = {
    TokenKind.APP: "it does not exist, or the App is not installed for this repository",
    TokenKind.FINE_GRAINED: "it does not exist, or the token does not include this repository",
    TokenKind.CLASSIC: "it does not exist, or the token lacks the scope repo",
    TokenKind.OTHER: "it does not exist, or this token cannot see it",
    TokenKind.NONE: f"it does not exist, or it is private: {MISSING}",
}


def token_kind(token: str) -> TokenKind:
    """The kind of a token; "" is none."""
    kinds = (kind for start, kind in _BEGINNINGS.items() if token.startswith(start))
    return next(kinds, TokenKind.OTHER if token else TokenKind.NONE)


def permission_hint(kind: TokenKind, needed: str) -> str:
    """What to do where a permission is missing; `needed` is "" where GitHub does not say which."""
    if kind is TokenKind.NONE:
        return MISSING
    if needed:
        return f"the token lacks {needed}: {_WHERE[kind]}"
    classic = kind is TokenKind.CLASSIC
    return f"the token does not allow this: {_WHERE[kind] if classic else 'check its permissions'}"


def where_to_add(kind: TokenKind) -> str:
    """Where a person adds the permissions that a token lacks."""
    return _WHERE[kind]


def unseen_hint(kind: TokenKind) -> str:
    """What to do where GitHub says that something is not there."""
    return _UNSEEN[kind]
