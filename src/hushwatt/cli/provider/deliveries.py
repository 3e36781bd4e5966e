"""`hushwatt provider deliveries`: which files were taken in, and how a wrong one is put right."""

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.cli.options import Json
from hushwatt.cli.provider.import_export import check_homes, open_collection
from hushwatt.cli.provider.store_options import USUAL_STORE, PlanName, StoreOptions
from hushwatt.cli.terminal import print_json, say
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from hushwatt.provider.intake.take_back import TakenBack
    from hushwatt.provider.store.deliveries import DeliveryRecord


def deliveries(
    *,
    take_back: Annotated[int | None, Parameter(name="--take-back")] = None,
    correct: int | None = None,
    homes: int | None = None,
    plan: PlanName = None,
    where: StoreOptions = USUAL_STORE,
    as_json: Json = False,
) -> None:
    """List the files that were taken in; or take a wrong one back, or put its number of homes right.

    What is taken back is forgotten exactly by slots that are not published. Published numbers stay, and a
    delivery of published slots alone cannot be taken back.

    Parameters
    ----------
    take_back
        The number of a delivery to take back.
    correct
        The number of a delivery that tells a wrong number of homes; give the right one with --homes.
    homes
        How many homes take part.
    """
    from hushwatt.provider.intake.take_back import correct_homes
    from hushwatt.provider.intake.take_back import take_back as undo
    from hushwatt.provider.store.deliveries import all_deliveries

    if (correct is None) != (homes is None) or (correct is not None and take_back is not None):
        raise UsageError("--correct and --homes go together, and without --take-back")
    check_homes(homes)
    database, collection, _ = open_collection(where.settings(), plan)
    with closing(database):
        with database.writing() as session:
            if take_back is not None:
                _print_take_back(take_back, undo(session, collection, take_back))
            if correct is not None and homes is not None:
                correct_homes(session, collection, correct, homes)
            listed = all_deliveries(session, collection.number)
        if take_back is not None:
            database.purge()
    _print_deliveries(listed, as_json)


def _print_take_back(number: int, done: "TakenBack") -> None:
    say(f"took delivery {number} back: {done.reports:,} reports and {done.homes:,} homes are forgotten")
    if done.stay:
        say(f"{done.stay:,} reports of published slots stay")
    if done.again:
        say(f"take these in again, as some of their reports were not taken beside it: {', '.join(done.again)}")


def _print_deliveries(listed: "list[DeliveryRecord]", as_json: bool) -> None:
    if as_json:
        print_json({"deliveries": [vars(each) for each in listed]})
        return
    from datetime import UTC, datetime

    from hushwatt.plan.times import show_instant

    print(f"{'number':>6}  {'taken in':<20}  {'rows':>12}  {'accepted':>12}  {'homes':>12}  file")
    for each in listed:
        when = show_instant(datetime.fromtimestamp(each.at, UTC)) if each.at else "before"
        rows = f"{each.rows:,}" if each.taken >= each.rows else f"{each.taken:,} of {each.rows:,}"
        name = each.name if each.name.isprintable() else repr(each.name)
        note = " (taken back)" if each.undone else ""
        counts = f"{rows:>12}  {each.accepted:>12,}  {each.homes:>12,}"
        print(f"{each.number:>6}  {when:<20}  {counts}  {name}{note}")
