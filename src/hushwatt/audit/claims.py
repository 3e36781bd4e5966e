"""What is claimed, and where it is stated: the numbers that docs/claims.md explains."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AuditedClaim:
    """One sentence that an audit can find wrong."""

    says: str
    stated: str  # where the paper or we state it


CLAIMS = {
    "C1": AuditedClaim("an answer tells at most e^x", "paper §2 (OUE), §3 theorem 1; the rounding is ours"),
    "C2": AuditedClaim("no window overspends", "paper §2 (w-event), appendix on LBD and LBA"),
    "C3": AuditedClaim("estimates are unbiased", "ours; the paper's Algorithm 2 is biased"),
    "C4": AuditedClaim("variances are unbiased", "ours"),
    "C5": AuditedClaim("samplers draw from their laws", "ours; the paper takes it for granted"),
    "C6": AuditedClaim(
        "deciding at home costs no more than the probe", "ours; the paper's decision looks at the truth"
    ),
    "C7": AuditedClaim("whole streams tell at most ε about the home", "paper §3 theorem 2; docs/proofs/composition.md"),
    "C8": AuditedClaim("and at most its part about one appliance", "ours; docs/proofs/composition.md"),
    "C9": AuditedClaim("dithering costs nothing", "ours; docs/proofs/dithering.md"),
    "C10": AuditedClaim("turns and orders tell nothing", "ours; docs/proofs/rotation.md, population-division.md"),
    "C11": AuditedClaim("every draw is paid before it is made", "ours"),
    "C12": AuditedClaim("the home's ledgers refuse what would overspend, and nothing else", "ours"),
    "C13": AuditedClaim("an attack on the real bytes never shows more than ε", "the promise of ε itself"),
    "C14": AuditedClaim("the auditor finds planted bugs", "ours"),
    "C15": AuditedClaim("habits are not protected for ever, and what is told of them is right", "ours, a known limit"),
    "C16": AuditedClaim("no true reading leaves, and none stays", "ours"),
    "C17": AuditedClaim("whether and when a home sends never depends on its readings", "ours"),
    "C18": AuditedClaim("no weak randomness at home", "ours; the paper takes it for granted"),
    "C19": AuditedClaim("forging homes count for no more than is printed, and no honest one is refused", "ours"),
}
STATED = {number: claim.stated for number, claim in CLAIMS.items()}
