# The project that `starbus new` writes, as part of the program: one source file with all that is in
# template/. Compiled here as an example, too, so that it stays true.
file(GLOB_RECURSE template_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_LIST_DIR}/template
     ${CMAKE_CURRENT_LIST_DIR}/template/*)
set(text "#include \"tools/starbus/project.hpp\"\n\nnamespace starbus::starter {\nnamespace {\n\n")
string(APPEND text "constexpr TemplateFile kFiles[] = {\n")
foreach(path ${template_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${CMAKE_CURRENT_LIST_DIR}/template/${path})
  file(READ ${CMAKE_CURRENT_LIST_DIR}/template/${path} content)
  # git would take a file of this name for its own.
  string(REGEX REPLACE "^gitignore$" ".gitignore" written "${path}")
  string(APPEND text "{\"${written}\", R\"template(${content})template\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const TemplateFile> template_files() {\n")
string(APPEND text "  return kFiles;\n}\n\n}  // namespace starbus::starter\n")
set(STARBUS_TEMPLATE_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/template_files.cpp)
set(known "")
if(EXISTS ${STARBUS_TEMPLATE_SOURCE})
  file(READ ${STARBUS_TEMPLATE_SOURCE} known)
endif()
if(NOT known STREQUAL text)  # compiled again only if something has changed
  file(WRITE ${STARBUS_TEMPLATE_SOURCE} "${text}")
endif()
