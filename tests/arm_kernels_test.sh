#!/usr/bin/env bash
# The kernels for 64-bit ARM: compiles their tests with as little as these need, no library of ARM among it, and runs
# them by QEMU as processors without sdot, with sdot, and with bfdot. All other tests on ARM: make test-arm.
# Usage: tests/arm_kernels_test.sh SOURCE_FOLDER WORK_FOLDER      77: skipped
set -euo pipefail

source="$1"
work="$2"
compiler=aarch64-linux-gnu-g++
googletest=/usr/src/googletest/googletest

skip() {
  echo "arm_kernels_test: skipped: $1 (tools/install-deps tools/debian-packages-arm.txt)"
  exit 77
}
command -v "$compiler" > /dev/null || skip "there is no compiler for 64-bit ARM"
command -v qemu-aarch64 > /dev/null || skip "there is no QEMU for 64-bit ARM"
[[ -d "$googletest" && -d /usr/include/fmt ]] || skip "there are no sources of GoogleTest and fmt"

mkdir -p "$work/include"
# Headers that are the same for every processor, without those beside them, which are not. Kernels call no OpenBLAS:
# what counts its threads is there to be linked.
ln -sfn /usr/include/fmt "$work/include/fmt"
ln -sfn "$(pkg-config --variable=includedir openblas)"/*.h "$work/include"
cat > "$work/no_blas.cpp" << 'END'
extern "C" int openblas_get_num_threads() { return 1; }
extern "C" void openblas_set_num_threads(int) {}
END
all_of() {  # all_of NAME FILE...: one source, so that common headers are read once
  printf '#include "%s"\n' "${@:2}" > "$work/$1.cpp"
}
stream="$source/src/pursuit/engines/stream"
all_of core "$source"/src/core/{error,kernels,machine,matrix,text,threads}.cpp "$source/src/normalise/normalise.cpp"
all_of stream "$stream"/{first_pass,quantise,screen_store,stream_finder,tile}.cpp \
  "$source"/src/pursuit/{omp/sample_space,checkpoint/shared_work}.cpp
all_of tests "$source"/tests/{kernels,screen}_test.cpp "$source/tests/reference.cpp"

compile() {  # compile OBJECT SOURCE FLAG...
  $(command -v ccache || true) "$compiler" -std=c++20 -ffp-contract=off -ffunction-sections -DFMT_HEADER_ONLY \
    -I"$source/include" -I"$source/src" -I"$source/tests" -I"$work/include" -I/usr/src/googletest/googletest/include \
    -I"$googletest" "${@:3}" -c "$2" -o "$work/$1.o"
}
compile core "$work/core.cpp" -O2
compile stream "$work/stream.cpp" -O2
compile googletest "$googletest/src/gtest-all.cc" -O0
compile main "$googletest/src/gtest_main.cc" -O0
compile tests "$work/tests.cpp" -O2
compile neon "$stream/tile_neon.cpp" -O2 -Wall -Wextra -Werror
for name in tile_avx2 tile_avx512 tile_portable; do compile "$name" "$stream/$name.cpp" -O2; done
compile no_blas "$work/no_blas.cpp" -O0
compile processor "$source/src/core/arm_processor.cpp" -O2
"$compiler" -static -s -Wl,--gc-sections "$work"/*.o -o "$work/tests"

run() {  # run PROCESSOR KERNEL...: the tests of these kernels
  local processor="$1" kernel filter=""
  for kernel in "${@:2}"; do filter+="*/${kernel}:"; done
  qemu-aarch64 -cpu "$processor" "$work/tests" --gtest_brief=1 --gtest_filter="${filter}Kernels.*"
}
kernels_of() {  # kernels_of PROCESSOR: what the program finds there
  qemu-aarch64 -cpu "$1" "$work/tests" --gtest_list_tests | sed -n 's|^ *marks_as_hits.*/\([a-z0-9_]*\) .*|\1|p' | xargs
}
expect() {  # expect PROCESSOR KERNELS
  if [[ "$(kernels_of "$1")" == "$2" ]]; then return; fi
  echo "arm_kernels_test: a $1 has the kernels $(kernels_of "$1"), not $2" >&2
  exit 1
}
plain="f32_portable bf16_portable int8_portable"
expect cortex-a53 "int8_neon f32_neon $plain"
expect neoverse-n1 "int8_dotprod int8_neon f32_neon $plain"
expect max "int8_dotprod int8_neon f32_neon bf16_neon $plain"
run cortex-a53 int8_neon f32_neon
run max int8_dotprod bf16_neon
