# The front door: `make help` lists what it can do. CMake does the work.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# One more than there are cores: some tests wait for others' processes.
TESTS_AT_ONCE ?= $(shell expr $(JOBS) + 1)
# How long `make fuzz` runs each fuzzer.
FUZZ_SECONDS ?= 900
# How long `make soak` goes on (SOAK_SEED=N repeats its draws), and `make fuzz-peers`.
SOAK_MINUTES ?= 60
PEERS_SECONDS ?= 900
# How many changes `make mutate` tries.
MUTANTS ?= 300
# The Pythons that `make wheel` makes wheels for; there are 3.9, 3.11 and 3.13.
WHEEL_PYTHONS ?= 3.11
# Passed on to CMake, for example CMAKE_FLAGS=-DSFG_WITH_MAT=OFF
CMAKE_FLAGS ?=

# The interpreter that CMake found for the package.
PACKAGE_PYTHON = $(shell sed -n 's/^SFG_PYTHON:FILEPATH=//p' build/CMakeCache.txt)

FOLDERS = $(wildcard include src cli mpi tests examples bench python fuzz r/src)
CODE = $(shell find $(FOLDERS) -name '*.cpp' -o -name '*.hpp')

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo build check test test-release test-python wheel binary release try-release sanitize fuzz fuzz-short \
	fuzz-peers soak bench bench-check bench-baseline bench-plot screenshots options-doc format check-code check-format lint mutate docs \
	install clean deps release-deps r-deps configure hosts r-package test-r r-options-page test-arm debian try-recipes

help: ## This list
	@echo "sfg removes redundant features from wide data. Start with 'make demo'."
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) \
		| awk -F '|' '{ printf "%-22s %s\n", $$1, $$2 }'

demo: build ## Show it: planted data, the reduction, the reason for one removed feature
	@tools/demo build/sfg

build: configure ## The program, at build/sfg, and build/sfg-mpi where MPI is found
	cmake --build --preset release -j $(JOBS) --target sfg_programs sfg_pages

check: check-code test-release ## While working: the code itself, the optimised build and its tests
	@echo "make check: everything passed"

test: check sanitize fuzz-short ## Before a change is ready: check, then sanitizers and fuzzers
	@echo "make test: everything passed"

test-release: configure ## The tests of the optimised build, those of Python and of the page too
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(TESTS_AT_ONCE)

test-python: configure ## The tests of the Python package only
	cmake --build --preset release -j $(JOBS) --target sfg_program sfg_python
	ctest --preset release -L python

r-package: build r-deps ## The R package, as sources and for this machine's R, in build/r
	JOBS=$(JOBS) tools/r-package build build/r

test-r: r-package ## R CMD check of the R package, with its tests and its vignette
	JOBS=$(JOBS) tools/r-package check build/r

r-options-page: build r-deps ## The page of the R package about options, from the library's lists
	JOBS=$(JOBS) tools/r-package page

test-arm: build ## 64-bit ARM by QEMU: kernels, tests of the library, graphs beside those made here (slow)
	@tools/install-deps tools/debian-packages-arm.txt
	@tools/arm-sysroot build-arm/sysroot
	ctest --preset release --no-tests=error -R arm_kernels
	cmake --preset arm $(CMAKE_FLAGS)
	cmake --build --preset arm -j $(JOBS)
	ctest --preset arm -j $(JOBS)
	/usr/bin/python3 bench/same_answers.py build/sfg build-arm/tests/sfg --only "graph, " --sets lymphoma,planted

wheel: release-deps ## The Python package as a wheel for other machines, in build/wheels (WHEEL_PYTHONS=3.11)
	cmake --build --preset release -j $(JOBS) --target sfg_portable_program \
		$(foreach python,$(WHEEL_PYTHONS),sfg_portable_python_$(subst .,,$(python)))
	tools/pack wheels build/wheels $(WHEEL_PYTHONS)

binary: release-deps ## The program in one file for other machines, in build/binary
	cmake --build --preset release -j $(JOBS) --target sfg_portable_program sfg_pages
	tools/pack program build/binary

release: release-deps ## All that a release has, of the tag or of HEAD, in build/release
	JOBS=$(JOBS) tools/make-release build/release

try-release: ## Install what `make release` made on bare Debian systems and use it (needs root; SUITES=bookworm)
	@tools/install-deps tools/debian-packages-try.txt
	tools/try-release build/release $(SUITES)

try-recipes: build ## Run the recipes of packaging/ as far as that is possible here (RECIPES=conda; the container needs root)
	@tools/install-deps tools/debian-packages-recipes.txt
	JOBS=$(JOBS) tools/try-recipes $(RECIPES)

sanitize: deps ## All tests under ASan and UBSan, those of the library under TSan
	cmake --preset sanitize $(CMAKE_FLAGS)
	cmake --build --preset sanitize -j $(JOBS)
	ctest --preset sanitize -j $(TESTS_AT_ONCE)
	cmake --preset threads $(CMAKE_FLAGS)
	cmake --build --preset threads -j $(JOBS)
	ctest --preset threads -j $(TESTS_AT_ONCE)

