"""Images that are no longer fixed, and containers that run as root."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import is_explained
from .._pipelines import PIPELINES
from .._remark import ComparisonRule, hint, put, taken
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = True
_TAG = ComparisonRule(
    "image-unpinned",
    Priority.P2,
    "The next build may start from a different image than the one that was tested. Name a version "
    "or, better, a digest.",
)
_FIRST = replace(_TAG, priority=Priority.P3)  # of a file that is new
_ROOT = ComparisonRule(
    "container-root",
    Priority.P2,
    "Anyone who breaks out of the program is root in the container. Run it as its own user.",
)
_FROM = lazy_pattern(
    r"^\s*FROM\s+(?:--\S+\s+)*(?P<image>[^\s:@]+(?::\d+/[^\s:@]+)?)"
    r"(?P<tag>:[^\s@]+)?(?P<digest>@sha256:\S+)?(?:\s+AS\s+(?P<stage>\S+))?",
    re.I,
)
_IMAGE = lazy_pattern(
    r"^\s*(?:-\s*)?(?:image|container):\s*[\"']?(?P<image>[^\s:@\"'${}]+(?::\d+/[^\s:@\"']+)?)"
    r"(?P<tag>:[^\s@\"']+)?(?P<digest>@sha256:[^\s\"']+)?[\"']?\s*(?:#.*)?$"
)
# Nobody deploys them
_SAMPLES = lazy_pattern(
    r"\.(?:md|mdx|rst|adoc|txt)$|(?:^|/)(?:(?:integration|e2e)[\w-]*|\.devcontainer)/", re.I
)
# https://docs.docker.com/reference/compose-file/,
# https://kubernetes.io/docs/concepts/workloads/pods/
_CONTAINERS = lazy_pattern(r"^\s*(?:services|containers|initContainers|kind)\s*:", re.M)
_PICTURE = lazy_pattern(r"\.(?:png|jpe?g|gif|svg|webp|ico|bmp)$|^[./]", re.I)
_ROOTS = ("root", "0", "root:root", "0:0")
_USER = lazy_pattern(r"^\s*USER\s+(?P<user>\S+)", re.I | re.M)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding of each kind a file."""
    for file in sources.files:
        if file.is_gone or not file.is_product or not (file.added or file.removed):
            continue
        if _SAMPLES.search(file.path):
            continue
        if re.search(r"(?:Dockerfile|Containerfile|dockerfile)", file.name):
            yield from _tags(sources, file, _FROM)
            yield from _users(sources, file)
        elif file.mentions(b"image:", b"container:", b"runAs") and _runs_containers(file):
            yield from _tags(sources, file, _IMAGE)
            yield from _contexts(sources, file)


def _runs_containers(file: ComparedFile) -> bool:
    """Its format has images of containers; others call a picture or a machine so."""
    return PIPELINES.search(file.path) is not None or _CONTAINERS.search(file.head) is not None


def _tags(
    sources: ComparisonInput, file: ComparedFile, pattern: re.Pattern[str]
) -> Iterator[Finding]:
    before = {m["image"]: m for m in map(pattern.match, file.base_rows) if m}
    opened = {_name(image) for image, m in before.items() if _is_open(m)}
    for line, found in _pulled(file, pattern):
        old = before.get(found["image"])
        if old and (title := _says_less(old, found)):
            yield put(_TAG, file, line, title, f"`{old[0].strip()}`")
            return
        is_built = pattern is _IMAGE and _is_made_here(file.head_rows, line.number)
        if _names_version(found) or is_built or _name(found["image"]) in opened:
            continue
        if _is_meant(file, found["image"]) or _is_built_upon(sources, file):
            continue
        if _is_of_project(sources, found["image"]):
            continue
        if old or _are_pinned(before.values()) or file.is_new:
            title = f"{found['image']} is not pinned to a version"
            rule = _FIRST if file.is_new else _TAG
            yield put(rule, file, line, title, f"`{old[0].strip()}`" if old else "")
            return


def _is_of_project(sources: ComparisonInput, image: str) -> bool:
    """The project gives this name to what it builds, `-t tools` or `IMAGE = tools`, or to the
    folder that it builds it in."""
    if "/" in image:
        return any(path.endswith(f"{_name(image)}/Dockerfile") for path in sources.list_head())
    gives = re.compile(rf"(?:\s-t|--tag|\w\s*:?=)[=\s]*[\"']?{re.escape(image)}(?![\w/.-])")
    return any(gives.search(place.text) for place in sources.find_words([image])[image])


def _says_less(old: re.Match[str], new: re.Match[str]) -> str:
    """What a name of an image does not say any more."""
    if old["digest"] and _names_version(new) and not new["digest"]:
        return f"{new['image']} is no longer pinned by digest"
    if _is_numbered(old) and _is_bare(new):
        return f"{new['image']} names a variant, but no version"
    return ""


