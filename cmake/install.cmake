# What `cmake --install` puts where, and the package that find_package(starbus) finds:
#   starbus::bus       the client library
#   starbus::testing   a cluster within a test process (COMPONENTS testing)
# Within one build tree (add_subdirectory) the same two names work.
add_library(starbus::bus ALIAS starbus_client)
add_library(starbus::testing ALIAS starbus_testing)
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/starbus)

foreach(program busd busroot bustop starbus-keygen starbus-mail aoi-view)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

# Two export sets, so that a program which only uses the bus needs none of the daemons' libraries.
set_target_properties(starbus_core PROPERTIES EXPORT_NAME core)
set_target_properties(starbus_io PROPERTIES EXPORT_NAME io)
set_target_properties(starbus_client PROPERTIES EXPORT_NAME bus)
set_target_properties(starbus_daemon PROPERTIES EXPORT_NAME daemon)
set_target_properties(starbus_testing PROPERTIES EXPORT_NAME testing)
# starbus_settings is how this repository is compiled; it gives nothing to link, and is not exported.
foreach(library core io client daemon testing)
  get_target_property(links starbus_${library} INTERFACE_LINK_LIBRARIES)
  list(REMOVE_ITEM links "$<LINK_ONLY:starbus_settings>")
  set_target_properties(starbus_${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
endforeach()
install(TARGETS starbus_core starbus_io starbus_client EXPORT starbusTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starbus_daemon starbus_testing EXPORT starbusTestingTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT starbusTargets NAMESPACE starbus:: DESTINATION ${package_dir})
install(EXPORT starbusTestingTargets NAMESPACE starbus:: DESTINATION ${package_dir})

# Headers include each other from the root of the repository: #include "bus/client/bus.hpp".
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bus/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/starbus/bus
        FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md")

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/starbusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/starbusConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/starbusConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/starbusConfig.cmake
              ${PROJECT_BINARY_DIR}/starbusConfigVersion.cmake
        DESTINATION ${package_dir})
