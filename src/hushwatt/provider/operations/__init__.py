"""For those who keep a service running: what its metrics tell, what its storage needs, and its traces.

`gauges` sets what is measured when somebody asks, from `gateways`, `certificate` and `storage`;
`telemetry` passes requests and writes on to OpenTelemetry where that is set up.
"""