mutate: configure ## Changes the sources in MUTANTS (300) small ways and counts what the tests notice: build/mutants.tsv
	cmake --build --preset release -j $(JOBS) --target sfg_program sfg_tests
	nice tools/mutate build --mutants $(MUTANTS) --out build/mutants.tsv

hosts: configure ## sfg-mpi on 2 and 4 hosts made of namespaces: every number of ranks, every cut
	cmake --build --preset release -j $(JOBS) --target sfg_programs
	python3 tests/mpi/hosts_test.py build/sfg build/sfg-mpi mpirun --all

fuzz: deps ## The fuzzers of the readers, each for FUZZ_SECONDS (900), with a table at the end
	JOBS=$(JOBS) tools/fuzz long $(FUZZ_SECONDS)

fuzz-short: deps ## The same few thousand inputs for every fuzzer, each time
	JOBS=$(JOBS) tools/fuzz short

fuzz-peers: build ## Files of numpy, scipy and pandas, damaged too: sfg reads the same (PEERS_SECONDS=900)
	fuzz/peers $(PEERS_SECONDS)

soak: build ## Kills, full disks, failing calls, signals for every command, then the fuzzers (SOAK_MINUTES=60)
	cmake --build --preset release -j $(JOBS) --target sfg_injector
	JOBS=$(JOBS) tools/soak $(SOAK_MINUTES) $(SOAK_SEED)

bench: build ## The whole job beside its peers: tables (BENCH=--large, BENCH=--pursuits, DATA=files)
	@tools/install-deps tools/debian-packages-bench.txt
	cmake --preset release -DSFG_BUILD_BENCH=ON $(CMAKE_FLAGS)
	cmake --build --preset release -j $(JOBS) --target gram_sketch tile_rates
	/usr/bin/python3 bench/peers.py $(BENCH) $(DATA)

bench-check: build ## Instructions of small jobs beside those stored: did something get slower?
	/usr/bin/python3 bench/instructions.py

bench-baseline: build ## Store the instructions that bench-check compares with
	/usr/bin/python3 bench/instructions.py --write

bench-plot: build ## Time and memory against the number of features: docs/scaling.svg
	@tools/install-deps tools/debian-packages-bench.txt
	/usr/bin/python3 bench/scaling.py docs/scaling.svg

screenshots: build ## docs/report.png, by the tests that open the page in a browser
	SFG_PROGRAM=$(CURDIR)/build/sfg SFG_TEST_DATA_FOLDER=$(CURDIR)/../shared/data \
		SFG_SCREENSHOTS=$(CURDIR)/build/screenshots node --test build/web/tests/
	cp build/screenshots/report.png docs/report.png

options-doc: build ## docs/OPTIONS.md, from the library's lists of options
	build/sfg help --options > docs/OPTIONS.md

docs: build ## The documentation as pages, in build/docs; all that they show is run meanwhile
	@tools/install-deps tools/debian-packages-docs.txt
	cmake --build --preset release -j $(JOBS) --target sfg_python
	mkdir -p build/docs
	(cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = build/docs") | doxygen -
	SFG_BUILD_FOLDER=build $(PACKAGE_PYTHON) -m sphinx -q -W --keep-going -b html -d build/docs/state docs build/docs/html
	rm -rf build/docs/html/cpp && cp -r build/docs/cpp build/docs/html/cpp
	@tools/check-links build/docs/html
	@echo "make docs: open build/docs/html/index.html"

format: deps ## Format the code
	@clang-format -i $(CODE)

check-code: check-format ## Fail on what needs no compiler: format, includes, sizes, numbers without a row
	@tools/include-graph
	@tools/check-sizes
	@tools/check-numbers

check-format: deps ## Fail if the code is not formatted
	@clang-format --dry-run -Werror $(CODE)
	@echo "check-format: $(words $(CODE)) files are formatted"

lint: deps ## clang-tidy on the library and the program
	cmake --preset release -B build-lint -DSFG_COMPILE_TOGETHER=OFF -DSFG_BUILD_TESTS=OFF $(CMAKE_FLAGS)
	run-clang-tidy -quiet -p build-lint -j $(JOBS) -extra-arg=-Wno-unknown-warning-option \
		'/(src|cli|mpi)/.*\.cpp$$'

install: build ## Install below PREFIX (/usr/local); DESTDIR is honoured
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

debian: build ## Debian's source package, and the packages of program, library and Python, in build/debian
	@tools/install-deps tools/debian-packages-debian.txt
	JOBS=$(JOBS) tools/make-debian build/debian

clean: ## Remove everything that was built
	rm -rf build build-debug build-sanitize build-threads build-lint build-arm demo

# --- parts of the above ------------------------------------------------------------------------------
deps:
	@tools/install-deps

r-deps: deps
	@tools/install-deps tools/debian-packages-r.txt

release-deps: configure
	@tools/install-deps tools/debian-packages-release.txt
	cmake --preset release $(CMAKE_FLAGS)

# Where the folder has moved, CMake forgets what it found at the old place.
configure: deps
	cmake $(if $(wildcard build/CMakeCache.txt),$(if \
		$(shell grep -qx 'CMAKE_HOME_DIRECTORY:INTERNAL=$(CURDIR)' build/CMakeCache.txt || echo moved),--fresh)) \
		--preset release $(CMAKE_FLAGS)
