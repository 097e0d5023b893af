"""Input that reaches a shell, an SQL statement, a path and the like, in Python: flows that the base
has too are old, and a flow that the change brings counts wherever its lines are."""

from collections.abc import Iterator, Mapping
from functools import cache, partial

from msgspec.structs import replace

from ...findings.defects import way_lines
from ...findings.differ import OFF_DIFF, describe, find_new, renamed_units
from ...findings.lines import DiffLines, quote_unshown
from ...findings.source_text import SourceText
from ...model.change import FileDiff
from ...model.finding import CausingPlace, Finding, FindingState
from ._paths import is_tests
from ._sources import CheckInput, content_at_base

WANTS = ("*.py", "*.pyw")
EVERY_FILE = False
_LARGEST = 1_000_000
_ON_BASE = "the base has it, too"
# One of each row is in every file that the analysis has anything to say of
_INPUTS = (
    b"request argv environ getenv input( stdin recv parse_args HTTPRequestHandler random "
    b"FastAPI APIRouter get_argument route("
).split()
_SINKS = (
    b"system( popen subprocess getoutput eval( exec compile( import_module __import__ pickle "
    b"yaml marshal dill joblib shelve execute .raw( text( RawSQL read_sql fetch open( "
    b"send_file FileResponse unlink remove shutil Path os. redirect Redirect HTTPFound "
    b"Location location Template template_string from_string Markup mark_safe HttpResponse "
    b"Response( make_response .route( self.write search xpath XPath .find etree xml urlopen "
    b"requests. httpx aiohttp session[ headers[ token secret password passwd session csrf "
    b"nonce salt key .get( .post( start_response set_cookie( format_html .extra( Interpreter"
).split()


def check(sources: CheckInput) -> Iterator[Finding]:
    """The new flows of all changed files; of each call and kind of harm one."""
    files = {
        file.path: file
        for file in sources.change.files
        if _is_worth(sources.contents.get(file.path, b"")) and file.is_text_file
    }
    found = [
        finding
        for path, file in files.items()
        if file.oid != file.old_oid
        for finding in _in_text(path, sources.contents[path])
    ]
    if found:
        yield from _new(found, sources)


def _is_worth(data: bytes) -> bool:
    return (
        0 < len(data) <= _LARGEST
        and any(word in data for word in _INPUTS)
        and any(word in data for word in _SINKS)
    )


def _in_text(path: str, data: bytes) -> list[Finding]:
    """The flows in one version of a file."""
    from ..taint.findings import find_flows  # most changes have nothing for it

    return list(find_flows(path, data, is_tests(path)))


def _new(found: list[Finding], sources: CheckInput) -> Iterator[Finding]:
    """Those that the base does not have: in the same files, or in files that lose code."""
    before = _Base(sources)
    heads = cache(lambda path: SourceText(path, sources.contents.get(path, b"")))
    now = [describe(f, f.path, partial(heads, f.path)) for f in found]
    then = [
        describe(f, path, partial(before.text, path))
        for path in before.paths({finding.path for finding in found})
        for f in _in_text(path, before.data(path))
    ]
    diffs = cache(lambda path: DiffLines(before.files[path]))
    renamed = cache(lambda path: renamed_units(heads(path).units, before.text(path).units))
    for finding, is_new in zip(found, find_new(now, then, renamed), strict=True):
        shown = diffs(finding.path)
        if not is_new and shown.adds(finding.line_start, finding.line_end):
            yield replace(finding, state=FindingState.OUTSIDE_DIFF, note=_ON_BASE)
        elif is_new and shown.text(finding.line_start) is not None:
            yield replace(finding, compared=True)
        elif is_new:
            yield _off_diff(finding, shown, heads(finding.path))


def _off_diff(finding: Finding, shown: DiffLines, text: SourceText) -> Finding:
    """The finding with its own lines, and the changed line that lets the input come so far: where
    the diff shows none of its way, its first one."""
    way = [number for number in way_lines(finding) if shown.adds(number, number)]
    return replace(
        finding,
        compared=True,
        excerpt=quote_unshown(finding, text.line),
        note=OFF_DIFF,
        cause=CausingPlace(finding.path, way[0] if way else shown.first_added()),
    )


class _Base:
    """The files as they were, under their paths at head."""

    def __init__(self, sources: CheckInput) -> None:
        self._contents: Mapping[str, bytes] = sources.contents
        self.files = {file.path: file for file in sources.change.files}
        self.text = cache(lambda path: SourceText(path, self.data(path)))

    def paths(self, found: set[str]) -> list[str]:
        """The files that may have had these flows: those where they are, and those that lose
        code."""
        return [
            path
            for path, file in self.files.items()
            if file.status != "A"
            and path.endswith((".py", ".pyw"))
            and file.old_mode.startswith("100")
            and (path in found or _loses(file))
            and _is_worth(self.data(path))
        ]

    def data(self, path: str) -> bytes:
        """The content at the base."""
        return content_at_base(self.files[path], self._contents.get(path, b""))


def _loses(file: FileDiff) -> bool:
    return any(hunk.old_count for hunk in file.hunks)
