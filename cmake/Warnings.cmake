# One target that carries what all our code is compiled with.
add_library(sfg_warnings INTERFACE)
target_compile_options(sfg_warnings INTERFACE -Wall -Wextra)
# Those who package sfg switch it off: the next compiler may warn of something new.
option(SFG_WARNINGS_ARE_ERRORS "Stop at a warning of the compiler" ON)
if(SFG_WARNINGS_ARE_ERRORS)
  target_compile_options(sfg_warnings INTERFACE -Werror)
endif()
# GCC 12 sees overlapping and endless copies in plain "text" + string (its bug 105651): false alarms.
target_compile_options(sfg_warnings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# No fused multiply-add unless written out: the same bits on every processor, whatever it can do.
target_compile_options(sfg_warnings INTERFACE -ffp-contract=off)

# Checks of every pointer take a quarter to a half of the time to compile, most of it in header-only
# libraries (cli/info.cpp: 34 s, without 16 to 24). What they find, the address sanitizer finds too,
# but for values that lie askew: those are looked for in the library, which reads files.
function(sfg_sanitize_lightly target)
  if(SFG_SANITIZED STREQUAL "address")
    target_compile_options(${target} PRIVATE -fno-sanitize=null,object-size,vptr ${ARGN})
    if(NOT target STREQUAL "sfg")
      target_compile_options(${target} PRIVATE -fno-sanitize=alignment)
    endif()
  endif()
endfunction()
