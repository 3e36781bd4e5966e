"""`hushwatt audit`: its commands."""
