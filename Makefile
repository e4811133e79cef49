# A fresh machine needs Python >= 3.11, make and a package index; the C compiler comes from the package index too.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest -q

.PHONY: demo test test-all test-real claims fuzz soak faults reliability bench lint format clean
.DELETE_ON_ERROR:

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[dev]'
	$(BIN)/python -m compileall -q src # an editable install compiles nothing, and the first start would
	touch $@

demo: $(STAMP)
	$(BIN)/butfor explain examples/triangle.c --format text -o demo-report.html -o demo-report.json -- 6 5 4
	@echo "The same answer to browse: file://$(CURDIR)/demo-report.html"
	@echo "The same answer as JSON:   demo-report.json"

test: lint
	$(PYTEST) -n 2 --dist worksteal -m "not slow and not real"

test-all: lint
	$(PYTEST) -n 2 --dist worksteal -m "not real"

test-real: $(STAMP)
	$(PYTEST) -m real

# Tries to refute what butfor claims about generated programs: make claims CLAIMS=100000 SEED=1 STATE=claims.json;
# with WRITE=docs/claims.md the results are written into that file
CLAIMS ?= 5000
SEED   ?= 1
STATE  ?=
WRITE  ?=
claims: $(STAMP)
	$(BIN)/python -m tests.claims --claims $(CLAIMS) --seed $(SEED) $(if $(STATE),--state $(STATE)) $(if $(WRITE),--write $(WRITE))

# How hard it is to break: fuzzers, a soak, signals and licences; with STATE_FOLDER=dir the figures are kept there,
# and `make reliability` writes docs/reliability.md from them
SECONDS_EACH ?= 60
SOAK_SECONDS ?= 1200
JOBS         ?= 1
STATE_FOLDER ?=
state         = $(if $(STATE_FOLDER),--state $(STATE_FOLDER)/$(1).json)
fuzz: $(STAMP)
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[dev,fuzz]'
	$(BIN)/python -m tests.reliability.fuzz_recordings --count 400 $(call state,recordings)
	$(BIN)/python -m tests.reliability.fuzz_parsers --seconds $(SECONDS_EACH) --save $(call state,parsers)

soak: $(STAMP)
	$(BIN)/python -m tests.reliability.soak --seconds $(SOAK_SECONDS) --jobs $(JOBS) $(call state,soak-$(JOBS))

faults: $(STAMP)
	$(BIN)/python -m tests.reliability.signal_campaign --count 1000 $(call state,signals)

reliability: $(STAMP)
	$(BIN)/python -m tests.reliability.write_page $(STATE_FOLDER)

bench: $(STAMP)
	$(BIN)/python -m bench

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/make_architecture.py --check

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python docs/make_architecture.py

clean:
	rm -rf build dist .cache demo-report*
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
