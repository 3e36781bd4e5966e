"""The words a plan may choose from."""

METHODS = ("lbu", "lsp", "lbd", "lba", "lpu", "lpd", "lpa")
ORACLES = ("oue", "sue", "grr")
MAPPINGS = ("range", "dither")
DECISIONS = ("household", "provider")

# The methods that choose between publishing and repeating, and who chooses unless the plan says so.
DECIDED_BY = {"lbd": "household", "lba": "household", "lpd": "provider", "lpa": "provider"}


def shares(method: str, window: int) -> int:
    """Into how many parts a method cuts a window's ε; the smallest spend is one part.

    >>> shares("lbu", 3), shares("lba", 3), shares("lpu", 3)
    (3, 6, 1)
    """
    return {"lbu": window, "lbd": 2 * window, "lba": 2 * window}.get(method, 1)
