# Carom on a bare machine: every target sets up what it needs, and is quick when that is there already.
#
#   make run       opens the app (without a screen: records the pool break to a video)
#   make test      formatting, linting, types, layers and the tests
#   make plain     kernels that no part of the engine gives away, as plain Python
#   make slow      the tests that take minutes
#   make fuzz      mutated files and random worlds, until it is stopped
#   make kills     kills what writes files, a thousand times each
#   make monkey    random keys and clicks on the window for an hour
#   make lint      formatting, linting, types and layers only
#   make bench     the speed table
#   make piles     where the time of piles goes, by stage
#   make scrub     how long a look into the past of a run takes
#   make hour      memory that the window takes in an hour's run of five hundred bodies
#   make window    what a picture costs the window's thread, by part
#   make scaling   time an event and memory a body against the number of bodies, by broad phase
#   make solvers   time a problem of 200 contacts by method, beside outside solvers
#   make picture   takes the picture of the app in the README
#   make wheel     builds the wheel into dist/
#   make clean     removes what the above left, but not .venv

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test plain fuzz kills monkey slow lint bench piles scrub window scaling solvers picture wheel clean
.DELETE_ON_ERROR:

run: .venv/run.stamp
	@if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	  echo "There is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set):"; \
	  echo "recording the pool break to pool_break.mp4 instead."; \
	  $(BIN)/carom record pool_break pool_break.mp4; \
	else \
	  $(BIN)/carom; \
	fi

# Linting and plain Python take a core each. Window tests are dealt out to eight processes, from the largest file on: a
# driver need not forgive one that opens and closes GL windows for ever.
test: .venv/test.stamp
	@$(MAKE) --no-print-directory -j 2 lint plain
	$(BIN)/carom warm
	$(BIN)/pytest -n logical --maxprocesses 4 --dist worksteal --ignore=tests/app
	@ls -S tests/app/test_*.py | awk '{ dealt[NR % 8] = dealt[NR % 8] " " $$0 } END { for (k in dealt) print dealt[k] }' | xargs -P 2 -L 1 sh -c \
	  'told=$$($(BIN)/pytest -q "$$@" 2>&1); failed=$$?; printf "%s\n%s\n" "$$*" "$$told"; exit $$failed' pytest

plain: .venv/test.stamp
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -m plain tests/unit

fuzz: .venv/test.stamp
	$(BIN)/python -m tests.fuzz.fuzz --rounds 0 --seed $${SEED:-0}

kills: .venv/test.stamp
	$(BIN)/python -m tests.fuzz.kills --count $${COUNT:-1000} --seed $${SEED:-0}

monkey: .venv/test.stamp
	xvfb-run -a -s "-screen 0 1600x1000x24" $(BIN)/python -m tests.monkey.monkey --minutes $${MINUTES:-60} --seed $${SEED:-0}

slow: .venv/test.stamp
	$(BIN)/pytest -m slow

lint: .venv/test.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/test.stamp
	$(BIN)/python -m tests.benchmark.speed

piles: .venv/test.stamp
	$(BIN)/python -m tests.benchmark.piles

scrub: .venv/test.stamp
	$(BIN)/python -m tests.benchmark.scrub

window: .venv/test.stamp
	xvfb-run -a -s "-screen 0 1600x1000x24" $(BIN)/python -m tests.benchmark.window

hour: .venv/test.stamp
	xvfb-run -a -s "-screen 0 1600x1000x24" $(BIN)/python -m tests.benchmark.hour

scaling: .venv/test.stamp
	$(BIN)/python -m tests.benchmark.scaling

solvers: .venv/test.stamp
	$(BIN)/python -m tests.benchmark.solvers

picture: .venv/test.stamp
	xvfb-run -a -s "-screen 0 1600x1000x24" $(BIN)/python -m app.view.picture assets/carom.png

wheel: .venv/run.stamp
	$(BIN)/pip install --quiet 'build>=1.2,<2'
	$(BIN)/python -m build --wheel

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# The stamps follow pyproject.toml: the dependencies are looked at again only when it has changed.
.venv/run.stamp: pyproject.toml .ci/packages
	@.ci/packages run
	@[ -x $(BIN)/pip ] || $(PYTHON) -m venv .venv
	@echo "Installing Carom and what it needs into .venv"
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/test.stamp: .venv/run.stamp
	@.ci/packages test
	@echo "Installing what the tests need into .venv"
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,dev]'
	@touch $@
