"""What the owner is told in plain words: chances, clock times, plans, and what has been told so far."""
