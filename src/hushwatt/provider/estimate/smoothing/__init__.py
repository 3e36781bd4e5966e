"""Smoothed slots: a bank of causal Kalman filters over the slots of all appliances, with seasons."""
