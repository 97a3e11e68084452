#!/usr/bin/env bash
# What `starbus new` writes works against the installed package: it is configured, compiled, tested,
# started as two hosts, played, also as its page does by Node, and ended: starter_test.sh BUILD_DIR. Exit code
# 77: skipped.
set -euo pipefail
build=$(cd "${1:?starter_test.sh BUILD_DIR}" && pwd)

for tool in cmake ctest c++ pkg-config curl node tsc python3; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
if grep -q '^STARBUS_SANITIZE:[A-Z]*=..*' "$build/CMakeCache.txt"; then
  echo "skipped: a sanitized build is not for installation"
  exit 77
fi
scratch=$(mktemp -d)
export RUN=$scratch/run
finish() {
  [[ ! -d $RUN ]] || "$scratch/demo/scripts/down" >/dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT
run() { # run WHAT COMMAND...: quiet unless it fails
  local what=$1
  shift
  "$@" >"$scratch/output" 2>&1 && return
  echo "FAILED: $what: $*"
  cat "$scratch/output"
  tail -n 20 "$RUN"/*.log 2>/dev/null || true
  exit 1
}

run "installation" cmake --install "$build" --prefix "$scratch/starbus"
export PATH=$scratch/starbus/bin:$PATH
# Compiled once per version of it, where there is a cache: all paths are below one folder.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$scratch CCACHE_NOHASHDIR=1
fi
cd "$scratch"
run "new" starbus new demo
cd demo
run "configuration" cmake --preset debug
run "compilation" cmake --build --preset debug --parallel 2
run "its tests" timeout 60 ctest --preset debug
if cmake --preset debug -B "$scratch/no-tsc" -DTSC=OFF >"$scratch/output" 2>&1 ||
  ! grep -q "apt-get install node-typescript" "$scratch/output"; then
  echo "FAILED: it does not say that tsc is missing, and what to do"
  exit 1
fi
if WEB_PORT=nonsense scripts/up >"$scratch/output" 2>&1 || ! grep -q "choose another one" "$scratch/output" ||
  [[ -e $RUN ]]; then
  echo "FAILED: a port that is none was not refused"
  exit 1
fi
# The second time in the place of the first: nothing of that is in the way.
for round in first second; do
  run "up, the $round time" timeout 60 scripts/up
  run "try, the $round time" timeout 60 scripts/try
  # A gate that is drained in the first round, and killed in the second.
  signal=$([[ $round == first ]] && echo TERM || echo KILL)
  run "the page, the $round time" timeout 60 scripts/try-page "$signal"
  account=$(sed -n 's/ plays .*//p' "$scratch/output")
  run "the bus knows $account" bustop --admin "unix://$RUN/a-admin.sock" route "account/$account"
  grep -q '^owner .*game on' "$scratch/output" || { echo "FAILED: account/$account has no owner"; exit 1; }
  if scripts/up >/dev/null 2>&1; then
    echo "FAILED: a game that is up was started again"
    exit 1
  fi
  run "try after that" timeout 60 scripts/try
  pids=$(cat "$RUN"/*.pid)
  run "down, the $round time" timeout 60 scripts/down
  for pid in $pids; do
    # One that has ended has no command line, but has a folder there until somebody reaps it.
    [[ -z $({ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null) ]] ||
      { echo "FAILED: process $pid is left"; exit 1; }
  done
  [[ ! -e $RUN ]] || { echo "FAILED: $RUN is left"; exit 1; }
done
echo "ok"
