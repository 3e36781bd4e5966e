"""The extras are known from the package itself."""

from importlib import metadata

import pytest

import hushwatt as package
from hushwatt.cli.extras import base, extra_with, extras, installed, need
from hushwatt.errors import UsageError


def test_all_extras_are_known():
    """Every extra the package declares is there, the smallest first."""
    sizes = [len(packages) for packages in extras().values()]

    assert set(extras()) >= {"provider", "evaluate", "spark", "dev"}
    assert sizes == sorted(sizes)


def test_the_base_is_light():
    """Without extras, nothing heavy is installed: a household runs on a Raspberry Pi."""
    base = [line for line in metadata.requires("hushwatt") if "extra ==" not in line]

    assert not [line for line in base if line.startswith(("pyarrow", "scipy", "numba", "pandas", "polars"))]
    assert any(line.startswith("numpy") for line in base)


def test_base():
    """The packages of every install are told apart from those of extras."""

    assert {"numpy", "apsw", "cryptography"} <= set(base())
    assert not {"pyarrow", "pytest"} & set(base())


def test_needed_before_work_begins(monkeypatch):
    """What an errand needs is asked for at once, in one line."""
    need("provider")
    monkeypatch.setattr("hushwatt.cli.extras.extras", lambda: {"evaluate": ("numpy", "no-such-package")})
    with pytest.raises(UsageError) as refused:
        need("evaluate")

    assert str(refused.value) == (
        "this needs no-such-package, which is not installed: pip install 'hushwatt[evaluate]'"
    )


def test_the_smallest_extra_is_advised():
    """A package that several extras bring is advised from the smallest."""

    assert extra_with("scipy") == "provider"
    assert extra_with("polars") == "evaluate"
    assert extra_with("pyspark") == "spark"
    assert extra_with("pytest") == "dev"
    assert extra_with("numpy") is None


def test_installed():
    """A package that is here has a version, one that is not has none."""

    assert installed("numpy") == metadata.version("numpy")
    assert installed("no-such-package") is None


def test_one_version():
    """The package and its metadata tell the same version."""

    assert metadata.version("hushwatt") == package.__version__
