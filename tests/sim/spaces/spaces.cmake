# Players who travel between nodes with spaces, their gates and accounts. Libraries that read a clock
# are compiled with the substitutes; of those themselves nothing is linked then. The same again from a
# copy, with some more, in which rules can be broken (spaces/broken/rules.hpp).
set(sources_of_hosting nodes/hosting/*.cpp nodes/hosting/entering/*.cpp nodes/hosting/mail/*.cpp)
set(sources_of_replica nodes/replica/*.cpp)
set(sources_of_space_service nodes/space/service/*.cpp)
set(sources_of_space_node nodes/space/node/*.cpp nodes/space/travel/*.cpp nodes/space/nav/*.cpp)
set(sources_of_space_sight nodes/space/sight/*.cpp)
set(sources_of_space nodes/space/*.cpp nodes/space/types/*.cpp nodes/space/registry/*.cpp nodes/space/host/*.cpp)
set(sources_of_client_link entity/client/*.cpp)
set(clocked hosting replica space_service space_node space_sight)
set(breakable ${clocked} space client_link)
set(spaces_broken ${CMAKE_CURRENT_BINARY_DIR}/spaces_broken)
foreach(part ${breakable})
  list(TRANSFORM sources_of_${part} PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
  file(GLOB found RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${patterns})
  list(FILTER found EXCLUDE REGEX "/main\\.cpp$")
  set(files_of_${part} ${found})
  list(APPEND breakable_files ${found})
endforeach()
list(TRANSFORM breakable_files PREPEND ${spaces_broken}/ OUTPUT_VARIABLE breakable_copies)
list(TRANSFORM breakable_files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE breakable_sources)
file(GLOB space_patches CONFIGURE_DEPENDS spaces/broken/patches/*.patch)
list(JOIN breakable_files "," breakable_names)
list(JOIN space_patches "," space_patch_names)
add_custom_command(OUTPUT ${breakable_copies}
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${breakable_names}
          -DPATCHES=${space_patch_names} -DTO=${spaces_broken}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/broken/apply.cmake
  DEPENDS ${breakable_sources} ${space_patches} broken/apply.cmake
  COMMENT "Breaking the rules of a copy of spaces" VERBATIM)
add_custom_target(spaces_broken_copies DEPENDS ${breakable_copies})
# starbus_PART_KIND from the files of a part below a folder.
function(starbus_copy_of_part kind part folder)
  list(TRANSFORM files_of_${part} PREPEND ${folder}/ OUTPUT_VARIABLE files)
  add_library(starbus_${part}_${kind} OBJECT ${files})
  target_link_libraries(starbus_${part}_${kind} PRIVATE starbus_settings starbus_rpc_sim starbus_space_node
                        starbus_gate_core nlohmann_json::nlohmann_json spdlog::spdlog)
  target_include_directories(starbus_${part}_${kind} BEFORE PRIVATE ${substitutes})
endfunction()
foreach(part ${clocked})
  starbus_copy_of_part(clocked ${part} ${PROJECT_SOURCE_DIR})
endforeach()
if(NOT STARBUS_SANITIZE)
  set(broken_parts ${breakable})
endif()
foreach(part ${broken_parts})
  starbus_copy_of_part(breakable ${part} ${spaces_broken})
  add_dependencies(starbus_${part}_breakable spaces_broken_copies)
  target_compile_options(starbus_${part}_breakable PRIVATE
    -include ${CMAKE_CURRENT_SOURCE_DIR}/spaces/broken/rules.hpp)
endforeach()
file(GLOB space_sources CONFIGURE_DEPENDS spaces/*.cpp)
list(FILTER space_sources EXCLUDE REGEX "/main\\.cpp$")
add_library(starbus_sim_spaces STATIC ${space_sources})
target_link_libraries(starbus_sim_spaces PRIVATE starbus_settings spdlog::spdlog
                      PUBLIC starbus_sim_entities starbus_space_node starbus_players starbus_gate_node
                             starbus_game_client)
target_include_directories(starbus_sim_spaces BEFORE PRIVATE ${substitutes})
function(starbus_of_sim_spaces program kind)
  starbus_of_sim_entities(${program})
  target_link_libraries(${program} PRIVATE starbus_sim_spaces)
  foreach(part ${ARGN})
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:starbus_${part}_${kind}>)
  endforeach()
endfunction()
add_executable(starbus-sim-spaces spaces/main.cpp)
starbus_of_sim_spaces(starbus-sim-spaces clocked ${clocked})
