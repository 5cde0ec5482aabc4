# The target `docs`: the guide and the manuals of the Lua module and of the C library, as HTML in
# docs/html of the build folder.
#
# The target `guide`: runs the command and the scenarios that the pages of plugin/guide have output and
# numbers of, and writes the generated parts of these pages anew, in the source tree.
set(source ${CMAKE_CURRENT_SOURCE_DIR})
set(guide ${source}/plugin/guide)
set(lua ${VIDA_LUA_COMMAND})

if(TARGET vida_command AND TARGET vida_module AND VIDA_LUA_COMMAND AND NOT VIDA_SANITIZE)
  add_custom_target(guide DEPENDS vida_command vida_module VERBATIM
    COMMAND ${CMAKE_COMMAND} -E env "LUA_CPATH_5_4=${CMAKE_CURRENT_BINARY_DIR}/?.so" LUA_INIT_5_4=
            ${lua} ${guide}/update.lua $<TARGET_FILE:vida_command> ${source}/scenarios
    COMMENT "Running the scenarios of the guide (some minutes)")
endif()

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

set(tools ${source}/plugin/package/docs)
set(docs ${CMAKE_CURRENT_BINARY_DIR}/docs)
set(html ${docs}/html)
configure_file(${tools}/config.ld.in ${docs}/config.ld @ONLY)
configure_file(${tools}/Doxyfile.in ${docs}/Doxyfile @ONLY)

file(GLOB guide_pages CONFIGURE_DEPENDS ${guide}/*.md ${guide}/methods/*.md)
add_custom_command(OUTPUT ${docs}/pages.stamp VERBATIM
  DEPENDS ${tools}/pages.lua ${guide_pages}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${docs}/pages
  COMMAND ${CMAKE_COMMAND} -E make_directory ${docs}/pages
  COMMAND ${CMAKE_COMMAND} -E env LUA_INIT_5_4= ${lua} ${tools}/pages.lua ${guide} ${docs}/pages
  COMMAND ${CMAKE_COMMAND} -E touch ${docs}/pages.stamp
  COMMENT "Preparing the pages of the guide for Doxygen")

add_custom_target(docs DEPENDS ${docs}/pages.stamp VERBATIM
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${html}
  COMMAND ${VIDA_DOXYGEN} ${docs}/Doxyfile
  COMMAND ${CMAKE_COMMAND} -E chdir ${docs} ${VIDA_LDOC} --fatalwarnings -c config.ld .
  COMMAND ${CMAKE_COMMAND} -E echo "The documents begin at ${html}/index.html"
  COMMENT "Writing the documents")

if(VIDA_INSTALL)
  install(DIRECTORY ${html}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL)
endif()
