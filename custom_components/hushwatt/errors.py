"""Which words of a form fit what went wrong."""

from hushwatt.errors import HushwattError, PlanError, StateError, UsageError
from hushwatt.household.upload.http import Unreachable
from hushwatt.household.upload.provider_client import ProviderRefused, WrongProvider


class WrongKey(UsageError):
    """What was typed is no key."""


ERRORS: dict[type[HushwattError], str] = {
    Unreachable: "cannot_connect",
    WrongProvider: "wrong_provider",
    ProviderRefused: "refused",
    WrongKey: "invalid_key",
    PlanError: "invalid_plan",
    StateError: "ledger",
}


def error_of(wrong: HushwattError, other: str = "invalid_address") -> str:
    """The key of the words; `other` for what the owner typed or asked for."""
    found = next((key for kind, key in ERRORS.items() if isinstance(wrong, kind)), None)
    return found or (other if isinstance(wrong, UsageError) else "unknown")
