"""Totals: kWh of the homes taking part and of all customers, and the hour in which all of it peaks."""
