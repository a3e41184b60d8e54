# Two commands matter: `make demo` and `make test`. Each sets up all it needs.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test lint types tests explore bench year eval reference release pins clean help

help:            ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/'

# The environment is rebuilt when the pins or the project change, and belongs to this folder alone.
$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Reverie needs Python 3.11 or newer; set PYTHON=/path/to/python3.11." if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
	@touch $@

demo: $(READY)   ## a night without a model and one with a recorded model: before, after, why, undo
	@$(BIN)/python examples/demo.py

test: lint types tests ## style, types and every test

lint: $(READY)   ## ruff
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check . && echo "lint: clean"

types: $(READY)  ## mypy, strict
	@$(BIN)/mypy --no-error-summary && echo "types: clean"

tests: $(READY)  ## pytest on all cores
	@$(BIN)/python -m pytest -n auto --dist worksteal

explore: $(READY) ## the laws and the crashes with many more examples
	@EXPLORE=1 $(BIN)/python -m pytest -n auto tests/crash tests/trust tests/test_laws.py

bench: $(READY)  ## CPU and memory of every command beside a bare Python start
	@$(BIN)/python benchmarks/cost.py
	@$(BIN)/python benchmarks/scale.py
	@$(BIN)/python benchmarks/hooks.py

year: $(READY)   ## a simulated year of nights: what day 365 costs beside day 30, and what is kept (two minutes)
	@$(BIN)/python benchmarks/year.py

eval: $(READY)   ## labelled nights: nothing done, the rules, a recorded model; CASES=… for others
	@$(BIN)/python evals/run.py $(CASES)

reference: $(READY) ## docs/reference.md and the picture of a night, as the code has them
	@$(BIN)/python docs/reference.py > docs/reference.md
	@$(BIN)/python docs/pictures/terminal.py > docs/pictures/night-terminal.svg

release: $(READY) ## dist/: sdist, wheel, bill of materials and sums of the last commit, built twice; publishes nothing
	@.ci/release $(BIN)/python

pins:            ## refresh requirements.txt after changing a dependency (needs uv)
	uv pip compile --universal --generate-hashes --no-header --python-version 3.11 --group dev pyproject.toml -o requirements.txt

clean:           ## remove the environment and caches
	rm -rf $(VENV) .demo build dist .mypy_cache .ruff_cache .hypothesis
