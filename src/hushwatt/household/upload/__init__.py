"""Reports leave home: the outbox, the provider's HTTP client, and connections that end in time."""
