"""What both sides agree on, in public.

A plan names the appliances and their levels, how long a slot is, how much
may be told about a home in any window of slots, and by which mechanism.  Its
id is a hash of all that, so a changed plan is another plan.

Nothing here has ever seen a reading.
"""

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.calendar import Calendar
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SlotLength

__all__ = ["Appliance", "Calendar", "Plan", "SlotLength"]
