"""The tests, in folders like those of the package; what several of them share is imported as `tests.…`."""
