"""`hushwatt doctor`: is this machine fit for it?"""

import json
from dataclasses import asdict
from pathlib import Path

from hushwatt import __version__
from hushwatt.cli.doctor.check import Check
from hushwatt.cli.doctor.machine import run_checks
from hushwatt.cli.options import Json


def doctor(*, folder: Path = Path(), provider: str | None = None, as_json: Json = False) -> None:
    """Check that this machine has what hushwatt needs.

    Where a home is in the folder, its ledger, its agent, its broker, its Home Assistant and its providers are looked
    at too. Exits with 1 when something essential is wrong.

    Parameters
    ----------
    folder
        Where state is or would be kept; a small file is written there and removed.
    provider
        The address of a provider to compare the clock with.
    """
    checks = run_checks(folder, provider)
    well = all(check.well for check in checks if check.essential)
    print(_as_json(checks, well) if as_json else _as_lines(checks, well))
    if not well:
        raise SystemExit(1)


def _as_json(checks: list[Check], well: bool) -> str:
    findings = [asdict(check) for check in checks]
    return json.dumps({"hushwatt": __version__, "well": well, "checks": findings}, indent=2)


def _as_lines(checks: list[Check], well: bool) -> str:
    """One line a check: ✓ well, ✗ wrong and essential, – wrong or missing but not needed by all."""
    lines = [f"{_mark(check)} {check.name:<11} {check.found}" for check in checks]
    verdict = "all is well" if well else "something essential is wrong, see ✗"
    if well and not all(check.well for check in checks):
        verdict = "all essentials are well; – is worth a look"
    return "\n".join([*lines, f"hushwatt {__version__}: {verdict}"])


def _mark(check: Check) -> str:
    if check.well:
        return "✓"
    return "✗" if check.essential else "–"
