"""One reading's way from the plug to the dashboard, with the numbers of the tour, worked out again."""

import numpy as np

from hushwatt.fleet.simulate import simulate
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.levels import to_levels
from hushwatt.household.report.report import report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.promise import promise
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.wire.record import pack
from tools.drawings.svg import arrow, box, drawing, words
from tools.pages import tour_plan

WIDTH, HEIGHT = 960, 420
PANEL, STEP, GAP = 322, 54, 14
LEFT, RIGHT, TOP = 20, WIDTH - 20 - PANEL, 58
TITLE = "A reading becomes a level, is paid for and randomised at home; many reports become an estimate"


def picture() -> str:
    plan = Plan.parse(tour_plan())
    home, provider, size = told(plan)
    middle = (LEFT + PANEL + RIGHT) / 2
    bottom = TOP + 4 * (STEP + GAP) + STEP / 2
    return drawing(
        WIDTH,
        HEIGHT,
        TITLE,
        box(LEFT, 18, PANEL, HEIGHT - 36, "home", 10),
        words(LEFT + 16, 44, "at home", "title"),
        box(RIGHT, 18, PANEL, HEIGHT - 36, "provider", 10),
        words(RIGHT + 16, 44, "at the provider", "title"),
        *steps(LEFT, home, rising=False),
        *steps(RIGHT, provider, rising=True),
        box(middle - 98, 92, 196, 128, "agreed"),
        words(middle, 120, "the plan", "title", "middle"),
        words(middle, 144, "agreed in public: what is", "note", "middle"),
        words(middle, 163, "asked, and what it may", "note", "middle"),
        words(middle, 182, f"cost: {protection(plan)}", "note", "middle"),
        words(middle, 204, f"id {plan.id[:8]}…", "note mono", "middle"),
        arrow((middle - 98, 156), (LEFT + PANEL, 156)),
        arrow((middle + 98, 156), (RIGHT, 156)),
        arrow((LEFT + PANEL - 16, bottom), (RIGHT + 16, bottom)),
        words(middle, bottom - 32, "the only thing", "name", "middle"),
        words(middle, bottom - 13, "that leaves home", "name", "middle"),
        words(middle, bottom + 20, f"{size} signed bytes", "note", "middle"),
    )


def protection(plan: Plan) -> str:
    return f"odds of {promise(plan).odds}"


def told(plan: Plan) -> tuple[list[tuple[str, str]], list[tuple[str, str]], int]:
    """The steps of both sides with what happens in each, and the size of a record: the tour, run again."""
    source = Simulation(seed=3, purpose="the tour")
    levels = to_levels(plan, np.array([[150.0, 60.0]]), source.stream("levels"))
    home = enrol(plan, 1, 0, source)
    sent = report(home, 0, levels, source)
    payload = sent.payloads[0].tobytes()
    record = pack(bytes(16), slot=0, spent=int(sent.spent[0]), drawn=int(sent.drawn[0]), payload=payload)
    day = np.tile([[150.0, 60.0]], (24, 4000, 1))
    day[:, :3000, 0] = 0
    tallies = simulate(plan, day, 4000, source)
    first = next(tally for key, tally in tallies.groups.items() if key.slot == 0)
    kettle = estimate(plan, tallies).by_period["kettle"]
    assert kettle is not None  # no minimum of homes hides it
    truthful = float(promise(plan).laws[0].hold)
    here = [
        ("readings", "the kettle drew 150 W in this hour"),
        ("levels", f"0, 100 or 300 W: by chance {plan.appliances[0].values[levels[0, 0]]:.0f} W"),
        ("budget", f"ε {sent.spent[0] // 10**6} in any {plan.window} hours, booked before a draw"),
        ("randomise", f"tells the true level with chance {truthful:.2f}"),
        ("outbox", f"{len(payload)} byte, {payload[0]:08b}, kept and sent as it is"),
    ]
    there = [
        ("inbox", f"{first.rows:,} of 4,000 homes spoke in this hour"),
        ("store", "safe on disk, and counted once"),
        ("tally", f"answers: {', '.join(map(str, first.counts[:3]))}"),
        ("estimate", f"noise undone: {kettle.watts:.1f} W a home"),
        ("dashboard", f"{kettle.low:.1f} to {kettle.high:.1f} W, 19 times in 20"),
    ]
    return here, there, len(record)


def steps(x: float, told: list[tuple[str, str]], rising: bool) -> list[str]:
    """Boxes below each other, read downwards, or upwards when they rise."""
    parts = []
    for place, (name, note) in enumerate(reversed(told) if rising else told):
        y = TOP + place * (STEP + GAP)
        parts += [
            box(x + 16, y, PANEL - 32, STEP, "box"),
            words(x + 30, y + 23, name, "name"),
            words(x + 30, y + 42, note),
        ]
        if place:
            ends = ((x + PANEL / 2, y - GAP), (x + PANEL / 2, y))
            parts.append(arrow(*(reversed(ends) if rising else ends)))
    return parts
