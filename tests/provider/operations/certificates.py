"""Certificates that end soon, or not so soon."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate(folder, days):
    """A certificate that ends in so many days."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "provider.example.org")])
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(now - timedelta(days=300))
        .not_valid_after(now + timedelta(days=days))
        .sign(key, hashes.SHA256())
    )
    file = folder / f"provider-{days}.pem"
    file.write_bytes(built.public_bytes(serialization.Encoding.PEM))
    return str(file)
