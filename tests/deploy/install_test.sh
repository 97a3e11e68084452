#!/usr/bin/env bash
# What scripts/install puts into a folder is complete, is configured as the samples say, is left
# alone by a second run, and can be built against: install_test.sh BUILD_DIR. Exit code 77: skipped.
set -euo pipefail
build=$(cd "${1:?install_test.sh BUILD_DIR}" && pwd)
cd "$(dirname "$0")/../.."

for tool in cmake c++ pkg-config readelf tsc; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
if grep -q '^STARBUS_SANITIZE:[A-Z]*=..*' "$build/CMakeCache.txt"; then
  echo "skipped: a sanitized build is not for installation"
  exit 77
fi
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
has() { [[ -e $1 ]] || fail "$1 is missing"; }
mode() { [[ $(stat -c %a "$1") == "$2" ]] || fail "$1 has mode $(stat -c %a "$1"), not $2"; }
summary() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k2); }

# What a fresh checkout builds is a target of it.
read -ra targets < <(sed -n 's|^ *scripts/build release ||p' scripts/install)
run "targets of scripts/install" cmake --build "$build" --target "${targets[@]}" -- -n || true

# First installation.
host=$scratch/host
etc=$host/etc/starbus
bin=$host/usr/local/bin
install=(scripts/install --build-dir "$build")
run "first installation" "${install[@]}" --destdir "$host" --role both || exit 1
for program in busd busroot bustop starbus starbus-keygen starbus-mail starbus-manager starbus-db starbus-db-tool \
  starbus-gate starbus-login starbus-spaces starbus-crowds starbus-bots starbus-nav; do
  has "$bin/$program"
  run "$program starts" "$bin/$program" --version || true
done
for unit in starbus.target starbus-busroot.service starbus-busd.service starbus-node@.service; do
  has "$host/etc/systemd/system/$unit"
done
has "$host/usr/lib/sysusers.d/starbus.conf"
has "$host/usr/lib/tmpfiles.d/starbus.conf"
for header in bus/client/bus nodes/runtime/node nodes/service/service nodes/replica/mirror \
  nodes/manager/manager_service nodes/manager/id_source nodes/hosting/db_saver \
  nodes/players/account nodes/login/accounts/ticket_check nodes/db/remote/remote_database storage/store \
  aoi/world nodes/space/node/space_app nodes/space/movement/move_check; do
  has "$host/usr/local/include/starbus/$header.hpp"
done
for file in package.json README.md dist/index.js dist/index.d.ts dist/node.js; do
  has "$host/usr/local/share/starbus/web/starbus-client/$file"
done
# Small: what debuggers read stands in files of its own, and is installed for who asks for it.
size=$(du -sm "$host/usr/local" | cut -f1)
echo "what is installed takes $size MB"
[[ $size -lt 120 ]] || fail "what is installed takes $size MB, not less than 120"
run "debug information" cmake --install "$build" --prefix "$scratch/debug" --component debug || true
sections() { readelf --sections --wide "$1" 2>/dev/null; }
for program in "$bin"/*; do
  name=${program##*/}
  ! sections "$program" | grep -F ' .debug_info ' >/dev/null || fail "$name is not stripped"
  readelf --string-dump=.gnu_debuglink "$program" 2>/dev/null | grep -F "$name.debug" >/dev/null ||
    fail "$name does not name its debug information"
  sections "$scratch/debug/bin/.debug/$name.debug" | grep -F ' .debug_info ' >/dev/null ||
    fail "the component debug has nothing of $name"
