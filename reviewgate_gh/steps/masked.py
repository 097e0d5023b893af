"""Files that git calls binary and that programs read as text: a NUL byte or an attribute in the clone hides no code from review."""

import re

_SNIFFED = 8000  # bytes: as far as git itself looks for a NUL
_SOURCE = (
    r"\.(?:py|pyi|pyw|pyx|rb|php|phtml|pl|pm|t|sh|bash|zsh|ksh|dash|fish|js|mjs|cjs|jsx|ts|mts|cts|tsx|vue|svelte|astro|go|java|kts?|scala"
    r"|groovy|gradle|[ch]|cc|cpp|cxx|hh|hpp|hxx|mm?|cs|fs|vb|rs|swift|dart|lua|r|jl|exs?|erl|hrl|clj[cs]?|hs|mli?|sql|tf|tfvars|hcl|nix|ps1|psm1"
    r"|bat|cmd|html?|s?css|less|xml|svg|ya?ml|jsonc?|toml|ini|cfg|conf|env|properties|md|mdx|rst|txt|csv|ipynb|tfstate|pem|key|p8|asc"
    r"|npmrc|pypirc|netrc|htpasswd|pgpass|dockercfg)\Z"
    r"|(?:\A|/)(?:Dockerfile|Containerfile|Makefile|Jenkinsfile|Rakefile|Gemfile|Vagrantfile|Procfile|\.env)[^/]*\Z"
)
_VIDEO_PACKET = 188  # bytes: an MPEG transport stream has the suffix of TypeScript, and a G at the start of each packet


def must_be_sniffed(path: str) -> bool:
    """The name alone does not say whether it is text."""
    return "." not in path.rpartition("/")[2] or path.lower().endswith(".ts")


def is_text(path: str, head: bytes | None) -> bool:
    """Code or text by its name, or by the beginning of its content where that is known."""
    if head is not None and b"\0" not in head[:_SNIFFED]:
        return True
    if head is not None and head[:1] == head[_VIDEO_PACKET : _VIDEO_PACKET + 1] == b"G" and path.lower().endswith(".ts"):
        return False
    return re.search(_SOURCE, path, re.IGNORECASE) is not None or (head or b"").startswith(b"#!")
