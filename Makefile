# Every target sets itself up: all it needs is make and Python 3.11 or newer with its venv module.

PYTHON ?= python3
VENV := .venv
BENCH_VENV := .bench-venv
READY := $(VENV)/.ready
BENCH_READY := $(BENCH_VENV)/.ready
PIP_FLAGS := --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test system lint format bench docs reference screenshots chaos clean

help:
	@echo "make demo    a thousand simulated homes report for 30 days; prints the top 10 beside the truth"
	@echo "make test    lint, type check, and run every test and every example in the code"
	@echo "make lint    only the lint and the type check"
	@echo "make format  put the code into the house's format"
	@echo "make bench   measure hushwatt against its peers"
	@echo "make docs    build the docs as a site in build/site, which needs no network"
	@echo "make reference  write the reference pages anew from the code"
	@echo "make screenshots  draw the dashboard's pictures for the docs anew (needs Chromium)"
	@echo "make chaos   kill, unplug, rewind and lie to it for an hour (MINUTES=5 SEED=1)"
	@echo "make clean   remove what these targets made"

demo: $(READY)
	$(VENV)/bin/hushwatt demo

test: lint system
	$(VENV)/bin/python -m pytest -n 2 --quiet

# What tests need beside Python: a broker and a browser.  Root on Debian gets them, others are told.
system:
	@missing=""; \
	PATH="$$PATH:/usr/sbin"; \
	for part in mosquitto chromium; do command -v $$part >/dev/null || missing="$$missing $$part"; done; \
	test -z "$$missing" && exit 0; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	else \
	  echo "not here, so their tests are skipped:$$missing (apt install$$missing)" >&2; \
	fi

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: $(READY)
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(BENCH_READY)
	$(BENCH_VENV)/bin/python benchmarks/run.py

docs: $(READY)
	$(VENV)/bin/python tools/site/build.py

reference: $(READY)
	$(VENV)/bin/python tools/reference/write.py

screenshots: $(READY)
	$(VENV)/bin/python tools/screenshots.py

# Every scenario with its full figure, an hour in all: what one leaves of its time goes to the next.
MINUTES ?= 60
chaos: $(READY)
	$(VENV)/bin/hushwatt audit chaos --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

clean:
	rm -rf $(VENV) $(BENCH_VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist

$(READY): pyproject.toml
	$(call environment,$(VENV))
	$(VENV)/bin/pip install $(PIP_FLAGS) -e '.[dev]'
	@touch $@

$(BENCH_READY): pyproject.toml benchmarks/requirements.txt
	$(call environment,$(BENCH_VENV))
	$(BENCH_VENV)/bin/pip install $(PIP_FLAGS) -e '.[provider]' -r benchmarks/requirements.txt
	@touch $@

# Make a virtual environment in the folder $(1) unless there is one, and say clearly what is missing.
define environment
	@test -x $(1)/bin/pip || { \
	  command -v $(PYTHON) >/dev/null \
	    || { echo "hushwatt needs Python 3.11 or newer: apt install python3 python3-venv" >&2; exit 1; }; \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "hushwatt needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }; \
	  $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	    || { echo "hushwatt needs Python's venv module: apt install python3-venv" >&2; exit 1; }; \
	  $(PYTHON) -m venv --clear $(1); }
endef
