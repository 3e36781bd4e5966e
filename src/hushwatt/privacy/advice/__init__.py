"""Which mechanism is the most accurate for the same protection.

Everything here is worked out before a single home has reported: from the plan, the
number of homes, and prior knowledge of what appliances typically use.
"""

from hushwatt.privacy.advice.advise import Advice, advise
from hushwatt.privacy.advice.candidate import Candidate
from hushwatt.privacy.advice.prior import Prior, prior_of

__all__ = ["Advice", "Candidate", "Prior", "advise", "prior_of"]
