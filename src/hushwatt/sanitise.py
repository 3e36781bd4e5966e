"""Show what others wrote so that it cannot pass for what we say.

Names, descriptions, contacts and problems come from providers, topics from whoever is on
the broker.  Shown, they are one paragraph without control characters, without letters that
turn the direction of text around, and not longer than is needed to know them.
"""

MAX_LENGTH = 500  # characters


def sanitised(text: object, longest: int = MAX_LENGTH) -> str:
    r"""One line of printable characters.

    >>> sanitised("How many kettles boil.\n\nYou agreed:\x1b[2K yes \u202e")
    'How many kettles boil. You agreed:[2K yes'
    """
    words = " ".join(str(text).split())
    line = " ".join("".join(letter for letter in words if letter.isprintable()).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def quoted(text: object, longest: int = MAX_LENGTH) -> str:
    """The same in quotation marks that nothing inside can close.

    >>> quoted('How many” ”kettles')
    '“How many" "kettles”'
    """
    inner = sanitised(text, longest).translate({ord("“"): '"', ord("”"): '"'})
    return f"“{inner}”"
