"""Reports come in: uploads and files are checked, stored and counted once."""
