"""Is it private, and does it hold?

Enumerates every answer in exact fractions, tries every sequence of decisions,
puts the samplers to the test, and attacks the real bytes.  It also plants the
bugs it must be able to find.

    exact/      all answers of small plans, enumerated; the worst likelihood ratio
    laws/       samplers, rounding and debiasing held against the declared laws
    spending/   strategies and ledgers: no window overspends, every draw is paid
    leaks/      what leaves or stays at home besides randomised reports
    attacks/    attackers and forgers who only have the bytes
    harness/    homes, services, disks and clocks that can be watched and broken
    planted.py  bugs that the audits must find; selftest.py lets them
    suites.py   all audits by name; report.py and page.py show what they found
"""
