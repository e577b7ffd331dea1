# What makes a fault in our own code harder to use: sfg_harden(TARGET...). Programs can lie anywhere in memory
# (PIE), tables of addresses are filled at the start and read-only from then on (RELRO, BIND_NOW), no data runs
# as code (NX), overwritten stacks (canaries) and buffers whose size the compiler knows (FORTIFY) end the program.
# Kernels are not slowed: their loops stand in functions that are entered once per tile.
# tests/hardening_test.cpp looks at what was built.
option(SFG_HARDENED "Flags that make faults harder to use" ON)

set(SFG_HARDENS OFF)
# Sanitizers find more, and FORTIFY hides calls from them.
if(SFG_HARDENED AND NOT SFG_SANITIZED AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(SFG_HARDENS ON)
endif()

function(sfg_harden)
  if(NOT SFG_HARDENS)
    return()
  endif()
  foreach(target ${ARGN})
    # FORTIFY needs an optimiser.
    target_compile_options(${target} PRIVATE -fstack-protector-strong
      $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
    # Written out, as what is precompiled serves several targets with the same flags.
    get_target_property(is_shared ${target} POSITION_INDEPENDENT_CODE)
    if(NOT is_shared)
      target_compile_options(${target} PRIVATE -fPIE)
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_link_options(${target} PRIVATE -pie)
    endif()
    if(type MATCHES "EXECUTABLE|MODULE")
      target_link_options(${target} PRIVATE LINKER:-z,relro,-z,now,-z,noexecstack)
    endif()
  endforeach()
endfunction()
