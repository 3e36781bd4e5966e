"""Smoothed slots: a causal Kalman filter over the slots of each appliance."""
