"""Advice in words and for programs: the paper's mechanism beside the two best for the same protection."""

from typing import TYPE_CHECKING, Any

from hushwatt.cli.terminal import terminal_width

SHARES = (0.05, 0.1, 0.2)
DEFAULT_COLUMNS = 118  # columns, where there is no terminal

if TYPE_CHECKING:
    from hushwatt.privacy.advice import Advice, Candidate


def advice_document(advice: "Advice") -> dict[str, Any]:
    """The advice for programs."""
    return {
        "goal": advice.goal,
        "homes": advice.homes,
        "slots": advice.slots,
        "paper": candidate_document(advice.paper, advice.slots),
        "best": candidate_document(advice.best, advice.slots),
        "runner_up": candidate_document(advice.runner_up, advice.slots),
        "homes_needed": {f"±{share:.0%}": advice.best.homes_needed(share) for share in SHARES},
        "homes_needed_with_new_levels": {f"±{share:.0%}": advice.homes_with_new_levels(share) for share in SHARES},
    }


def candidate_document(one: "Candidate", slots: int | None = None) -> dict[str, Any]:
    from hushwatt.plan.phases import blind_spot
    from hushwatt.wire.payload import Layout

    plan, promised = one.plan, one.promise
    return {
        "plan": plan.id,
        "method": plan.method,
        "oracle": plan.oracle,
        "appliances_per_report": plan.appliances_per_report,
        "mapping": plan.mapping,
        "epsilon": promised.dearest / 1e6,
        "odds": promised.odds,
        "appliance_epsilon": float(promised.appliance_dearest) / 1e6,
        "appliance_odds": promised.appliance_odds,
        "chance_of_the_true_level": promised.told,
        "bytes": Layout.of(plan).size,
        "mean_error_watts": one.real_error,
        "mean_error": one.limits,
        "right_order": one.right_order,
        "level_error": one.cell_variance**0.5,
        "blind_spot": blind_spot(plan, slots),
        **({} if one.cost_of_unmeasured is None else {"unmeasured_cost": one.cost_of_unmeasured}),
        "appliances": {
            appliance.name: {
                "values": list(appliance.values),
                "typical_mean": prior.mean,
                "typical_high": prior.high,
                "prior": prior.source,
                **({"measured": prior.measured} if plan.answers_unmeasured else {}),
                "mean_watts_se": variance**0.5,
                "above_top": above,
                "within": half,
            }
            for appliance, prior, variance, above, half in zip(
                plan.appliances, one.priors, one.variances, one.losses, one.half_widths, strict=True
            )
        },
    }


