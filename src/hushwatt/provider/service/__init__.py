"""The running service: its setup, its keys, its slots, and what it has collected.

`config` and `keys` set it up, `service` publishes slots beside its inbox, `publish_files` does so where
no service runs, and `collection_reader` answers for pages, programs and files.
"""
