"""The command `hushwatt`: finds the command that was asked for, and loads only that.

To add a command, write `cli/<noun>.py` and add one line to COMMANDS: the name,
the address of a function or of an `App(name=<the same name>)`, and the first
line of its docstring.  The line stands here too so that `hushwatt --help` need
not load the file; a test compares the two.

A command prints its results to stdout and all else to stderr, says no by
`raise SystemExit(1)`, and lets errors fly: `run` turns those a user can mend
into one line and exit code 2, and leaves bugs loud.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from cyclopts import App, Parameter

from hushwatt import __version__
from hushwatt.cli.exit_codes import exit_codes
from hushwatt.cli.strict_numbers import strict_number


class Command(NamedTuple):
    """Where a command lives, and what it does, in one line."""

    address: str
    about: str


COMMANDS = {
    "demo": Command("hushwatt.cli.demo:demo", "Let invented homes report over real HTTP, and show what can be learnt."),
    "plan": Command("hushwatt.cli.plan.plan:app", "Write a plan, read it, and see what it promises."),
    "data": Command("hushwatt.cli.data:app", "See which datasets hushwatt reads, and make readings of them."),
    "simulate": Command("hushwatt.cli.simulate:simulate", "Invent the readings of many homes, to try things out with."),
    "randomise": Command(
        "hushwatt.cli.randomise:randomise", "Randomise READINGS by PLAN into a Parquet file of reports."
    ),
    "estimate": Command(
        "hushwatt.cli.estimate:estimate",
        "Estimate from REPORTS how many homes are at which level, and every appliance's watts.",
    ),
    "top": Command(
        "hushwatt.cli.estimate:top", "Show which appliances use the most, with the ranks they may really have."
    ),
    "compare": Command(
        "hushwatt.cli.compare:compare",
        "Say by how much every appliance's watts on side A differ from those on side B, and how surely.",
    ),
    "household": Command(
        "hushwatt.cli.household.household:app",
        "Take part from home: join, run, see all that leaves, compare, pause, leave.",
    ),
    "provider": Command(
        "hushwatt.cli.provider.provider:app", "Collect reports from homes, keep them safe, and give out estimates."
    ),
    "stream": Command(
        "hushwatt.cli.provider.stream:stream",
        "Let Spark find new REPORTS, and take them into the provider's store, each once.",
    ),
    "audit": Command(
        "hushwatt.cli.audit.audit:app", "Check that what is promised holds, by enumeration, search and attack."
    ),
    "reproduce": Command(
        "hushwatt.cli.reproduce:reproduce", "Reproduce the paper's tables and figures, and show where it slips."
    ),
    "doctor": Command("hushwatt.cli.doctor.doctor:doctor", "Check that this machine has what hushwatt needs."),
    "completion": Command(
        "hushwatt.cli.completion:completion", "Print the script by which your shell completes commands and options."
    ),
}


def app_for(called: str = "") -> App:
    """Give the whole command line; `called` will tell its own help, the others their one line."""
    app = App(
        name="hushwatt",
        help="Learn which appliances use how much, when, while each home keeps its own usage deniable.",
        version=__version__,
        default_parameter=Parameter(negative=(), converter=strict_number),
        help_format="plaintext",
        suppress_keyboard_interrupt=False,
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
    )
    for order, (name, command) in enumerate(COMMANDS.items()):
        about = None if name == called else command.about
        app.command(command.address, name=name, help=about, sort_key=order)
    return app


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command line and leave: 0 done, 1 the answer is no, 2 wrong use or bad input."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    with exit_codes():
        app_for(words[0] if words else "")(words)
    sys.exit(0)
