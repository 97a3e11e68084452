# What `cmake --install` puts where, stripped (the component debug has what was stripped off), and the
# package that find_package(starbus) finds:
#   starbus::bus       the client library
#   starbus::entity    what game code is made of (COMPONENTS entity)
#   starbus::node      what a game process is made of, with entities (COMPONENTS node)
#   starbus::space     a game process with spaces: node, aoi and nav (COMPONENTS space)
#   starbus::aoi       who sees whom: stands alone (COMPONENTS aoi)
#   starbus::nav       ways over ground: stands alone (COMPONENTS nav)
#   starbus::testing   a cluster within a test process (COMPONENTS testing)
#   starbus::game_client   the client of a game, in C++ and C: needs OpenSSL and zlib alone, and is all that
#                          COMPONENTS game_client looks for
# and the client of pages and Node programs, as an npm package in a folder: starbus_WEB_CLIENT_DIR.
# Within one build tree (add_subdirectory) the same names work.
add_library(starbus::bus ALIAS starbus_client)
add_library(starbus::entity ALIAS starbus_entity)
add_library(starbus::node ALIAS starbus_node)
add_library(starbus::space ALIAS starbus_space_all)
add_library(starbus::aoi ALIAS starbus_aoi)
add_library(starbus::nav ALIAS starbus_nav)
add_library(starbus::testing ALIAS starbus_testing)
add_library(starbus::game_client ALIAS starbus_game_client)
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/starbus)

foreach(program busd busroot bustop starbus starbus-keygen starbus-mail starbus-manager starbus-db
        starbus-db-tool starbus-gate starbus-login starbus-spaces starbus-crowds starbus-bots starbus-nav
        aoi-view)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    target_link_options(${program} PRIVATE -Wl,--gc-sections)  # templates and inline functions that nothing calls
    list(APPEND to_build ${program})
  endif()
endforeach()

# The target `installable` builds what is installed and nothing else. installable.txt lists its files
# for scripts/install. Some targets alone may have been built, as scripts/up does: said before
# anything is copied.
set(parts base core io client daemon testing aoi nav game_client ${STARBUS_ENTITY_PARTS} ${STARBUS_NODE_PARTS}
          ${STARBUS_SPACE_PARTS})
foreach(part ${parts})
  list(APPEND to_build starbus_${part})
endforeach()
foreach(target ${to_build})
  list(APPEND built "$<TARGET_FILE:${target}>")
