"""The docs as a site that works from a folder, without a network.

    python -m tools.site.build              writes build/site
    python -m tools.site.build --to FOLDER  writes FOLDER

Pages are copied first, with examples marked as the site's builder wants them and notebooks turned into
pages.  Then zensical builds strictly, and every link, picture and anchor of the result is followed.
Nothing is left behind when one leads nowhere, or when a page would load something from elsewhere.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.notebook import page_of
from tools.site.links import problems

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FENCE = re.compile(r"^```(\w+)[ ]+([^\n{]+)$", re.MULTILINE)


def main() -> None:
    words = argparse.ArgumentParser(description="Build the docs as a site.")
    words.add_argument("--to", type=Path, default=ROOT / "build" / "site", metavar="FOLDER")
    words.add_argument("--docs", type=Path, default=ROOT / "docs", metavar="FOLDER", help="the pages")
    asked = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stage(asked.docs, Path(folder))
        zensical(Path(folder))
        found = problems(Path(folder) / "site")
        if found:
            sys.exit("\n".join(found))
        shutil.rmtree(asked.to, ignore_errors=True)
        asked.to.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(Path(folder) / "site", asked.to)
    print(f"wrote {asked.to / 'index.html'}", file=sys.stderr)


def stage(docs: Path, folder: Path) -> None:
    """Put the pages, the theme and the settings where zensical looks for them."""
    shutil.copytree(docs, folder / "docs")
    shutil.copytree(HERE / "assets", folder / "docs" / "assets")
    shutil.copytree(HERE / "theme", folder / "theme")
    shutil.copy(HERE / "zensical.toml", folder)
    for page in sorted((folder / "docs").rglob("*.md")):
        page.write_text(marked(page.read_text(encoding="utf-8")), encoding="utf-8")
    for file in sorted((folder / "docs").rglob("*.ipynb")):
        page_of(file)


def marked(text: str) -> str:
    """Say what a block is in the builder's words, and lead to the pages of notebooks.

    A file's name becomes the title of its block, and `not-run` goes.

    >>> marked("```toml plan.toml")
    '```toml title="plan.toml"'
    >>> marked("```console not-run"), marked("[see](notebooks/one.ipynb)")
    ('```console', '[see](notebooks/one.md)')
    """
    text = text.replace(".ipynb)", ".md)")
    return FENCE.sub(lambda found: f"```{found[1]}" + titled(found[2].replace("not-run", "").strip()), text)


def titled(name: str) -> str:
    return f' title="{name}"' if name else ""


def zensical(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        told = COLOUR.sub("", done.stdout + done.stderr)
        sys.exit(told.split("Traceback")[0].strip())


if __name__ == "__main__":
    main()
