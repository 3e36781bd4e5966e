"""Home Assistant as a source: its entities over its WebSocket, with a long-lived token.

`session` speaks with it, `states` and `registry` understand what it
says, `statistics` fills what was missed in a slot that is still open, and `follow` does all of
it for as long as the agent runs.  Nothing is ever switched or written there.
"""
