"""What the paper prints, as data: nothing here was computed by hushwatt.

From "Local Differential Privacy for Smart Meter Data Sharing" (Shanmugarasa et
al., arXiv 2311.04544): its figures, its table of approaches, and its table of
p-values for every appliance (`paper_numbers.toml`).
"""

import tomllib
from functools import cache
from importlib.resources import files

from hushwatt.evaluate.generators.paper_homes import SHARES

NAMES = tuple(SHARES)  # the paper's A1 to A15

METHODS = {"LBU": 0.00044, "LSP": 0.00111, "LBD": 0.00058, "LBA": 0.00082}
WINDOWS = {2: 0.00097, 3: 0.00082, 5: 0.00066, 7: 0.00059}
BUDGETS = {5: 0.00061, 10: 0.00082, 15: 0.00097, 20: 0.00106}
LEVELS = {5: 0.04713, 7: 0.01054, 10: 0.00082, 15: 0.00082}  # its own table has about 1e-5 for 15
USERS = {100: 0.00038, 1_000: 0.00088, 10_000: 0.00175}
APPLIANCES = {5: 0.00025, 10: 0.00018, 15: 0.00016, 20: 0.00015}
DISTRIBUTIONS = {
    "uniform": {"LBU": 0.000156, "LSP": 0.000156, "LBD": 0.000156, "LBA": 0.000156},
    "normal": {"LBU": 0.000156, "LSP": 0.000156, "LBD": 0.000156, "LBA": 0.000156},
    "left-skewed": {"LBU": 0.000138, "LSP": 0.000138, "LBD": 0.000240, "LBA": 0.000138},
    "right-skewed": {"LBU": 0.0001457, "LSP": 0.0001456, "LBD": 0.000473, "LBA": 0.000145},
}

TRUE_SHARES = {name: share for name, (share, _) in SHARES.items()}  # per cent
PERTURBED_SHARES = dict(  # per cent, A1 to A15
    zip(NAMES, (6.6, 7.4, 7.1, 6.7, 5.8, 8.7, 9.8, 6.0, 6.3, 5.8, 6.4, 5.7, 5.7, 6.1, 5.8), strict=True)
)

HITS_MEAN = 5.7  # of 100 runs, from 4 to 8 with a median of 6; the one run that is shown has 8

BENCHMARK_HITS = {"laplace": 1.98, "gamma": 2.09, "gaussian": 2.075, "exponential": 2.1}
BENCHMARK_MILLISECONDS = {"laplace": 0.06, "gamma": 0.11, "gaussian": 0.08, "exponential": 0.09}
OWN_MILLISECONDS = 0.009

FLOORS = {5: 0.0090, 7: 0.00173, 10: 0.000156, 15: 3.0e-6}  # the value that fills each column, by levels


@cache
def per_appliance() -> dict[str, dict[str, dict[str, float]]]:
    """The p-value of every appliance, by scenario and setting, as the paper's last table has it.

    >>> per_appliance()["methods"]["LBA"]["fridge"]
    0.00103
    """
    text = (files("hushwatt.evaluate") / "paper_numbers.toml").read_text(encoding="utf-8")
    return {
        scenario: {setting: dict(zip(NAMES, row, strict=True)) for setting, row in rows.items()}
        for scenario, rows in tomllib.loads(text).items()
    }
