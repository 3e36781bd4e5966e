"""Reports of files, held to the amounts and numbers of ones that uploads are held to.

A home that claims to have drawn with less than the plan can offer would count as many homes.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.influence import smallest_budget
from hushwatt.provider.checks.plausible import Mask, amounts_fit, ones_fit
from hushwatt.provider.tally.tally import check_amounts, tally_subset
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.schema import ReportBatch

PLAUSIBLE, WRONG_AMOUNT, WRONG_PAYLOAD = 0, 1, 2
IMPLAUSIBLE = {WRONG_AMOUNT: "wrong_amount", WRONG_PAYLOAD: "wrong_payload"}


def plausible(plan: Plan, batch: ReportBatch) -> tuple[Mask, Counter[str]]:
    """Which reports a home that follows the plan may have sent, and how many others there are, by reason.

    One that is no report at all is a RowError.
    """
    verdicts = plausibility(plan, batch)
    refused = Counter({reason: int((verdicts == verdict).sum()) for verdict, reason in IMPLAUSIBLE.items()})
    return verdicts == PLAUSIBLE, +refused


def plausibility(plan: Plan, batch: ReportBatch) -> NDArray[np.int8]:
    """A verdict for every report."""
    check_amounts(plan, batch.drawn)
    layout, fit = Layout.of(plan), _amounts(plan, batch)
    verdicts = np.where(fit, PLAUSIBLE, WRONG_AMOUNT).astype(np.int8)
    if not layout.direct:  # any direct answer is one that chance allows
        fit[fit] = ones_fit(layout, batch.drawn[fit], batch.payloads[fit])
        verdicts[(verdicts == PLAUSIBLE) & ~fit] = WRONG_PAYLOAD
    if not fit.all():
        tally_subset(layout, batch.payloads, np.flatnonzero(~fit))
    return verdicts


def _amounts(plan: Plan, batch: ReportBatch) -> Mask:
    """Which reports cost what they can; where something is decided, no less than is ever offered.

    When a report was drawn must be known there, so one whose costs do not tell it is an error of the file.
    """
    if plan.decision is not None:
        enough: Mask = batch.drawn >= smallest_budget(plan)
        return enough
    return amounts_fit(plan, batch.slot.astype(np.int64), batch.spent, batch.drawn)
