# Writes TO/bus/core/limits.hpp: the bounds of the bus (FROM) with some of them so small that a seed of
# some hundred messages reaches them. cmake -DFROM= -DTO= -P limits.cmake. Fails if a name is not there.
#
# A message of the simulator has some 100 bytes. The relations of the product hold: a bundle is
# smaller than the link clock, a window larger than what a queue takes at once.
set(tight
  kBundleTarget 2_KiB  kChunk 1_KiB  kLinkClock 16_KiB  kConsumedReport 4_KiB  # a dozen messages a link
  kChannelWindow 1_KiB  kProcessWindow 3_KiB  kLeastInFlight 512
  kDaemonQueue 1_KiB  kQueuesTotal 10_KiB  kControlQueue 64_KiB
  kHoldQueue 512  kHoldTotal 1_KiB
  kOutbox 1_KiB  kLineageCache 4  kMaxMoves 1)
file(READ ${FROM} text)
while(tight)
  list(POP_FRONT tight name value)
  string(REGEX REPLACE "X\\(${name}, [^,]*," "X(${name}, ${value}," changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "${FROM} has no limit ${name}: tests/sim/tight/limits.cmake names it")
  endif()
  set(text "${changed}")
endwhile()
file(MAKE_DIRECTORY ${TO}/bus/core)
file(CONFIGURE OUTPUT ${TO}/bus/core/limits.hpp CONTENT "${text}" @ONLY)
