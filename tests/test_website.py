"""website/: the pages of the documentation site, and the tutorial as a newcomer types it."""

import os
import re
from pathlib import Path

import pytest
import stage

from reviewgate_gh.model.config import Config
from reviewgate_gh.model.errors import Exit

from .support import ROOT, run, tool

_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return stage.pages()


def test_the_navigation_names_every_page_once(tmp_path: Path) -> None:
    assert stage.stage(tmp_path / "site") == []
    named = [*stage.navigation()]
    assert len(named) == len(set(named)) and (tmp_path / "site/docs/terminal.svg").is_file()


@pytest.mark.contract(plain=False)
def test_every_link_leads_to_a_page_or_to_a_file_of_the_repository(pages: dict[str, str]) -> None:
    there = {*pages, *stage.sources().values()}
    for page, text in pages.items():
        for target in _LINK.findall(re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
            path = target.partition("#")[0]
            if "/blob/main/" in path or "/tree/main/" in path:
                assert (ROOT / path.partition("/main/")[2]).exists(), f"{page}: {target}"
            elif path and "://" not in path:
                whole = (Path("/") / page).parent.joinpath(path).resolve()
                assert str(whole).removeprefix("/") in there, f"{page}: {target}"


@pytest.mark.parametrize(
    ("source", "text", "shown"),
    [
        ("README.md", "[a](docs/action.md#x)", "[a](action.md#x)"),
        ("README.md", "![a](docs/terminal.svg)", "![a](terminal.svg)"),
        ("docs/rules.md", "[a](../README.md)", "[a](index.md)"),
        ("docs/rules.md", "[a](#x) [b](https://x.example/y.md)", None),
        ("README.md", "```text\n[a](docs/action.md)\n```", None),
        ("README.md", "[a](LICENSE)", "[a](https://github.com/O/reviewgate-gh/blob/main/LICENSE)"),
        ("docs/x.md", "[a](../tests)", "[a](https://github.com/O/reviewgate-gh/tree/main/tests)"),
    ],
)
def test_links_fit_the_site(source: str, text: str, shown: str | None) -> None:
    made = stage.with_links(text, source, stage.sources())
    assert re.sub(r"github\.com/[\w-]+/", "github.com/O/", made) == (shown or text)


def test_the_reference_is_whole(pages: dict[str, str]) -> None:
    commands = pages["reference/commands.md"]
    for name in ("reviewgate-gh review", "reviewgate-gh hook install", "review-gate wait"):
        assert re.search(rf"^##+ {name}\n\n```text\nUsage: {name} ", commands, re.M), name
    assert "reviewgate-gh action" not in commands, "what action.yml calls is for nobody else"
    for key in Config.__struct_fields__:
        assert re.search(rf"^(?:# )?{key}:", pages["reference/configuration.md"], re.M), key
    codes = re.findall(r"^\| (\d+) \|", pages["reference/exit-codes.md"], re.M)
    assert [int(code) for code in codes] == [*Exit]
    rules = re.findall(r"^\| `change/([\w-]+)` \| P[0-3] \| \w", pages["reference/rules.md"], re.M)
    told = re.findall(r"`change/([\w-]+)`|`([\w-]+)`", (ROOT / "docs/comparisons.md").read_text())
    assert len(rules) > 50 and not {*rules} - {name for pair in told for name in pair}
    assert "\n## Finding\n" in pages["reference/report.md"]


@pytest.mark.slow
def test_the_tutorial_runs_line_by_line(isolated: Path, tmp_path: Path) -> None:
    """In one shell, as a newcomer types it; only the lines that say so may fail."""
    text = (ROOT / "docs/tutorial.md").read_text("utf-8")
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
        for line in block.splitlines()
    ]
    wanted = [1 if line.endswith("# exits with 1") else 0 for line in lines]
    assert len(lines) > 20 and sum(wanted) == 2
    script = "\n".join(f'{line}\nprintf "%s\\n" "exit=$?"' for line in lines)
    program = Path(tool("reviewgate-gh")).parent
    done = run(["bash", "-c", script], tmp_path, {"PATH": f"{program}:{os.environ['PATH']}"})
    codes = [int(code) for code in re.findall(r"^exit=(\d+)$", done.stdout, re.M)]
    assert codes == wanted, done.output
    assert "reviewgate-gh: block" in done.stdout and "reviewgate-gh: pass" in done.output
