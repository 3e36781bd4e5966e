"""A whole collection in a minute: invented homes report over real HTTP into a real service.

`rehearse` runs it; the service goes on so that its dashboard can be looked at.
"""

from hushwatt.evaluate.demo.rehearsal import Rehearsal, rehearse

__all__ = ["Rehearsal", "rehearse"]
