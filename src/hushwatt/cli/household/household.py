"""`hushwatt household`: take part from home, see everything that leaves it, and stop at any time."""

import json
import os
import sys
import time
from dataclasses import asdict
from typing import Annotated

from cyclopts import App, Parameter

from hushwatt.cli.household.compare import compare
from hushwatt.cli.household.options import (
    FolderOption,
    PlanName,
    confirms,
    key_in,
    known_key,
    open_folder,
    page_place,
    parquet_rows,
    plan_in,
    say,
)
from hushwatt.cli.household.sources import sources
from hushwatt.cli.options import Json
from hushwatt.errors import UsageError
from hushwatt.sanitise import quoted

app = App(name="household", help="Take part from home: join, run, see all that leaves, compare, pause, leave.")
app.command(compare)
app.command(sources)


@app.command
def join(
    url: str,
    /,
    *,
    plan: PlanName = None,
    code: str | None = None,
    key: str | None = None,
    cap: Annotated[list[str] | None, Parameter(name="--cap", negative=())] = None,
    follow_successors: Annotated[bool, Parameter(negative=())] = False,
    yes: bool = False,
    folder: FolderOption = None,
) -> None:
    """Read what the provider at URL asks, weigh it against your own caps, and agree or not.

    Nothing is sent before you agree but the request for the plan, and with a code the question what the
    provider knows of the home that it is for. Run the agent with
    `hushwatt household run` afterwards.

    Parameters
    ----------
    url
        The provider's address, such as https://energy.example.org.
    code
        The one-time code that the provider gave you, if it asks for one.
    key
        The provider's public key in hex, if you have it from elsewhere; no other is believed.
    cap
        Set one of your own caps with your consent, such as --cap epsilon_per_year=500; kept in caps.toml once
        you agree, and heeded by an agent that runs already.
    follow_successors
        Let this home move on by itself to plans that replace its plans, from the same provider, where nothing
        about the protection is weaker and your caps hold; kept in caps.toml, for all plans of this home.
    yes
        Agree without being asked; for scripts.
    """
    from hushwatt.household.join import agree, propose
    from hushwatt.household.ledger.caps import caps_with, write_caps
    from hushwatt.household.upload.http import check_address
    from hushwatt.household.upload.provider_client import choose_plan
    from hushwatt.household.upload.recorded_client import recorded_client
    from hushwatt.household.words.agreement import agreement
    from hushwatt.household.words.cap_terms import refusal_lines, refusal_words
    from hushwatt.privacy.entropy import OperatingSystem

    here = open_folder(folder)
    client = recorded_client(here.path, time.time_ns())(check_address(url))
    wanted, pinned = plan or plan_in(url), key_in(key) or known_key(here, client.address)
    if wanted is None or len(wanted) != 64:
        wanted, pinned = choose_plan(client, wanted, pinned)
    with here.store(make=True) as store:
        settings = [*(cap or ()), *(["follow_successors=true"] if follow_successors else ())]
        caps = caps_with(here.caps_path, settings)
        proposal = propose(store, caps, client, wanted, pinned, time.time_ns(), code)
        words = agreement(proposal)
        print(words)
        if proposal.objections:
            print("\n".join(refusal_lines(proposal)))
            raise UsageError(f"{refusal_words(proposal)} (kept in {here.caps_path})")
        if not yes and not confirms("Do you agree?", "nobody is there to agree"):
            say("nothing was agreed, nothing was sent")
            raise SystemExit(1)
        if settings:
            write_caps(here.caps_path, settings)
        agreed = agree(store, proposal, words, code, time.time_ns(), OperatingSystem())
    for line in here.restrict_to_owner():
        say(line)
    find = f"find your plugs with `{here.command('sources --write')}`, then "
    first = "" if (here.path / "sources.toml").exists() else find
    say(f"joined {quoted(agreed.name)}; next: {first}`{here.command('run')}`")


@app.command
def run(
    *,
    folder: FolderOption = None,
    page_host: str = "127.0.0.1",
    page_port: int = 8041,
    page_guest: str | None = None,
    no_page: bool = False,
) -> None:
    """Run the agent: read the plugs, end every slot, send what is due, and show the owner's page.

    Stops cleanly on Ctrl-C or SIGTERM, and survives being stopped in any other way.

    Parameters
    ----------
    page_host
        The address of the page; it answers to this machine only.
    page_port
        Its port.
    page_guest
        One more address that may look, such as that of Home Assistant's ingress, 172.30.32.2.
    no_page
        Show no page.
    """
    from hushwatt.household.clock import SystemHomeClock
    from hushwatt.household.run import Runner
    from hushwatt.household.sources.hub import Hub

    here = open_folder(folder)
    page = None if no_page else page_place(page_host, page_port, page_guest)
    sources = here.sources()
    here.check_secrets(sources)
    hub = Hub.of(sources, say, {".parquet": parquet_rows})
    Runner(here, sources, hub, SystemHomeClock(), say, page, page_guest).run()
    sys.stdout.flush()
    os._exit(0)  # a thread that still looks up a name or hangs in a connection holds nothing up