def _name(image: str) -> str:
    """An image without the registry and the owner that it is taken from."""
    return image.rpartition("/")[2]


def _pulled(file: ComparedFile, pattern: re.Pattern[str]) -> Iterator[tuple[Line, re.Match[str]]]:
    """The added lines that name an image of elsewhere."""
    stages = {m["stage"].lower() for m in map(_FROM.match, file.head_rows) if m and m["stage"]}
    for line in file.added:
        found = pattern.match(line.text)
        if not found or "$" in line.text or not _is_pulled(file, found["image"], stages):
            continue
        if not file.path.startswith(".github/") or _is_of_container(file, line):
            yield line, found


def _is_of_container(file: ComparedFile, line: Line) -> bool:
    """In a workflow: a matrix may name machines so.
    https://docs.github.com/actions/reference/workflow-syntax-for-github-actions"""
    depth, around = len(line.text) - len(line.text.lstrip()), [line.text]
    for row in reversed(file.head_rows[: line.number - 1]):
        indent = len(row) - len(row.lstrip())
        if row.strip() and indent < depth:
            depth = indent
            around.append(row)
    return any(map(_HOLDS_CONTAINERS.match, around))


_HOLDS_CONTAINERS = lazy_pattern(r"\s*(?:-\s+)?(?:container|services):")


def _is_built_upon(sources: ComparisonInput, file: ComparedFile) -> bool:
    """What is built of the file fills in versions of images.
    https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/images/"""
    paths = [f"{file.folder}kustomization.{end}" for end in ("yaml", "yml")]
    return any(map(_FILLS_IN.search, sources.read_head(paths).values()))


_FILLS_IN = lazy_pattern(r"(?m)^(?:images|replacements)\s*:")


def _is_open(found: re.Match[str]) -> bool:
    return not _names_version(found) or _moves(found)


def _is_meant(file: ComparedFile, image: str) -> bool:
    return bool(_FOR_WORK.search(file.path) or _FREE.match(image))


def _is_pulled(file: ComparedFile, image: str, stages: Collection[str]) -> bool:
    """A container's image that comes from elsewhere: no stage of the file, no picture."""
    # Cirrus and CircleCI name machines so: https://cirrus-ci.org/guide/FreeBSD/,
    # https://circleci.com/docs/reference/configuration-reference/#machine
    if file.name == ".cirrus.yml" or (".circleci/" in file.path and image == "default"):
        return False
    return image.lower() not in (*stages, "scratch") and not _PICTURE.search(image)


def _names_version(image: re.Match[str]) -> bool:
    return bool(image["digest"]) or (image["tag"] or ":latest") != ":latest"


def _is_numbered(image: re.Match[str]) -> bool:
    return bool(image["digest"]) or any(map(str.isdigit, image["tag"] or ""))


def _is_bare(image: re.Match[str]) -> bool:
    """Its tag is words alone, such as `slim`; of a system they are a release."""
    tag, name = image["tag"] or ":latest", image["image"].rpartition("/")[2]
    return (
        not image["digest"]
        and tag != ":latest"
        and _WORDS.fullmatch(tag) is not None
        and name not in _SYSTEMS
    )


_WORDS = lazy_pattern(r":[a-z]+(?:[-_.][a-z]+)*")
_SYSTEMS = ("debian", "ubuntu", "buildpack-deps", "distroless", "base", "static")


def _moves(image: re.Match[str]) -> bool:
    """Its tag goes with the project's newest state."""
    return not image["digest"] and _MOVING.fullmatch(image["tag"] or "") is not None


# Compose files of developers; images whose versions are sold
# (https://edu.chainguard.dev/chainguard/chainguard-images/)
_FOR_WORK = lazy_pattern(r"(?i)(?:^|[/._-])(?:dev|develop\w*|local|override|test\w*)\.ya?ml$")
_FREE = lazy_pattern(r"cgr\.dev/chainguard/")
_MOVING = lazy_pattern(
    r":(?:main|master|trunk|develop\w*|dev|edge|nightly|canary|next|rolling|current|stable|lts)"
)


def _is_made_here(rows: Sequence[str], number: int) -> bool:
    """A service with this image has a `build`, also one that takes its settings from here.
    https://docs.docker.com/reference/compose-file/fragments/"""
    indent = len(rows[number - 1]) - len(rows[number - 1].lstrip())
    above = (row for row in reversed(rows[: number - 1]) if row.strip())
    opener = next((row for row in above if len(row) - len(row.lstrip()) < indent), "")
    named = re.escape(rows[number - 1].strip())
    if anchor := re.search(r"&([\w-]+)\s*$", opener):
        named = rf"{named}|<<:.*\*{re.escape(anchor[1])}(?![\w-]).*"
    same = (at for at, row in enumerate(rows, 1) if re.fullmatch(named, row.strip()))
    return any(_is_built(rows, at) for at in islice(same, _MOST_SERVICES))


