"""Pictures of pages with few colours, so that files stay small."""

import sys
from pathlib import Path

from PIL import Image

COLOURS = 96


def shrink(file: Path) -> None:
    """Write a picture anew with few colours, and say how large it is."""
    with Image.open(file) as full:
        full.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"wrote {file}, {file.stat().st_size // 1000} kB", file=sys.stderr)