endforeach()
add_custom_target(installable DEPENDS ${to_build} web_client)
list(JOIN built "\n" lines)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/installable.txt CONTENT "${lines}\n")
install(CODE "
foreach(file IN ITEMS ${built} ${STARBUS_WEB_CLIENT_BUILT})
  if(NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \"\${file} has not been built: build the target installable first (scripts/build release installable)\")
  endif()
endforeach()")

# An export set for each component: a program that only uses the bus needs nobody else's libraries.
set_target_properties(starbus_base PROPERTIES EXPORT_NAME base)
set_target_properties(starbus_core PROPERTIES EXPORT_NAME core)
set_target_properties(starbus_io PROPERTIES EXPORT_NAME io)
set_target_properties(starbus_client PROPERTIES EXPORT_NAME bus)
set_target_properties(starbus_daemon PROPERTIES EXPORT_NAME daemon)
set_target_properties(starbus_testing PROPERTIES EXPORT_NAME testing)
set_target_properties(starbus_aoi PROPERTIES EXPORT_NAME aoi)
set_target_properties(starbus_nav PROPERTIES EXPORT_NAME nav)
set_target_properties(starbus_game_client PROPERTIES EXPORT_NAME game_client)
# starbus_settings is how this repository is compiled; it gives nothing to link, and is not exported.
set_target_properties(starbus_entity PROPERTIES EXPORT_NAME entity)
foreach(part ${STARBUS_ENTITY_PARTS})
  set_target_properties(starbus_${part} PROPERTIES EXPORT_NAME entity_${part})
endforeach()
set_target_properties(starbus_node PROPERTIES EXPORT_NAME node)
foreach(part ${STARBUS_NODE_PARTS})
  set_target_properties(starbus_${part} PROPERTIES EXPORT_NAME node_${part})
endforeach()
set_target_properties(starbus_space_all PROPERTIES EXPORT_NAME space)
foreach(part ${STARBUS_SPACE_PARTS})
  set_target_properties(starbus_${part} PROPERTIES EXPORT_NAME space_${part})
endforeach()
set(entity_libraries ${STARBUS_ENTITY_PARTS})
list(TRANSFORM entity_libraries PREPEND starbus_)
set(node_libraries ${STARBUS_NODE_PARTS})
list(TRANSFORM node_libraries PREPEND starbus_)
set(space_libraries ${STARBUS_SPACE_PARTS})
list(TRANSFORM space_libraries PREPEND starbus_)
foreach(library ${parts})
  get_target_property(links starbus_${library} INTERFACE_LINK_LIBRARIES)
  list(REMOVE_ITEM links "$<LINK_ONLY:starbus_settings>")
  set_target_properties(starbus_${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
endforeach()
install(TARGETS starbus_base EXPORT starbusBaseTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_core starbus_io starbus_client EXPORT starbusTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_daemon EXPORT starbusDaemonTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_testing EXPORT starbusTestingTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_aoi EXPORT starbusAoiTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_nav EXPORT starbusNavTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_game_client EXPORT starbusGameClientTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_entity ${entity_libraries} EXPORT starbusEntityTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_node ${node_libraries} EXPORT starbusNodeTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_space_all ${space_libraries} EXPORT starbusSpaceTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(set Base "" Aoi Daemon Entity GameClient Nav Node Space Testing)
  install(EXPORT starbus${set}Targets NAMESPACE starbus:: DESTINATION ${package_dir})
endforeach()

# Headers include each other from the root of the repository: #include "bus/client/bus.hpp".
foreach(room aoi nav base bus daemon testing entity ${STARBUS_NODE_ROOMS})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room}/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/starbus/${room} FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/clients/cpp/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/starbus/clients/cpp
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/nodes/pch.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/starbus/nodes)
install(FILES ${PROJECT_SOURCE_DIR}/nodes/login/error.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/starbus/nodes/login)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md")

set(web_client_dir ${CMAKE_INSTALL_DATADIR}/starbus/web/starbus-client)
if(STARBUS_WEB_CLIENT_BUILT)
  install(FILES ${PROJECT_SOURCE_DIR}/clients/typescript/package.json
                ${PROJECT_SOURCE_DIR}/clients/typescript/README.md DESTINATION ${web_client_dir})
  install(DIRECTORY ${STARBUS_WEB_CLIENT_DIST} DESTINATION ${web_client_dir})
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/starbusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/starbusConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS web_client_dir)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/starbusConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
# starbus_precompile() of the package.
file(RELATIVE_PATH starbus_pch_path /${package_dir}
     /${CMAKE_INSTALL_INCLUDEDIR}/starbus/nodes/pch.hpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/precompile.cmake
               ${PROJECT_BINARY_DIR}/starbusPrecompile.cmake @ONLY)
# starbus_check_coroutines() of the package, and the script that it runs.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/check-coroutines DESTINATION ${CMAKE_INSTALL_DATADIR}/starbus)
file(RELATIVE_PATH starbus_checker_path /${package_dir} /${CMAKE_INSTALL_DATADIR}/starbus/check-coroutines)
configure_file(${PROJECT_SOURCE_DIR}/cmake/check_coroutines.cmake
               ${PROJECT_BINARY_DIR}/starbusCheckCoroutines.cmake @ONLY)
if(STARBUS_NAVMESH)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/navmesh.cmake DESTINATION ${package_dir})
endif()
install(FILES ${PROJECT_BINARY_DIR}/starbusConfig.cmake
              ${PROJECT_BINARY_DIR}/starbusConfigVersion.cmake
              ${PROJECT_BINARY_DIR}/starbusCheckCoroutines.cmake
              ${PROJECT_BINARY_DIR}/starbusPrecompile.cmake
        DESTINATION ${package_dir})

# Behind all that is installed: debug information goes into files of its own, which
# `cmake --install BUILD --component debug` installs.
foreach(mode strip debug)
  set(component "")
  if(mode STREQUAL debug)
    set(component COMPONENT debug EXCLUDE_FROM_ALL)
  endif()
  install(CODE "
set(starbus_mode ${mode})
set(starbus_built \"${built}\")
set(starbus_bin \"${CMAKE_INSTALL_BINDIR}\")
set(starbus_lib \"${CMAKE_INSTALL_LIBDIR}\")
set(starbus_objcopy \"${CMAKE_OBJCOPY}\")
set(starbus_scratch \"${PROJECT_BINARY_DIR}/debug_files\")
include(\"${PROJECT_SOURCE_DIR}/cmake/debug_files.cmake\")" ${component})
endforeach()