done
for library in "$host"/usr/local/lib*/libstarbus_*.a "$host"/usr/local/lib/*-linux-gnu/libstarbus_*.a; do
  [[ -e $library ]] || continue
  [[ -n $(find "$scratch/debug" -path "*/debug/${library##*/}") ]] || fail "the component debug has no ${library##*/}"
done
[[ -z $(find "$scratch/debug" -type f -not -path '*/debug/*' -not -path '*/.debug/*') ]] ||
  fail "the component debug has more than debug information"
rm -rf "$scratch/debug"
mode "$etc" 755
mode "$etc/manager.toml" 644
mode "$etc/nodes" 700
mode "$etc/busd.toml" 640
if package=$(grep -rlF -e "$PWD" -e "$build" "$host"/usr/local/lib*/cmake "$host/etc"); then
  fail "the installed files name the folder that they were built in: $package"
fi

# The samples are what the daemons understand: as they are, and with every default written out.
run "keys" "$bin/starbus-keygen" root --out "$etc" || true
run "keys" "$bin/starbus-keygen" host host-a --out "$etc" || true
run "keys" "$bin/starbus-keygen" host host-b --out "$etc" || true
key() { awk '{ print $2 }' "$etc/$1.pub"; }
fill() { # fill SAMPLE: keys in place of their placeholders
  # A key may hold '&', which bash 5.2 replaces unless the replacement is quoted.
  local text
  text=$(<"$1")
  text=${text//"/etc/starbus"/"$etc"}
  text=${text//"public key of busroot: 40 characters"/"$(key root)"}
  text=${text//"public key of host-a: 40 characters"/"$(key host-a)"}
  text=${text//"public key of host-b"/"$(key host-b)"}
  # This machine need not have the users of roles.
  text=$(sed -E 's/^(# )?(users|groups) = \["(starbus(-[a-z]+)?|alice)"\]/\1\2 = ["root"]/' <<<"$text")
  text=${text//'# socket_group = "starbus-bus"'/'# socket_group = "root"'}
  printf '%s\n' "$text"
}
for daemon in busd busroot manager; do
  program=${daemon/manager/starbus-manager}
  fill "deploy/config/$daemon.toml" >"$scratch/$daemon.toml"
  run "sample of $daemon" "$bin/$program" --config "$scratch/$daemon.toml" --check-config || true
  sed -E 's/^# ([a-z_]+ = |\[{1,2}[a-z.]+\]{1,2}$)/\1/' "$scratch/$daemon.toml" >"$scratch/$daemon-full.toml"
  run "full sample of $daemon" "$bin/$program" --config "$scratch/$daemon-full.toml" \
    --check-config || true
done

for node in crowds db gate login; do
  has "$etc/$node.toml.sample"
  run "sample of starbus-$node" "$bin/starbus-$node" --config "$etc/$node.toml.sample" --check-config || true
done
sed "s|/etc/starbus/space_types.toml|$etc/space_types.toml.sample|" "$etc/spaces.toml.sample" >"$scratch/spaces.toml"
run "samples of starbus-spaces" "$bin/starbus-spaces" --config "$scratch/spaces.toml" --check-config || true

# Again: nothing of the operator's changes, and an outdated header goes.
echo '# changed by the operator' >>"$etc/busd.toml"
echo 'STARBUS_PROGRAM=/bin/true' >"$etc/nodes/gate-1.env"
touch "$host/usr/local/include/starbus/bus/outdated.hpp"
summary "$etc" >"$scratch/before"
run "second installation" "${install[@]}" --destdir "$host" --role both || true
summary "$etc" | diff "$scratch/before" - || fail "the second installation changed the configuration"
[[ ! -e $host/usr/local/include/starbus/bus/outdated.hpp ]] || fail "an outdated header was kept"

# Another role and prefix.
other=$scratch/other
run "another prefix" "${install[@]}" --destdir "$other" --role busd --prefix /opt/starbus || true
has "$other/opt/starbus/bin/busd"
has "$other/etc/starbus/busd.toml"
[[ ! -e $other/etc/starbus/busroot.toml ]] || fail "role busd got a busroot.toml"
grep -q '^ExecStart=/opt/starbus/bin/busd ' "$other/etc/systemd/system/starbus-busd.service" ||
  fail "the unit does not start what was installed"
! grep -rq /usr/local "$other/etc/systemd" || fail "a unit still names /usr/local"

# A user's project against the installed package, moved to prove that it can be.
mv "$host" "$scratch/moved"
host=$scratch/moved
generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
if command -v node >/dev/null; then
  mkdir -p "$scratch/npm/node_modules"
  ln -s "$host/usr/local/share/starbus/web/starbus-client" "$scratch/npm/node_modules"
  echo 'import { Client, nodeTransports } from "starbus-client/node"; new Client({ gates: ["tcp://127.0.0.1:1"],
    credentials: () => undefined, transports: nodeTransports() });' >"$scratch/npm/consumer.mjs"
  run "consumer of the web client runs" node "$scratch/npm/consumer.mjs" || true
fi
if run "consumer configures" cmake -S tests/deploy/consumer -B "$scratch/consumer" \
  "${generator[@]}" -DCMAKE_PREFIX_PATH="$host/usr/local" -DCMAKE_BUILD_TYPE=Debug &&
  run "consumer builds" cmake --build "$scratch/consumer"; then
  run "consumer runs" timeout 30 "$scratch/consumer/consumer" || true
  run "consumer of aoi runs" timeout 30 "$scratch/consumer/consumer_aoi" || true
  run "consumer of nav runs" timeout 30 "$scratch/consumer/consumer_nav" || true
  run "consumer of the game's client runs" timeout 30 "$scratch/consumer/consumer_game" || true
  run "consumer of entities runs" timeout 30 "$scratch/consumer/consumer_entity" || true
  run "consumer's node with spaces runs" timeout 30 "$scratch/consumer/consumer_space" --schema || true
  grep -q '"hero"' "$scratch/output" || fail "the schema of the consumer's node has no hero"
  run "consumer's test runs" timeout 60 "$scratch/consumer/consumer_test" || true
fi

# A coroutine that g++ 12 lays out wrongly is an error of a project's build, in a source and in a header beside it.
checked=$scratch/checked
cp -r tests/deploy/consumer_coroutine "$checked"
run "checked project configures" cmake -S "$checked" -B "$checked/build" "${generator[@]}" \
  -DCMAKE_PREFIX_PATH="$host/usr/local" || true
run "checked project builds" cmake --build "$checked/build" && run "checked project runs" "$checked/build/consumer_coroutine" || true
for file in waits.hpp main.cpp; do
  sed -i -e '/const bool there = /d' -e 's/if (there)/if (co_await Ready{})/' "$checked/$file"
  if cmake --build "$checked/build" >"$scratch/output" 2>&1; then
    [[ $(c++ -dumpversion) != 12* ]] || ! command -v python3 >/dev/null || fail "a wrong coroutine in $file builds"
  elif ! grep -qE "$file:[0-9]+: awaits in a condition and declares no variable" "$scratch/output"; then
    fail "the build does not say what is wrong in $file: $(cat "$scratch/output")"
  fi
  cp "tests/deploy/consumer_coroutine/$file" "$checked/$file"
  run "checked project builds again" cmake --build "$checked/build" || true
done

# And away.
run "uninstall" scripts/install --uninstall --destdir "$host" || true
left=$(find "$host" -type f -not -path "$host/etc/starbus/*")
[[ -z $left ]] || fail "left behind: $left"
[[ -e $host/etc/starbus/busd.toml ]] || fail "the configuration was removed"

[[ $failures -eq 0 ]] || { echo "$failures failures"; exit 1; }
echo "ok"
