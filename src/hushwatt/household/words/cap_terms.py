"""What a home's caps say to a plan, for its owner: why it is refused, what would allow it, how long it lasts."""

from hushwatt.household.join import Proposal
from hushwatt.privacy.long_run import long_run_words


def cap_terms(proposal: Proposal) -> list[tuple[str, str]]:
    """What is agreed to about the owner's own caps: what was raised, and how long the lifetime's last."""
    found = []
    if proposal.raised:
        found.append(("your caps", f"you raised them for this home: {'; '.join(proposal.raised)}"))
    if proposal.lasting is not None:
        found.append(("how long", proposal.lasting.words))
    return found


def refusal_lines(proposal: Proposal) -> list[str]:
    """Why a plan is not joined, what it would mean, and the settings that would allow it."""
    lines = ["", "Your caps do not allow this plan:"]
    lines += [f"  {each.words}" for each in proposal.objections]
    meaning = (f"  {sentence[:1].upper()}{sentence[1:]}." for sentence in long_run_words(proposal.plan))
    lines += ["", "What it would mean:", *meaning]
    if (settings := needed_settings(proposal)) is None:
        return [*lines, "", "No setting of your caps allows it."]
    lines += ["", "To join it all the same, knowing that, raise them:", f"  {settings}"]
    if proposal.lasting is not None and proposal.lasting.short:
        more = " ".join(f"--cap {each.setting}" for each in proposal.lasting.short if each.setting)
        lines += ["", f"It then {proposal.lasting.words}.", *([f"For all of it: {more}"] if more else [])]
    return lines


def refusal_words(proposal: Proposal) -> str:
    """The same in one line."""
    settings = needed_settings(proposal)
    remedy = "no setting of your caps allows it" if settings is None else f"to allow it, join with {settings}"
    return f"not joined: {'; '.join(each.words for each in proposal.objections)}; {remedy}"


def needed_settings(proposal: Proposal) -> str | None:
    """The options that would allow the plan, or None when nothing does."""
    settings = [each.setting for each in proposal.objections]
    return None if None in settings else " ".join(f"--cap {each}" for each in settings)
