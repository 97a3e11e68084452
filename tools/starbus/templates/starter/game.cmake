# Found where the program `starbus` on PATH was installed; elsewhere: -DCMAKE_PREFIX_PATH=PREFIX.
find_package(starbus @VERSION@ REQUIRED COMPONENTS node testing)

# A class is a header in src; who calls it includes it, too.
add_executable(game-host src/host.cpp)
target_link_libraries(game-host PRIVATE starbus::node)
add_executable(game-console src/console.cpp)
target_link_libraries(game-console PRIVATE starbus::node)
# The headers of starbus are compiled once, not in each file of the game.
starbus_precompile(game-host game-console)
# What g++ 12 would compile wrongly is an error.
starbus_check_coroutines(game-host game-console)

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  add_executable(game-test tests/game_test.cpp)
  target_include_directories(game-test PRIVATE src)
  target_link_libraries(game-test PRIVATE starbus::node starbus::testing GTest::gtest_main)
  starbus_precompile(game-test)
  starbus_check_coroutines(game-test)
  add_test(NAME game COMMAND game-test)
  set_tests_properties(game PROPERTIES TIMEOUT 60)
endif()
