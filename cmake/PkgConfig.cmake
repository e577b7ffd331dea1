# sfg.pc, for builds that are not CMake's: `pkg-config --cflags --libs sfg`. The library is static, so what it
# stands on is required and not private. sfg-uninstalled.pc is the same of this folder: pkg-config prefers it
# where PKG_CONFIG_PATH names build/pkgconfig.
set(SFG_PC_REQUIRES fmt zlib openblas libzip)
foreach(pair Matio:matio Hdf5:hdf5 Lzf:liblzf Archive:libarchive)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 found)
  list(GET pair 1 module)
  if(${found}_FOUND)
    list(APPEND SFG_PC_REQUIRES ${module})
  endif()
endforeach()
list(JOIN SFG_PC_REQUIRES ", " SFG_PC_REQUIRES)

set(SFG_PC_FOLDER ${PROJECT_BINARY_DIR}/pkgconfig)
# Relative, as the prefix is known when it is installed only.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(SFG_PC_PREFIX "\${pcfiledir}/${up}")
set(SFG_PC_LIBRARIES "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(SFG_PC_HEADERS "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/sfg.pc.in ${SFG_PC_FOLDER}/sfg.pc @ONLY)
set(SFG_PC_PREFIX ${PROJECT_SOURCE_DIR})
set(SFG_PC_LIBRARIES ${PROJECT_BINARY_DIR}/src)
set(SFG_PC_HEADERS "\${prefix}/include")
configure_file(cmake/sfg.pc.in ${SFG_PC_FOLDER}/sfg-uninstalled.pc @ONLY)

install(FILES ${SFG_PC_FOLDER}/sfg.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
