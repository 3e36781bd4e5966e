"""Numbers that come one by one and are a measurement only together: phases, tariffs, what is given back."""

from dataclasses import dataclass, field

from hushwatt.household.sources.measurement import EnergyCounter, Part, PowerReading

Amount = PowerReading | EnergyCounter


@dataclass
class Parts:
    """The last number of every part of one meter; they are in no `repr`."""

    _heard: dict[str, tuple[int, Amount]] = field(default_factory=dict, repr=False)

    def take(self, time: int, part: Part, stale: int) -> Amount | None:
        """The sum with this part; None as long as one that is needed was not heard, or is no longer fresh."""
        self._heard[part.name] = time, part.amount
        kind = type(part.amount)
        fresh = {
            name: amount
            for name, (heard, amount) in self._heard.items()
            if isinstance(amount, kind) and 0 <= time - heard <= stale
        }
        return _total(list(fresh.values())) if set(part.needs) <= fresh.keys() else None

    def forget(self) -> None:
        """Begin anew: what was heard says nothing of now."""
        self._heard = {}


def _total(amounts: list[Amount]) -> Amount:
    """The sum of amounts that are all of one kind."""
    powers = [each.watts for each in amounts if isinstance(each, PowerReading)]
    if powers:
        return PowerReading(sum(powers))
    return EnergyCounter(sum(each.watt_hours for each in amounts if isinstance(each, EnergyCounter)))
