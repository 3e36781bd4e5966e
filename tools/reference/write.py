"""The reference pages, written from the code they describe.

python -m tools.reference.write            writes docs/reference/*.md
python -m tools.reference.write --check    says which of them are out of date
"""

from pathlib import Path

from tools.reference import cli_page, http_page, python_page
from tools.written import main

PAGES = Path(__file__).parents[2] / "docs" / "reference"

if __name__ == "__main__":
    main(
        "Write the reference pages from the code.",
        {
            PAGES / "cli.md": cli_page.page,
            PAGES / "http.md": http_page.page,
            PAGES / "python.md": python_page.page,
        },
    )
