"""The project as a whole: its licence, its versions, its guards, programs in its tree."""

import re

from ....model.change import FileDiff
from ....text.patterns import lazy_pattern

CODE_ALONE = False

_FILES = lazy_pattern(
    r"(?:\A|/)(?:LICEN[SC]E|COPYING|UNLICENSE|SECURITY|VERSION|CITATION|CODEOWNERS)[^/]*\Z"
    r"|(?:\A|/)_*(?:version|init)_*\.\w+\Z|(?:\A|/)\.[^/]*\Z|\A\.github/"
    r"|\.(?:toml|json|ya?ml|cfg|gemspec|properties|gradle|kts|xml|ini|exs|dist|props|[cf]sproj"
    r"|nuspec|podspec)\Z|(?:\A"
    r"|/)(?:setup\.py|CMakeLists\.txt|meson\.build|\w*version\.h(?:pp)?)\Z",
    re.IGNORECASE,
)


def wants(file: FileDiff) -> bool:
    """A file that speaks for the project, or one that is no text."""
    return file.binary or _FILES.search(file.path) is not None or _says_version(file)


def _says_version(file: FileDiff) -> bool:
    """A change of a line that may hold the version of the program."""
    return any(b"ersion" in hunk.body or b"ERSION" in hunk.body for hunk in file.hunks)
