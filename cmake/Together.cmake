# Compiling many sources in little time.
#
# Most of the time of a small source goes into the headers of others. So the sources of a folder are
# compiled together, a few at a time, and the common headers are read once. Two sources of a folder then
# share one anonymous namespace: their helpers need names of their own.
#
# The presets debug and lint compile every source alone, which shows that each names what it uses.
option(SFG_COMPILE_TOGETHER "Compile several sources of a folder at once" ON)

# sfg_compile_together(TARGET [AT_ONCE n] [ALONE regex] (HEADERS header... | HEADERS_OF target))
#   AT_ONCE     so many sources in one piece: few enough that both cores have work until the end
#   ALONE       sources that stay alone
#   HEADERS     precompiled for this target
#   HEADERS_OF  those that were precompiled for another one, with the same options
function(sfg_compile_together target)
  cmake_parse_arguments(arg "" "AT_ONCE;ALONE;HEADERS_OF" "HEADERS" ${ARGN})
  if(NOT SFG_COMPILE_TOGETHER)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  if(arg_ALONE)
    list(FILTER sources EXCLUDE REGEX "${arg_ALONE}")
  endif()
  set(folder_before "")
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT folder STREQUAL folder_before)
      set(count 0)
      set(folder_before ${folder})
    endif()
    math(EXPR piece "${count} / ${arg_AT_ONCE}")
    math(EXPR count "${count} + 1")
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${name}_${piece}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(arg_HEADERS_OF)
    target_precompile_headers(${target} REUSE_FROM ${arg_HEADERS_OF})
  else()
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# --- helpers that are used where they are found -----------------------------------------------------
# lld links the sanitized programs in a fraction of the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld SFG_HAS_LLD)
if(SFG_HAS_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# ccache finds what was compiled before, in this folder or another.
find_program(SFG_CCACHE ccache)
if(SFG_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers carry times, which ccache is to overlook.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${SFG_CCACHE})
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  else()
    add_compile_options(-fpch-preprocess)
  endif()
endif()
