"""When each large gateway was heard last.

A gateway is called by its number in the store.  One of few homes is left out, because when it was heard would
tell of them; and there are never more than so many, because every one is a series of its own.
"""

import threading

from hushwatt.provider.store.session import Session

MIN_HOMES = 20  # homes of a gateway that is watched
MAX_GATEWAYS = 200  # of a plan, those with the most homes


class GatewayLog:
    """The moments at which gateways were heard, since the service started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: dict[int, float] = {}  # by signer
        self._plans: dict[int, tuple[int, tuple[int, ...]]] = {}  # homes of a plan when it was looked at, its gateways

    def heard(self, signer: int, moment: float) -> None:
        """Note that a signer was heard, if it is a gateway that is watched."""
        if signer in self._heard:
            with self._lock:
                self._heard[signer] = moment

    def silent(self, session: Session, plan: int, homes: int, moment: float) -> dict[int, float]:
        """Since how many seconds each gateway of a plan with so many homes is silent; a new one was heard just now."""
        if self._plans.get(plan, (-1, ()))[0] != homes:
            self._plans[plan] = homes, large_gateways(session, plan)
        with self._lock:
            return {
                gateway: max(0.0, moment - self._heard.setdefault(gateway, moment)) for gateway in self._plans[plan][1]
            }


def large_gateways(session: Session, plan: int) -> tuple[int, ...]:
    """The gateways of a plan that speak for many homes, by their numbers."""
    rows = session.all(
        "SELECT devices.signer FROM signers JOIN devices ON devices.signer = signers.signer AND devices.signer > 0 "
        "WHERE signers.plan = ? AND gateway = 1 GROUP BY devices.signer HAVING count(*) >= ? "
        "ORDER BY count(*) DESC, devices.signer LIMIT ?",
        plan,
        MIN_HOMES,
        MAX_GATEWAYS,
    )
    return tuple(int(signer) for (signer,) in rows)
