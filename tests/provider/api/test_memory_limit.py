"""Memory for the unfinished: bounded, and whoever dawdles makes room."""

import asyncio

import pytest

from hushwatt.provider.api.memory_limit import UNCOUNTED_BYTES, MemoryLimit

KIB = 1024


async def holding(room, size, seconds=None):
    """Hold some bytes until the place is needed; whether it was."""
    try:
        async with room.reserve(seconds) as place:
            place.take(size)
            await asyncio.sleep(60)
    except TimeoutError:
        return True
    return False


def test_the_oldest_makes_room():
    """With room for three, a fourth costs the first its place and no other."""

    async def four():
        room = MemoryLimit(30 * KIB)
        held = []
        for _ in range(4):
            held.append(asyncio.create_task(holding(room, 10 * KIB)))
            await asyncio.sleep(0)
        await asyncio.wait(held, timeout=0.1)
        ended, left = [each.done() for each in held], room.held
        for each in held:
            each.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        return ended, left, room.held

    assert asyncio.run(four()) == ([True, False, False, False], 30 * KIB, 0)


def test_small_ones_stay():
    """A few bytes are not worth taking back, so a thousand tiny bodies lose nothing to a large one."""

    async def small_and_large():
        room = MemoryLimit(30 * KIB)
        small = [asyncio.create_task(holding(room, UNCOUNTED_BYTES)) for _ in range(100)]
        large = [asyncio.create_task(holding(room, 20 * KIB)) for _ in range(2)]
        await asyncio.wait([*small, *large], timeout=0.1)
        ended = sum(each.done() for each in small), [each.done() for each in large]
        for each in (*small, *large):
            each.cancel()
        await asyncio.gather(*small, *large, return_exceptions=True)
        return ended

    assert asyncio.run(small_and_large()) == (0, [True, False])


def test_what_never_fits_must_go_itself():
    """More than the whole room is refused at once."""

    assert asyncio.run(holding(MemoryLimit(30 * KIB), 31 * KIB))


def test_a_place_has_its_time():
    """The time runs out whether or not there is room."""

    assert asyncio.run(holding(MemoryLimit(30 * KIB), 1, seconds=0.01))


@pytest.mark.parametrize("leaves", [ValueError, KeyError])
def test_a_place_is_free_again_however_it_is_left(leaves):
    """An error inside frees the bytes, and is not hidden."""
    room = MemoryLimit(30 * KIB)

    async def fail():
        async with room.reserve() as place:
            place.take(20 * KIB)
            raise leaves

    with pytest.raises(leaves):
        asyncio.run(fail())
    assert room.held == 0
