"""Everything that is measured, one table after another; exits with 1 when a goal is missed.

`python -m benchmarks.run [NAME…]` runs only those named.
"""

import sys
from importlib import import_module

NAMES = [
    "kernels",
    "start",
    "bulk",
    "accuracy",
    "service",
    "ingest",
    "postgres_month",
    "tally",
    "groups",
    "long_windows",
    "growth",
    "spark",
    "paths",
]


def main(names: list[str]) -> int:
    unknown = set(names) - set(NAMES)
    if unknown:
        print(
            f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}",
            file=sys.stderr,
        )
        return 2
    reached = [import_module(f"benchmarks.{name}").main() for name in names or NAMES]
    return int(not all(reached))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
