"""An entry in the manner of the OpenDP deployments registry: its fields, filled from the plan and the audits.

What the registry asks and no plan knows is left empty and listed.  Beside the entry stands where each field that
carries a figure comes from.
"""

import re
from collections.abc import Iterator
from typing import Any

from hushwatt import __version__
from hushwatt.audit.statement.evidence import Evidence
from hushwatt.audit.statement.fact import Fact, TracedFigure, amount, computed, fact, from_plan
from hushwatt.audit.statement.guarantee import trust, unit_of_privacy, window_of
from hushwatt.audit.statement.long_term import caps, said
from hushwatt.audit.statement.mechanism import mechanism, published, utility
from hushwatt.audit.statement.proof import shown_by
from hushwatt.plan.periods import how_often
from hushwatt.plan.plan import Plan
from hushwatt.plan.rules import LONGEST_TEXT
from hushwatt.privacy.promise import promise
from hushwatt.sanitise import sanitised

MANNER = "OpenDP deployments registry"
OPEN = ""  # for people to fill in
Leaf = str | TracedFigure | Fact | tuple[Fact, ...]


def registry_entry(plan: Plan, evidence: Evidence) -> dict[str, Any]:
    """The entry, where its figures come from, and the fields that are left to people."""
    leaves = list(_leaves(_entry(plan, evidence)))
    return {
        "in_the_manner_of": MANNER,
        "entry": _plain(_entry(plan, evidence)),
        "sources": {path: found for path, leaf in leaves if (found := _sources(leaf))},
        "to_be_filled_in": [path for path, leaf in leaves if leaf == OPEN],
    }


def _entry(plan: Plan, evidence: Evidence) -> dict[str, Any]:
    return {
        "url_slug": _slug(plan.name),
        "deployment": {
            "basic": _basic(plan),
            "dp_variant": _variant(plan),
            "privacy_loss": _loss(plan),
            "deployment_model": _model(plan),
            "implementation": _implementation(plan, evidence),
            "administrative": {"status": "Draft", "registry_authors": [OPEN], "tier": OPEN},
        },
    }


def _basic(plan: Plan) -> dict[str, Any]:
    return {
        "name": from_plan("name", _text(plan.name)),
        "data_curators": [{"data_curator_name": from_plan("contact", _text(plan.contact)), "data_curator_type": OPEN}],
        "description": from_plan("description", _text(plan.description)),
        "intended_use": from_plan("description", _text(plan.description)),
        "data_product_type": "Summary statistics",
        "data_product_region": OPEN,
        "data_product_sector": "Energy",
        "publication_date": from_plan("start", f"{plan.start:%Y-%m-%d}"),
    }


def _variant(plan: Plan) -> dict[str, Any]:
    domain = fact(
        "data_domain",
        "",
        "For each home and slot, the level of each appliance, from mean watts over the slot: {levels} in all.",
        levels=from_plan("appliance", f"{sum(each.levels for each in plan.appliances):,} levels"),
    )
    return {
        "variant_name": "Pure DP",
        "data_domain": domain,
        "unprotected_quantities": "That a home takes part, and since when; the plan; what every report was drawn with.",
    }


def _loss(plan: Plan) -> dict[str, Any]:
    shown, value = amount(plan.epsilon)
    unit = fact("privacy_unit", "", "Home, {window}", window=window_of(plan))
    return {
        "privacy_unit": unit,
        "privacy_unit_details": unit_of_privacy(plan),
        "number_of_privacy_units": OPEN,
        "privacy_parameters": {"epsilon": from_plan("epsilon", shown, value)},
        "privacy_parameters_details": tuple(said(plan)),
    }


def _model(plan: Plan) -> dict[str, Any]:
    return {
        "model_name": "Local",
        "model_name_details": trust(plan),
        "trust_assumptions": "The home's device, its operating system's randomness, and its meters.",
        "actors": "Homes (data subjects and owners of the devices), the provider (curator), readers of its results.",
        "release_type": "Many releases",
        "release_type_details": fact(
            "release", "", "{often}", often=from_plan("publish", how_often(plan.publish, plan.slot))
        ),
        "data_source_type": "Dynamic",
        "data_source_type_details": fact(
            "source", "", "A reading for each slot of {slot}.", slot=from_plan("slot", plan.slot.lasting(1))
        ),
        "access_type": "Non-interactive",
        "access_type_details": published(plan),
    }


def _implementation(plan: Plan, evidence: Evidence) -> dict[str, Any]:
    audited = fact(
        "justification",
        "",
        "Proofs and exact enumeration come with the software. Audits of what is promised: {seen}",
        seen=shown_by(evidence, "C1", "C2", "C7", "C8", "C13"),
    )
    made = fact("software", "", "Made with hushwatt {version}.", version=computed("version", __version__))
    return {
        "preprocessing_and_hyperparameter_tuning": "Levels are chosen beforehand, from public knowledge only.",
        "mechanisms": mechanism(plan, promise(plan)),
        "composition": (*said(plan), caps()),
        "post_processing": "Estimates are debiased, and where a histogram is shown, made consistent.",
        "justification": audited,
        "utility": tuple(utility(plan)),
        "additional_information": made,
    }


def _leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Leaf]]:
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from _leaves(value, f"{path}/{key}")
    else:
        yield path, tree


def _plain(tree: Any) -> Any:
    """The entry as the registry has it: numbers, texts, lists and tables."""
    if isinstance(tree, dict):
        return {key: _plain(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_plain(value) for value in tree]
    if isinstance(tree, tuple):
        return " ".join(each.words for each in tree)
    if isinstance(tree, Fact):
        return tree.words
    if isinstance(tree, TracedFigure):
        return tree.shown if tree.value is None else tree.value
    return tree


def _sources(leaf: Leaf) -> list[str]:
    if isinstance(leaf, TracedFigure):
        return [leaf.source]
    if isinstance(leaf, Fact):
        return leaf.sources
    return [] if isinstance(leaf, str) else list(dict.fromkeys(each for one in leaf for each in one.sources))


def _text(text: str) -> str:
    return sanitised(text, LONGEST_TEXT)


def _slug(name: str) -> str:
    """A name as part of an address.

    >>> _slug("Kettles of Leeds, 2024")
    'kettles-of-leeds-2024'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
