# A fresh machine needs Python >= 3.11, make and a package index; the C compiler comes from the package index too.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest -q

.PHONY: demo test test-all test-real claims bench lint format clean
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
