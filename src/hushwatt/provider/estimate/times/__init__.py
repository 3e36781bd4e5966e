"""Which slots are asked for: dates, hours, weekdays, and time that repeats."""
