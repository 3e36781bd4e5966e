"""The folder of a home."""

import pytest

from hushwatt.errors import StateError, UsageError
from hushwatt.household.home_folder import HomeFolder


@pytest.mark.parametrize("inside", ["", "home"])
def test_a_file_where_the_folder_should_be(folder, inside):
    """A home in the place of a file, or inside one, is refused in one line, and the file stays as it is."""
    (folder / "taken").write_text("mine")
    path = folder / "taken" / inside

    with pytest.raises(UsageError, match=f"{path} is not a folder"):
        HomeFolder(path).store(make=True)
    with pytest.raises((StateError, UsageError), match="joined nothing yet" if inside else "is not a folder"):
        HomeFolder(path).store()
    assert (folder / "taken").read_text() == "mine"
