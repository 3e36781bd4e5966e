"""What a home has spent, on disk before anything is drawn, and what its owner and real time allow."""
