# Every target sets itself up: all it needs is make and Python 3.11 or newer with its venv module.

PYTHON ?= python3
VENV := .venv
BENCH_VENV := .bench-venv
TOOLS_VENV := .tools-venv
READY := $(VENV)/.ready
DEMO_READY := $(VENV)/.ready-for-the-demo
BENCH_READY := $(BENCH_VENV)/.ready
TOOLS_READY := $(TOOLS_VENV)/.ready
HOME_ASSISTANTS := .home-assistant-2025.4.4 .home-assistant-2024.3.3
PIP_FLAGS := --quiet --disable-pip-version-check
# What is installed is pinned by hash in requirements/; LOCKED=no takes the newest that pyproject.toml allows.
LOCKED ?= yes
INSTALL_FLAGS := $(if $(filter no,$(LOCKED)),--unlocked)

.DEFAULT_GOAL := help
.PHONY: help demo test coverage system home-assistant lint format bench capacity docs reference screenshots audit chaos mutants wheel dist dist-check sbom audit-deps lock clean

help:
	@echo "make demo    a thousand simulated homes report for 30 days; prints the top 10 beside the truth"
	@echo "make test    lint, type check, and run every test and every example in the code"
	@echo "make coverage  run the tests again and say which lines none of them ran (an hour; TESTS=tests/plan for some)"
	@echo "make home-assistant  install two Home Assistants for the tests (Python 3.13 and 3.11), which make test does as well"
	@echo "make lint    only the lint and the type check"
	@echo "make format  put the code into the house's format"
	@echo "make bench   measure hushwatt against its peers"
	@echo "make capacity  measure what a million reports cost, and write docs/capacity.md (ten quiet minutes)"
	@echo "make docs    build the docs as a site in build/site, which needs no network"
	@echo "make reference  write the reference pages, drawings and notebooks anew from the code"
	@echo "make screenshots  take the pictures of both pages for the docs anew (needs Chromium)"
	@echo "make audit   check every privacy claim in full, and write build/audit.html (hours; QUICK=--quick for minutes)"
	@echo "make chaos   kill, unplug, rewind and lie to it for an hour (MINUTES=5 SEED=1)"
	@echo "make mutants  plant small bugs in MODULES, one at a time, and see whether their tests notice (MOST=20 SEED=1 TESTS=…)"
	@echo "make dist    the wheel and the sdist, the same bytes every time; dist-check tries them in empty environments"
	@echo "make sbom    also a CycloneDX list of every package in them"
	@echo "make audit-deps  ask whether a pinned package is known to be vulnerable (needs the internet)"
	@echo "make lock    pin anew, by hash, what pyproject.toml asks for"
	@echo "make clean   remove what these targets made"

# ARGS=--exit leaves when the summary is printed.
demo: $(or $(wildcard $(READY)),$(DEMO_READY))
	@$(VENV)/bin/hushwatt demo $(ARGS)

test:
	@$(MAKE) --no-print-directory -j4 lint system home-assistant
	$(VENV)/bin/python -m pytest -n 2 --quiet -rs

# docs/explanation/coverage.md says what is not covered, and why.  Tests of time and memory may fail while they are measured.
COVERAGE := $(VENV)/bin/coverage
coverage: $(READY) system home-assistant
	@mkdir -p build/coverage
	$(COVERAGE) erase
	-$(COVERAGE) run -m pytest -n 2 --quiet $(TESTS)
	$(COVERAGE) combine --quiet
	$(COVERAGE) html --quiet --directory build/coverage/html
	$(COVERAGE) report $(if $(TESTS),--fail-under=0)

# What tests need beside Python: a broker, a browser, shells, jq, Prometheus, systemd's checker and Java.  What comes as
# a service is not left running.  Root on Debian gets them, others are told.
system:
	@missing=""; \
	PATH="$$PATH:/usr/sbin"; \
	for part in mosquitto chromium zsh fish jq prometheus prometheus-alertmanager; do command -v $$part >/dev/null || missing="$$missing $$part"; done; \
	command -v systemd-analyze >/dev/null || missing="$$missing systemd"; \
	command -v java >/dev/null || missing="$$missing default-jre-headless"; \
	test -z "$$missing" && exit 0; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	  for unit in $$missing; do \
	    case $$unit in prometheus*) systemctl disable --now --quiet $$unit 2>/dev/null || true;; esac; \
	  done; \
	else \
	  echo "not here, so their tests are skipped:$$missing (apt install$$missing)" >&2; \
	fi

