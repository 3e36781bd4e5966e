"""What the provider's tests share lies beside them: `simulated.py` and `collecting.py`."""

from tests.provider.collecting import collecting, postgres_server, store_address  # noqa: F401  fixtures
