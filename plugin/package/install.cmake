# What `cmake --install` puts where. The whole tree can be moved afterwards.
include(CMakePackageConfigHelpers)

set(VIDA_LUA_CDIR lib/lua/5.4 CACHE STRING "Where the Lua module goes, below the prefix")
set(VIDA_LUA_DIR share/lua/5.4 CACHE STRING "Where the Lua library goes, below the prefix")

# What has not been built yet (scenarios/run builds the command only) is built now. Nothing else is, so
# that root, who may install, leaves no files of its own in a finished build.
foreach(target IN ITEMS vida_static vida_shared vida_module vida_command)
  if(TARGET ${target})
    install(CODE "
      if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
        message(STATUS \"Building ${target}\")
        execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\"
                                --config \"$<CONFIG>\" --target ${target}
                        OUTPUT_QUIET RESULT_VARIABLE result)
        if(result)
          message(FATAL_ERROR \"${target} could not be built\")
        endif()
      endif()")
  endif()
endforeach()

install(DIRECTORY plugin/include/vida TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(TARGETS vida_static EXPORT vidaStaticTargets)
if(VIDA_SHARED)
  install(TARGETS vida_shared EXPORT vidaSharedTargets)
endif()
if(TARGET vida_command)
  install(TARGETS vida_command)
  install(DIRECTORY scenarios/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vida/scenarios
          FILES_MATCHING PATTERN "*.lua")
  # The command writes its manual page and what shells complete itself, where it can be run.
  if(NOT CMAKE_CROSSCOMPILING)
    set(made ${CMAKE_CURRENT_BINARY_DIR}/package)
    install(CODE "
      foreach(page IN ITEMS --man:vida.1 completion|bash:vida.bash completion|zsh:_vida completion|fish:vida.fish)
        string(REGEX REPLACE \":.*\" \"\" arguments \"\${page}\")
        string(REGEX REPLACE \".*:\" \"\" name \"\${page}\")
        string(REPLACE \"|\" \";\" arguments \"\${arguments}\")
        execute_process(COMMAND \"$<TARGET_FILE:vida_command>\" \${arguments}
                        OUTPUT_FILE \"${made}/\${name}\" RESULT_VARIABLE result)
        if(result)
          message(FATAL_ERROR \"'vida \${arguments}' failed\")
        endif()
      endforeach()")
    install(FILES ${made}/vida.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${made}/vida.bash RENAME vida
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${made}/_vida DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${made}/vida.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
if(TARGET vida_module)
  install(TARGETS vida_module LIBRARY DESTINATION ${VIDA_LUA_CDIR})
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/lua/vida)
    install(DIRECTORY lua/vida DESTINATION ${VIDA_LUA_DIR} FILES_MATCHING PATTERN "*.lua")
  endif()
endif()
install(FILES LICENSE TYPE DOC)

# ---- find_package(vida) -----------------------------------------------------------------------
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vida)
install(EXPORT vidaStaticTargets NAMESPACE vida:: DESTINATION ${package_dir})
if(VIDA_SHARED)
  install(EXPORT vidaSharedTargets NAMESPACE vida:: DESTINATION ${package_dir})
endif()
configure_package_config_file(plugin/package/vidaConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/package/vidaConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/package/vidaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/vidaConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/package/vidaConfigVersion.cmake DESTINATION ${package_dir})

# ---- pkg-config vida --------------------------------------------------------------------------
# Paths are relative to the file itself, unless an absolute place was asked for.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${pc_dir})
  set(VIDA_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /prefix/${pc_dir} /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(VIDA_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(kind IN ITEMS INCLUDEDIR LIBDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${kind}})
    set(VIDA_PC_${kind} ${CMAKE_INSTALL_${kind}})
  else()
    set(VIDA_PC_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()

# SUNDIALS has no pkg-config file: its libraries are named here, for links with the static library.
set(private_libraries)
get_filename_component(sundials_libdir ${SUNDIALS_DIR}/../.. ABSOLUTE)
if(NOT sundials_libdir IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  list(APPEND private_libraries -L${sundials_libdir})
endif()
foreach(target IN LISTS VIDA_SUNDIALS_TARGETS)
  string(REPLACE "SUNDIALS::" "-lsundials_" library ${target})
  list(APPEND private_libraries ${library})
endforeach()
list(APPEND private_libraries -lklu -lamd -lcolamd -lbtf -lsuitesparseconfig)
list(APPEND private_libraries ${CMAKE_THREAD_LIBS_INIT})
if(VIDA_MATH_LIBRARY)
  list(APPEND private_libraries -lm)
endif()
list(JOIN private_libraries " " private_libraries)
if(VIDA_SHARED)
  set(VIDA_PC_LIBS "")
  set(VIDA_PC_LIBS_PRIVATE ${private_libraries})
else()
  set(VIDA_PC_LIBS " ${private_libraries}")
  set(VIDA_PC_LIBS_PRIVATE "")
endif()
configure_file(plugin/package/vida.pc.in ${CMAKE_CURRENT_BINARY_DIR}/package/vida.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/vida.pc DESTINATION ${pc_dir})
