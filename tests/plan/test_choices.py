"""The words of a plan are explained, and fit together."""

from hushwatt.plan.choices import DECISIONS, MAPPINGS, METHODS, ORACLES


def test_every_word_is_explained():
    """Each choice has a sentence for the householder."""

    assert all(sentence for words in (ORACLES, MAPPINGS, DECISIONS) for sentence in words.values())
    assert all(method.says for method in METHODS.values())


def test_deciders_are_known():
    """Whoever decides, and whatever is decided, is a word a plan can say."""

    assert {method.decided_by for method in METHODS.values()} == {None, *DECISIONS}


def test_shares():
    """Budget division cuts the window's ε, twice as fine where half of it goes to looking."""

    assert {name: method.shares(5) for name, method in METHODS.items()} == {
        "lbu": 5,
        "lsp": 1,
        "lbd": 10,
        "lba": 10,
        "lpu": 1,
        "lpd": 1,
        "lpa": 1,
    }
