"""A slot of a home becomes a report: levels, decision, payment, randomised answer."""
