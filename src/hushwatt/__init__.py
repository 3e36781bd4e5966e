"""Learn which appliances use how much, when, while each home keeps its own usage deniable.

    plan ──────────────┬──────────────────────────────┐        what both sides agree on, in public
                       ▼                              ▼
    household: readings → levels → encode → budget → randomise → outbox
                                                      │ wire: the only thing that leaves home
                                                      ▼
    provider:  inbox → store → tally → estimate → analyse → dashboard

Each word on the left is a room of this package.  A room imports only from the
rooms below it, and `household` and `provider` never import each other:

    cli → evaluate → audit → fleet → household | provider → wire → privacy → plan

Importing hushwatt itself costs nothing: it loads no room.
"""

__version__ = "0.1.0"
