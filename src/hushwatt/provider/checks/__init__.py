"""What a home that follows its plan can send: plausible reports, in its turn and order."""
