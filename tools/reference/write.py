"""The reference pages, written from the code they describe.

python tools/reference/write.py            writes docs/reference/*.md
python tools/reference/write.py --check    says which of them are out of date
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import cli_page
import http_page
import python_page
from written import main

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
