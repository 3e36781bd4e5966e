"""Files that can be added up whole, told from those in which something is wrong."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from hushwatt.errors import ReportError
from hushwatt.provider.tally.tally import Tallies
from hushwatt.wire.reports.refused_files import RefusedFile


class Named(Protocol):
    """A file with a name to call it by."""

    @property
    def name(self) -> str: ...


Source = TypeVar("Source", bound=Named)


def tally_sound(
    files: Sequence[Source],
    tally: Callable[[Sequence[Source]], Tallies],
    look_into: Callable[[Source], ReportError | None],
    refused: list[RefusedFile] | None,
) -> tuple[Tallies, Sequence[Source]]:
    """What the files add up to, and those that did.

    Where something is wrong in one, it goes to `refused` if there is such a list, and the others are added up once
    more.  Files without faults are read once.
    """
    try:
        return tally(files), files
    except ReportError:
        if refused is None:
            raise
        faults = [look_into(file) for file in files]
        sound = [file for file, fault in zip(files, faults, strict=True) if fault is None]
        if not len(files) > len(sound) > 0:
            raise
    told = zip(files, faults, strict=True)
    refused += [RefusedFile.of(file.name, fault) for file, fault in told if fault is not None]
    return tally(sound), sound
