"""Files without faults are added up once; one with a fault is left out, where its name is kept."""

from dataclasses import dataclass

import pytest

from hushwatt.errors import ReportError
from hushwatt.provider.tally.engines.sound_files import tally_sound
from hushwatt.provider.tally.tally import Tallies
from hushwatt.wire.reports.refused_files import RefusedFile


@dataclass
class Named:
    """A file that may have a fault."""

    name: str
    fault: str = ""


class Adder:
    """Adds up files, and remembers which."""

    def __init__(self):
        self.asked, self.looked = [], []

    def tally(self, files):
        self.asked.append([file.name for file in files])
        if any(file.fault for file in files):
            raise ReportError("something is wrong")
        return Tallies(len(files), {})

    def look_into(self, file):
        self.looked.append(file.name)
        return ReportError(f"{file.name}: {file.fault}") if file.fault else None


SOUND, WRONG, WORSE = [Named("a"), Named("b")], Named("c", "damaged"), Named("d", "lost")


@pytest.mark.parametrize("refused", [None, []], ids=["raised", "kept"])
def test_sound_files_are_read_once(refused):
    """Nobody looks into them first."""
    adder = Adder()

    assert tally_sound(SOUND, adder.tally, adder.look_into, refused) == (Tallies(2, {}), SOUND)
    assert (adder.asked, adder.looked) == ([["a", "b"]], [])


def test_one_with_a_fault_is_left_out():
    """All are looked into, and the others added up once more."""
    adder, refused = Adder(), []

    assert tally_sound([*SOUND, WRONG, WORSE], adder.tally, adder.look_into, refused) == (Tallies(2, {}), SOUND)
    assert refused == [RefusedFile("c", "damaged"), RefusedFile("d", "lost")]
    assert adder.asked == [["a", "b", "c", "d"], ["a", "b"]]


@pytest.mark.parametrize(("files", "refused"), [([*SOUND, WRONG], None), ([WRONG, WORSE], [])], ids=["no", "all"])
def test_it_is_raised(files, refused):
    """Where no names are kept, and where nothing would be left."""
    adder = Adder()

    with pytest.raises(ReportError, match="something is wrong"):
        tally_sound(files, adder.tally, adder.look_into, refused)
    assert not refused


def test_a_fault_that_is_not_in_a_file_is_raised():
    """Looking into the files finds nothing, so nobody leaves one out."""

    def tally(files):
        raise ReportError("the file is nowhere to be seen")

    refused = []
    with pytest.raises(ReportError, match="nowhere"):
        tally_sound(SOUND, tally, lambda file: None, refused)
    assert refused == []
