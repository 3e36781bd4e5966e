"""The reference pages, written from the code they describe.

python tools/reference/write.py            writes docs/reference/*.md
python tools/reference/write.py --check    says which of them are out of date
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import cli_page
import http_page
import python_page

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
PAGES = {"cli.md": cli_page.page, "http.md": http_page.page, "python.md": python_page.page}


def main() -> None:
    words = argparse.ArgumentParser(description="Write the reference pages from the code.")
    words.add_argument("--check", action="store_true", help="write nothing, exit with 1 when one is old")
    asked = words.parse_args()
    old = [name for name, page in PAGES.items() if not refreshed(FOLDER / name, page(), asked.check)]
    if asked.check and old:
        sys.exit(f"out of date, run `make reference`: {', '.join(old)}")
    for name in old:
        print(f"wrote {FOLDER / name}", file=sys.stderr)


def refreshed(file: Path, text: str, check: bool) -> bool:
    """Whether a page was up to date; unless only asked, it is afterwards."""
    current = file.exists() and file.read_text(encoding="utf-8") == text
    if not current and not check:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return current


if __name__ == "__main__":
    main()
