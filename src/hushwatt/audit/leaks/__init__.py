"""Audits of what leaves or stays at home besides randomised reports."""
