"""Retiring from a plan: when a cap of the owner's on a lifetime is used up, nothing more is sent under it.

A home retires before the first slot whose report it could not pay for in full, whatever that slot's readings
are.  Nobody is asked and nobody is told but the owner.  What waits to be sent is still sent, the keys stay, so
that leaving can have everything erased, and joining again under higher caps goes on where the home was.
"""

from collections.abc import Callable

from hushwatt.household.ledger.home_ledger import OverCap
from hushwatt.household.membership import Membership
from hushwatt.plan.amounts import plain
from hushwatt.sanitise import quoted

RETIRED = "retired: the lifetime budget is used up"


def retires(member: Membership, say: Callable[[str], None]) -> bool:
    """End a membership for good if a lifetime leaves too little for the slot that begins."""
    refused = member.lifetime_refusal()
    if refused is None:
        return False
    words = retired_words(member.plan.name, refused)
    with member.store.transaction() as disk:
        disk.execute("UPDATE plans SET retired = ? WHERE place = ?", (words, member.plan_key))
    say(words)
    return True


def retired_words(name: str, refused: OverCap) -> str:
    """What the owner is told: log, page, status and Home Assistant say it in the same words."""
    about = "" if refused.appliance is None else f" for {quoted(refused.appliance, 40)}"
    return (
        f"this home has retired from {quoted(name, 60)}: its lifetime budget{about} is used up "
        f"({refused.limit.cap} is {plain(refused.limit.amount)}); nothing more is sent"
    )
