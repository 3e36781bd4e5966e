"""Successors are looked for when chance says so, and believed from the pinned key alone."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.household.succeeding import here, home_of, look_now, old_plan, slots, successor

from hushwatt.household.clock import SECOND


def looks(home, provider, hours: int, step: int = 20) -> list[int]:
    """When the provider was asked for its plans."""
    found = []
    for _ in range(hours * 3600 // step):
        home.clock.advance(step)
        before = len(provider.requests)
        home.search.look(home.clock.wall)
        found += [home.clock.wall] * (len(provider.requests) > before)
    return found


def test_the_times_are_drawn_and_nothing_at_home_moves_them(folder):
    """About once in a window; the same whatever was spent, and whether the provider answers or not."""
    old = old_plan()
    times = []
    for seed in (1, 2):
        home, provider = home_of(folder, old, seed=seed)
        home.source = type(home.source)(7)
        with home:
            if seed == 2:
                provider.down = True
                home.store.disk.execute("INSERT INTO spends VALUES (1, 0, 'publication', 0, 9, 9, NULL, 0, 0)")
            times.append(looks(home, provider, 12))
    assert times[0] == times[1]
    gaps = [(b - a) / SECOND for a, b in zip(times[0], times[0][1:], strict=False)]
    assert min(gaps) >= 900 - 20
    assert max(gaps) <= 2700 + 20
    assert max(gaps) - min(gaps) > 300


def test_a_clock_set_back_does_not_end_the_looks(folder):
    home, provider = home_of(folder, old_plan())
    with home:
        assert looks(home, provider, 2)
        home.clock.jump(-(10**7))
        assert looks(home, provider, 2)


def test_an_impostor_gets_nothing(folder):
    """Without the pinned key no plan is believed, and nothing but the open question is asked."""
    old = old_plan()
    home, provider = home_of(folder, old, successor(old))
    provider.key = Ed25519PrivateKey.generate()
    with home:
        home.live(slots(1.5), 50)
        look_now(home, old)
        look_now(home, old)
        home.live(slots(2), 50)
        assert here(home) == ["old"]
    assert {(each.method, each.path) for each in provider.requests} == {("GET", "/v1/plans"), ("GET", "/v1/keys")}
    assert sum("no look for a successor" in line for line in home.said) == 1


def test_a_place_is_asked_for_by_the_device_of_the_old_plan(folder):
    """The request is signed under the key and name that the provider knows."""
    old = old_plan()
    home, provider = home_of(folder, old, successor(old))
    with home:
        look_now(home, old)
        look_now(home, old)
    [asked] = [each for each in provider.requests if each.method == "POST"]
    assert asked.headers["Hushwatt-Device"] == bytes(16).hex()
