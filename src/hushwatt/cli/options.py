"""Options that several commands share, so that they are spelt and explained alike."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, Token

from hushwatt.wire.storage.location import Location, location


def _locations(kind: type[Any], tokens: Sequence[Token]) -> Location | tuple[Location, ...]:
    """Paths, and addresses whose two slashes a path would lose."""
    places = tuple(location(token.value) for token in tokens)
    return places[0] if kind is Path else places


# A path, or the address of an object; shells complete it as a path.
Place = Annotated[Path, Parameter(converter=_locations)]
Output = Annotated[
    Place, Parameter(name=["--output", "-o"], help="Where to write; an older file of that name is replaced.")
]
Json = Annotated[bool, Parameter(name="--json", help="Print JSON, for programs.", show_default=False)]
Seed = Annotated[int, Parameter(name="--seed", help="Simulate: draw from this seed, not from the system's randomness.")]
