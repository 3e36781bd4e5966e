"""What a plan protects in the long run: the chances of someone who watches all reports of a home for years."""

from hushwatt.privacy.long_run.long_run import SPANS, YEAR, LongRun, Told, long_run
from hushwatt.privacy.long_run.words import ANALYST, OWNER, Voice, long_run_sentences, long_run_words

__all__ = [
    "ANALYST",
    "OWNER",
    "SPANS",
    "YEAR",
    "LongRun",
    "Told",
    "Voice",
    "long_run",
    "long_run_sentences",
    "long_run_words",
]