# Two Home Assistants for the tests, each in an environment of its own, on the Python that it needs.
home-assistant: $(HOME_ASSISTANTS:=/.ready)

.home-assistant-%/.ready: requirements/home-assistant-%.txt requirements/build.txt
	@$(PYTHON) -m tools.supply.home_assistant $*

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: $(READY)
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(BENCH_READY)
	$(BENCH_VENV)/bin/python -m benchmarks.run

docs: $(READY)
	$(VENV)/bin/python -m tools.site.build

reference: $(READY)
	$(VENV)/bin/python -m tools.reference.write
	$(VENV)/bin/python -m tools.drawings.draw
	$(VENV)/bin/python -m tools.notebook

capacity: $(READY)
	$(VENV)/bin/python -m benchmarks.capacity

screenshots: $(READY)
	$(VENV)/bin/python -m tools.screenshots

# Every claim in full; PLANS="one.toml two.toml" looks at these as well.
audit: $(READY)
	mkdir -p build
	$(VENV)/bin/hushwatt audit all $(PLANS) $(QUICK) -o build/audit.html

# Every scenario with its full figure, an hour in all: what one leaves of its time goes to the next.
MINUTES ?= 60
chaos: $(READY)
	$(VENV)/bin/hushwatt audit chaos --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

# Mutation testing in a copy of the checkout: MODULES="src/hushwatt/plan/amounts.py …", and TESTS where the mirrors are not enough.
MOST ?= 20
mutants: $(READY) $(TOOLS_READY)
	@test -n "$(MODULES)" || { echo "name what to plant bugs in: make mutants MODULES=src/hushwatt/household/ledger/home_ledger.py" >&2; exit 2; }
	$(TOOLS_VENV)/bin/python -m tools.mutants $(MODULES) --most $(MOST) $(if $(SEED),--seed $(SEED)) $(if $(TESTS),--tests $(TESTS))

clean:
	rm -rf $(VENV) $(BENCH_VENV) $(TOOLS_VENV) $(HOME_ASSISTANTS) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist

# The wheel and the sdist, the same bytes from the same commit wherever and whenever they are built.
wheel dist: $(READY)
	@rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(VENV)/bin/python -m hatchling build

# What is in it: a CycloneDX list of every package, for each extra, into dist/.
sbom: wheel
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(VENV)/bin/python -m tools.supply.sbom dist

# Install the wheel into empty environments, by itself and with each extra, and run it there (minutes, downloads).
dist-check: wheel
	$(VENV)/bin/python -m tools.supply.dist_check dist

# Is any pinned package known to be vulnerable?  Asks the internet, and fails when it does not answer about all.
audit-deps: $(TOOLS_READY)
	$(TOOLS_VENV)/bin/python -m tools.supply.audit_deps

# Pin anew what pyproject.toml asks for; UPGRADE=--upgrade also moves to newer releases.
lock: $(TOOLS_READY)
	$(TOOLS_VENV)/bin/python -m tools.supply.lock $(UPGRADE)

$(READY): pyproject.toml requirements/dev.txt requirements/build.txt
	$(call environment,$(VENV))
	@$(VENV)/bin/python -m tools.supply.install dev $(INSTALL_FLAGS)
	@touch $@

$(DEMO_READY): pyproject.toml requirements/provider.txt requirements/build.txt
	$(call environment,$(VENV))
	@$(VENV)/bin/python -m tools.supply.install provider $(INSTALL_FLAGS)
	@touch $@

$(TOOLS_READY): requirements/tools.txt
	$(call environment,$(TOOLS_VENV))
	$(TOOLS_VENV)/bin/pip install $(PIP_FLAGS) --require-hashes --no-deps -r requirements/tools.txt
	@touch $@

$(BENCH_READY): pyproject.toml benchmarks/requirements.txt
	$(call environment,$(BENCH_VENV))
	$(BENCH_VENV)/bin/pip install $(PIP_FLAGS) -e '.[provider,spark]' -r benchmarks/requirements.txt
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
	  echo "making a Python environment in $(1)" >&2; \
	  $(PYTHON) -m venv --clear $(1); }
endef
