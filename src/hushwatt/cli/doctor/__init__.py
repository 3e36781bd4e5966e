"""`hushwatt doctor`: its command, and one file for each part of the machine it checks."""
