"""The words of a plan are explained, and fit together."""

from hushwatt.plan.choices import DECIDED_BY, DECISIONS, MAPPINGS, METHODS, ORACLES, shares


def test_every_word_is_explained():
    """Each choice has a sentence for the householder."""

    assert all(sentence for words in (METHODS, ORACLES, MAPPINGS, DECISIONS) for sentence in words.values())


def test_deciders_are_known():
    """Whoever decides, and whatever is decided, is a word a plan can say."""

    assert set(DECIDED_BY) <= set(METHODS)
    assert set(DECIDED_BY.values()) <= set(DECISIONS)


def test_shares():
    """Budget division cuts the window's ε, twice as fine where half of it goes to looking."""

    assert {method: shares(method, 5) for method in METHODS} == {
        "lbu": 5,
        "lsp": 1,
        "lbd": 10,
        "lba": 10,
        "lpu": 1,
        "lpd": 1,
        "lpa": 1,
    }
