# starbus_navmesh: Recast and Detour (librecast-dev), which have neither a CMake package nor a file for
# pkg-config; no such target if they are not there. Also read by users of an installed starbus::nav.
if(NOT TARGET starbus_navmesh)
  find_path(STARBUS_RECAST_INCLUDE Recast.h PATH_SUFFIXES recastnavigation)
  find_library(STARBUS_RECAST Recast)
  find_library(STARBUS_DETOUR Detour)
  mark_as_advanced(STARBUS_RECAST_INCLUDE STARBUS_RECAST STARBUS_DETOUR)
  if(STARBUS_RECAST_INCLUDE AND STARBUS_RECAST AND STARBUS_DETOUR)
    add_library(starbus_navmesh INTERFACE IMPORTED GLOBAL)
    target_include_directories(starbus_navmesh SYSTEM INTERFACE ${STARBUS_RECAST_INCLUDE})
    target_link_libraries(starbus_navmesh INTERFACE ${STARBUS_RECAST} ${STARBUS_DETOUR})
  endif()
endif()
