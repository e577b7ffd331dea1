# Files are read and numbers packed as little-endian processors have them: all of x86-64, and ARM in use.
if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  message(FATAL_ERROR "sfg does not work on big-endian processors (${CMAKE_SYSTEM_PROCESSOR}): it takes "
    "the numbers of files and of its kernels as little-endian ones. Build it for a little-endian system.")
endif()
