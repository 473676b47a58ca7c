# One command each: see README.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NPM ?= npm

.PHONY: run test check bench soak lock clean screenshots words

run: $(VENV)/.run static/node_modules/.ready
	@$(BIN)/python -m app serve

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install -qq --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/pip install -qq --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install -qq --disable-pip-version-check --no-compile --require-hashes -r requirements-dev.lock
	$(BIN)/pip install -qq --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@ $(VENV)/.run

$(VENV)/.bench: requirements-bench.lock $(VENV)/.dev
	$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@touch $@

static/node_modules/.ready: static/package.json static/package-lock.json
	cd static && $(NPM) ci --no-audit --no-fund --ignore-scripts --silent
	@touch $@

# What the browser tests alone need of npm; nothing of it is served.
tests/browser/node_modules/.ready: tests/browser/package.json tests/browser/package-lock.json
	cd tests/browser && $(NPM) ci --no-audit --no-fund --ignore-scripts --silent
	@touch $@

# The browser tests drive Debian's chromium; fetched when it is absent and this is root.
chromium:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
	  echo "chromium is not installed: browser tests will be skipped"
.PHONY: chromium

test: $(VENV)/.dev static/node_modules/.ready tests/browser/node_modules/.ready chromium
	@# Apart: Playwright keeps an event loop running in its process, where no other test can have one.
	$(BIN)/python -m pytest -n 2 --dist loadscope -m "browser and not soak" $(PYTEST_ARGS)
	$(BIN)/python -m pytest -n 2 --dist loadscope -m "not browser and not soak" $(PYTEST_ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright

soak: $(VENV)/.dev static/node_modules/.ready tests/browser/node_modules/.ready chromium
	$(BIN)/python -m pytest -m soak $(PYTEST_ARGS)
	@# The properties once more, with many more examples than there is time for in each run.
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -n 2 tests/calls tests/display $(PYTEST_ARGS)

# Brings the catalogues of app/web/locales up to date with code and templates.
words: $(VENV)/.dev
	$(BIN)/python -m tests.catalogue

screenshots: $(VENV)/.dev static/node_modules/.ready chromium
	$(BIN)/python -m tests.browser.screenshots screenshots --readme

bench: $(VENV)/.bench static/node_modules/.ready chromium
	$(BIN)/python -m tests.bench

lock: $(VENV)/bin/python
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
	  --all-extras --group pyproject.toml:build pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
	  --all-extras --group pyproject.toml:build --group pyproject.toml:dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
	  --group pyproject.toml:bench -c requirements-dev.lock -o requirements-bench.lock
	cd static && $(NPM) install --package-lock-only --no-audit --no-fund
	cd tests/browser && $(NPM) install --package-lock-only --no-audit --no-fund

clean:
	rm -rf $(VENV) static/node_modules tests/browser/node_modules .pytest_cache .ruff_cache .hypothesis
