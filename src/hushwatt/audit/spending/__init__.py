"""Audits of the budget: strategies, ledgers, payments and whole histories."""
