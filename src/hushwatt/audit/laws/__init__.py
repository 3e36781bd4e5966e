"""Audits of the laws: samplers, rounding, whole streams and debiasing."""
