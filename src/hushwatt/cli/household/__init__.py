"""`hushwatt household`: its commands, and what they say to the owner."""
