"""All that an owner agrees to, as one text; it is kept with the consent."""

from hushwatt.household.join import Proposal
from hushwatt.household.report.preview import preview
from hushwatt.household.words.cap_terms import cap_terms
from hushwatt.household.words.consent_text import consent_terms, example_report, plan_changes, successor_terms
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.sanitise import quoted


def agreement(proposal: Proposal) -> str:
    """The plan, its terms, the owner's own caps, what it replaces, and an example report."""
    plan = proposal.plan
    lines = [f"the plan {quoted(plan.name)}", "", *(f"{label:<16}{sentence}" for label, sentence in terms(proposal))]
    if proposal.replaces is not None:
        lines += ["", "This takes the place of a plan you take part in. It gives no fresh budget. What changes:"]
        lines += [f"  {line}" for line in plan_changes(proposal.replaces, plan)]
    return "\n".join([*lines, "", *example_report(plan, preview(plan, proposal.promise.drawn, OperatingSystem()))])


def terms(proposal: Proposal) -> list[tuple[str, str]]:
    """Every term with its label."""
    address, key = proposal.client.address, proposal.offer.key
    return [
        *consent_terms(proposal.plan, proposal.promise, address, key, proposal.labels),
        *cap_terms(proposal),
        successor_terms(proposal.follows),
    ]
