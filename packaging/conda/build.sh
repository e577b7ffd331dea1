#!/usr/bin/env bash
# Program, library and Python package into $PREFIX. conda sets PREFIX, PYTHON, SRC_DIR, CPU_COUNT and CMAKE_ARGS.
set -euo pipefail

cmake -S . -B build -G Ninja ${CMAKE_ARGS:-} \
  -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib \
  -DCMAKE_PREFIX_PATH="$PREFIX" \
  -DSFG_BUILD_TESTS=OFF \
  -DSFG_WARNINGS_ARE_ERRORS=OFF \
  -DSFG_WITH_MPI=OFF \
  -DSFG_PYTHON="$PYTHON" \
  -DSFG_PAGE_FILE="$SRC_DIR/page/page.cpp"
cmake --build build -j "${CPU_COUNT:-2}" --target sfg_program sfg_pages sfg_python
cmake --install build
# setup.py takes what CMake has left in build.
SFG_BUILD_FOLDER=build "$PYTHON" -m pip install . --no-deps --no-build-isolation -vv
