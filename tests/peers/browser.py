"""What a browser makes of our pages, as JSON: run by the peers' Python, which has Playwright.

`browser.py CHROMIUM FOLDER FINGERPRINT` looks at three pages there;
`browser.py CHROMIUM PAGE` draws pictures of a page beside it;
`browser.py CHROMIUM PAGE --whole FOLDER` draws all of it there.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

WIDTHS = {"wide": 1280, "narrow": 375}
_JUDGED = (("wide", "light"), ("narrow", "dark"))  # axe takes a second
_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@contextmanager
def opened(browser: Browser, url: str, **options: Any) -> Iterator[tuple[Page, list[str]]]:
    """The page, and what went wrong or beyond the file: errors, dialogs, requests."""
    with browser.new_context(offline=True, **options) as context:
        context.set_default_timeout(10_000)
        page, trouble = context.new_page(), list[str]()
        page.on("console", lambda said: trouble.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("request", lambda request: trouble.append(f"request: {request.url}"))
        page.on("dialog", lambda dialog: (trouble.append("dialog"), dialog.dismiss()))
        page.goto(url)
        trouble.remove(f"request: {url}")
        yield page, trouble


def looked_at(browser: Browser, file: Path, size: str, scheme: str) -> dict[str, Any]:
    """The page at a width in a scheme, and what axe says of it."""
    view = {"viewport": {"width": WIDTHS[size], "height": 900}, "color_scheme": scheme}
    # axe is a script that the page's policy forbids
    with opened(browser, file.as_uri(), bypass_csp=True, **view) as (page, trouble):
        return {
            "trouble": trouble,
            "width": page.evaluate("document.documentElement.scrollWidth"),
            "background": page.evaluate("getComputedStyle(document.body).backgroundColor"),
            "axe": violations(page) if (size, scheme) in _JUDGED else [],
        }


def violations(page: Page) -> list[str]:
    """Rules that axe sees broken, each with the first element."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found]


def without_script(browser: Browser, folder: Path) -> dict[str, Any]:
    """What is there to read, and what a printer gets."""
    with opened(browser, (folder / "small.html").as_uri(), java_script_enabled=False) as (
        page,
        bad,
    ):
        text, filters = page.locator("main").inner_text(), page.locator("#filters").is_visible()
        page.emulate_media(media="print")
        navigation = page.locator("nav").is_visible()
        return {"trouble": bad, "text": text, "filters": filters, "printed_nav": navigation}


def used(browser: Browser, folder: Path, link: str) -> dict[str, Any]:
    """Its keys and filters; and a link to one finding."""
    said: dict[str, Any] = {}
    with opened(browser, (folder / "small.html").as_uri()) as (page, trouble):
        focused = "document.activeElement.id"
        shown = page.locator("article:visible")
        for keys in ("j", "j", "k", "/"):
            page.keyboard.press(keys)
            said.setdefault("focused", []).append(page.evaluate(focused))
        page.keyboard.type("j?/")
        said["typed"] = page.locator("#q").input_value()
        page.locator("#q").fill("NameError total")
        page.locator("#shown", has_text="2 of 8").wait_for()
        said["by_text"] = shown.evaluate_all("all => all.map(each => each.id)")
        page.goto(f"{page.url.partition('#')[0]}#{link}")  # which the filter hides
        page.locator(f"article:focus[id='{link}']").wait_for()
        said["unfiltered"] = shown.count()
        page.locator("#filters [value=P0]").uncheck()
        page.locator("#s").select_option("open")
        page.locator("#r").select_option(label="linters/ruff")
        page.locator("#shown", has_text="2 of 8").wait_for()
        said["by_choice"] = shown.evaluate_all("all => all.map(each => each.dataset.p)")
        page.keyboard.press("Escape")
        page.locator("h1").click()
        page.keyboard.press("?")
        said["keys"] = page.locator("dialog").is_visible()
        page.locator("#use-keys").uncheck()
        page.locator("dialog button").click()
        page.keyboard.press("?")
        said["keys_off"] = not page.locator("dialog").is_visible()
        page.locator("#show-keys").click()
        said["keys_by_button"] = page.locator("dialog").is_visible()
        said["hacked"] = page.evaluate("window.hacked || document.querySelectorAll('img').length")
        said["trouble"] = trouble
    return said


def many(browser: Browser, folder: Path) -> dict[str, Any]:
    """A page with very many findings: that it is there, and in how many seconds."""
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        started = time.perf_counter()
        page.goto((folder / "many.html").as_uri())
        page.keyboard.press("j")
        focused = page.evaluate("document.activeElement.tagName")
        seconds = time.perf_counter() - started
        page.locator("#q").fill("number-4999")
        page.locator("#shown", has_text="1 of 5000 findings").wait_for()
        return {"seconds": round(seconds, 2), "focused": focused}


def looked_through(browser: Browser, folder: Path, link: str) -> dict[str, Any]:
    """All of that, by the name of what was looked at."""
    seen = {
        f"{size} {scheme}": looked_at(browser, folder / "small.html", size, scheme)
        for size in WIDTHS
        for scheme in ("light", "dark")
    }
    return {
        **seen,
        "trend": looked_at(browser, folder / "trend.html", "narrow", "dark"),
        "without script": without_script(browser, folder),
        "used": used(browser, folder, link),
        "many": many(browser, folder),
    }


def drawn(browser: Browser, page_file: Path) -> None:
    """Pictures of a page beside it, wide and light, and narrow and dark."""
    for scheme, width, height in (("light", 1000, 820), ("dark", 420, 800)):
        view = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
        with opened(browser, page_file.as_uri(), **view) as (page, _trouble):
            page.screenshot(path=page_file.with_name(f"{page_file.stem}-{scheme}.png"))


def drawn_whole(browser: Browser, page_file: Path, folder: Path) -> None:
    """Pictures of all of a page in both schemes."""
    for scheme in ("light", "dark"):
        view = {"viewport": {"width": 900, "height": 400}, "color_scheme": scheme}
        with opened(browser, page_file.as_uri(), **view) as (page, _trouble):
            page.screenshot(path=folder / f"{page_file.stem}-{scheme}.png", full_page=True)


if __name__ == "__main__":
    program, place, *name = sys.argv[1:]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        if name[:1] == ["--whole"]:
            drawn_whole(chromium, Path(place), Path(name[1]))
        elif name:
            print(json.dumps(looked_through(chromium, Path(place), name[0])))
        else:
            drawn(chromium, Path(place))
        chromium.close()
