"""A plan in the words of those who must sign: what it promises, what was checked, what cannot be claimed.

* `fact`: sentences whose every figure says where it comes from.
* `evidence`: what audits found, read from the JSON that they write.
* `guarantee` and `long_term`: what NIST SP 800-226 asks of a guarantee.
* `impact` and `risks`: what the EU's DPIA template for smart grids asks, as far as a plan and audits can answer.
* `limits`: what cannot be claimed, and what people must answer.
* `registry`: an entry in the manner of the OpenDP deployments registry.
* `parameters`: every key of the plan, and what is asked about each appliance.
* `statement`: all of it together; `page` shows it.
"""
