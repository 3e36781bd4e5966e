"""Plans to start from: every file in the folder `presets` is one."""

from importlib.resources import files

from hushwatt.errors import PlanError
from hushwatt.plan.plan import Plan
from hushwatt.plan.shown import nearest, shown

FOLDER = files("hushwatt.plan") / "presets"


def presets() -> tuple[str, ...]:
    """The names of all presets.

    >>> "paper" in presets()
    True
    """
    found = (each.name for each in FOLDER.iterdir() if each.name.endswith(".toml"))
    return tuple(sorted(name.removesuffix(".toml") for name in found))


def preset_text(name: str) -> str:
    """The file of a preset, with its comments."""
    if name not in presets():
        hint = nearest(name, presets()) or f"; there are {', '.join(presets())}"
        raise PlanError(f"there is no preset {shown(name)}{hint}")
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def preset(name: str) -> Plan:
    """The plan of a preset.

    >>> preset("paper").window
    3
    """
    return Plan.parse(preset_text(name), source=name)
