# The front door. CMake and its presets do the work; this file names what people do most.
# Build directories are build/<preset>; nothing is written outside build/.

PREFIX ?= /usr/local
# Which test programs `make sanitize` runs under each sanitizer; `make soak` runs them all.
ASAN_SAMPLE ?= base results hosts model job managers shm mpi_engine suite iwarp ofi
TSAN_SAMPLE ?= base hosts job managers shm contract mpi_engine ofi
# Two models that differ as much as models can; all share their semantics.
FABRIC_SAMPLE ?= shm,ideal,infiniband-pcix-liu04,quadrics
SAMPLE = RAILYARD_CONTRACT_QUICK=1 RAILYARD_CONTRACT_FABRICS=$(FABRIC_SAMPLE)

.DEFAULT_GOAL := build
.PHONY: build report test lint headers format-check tidy sanitize sanitize-asan sanitize-tsan bench soak \
        portability golden accept install api package clean format help

build: build/release/build.ninja ## Build the programs and libraries: build/release/bin, build/release/lib
	cmake --build --preset release --target programs

report: ## Measure shared memory here, run the models, and write a page: build/report/index.html
	scripts/install-packages build
	$(MAKE) build/release/build.ninja
	cmake --build --preset release --target report_programs
	scripts/report

test: ## Install what is missing, build everything, run all tests
	scripts/install-packages build test
	cmake --preset release -DRAILYARD_TESTS=ON
	cmake --build --preset release
	scripts/run-tests

lint: headers format-check tidy ## Check that headers stand alone, the layout of sources, and clang-tidy's list

headers: build/release/build.ninja
	cmake --build --preset release --target headers

format-check:
	scripts/install-packages style
	$(SOURCES) | xargs -0 clang-format --dry-run -Werror

# Each file on its own, as it is written; and nothing is built but the sources that are generated.
tidy:
	scripts/install-packages build test style
	cmake --preset release -B build/tidy -DRAILYARD_UNITY=OFF -DRAILYARD_TESTS=ON
	cmake --build build/tidy --target mpi_interface mpi_fortran_interface
	run-clang-tidy -quiet -extra-arg=-Wno-unknown-warning-option -p build/tidy "$(CURDIR)/(src|tests|bench)/"

sanitize: ## Run a sample of the tests under the address, undefined-behaviour and thread sanitizers
	scripts/install-packages build test
	$(MAKE) sanitize-asan
	$(MAKE) sanitize-tsan

bench: ## Run every benchmark: ours, the reference, their ratio and the target
	scripts/install-packages build bench
	$(MAKE) build
	cmake --build --preset release --target railyard-bench
	mkdir -p build/bench
	build/release/bin/railyard-bench --json build/bench/results.json

soak: ## Hours rather than minutes: long stress, all tests under the sanitizers, fuzzing
	scripts/install-packages build test soak portability
	scripts/soak

portability: ## Build for the other processor, x86-64 or aarch64, and run tests and golden traces under qemu
	scripts/install-packages build test portability
	scripts/portability

golden: build ## Show what the models do differently from their golden traces
	scripts/golden show

accept: build ## Let the golden traces be what the models do now
	scripts/golden accept

install: build ## Install under PREFIX (default /usr/local)
	cmake --install build/release --prefix '$(PREFIX)'

api: ## Write the reference of the library's headers for a browser: build/api/html/index.html
	scripts/install-packages package
	mkdir -p build/api
	doxygen docs/Doxyfile

package: ## Build Debian packages, check them, and install them into a folder of its own: build/package/*.deb
	scripts/install-packages build test package
	cmake --preset release -DRAILYARD_TESTS=ON
	$(MAKE) api
	cmake --build --preset release --target programs railyard_contract
	scripts/package

clean: ## Remove all build directories
	rm -rf build

format: ## Format the sources with clang-format
	scripts/install-packages style
	$(SOURCES) | xargs -0 clang-format -i

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

SOURCES = find src include/railyard tests bench examples -name '*.hpp' -print0 -o -name '*.cpp' -print0 \
          -o -path 'src/*.[ch]' -print0

# Ninja configures again by itself when a CMake file or the set of sources changes.
build/%/build.ninja:
	cmake --preset $*

empty :=
labels = $(subst $(empty) $(empty),|,$(strip $(1)))

sanitize-asan: build/asan/build.ninja
	cmake --build --preset asan --target $(ASAN_SAMPLE:%=%_test)
	$(SAMPLE) ctest --preset asan -L '^($(call labels,$(ASAN_SAMPLE)))$$'

sanitize-tsan: build/tsan/build.ninja
	cmake --build --preset tsan --target $(TSAN_SAMPLE:%=%_test)
	$(SAMPLE) ctest --preset tsan -L '^($(call labels,$(TSAN_SAMPLE)))$$'
