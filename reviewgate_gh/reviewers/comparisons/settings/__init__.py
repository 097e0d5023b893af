"""Settings that guard a project: pipelines, checkers, coverage, branches, containers."""

import re

from ....model.change import FileDiff
from ....text.patterns import lazy_pattern

CODE_ALONE = False

_FILES = lazy_pattern(
    r"\.(?:toml|cfg|ini|jsonc?|ya?ml|mk|gradle|kts|xml|props|properties|csproj|sh|dockerfile|neon"
    r"|exs|tf)\Z|(?:\A|/)(?:conftest\.py|\.rspec|\.\w+ignore|Taskfile\.\w+)\Z"
    r"|(?:\A|/)\.[\w-]+(?:rc|8|cov|config|tidy)\Z|(?:\A|/)(?:Makefile|Rakefile|justfile|noxfile\.py"
    r"|Jenkinsfile|CMakeLists\.txt|meson\.build|Package\.swift|[\w-]*_helper\.rb|[\w.-]*\.config\.[cm]?[jt]s"
    r"|\.eslintrc\.\w+)\Z|(?:Docker|Container)file[^/]*\Z",
    re.IGNORECASE,
)


def wants(file: FileDiff) -> bool:
    """A file that a tool reads as its settings, or a script that a pipeline runs."""
    return _FILES.search(file.path) is not None
