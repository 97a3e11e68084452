#!/usr/bin/env bash
# What `starbus new` writes works against the installed package, each template of it: it is configured, compiled,
# tested, started as two hosts, played, also as its page does by Node, and ended: starter_test.sh BUILD_DIR
# Exit code 77: skipped. The templates go side by side: most of the time of each is spent waiting.
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
finish() {
  local template
  for template in starter arena; do
    [[ ! -d $scratch/run-$template ]] || RUN=$scratch/run-$template "$scratch/$template/scripts/down" >/dev/null || true
  done
  rm -rf "$scratch"
}
trap finish EXIT
template=package
run() { # run WHAT COMMAND...: quiet unless it fails
  local what=$1
  shift
  "$@" >"$scratch/output-$template" 2>&1 && return
  echo "FAILED: $template: $what: $*"
  cat "$scratch/output-$template"
  tail -n 20 "${RUN:-/nonexistent}"/*.log 2>/dev/null || true
  exit 1
}
says() { grep -q -- "$1" "$scratch/output-$template"; } # the last command
fail() { echo "FAILED: $template: $1"; exit 1; }
# begin NAME: the project of that template is there, and compiled.
begin() {
  template=$1
  export RUN=$scratch/run-$template
  cd "$scratch"
  run "new" starbus new "$template" --template "$template"
  cd "$template"
  run "configuration" cmake --preset debug
  run "compilation" cmake --build --preset debug --parallel 2
  [[ -n $(find build/debug -name cmake_pch.hxx.gch) ]] || fail "the headers of starbus are not precompiled"
  if says "invalid-pch"; then fail "a target does without the precompiled headers: $(cat "$scratch/output-$template")"; fi
  run "its tests" timeout 60 ctest --preset debug --no-tests=error
}
# over WHEN: ends it, and nothing is left.
over() {
  local pids pid
  pids=$(cat "$RUN"/*.pid)
  run "down, $1" timeout 60 scripts/down
  for pid in $pids; do
    # One that has ended has no command line, but has a folder there until somebody reaps it.
    [[ -z $({ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null) ]] || fail "process $pid is left"
  done
  [[ ! -e $RUN ]] || fail "$RUN is left"
}

run "installation" cmake --install "$build" --prefix "$scratch/starbus"
export PATH=$scratch/starbus/bin:$PATH
# Compiled once per version of it, where there is a cache: all paths are below one folder.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$scratch CCACHE_NOHASHDIR=1
fi

starter() {
  local round signal account
  begin starter
  if cmake --preset debug -B "$scratch/no-tsc" -DTSC=OFF >"$scratch/output-starter" 2>&1 ||
    ! says "apt-get install node-typescript"; then
    fail "it does not say that tsc is missing, and what to do"
  fi
  if WEB_PORT=nonsense scripts/up >"$scratch/output-starter" 2>&1 || ! says "choose another one" || [[ -e $RUN ]]; then
    fail "a port that is none was not refused"
  fi
  # The second time in the place of the first: nothing of that is in the way.
  for round in first second; do
    run "up, the $round time" timeout 60 scripts/up
    run "try, the $round time" timeout 60 scripts/try
    # A gate that is drained in the first round, and killed in the second.
    signal=$([[ $round == first ]] && echo TERM || echo KILL)
    run "the page, the $round time" timeout 60 scripts/try-page "$signal"
    account=$(sed -n 's/ plays .*//p' "$scratch/output-starter")
    run "the bus knows $account" bustop --admin "unix://$RUN/a-admin.sock" route "account/$account"
    says '^owner .*game on' || fail "account/$account has no owner"
    if scripts/up >/dev/null 2>&1; then fail "a game that is up was started again"; fi
    run "try after that" timeout 60 scripts/try
    over "the $round time"
  done
}
# What the tutorial adds: each block of data goes to the file that its first line names.
add_cave() {
  local tutorial
  tutorial=$(find "$scratch/starbus" -name tutorial-spaces.md)
  awk '/^```/ { file = ""; if ($0 == "```toml") { getline; if ($1 == "#" && NF == 2) file = $2 } }
       file != "" { print >>file }' "$tutorial"
  [[ -e scenes/cave.toml ]] || fail "the tutorial has no cave"
  run "its tests, with the cave" timeout 60 ctest --preset debug
}
# Two heroes come in at the gates of two hosts, see each other, go through a portal, and play on when the node
# that they are on is killed, and when it drains.
arena() {
  local signal
  export WEB_PORT=0 GATE_PORT_A=0 GATE_PORT_B=0  # any: those of the other template are wanted by it
  begin arena
  for signal in KILL TERM; do
    run "up, before SIG$signal" timeout 60 scripts/up
    [[ ! -e scenes/cave.toml ]] || run "the cave runs" timeout 20 bash -c \
      'until bustop --admin "unix://$RUN/a-admin.sock" route space/cave-1; do sleep 0.2; done'
    run "the page, with SIG$signal" timeout 90 scripts/try-page "$signal"
    run "bots" timeout 60 starbus-bots --quiet --duration 1s "$RUN/bots.toml"
    over "after SIG$signal"
    [[ $signal == TERM ]] || add_cave
  done
  # An up that fails ends what it has started.
  sed -i 's/^scenes = .*/scenes = "nowhere"/' config/host.toml
  if scripts/up >"$scratch/output-arena" 2>&1 || ! says "failed; ending what was started" || [[ -e $RUN ]]; then
    fail "a game that cannot start is left half up"
  fi
}
(starter) & starter_is=$!
(arena) & arena_is=$!
failed=0
wait "$starter_is" || failed=1
wait "$arena_is" || failed=1
[[ $failed == 0 ]] || exit 1
echo "ok"
