# Every target works from a fresh clone on a machine with python3 and make; a second run reuses what the first one made.
#
#   make demo      install, judge the bundled example and print the report
#   make agent-demo  watch a whole run of the agent; a script plays the model, so no key is needed
#   make test      install and run the tests
#   make check     format, lint, types and tests
#   make format    rewrite the files in the project's format
#   make corpus    every program with a known answer through the command (about half an hour)
#   make evals     is every eval case what it says (SHARD=1/4 for a part)
#   make real      judge programs that other projects ship
#   make versions  the facts about Warp and the known answers on older Warp versions
#   make bench     what recording and judging cost
#   make clean     remove what the targets made

PYTHON ?= python3
WORKERS ?= 2
TEST_EXTRAS ?= test,agent
TESTS ?= tests
CASES ?= ../shared/cases
SHARD ?= 1/1
VERSIONS := 1.13.0 1.16.0

VENV := .venv
BIN := $(VENV)/bin
SOURCES := harness evals tests tools examples

# Kernels are compiled once for all targets.
export WARP_CACHE_PATH ?= $(CURDIR)/.kernel_cache

.DEFAULT_GOAL := help
.PHONY: help demo agent-demo test evals corpus lint check format real bench clean versions $(VERSIONS:%=versions-%)
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	@touch $@

# One stamp for each set of extras: core, test, dev, real.
$(VENV)/.core: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e .
	@touch $@

$(VENV)/.extras-%: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[$*]"
	@touch $@

.venv-%/.created: constraints/warp-%.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet -c $< warp-lang numpy
	@touch $@

# The example's gradient is wrong, so 1 is the exit code that shows the tool at work.
demo: $(VENV)/.core
	@$(BIN)/python -m harness.run examples/relax_field_before_backward.py; status=$$?; \
	if [ $$status -ne 1 ]; then \
		echo "The demo expected the verdict 'wrong' (exit code 1) and got exit code $$status."; exit 1; \
	fi

# The program's gradient is wrong and the fix is verified, which is exit code 1.
agent-demo: $(VENV)/.extras-agent
	@$(BIN)/python -m examples.agent_demo; status=$$?; \
	if [ $$status -ne 1 ]; then \
		echo "The demo expected a verified fix (exit code 1) and got exit code $$status."; exit 1; \
	fi

test: $(VENV)/.extras-$(TEST_EXTRAS)
	$(BIN)/python -m pytest $(TESTS) -n $(WORKERS) --dist loadgroup -m "not real and not corpus"

corpus: $(VENV)/.extras-$(TEST_EXTRAS)
	$(BIN)/python -m pytest tests/functional -n $(WORKERS) --dist loadgroup -m corpus

evals: $(VENV)/.core
	$(BIN)/python -m evals.run validate --shard $(SHARD) --jobs $(WORKERS)
	$(BIN)/python -m evals.run export --check

lint: $(VENV)/.extras-dev
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy

check: lint test

format: $(VENV)/.extras-dev
	$(BIN)/ruff check --fix-only --quiet $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

real: $(VENV)/.extras-real
	$(BIN)/python tools/real_programs.py

versions: $(VERSIONS:%=versions-%)

$(VERSIONS:%=versions-%): versions-%: .venv-%/.created $(VENV)/.extras-test
	WARP_VERSIONS_PYTHON=$(CURDIR)/.venv-$*/bin/python $(BIN)/python -m pytest tests/versions -q -n $(WORKERS) --dist loadgroup
	$(BIN)/python tools/known_answers.py $(CASES) --python .venv-$*/bin/python

bench: $(VENV)/.extras-test
	$(BIN)/python -m pytest tests/bench --benchmark-only -q -s

clean:
	rm -rf .venv .venv-* .kernel_cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks build dist reports *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
