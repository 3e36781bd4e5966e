"""Files that are written from the code: write them, or say which are out of date."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path


def main(about: str, files: dict[Path, Callable[[], str]]) -> None:
    """The command line of a program that writes `files`; with --check it only looks."""
    words = argparse.ArgumentParser(description=about)
    words.add_argument("--check", action="store_true", help="write nothing, exit with 1 when one is old")
    asked = words.parse_args()
    old = [file for file, text in files.items() if not refreshed(file, text(), asked.check)]
    if asked.check and old:
        sys.exit(f"out of date, run `make reference`: {', '.join(file.name for file in old)}")
    for file in old:
        print(f"wrote {file}", file=sys.stderr)


def refreshed(file: Path, text: str, check: bool) -> bool:
    """Whether a file was up to date; unless only asked, it is afterwards."""
    current = file.exists() and file.read_text(encoding="utf-8") == text
    if not current and not check:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return current
