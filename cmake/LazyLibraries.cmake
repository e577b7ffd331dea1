# sfg_load_when_needed(TARGET ARCHIVES targets... LIBRARIES files...): TARGET, which links the
# archives, loads the shared libraries when it first calls one of their functions, instead of when it
# starts. Elsewhere than on x86-64 with GNU's linker, and under sanitizers, nothing changes.
set(SFG_LOADS_WHEN_NEEDED OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT SFG_SANITIZED
   AND CMAKE_NM AND CMAKE_READELF)
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_FOUND)
    set(SFG_LOADS_WHEN_NEEDED ON)
  endif()
endif()

function(sfg_load_when_needed target)
  cmake_parse_arguments(LAZY "" "" "ARCHIVES;LIBRARIES" ${ARGN})
  set(stubs ${CMAKE_CURRENT_BINARY_DIR}/lazy_stubs.cpp)
  set(archives)
  foreach(archive ${LAZY_ARCHIVES})
    list(APPEND archives $<TARGET_FILE:${archive}>)
  endforeach()
  add_custom_command(OUTPUT ${stubs}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/lazy-stubs ${stubs} ${archives} --
      ${LAZY_LIBRARIES}
    DEPENDS ${LAZY_ARCHIVES} ${PROJECT_SOURCE_DIR}/tools/lazy-stubs
    COMMENT "Stubs of libraries that few runs need" VERBATIM)
  target_sources(${target} PRIVATE ${stubs} ${PROJECT_SOURCE_DIR}/cli/lazy/lazy_libraries.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cli/lazy)
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  # The stubs stand for the libraries, which are then not needed.
  target_link_options(${target} PRIVATE LINKER:--as-needed)
endfunction()
