"""The words a plan may choose from, and what each means."""

METHODS = {
    "lbu": "every slot, with an equal share of the budget",
    "lsp": "one slot in each window, with all of the budget; repeated in between",
    "lbd": "when something seems to have changed, with half of what is left; else repeated",
    "lba": "when something seems to have changed, with what was saved since; else repeated",
    "lpu": "each home once in a window, with all of the budget, in a turn of its own",
    "lpd": "the homes whose turn it is, fewer of them while little changes",
    "lpa": "the homes whose turn it is, more of them after quiet slots",
}
ORACLES = {
    "oue": "optimised unary encoding: one bit for each level",
    "sue": "symmetric unary encoding (RAPPOR): one bit for each level",
    "grr": "direct randomised response: the true level, or another one",
}
MAPPINGS = {
    "range": "the level whose range holds the watts",
    "dither": "one of the two nearest levels at random, so that the mean is right",
}
DECISIONS = {
    "household": "each home for itself",
    "provider": "the provider for all homes",
}

# The methods that choose between publishing and repeating, and who chooses unless the plan says so.
DECIDED_BY = {"lbd": "household", "lba": "household", "lpd": "provider", "lpa": "provider"}


def shares(method: str, window: int) -> int:
    """Into how many parts a method cuts a window's ε; the smallest spend is one part.

    >>> shares("lbu", 3), shares("lba", 3), shares("lpu", 3)
    (3, 6, 1)
    """
    return {"lbu": window, "lbd": 2 * window, "lba": 2 * window}.get(method, 1)
