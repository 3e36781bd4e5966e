"""A small plan that several tests of tables share: ten days of kettles."""

KETTLES = """
    name = "Kettles of Leeds"
    description = "How many kettles boil, and when."
    contact = "kettles@example.org"
    start = 2024-01-01
    expires = 2024-01-11
    slot = "1d"
    epsilon = 1
    window = 3
    method = "lbu"
    [[appliance]]
    name = "kettle"
    edges = [10, 40]
"""
