"""The method and the oracle of `docs/howto/add-a-method.md`, added exactly as that page says.

As a plugin (`pytest -p tests.added`) it adds them before tests are collected, so that whatever goes through
every method or every oracle goes through these.
"""

import re
import sys
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).parents[1] / "docs/howto/add-a-method.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def add():
    """Run the blocks that define something or make it known; the names they leave."""
    module = sys.modules["added"] = ModuleType("added")  # so that what it defines can be pickled
    names = vars(module)
    for text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if re.search(r"^(class|def) |^[A-Z]+\[", text, re.MULTILINE):
            exec(compile(text, str(PAGE), "exec"), names)
    return names


def remove():
    """Run the block that ends the try."""
    from hushwatt.plan.choices import METHODS, ORACLES
    from hushwatt.privacy.laws import LAWS
    from hushwatt.privacy.strategies import STRATEGIES

    (text,) = (text for text in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if text.startswith("del "))
    exec(text, {"METHODS": METHODS, "ORACLES": ORACLES, "LAWS": LAWS, "STRATEGIES": STRATEGIES})


def pytest_configure(config):
    add()
