"""`hushwatt provider erase`: a home that files named leaves the store, and no byte of it stays."""

from typing import TYPE_CHECKING

from hushwatt.cli.provider.store_options import USUAL_STORE, PlanName, StoreOptions
from hushwatt.cli.terminal import say
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from hushwatt.provider.store.session import Database


def erase(household: str, /, *, plan: PlanName = None, where: StoreOptions = USUAL_STORE) -> None:
    """Erase the home that files call HOUSEHOLD, and every report of it; later files do not bring it back.

    Published numbers stay. Archives lose the home when they are exported again.

    Parameters
    ----------
    household
        The home's name in the files; or device- and its device in hex, for one that enrolled itself.
    """
    import numpy as np

    from hushwatt.cli.provider.import_export import open_collection
    from hushwatt.provider.intake.device_names import device_of
    from hushwatt.provider.intake.erase import erase as take_out

    database, collection, _ = open_collection(where.settings(), plan)
    device = device_of(collection.plan, household)
    with database.reading() as session:
        homes, signers, _ = session.find_devices(collection.number, np.frombuffer(device, np.uint8)[None, :])
    if homes[0] < 0:
        raise UsageError(f"{household}: no home of that name is enrolled")
    erased = take_out(database, collection, device, int(homes[0]), int(signers[0]))
    say(f"erased {household} and {erased:,} reports of it")
    overwrite_erased(database)
    database.close()


def overwrite_erased(database: "Database") -> None:
    """Leave no byte of what was erased or scrubbed, or tell that others hold that up."""
    from hushwatt.provider.store.session import StoreUnavailable

    try:
        database.purge()
    except StoreUnavailable:
        say("others still read the store: what was erased is overwritten when the service runs next")
