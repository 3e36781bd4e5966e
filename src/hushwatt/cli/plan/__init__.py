"""`hushwatt plan`: its commands."""
