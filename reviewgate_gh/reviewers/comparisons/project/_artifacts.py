"""Scripts that name the file that is built with its version: `target/shop-1.2.0.jar`."""

import re

from ....text.patterns import lazy_pattern
from .._pipelines import PIPELINES
from .._sources import ComparedFile, Place

_SCRIPTS = lazy_pattern(
    r"(?:Docker|Container)file[^/]*$|(?:^|/)(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Procfile"
    r"|(?:docker-)?compose[\w.-]*\.ya?ml)$|\.(?:sh|bash|ps1|bat|cmd|mk|service)$"
)
_ENDINGS = (
    r"(?:jar|war|ear|tgz|tar\.(?:gz|xz|bz2)|zip|whl|gem|nupkg|crate|deb|rpm|apk|aab|ipa|exe|msi"
    r"|dmg|AppImage)"
)
# https://maven.apache.org/pom.html#maven-coordinates, `npm help package.json`,
# https://packaging.python.org/en/latest/specifications/pyproject-toml/#name
_NAMES = (
    (r"package\.json|composer\.json", lazy_pattern(r"(?m)^\s*\"name\":\s*\"(?P<name>[^\"]+)\"")),
    (r"pyproject\.toml|Cargo\.toml", lazy_pattern(r"(?m)^name\s*=\s*\"(?P<name>[^\"]+)\"")),
    (r"setup\.cfg", lazy_pattern(r"(?m)^name\s*=\s*(?P<name>[\w.-]+)")),
    (r"pubspec\.yaml|Chart\.yaml", lazy_pattern(r"(?m)^name:\s*[\"']?(?P<name>[\w.-]+)")),
    (r"[\w-]+\.gemspec", lazy_pattern(r"(?m)\.name\s*=\s*[\"'](?P<name>[\w.-]+)")),
    (r"pom\.xml", lazy_pattern(r"<artifactId>\s*(?P<name>[\w.-]+)")),
)


def is_final(number: str) -> bool:
    """A release, and no stage before one: the files of the last release are still the newest."""
    return re.fullmatch(r"[\d.]+", number) is not None


def names_artifact(manifest: ComparedFile, place: Place, number: str) -> bool:
    """A script takes the package's own file of this version, and from no server."""
    if not (_SCRIPTS.search(place.path) or PIPELINES.search(place.path)) or "://" in place.text:
        return False
    name = _name_of(manifest)
    spelt = "[-_.]".join(map(re.escape, re.split(r"[-_.]", name)))
    pattern = rf"(?<![\w.-]){spelt}[-_]v?{re.escape(number)}(?:[-_][\w.-]*)?\.{_ENDINGS}(?!\w)"
    return bool(name) and re.search(pattern, place.text) is not None


def _name_of(manifest: ComparedFile) -> str:
    """How the names of its files begin: of a scope npm leaves a dash."""
    pattern = next((each for names, each in _NAMES if re.fullmatch(names, manifest.name)), None)
    found = pattern.search(_without_parent(manifest.head)) if pattern else None
    return found["name"].lstrip("@").replace("/", "-") if found else ""


def _without_parent(text: str) -> str:
    """A pom.xml without what it says of its parent."""
    before, _start, rest = text.partition("<parent>")
    return f"{before}{rest.partition('</parent>')[2]}"
