# HDF5 for trajectories: find_hdf5_for_vida() sets VIDA_HDF5_FOUND; vida_use_hdf5(target) gives a target
# its headers.
#
# The library is not linked. It is loaded when the first such file is read or written, because it brings
# dozens of other libraries along (for files in networks), which programs without such files do not need.
# So its name is recorded. A library with MPI needs the headers of MPI and is not used.
macro(find_hdf5_for_vida)
  set(VIDA_HDF5_FOUND FALSE)
  if(VIDA_HDF5)
    find_path(VIDA_HDF5_INCLUDE_DIR hdf5.h HINTS ENV HDF5_ROOT ${HDF5_ROOT}
              PATH_SUFFIXES include hdf5/serial include/hdf5/serial)
    find_library(VIDA_HDF5_LIBRARY NAMES hdf5_serial hdf5 HINTS ENV HDF5_ROOT ${HDF5_ROOT}
                 PATH_SUFFIXES lib lib64)
    mark_as_advanced(VIDA_HDF5_INCLUDE_DIR VIDA_HDF5_LIBRARY)
    if(VIDA_HDF5_INCLUDE_DIR AND VIDA_HDF5_LIBRARY)
      set(hdf5_configuration)
      file(GLOB hdf5_headers ${VIDA_HDF5_INCLUDE_DIR}/H5pubconf*.h)
      foreach(header IN LISTS hdf5_headers)
        file(STRINGS ${header} lines REGEX "define H5_(HAVE_PARALLEL|VERSION|HAVE_THREADSAFE) ")
        list(APPEND hdf5_configuration ${lines})
      endforeach()
      string(REGEX MATCH "H5_VERSION \"([0-9.]+)" VIDA_HDF5_VERSION "${hdf5_configuration}")
      set(VIDA_HDF5_VERSION "${CMAKE_MATCH_1}")
      if(hdf5_configuration MATCHES "H5_HAVE_PARALLEL 1")
        message(STATUS "HDF5 ${VIDA_HDF5_VERSION} needs MPI: it is not used (Debian, Ubuntu: libhdf5-dev)")
      elseif(VIDA_HDF5_VERSION VERSION_LESS 1.10.2)
        message(STATUS "HDF5 ${VIDA_HDF5_VERSION} is too old, 1.10.2 is needed: it is not used")
      else()
        set(VIDA_HDF5_FOUND TRUE)
        # libhdf5_serial.so -> libhdf5_serial.so.103, the name for programs, by way of
        # libhdf5_serial.so.103.3.1
        get_filename_component(VIDA_HDF5_PATH ${VIDA_HDF5_LIBRARY} REALPATH)
        get_filename_component(VIDA_HDF5_NAME ${VIDA_HDF5_PATH} NAME)
        string(REGEX REPLACE "(\\.so\\.[0-9]+).*$" "\\1" VIDA_HDF5_NAME ${VIDA_HDF5_NAME})
      endif()
    else()
      message(STATUS "HDF5 not found: trajectories are CSV only (Debian, Ubuntu: libhdf5-dev)")
    endif()
  endif()
endmacro()

function(vida_use_hdf5 target)
  if(VIDA_HDF5_FOUND)
    target_include_directories(${target} SYSTEM PRIVATE ${VIDA_HDF5_INCLUDE_DIR})
    target_compile_definitions(${target} PRIVATE VIDA_HAS_HDF5=1
      VIDA_HDF5_NAME="${VIDA_HDF5_NAME}" VIDA_HDF5_PATH="${VIDA_HDF5_PATH}")
  else()
    target_compile_definitions(${target} PRIVATE VIDA_HAS_HDF5=0)
  endif()
endfunction()
