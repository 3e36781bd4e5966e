"""Tests of the integration, run in Home Assistant's environment by `tests/packaging/test_custom_component.py`."""
