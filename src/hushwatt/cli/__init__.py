"""One command per errand, one file per noun, no logic.

`main` knows the commands by the address of their file and loads one only when
it is called, so that `hushwatt --help` stays quick.
"""
