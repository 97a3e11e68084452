# Compiler settings that every target of this repository shares, through starbus_settings.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Assertions stay on in every build: no NDEBUG.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
# Sanitized code takes clang two to three times as long to compile when it is optimised, so only what
# tests run for minutes is: starbus_optimise_debug(TARGET...).
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
function(starbus_optimise_debug)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O1>)
  endforeach()
endfunction()
# The same definitions for all files of this repository, so that they can share precompiled headers.
# Asio and Beast are compiled once each: bus/io/asio.cpp, daemon/admin/beast.cpp.
add_compile_definitions(BOOST_ERROR_CODE_HEADER_ONLY BOOST_ASIO_SEPARATE_COMPILATION
                        BOOST_BEAST_SEPARATE_COMPILATION)

find_program(CCACHE ccache)
if(CCACHE)  # one cache for all checkouts of a machine
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(starbus_settings INTERFACE)
target_compile_options(starbus_settings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Werror
  # Boost 1.81 under g++ 12 at -O2 reports these inside its own headers.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized -Wno-error=restrict
    -Wno-error=mismatched-new-delete -Wno-error=array-bounds -Wno-error=stringop-overflow>
  # In a unity build every file is included by another, and so is taken for a header.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)
target_include_directories(starbus_settings INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
if(STARBUS_SANITIZE)
  # clang 14 copies what -fsanitize=function puts before a function to the parts of a coroutine, which
  # then do not assemble.
  add_compile_options(-fsanitize=${STARBUS_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all
                      $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  if(STARBUS_SANITIZE MATCHES undefined AND NOT STARBUS_FUZZ)
    # A check of the pointer at each access takes clang a third of its time. What it would find is a null
    # pointer, which AddressSanitizer reports, or comes from bytes of others: the preset fuzz has it all.
    add_compile_options($<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=null,alignment,object-size,vptr>)
  endif()
  add_link_options(-fsanitize=${STARBUS_SANITIZE})
  if(STARBUS_SANITIZE MATCHES thread)
    # Asio fences around handlers, on top of its locks. ThreadSanitizer does not know fences and g++
    # refuses to compile them; without, what orders two threads are the locks, which it does see.
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
if(STARBUS_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "STARBUS_FUZZ needs clang, for libFuzzer: use the preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)  # what the fuzzer steers by, in every library
endif()

# starbus_installable(TARGET...): libraries whose headers are installed, and include each other from the
# root of the repository.
function(starbus_installable)
  foreach(target ${ARGN})
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/starbus>)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_compile_definitions(${target} PUBLIC BOOST_ERROR_CODE_HEADER_ONLY)
  endforeach()
endfunction()
