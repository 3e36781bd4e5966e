"""Every example on every page runs, and prints what the page says it prints."""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?P<kind>\w+)(?P<notes>[^\n]*)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
RUN = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]
HASTY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # Java that starts sooner; nothing here runs long enough for more

NO_JAVA = not (os.environ.get("CI") or os.environ.get("JAVA_HOME") or shutil.which("java"))


def blocks(page):
    """The fenced blocks of a page that are examples: console sessions, Python, and files to be written."""
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if NO_JAVA and "needs-java" in found["notes"]:
            pytest.skip(f"there is no Java: the rest of {page.name} is NOT tried")
        if found["kind"] in ("console", "python", "toml", "csv") and "not-run" not in found["notes"]:
            yield found["kind"], found["notes"].strip(), found["text"]


def sessions(text):
    """The commands of a console block, each with what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def same(said, shown):
    """Whether output is what the page shows; … stands for anything, and spaces for any number of them."""
    pattern = re.escape(" ".join(shown.split())).replace("…", ".*?")
    return re.fullmatch(pattern, " ".join(said.split()), re.DOTALL)


def run_console(text, folder):
    for command, shown in sessions(text):
        words = shlex.split(command)
        assert words[0] == "hushwatt", f"only hushwatt runs in examples, not {words[0]}"
        environment = {"JAVA_TOOL_OPTIONS": HASTY, **os.environ, "COLUMNS": "80"}
        done = subprocess.run(
            [*RUN, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, timeout=900
        )
        said = done.stdout + (done.stderr if done.returncode else "")

        assert not shown.strip() or same(said, shown), f"$ {command}\n{said}\nbut the page shows\n{shown}"
        assert shown.strip() or done.returncode == 0, f"$ {command}\n{done.stderr}"


def run_python(text, names):
    """Run a block; lines after `# →` are what the line before prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "example", "exec"), names)
    shown = "\n".join(line.split("# → ", 1)[1] for line in text.splitlines() if "# → " in line)

    assert same(printed.getvalue(), shown), f"{text}\nprints\n{printed.getvalue()}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, tmp_path, monkeypatch):
    """The examples of a page, from the first to the last, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    for kind, notes, text in blocks(page):
        if kind == "console":
            run_console(text, tmp_path)
        elif kind == "python":
            run_python(text, names)
        elif notes:
            Path(notes).write_text(text, encoding="utf-8")


LINK = re.compile(r"""\]\((?P<target>[^)#\s]+)(#[^)]*)?\)|(?:href|src)="(?P<attribute>[^"#]+)[^"]*\"""")
LINKED = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]


@pytest.mark.parametrize("page", LINKED, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    """Every link to a file of the repository leads somewhere, and so does every picture."""
    for found in LINK.finditer(page.read_text(encoding="utf-8")):
        target = found["target"] or found["attribute"]
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
