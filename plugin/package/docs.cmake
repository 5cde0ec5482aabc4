# The target `docs`: the guide and the manuals of the Lua module and of the C library, as HTML in
# docs/html of the build folder. It runs the scenarios that the guide has numbers of.
find_program(VIDA_LDOC ldoc DOC "LDoc, for the manual of the Lua module")
find_program(VIDA_DOXYGEN doxygen DOC "Doxygen, for the guide and the manual of the C library")
mark_as_advanced(VIDA_LDOC VIDA_DOXYGEN)

set(missing)
if(NOT VIDA_LDOC)
  list(APPEND missing "LDoc (Debian, Ubuntu: lua-ldoc)")
endif()
if(NOT VIDA_DOXYGEN)
  list(APPEND missing "Doxygen (doxygen)")
endif()
if(NOT TARGET vida_command OR NOT TARGET vida_module OR NOT VIDA_LUA_COMMAND)
  list(APPEND missing "the Lua module and lua5.4")
endif()
if(VIDA_SANITIZE)
  list(APPEND missing "a build without sanitizers")
endif()

if(missing)
  list(JOIN missing ", " words)
  message(STATUS "No target docs: it needs ${words}")
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E echo "The documents need ${words}; then configure again."
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  return()
endif()

set(source ${CMAKE_CURRENT_SOURCE_DIR})
set(guide ${source}/plugin/package/guide)
set(docs ${CMAKE_CURRENT_BINARY_DIR}/docs)
set(html ${docs}/html)
set(lua ${VIDA_LUA_COMMAND})
configure_file(${guide}/config.ld.in ${docs}/config.ld @ONLY)
configure_file(${guide}/Doxyfile.in ${docs}/Doxyfile @ONLY)

file(GLOB guide_pages CONFIGURE_DEPENDS ${guide}/*.md)
file(GLOB guide_scenarios CONFIGURE_DEPENDS scenarios/*.lua scenarios/parts/*.lua)
add_custom_command(OUTPUT ${docs}/pages.stamp VERBATIM
  DEPENDS vida_command vida_module ${guide}/fill.lua ${guide_pages} ${guide_scenarios}
          ${source}/tests/embedding/pendulum.c
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${docs}/pages
  COMMAND ${CMAKE_COMMAND} -E make_directory ${docs}/pages
  COMMAND ${CMAKE_COMMAND} -E env "LUA_CPATH_5_4=${CMAKE_CURRENT_BINARY_DIR}/?.so" LUA_INIT_5_4=
          ${lua} ${guide}/fill.lua ${guide} $<TARGET_FILE:vida_command> ${source}/scenarios
          ${docs}/pages
  COMMAND ${CMAKE_COMMAND} -E touch ${docs}/pages.stamp
  COMMENT "Running the scenarios of the guide (about a minute)")

add_custom_target(docs DEPENDS ${docs}/pages.stamp VERBATIM
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${html}
  COMMAND ${VIDA_DOXYGEN} ${docs}/Doxyfile
  COMMAND ${CMAKE_COMMAND} -E chdir ${docs} ${VIDA_LDOC} --fatalwarnings -c config.ld .
  COMMAND ${CMAKE_COMMAND} -E echo "The documents begin at ${html}/index.html"
  COMMENT "Writing the documents")

if(VIDA_INSTALL)
  install(DIRECTORY ${html}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL)
endif()
