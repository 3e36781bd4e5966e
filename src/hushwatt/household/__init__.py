"""What runs at home: readings in, randomised reports out.

A reading becomes a level, the level a few bits, the bits are paid for and then
randomised, and only that waits in the outbox.  Whether and when something is
sent never depends on a reading, and no reading is ever written down.

This room knows nothing of the provider's.
"""
