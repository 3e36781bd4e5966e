"""An attack on the real bytes never shows more than ε.  [claim C13]

Half a fleet leads one life, half another, and the shipped steps report for both; the provider's
decisions, where it decides, are made once for all.  The attacker sees what is sent and nothing else.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from hushwatt.audit.attacks.attack import ONE, OTHER, StreamAttacker
from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.miniature import Shape, fewer_turns, range_plan
from hushwatt.fleet.provider_decisions import DecisionState, report_rounds
from hushwatt.household.report.homes import Homes, enrol
from hushwatt.household.report.report import SlotReports, report
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation, Source
from hushwatt.privacy.promise import promise

TRIALS, QUICK_TRIALS = 1_000_000, 60_000
DOUBT = 0.01  # of all attacks together
MECHANISMS = (  # method, who decides, oracle, appliances asked of three, window, ε
    ("lbu", None, "oue", 3, 2, 2.0),
    ("lbu", None, "grr", 3, 3, 1.0),
    ("lbu", None, "sue", 1, 2, 2.0),
    ("lbu", None, "grr", 2, 3, 2.0),
    ("lsp", None, "oue", 3, 3, 1.0),
    ("lsp", None, "sue", 3, 2, 2.0),
    ("lsp", None, "grr", 1, 2, 3.0),
    ("lpu", None, "oue", 3, 2, 2.0),
    ("lpu", None, "grr", 3, 3, 1.0),
    ("lpu", None, "grr", 1, 2, 2.0),
    ("lbd", "household", "oue", 3, 2, 2.0),
    ("lbd", "household", "grr", 3, 1, 2.0),
    ("lba", "household", "oue", 3, 3, 2.0),
    ("lba", "household", "sue", 3, 2, 1.0),
    ("lba", "household", "grr", 3, 2, 3.0),
    ("lbd", "provider", "grr", 3, 2, 2.0),
    ("lba", "provider", "oue", 3, 2, 2.0),
    ("lba", "provider", "grr", 1, 3, 2.0),
    ("lpd", "provider", "grr", 3, 2, 1.0),
    ("lpa", "provider", "oue", 2, 2, 2.0),
)
QUICK = (0, 9, 14, 16)
WIDTHS = (2, 4, 3)
SEED = 11
MOST_WATCHED = 60  # slots of a window


@dataclass(frozen=True)
class AttackTarget:
    """What the two lives differ in: all appliances or one, a whole window or one slot of it."""

    suspects: tuple[int, ...]
    slots: range

    def __str__(self) -> str:
        who = "home" if len(self.suspects) > 1 else "appliance"
        return f"{who}, {'stream' if len(self.slots) > 1 else 'slot'}"


def empirical_audits(quick: bool = False) -> Iterator[Audit]:
    """Twenty plans, attacked in four ways each; a few of them when quick."""
    chosen = [MECHANISMS[place] for place in QUICK] if quick else list(MECHANISMS)
    doubt = DOUBT / (4 * len(chosen))
    for method, decision, oracle, asked, window, epsilon in chosen:
        shape = Shape(WIDTHS, window, window + 1)
        plan = range_plan(method, decision, oracle, shape, int(epsilon * MICRO), asked)
        yield partial(audit_attacks, plan, QUICK_TRIALS if quick else TRIALS, doubt)


def empirical_audit_of(plan: Plan) -> Audit:
    """Attacks on a plan as it stands, but for a window of many turns, of which a home has one alone."""
    return partial(audit_attacks, fewer_turns(plan, MOST_WATCHED), QUICK_TRIALS, DOUBT / 4)


def audit_attacks(plan: Plan, trials: int, doubt: float) -> Finding:
    """Four attacks on a fleet of so many homes."""
    subject = f"attack on {plan.method}, {plan.oracle}, {plan.appliances_per_report} of {len(plan.appliances)}"
    by = f" by the {plan.decision}" if plan.decision else ""
    return strongest(plan, subject + by, f"{trials:,} trials", lambda it: shown_by_attack(plan, it, trials, doubt))


def strongest(plan: Plan, subject: str, size: str, prove: Callable[[AttackTarget], float], **numbers: int) -> Finding:
    """The most that four attacks show, against what is promised to the home and to an appliance."""
    shown, passed = dict[str, float](), True
    for target in targets(plan):
        proved, most = prove(target), allowed(plan, target)
        shown[str(target)] = proved / most
        passed = passed and proved <= most
    best = max(shown, key=lambda name: shown[name])
    figure = f"shows {shown[best]:.3f} of what is promised ({best}); {size}"
    return Finding("C13", subject, figure, passed, numbers={"reached": shown[best], **shown, **numbers})


def allowed(plan: Plan, target: AttackTarget) -> float:
    """The ε that is promised for what the two lives differ in."""
    whole = len(target.suspects) == len(plan.appliances)
    return (plan.epsilon if whole else float(promise(plan).appliance_dearest)) / MICRO


def targets(plan: Plan) -> list[AttackTarget]:
    """One appliance and the whole home, one slot and a whole window."""
    everyone = tuple(range(len(plan.appliances)))
    watched = range(min(plan.window, MOST_WATCHED))
    return [AttackTarget(who, when) for who in (everyone, (0,)) for when in (watched, range(1))]


def shown_by_attack(plan: Plan, target: AttackTarget, trials: int, doubt: float) -> float:
    """The ε that one attack proves."""
    homes = trials // 4 * 4
    source = Simulation(SEED, f"{plan.id} {target}")
    fleet = enrol(plan, homes, 0, source)
    attacker = StreamAttacker.of(plan, list(target.suspects), homes)
    for slot, rounds in enumerate(_rounds(plan, fleet, target, source)):
        for sent in rounds:
            attacker.see(sent, slot in target.slots)
    return attacker.shown(doubt)


def _rounds(plan: Plan, fleet: Homes, target: AttackTarget, source: Source) -> Iterator[Iterable[SlotReports]]:
    """What is sent, slot by slot, in what is watched of the window and one slot after it."""
    decided = DecisionState.start(plan, len(fleet)) if plan.decision == "provider" else None
    for slot in range(min(plan.window, MOST_WATCHED) + 1):
        levels = np.full((len(fleet), len(plan.appliances)), ONE, dtype=np.uint16)
        if slot in target.slots:
            levels[len(fleet) // 2 :, list(target.suspects)] = OTHER
        if decided is None:
            yield [report(fleet, slot, levels, source)]
        else:
            yield report_rounds(fleet, decided, slot, levels, source)
