# Found where the program `starbus` on PATH was installed; elsewhere: -DCMAKE_PREFIX_PATH=PREFIX.
find_package(starbus @VERSION@ REQUIRED COMPONENTS space)

add_executable(game-host src/host.cpp)
target_link_libraries(game-host PRIVATE starbus::space)
# The headers of starbus are compiled once, not in each file of the game.
starbus_precompile(game-host)
# What g++ 12 would compile wrongly is an error.
starbus_check_coroutines(game-host)

# A mistake in the types of spaces is named with its line: before anything is started.
if(BUILD_TESTING)
  find_program(STARBUS_SPACES starbus-spaces REQUIRED)
  add_test(NAME space_types COMMAND ${STARBUS_SPACES} --config config/spaces.toml --check-config
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
