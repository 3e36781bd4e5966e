"""One home's 150 bits: randomised and tallied, by hushwatt and by its peers, in the same run."""

import contextlib
import io

import numpy as np

from benchmarks.measure import Row, best_of, show
from hushwatt.household.report.randomise import randomise
from hushwatt.privacy.entropy import FreshKeys
from hushwatt.wire.payload import Layout

EPSILON = 10.0
LAYOUT = Layout("oue", (10,) * 15, 15)
HOMES = 400_000


def hushwatt_seconds() -> float:
    """Encoding, randomising and packing, with a cryptographic generator."""
    levels = np.random.default_rng(1).integers(0, 10, (HOMES, 15)).astype(np.uint16)
    block = 1 << 15

    def work() -> None:
        for start in range(0, HOMES, block):
            randomise(LAYOUT, levels[start : start + block], None, 10_000_000, FreshKeys().stream())

    return best_of(work, 5) / HOMES


def kernel_seconds() -> float:
    """The same without the encoding: packed bits in, packed bits out."""

    from hushwatt.plan.amounts import MICRO
    from hushwatt.privacy.kernels import answer_bits
    from hushwatt.privacy.laws import Budget
    from hushwatt.privacy.laws.unary import oue

    truth = LAYOUT.pack_answers(np.zeros((1 << 15, 15), dtype=np.uint16))
    law = oue(Budget(10_000_000, 15 * MICRO), 10)
    stream = FreshKeys().stream()
    return best_of(lambda: answer_bits(truth, law, stream), 15) / len(truth)


def numpy_seconds(homes: int = 20_000) -> float:
    """One shot of float64 draws for all bits."""
    levels = np.random.default_rng(1).integers(0, 10, (homes, 15))
    rise = 1 / (1 + np.exp(EPSILON / 15))

    def work() -> None:
        bits = levels[:, :, None] == np.arange(10)
        (np.random.default_rng().random(bits.shape) < np.where(bits, 0.5, rise)).astype(np.uint8)

    return best_of(work) / homes


def multi_freq_seconds(homes: int = 300) -> float:
    from multi_freq_ldpy.mdim_freq_est.SPL_solution import SPL_UE_Client

    user = list(np.random.default_rng(1).integers(0, 10, 15))
    return best_of(lambda: [SPL_UE_Client(user, [10] * 15, 15, EPSILON) for _ in range(homes)]) / homes


def opendp_seconds(homes: int = 300) -> float:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.bitvector_domain(max_weight=15), dp.discrete_distance()
    mechanism = dp.m.make_randomized_response_bitvec(*space, f=2 / (1 + np.exp(EPSILON / 30)))
    bits = np.packbits(np.eye(10, dtype=np.uint8)[np.zeros(15, dtype=int)].ravel()).tobytes()
    return best_of(lambda: [mechanism(bits) for _ in range(homes)]) / homes


def pure_ldp_seconds(homes: int = 100) -> float:
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    client = UEClient(EPSILON / 15, 10, use_oue=True)
    return best_of(lambda: [[client.privatise(1) for _ in range(15)] for _ in range(homes)]) / homes


def tally_rows() -> list[Row]:
    payloads = np.random.default_rng(1).integers(0, 256, (1 << 20, 19)).astype(np.uint8)
    payloads[:, -1] &= 0b111111
    plain = best_of(lambda: np.unpackbits(payloads[: 1 << 17], axis=1, bitorder="little").sum(axis=0)) * 8
    ours = best_of(lambda: LAYOUT.tally(payloads), 5)
    millions = len(payloads) / 1e6
    return [
        Row("tally, unpackbits and sum", f"{millions / plain:.1f} M reports/s"),
        Row("tally, hushwatt, one core", f"{millions / ours:.0f} M reports/s", plain / ours, 10),
    ]


def main() -> bool:
    ours, kernel = hushwatt_seconds(), kernel_seconds()
    rows = [
        Row("randomise, packed bits to packed bits, one core", f"{1e6 * kernel:.3f} µs a home"),
        Row("randomise, levels to payloads, one core", f"{1e6 * ours:.3f} µs a home"),
    ]
    peers = [
        ("NumPy, one shot, float64", numpy_seconds, 10),
        ("multi-freq-ldpy", multi_freq_seconds, 100),
        ("opendp bit vectors (symmetric)", opendp_seconds, 100),
        ("pure-ldp", pure_ldp_seconds, 100),
    ]
    for name, seconds, goal in peers:
        with contextlib.redirect_stdout(io.StringIO()):
            theirs = seconds()
        rows.append(Row(f"  against {name}", f"{1e6 * theirs:.2f} µs a home", theirs / ours, goal))
    return show("150 bits a home, OUE, ε = 10", rows + tally_rows())


if __name__ == "__main__":
    raise SystemExit(not main())
