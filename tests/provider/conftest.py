"""What the provider's tests share lies beside them: `simulated.py` and `collecting.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from collecting import collecting, postgres_server, store_address  # noqa: F401  fixtures
