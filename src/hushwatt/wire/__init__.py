"""The only thing that leaves home: a report's bytes.

Both sides meet here and nowhere else.  The household packs, the provider
unpacks and checks again, and the test vectors tell a third program how.
"""
