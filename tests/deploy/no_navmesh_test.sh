#!/usr/bin/env bash
# Without Recast and Detour nav/ and starbus-nav build with -DSTARBUS_NAVMESH=OFF; and a package
# of either build is found, or says what to install: no_navmesh_test.sh BUILD_DIR. Exit code 77: skipped.
set -euo pipefail
build=$(cd "${1:?no_navmesh_test.sh BUILD_DIR}" && pwd)
cd "$(dirname "$0")/../.."

skip() {
  echo "skipped: $*"
  exit 77
}
for tool in cmake c++ nm ninja; do
  command -v "$tool" >/dev/null || skip "no $tool"
done
! grep -q '^STARBUS_SANITIZE:[A-Z]*=..*' "$build/CMakeCache.txt" || skip "a sanitized build is not for installation"
! grep -q '^STARBUS_NAVMESH:BOOL=OFF' "$build/CMakeCache.txt" || skip "this build has no navmeshes itself"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
run() { # run WHAT COMMAND...: quiet unless it fails
  local what=$1
  shift
  "$@" >"$scratch/output" 2>&1 && return
  fail "$what: $*"
  cat "$scratch/output"
  return 1
}

# Where Recast is, for CMake to look elsewhere: as if it was not there.
recast=$(sed -n 's/^STARBUS_RECAST_INCLUDE:PATH=//p' "$build/CMakeCache.txt")
[[ -d $recast ]] || skip "no Recast"

# The build: two libraries, which takes a minute. Tests are configured, and not built.
off=$scratch/off
run "configures without Recast" cmake -S . -B "$off" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSTARBUS_NAVMESH=OFF \
  -DSTARBUS_BENCH=OFF "-DCMAKE_IGNORE_PATH=$recast" || exit 1
run "builds without Recast" cmake --build "$off" --parallel 2 --target starbus_nav starbus_nav_tool || exit 1
library=$off/nav/libstarbus_nav.a
names() { nm -C "$1" 2>/dev/null >"$scratch/names"; }
names "$library"
! grep -qE ' (dt|rc)[A-Z]|starbus::nav::mesh::(Bake|MeshGround)::' "$scratch/names" ||
  fail "the library without navmeshes has some"
names "$off/tools/libstarbus_nav_tool.a"
grep -q ' T starbus::nav_tool::read_obj_as_mesh' "$scratch/names" || fail "the tool does not say what it lacks"
! grep -q ' U starbus::nav::mesh::' "$scratch/names" || fail "the tool without navmeshes asks for some"
run "tests have a rule" cmake --build "$off" --target test_nav test_nav_tool -- -n || true
! grep -qE '/tests/nav/mesh/|/tests/tools/nav/mesh_test' "$off/build.ninja" ||
  fail "tests of navmeshes are built without them"
run "configuring with navmeshes fails" bash -c "! cmake -S . -B '$scratch/on' -G Ninja '-DCMAKE_IGNORE_PATH=$recast'" || true
grep -q 'librecast-dev' "$scratch/output" || fail "it does not say what to install"

# The package. What an installation of the whole other build would have differs in these files alone.
host=$scratch/host
run "installs" cmake --install "$build" --prefix "$host" || exit 1
cp -r "$host" "$scratch/host-off"
package=$(cd "$scratch/host-off" && find lib* -type d -path '*/cmake/starbus' -print -quit)
cp "$library" "$(find "$scratch/host-off" -name libstarbus_nav.a)"
cp "$off/starbusConfig.cmake" "$scratch/host-off/$package/"
find "$off/CMakeFiles/Export" -name 'starbusNavTargets*.cmake' -exec cp {} "$scratch/host-off/$package/" \;
rm "$scratch/host-off/$package/navmesh.cmake"
consume() { # consume PREFIX ARGUMENT...
  cmake -S tests/deploy/consumer_nav -B "$scratch/consumer" --fresh -G Ninja "-DCMAKE_PREFIX_PATH=$1" "${@:2}" &&
    cmake --build "$scratch/consumer" && timeout 30 "$scratch/consumer/consumer_nav"
}
run "a package without navmeshes, no Recast" consume "$scratch/host-off" "-DCMAKE_IGNORE_PATH=$recast" || true
run "a package with navmeshes, and Recast" consume "$host" || true
consume "$host" "-DCMAKE_IGNORE_PATH=$recast" >"$scratch/output" 2>&1 &&
  fail "a package with navmeshes is found without Recast"
grep -q 'librecast-dev' "$scratch/output" || fail "the package does not say what to install: $(cat "$scratch/output")"

[[ $failures -eq 0 ]] || { echo "$failures failures"; exit 1; }
echo "ok"
