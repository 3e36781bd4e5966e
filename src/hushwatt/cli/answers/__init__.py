"""What a board asks, on a terminal: totals, the peak, and shares of homes."""
