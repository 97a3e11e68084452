# starbus_precompile(TARGET...): what nearly every file of a game includes (nodes/pch.hpp) is compiled
# once for all these targets, which link starbus::node, and have the same compile options.
# Files that include the headers as ever compile without it, too.
set(starbus_pch_header "${CMAKE_CURRENT_LIST_DIR}/@starbus_pch_path@")
function(starbus_precompile)
  if(NOT TARGET starbus_precompiled)
    set(source "${CMAKE_BINARY_DIR}/starbus_precompiled.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Carries the precompiled header.\n")
    add_library(starbus_precompiled OBJECT "${source}")
    target_link_libraries(starbus_precompiled PRIVATE starbus::node)
    target_precompile_headers(starbus_precompiled PRIVATE "${starbus_pch_header}")
  endif()
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM starbus_precompiled)
  endforeach()
endfunction()
