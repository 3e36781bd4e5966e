"""Options that several commands share, so that they are spelt and explained alike."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

Output = Annotated[
    Path, Parameter(name=["--output", "-o"], help="Where to write; an older file of that name is replaced.")
]
Json = Annotated[bool, Parameter(name="--json", help="Print JSON, for programs.", show_default=False)]
Seed = Annotated[int, Parameter(name="--seed", help="Simulate: draw from this seed, not from the system's randomness.")]
