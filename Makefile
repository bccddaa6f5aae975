# The front door. CMake and its presets do the work; this file names what people do most.
# Build directories are build/<preset>; nothing is written outside build/.

PREFIX ?= /usr/local
# Which test programs `make test` samples under each sanitizer; `make soak` runs them all.
ASAN_SAMPLE ?= base results hosts model job shm mpi_engine suite iwarp
TSAN_SAMPLE ?= base hosts job shm contract mpi_engine
# Two models that differ as much as models can; all share their semantics.
FABRIC_SAMPLE ?= shm,ideal,infiniband-pcix-liu04,quadrics
SAMPLE = RAILYARD_CONTRACT_QUICK=1 RAILYARD_CONTRACT_FABRICS=$(FABRIC_SAMPLE)

.DEFAULT_GOAL := build
.PHONY: build setup test report bench soak golden accept install clean format tidy help sample-asan sample-tsan

build: build/release/build.ninja ## Build everything: programs in build/release/bin, libraries in build/release/lib
	cmake --build --preset release

setup: ## Install the Debian packages that are missing (with sudo where not root)
	scripts/install-packages

test: setup ## Install what is missing, build, run all tests, then a sample under the sanitizers
	$(MAKE) build
	ctest --preset release
	$(MAKE) sample-asan
	$(MAKE) sample-tsan

report: setup ## Measure shared memory here, run the models, and write a page: build/report/index.html
	$(MAKE) build
	scripts/report

bench: setup ## Run every benchmark: ours, the reference, their ratio and the target
	scripts/install-packages bench
	$(MAKE) build
	mkdir -p build/bench
	build/release/bin/railyard-bench --json build/bench/results.json

soak: setup ## Hours rather than minutes: long stress, all tests under the sanitizers, fuzzing
	scripts/install-packages soak
	scripts/soak

golden: build ## Show what the models do differently from their golden traces
	scripts/golden show

accept: build ## Let the golden traces be what the models do now
	scripts/golden accept

install: build ## Install under PREFIX (default /usr/local)
	cmake --install build/release --prefix '$(PREFIX)'

clean: ## Remove all build directories
	rm -rf build

format: ## Format the sources with clang-format
	scripts/install-packages style
	find src tests bench -name '*.hpp' -print0 -o -name '*.cpp' -print0 -o -path 'src/*.[ch]' -print0 | xargs -0 clang-format -i

tidy: build/release/build.ninja ## Look for mistakes with clang-tidy
	scripts/install-packages style
	run-clang-tidy -quiet -p build/release "$(CURDIR)/(src|tests|bench)/"

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Ninja configures again by itself when a CMake file or the set of sources changes.
build/%/build.ninja:
	cmake --preset $*

empty :=
labels = $(subst $(empty) $(empty),|,$(strip $(1)))

sample-asan: build/asan/build.ninja
	cmake --build --preset asan --target $(ASAN_SAMPLE:%=%_test)
	$(SAMPLE) ctest --preset asan -L '^($(call labels,$(ASAN_SAMPLE)))$$'

sample-tsan: build/tsan/build.ninja
	cmake --build --preset tsan --target $(TSAN_SAMPLE:%=%_test)
	$(SAMPLE) ctest --preset tsan -L '^($(call labels,$(TSAN_SAMPLE)))$$'
