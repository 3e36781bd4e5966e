"""The plain words of the audit's page: what was asked, and what was not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReaderQuestion:
    """What somebody responsible wants to know, and the claims that answer it."""

    asks: str
    answer: str
    claims: tuple[str, ...]
    limit: bool = False  # it is answered by a limit, not by a protection


INTRODUCTION = (
    "hushwatt lets an energy company learn how many homes use which appliances, how much and when, while "
    "each home keeps its own use deniable. Every home adds noise to its own answers before anything leaves "
    "it, by probabilities that are public. A plan says how much its reports may tell at most, as a number "
    "called ε. This page says how it was checked that they tell no more."
)
QUESTIONS = (
    ReaderQuestion(
        "Can a home's reports tell more than its plan says?",
        "Every way that a home can report was gone through, in shapes small enough to try them all, with "
        "exact fractions instead of rounded numbers: whole streams, decisions and silences included.",
        ("C1", "C6", "C7", "C8", "C9", "C10"),
    ),
    ReaderQuestion(
        "Does the limit hold over time, whatever happens?",
        "All sequences of decisions were tried, and every draw of noise was seen to be paid for before it was made.",
        ("C2", "C11", "C12"),
    ),
    ReaderQuestion(
        "Is the noise really there?",
        "Millions of answers were drawn and counted; they follow the published probabilities, and a slip of "
        "2 % would have been noticed. No generator that can be guessed runs at home.",
        ("C5", "C18"),
    ),
    ReaderQuestion(
        "Does anything else leave the home?",
        "Homes with readings that would be recognised anywhere were run through trouble of many kinds. Their "
        "files, logs, errors and uploads were searched. When and how often a home sends was seen not to "
        "depend on what it measures.",
        ("C16", "C17"),
    ),
    ReaderQuestion(
        "Has somebody tried to break it?",
        "An attacker who knows everything public was given the real bytes of homes that led one of two "
        "lives. What he can prove stays below what was promised, with 99 % confidence.",
        ("C13",),
    ),
    ReaderQuestion(
        "Would this audit notice a fault?",
        "Eleven faults, most of them real ones of privacy software, were planted; each must be found.",
        ("C14",),
    ),
    ReaderQuestion(
        "Are the results right, and hard to falsify?",
        "Estimates are right on average, and so are their error bars. What one forged report can do is "
        "bounded and stated.",
        ("C3", "C4", "C19"),
    ),
    ReaderQuestion(
        "What about habits?",
        "They are not protected for ever: what stays the same for months shows in the end, and how soon depends on "
        "the plan. Every plan says it in plain words, and attacks on real bytes find that much, no more and no less.",
        ("C15",),
        limit=True,
    ),
)
LIMITS = (
    "Habits. ε is a promise for any few slots in a row (a window). A year has many windows, unless the window is a "
    "year, and what never changes can be averaged out of them. Every home is told how soon before it joins.",
    "Exact enumeration is done in small shapes. Larger plans are covered by the written proofs, by the exact "
    "check of every window's budget, and by attacks on samples.",
    "An attack that proves nothing is no proof of privacy: another attacker may be cleverer. The enumeration "
    "and the proofs do not depend on how clever he is.",
    "Taking part. That a home takes part is known to the company.",
    "The device at home. Whoever controls it sees the readings. A meter that lies is believed.",
    "The operating system's randomness and the computer's own parts are taken to be sound.",
    "Crashes, power loss, clocks, hostile requests, erasure and backups are tested by another command, "
    "`hushwatt audit chaos`, and are not part of this page.",
    "Whether ε, the window and the number of homes are fit for the purpose is a human decision. This page "
    "says that what the plan promises is kept, not that the promise is enough.",
)
QUICK = (
    "This was a quick run with fewer cases. The full audit takes hours and goes through all of them: leave "
    "`--quick` away."
)
