# One target that carries what all our code is compiled with.
add_library(sfg_warnings INTERFACE)
target_compile_options(sfg_warnings INTERFACE -Wall -Wextra -Werror)
# GCC 12 sees overlapping and endless copies in plain "text" + string (its bug 105651): false alarms.
target_compile_options(sfg_warnings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# No fused multiply-add unless written out: the same bits on every x86-64, whatever it can do.
target_compile_options(sfg_warnings INTERFACE -ffp-contract=off)

# The library is sanitized in full. Around it there are no checks of every pointer: in header-only
# libraries they take a third to a half of the time to compile (cli/info.cpp: 34 s, without 16 to 24).
function(sfg_sanitize_lightly target)
  if(SFG_SANITIZED STREQUAL "address")
    target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,object-size,vptr ${ARGN})
  endif()
endfunction()
