"""`hushwatt plan statement`: a plan in the words of those who must sign."""

import json
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from hushwatt.cli.options import Output
from hushwatt.cli.terminal import say
from hushwatt.errors import UsageError

KINDS = (".html", ".json")


def statement(
    plan: Path,
    *,
    output: Output,
    audit: Annotated[list[Path] | None, Parameter(name="--audit", negative="")] = None,
) -> None:
    """State what PLAN promises, what was checked and what cannot be claimed, for those who must sign.

    What NIST SP 800-226 asks of a guarantee, the parts of the EU's DPIA template for smart grids that a plan and an
    audit can answer, and an entry in the manner of the OpenDP deployments registry.  Every figure names the key of the
    plan, the formula or the audit that it comes from.

    Parameters
    ----------
    plan
        The plan's file.
    audit
        What `hushwatt audit … --json` printed, kept in a file; may be given several times.
    """
    from hushwatt.audit.statement.evidence import read_audit
    from hushwatt.audit.statement.page import statement_page
    from hushwatt.audit.statement.statement import statement as stated
    from hushwatt.plan.plan import Plan
    from hushwatt.wire.storage import atomic_write_to

    if output.suffix.lower() not in KINDS:
        raise UsageError(f"cannot write {output}: a statement is a file that ends in {' or '.join(KINDS)}")
    agreed = Plan.load(plan)
    found = stated(agreed, [read_audit(each) for each in audit or []])
    with atomic_write_to(output) as temporary:
        if output.suffix.lower() == ".json":
            text = json.dumps(found.as_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        else:
            text = statement_page(found)
        temporary.write_text(text, encoding="utf-8")
    say(f"{output}: {found.verdict.says}")
    for note in found.verdict.notes:
        say(note)
