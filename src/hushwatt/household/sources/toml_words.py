"""Words of others, written into TOML."""


def toml_text(words: str) -> str:
    r"""A text as TOML has it; whatever is in a topic, it stays in its quotes and on its line.

    >>> print(toml_text('desk"\n[[plug]]'))
    "desk\U00000022\U0000000a[[plug]]"
    """
    escaped = (each if each.isprintable() and each not in '"\\' else f"\\U{ord(each):08x}" for each in words)
    return f'"{"".join(escaped)}"'
