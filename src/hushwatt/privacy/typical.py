"""What an appliance is thought to use on average, before anyone has reported."""

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.catalogue import entry
from hushwatt.plan.plan import Plan


def typical_mean(plan: Plan, appliance: Appliance) -> float:
    """Watts: the plan's own word, else the catalogue's, else a tenth of the last edge.

    The catalogue's is the mean over all homes, or over those that measure it where "not measured" is an answer.
    """
    last = last_edge(appliance)
    if appliance.typical_mean is not None:
        return max(appliance.typical_mean, 1e-6 * last)
    known, mean = entry(appliance.name), 0.1 * last
    if known is not None:
        mean = known.typical_mean / (known.ownership if plan.answers_unmeasured else 1)
    if appliance.typical_high is not None:
        mean = min(mean, appliance.typical_high)
    return max(mean, 1e-6 * last)


def last_edge(appliance: Appliance) -> float:
    """Where its last level begins, or the value that stands for it."""
    return appliance.edges[-1] if appliance.edges else appliance.values[-1]
