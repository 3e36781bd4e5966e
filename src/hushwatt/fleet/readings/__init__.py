"""Tables of readings, read in two passes.

`index_pass` reads households and times: it numbers the homes (`household_index`), counts rows by
slot (`slot_histogram`) and keeps who and when as `run_lengths`.  `value_pass` reads appliances and watts
along those runs.  `readings` puts both together, page by page; rows in no order go through `bucket_sort`.
"""
