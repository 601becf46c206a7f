# `make` alone lists the targets. Needs Python 3.11 or newer; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
SYNC := $(BIN)/uv sync --frozen --inexact --quiet --extra notebook --extra prove --group test --group lint --group docs

.DEFAULT_GOAL := help
.PHONY: help lab test lint docs bench fuzz hardware notebooks student clean

help: ## list the targets
	@grep -E '^[a-z]+: .*##|^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1|/' | awk -F'|' '{ printf "  make %-10s %s\n", $$1, $$2 }'

# The virtual environment is made anew when it is missing, and brought up to date when the lock file changed.
$(READY): pyproject.toml uv.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("lanewise needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==0.13.9
	$(SYNC)
	@touch $@

lab: $(READY) ## open JupyterLab on the notebooks
	$(BIN)/jupyter lab --notebook-dir=notebooks $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB)

test: $(READY) ## run all the tests: unit, doctests, notebooks, and the browser where Chromium is installed
	$(BIN)/python -m pytest -n 2
	$(BIN)/python -m pytest -p no:cacheprovider --nbval --nbval-sanitize-with tests/nbval_sanitize.cfg -n 2 --dist loadfile notebooks

lint: $(READY) ## check the format, the style, the types and the layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY) ## build the site into docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

bench: $(READY) ## time everything beside its peers, in one run
	$(SYNC) --group bench
	$(BIN)/python -m benchmarks

fuzz: $(READY) ## look for faults with random expressions and random programs, FUZZ_SECONDS=60 each
	PYTHONPATH=. $(BIN)/python tests/fuzz/fuzz_expressions.py --seconds $(or $(FUZZ_SECONDS),60)
	PYTHONPATH=. $(BIN)/python tests/fuzz/fuzz_machine.py --seconds $(or $(FUZZ_SECONDS),60)

hardware: $(READY) ## hold the catalogue and the units against this machine's GPU (needs nvcc); FOLDER= keeps what it measured
	$(BIN)/python tests/hardware $(FOLDER)

notebooks: $(READY) ## run the notebooks and store their outputs
	$(BIN)/python tools/store_outputs.py

student: $(READY) ## copy the notebooks for a class into student/, without solutions and outputs
	$(BIN)/python tools/student.py $(STUDENT)

clean: ## remove the environment and what was built
	rm -rf .venv build dist docs/_build docs/notebooks docs/gallery docs/sheets .mypy_cache .ruff_cache .pytest_cache .hypothesis
