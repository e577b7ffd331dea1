# What `make install` puts where, and debian/ into which package: the program with its manual page and completion,
# and the library with its headers.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# --- the library: find_package(sfg), link sfg::sfg ---------------------------------------------------
set(SFG_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/sfg)
install(TARGETS sfg EXPORT sfgTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sfg
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(EXPORT sfgTargets NAMESPACE sfg:: DESTINATION ${SFG_CMAKE_DIR} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sfgConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sfgConfig.cmake INSTALL_DESTINATION ${SFG_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sfgConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sfgConfig.cmake ${PROJECT_BINARY_DIR}/sfgConfigVersion.cmake
  DESTINATION ${SFG_CMAKE_DIR} COMPONENT development)
include(cmake/PkgConfig.cmake)

# --- the program -------------------------------------------------------------------------------------
install(TARGETS sfg_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# Manual page and completion come from the program's own help, so it has to run here.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(SFG_PAGES ${PROJECT_BINARY_DIR}/pages)
  add_custom_command(
    OUTPUT ${SFG_PAGES}/sfg.1 ${SFG_PAGES}/sfg.bash ${SFG_PAGES}/_sfg ${SFG_PAGES}/sfg.fish
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/help-pages
            $<TARGET_FILE:sfg_program> ${SFG_PAGES}
    DEPENDS sfg_program ${PROJECT_SOURCE_DIR}/tools/help-pages
    COMMENT "Manual page and shell completion from the program's help")
  add_custom_target(sfg_pages ALL DEPENDS ${SFG_PAGES}/sfg.1)

  install(FILES ${SFG_PAGES}/sfg.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${SFG_PAGES}/sfg.bash RENAME sfg
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${SFG_PAGES}/sfg.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
  # Debian's zsh looks elsewhere for packages than for what is installed by hand.
  install(CODE "
    set(folder site-functions)
    if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
      set(folder vendor-completions)
    endif()
    file(INSTALL \"${SFG_PAGES}/_sfg\"
      DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\")"
    COMPONENT program)
else()
  add_custom_target(sfg_pages DEPENDS sfg_program)
  message(STATUS "No manual page and no completion: python3 is needed to make them")
endif()
