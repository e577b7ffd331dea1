# Compiles for 64-bit ARM on another machine and runs the tests by QEMU: `make test-arm`.
#   SFG_ARM_SYSROOT    the folder of ARM's libraries (tools/arm-sysroot makes it); empty: they are installed here
#   SFG_ARM_PROCESSOR  the processor that QEMU acts as: cortex-a53 has no sdot, neoverse-n1 has, max has bfdot too
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(SFG_ARM_SYSROOT "" CACHE PATH "Folder with the libraries of 64-bit ARM")
set(SFG_ARM_PROCESSOR neoverse-n1 CACHE STRING "Processor that QEMU acts as")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SFG_ARM_SYSROOT SFG_ARM_PROCESSOR)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu ${SFG_ARM_PROCESSOR})

if(SFG_ARM_SYSROOT)
  set(CMAKE_SYSROOT ${SFG_ARM_SYSROOT})
  list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L ${SFG_ARM_SYSROOT})
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SFG_ARM_SYSROOT})
endif()
set(ENV{PKG_CONFIG_LIBDIR}
  ${SFG_ARM_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${SFG_ARM_SYSROOT}/usr/share/pkgconfig)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
