# Copies FILES (names below ROOT, separated by commas) to TO and applies PATCHES to the copies: cmake
# -DROOT= -DFILES= -DPATCHES= -DTO= -P apply.cmake. A file that comes out as it was is not touched.
string(REPLACE "," ";" FILES "${FILES}")
string(REPLACE "," ";" PATCHES "${PATCHES}")
set(fresh ${TO}.fresh)
file(REMOVE_RECURSE ${fresh})
foreach(file ${FILES})
  cmake_path(GET file PARENT_PATH folder)
  file(COPY ${ROOT}/${file} DESTINATION ${fresh}/${folder})
endforeach()
foreach(patch ${PATCHES})
  execute_process(COMMAND patch --strip=1 --batch --forward --no-backup-if-mismatch --input=${patch}
                  WORKING_DIRECTORY ${fresh} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${patch} does not apply any more:\n${said}"
            "Write down again how each of its rules is broken in the code as it is now.")
  endif()
endforeach()
foreach(file ${FILES})
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${TO}/${folder})
  file(COPY_FILE ${fresh}/${file} ${TO}/${file} ONLY_IF_DIFFERENT)
endforeach()
file(REMOVE_RECURSE ${fresh})
