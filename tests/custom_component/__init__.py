"""Tests of the integration, run inside Home Assistant's own environment by `tests/packaging/test_custom_component.py`."""
