"""How sending goes, for the owner: since when a provider is out of reach, or what it refused.

There is one note for a plan, in the ledger, and none while all is well.  It says what was answered or not, which
no reading has a part in.
"""

import json
from dataclasses import asdict, dataclass

from hushwatt.errors import HushwattError
from hushwatt.household.ledger.store import Store
from hushwatt.household.upload.http import Unreachable
from hushwatt.household.upload.provider_client import WrongProvider
from hushwatt.sanitise import sanitised

UNREACHABLE, IMPOSTOR, REFUSED = "unreachable", "impostor", "refused"
MAX_WORDS = 300  # characters of what was answered


@dataclass(frozen=True)
class DeliveryNote:
    """What is wrong with sending under one plan."""

    kind: str  # unreachable, impostor or refused
    since: int  # nanoseconds since 1970
    words: str


def read_note(store: Store, plan_key: int) -> DeliveryNote | None:
    """What is wrong, if anything is."""
    text = store.read_value(_key(plan_key))
    return None if text is None else DeliveryNote(**json.loads(text))


def note_failure(store: Store, plan_key: int, wrong: HushwattError, now: int) -> None:
    """Nothing could be sent."""
    kind = UNREACHABLE if isinstance(wrong, Unreachable) else IMPOSTOR if isinstance(wrong, WrongProvider) else REFUSED
    _write(store, plan_key, kind, str(wrong), now)


def note_answers(store: Store, plan_key: int, refused: list[str], now: int) -> None:
    """The provider has answered; `refused` are the reasons why it did not take some of the reports."""
    if refused:
        _write(store, plan_key, REFUSED, ", ".join(refused), now)
    elif store.read_value(_key(plan_key)) is not None:
        with store.transaction() as disk:
            disk.execute("DELETE FROM home WHERE name = ?", (_key(plan_key),))


def _write(store: Store, plan_key: int, kind: str, words: str, now: int) -> None:
    """Keep a note; the same trouble as before goes on since it began, and is not written again."""
    before = read_note(store, plan_key)
    since = before.since if before is not None and before.kind == kind else now
    note = DeliveryNote(kind, since, sanitised(words, MAX_WORDS))
    if note != before:
        store.write_value(_key(plan_key), json.dumps(asdict(note)))


def _key(plan_key: int) -> str:
    return f"delivery {plan_key}"
