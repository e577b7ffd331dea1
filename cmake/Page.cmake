# The page of `sfg report`: web/ is bundled by Node into one C++ source. Without Node, or without its
# packages, everything else is built and `sfg report` says what is missing. Where no network is, as when
# Debian builds its packages, SFG_PAGE_FILE takes the source that was bundled elsewhere.
set(SFG_PAGE_FILE "" CACHE FILEPATH "The report page, bundled elsewhere (page.cpp), instead of Node")

function(sfg_prepare_page)
  find_program(SFG_NODE NAMES node nodejs)
  find_program(SFG_NPM NAMES npm)
  if(NOT SFG_NODE OR NOT SFG_NPM)
    message(STATUS "Built without the report page: install nodejs and npm")
    return()
  endif()
  # The packages of the lock file, once; in the build folder, so that the sources stay clean.
  set(folder ${PROJECT_BINARY_DIR}/web)
  set(lock ${PROJECT_SOURCE_DIR}/web/package-lock.json)
  file(SHA256 ${lock} wanted)
  set(installed "")
  if(EXISTS ${folder}/installed.txt)
    file(READ ${folder}/installed.txt installed)
  endif()
  if(NOT installed STREQUAL wanted)
    message(STATUS "Installing the packages of the report page")
    file(COPY ${PROJECT_SOURCE_DIR}/web/package.json ${lock} ${PROJECT_SOURCE_DIR}/web/.npmrc
         DESTINATION ${folder})
    execute_process(COMMAND ${SFG_NPM} ci --ignore-scripts --loglevel=error
      WORKING_DIRECTORY ${folder} RESULT_VARIABLE status OUTPUT_QUIET)
    if(NOT status EQUAL 0)
      message(WARNING "Built without the report page: npm could not install its packages")
      return()
    endif()
    file(WRITE ${folder}/installed.txt ${wanted})
  endif()

  set(web ${PROJECT_SOURCE_DIR}/web)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/* ${web}/tests/*)
  set(settings ${web}/build.mjs ${web}/tsconfig.json ${web}/.prettierrc.json ${web}/.prettierignore)
  set(page ${folder}/page.cpp)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}/src ${folder}/tests
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${web}/src ${folder}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${web}/tests ${folder}/tests
    COMMAND ${CMAKE_COMMAND} -E copy ${settings} ${folder}
    COMMAND ${SFG_NODE} build.mjs
    WORKING_DIRECTORY ${folder}
    DEPENDS ${sources} ${settings} ${lock}
    COMMENT "Bundling the report page" VERBATIM)
  set(SFG_PAGE_SOURCE ${page} PARENT_SCOPE)
endfunction()

set(SFG_PAGE_SOURCE ${PROJECT_SOURCE_DIR}/src/report/no_page.cpp.in)
if(SFG_PAGE_FILE)
  if(NOT EXISTS ${SFG_PAGE_FILE})
    message(FATAL_ERROR "SFG_PAGE_FILE: there is no ${SFG_PAGE_FILE}")
  endif()
  set(SFG_PAGE_SOURCE ${SFG_PAGE_FILE})
elseif(SFG_WITH_PAGE)
  sfg_prepare_page()
endif()
if(SFG_PAGE_SOURCE MATCHES "\\.in$")
  configure_file(${SFG_PAGE_SOURCE} ${PROJECT_BINARY_DIR}/web/no_page.cpp COPYONLY)
  set(SFG_PAGE_SOURCE ${PROJECT_BINARY_DIR}/web/no_page.cpp)
  set(SFG_HAS_PAGE OFF CACHE INTERNAL "The page of sfg report is built")
else()
  set(SFG_HAS_PAGE ON CACHE INTERNAL "The page of sfg report is built")
endif()
