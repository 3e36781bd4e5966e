"""Stages side by side add up to one fraction."""

from hushwatt.fleet.progress import ProgressTracker


def test_stages_side_by_side():
    """Every stage counts with its share, in whatever order they get on, and no more than that."""
    told = []
    work = ProgressTracker(told.append)
    read, write = work.stage(0.4, total=2), work.stage(0.6, total=4)
    read.advance(1)
    write.reached(2)
    write.advance(2)
    read.advance(5)
    write.advance(2)

    assert told == [0.2, 0.5, 0.5, 0.7, 1.0]


def test_nothing_to_do_is_done():
    """A stage without anything in it is over at once; without a listener nothing is told."""
    told = []
    ProgressTracker(told.append).stage(1.0, total=0).advance(0)
    ProgressTracker(None).stage(1.0, total=0).advance(0)

    assert told == [1.0]
