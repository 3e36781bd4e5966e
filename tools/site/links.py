"""Follow every link, picture and script of a built site."""

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}


class Page(HTMLParser):
    """What a page links to, what it loads by itself, and the anchors it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in pairs}
        self.anchors |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if tag == "link" and "href" in has and has.get("rel") not in ("prev", "next", "canonical"):
            self.loads.append(has["href"])
        if has.get(LOADS.get(tag, "")):
            self.loads.append(has[LOADS[tag]])


@cache
def read(file: Path) -> Page:
    page = Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def problems(site: Path) -> list[str]:
    """Every link that leads nowhere, and everything that a page would load from elsewhere."""
    return [
        f"{file.relative_to(site)}: {trouble}"
        for file in sorted(site.rglob("*.html"))
        if file.name != "404.html"  # its links start at the address the site will have
        for trouble in troubles(site, file)
    ]


def troubles(site: Path, file: Path) -> Iterator[str]:
    page = read(file)
    for target in page.loads:
        if urlsplit(target).scheme not in ("", "data") or target.startswith("//"):
            yield f"loads {target}"
        elif not leads(site, file, target):
            yield f"misses {target}"
    for target in page.links:
        if not urlsplit(target).scheme and not leads(site, file, target):
            yield f"links to {target}"


def leads(site: Path, file: Path, target: str) -> bool:
    """Whether a target is a file of the site, and has the anchor that is asked for."""
    parts = urlsplit(target)
    if parts.scheme == "data":
        return True
    there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    there = there / "index.html" if there.is_dir() else there
    if not there.is_relative_to(site.resolve()) or not there.is_file():
        return False
    return not parts.fragment or there.suffix != ".html" or unquote(parts.fragment) in read(there).anchors