@app.command
def status(*, folder: FolderOption = None, as_json: Json = False) -> None:
    """Show troubles, plans, the next report, what is left of the budget, what was sent, and how the sources are."""
    from hushwatt.cli.household.owner_text import plan_table, status_lines
    from hushwatt.household.ledger.lock import is_locked
    from hushwatt.household.status import appliance_meters, cap_objections, meters, plan_statuses
    from hushwatt.household.troubles import not_running, troubles

    here, now = open_folder(folder), time.time_ns()
    health = here.health()
    with here.store() as store:
        caps = here.caps()
        joined = plan_statuses(store, now, caps)
        wrong = troubles(store, caps, health, now, joined)
        if any(each.state == "taking part" for each in joined) and not is_locked(here.ledger):
            wrong.insert(0, not_running(store))
        budgets = [*meters(store, caps, now), *appliance_meters(store, caps, now)]
    beyond = cap_objections(caps, joined)
    if as_json:
        document = {
            "budget": {each.words: {"spent": each.spent, "cap": each.cap or None} for each in budgets},
            "plans": [plan_table(each, beyond) for each in joined],
            "follow_successors": caps.follow_successors,
            "sources": health,
            "troubles": [asdict(each) for each in wrong],
        }
        print(json.dumps(document, indent=2))
        return
    for line in status_lines(budgets, joined, beyond, health, now, caps, wrong):
        print(line)


@app.command
def sent(*, last: int | None = None, folder: FolderOption = None, as_json: Json = False) -> None:
    """Show everything that ever left this home, or waits to, with when its slot ended and its bytes.

    Parameters
    ----------
    last
        Only so many, the latest ones.
    """
    from hushwatt.cli.household.owner_text import iso
    from hushwatt.household.status import sent_reports as everything
    from hushwatt.plan.amounts import plain
    from hushwatt.plan.times import zoned_time

    with open_folder(folder).store() as store:
        rows = everything(store, last)
    if as_json:
        keys = ("plan", "slot", "spent", "drawn", "answer", "labels")
        table = [
            {**{key: row[key] for key in keys}, "at": iso(row["ended"]), "payload": row["payload"].hex()}
            for row in rows
        ]
        print(json.dumps(table))
        return
    for row in rows:
        state = row["answer"] or "waiting"
        cost = f"spent ε {plain(row['spent'])}, drawn with ε {plain(row['drawn'])}"
        when = f"{zoned_time(row['ended'], row['timezone'])}  slot {row['slot']}"
        print(f"{row['plan'][:12]}  {when}  {cost}  {state}  {row['payload'].hex()}")


@app.command
def pause(*, plan: PlanName = None, folder: FolderOption = None) -> None:
    """Keep silent from the current slot on: nothing is spent and nothing leaves while paused.

    Reports that wait are kept, and sent as they are after `resume`.
    """
    from hushwatt.household.join import pause as stop
    from hushwatt.household.words.consent_text import WHILE_PAUSED

    with open_folder(folder).store() as store:
        for each in stop(store, plan, time.time_ns()):
            say(f"paused {quoted(each.name)}. {WHILE_PAUSED}")


@app.command
def resume(*, plan: PlanName = None, folder: FolderOption = None) -> None:
    """Take part again, from the next slot on."""
    from hushwatt.household.join import resume as go_on

    with open_folder(folder).store() as store:
        for each in go_on(store, plan):
            say(f"resumed {quoted(each.name)}")


@app.command
def leave(*, plan: PlanName = None, forget: bool = False, yes: bool = False, folder: FolderOption = None) -> None:
    """Leave a plan: stop at once, have the provider erase every report, and delete the keys.

    Says first what that leaves behind, and asks. What was spent stays in the ledger: leaving gives no budget back.

    Parameters
    ----------
    forget
        Delete the keys without asking the provider, who can then never be asked again.
    yes
        Leave without being asked; for scripts.
    """
    from hushwatt.cli.household.leaving_text import leaving_lines
    from hushwatt.household.leave import leavable
    from hushwatt.household.leave import leave as go
    from hushwatt.household.upload.http import Unreachable
    from hushwatt.household.upload.recorded_client import recorded_client

    here = open_folder(folder)
    with here.store() as store:
        row = leavable(store, plan)
        for line in leaving_lines(store, row, forget, time.time_ns()):
            print(line)
        if not yes and not confirms("Do you want to leave?", "nobody is there to confirm it"):
            say("nothing was changed")
            raise SystemExit(1)
        try:
            left, erased = go(store, row["plan"], now := time.time_ns(), forget, recorded_client(here.path, now))
        except Unreachable as wrong:
            again = here.command(f"leave --plan {row['plan'][:12]}")
            raise Unreachable(f"left, and not yet erased: {wrong}; ask again with `{again}`") from None
    done = "keys deleted" if erased is None else f"the provider erased {erased:,} reports, keys deleted"
    say(f"left {quoted(left.name)}: {done}")
