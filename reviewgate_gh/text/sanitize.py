"""Foreign Markdown made inert for GitHub: it mentions nobody, commands nothing, loads nothing and
hides nothing."""

import re
from bisect import bisect_right

from .escape import code_span
from .visible import show_hidden

_BRACKET = re.compile(r"\\.|[\[\]]")
_MOST_TICKS = 20  # GitHub's parser gives up on long delimiters; nobody needs them


def code_spans(text: str) -> dict[int, int]:
    """Start -> end of the code spans that begin and end on this line."""
    runs = [found.span() for found in _RUN.finditer(text)]
    starts: dict[int, list[int]] = {}
    for start, end in runs:
        starts.setdefault(end - start, []).append(start)
    spans, done = {}, 0
    for start, end in runs:
        if start < done:
            continue
        start += _escaped(text, start)
        same = starts.get(end - start, [])
        index = bisect_right(same, start)
        if 0 < end - start <= _MOST_TICKS and index < len(same):
            done = spans[start] = same[index] + end - start
    return spans


def _escaped(text: str, at: int) -> bool:
    """After an odd number of backslashes."""
    start = at
    while start and text[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1


def brackets(text: str, spans: dict[int, int]) -> dict[int, int]:
    """Opening bracket -> its closing one, outside code."""
    partner: dict[int, int] = {}
    opened: list[int] = []
    at = 0
    for start, end in [*sorted(spans.items()), (len(text), len(text))]:
        for found in _BRACKET.finditer(text, at, start):
            if found[0] == "[":
                opened.append(found.start())
            elif found[0] == "]" and opened:
                partner[opened.pop()] = found.start()
        at = end
    return partner


# Words and URLs are taken whole and without backtracking: every alternative that fails has read no
# more than the one that succeeds.
_TOKEN = re.compile(
    r"""
    (?P<escape>\\[!-/:-@\[-`{-~])
  | (?P<html_image><[Ii][Mm][Gg](?=[\s/>])[^<>`]*+>)
  | <(?P<autolink>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>`]*+)>
  | (?P<entity>&(?:amp|lt|gt);)
  | (?P<url>(?:[\w+.-]*+\\?:\\?/\\?/|[\w+.-]*?(?i:www\\?\.|(?:mailto|xmpp)\\?:(?=\w))
      |(?i:javascript|vbscript|data|file):(?=[^\s<>`\[\]]))[^\s<>`\[\]]*+)
  | (?P<reference>[\w.-]++(?:/[\w.-]++)?(?:\#[0-9]++|@[0-9A-Fa-f]{7,40}+(?!\.?[A-Za-z0-9-])))
  | (?P<word>[\w+.-]++)
  | (?P<mention>@(?:\w[\w-]*+(?:/[\w-]++(?:\.[\w-]++)*+)?)?)
  | (?P<issue>\#(?:[0-9]++|(?=[*_~]++[0-9])))
  | (?P<slash>/)
  | (?P<image>!(?=\[))
  | (?P<open>\[)
  | (?P<close>\])
  | (?P<special>[<>&\\`$]|~{3,})
  | (?P<other>[^\w+.\-\\`<>&\[\]!@#$~/:]++|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_TAIL = re.compile(
    r"\(\s*+(?P<to><[^<>`]*+>|[^\s()<>`]*+(?:\([^\s()<>`]*+\)[^\s()<>`]*+)*+)"
    r"""(?:\s++(?:"[^"`]*+"|'[^'`]*+'|\([^()`]*+\)))?+\s*+\)"""
)
_LABEL = re.compile(r"\[[^\[\]`\\]*+\]")
_DEFINITION = re.compile(r"[ \t]*+\[[^\[\]\\`]++\]:[ \t]*+[^\s`]++(?:[ \t]++[\"'(][^`]*+)?\s*+")
_ALT = re.compile(r"""\balt\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.IGNORECASE)
_LINK = re.compile(r"https://github\.com(?:[/?#][A-Za-z0-9._~/?=&#+,:@-]*+)?")
_NOTIFYING = re.compile(
    r"/(?:issues|pulls?|discussions|commit)/", re.IGNORECASE
)  # leaves a trace in the other repository
_KEYWORDS = (
    "close",
    "closes",
    "closed",
    "fix",
    "fixes",
    "fixed",
    "resolve",
    "resolves",
    "resolved",
)
_GH = re.compile(r"gh-[0-9]", re.IGNORECASE)
_COMMIT = re.compile(r"@[0-9A-Fa-f]{7,40}+(?!\.?[A-Za-z0-9-])")
_COMMAND = re.compile(r"/[A-Za-z][\w/-]*+")
_TRAILING = ".,;:!?'\"()*_~\\"
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_DEEPEST = 3


class InertMarkdown:
    """Writes line after line; a closing keyword at the end of one counts for the reference that
    starts the next."""

    def __init__(self, letters: str = "") -> None:
        self._letters = letters  # the last ones of the running text, to see closing keywords by

    def line(self, text: str) -> str:
        """The line made inert; it has no line end, and gets none."""
        if _DEFINITION.fullmatch(text):
            self._letters = ""
            return code_span(text.strip())
        self._source, self._spans = text, code_spans(text)
        self._partner = brackets(text, self._spans)
        self._out: list[str] = []
        self._blank, self._gap, self._solid = True, False, ""
        self._write(0, len(text), 0)
        return _no_table("".join(self._out))

    def _write(self, at: int, end: int, depth: int) -> None:
        while at < end:
            if at in self._spans:
                self._code(self._source[at : self._spans[at]], raw=True)
                at = self._spans[at]
            elif found := _TOKEN.match(self._source, at, end):
                at = self._token(found, depth)

    def _token(self, found: re.Match[str], depth: int) -> int:
        """Write one token; where the next one starts."""
        kind, text = found.lastgroup, found[0]
        match kind:
            case "escape":
                return self._escape(found)
            case "html_image":
                self._html_image(text)
            case "autolink":
                self._code(found["autolink"])
            case "url":
                shown = text.rstrip(_TRAILING) or text
                self._code(shown)
                return found.start() + len(shown)
            case "reference":
                self._code(text)
            case "word":
                self._word(text)
            case "mention":
                return self._mention(found)
            case "issue":
                self._issue(text)
            case "slash":
                return self._slash(found)
            case "image":
                return self._image(found.start(), depth)
            case "open":
                return self._link(found.start(), depth)
            case "close":
                self._put("\\]" if depth else "]")
            case "special":
                self._put(_ENTITIES.get(text) or "".join("\\" + character for character in text))
            case _:
                self._put(text)
        return found.end()

    def _escape(self, found: re.Match[str]) -> int:
        character = found[0][1]
        # A backslash hides these from our eyes, and not from GitHub's.
        if character in "@/" or (
            character == "#" and self._source[found.end() : found.end() + 1].isdigit()
        ):
            return found.start() + 1
        self._put(_ENTITIES.get(character, found[0]))
        return found.end()

    def _word(self, text: str) -> None:
        if self._closing() and _GH.search(text):
            self._code(text)
        else:
            self._put(text)
            self._letters = (self._letters + "".join(filter(str.isalnum, text)))[-8:].lower()

    def _mention(self, found: re.Match[str]) -> int:
        before, name = self._before(), found[0]
        if before.isascii() and before.isalnum():
            commit = _COMMIT.match(self._source, found.start(), found.endpos)
            name = commit[0] if commit else "@"
        # Emphasis between an @ and a name may vanish: neither is left alone.
        if name == "@" and not self._source.startswith(("*", "~"), found.start() + 1):
            self._put("@")
        else:
            self._code(name)
        return found.start() + len(name)

    def _issue(self, text: str) -> None:
        if text == "#" or self._solid.isalnum() or self._solid in tuple("_.-") or self._closing():
            self._code(text)
        else:
            self._put(text)

    def _slash(self, found: re.Match[str]) -> int:
        command = _COMMAND.match(self._source, found.start(), found.endpos) if self._blank else None
        if command:
            self._code(command[0])
            return command.end()
        self._put("/")
        return found.end()

    def _html_image(self, tag: str) -> None:
        alt = _ALT.search(tag)
        inner = InertMarkdown(self._letters)
        words = inner.line(next(filter(None, alt.groups()), "")) if alt else ""
        self._gap = True
        self._put(words)
        self._gap, self._letters = True, inner._letters

    def _image(self, at: int, depth: int) -> int:
        close = self._partner.get(at + 1)
        if close is None or depth >= _DEEPEST:
            self._put("!")
            return at + 1
        tail = _TAIL.match(self._source, close + 1) or _LABEL.match(self._source, close + 1)
        self._gap = True
        self._write(at + 2, close, depth + 1)
        self._gap = True
        return tail.end() if tail else close + 1

    def _link(self, at: int, depth: int) -> int:
        close = self._partner.get(at)
        tail = _TAIL.match(self._source, close + 1) if close is not None and not depth else None
        to = tail["to"].strip("<>") if tail else ""
        if close is None or tail is None or not (":" in to or to.startswith("//")):
            self._put("\\[" if depth else "[")
            return at + 1
        before = self._before()
        if (
            _LINK.fullmatch(to)
            and not _NOTIFYING.search(to)
            and not self._source.startswith(("^", "\\^"), at + 1)
        ):
            self._put("[")
            if not self._label(at + 1, close, depth):
                self._code(to)
            self._put(f"]({to})")
        else:
            self._gap = self._gap or not (before.isspace() or before in ("", "("))
            self._put(" (" if self._label(at + 1, close, depth) else "(")
            self._code(to)
            self._put(")")
        return tail.end()

    def _label(self, at: int, close: int, depth: int) -> bool:
        """Write a link's text; whether there was any."""
        first = len(self._out)
        self._write(at, close, depth + 1)
        return any(not piece.isspace() for piece in self._out[first:])

    def _code(self, text: str, raw: bool = False) -> None:
        self._put(text if raw else code_span(text))
        self._letters = ""

    def _put(self, piece: str) -> None:
        """Append, and keep what was two things from becoming one."""
        if not piece:
            return
        last = self._out[-1] if self._out else ""
        if self._gap:
            if last and not _apart(last[-1], piece[0]):
                self._out.append(" ")
            self._gap = False
        elif last == "]" and piece[0] in "([:":
            self._out[-1] = "\\]"
        elif last == "!" and piece[0] == "[":
            self._out[-1] = "\\!"
        elif last == "[" and piece.lstrip("\\")[:1] == "^":
            self._out[-1] = "\\["  # a footnote's name would swallow the code that follows
        elif last.endswith("`") and last != "\\`" and piece[0] == "`":
            self._out.append(" ")
        self._blank = self._blank and piece.isspace()
        self._solid = piece.rstrip("*~")[-1:] or self._solid
        self._out.append(piece)

    def _before(self) -> str:
        return " " if self._gap else self._out[-1][-1] if self._out else ""

    def _closing(self) -> bool:
        return self._letters.endswith(_KEYWORDS)


def _apart(before: str, after: str) -> bool:
    """What was no neighbour may become one here, without making anything new together."""
    return (
        before.isspace()
        or after.isspace()
        or after in ")]"
        or (before in "([" and after not in "^\\")
    )


def _no_table(line: str) -> str:
    """No table's second row: a pipe inside a code span would end both the cell and the code."""
    delimits = "-" in line and ("|" in line or ":" in line) and not line.strip("|:- \t")
    return line.replace("-", "\\-", 1) if delimits else line


_OPENING = re.compile(
    r"(?P<indent>[ \t]*+)(?P<fence>`{3,}+(?=[^`]*+$)|~{3,}+)[ \t]*+(?P<language>[\w+#.-]*+)"
)
_LONG_RUN = re.compile("`{200,}")
_LONGEST = 199  # GitHub's parser counts a fence's length up to 255 only
_RUN = re.compile("`+")
_MARKER = re.compile(r"<!-(?=-\s*+reviewgate)", re.IGNORECASE)
_DRAWN = (
    "suggestion",
    "mermaid",
    "math",
    "geojson",
    "topojson",
    "stl",
)  # GitHub turns these blocks into buttons and pictures


def inert_markdown(text: str) -> str:
    """The text as inert Markdown, safe in a comment, an issue or a step summary; several lines need
    to start at a line's start.

    What is one line stays one line. Mentions, closing and foreign references, commands and URLs
    become code, images their alternative text; only links to https://github.com stay links. Doing
    it twice changes nothing.
    """
    shown = _MARKER.sub("<! -", _seen(text.replace("\r\n", "\n").replace("\r", "\n")))
    lines = shown.split("\n")
    inline, out, at = InertMarkdown(), [], 0
    while at < len(lines):
        opening = _OPENING.match(lines[at]) if len(lines) > 1 else None
        if opening is None:
            out.append(inline.line(lines[at]))
            at += 1
            continue
        end = _closing(lines, at + 1, opening)
        out += _block(lines[at + 1 : end], opening, closed=end < len(lines))
        at = end + 1
    return "\n".join(out)


def _seen(text: str) -> str:
    """Without hidden characters; taking one away may uncover another."""
    while (shown := show_hidden(text)) != text:
        text = shown
    return text


def _closing(lines: list[str], at: int, opening: re.Match[str]) -> int:
    """The index of the line that closes the fence, or behind the last."""
    fence, deepest = opening["fence"], len(opening["indent"].expandtabs(4)) + 3
    for index in range(at, len(lines)):
        line = lines[index].strip(" \t")
        if len(line) >= len(fence) and not line.strip(fence[0]):
            indent = lines[index].expandtabs(4)
            if len(indent) - len(indent.lstrip(" ")) <= deepest:
                return index
    return len(lines)


def _block(content: list[str], opening: re.Match[str], closed: bool) -> list[str]:
    """The fence at the line's start, where no list or quotation can end before it does, and longer
    than any run inside."""
    indent = len(opening["indent"])
    kept = [_LONG_RUN.sub("`" * _LONGEST, _dedented(line, indent)) for line in content]
    while not closed and kept and not kept[-1].strip():
        kept.pop()
    longest = max((len(run) for line in kept for run in _RUN.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    language = "" if opening["language"].lower().startswith(_DRAWN) else opening["language"]
    return [fence + language, *kept, fence]


def _dedented(line: str, indent: int) -> str:
    return line[min(indent, len(line) - len(line.lstrip(" \t"))) :]
