"""Names that code gets in other ways than by a definition: from a macro, an annotation, a class it
extends, a method that answers to any name, or a program that writes files when it is built."""

import re

from ...text.patterns import lazy_pattern
from ._definitions import CodeDefinition, language_of
from ._ignored import is_ignored
from ._manifests import is_manifest, read_dependencies
from ._sources import ComparedFile, ComparisonInput, has_word

# Annotations and attributes by which a compiler or a plugin writes members, what a type takes over
# from others, and methods that answer to any name
_MAKES_MEMBERS = lazy_pattern(
    r"^\s*(?:@[A-Z]\w*|#\[derive\(|\[[A-Z]\w*)|\b(?:extends|implements|mixin)\b|^\s*impl\b.*\bfor\b"
    r"|\b(?:class|struct|enum|interface|protocol|object)\s+\w+[^{]*:\s*\w"
    r"|\b__(?:call|callStatic|get)\b|\bmethod_missing\b|\bnoSuchMethod\b|\bdynamicMember"
    r"|\bdefine_method\b|^\s*(?:use\s+[A-Z]\w*(?:\s*,\s*\w+)*\s*;|prepend\s|with\s+\w)"
)
# https://guides.rubyonrails.org/active_support_core_extensions.html#extensions-to-module
_RUBY_MACRO = lazy_pattern(r"^\s*[a-z_]\w*[ (]+:\w+")
# What programs make code of
_SCHEMAS = (
    ".proto", ".thrift", ".avsc", ".avdl", ".graphql", ".graphqls", ".xsd", ".wsdl", ".g4", ".fbs",
    ".capnp", ".smithy", ".y", ".peg", ".fidl",
)  # fmt: skip
_DESCRIBES = lazy_pattern(r"(?i)(?:openapi|swagger)[^/]*\.(?:ya?ml|json)$")


def is_made_otherwise(file: ComparedFile, each: CodeDefinition) -> bool:
    """The file gets a line that speaks of the name, or by which the type around it may have it; of
    languages whose imports are followed it is known what a file binds."""
    kind = language_of(file.path)
    if kind in ("py", "js"):
        return False
    member = each.member or each.text[:1] in (" ", "\t")
    return any(
        has_word(line.text, each.name)
        or (member and _MAKES_MEMBERS.search(line.text))
        or (member and kind == "rb" and _RUBY_MACRO.match(line.text))
        for line in file.added
    )


def is_built(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The file is gone from git, and not from the project: a build writes it, as the project's
    `.gitignore` or a new command of the change says."""
    return file.is_gone and (is_ignored(sources, file) or _is_written_now(sources, file))


def _is_written_now(sources: ComparisonInput, file: ComparedFile) -> bool:
    writes = r"(?:\b(?:cp|mv|tee)\s[^;&|]*\s|>\s*|\s(?:-o|--out[\w-]*)[= ])(?:[\w.-]+/)*"
    written = re.compile(rf"{writes}{re.escape(file.name)}(?![\w.-])")
    return any(file.name in row and written.search(row) for row in sources.added_rows)


def may_be_built(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The file is gone, and the change brings a description from which a program may write it."""
    return file.is_gone and any(
        other.added and (other.path.endswith(_SCHEMAS) or _DESCRIBES.search(other.path))
        for other in sources.files
    )


def is_installed(sources: ComparisonInput, path: str) -> bool:
    """The whole package is gone, and what the head requires has its name: it is a project of its
    own now."""
    head = sources.list_head()
    gone = {other.folder for other in sources.files if other.is_gone and is_manifest(other.name)}
    parts = path.split("/")[:-1]
    folders = ("/".join(parts[:end]) + "/" for end in range(1, len(parts) + 1))
    left = (each for each in folders if each in gone or not any(p.startswith(each) for p in head))
    if not (package := next(left, "").rstrip("/").rpartition("/")[2].lower()):
        return False
    manifests = [other for other in head if is_manifest(other.rpartition("/")[2])]
    return any(
        f"{_NO_LETTERS.sub('_', name).lower()}_".startswith(f"{package}_")
        for other, text in sources.read_head(manifests).items()
        for name in read_dependencies(other.rpartition("/")[2], text)
    )


# https://packaging.python.org/en/latest/specifications/name-normalization/
_NO_LETTERS = lazy_pattern(r"[-_.]+")
