"""What is wrong with a release of git: it is too old, or one that runs foreign code while it clones submodules."""

import re

_OLDEST = (2, 39)
# CVE-2024-32002 and CVE-2025-48384: the first release of each line in which the later of the two is mended.
_MENDED = {(2, 43): 7, (2, 44): 4, (2, 45): 4, (2, 46): 4, (2, 47): 3, (2, 48): 2, (2, 49): 1, (2, 50): 1}
_NUMBERS = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


def weakness(version: str) -> str:
    """Why this release is a worry, and what to do; "" for a good one. `version` is git's own words, such as 2.47.1."""
    found = _NUMBERS.match(version)
    if not found:
        return "an unknown version"
    line, patch = (int(found[1]), int(found[2])), int(found[3] or 0)
    if line < _OLDEST:
        return "older than 2.39: update it"
    if line <= max(_MENDED) and patch < _MENDED.get(line, 1_000_000):
        return (
            "cloning submodules with it can run untrusted code (CVE-2025-48384) unless your distribution has patched it;"
            " the gate never enters a submodule"
        )
    return ""
