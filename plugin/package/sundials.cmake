# Finds SUNDIALS for VIDA: find_sundials_for_vida(component...) sets VIDA_SUNDIALS_TARGETS, the targets
# to link.
#
# No version is passed to find_package, because the version files of SUNDIALS 6.4 - 7.0 refuse ranges
# and other major versions; it is compared afterwards.
macro(find_sundials_for_vida)
  # The configuration of some distributions asks for OpenMP, though nothing that VIDA links uses it;
  # compilers without an OpenMP library get an empty stand-in.
  if(NOT TARGET OpenMP::OpenMP_C)
    find_package(OpenMP QUIET COMPONENTS C)
    if(NOT TARGET OpenMP::OpenMP_C)
      add_library(OpenMP::OpenMP_C INTERFACE IMPORTED)
    endif()
  endif()

  find_package(SUNDIALS CONFIG QUIET COMPONENTS ${ARGN})
  if(NOT SUNDIALS_FOUND)
    string(JOIN " " sundials_needed "VIDA needs SUNDIALS 6.4 or newer with these parts:" ${ARGN})
    if(SUNDIALS_CONSIDERED_CONFIGS)
      message(FATAL_ERROR "${sundials_needed}.\n"
              "Found, but not usable: ${SUNDIALS_CONSIDERED_CONFIGS}\n"
              "${SUNDIALS_NOT_FOUND_MESSAGE}")
    endif()
    message(FATAL_ERROR "${sundials_needed}.\n"
            "Debian and Ubuntu: apt install libsundials-dev. Elsewhere set SUNDIALS_ROOT or "
            "CMAKE_PREFIX_PATH to the place it is installed in.")
  endif()
  if(SUNDIALS_VERSION VERSION_LESS 6.4)
    message(FATAL_ERROR "VIDA needs SUNDIALS 6.4 or newer; ${SUNDIALS_DIR} holds "
            "${SUNDIALS_VERSION}.")
  endif()

  set(VIDA_SUNDIALS_TARGETS ${ARGN})
  list(TRANSFORM VIDA_SUNDIALS_TARGETS PREPEND SUNDIALS::)
  if(TARGET SUNDIALS::core)
    list(APPEND VIDA_SUNDIALS_TARGETS SUNDIALS::core)
  elseif(TARGET SUNDIALS::generic)
    list(APPEND VIDA_SUNDIALS_TARGETS SUNDIALS::generic)
  endif()
endmacro()
