"""When a certificate ends, so that somebody renews it in time."""

from pathlib import Path

from cryptography.x509 import load_pem_x509_certificates


def certificate_end(path: Path) -> float | None:
    """When the first of the certificates in a PEM file ends, in seconds since 1970; None when none can be read."""
    try:
        certificates = load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError):
        return None
    return min(each.not_valid_after_utc.timestamp() for each in certificates)
