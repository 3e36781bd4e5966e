"""Attackers: what real reports give away, and what forged ones can do."""
