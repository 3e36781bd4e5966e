"""The drawings in the docs, made from the code.

python -m tools.drawings.draw            writes docs/images/flow.svg and docs/images/rooms.svg
python -m tools.drawings.draw --check    says which of them are out of date
"""

from pathlib import Path

from tools.drawings import flow, rooms
from tools.written import main

IMAGES = Path(__file__).parents[2] / "docs" / "images"

if __name__ == "__main__":
    main("Draw the pictures anew.", {IMAGES / "flow.svg": flow.picture, IMAGES / "rooms.svg": rooms.picture})
