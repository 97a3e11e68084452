# Writes TO/bus/core/limits.hpp and TO/bus/core/routers/limits.hpp: the bounds of the bus (below FROM)
# with some of them so small that a seed of some hundred messages reaches them.
# cmake -DFROM= -DTO= -P limits.cmake. Fails if a name is not there.
#
# A message of the simulator has some 100 bytes. The relations of the product hold: a bundle is
# smaller than the link clock, a window larger than what a queue takes at once.
set(tight_of_core
  kBundleTarget 2_KiB  kChunk 1_KiB  kLinkClock 16_KiB  kConsumedReport 4_KiB  # a dozen messages a link
  kChannelWindow 1_KiB  kProcessWindow 3_KiB  kLeastInFlight 512
  kDaemonQueue 1_KiB  kQueuesTotal 10_KiB  kControlQueue 64_KiB
  kHoldQueue 512  kHoldTotal 1_KiB
  kOutbox 1_KiB  kLineageCache 4  kMaxMoves 1)
set(tight_of_routers kWatchTurn 2)

function(tighten header)
  file(READ ${FROM}/${header} text)
  while(ARGN)
    list(POP_FRONT ARGN name value)
    string(REGEX REPLACE "X\\(${name}, [^,]*," "X(${name}, ${value}," changed "${text}")
    if(changed STREQUAL text)
      message(FATAL_ERROR "${header} has no limit ${name}: tests/sim/tight/limits.cmake names it")
    endif()
    set(text "${changed}")
  endwhile()
  cmake_path(GET header PARENT_PATH folder)
  file(MAKE_DIRECTORY ${TO}/${folder})
  file(CONFIGURE OUTPUT ${TO}/${header} CONTENT "${text}" @ONLY)
endfunction()
tighten(bus/core/limits.hpp ${tight_of_core})
tighten(bus/core/routers/limits.hpp ${tight_of_routers})
