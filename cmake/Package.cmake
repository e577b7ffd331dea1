# Debian packages: sfg (the program), libsfg-dev (the library) and, where MPI is found, sfg-mpi.
# `make package` makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sfg)
set(CPACK_PACKAGE_VENDOR "The sfg authors")
set(CPACK_PACKAGE_CONTACT "The sfg authors <sfg@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "removes redundant features from wide data")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME sfg)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# Libraries that the program loads when it needs them stand in no header of it: dpkg knows their
# packages.
if(SFG_LOADS_WHEN_NEEDED)
  set(SFG_LATE_PACKAGES)
  foreach(library ${SFG_OPTIONAL_LIBRARIES})
    file(REAL_PATH ${library} library)
    execute_process(COMMAND dpkg-query --search ${library}
      OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND owner MATCHES "^([^:]+):")
      list(APPEND SFG_LATE_PACKAGES ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES SFG_LATE_PACKAGES)
  list(JOIN SFG_LATE_PACKAGES ", " CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS)
endif()
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "sfg finds redundant features (columns) in wide data without labels: copies,
scaled copies and linear combinations of other features. It keeps one feature
of each group and says for every removed one what replaces it and how well.
Reads CSV, TSV, NPY, MAT, Matrix Market, svmlight and h5ad files.")

if(SFG_WITH_MPI)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME sfg-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS openmpi-bin)
  set(CPACK_COMPONENT_MPI_DESCRIPTION
    "sfg-mpi makes the graph of 'sfg graph' with several processes under mpirun or
srun, on one machine or many: the same options, the same file.")
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsfg-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(SFG_LIBRARY_PACKAGES libfmt-dev zlib1g-dev libzip-dev libopenblas-dev pkg-config)
if(SFG_WITH_MAT)
  list(APPEND SFG_LIBRARY_PACKAGES libmatio-dev)
endif()
if(SFG_WITH_HDF5)
  list(APPEND SFG_LIBRARY_PACKAGES libhdf5-dev)
endif()
if(SFG_WITH_LZF)
  list(APPEND SFG_LIBRARY_PACKAGES liblzf-dev)
endif()
if(SFG_WITH_ARCHIVE)
  list(APPEND SFG_LIBRARY_PACKAGES libarchive-dev)
endif()
list(JOIN SFG_LIBRARY_PACKAGES ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Static library and C++20 headers of sfg, which removes redundant features from
wide data. CMake projects use it by find_package(sfg) and sfg::sfg.")

include(CPack)
