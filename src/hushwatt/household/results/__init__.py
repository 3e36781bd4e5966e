"""What was published about all homes, fetched on a schedule that nothing at home has a say in, and this home beside it.

schedule    when results are fetched: by the plan's calendar, and one throw of a die
fetch       ask for them, and believe only the pinned key
published   what was fetched, checked and kept
own_means   this home's own means, on its own disk, only where the owner wants that
"""
