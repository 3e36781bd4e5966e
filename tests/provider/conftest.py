"""What the provider's tests share lies beside them: `simulated.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
