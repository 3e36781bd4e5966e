"""`hushwatt provider`: its commands, by what they work on."""
