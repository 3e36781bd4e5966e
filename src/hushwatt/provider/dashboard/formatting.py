"""Numbers and times as people read them: with units, and no more digits than are known."""

from datetime import datetime
from math import floor, isfinite, isnan, log10

from hushwatt.plan.plan import Plan
from hushwatt.plan.times import zone

NONE = "–"
MINUS = "\N{MINUS SIGN}"
DAY = 86_400  # seconds
THIN = "\N{NARROW NO-BREAK SPACE}"


def decimals(reach: float) -> int:
    """How many decimals a number deserves whose uncertainty is `reach`: two digits of that.

    >>> decimals(0.83), decimals(4.9), decimals(37)
    (2, 1, 0)
    """
    if not isfinite(reach) or reach <= 0:
        return 1
    return min(max(1 - floor(log10(reach)), 0), 4)


def number(value: float, digits: int = 0) -> str:
    """A number with thousands apart and a real minus.

    >>> number(-1234.56, 1)
    '−1,234.6'
    """
    text = f"{value:,.{digits}f}"
    if text.strip("-0.,") == "":
        text = text.lstrip("-")  # no minus before a rounded zero
    return text.replace("-", MINUS)


def watts(value: float, low: float, high: float) -> str:
    """A mean of watts, as exact as its interval allows.

    >>> watts(17.923, 17.1, 18.7)
    '17.92\u202fW'
    """
    return f"{number(value, decimals((high - low) / 2))}{THIN}W"


def signed_watts(value: float, low: float, high: float) -> str:
    """A difference of watts.

    >>> signed_watts(4.26, 1.1, 7.4), signed_watts(-4.26, -7.4, -1.1)
    ('+4.3\u202fW', '−4.3\u202fW')
    """
    text = watts(value, low, high)
    return text if text.startswith(MINUS) else f"+{text}"


def watts_between(low: float, high: float) -> str:
    """An interval of watts."""
    digits = decimals((high - low) / 2)
    return f"{number(low, digits)} to {number(high, digits)}{THIN}W"


def watts_plus_minus(value: float, reach: float) -> str:
    """A mean of watts and how far the truth may lie from it.

    >>> watts_plus_minus(17.923, 4.93)
    '17.9 ± 4.9\u202fW'
    """
    digits = decimals(reach)
    return f"{number(value, digits)} ± {number(reach, digits)}{THIN}W"


def watts_with_interval(value: float, low: float, high: float) -> str:
    """A mean of watts and its interval, which need not lie evenly around it.

    >>> watts_with_interval(17.9, 13.0, 22.8), watts_with_interval(15.2, 13.0, 22.8)
    ('17.9 ± 4.9\u202fW', '15.2\u202fW (13.0 to 22.8)')
    """
    reach = (high - low) / 2
    if abs(low + high - 2 * value) < reach / 50:
        return watts_plus_minus(value, reach)
    digits = decimals(reach)
    return f"{number(value, digits)}{THIN}W ({number(low, digits)} to {number(high, digits)})"


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage; a dash when there is none."""
    return NONE if isnan(share) else f"{number(100 * share, digits)}{THIN}%"


def percent_between(low: float, high: float) -> str:
    return f"{number(100 * low, 1)} to {number(100 * high, 1)}{THIN}%"


def percent_plus_minus(part: float, low: float, high: float) -> str:
    """A part in per cent and how far the truth may lie from it.

    >>> percent_plus_minus(0.38, 0.352, 0.408)
    '38.0 ± 2.8\u202f%'
    >>> percent_plus_minus(0.38, 0.25, 0.51)
    '38 ± 13\u202f%'
    """
    reach = 50 * (high - low)
    digits = decimals(reach)
    return f"{number(max(100 * part, 0.0), digits)} ± {number(reach, digits)}{THIN}%"


def count(value: int, what: str, many: str = "") -> str:
    """So many of something.

    >>> count(1, "home"), count(1000, "home")
    ('1 home', '1,000 homes')
    """
    return f"{value:,} {what if value == 1 else many or what + 's'}"


def ranks(best: int, worst: int) -> str:
    """A place, or the places that are open: a tie.

    >>> ranks(1, 1), ranks(2, 4)
    ('1', '2–4')
    """
    return str(best) if best == worst else f"{best}–{worst}"


def appliance_name(name: str) -> str:
    """An appliance's name within a sentence.

    >>> appliance_name("washing_machine")
    'washing machine'
    """
    return name.replace("_", " ")


def title(name: str) -> str:
    """An appliance's name by itself.

    >>> title("washing_machine")
    'Washing machine'
    """
    words = appliance_name(name)
    return words[:1].upper() + words[1:]


def local(moment: datetime, plan: Plan) -> datetime:
    """A moment on the clocks of the plan."""
    return moment.astimezone(zone(plan.timezone))


def day(moment: datetime) -> str:
    """A date.

    >>> day(datetime(2024, 1, 3))
    '3 Jan 2024'
    """
    return f"{moment.day} {moment:%b %Y}"


def clock(moment: datetime) -> str:
    return f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"


def moment(moment: datetime, plan: Plan, now: datetime | None = None) -> str:
    """A moment on the plan's clocks: only the time when it is today."""
    here = local(moment, plan)
    if now is not None and local(now, plan).date() == here.date():
        return clock(here)
    return f"{clock(here)} on {day(here)}"


def slot_name(plan: Plan, slot: int) -> str:
    """A slot by when it begins, or by its days; with those that are published with it, by how long they last."""
    begin, slots = local(plan.calendar.start_of(slot), plan), plan.periods.last_of(slot) - slot + 1
    if not in_days(plan, slot):
        lasting = f"{plan.slot.lasting(slots)} from " if plan.publish != 1 else ""
        return f"{lasting}{day(begin)}, {clock(begin)}"
    days = slots * plan.slot.seconds // DAY
    if days == 1:
        return day(begin)
    return f"week of {day(begin)}" if days == 7 and plan.publish != 1 else f"{days:,} days from {day(begin)}"


def slot_tick(plan: Plan, slot: int) -> str:
    """A slot, or what is published from it on, as a short mark on an axis."""
    begin = local(plan.calendar.start_of(slot), plan)
    return f"{begin.day} {begin:%b}" if in_days(plan, slot) else f"{begin.day} {begin:%b} {clock(begin)}"


def in_days(plan: Plan, slot: int) -> bool:
    """Whether a slot, with those that are published with it, begins at midnight and lasts whole days."""
    whole = plan.publish != 1 and plan.publish * plan.slot.seconds % DAY == 0
    return plan.slot.unit == "d" or (whole and clock(local(plan.calendar.start_of(slot), plan)) == "00:00")


def level_names(plan: Plan, appliance: int) -> list[str]:
    """The levels of an appliance: ranges of watts, or the watts that readings are rounded to."""
    levels = plan.appliances[appliance]
    if plan.mapping == "dither" or levels.edges is None:
        return [f"{_watts(value)}{THIN}W" for value in levels.values]
    edges = [_watts(edge) for edge in levels.edges]
    between = [f"{low}–{high}{THIN}W" for low, high in zip(["0", *edges], edges, strict=False)]
    return [*between, f"above {edges[-1]}{THIN}W"]


def _watts(value: float) -> str:
    return f"{value:,.10g}"
