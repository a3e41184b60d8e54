# Two commands matter: `make demo` and `make test` (`make test-all` before a release). Each sets up all it needs.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test test-all lint types tests tests-long test-web cover explore bench pins release audit docs changelog clean help

help:            ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/'

# The environment is rebuilt when the pins or the project change, and belongs to this folder alone.
$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Reverie needs Python 3.11 or newer; set PYTHON=/path/to/python3.11." if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
	@touch $@

demo: $(READY)   ## a whole night on a copy of the example workspace: before, after and why
	@$(BIN)/python examples/demo.py

test: $(READY)   ## everything that matters, in minutes: style, types, tests
	@$(MAKE) --no-print-directory lint types tests

test-all: $(READY) ## and the second lane: crashes, crowds, adversaries, years of nights, the page in a browser; what CI runs
	@$(MAKE) --no-print-directory test tests-long test-web

lint: $(READY)   ## ruff
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check . && echo "lint: clean"

types: $(READY)  ## mypy, strict
	@$(BIN)/mypy --no-error-summary && echo "types: clean"

PYTEST = OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

tests: $(READY)  ## pytest, the first lane, on all cores (so that numpy must not take them twice)
	@$(PYTEST) -m "not long"

tests-long: $(READY) ## pytest, the second lane
	@$(PYTEST) -m long

test-web: $(READY) ## the Dreams page in Debian's Chromium; installs it where apt may, and says why it skips elsewhere
	@sh tests/web/browser.sh "$(BIN)"

cover: $(READY)  ## branch coverage of the two rooms that write
	@$(BIN)/python -m pytest -n auto --cov --cov-report=term-missing:skip-covered

explore: $(READY) ## the laws with new examples, as long as you like
	@EXPLORE=1 $(BIN)/python -m pytest -n auto tests/properties tests/dates tests/night/test_harm.py tests/trust/test_odd_files.py tests/crash/test_ninety_nights.py

bench: $(READY)  ## the figures in the docs; those that need labelled data say so where it is missing
	@$(BIN)/python benchmarks/startup.py
	@for name in nights redaction access dates worth gold retrieval; do $(BIN)/python benchmarks/$$name.py || true; done

RELEASE := $(VENV)/release

$(RELEASE)/.ready: requirements/release.txt
	@test -x $(RELEASE)/bin/python || $(PYTHON) -m venv $(RELEASE)
	@$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/release.txt
	@touch $@

release: $(RELEASE)/.ready ## dist/: wheel and sdist of the newest commit, built twice and compared, SBOM, provenance, sums
	@$(RELEASE)/bin/python tools/release.py

audit: $(RELEASE)/.ready ## known vulnerabilities of what is pinned; says so where nobody can be asked
	@$(RELEASE)/bin/python tools/audit.py || test $$? -eq 75

SITE := $(VENV)/docs

$(SITE)/.ready: requirements/docs.txt
	@test -x $(SITE)/bin/python || $(PYTHON) -m venv $(SITE)
	@$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/docs.txt
	@touch $@

docs: $(SITE)/.ready ## .site/: the documents as a site; stops at a dead link
	@NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict --quiet --clean
	@! grep -rnE '<(script|img|link|iframe)[^>]+(src|href)="?(https?:)?//' .site --include='*.html'
	@echo ".site/index.html"

changelog:       ## CHANGELOG.md, made of changes/
	@$(PYTHON) tools/changelog.py

pins:            ## refresh the pins of requirements/ (needs uv)
	uv pip compile --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 --extra web --extra mcp pyproject.toml -o requirements/run.txt
	uv pip compile --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 --extra seal pyproject.toml -o requirements/seal.txt
	uv pip compile --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 --group pyproject.toml:release -o requirements/release.txt
	uv pip compile --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 --group pyproject.toml:docs -o requirements/docs.txt
	uv pip compile --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 --group pyproject.toml:browser -o requirements/browser.txt
	uv pip compile --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 --group dev pyproject.toml -o requirements/dev.txt

clean:           ## remove the environment and caches
	rm -rf $(VENV) .demo .site .mypy_cache .ruff_cache .hypothesis
