"""Invented homes with the shares that the paper prints, to compare mechanisms on.

The paper's own readings were never published.  What it prints is each
appliance's true share of the whole; what its public loader shows is in how
many of the 39 homes each appliance was metered; and its ten ranges go from
0 to 2500 W and above.  These homes have all three.  Nothing else about them
is known to be like the paper's.
"""

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators.augment import Profile
from hushwatt.evaluate.generators.home_generator import Watts
from hushwatt.evaluate.generators.streams import Streams, label

MEASURED = 39  # homes of the paper

# In the paper's order, A1 to A15: per cent of all energy as printed, and in how many homes it was metered.
SHARES = {
    "vacuum_cleaner": (6.5, 28),
    "kettle": (13.4, 28),
    "microwave": (9.1, 28),
    "dishwasher": (8.4, 20),
    "tumble_drier": (1.1, 3),
    "fridge_freezer": (18.1, 28),
    "washing_machine": (27.1, 33),
    "freezer": (2.9, 6),
    "fridge": (3.1, 5),
    "dehumidifier": (0.8, 2),
    "other": (4.1, 8),
    "grill": (0.7, 1),
    "toaster": (2.7, 22),
    "electric_oven": (0.8, 1),
    "electric_heater": (1.1, 5),
}
SCALE = 40.0  # mean watts of all homes for 1 % of all energy: the washing machines' owners have 1281 W
SPREAD = 0.5  # sd of the logarithm of an owner's mean, from home to home
VARIATION = 0.4  # sd of a home's readings, in means
CUT = 2.0  # readings lie within this many sd of the home's mean


def paper_homes(homes: int, slots: int, seed: int | None = None) -> Watts:
    """Watts of slots × homes × 15 appliances, whose totals have exactly the printed shares.

    Per home and appliance there are a mean, a deviation and bounds, and each
    slot is a draw from the normal law cut off there, as in the paper.

    >>> watts = paper_homes(homes=100, slots=30, seed=7)
    >>> watts.shape, round(float(watts[:, :, 6].sum() / watts.sum()), 4)  # 27.1 of the 99.9 printed
    ((30, 100, 15), 0.2713)
    """
    if homes < 1 or slots < 1:
        raise UsageError(f"asked for {homes} homes and {slots} slots; there must be at least 1 of each")
    stream = Streams.seeded(seed).open(label("paper homes"))
    profile = _profile(stream, homes)
    watts = np.stack([profile.draw(stream) for _ in range(slots)])
    printed = SCALE * np.array([share for share, _ in SHARES.values()])
    return np.asarray(watts * (printed / watts.mean(axis=(0, 1))))


def _profile(stream: np.random.Generator, homes: int) -> Profile:
    """Owners chosen at random, as many as in the paper, and a mean for each of them."""
    mean = np.zeros((homes, len(SHARES)))
    for place, (share, metered) in enumerate(SHARES.values()):
        owners = stream.permutation(homes)[: max(1, round(homes * metered / MEASURED))]
        level = np.exp(SPREAD * stream.standard_normal(len(owners)))
        mean[owners, place] = SCALE * share * homes * level / level.sum()
    deviation = VARIATION * mean
    return Profile(mean, deviation, low=mean - CUT * deviation, high=mean + CUT * deviation)
