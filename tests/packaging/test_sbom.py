"""The list of what hushwatt is made of is valid CycloneDX, complete, and the same every time."""

import hashlib
import json
import os
import shutil

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


@pytest.fixture(scope="module")
def lists(supply, built, once):
    """The lists for each lock, as `make sbom` writes them beside the wheel."""

    def made(folder):
        shutil.copy(built.wheel, folder)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        done = supply("sbom", folder, "light", "provider", env=environment)
        assert done.returncode == 0, done.stderr

    found = sorted(once("sbom", made).glob("*.cdx.json"))
    return {path.name.split("-")[2].partition(".")[0]: path for path in found}


def test_valid(lists):
    """CycloneDX's own schema accepts it, and would not accept less."""
    text = lists["provider"].read_text()
    check = JsonStrictValidator(SchemaVersion.V1_6)

    assert check.validate_str(text) is None
    assert check.validate_str(text.replace('"type": "library"', '"type": "bookshop"', 1)) is not None


def test_complete(lists, built):
    """The wheel by its hash, every pin with version and hashes, and who needs whom."""
    told = json.loads(lists["light"].read_text())
    parts = {part["name"]: part for part in told["components"]}
    needs = {one["ref"]: one.get("dependsOn", []) for one in told["dependencies"]}

    ours = told["metadata"]["component"]
    assert ours["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(built.wheel.read_bytes()).hexdigest()}]
    assert {"numpy", "apsw", "cryptography", "cffi"} <= set(parts)
    assert not {"pyarrow", "scipy", "numba", "pandas"} & set(parts)
    assert all(part["version"] and part["externalReferences"][0]["hashes"] for part in parts.values())
    assert any(ref.startswith("cffi==") for ref in needs[f"cryptography=={parts['cryptography']['version']}"])
    assert {"apsw", "numpy", "rich"} <= {ref.partition("==")[0] for ref in needs["hushwatt"]}
    assert told["metadata"]["timestamp"].startswith("2023-11-14")


def test_no_registry_is_named(lists):
    """Packages are named by what they are, not by where one machine got them."""
    assert all("://" not in path.read_text().replace("http://cyclonedx.org", "") for path in lists.values())
