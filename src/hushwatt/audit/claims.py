"""What is claimed, and where it is stated: the numbers that docs/claims.md explains."""

STATED = {
    "C1": "paper §2 (OUE), §3 theorem 1; the rounding is ours",
    "C2": "paper §2 (w-event), appendix on LBD and LBA",
    "C3": "ours; the paper's Algorithm 2 is biased",
    "C4": "ours",
    "C5": "ours; the paper takes it for granted",
    "C6": "ours; the paper's decision looks at the truth",
    "C7": "paper §3 theorem 2; docs/proofs/composition.md",
    "C8": "ours; docs/proofs/composition.md",
    "C9": "ours; docs/proofs/dithering.md",
    "C10": "ours; docs/proofs/rotation.md, population-division.md",
    "C11": "ours",
    "C12": "ours",
    "C13": "the promise of ε itself",
    "C14": "ours",
    "C15": "ours, a known limit",
}
