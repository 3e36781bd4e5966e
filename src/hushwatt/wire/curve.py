"""Which 32 bytes are a public key of Ed25519 that one person alone can sign for.

A point of small order is none: one constant signature fits it for every text, or for one in a few.
Neither is a point with a part of small order, nor a number that is written in a second way.
"""

from functools import lru_cache

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493  # of the group that keys belong to
D = -121665 * pow(121666, -1, PRIME) % PRIME  # of the curve −x² + y² = 1 + d·x²·y²
ROOT = pow(2, (PRIME - 1) // 4, PRIME)  # of −1

Point = tuple[int, int, int, int]  # X, Y, Z and T with x = X/Z, y = Y/Z and x·y = T/Z
NOWHERE: Point = (0, 1, 1, 0)


@lru_cache(maxsize=1024)
def is_sound(key: bytes) -> bool:
    """Whether a key is a point of the large group, written in the one way there is.

    >>> is_sound(bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
    True
    >>> is_sound(bytes(32)), is_sound(b"\\x01" + bytes(31))
    (False, False)
    """
    point = _decoded(key)
    if point is None or _same(point, NOWHERE):
        return False
    return _same(_times(ORDER, point), NOWHERE)


def is_weak(key: bytes) -> bool:
    """Whether a key's point is of small order or written in a second way: told at a glance.

    The y of the eight points of small order is 0, 1, −1 or one of two others.

    >>> is_weak(bytes(32)), is_weak(b"\\x02" + bytes(31))
    (True, False)
    """
    y = _height(key)
    return y >= PRIME or y in SMALL


def _height(key: bytes) -> int:
    return int.from_bytes(key, "little") & ((1 << 255) - 1)


def _decoded(key: bytes) -> Point | None:
    """The point that bytes stand for, if they do (RFC 8032, 5.1.3)."""
    if len(key) != 32:
        return None
    y, odd = _height(key), key[31] >> 7
    if y >= PRIME:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * ROOT % PRIME
    if (x * x - square) % PRIME or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = PRIME - x
    return x, y, 1, x * y % PRIME


def _added(one: Point, other: Point) -> Point:
    """The sum of two points, equal ones too (RFC 8032, 5.1.4)."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % PRIME
    b = (one[1] + one[0]) * (other[1] + other[0]) % PRIME
    c = 2 * one[3] * other[3] * D % PRIME
    d = 2 * one[2] * other[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _times(count: int, point: Point) -> Point:
    total = NOWHERE
    while count:
        if count & 1:
            total = _added(total, point)
        point, count = _added(point, point), count >> 1
    return total


def _same(one: Point, other: Point) -> bool:
    return not ((one[0] * other[2] - other[0] * one[2]) % PRIME or (one[1] * other[2] - other[1] * one[2]) % PRIME)


EIGHTH = 2707385501144840649318225287225658788936804267575313519463743609750303402022
SMALL = frozenset((0, 1, PRIME - 1, EIGHTH, PRIME - EIGHTH))
