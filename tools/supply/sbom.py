"""Write what hushwatt is made of: a CycloneDX list for the light install and for each extra.

    python -m tools.supply.sbom dist [LOCK…]

Versions, hashes and who asks for what come from the lock files, licences from the installed packages.  The
same lock, wheel and SOURCE_DATE_EPOCH give the same bytes.
"""

import hashlib
import os
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import License
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from tools.supply.pins import Pin, pins

LOCKS = ("light", "provider", "evaluate", "spark", "otel")
MAX_LICENCE_LETTERS = 60  # characters; what is longer is a text, not a name


def main(folder: str, *locks: str) -> None:
    wheel = next(Path(folder).glob("hushwatt-*.whl"))
    for lock in locks or LOCKS:
        path = Path(folder, f"{wheel.name.split('-py3')[0]}-{lock}.cdx.json")
        path.write_text(document(wheel, lock), encoding="utf-8")
        print(f"{path}  {len(pins(lock))} packages")


def document(wheel: Path, lock: str) -> str:
    """The list for one lock, valid by CycloneDX's own schema."""
    text = JsonV1Dot6(bill(wheel, lock)).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong is not None:
        sys.exit(f"the list of {lock} is not valid: {wrong}")
    return text + "\n"


def bill(wheel: Path, lock: str) -> Bom:
    """The wheel, every package, and who asks for whom."""
    ours, parts = ourselves(wheel), {pin: component(pin) for pin in pins(lock)}
    seed = "".join(f"{pin.name}{pin.version}{pin.hashes}" for pin in parts) + ours.hashes[0].content
    bom = Bom(components=parts.values(), serial_number=uuid5(NAMESPACE_URL, seed))
    bom.metadata.component = ours
    bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), UTC)
    for asker, asking in {"hushwatt": [ours], **by_name(parts)}.items():
        asked = [part for pin, part in parts.items() if asker in pin.asked_by]
        for one in asking:
            bom.register_dependency(one, asked)
    return bom


def by_name(parts: dict[Pin, Component]) -> dict[str, list[Component]]:
    """A package may be pinned twice, for older and for newer Pythons."""
    return {pin.name: [part for other, part in parts.items() if other.name == pin.name] for pin in parts}


def ourselves(wheel: Path) -> Component:
    version = wheel.name.split("-")[1]
    return Component(
        name="hushwatt",
        version=version,
        type=ComponentType.APPLICATION,
        bom_ref="hushwatt",
        purl=PackageURL("pypi", name="hushwatt", version=version),
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(wheel.read_bytes()).hexdigest())],
    )


def component(pin: Pin) -> Component:
    files = [HashType(alg=HashAlgorithm.SHA_256, content=content) for content in pin.hashes]
    purl = PackageURL("pypi", name=pin.name, version=pin.version)
    return Component(
        name=pin.name,
        version=pin.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{pin.name}=={pin.version}",
        purl=purl,
        licenses=licences(pin),
        external_references=[
            ExternalReference(type=ExternalReferenceType.DISTRIBUTION, url=XsUri(purl.to_string()), hashes=files)
        ],
        properties=[Property(name="hushwatt:marker", value=pin.marker)] if pin.marker else (),
    )


def licences(pin: Pin) -> list[License]:
    """As the installed package names it; nothing where another version or none is installed."""
    try:
        about = metadata.metadata(pin.name)
    except metadata.PackageNotFoundError:
        return []
    if about["Version"] != pin.version:
        return []
    classified = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier", [])
        if line.startswith("License :: OSI Approved ::")
    ]
    told = about["License-Expression"] or about["License"] or " AND ".join(classified) or "unknown"
    if len(told) > MAX_LICENCE_LETTERS or "\n" in told:
        told = classified[0] if classified else told.splitlines()[0][:MAX_LICENCE_LETTERS]
    return [LicenseFactory().make_from_string(told)]


if __name__ == "__main__":
    main(*sys.argv[1:])
