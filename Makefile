# The two commands: make demo, make test. `make help` lists the rest.
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

help:  ## Shows this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

demo:  ## Builds the command and shows a breaker trip, probe and recover
	@scripts/install build
	@scripts/build demo halfopen
	@build/release/bin/halfopen demo $(DEMO_FLAGS)

test:  ## Builds and runs every test, in release and under the sanitizers
	@scripts/install build test
	@scripts/test

build:  ## Builds everything, as shipped, into build/release
	@scripts/install build test
	@scripts/build release

bench: build  ## Runs the micro-benchmarks
	@scripts/bench

bench-bars:  ## Holds the measured figures against their bars: `name value limit ok|short`
	@scripts/install build test bench >&2
	@scripts/build release >&2
	@scripts/bench_bars

fuzz:  ## Runs every fuzz target for FUZZ_SECONDS (30)
	@scripts/install build test
	@scripts/fuzz

fmt:  ## Formats the sources
	@scripts/install test
	@scripts/format

tidy:  ## Runs clang-tidy over every source file
	@scripts/install build test
	@scripts/tidy

clean:  ## Removes what was built
	rm -rf build

.PHONY: help demo test build bench bench-bars fuzz fmt tidy clean
