"""What audits, scenarios and tests run on: homes, services, disks and clocks that can be watched and broken.

home_under_test.py       the shipped agent and outbox; clock, randomness, readings, provider passed in
plan_home.py             such a home in one plan, slot by slot; lives.py: thousands of them
observed_life.py         such a home until its sudden end, everything noted (notes.py)
machine_clock.py         its clocks, moved by hand; true_time_recorder.py: what it told, in true time
released.py              what ever left a home, and what windows of it cost
fake_provider.py         the far end of a home's network
local_service.py         the whole service in this process; in_process_client.py and
                         concurrent_client.py talk to it
service_process.py       the service as a process that can be killed; raw_connection.py talks to it
power_loss_disk.py       a disk below SQLite that loses what was not synced
fault_injecting_disk.py  the same, full or failing
buckets.py               reports that each own a bucket, so that none hides behind another
marked.py                readings that would be known anywhere again
plans.py                 plans of every kind; expect.py: checks that say what broke
"""
