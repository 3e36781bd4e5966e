"""The long run in sentences: the figures of the plan, in words without symbols."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.long_run import ANALYST, long_run, long_run_sentences, long_run_words
from hushwatt.privacy.long_run.words import article, length, times_in_100

HOT = tuple(
    Appliance(name, None, (0.0, 100.0, 300.0), typical_mean=mean)
    for name, mean in (("kettle", 60.0), ("electric_shower", 20.0), ("oven", 40.0))
)
DAYS = replace(preset("advised"), appliances=HOT, appliances_per_report=3, epsilon=2_000_000, appliance_epsilon=None)
YEAR = replace(DAYS, window=365)


def test_the_most_and_the_least_telling():
    """Two appliances, not fifteen, each with its own figure, and what guessing gives."""
    owned, constant, worst = long_run_words(YEAR)
    told = {name: each.owned for name, each in long_run(YEAR).told.items()}

    assert (max(told, key=told.__getitem__), min(told, key=told.__getitem__)) == ("kettle", "electric_shower")
    assert (round(100 * told["kettle"]), round(100 * told["electric_shower"])) == (57, 52)
    assert owned == (
        "someone who watches all your reports for a year would tell right whether you own a kettle 57 times in 100; "
        "without them 50. Whether you own an electric shower: 52 times; all else lies in between"
    )
    assert constant == (
        "if an appliance always used the same, they would name its level 49 times in 100 after a year; by guessing 33"
    )
    assert worst == (
        "that is the typical case; whatever you do, and whatever else they know, they are right at most 66 times in "
        "100 about one appliance; about your home as a whole at most 88 times"
    )


def test_words_that_anyone_understands():
    """No symbol, no exponent, no probability."""
    for name in ("advised", "everyday", "paper", "paper-synthetic"):
        for _, text in long_run_sentences(preset(name)):
            assert not {"ε", "^", "odds", "probability"} & set(text.split())


def test_bounds_are_called_so(plan_of):
    """Where homes decide, every figure is one at most."""
    plan = plan_of(3, 3, method="lba", epsilon=1_000_000)
    plan = replace(plan, appliances=tuple(replace(each, typical_mean=150.0) for each in plan.appliances))
    owned, constant, worst = long_run_words(plan)
    assert all("at most" in each for each in (owned, constant))
    assert dict(long_run_sentences(plan))["over time"].startswith(
        "whether you own an appliance 0 is told right at most "
    )
    assert "nearly certain" in worst


def test_a_bound_near_certainty_is_not_called_one(plan_of):
    """ "At most more than 99" would be neither."""
    plan = plan_of(3, 3, method="lba", epsilon=50_000_000)
    _, constant, _ = long_run_words(plan)

    assert "name its level up to 100 times in 100" in constant


def test_a_plan_of_an_hour_is_no_day(plan_of):
    """Nor one of three seconds."""
    hour = replace(preset("advised"), slot=SlotLength(20, "m"), window=1, method="lbu")
    hour = replace(hour, expires=hour.start + timedelta(hours=1))

    assert length(hour, long_run(hour, None)) == "the whole plan of 1 hour"
    assert "for the whole plan of 1 hour would" in long_run_words(hour)[0]


def test_nothing_told():
    """A mean that counts as nothing is said to, and does not grow over time."""
    sentences = dict(long_run_sentences(preset("paper")))
    assert "no better than by guessing whether you own any of the 15 appliances" in sentences["in the long run"]
    assert "over time" not in sentences


def test_over_time():
    """From a month to the whole plan; what is all but certain is not said twice."""
    assert dict(long_run_sentences(DAYS))["over time"].endswith("more than 99 after five years and ever after")
    assert dict(long_run_sentences(YEAR))["over time"] == (
        "whether you own a kettle is told right 50.6 times in 100 after 30 days, 52 after 90 days, 57 after a year, "
        "65 after five years, 70 after the whole plan of 3,653 days"
    )
    assert "nearly certain, about one appliance and about your home" in dict(long_run_sentences(DAYS))["at worst"]


def test_a_short_plan(plan_of):
    """A plan that ends before the time does is watched as a whole, and told once."""
    plan = plan_of(2, mapping="dither", expires=preset("advised").start.replace(month=2))
    plan = replace(plan, appliances=(replace(plan.appliances[0], typical_mean=50.0),))
    sentences = dict(long_run_sentences(plan))
    assert "for the whole plan of 31 days" in sentences["in the long run"]
    assert sentences["over time"].count("after") == 2
    assert length(plan, long_run(plan, 30)) == "30 days"


@pytest.mark.parametrize(
    ("chance", "words"),
    [(0.5, "50"), (0.5004, "50"), (0.5051, "50.5"), (0.51, "51"), (0.994, "99"), (1.0, "more than 99")],
)
def test_times(chance, words):
    assert times_in_100(chance, 0.5) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [("kettle", "a kettle"), ("oven", "an oven"), ("glass", "a glass"), ("lights", "lights"), ("EV", "an EV"),
     ("fridge_freezer", "a fridge freezer"), ("x\x1b\u202e", "a x")],
)  # fmt: skip
def test_names(name, words):
    assert article(name) == words


def test_in_the_voice_of_an_analyst():
    """The same figures, about a home rather than to its owner."""
    to_owner, to_analyst = long_run_sentences(YEAR), long_run_sentences(YEAR, ANALYST)
    assert to_owner != to_analyst
    assert not any({"you", "your"} & set(text.split()) for _, text in to_analyst)
    for (_, owner), (_, analyst) in zip(to_owner, to_analyst, strict=True):
        assert re.findall(r"[\d.,]+", owner) == re.findall(r"[\d.,]+", analyst)
    assert "whether it owns any" in dict(long_run_sentences(preset("paper"), ANALYST))["in the long run"]


def test_the_larger_risk_is_told():
    """Where homes say what they do not measure, that tells owners from others, and is what is said."""
    plan = preset("everyday")
    told = long_run(plan).told
    owned, over_time = (dict(long_run_sentences(plan))[label] for label in ("in the long run", "over time"))
    best = max(told, key=lambda name: told[name].ownership)

    assert f"whether you own and measure {article(best)} {times_in_100(told[best].ownership, 0.5)} times" in owned
    assert over_time.startswith(f"whether you own and measure {article(best)} is told right")
    assert "whether it owns and measures" in dict(long_run_sentences(plan, ANALYST))["in the long run"]
    single = replace(plan, appliances=plan.appliances[:1], appliances_per_report=1)
    name = single.names[0]
    assert f"{times_in_100(long_run(single).told[name].ownership, 0.5)} times in 100" in long_run_words(single)[0]
    assert "measure" not in long_run_words(preset("advised"))[0]


def test_nobody_owns_the_whole_house():
    """Of a meter of the whole house it is told whether electricity is used at all, not whether it is owned."""
    plan = preset("mains")
    answered = replace(plan, unmeasured="answer")

    assert "whether you use any electricity from the grid 65 times" in long_run_words(plan)[0]
    assert "whether it uses any electricity from the grid" in long_run_words(plan, voice=ANALYST)[0]
    assert "from the grid, with a meter that tells of it" in long_run_words(answered)[0]
    assert "own mains" not in str([long_run_sentences(each) for each in (plan, answered)])
