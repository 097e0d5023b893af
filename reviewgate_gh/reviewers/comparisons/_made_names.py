"""Names that code gets in other ways than by a definition: from a macro, an annotation, a class it
extends, a method that answers to any name, or a program that writes files when it is built."""

from ...text.patterns import lazy_pattern
from ._definitions import CodeDefinition, language_of
from ._ignored import is_ignored
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
    `.gitignore` says."""
    return file.is_gone and is_ignored(sources, file)


def may_be_built(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The file is gone, and the change brings a description from which a program may write it."""
    return file.is_gone and any(
        other.added and (other.path.endswith(_SCHEMAS) or _DESCRIBES.search(other.path))
        for other in sources.files
    )
