# MPI for large sweeps: find_mpi_for_vida() sets VIDA_MPI_FOUND; vida_add_mpi(command) builds vida_mpi.so
# beside the command.
#
# The command is not linked with MPI. It loads vida_mpi.so only when it runs under mpirun or srun, so that it
# starts as fast as without and runs where no MPI is installed.
macro(find_mpi_for_vida)
  set(VIDA_MPI_FOUND FALSE)
  if(VIDA_MPI)
    set(MPI_CXX_SKIP_MPICXX TRUE)
    find_package(MPI QUIET COMPONENTS C)
    if(MPI_C_FOUND AND NOT MPI_C_VERSION VERSION_LESS 3.0)
      set(VIDA_MPI_FOUND TRUE)
    else()
      message(STATUS "MPI not found: sweeps run on one machine (Debian, Ubuntu: libopenmpi-dev)")
    endif()
  endif()
endmacro()

function(vida_add_mpi command)
  if(NOT VIDA_MPI_FOUND)
    return()
  endif()
  add_library(vida_mpi MODULE plugin/cli/mpi/vida_mpi.c)
  vida_compile(vida_mpi)
  set_target_properties(vida_mpi PROPERTIES OUTPUT_NAME vida_mpi PREFIX "" SUFFIX .so)
  target_include_directories(vida_mpi PRIVATE plugin plugin/include plugin/cli)
  target_include_directories(vida_mpi SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
  target_link_libraries(vida_mpi PRIVATE ${MPI_C_LIBRARIES})
  add_dependencies(${command} vida_mpi)
endfunction()
