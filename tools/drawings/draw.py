"""The drawings in the docs, made from the code.

python tools/drawings/draw.py            writes docs/images/flow.svg and docs/images/rooms.svg
python tools/drawings/draw.py --check    says which of them are out of date
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import flow
import rooms
from written import main

IMAGES = Path(__file__).parents[2] / "docs" / "images"

if __name__ == "__main__":
    main("Draw the pictures anew.", {IMAGES / "flow.svg": flow.picture, IMAGES / "rooms.svg": rooms.picture})
