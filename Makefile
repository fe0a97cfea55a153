# `make` lists what there is to do. Every target makes .venv itself when it is missing.
PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format bench docs site clean fuzz coverage release-check check-extras bench-check

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

setup: .venv/ready ## make .venv with everything that tests and demo need

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[all]" --group dev
	@touch $@

demo: setup ## a small model with and without zkit; BASE_URL=... MODEL=... asks a live one
	@$(BIN)/zkit demo $(if $(BASE_URL),--base-url "$(BASE_URL)") $(if $(MODEL),--model "$(MODEL)")

test: setup ## run the tests, less what takes long (four minutes on two cores)
	$(BIN)/python -m pytest -n auto -m "not slow and not engines" --hypothesis-profile=quick

check: setup ## format, lint, types, and all tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test
	$(BIN)/python -m pytest -n auto -m "slow and not engines" --hypothesis-profile=steady

UV := $(BIN)/uv pip install --quiet --editable ".[all]" --group dev
# What the engines and the frameworks' own clients leave open when the process ends is not ours to close.
EXTRAS := -m pytest --hypothesis-profile=quick -W "ignore::pytest.PytestUnraisableExceptionWarning"
.venv/ready-extras: .venv/ready pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv  # pip needs minutes for so many packages
	for place in .venv-extras .venv-newest .venv-proxy; do $(BIN)/uv venv --quiet --clear --python $(BIN)/python $$place; done
	$(UV) --python .venv-extras/bin/python --group frameworks --group engines
	$(UV) --python .venv-newest/bin/python --group frameworks-newest
	$(UV) --python .venv-proxy/bin/python --group litellm-proxy
	@touch $@

check-extras: .venv/ready-extras ## the tests of plug-ins and engines, with the frameworks installed
	.venv-extras/bin/python $(EXTRAS) -m "engines" tests/test_batch.py
	.venv-extras/bin/python $(EXTRAS) tests/test_frameworks.py tests/test_examples.py
	.venv-newest/bin/python $(EXTRAS) tests/test_frameworks.py
	.venv-proxy/bin/python $(EXTRAS) tests/test_litellm_proxy.py

format: setup ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The rivals have an environment of their own: what they leave open would fail tests in .venv.
BENCH := .venv-bench/bin/python
.venv-bench/ready: .venv/ready pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-bench
	$(UV) --python $(BENCH) --group bench
	-cd benchmarks && npm install --silent --no-audit --no-fund
	@touch $@

bench: .venv-bench/ready .venv/ready-extras ## measure all that needs no live model, beside the rivals; writes benchmarks/results, evidence and the README's tables
	$(BENCH) -m benchmarks.recovery
	$(BENCH) -m benchmarks.speed
	$(BENCH) -m benchmarks.decode
	$(BENCH) -m benchmarks.extract
	$(BENCH) -m benchmarks.recorded
	$(BENCH) -m benchmarks.sources
	$(BENCH) -m benchmarks.dispatch
	$(BENCH) -m benchmarks.endtoend
	$(BENCH) -m benchmarks.costs --save
	$(BENCH) -m benchmarks.mcp
	$(BENCH) -m benchmarks.std
	$(BENCH) -m benchmarks.proxy
	$(BENCH) -m benchmarks.transport --json
	$(BENCH) -m benchmarks.shared_memo --save
	$(BENCH) -m benchmarks.chat_soak
	.venv-extras/bin/python -m benchmarks.frameworks --json
	.venv-extras/bin/python -m benchmarks.batch --save
	.venv-extras/bin/python -m benchmarks.batch --save --sizes 1000000 --work repair --engines
	$(BENCH) -m benchmarks.report

.venv/ready-fuzz: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group fuzz
	@touch $@

SECONDS ?= 600
fuzz: .venv/ready-fuzz ## look for inputs that break a promise; SECONDS=600 for all targets together
	$(BIN)/python -m fuzz --seconds $(SECONDS)

coverage: setup ## run the tests and print the lines that no test reaches
	$(BIN)/python -m pytest -n auto --cov=zkit --cov-report=term-missing:skip-covered

release-check: setup ## build the wheel, install it in an empty environment, run the examples
	$(BIN)/python tests/release_check.py

bench-check: setup ## fail if a cost row got more than 10 % worse than the committed one (valgrind)
	$(BIN)/python -m benchmarks.costs --check

docs: setup ## write the generated pages again
	$(BIN)/zkit docs

.venv/ready-docs: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	@touch $@

site: .venv/ready-docs ## build the documentation site in site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean: ## remove what the other targets made
	rm -rf site .venv .venv-bench .venv-extras .venv-newest .venv-proxy .pytest_cache .mypy_cache .ruff_cache .hypothesis
