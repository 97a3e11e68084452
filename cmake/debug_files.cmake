# Included by `cmake --install`: what is installed has no debug information; the component `debug`
# has it, in files of its own.
#
#   starbus_mode     strip: takes it off what was installed; debug: installs it
#   starbus_built    the programs and static libraries that were built, with their paths
#   starbus_bin, starbus_lib    where they are below the prefix
#   starbus_objcopy  the program; starbus_scratch: a folder of the build tree
function(starbus_run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "${ARGN}: ${output}")
  endif()
endfunction()

# A library's is in its objects: a program that links the one below lib/debug has it.
function(starbus_library built)
  cmake_path(GET built FILENAME name)
  if(starbus_mode STREQUAL "strip")
    # Names that no relocation needs, too: those of local functions.
    starbus_run("${starbus_objcopy}" --strip-unneeded
                "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${starbus_lib}/${name}")
  else()
    file(INSTALL "${built}" DESTINATION "${CMAKE_INSTALL_PREFIX}/${starbus_lib}/debug")
  endif()
endfunction()

# Debuggers find the file beside the program, by its name and checksum.
function(starbus_program built)
  cmake_path(GET built FILENAME name)
  set(file "${starbus_scratch}/${name}.debug")
  starbus_run("${starbus_objcopy}" --only-keep-debug "${built}" "${file}")
  if(starbus_mode STREQUAL "strip")
    starbus_run("${starbus_objcopy}" --strip-all "--add-gnu-debuglink=${file}"
                "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${starbus_bin}/${name}")
  else()
    file(INSTALL "${file}" DESTINATION "${CMAKE_INSTALL_PREFIX}/${starbus_bin}/.debug")
  endif()
endfunction()

file(MAKE_DIRECTORY "${starbus_scratch}")
foreach(starbus_file IN LISTS starbus_built)
  if(starbus_file MATCHES "\\.a$")
    starbus_library("${starbus_file}")
  else()
    starbus_program("${starbus_file}")
  endif()
endforeach()
