"""Reports come in: uploads and files are checked, stored and counted once.

`inbox` gathers uploads for one group commit, `collect` validates them and keeps each report once, and
`store` holds rows and tallies.  Files come by `delivery` and `ingest`, which know homes by
`device_names` and `device_cache`, into the same `collect`; `take_back` undoes a wrong file,
`erase` forgets a home, and `archive` writes published slots as files.
"""