def print_advice(advice: "Advice") -> None:
    """A short table, and what it means."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    rows = {"the paper's": advice.paper, "best": advice.best, "runner-up": advice.runner_up}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("", *rows):
        table.add_column(heading)
    parts = [dict(describe(one)) for one in rows.values()]
    for label in parts[0]:
        table.add_row(label, *(part[label] for part in parts))
    console = Console(highlight=False, width=terminal_width(DEFAULT_COLUMNS))
    console.print(table)
    for line in remarks(advice):
        console.print(line)


def describe(one: "Candidate") -> list[tuple[str, str]]:
    """One column of the table."""
    numbers, plan = candidate_document(one), one.plan
    levels = sorted({each.levels for each in plan.appliances})
    return [
        ("mechanism", f"{plan.method}, {plan.oracle}, {plan.appliances_per_report} of {len(plan.appliances)}"),
        ("levels", f"{'–'.join(dict.fromkeys([str(levels[0]), str(levels[-1])]))}, {plan.mapping}"),
        ("ε of the home in a window", f"{numbers['epsilon']:.4g}  (odds {numbers['odds']})"),
        ("ε of one appliance", f"{numbers['appliance_epsilon']:.3g}  (odds {numbers['appliance_odds']})"),
        ("a report names the true level", chance(numbers["chance_of_the_true_level"])),
        ("expected error of a mean, real watts", f"{numbers['mean_error_watts']:.3g} W"),
        ("95 % limits of a middling mean", limits(numbers["mean_error"])),
        ("neighbours in the right order", f"{numbers['right_order']:.0%}"),
        ("error of a level's share in a slot", points(numbers["level_error"])),
        ("bytes of a report", str(numbers["bytes"])),
    ]


def points(share: float) -> str:
    """A share in points, with two digits.

    >>> points(0.0842), points(1.13)
    ('8.4 points', '113 points')
    """
    return f"{100 * share:.2g} points" if share < 0.995 else f"{100 * share:,.0f} points"


def chance(bounds: tuple[float, float]) -> str:
    low, high = (f"{100 * bound:.3g}" for bound in bounds)
    return f"{low} %" if low == high else f"{low}–{high} %"


def remarks(advice: "Advice") -> list[str]:
    """What the table cannot say."""
    from hushwatt.plan.phases import blind_spot

    best = advice.best
    sources = sorted({prior.source for prior in best.priors})
    lines = [f"For {advice.homes:,} homes over {advice.slots} slots; prior knowledge from: {', '.join(sources)}."]
    if (missed := blind_spot(advice.paper.plan, advice.slots)) is not None:
        lines.append(f"The paper's way would not see everything: {missed}.")
    if (few := too_few(advice)) is not None:
        lines.append(few)
    if (rarer := less_often(advice)) is not None:
        lines.append(rarer)
    if advice.goal == "ranking" and best.real_error > advice.paper.real_error:
        lines.append("Best is what orders appliances best; the paper's way has the smaller error of a mean.")
    if best.cost_of_unmeasured is not None:
        lines.append(unmeasured_cost(best))
    least, most = min(best.losses), max(best.losses)
    lines.append(
        f"By the prior knowledge {percents(least, most)} of a mean lies above an appliance's last level. Estimates "
        "are of real watts: they add it, and their limits allow for what is not known of it."
    )
    lines.append(f"To know a middling appliance's mean within ±10 %, 19 times in 20: {needed(advice, 0.1)}.")
    return [*lines, f"Within ±5 %: {needed(advice, 0.05)}."]


def limits(half: float) -> str:
    """Half of an interval, as a share.

    >>> limits(0.416), limits(44.3)
    ('±42 %', 'more than ±1,000 %')
    """
    return f"±{100 * half:.0f} %" if half <= 10 else "more than ±1,000 %"


def percents(low: float, high: float) -> str:
    """A range of shares.

    >>> percents(0.05, 0.191), percents(0.1, 0.1)
    ('5 to 19 %', '10 %')
    """
    least, most = f"{100 * low:.0f}", f"{100 * high:.0f}"
    return f"{least} %" if least == most else f"{least} to {most} %"


def unmeasured_cost(best: "Candidate") -> str:
    """What it costs that homes may say "not measured", where so many are thought to measure."""
    low, high = (limit(prior.measured for prior in best.priors) for limit in (min, max))
    return (
        f"Homes may say that they do not measure an appliance ({percents(low, high)} are thought to measure it). That "
        f"this stays deniable multiplies the variance of a mean by {best.cost_of_unmeasured:.1f}, as if so many "
        "times fewer homes that are known to measure took part."
    )


def needed(advice: "Advice", share: float) -> str:
    """How many homes it takes with these levels, and with levels chosen for so many."""
    homes, again = advice.best.homes_needed(share), advice.homes_with_new_levels(share)
    if homes is not None:
        return f"{homes:,} homes"
    if again is None:
        return "not with these levels"
    return f"not with these levels; with levels advised for so many, about {again:,} homes"


def too_few(advice: "Advice") -> str | None:
    """Where the best plan has no answer, as too few homes speak of an appliance; None if it always has."""
    from hushwatt.privacy.advice.answered import answered, speaking

    plan = advice.best.plan
    if answered(plan, advice.homes, 1):
        return None
    heard, part = speaking(plan, advice.homes)
    of_one = " of an appliance" if part < 1 else ""
    few = f"about {heard * part:,.0f} homes speak{of_one} in a slot, and the plan needs {plan.minimum_homes:,}"
    if answered(plan, advice.homes, advice.slots):
        return f"Single slots will show no answer, only longer periods: {few}."
    return f"NO ANSWER WOULD BE SHOWN: {few}. More homes are needed, or a lower minimum_homes."


def less_often(advice: "Advice") -> str | None:
    """That homes could take turns if results were published less often, where only that stands in the way."""
    from hushwatt.plan.periods import how_often
    from hushwatt.privacy.advice.publishing import turns_if_published_less_often

    found = turns_if_published_less_often(advice.best.plan, advice.homes)
    if found is None:
        return None
    often = how_often(found.publish, found.slot)
    return (
        f"So many homes are too few to take turns and be published {how_often(advice.best.plan.publish, found.slot)}. "
        f"Published {often} (publish = {found.publish}) they could, which may be far more accurate; --protect "
        f"{advice.best.plan.window * found.slot.seconds // 86_400 or 1}d looks for that."
    )
