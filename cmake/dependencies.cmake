# Everything comes from Debian bookworm packages; scripts/deps installs them.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)            # headers: Asio, Beast, unordered, system
find_package(ZLIB REQUIRED)                  # packets of clients, deflated
find_package(OpenSSL REQUIRED)               # SHA-256 of names
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(leveldb REQUIRED)
find_package(cereal REQUIRED)              # headers: how classes say what they consist of
# Navmeshes; without them nav/ has grids alone.
option(STARBUS_NAVMESH "Build nav/mesh, which needs Recast and Detour" ON)
if(STARBUS_NAVMESH)
  include(${CMAKE_CURRENT_LIST_DIR}/navmesh.cmake)
  if(NOT TARGET starbus_navmesh)
    message(FATAL_ERROR "Recast and Detour were not found: install librecast-dev, or configure with -DSTARBUS_NAVMESH=OFF")
  endif()
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(zmq REQUIRED IMPORTED_TARGET GLOBAL libzmq>=4.3.4)
pkg_check_modules(argon2 REQUIRED IMPORTED_TARGET GLOBAL libargon2)  # passwords
# For busd, gates and space nodes: messages come and go by the ten thousand, and each costs a tenth less of a
# processor than with the C library's allocator. Not beneath sanitizers, which have allocators of their own.
add_library(starbus_allocator INTERFACE)
if(NOT STARBUS_SANITIZE)
  pkg_check_modules(jemalloc REQUIRED IMPORTED_TARGET GLOBAL jemalloc)
  target_link_libraries(starbus_allocator INTERFACE PkgConfig::jemalloc)
endif()
pkg_check_modules(systemd REQUIRED IMPORTED_TARGET GLOBAL libsystemd)
if(STARBUS_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
