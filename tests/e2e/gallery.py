"""The pictures of docs/gallery.md: the same review in terminals of two widths and schemes, and what
is posted, as GitHub shows Markdown. `python -m tests.e2e.gallery` draws them anew.

GitHub's own style sheet comes from the peers (github-markdown-css), its Markdown from a parser of
the same rules; what GitHub draws around a comment is ours.
"""

import html
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME
from rich.text import Text

from ..peers.github.servers import Servers
from ..support import PEERS, ROOT, Repo, built, run_on_terminal
from .pictures import _KEYLESS as BACKUP
from .pictures import plain_fonts
from .publishing import Gate

FOLDER = ROOT / "docs/gallery"
THEMES = {"dark": SVG_EXPORT_THEME, "light": DEFAULT_TERMINAL_THEME}
WIDTHS = (80, 120)
FILES = {
    "backup.py": BACKUP,
    "clean.sh": '#!/bin/sh\nfor folder in $@; do\n    rm -rf "$folder"\ndone\ncd "$1"\n',
    "web/totals.js": "debugger;\nexport const total = (rows) => rows.length;\n",
}
_FRAME = """<!doctype html><meta charset="utf-8"><style>{style}
body {{ margin: 0; padding: 24px; }} .box {{ border: 1px solid; border-color: #8886;
border-radius: 6px; padding: 16px; margin-bottom: 16px; max-width: 820px; }}
.who {{ font-weight: 600; margin: -16px -16px 16px; padding: 8px 16px;
border-bottom: 1px solid #8886; }}</style>
<body class="markdown-body">{boxes}"""


def terminal_picture(repo: Repo, width: int, scheme: str) -> str:
    """What a terminal of that width shows of the review, as SVG."""
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--base", "main"]
    env = {"COLUMNS": str(width), "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    _, shown = run_on_terminal(argv, repo.path, env, errors=False)
    with tempfile.TemporaryFile("w") as unseen:
        console = Console(record=True, width=width + 2, file=unseen, force_terminal=True)
        console.print("[bold]$[/] reviewgate-gh review")
        console.print(Text.from_ansi(shown.replace("\r\n", "\n")))
        svg = console.export_svg(title="reviewgate-gh review", theme=THEMES[scheme])
    return plain_fonts(svg)


def github_page(texts: dict[str, str]) -> str:
    """Comments as GitHub shows them: who, and the Markdown."""
    style = (PEERS / "node_modules/github-markdown-css/github-markdown.css").read_text("utf-8")
    parser = MarkdownIt("gfm-like", {"linkify": False, "html": True})
    boxes = [
        f'<div class="box"><div class="who">{html.escape(who)}</div>{parser.render(text)}</div>'
        for who, text in texts.items()
    ]
    return _FRAME.format(style=style, boxes="".join(boxes))


def posted_texts(repo: Repo) -> dict[str, str]:
    """What the Action posts on a pull request with these files, and its step summary."""
    with Servers().github(refereed=False) as github:
        gate = Gate(github, repo)
        gate.opened({}, FILES)
        done = gate.published(github.token())
        assert done.code in (0, 1), done.output
        comments = {
            f"github-actions bot commented on {each.origin.path}": each.body
            for each in gate.pull.inline
        }
        [review] = gate.pull.reviews[-1:]
    summary = repo.cli("review", "--base", "main", "--output", "markdown").stdout
    first = dict(list(comments.items())[:2])
    return {**first, "github-actions bot reviewed": review.body, "Step summary": summary}


def main() -> None:
    """Draw all of them."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        repo = Repo.init(Path(made) / "repo")
        repo.commit({"README.md": "# Backups\n"})
        texts = posted_texts(repo)
        for width in WIDTHS:
            for scheme in THEMES:
                picture = FOLDER / f"terminal-{width}-{scheme}.svg"
                picture.write_text(terminal_picture(repo, width, scheme))
        for name, chosen in (
            ("comments", [who for who in texts if who != "Step summary"]),
            ("summary", ["Step summary"]),
        ):
            page = Path(made) / f"{name}.html"
            page.write_text(github_page({who: texts[who] for who in chosen}))
            browser = [PEERS / "venv/bin/python", PEERS / "browser.py", built("chromium")]
            subprocess.run([*browser, page, "--whole", FOLDER], check=True)
    for file in sorted(FOLDER.iterdir()):
        print(f"{file.relative_to(ROOT)} {file.stat().st_size}", file=sys.stderr)


if __name__ == "__main__":
    main()
