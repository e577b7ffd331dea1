# The Python that the package is built for and tested with: SFG_PYTHON if it is given, else the first
# one that has numpy and its own headers. It need not be the first on PATH.
set(SFG_PYTHON_CHECK
  "import numpy, os, sysconfig; open(os.path.join(sysconfig.get_paths()['include'], 'Python.h'))")

function(sfg_find_python)
  if(SFG_PYTHON)
    return()
  endif()
  find_program(SFG_PYTHON_ON_PATH NAMES python3)
  foreach(candidate ${SFG_PYTHON_ON_PATH} /usr/bin/python3 /usr/local/bin/python3)
    execute_process(COMMAND ${candidate} -c "${SFG_PYTHON_CHECK}"
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(SFG_PYTHON ${candidate} CACHE FILEPATH "Python that the package sfg is built for")
      return()
    endif()
  endforeach()
endfunction()

if(SFG_WITH_PYTHON)
  sfg_find_python()
  if(SFG_PYTHON)
    set(Python_EXECUTABLE ${SFG_PYTHON})
    find_package(Python COMPONENTS Interpreter Development.Module)
    find_package(pybind11 CONFIG)
  endif()
  if(NOT Python_Development.Module_FOUND OR NOT pybind11_FOUND)
    set(SFG_WITH_PYTHON OFF)
  endif()
endif()

if(NOT SFG_WITH_PYTHON)
  set(SFG_NO_PYTHON
    "Built without the Python package: install python3-dev, python3-numpy and pybind11-dev")
  message(STATUS ${SFG_NO_PYTHON})
  add_custom_target(sfg_python COMMAND ${CMAKE_COMMAND} -E echo ${SFG_NO_PYTHON})
endif()