_MOST_SERVICES = 50


def _is_built(rows: Sequence[str], number: int) -> bool:
    """The service has a `build`: the image is its result.
    https://docs.docker.com/reference/compose-file/build/#using-build-and-image"""
    indent = len(rows[number - 1]) - len(rows[number - 1].lstrip())
    for step in (-1, 1):
        at = number + step
        while 0 < at <= len(rows):
            row = rows[at - 1]
            depth = len(row) - len(row.lstrip())
            if row.strip() and depth < indent:
                break
            if depth == indent and row.lstrip().startswith("build:"):
                return True
            at += step
    return False


def _are_pinned(images: Collection[re.Match[str]]) -> bool:
    """The file names a version of each, so one more without is no habit."""
    return bool(images) and all(map(_names_version, images))


def _users(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The last stage ran as somebody, and runs as root now."""
    before, after = _last_user(file.base), _last_user(file.head)
    rooted = before not in ("", *_ROOTS) and after in ("", *_ROOTS)
    if not rooted and not (file.is_new and after in _ROOTS):
        return
    if not after and _NOBODY.search(_last_stage(file.head)):
        return
    if not after and any(map(_OTHER_USER.search, sources.added_rows)):
        return  # the base image, which may be named elsewhere, brings its own
    if any(map(_RUN_AS.match, sources.added_rows)) or _drops_rights(sources, file):
        return  # what starts the container, or what it starts, names a user
    yield from _root(file, f"USER {before}" if before else "")


def _root(file: ComparedFile, was: str) -> Iterator[Finding]:
    """At the line that says it, or that said otherwise."""
    title, rule = "the container runs as root", _ROOT
    if line := next((line for line in file.added if _USER.match(line.text)), None):
        rule = hint(rule) if is_explained(file, line) else rule
        yield put(rule, file, line, title, was)
    elif line := next((line for line in file.removed if _USER.match(line.text)), None):
        block = next(block for block in file.blocks if line in block.removed)
        said = any(is_explained(file, new) for new in block.added)
        yield taken(hint(rule) if said else rule, file, line, title)
    elif was:
        yield put(rule, file, Line(0, ""), title, was)


# Images that start as another user by themselves
_NOBODY = lazy_pattern(r"(?i)\A[^\n]*(?:nonroot|rootless|unprivileged|cgr\.dev/chainguard/)")
# https://docs.docker.com/reference/compose-file/services/#user
_RUN_AS = lazy_pattern(
    r"\s*(?:-\s+)?(?:runAsNonRoot:\s*true|runAsUser:\s*[1-9]|user:\s*[\"']?(?!root|0\b)[\w$])"
)
_OTHER_USER = lazy_pattern(r"(?i)(?:[:/_.-]|\b)(?:nonroot|rootless|unprivileged)\b")
_DROPS = lazy_pattern(r"\b(?:gosu|su-exec|setpriv|runuser|chpst|s6-setuidgid)\b|\bexec\s+su\s")


def _drops_rights(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The change lets a script start what runs as somebody else, as official images do:
    https://docs.docker.com/build/building/best-practices/#user"""
    others = (each for each in sources.files if each is not file and each.folder == file.folder)
    return any(_DROPS.search(line.text) for each in (file, *others) for line in each.added)


def _contexts(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Kubernetes refused to start it as root, and does not ask any more, while all else stays.
    https://kubernetes.io/docs/tasks/configure-pod-container/security-context/"""
    line = next((line for line in file.removed if _NO_ROOT.match(line.text)), None)
    if (
        line
        and not any(map(_NO_ROOT.match, file.head_rows))
        and not any(_NO_ROOT.match(new.text) for each in sources.files for new in each.added)
        and _KIND.findall(file.base) == (_KIND.findall(file.head))
    ):
        yield taken(_ROOT, file, line, "the container may run as root")


_NO_ROOT = lazy_pattern(r"\s*(?:-\s+)?(?:runAsNonRoot:\s*true|runAsUser:\s*[1-9]\d*)\b")
_KIND = lazy_pattern(r"(?m)^\s*(?:-\s+)?(?:kind|image):.*$")


def _last_user(text: str) -> str:
    """The user of the last stage, or of the stage that it is made of."""
    stages = re.split(r"(?im)^(?=\s*FROM\s)", text)
    heads = [_FROM.match(stage) for stage in stages]
    names = {head["stage"]: at for at, head in enumerate(heads) if head and head["stage"]}
    at = len(stages) - 1
    while not (users := _USER.findall(stages[at])):
        head = heads[at]
        below = names.get(head["image"], at) if head else at
        if below >= at:
            return ""
        at = below
    return str(users[-1])


def _last_stage(text: str) -> str:
    """What the image is made of: its base and the steps after it."""
    return re.split(r"(?im)^\s*FROM\s", text)[-1]
