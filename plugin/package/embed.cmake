# Writes files as C arrays:
#   cmake -DOUTPUT=FILE.c "-DFILES=A.lua|B.lua" -DHEADER=binding.h -DTYPE=VidaLuaFile
#     -DLIST=vidalua_library -P embed.cmake
# The result defines LIST, an array of { name, bytes, size } of TYPE, which HEADER declares, in the
# order of FILES and with a last one that has no name.
string(REPLACE "|" ";" files "${FILES}")
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  # Lines of 20 bytes: some compilers and all readers dislike endless ones.
  string(REPEAT "0x..," 20 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const unsigned char file_${number}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", file_${number}, sizeof file_${number} - 1},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT}.new "/* Written by embed.cmake. */
#include \"${HEADER}\"

${arrays}
const ${TYPE} ${LIST}[] = {
${rows}    {NULL, NULL, 0}};
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
