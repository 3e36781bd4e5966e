"""What runs at home: readings in, randomised reports out.

    sources   plugs and tables become mean watts of a slot
    report    watts become levels, and levels a randomised report
    ledger    every spend is on disk before anything is drawn, within the owner's caps
    upload    the outbox sends what is finished, and again until the provider has it
    results   what was published about all homes, and this home's own means where its owner compares
    page      the owner sees all of it, on this machine

`run` keeps them going together, `agent` ends the slots, `join` agrees to a plan.  Whether and when
something is sent never depends on a reading, and no reading is ever written down; sums of a week or
so are, where the owner asks for that.

This room knows nothing of the provider's.
"""
