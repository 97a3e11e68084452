# Writes one test of ctest for each suite of a program: PROGRAM lists its tests, OUT is included by
# ctest. One process for a suite instead of one for each test: under a sanitizer to begin and to end a
# process costs more than most tests.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} does not list its tests: ${status}")
endif()
string(REGEX MATCHALL "(^|\n)[A-Za-z_][A-Za-z_0-9/]*\\." suites "${listed}")
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
set(tests "")
foreach(suite ${suites})
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  string(APPEND tests
    "add_test([=[${NAME}.${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=] --gtest_brief=1)\n"
    "set_tests_properties([=[${NAME}.${suite}]=] PROPERTIES TIMEOUT ${SECONDS} LABELS [=[${LABELS}]=])\n")
endforeach()
file(WRITE ${OUT} "${tests}")
