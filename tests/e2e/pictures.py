"""The pictures of the README, made of what the program prints: `python -m tests.e2e.pictures` draws
them anew."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from ..agents import KEY, MODELS, NAME
from ..peers.model_server import Asked, ModelServer, serving
from ..support import PEERS, ROOT, Ran, Repo, built
from .panels import claim, kind, review, rulings

Panel = Callable[[ModelServer], Mapping[str, object]]
COLUMNS = 100
DIALECTS = {"codex": "responses", "gemini": "gemini", "qwen": "openai"}
_COLOUR = {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS)}
_KEYLESS = f'''import subprocess

ACCESS_KEY = "{"AKIA" + "Z3MSJQ7LX2WPN5TB"}"


def archive(folder):
    target = f"{{folder}}.tar.gz"
    subprocess.run(f"tar -czf {{target}} {{folder}}", shell=True, check=True)
    return tarket
'''
CHANGE = '''"""Payments."""

import subprocess


def refund(order, amount):
    """Send the amount back, and tell the shop."""
    share = amount / len(order.items)
    subprocess.run(f"notify {order.shop}", shell=True)
    return [item.refund(share) for item in order.itemz]
'''
_SHELL = {
    "file": "pay.py",
    "quote": 'subprocess.run(f"notify {order.shop}", shell=True)',
    "category": "security",
}
SAID = {
    "codex": (
        claim(
            file="pay.py",
            quote="share = amount / len(order.items)",
            title="An order without items makes the refund fail",
            body="`len(order.items)` is 0 for a cancelled order, so nobody is paid back.",
            suggestion="    share = amount / len(order.items) if order.items else amount",
        ),
    ),
    "gemini": (
        claim(
            **_SHELL,
            title="A shop's name is run by the shell",
            body="Whoever names a shop runs commands here.",
            priority="P0",
        ),
    ),
    "qwen": (
        claim(
            **_SHELL,
            title="The name of a shop reaches the shell",
            body="`shop` comes from the shop's owner and is not quoted.",
        ),
    ),
}


def said(name: str, asked: Asked) -> str:
    """What each of the three says of the change."""
    return (
        rulings(asked)
        if kind(asked) == "verify"
        else review(asked, *(SAID[name] if kind(asked) != "audit" else ()))
    )


def agents(server: ModelServer) -> Mapping[str, object]:
    """The real programs, asked by their own ways."""
    server.answer = lambda asked: said(
        next(name for name, dialect in DIALECTS.items() if dialect == asked.dialect), asked
    )
    options = {
        name: {"model": MODELS[name], "url": server.url(dialect), "key": NAME}
        for name, dialect in DIALECTS.items()
    }
    return {name: {"type": name, "options": each} for name, each in options.items()}


def stand_ins(server: ModelServer) -> Mapping[str, object]:
    """The same answers under the same names without the programs: what is printed differs in the
    tokens that they send."""
    names = {MODELS[name]: name for name in DIALECTS}
    server.answer = lambda asked: said(names[asked.json()["model"]], asked)
    options = {
        name: {"dialect": "openai", "model": MODELS[name], "url": server.url("openai")}
        for name in DIALECTS
    }
    return {name: {"type": "api", "options": each} for name, each in options.items()}


def terminal(folder: Path) -> Ran:
    """A review without any key."""
    repo = Repo.init(folder / "backups")
    repo.commit({"README.md": "# Backups\n"})
    repo.commit({"backup.py": _KEYLESS})
    return repo.cli("review", "--commit", "HEAD", env=_COLOUR)


def ensemble(folder: Path, panel: Panel = agents, *options: str) -> Ran:
    """Three agents and the linters; `options` are more of the command's."""
    with serving() as server:
        repo = Repo.init(folder / "shop")
        repo.git("config", "user.name", "Ada Example")  # not whoever draws the pictures
        repo.commit({"README.md": "# Shop\n"})
        config = {
            "reviewers": {
                "linters": {"type": "linters"},
                "builtin": {"type": "builtin"},
                **panel(server),
            }
        }
        repo.commit({".reviewgate-gh.yaml": json.dumps(config)}, "config")
        repo.commit({"pay.py": CHANGE}, "Refunds")
        path = os.pathsep.join(
            [str(PEERS / "venv/bin"), str(PEERS / "node_modules/.bin"), os.environ["PATH"]]
        )
        return repo.cli(
            "review", "--base", "HEAD~1", *options, env={**_COLOUR, "PATH": path, NAME: KEY}
        )


def report_page(folder: Path) -> None:
    """The page of the same review, and Chromium's pictures of it, in docs."""
    page = folder / "report.html"
    ensemble(folder / "page", stand_ins, "--output", "html", "--output-path", str(page))
    subprocess.run(
        [PEERS / "venv/bin/python", PEERS / "browser.py", built("chromium"), page], check=True
    )
    for picture in folder.glob("report-*.png"):
        shutil.copy(picture, ROOT / "docs" / picture.name)


def drawn(ran: Ran, folder: Path) -> str:
    """What a terminal shows, as SVG."""
    from rich.console import Console
    from rich.text import Text

    with (folder / "console").open("w") as file:
        console = Console(record=True, width=COLUMNS + 2, file=file, force_terminal=True)
        console.print("[bold]$[/] reviewgate-gh review")
        console.print(Text.from_ansi(ran.stdout))
        svg = console.export_svg(title="reviewgate-gh review")
    return plain_fonts(svg)


def plain_fonts(svg: str) -> str:
    """The picture in fonts of the reader: none is fetched from another host."""
    svg = re.sub(r"(?s)\s*@font-face \{.*?\}", "", svg)
    return svg.replace(
        "font-family: Fira Code, monospace",
        "font-family: Menlo, Consolas, 'DejaVu Sans Mono', monospace",
    )


def words(svg: str) -> str:
    """The text of a picture without blanks and without what differs from run to run: commits,
    versions, tokens."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in re.findall(
        r'<text class="[^"]*" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg
    ):
        rows.setdefault(float(y), []).append((float(x), html.unescape(text)))
    text = "".join(
        "".join("".join(span for _, span in sorted(row)) for _, row in sorted(rows.items())).split()
    )
    for varying in (
        r"(?<=commit)[0-9a-f]{12}",
        r"(?<=ruff)\d[\d.]*\d|(?<=builtin)\d[\d.]*\d",
        r"[\d,]+(?=tokensin)|[\d,]+(?=cached)",
    ):
        text = re.sub(varying, "", text)
    return text


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for name, shown in {"terminal": terminal, "ensemble": ensemble}.items():
            (ROOT / f"docs/{name}.svg").write_text(drawn(shown(Path(made)), Path(made)))
            print(f"docs/{name}.svg", file=sys.stderr)
        report_page(Path(made))
