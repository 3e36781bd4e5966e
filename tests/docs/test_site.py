"""The docs build as a site, strictly, and the site needs nobody else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def build(to, *words):
    return subprocess.run(
        [sys.executable, "-m", "tools.site.build", "--to", str(to), *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_in_the_site(site):
    """Each Markdown page and each notebook of docs/ has its page, and can be reached from the menu."""
    sources = {*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/**/*.ipynb")}
    pages = {file.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for file in sources}
    links = (site / "glossary.html").read_text(encoding="utf-8").split('<div class="md-content"')[0]

    assert [page for page in sorted(pages) if not (site / page).is_file()] == []
    assert [page for page in sorted(pages) if f'href="./{page}"' not in links] == ["glossary.html"]


def test_search_knows_the_pages(site):
    """The words of a page can be searched for."""
    found = json.loads((site / "search.json").read_text(encoding="utf-8"))

    assert any("kettle" in json.dumps(item) and "tour" in json.dumps(item) for item in found["items"])


def test_examples_are_blocks(site):
    """No fence of an example is left over as text."""
    left = [page.name for page in site.rglob("*.html") if "```" in page.read_text(encoding="utf-8")]

    assert left == []


@pytest.mark.parametrize(
    "planted, told",
    [
        ("[gone](gone.md)", "gone.md"),
        ("[no such part](tour.md#nowhere)", "nowhere"),
        ("![gone](images/gone.png)", "gone.png"),
        ("[outside](../Makefile)", "Makefile"),
        ('<img src="https://example.org/x.png" alt="">', "loads https://example.org/x.png"),
        ('<script src="//example.org/x.js"></script>', "loads //example.org/x.js"),
        ('<a href="nowhere.html">x</a>', "nowhere.html"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, planted, told):
    """A link that leads nowhere, and anything loaded from elsewhere, stops the build."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / ".nav.yml").write_text('nav:\n  - "*.md"\n')
    (docs / "index.md").write_text(f"# Start\n\n{planted}\n")
    (docs / "tour.md").write_text("# Tour\n\n[start](index.md#start)\n")

    done = build(tmp_path / "site", "--docs", docs)

    assert done.returncode == 1
    assert told in done.stderr
    assert not (tmp_path / "site").exists()
