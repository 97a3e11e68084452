#!/usr/bin/env bash
# The arena over two hosts, played in headless Chromium with its operator's view: arena_page_test.sh BUILD_DIR. Exit
# code 77: skipped, as Chromium is not in scripts/deps.
set -euo pipefail
build=$(cd "${1:?arena_page_test.sh BUILD_DIR}" && pwd)
cd "$(dirname "$0")/../.."

skip() {
  echo "skipped: $*"
  exit 77
}
[[ $build == "$PWD/build/release" ]] || skip "scripts/up starts the programs of build/release, and this is $build"
for tool in node tsc python3; do
  command -v "$tool" >/dev/null || skip "no $tool"
done
[[ -x ${CHROMIUM:-/usr/bin/chromium} ]] || skip "no chromium (apt-get install chromium)"
[[ -d build/release/playwright ]] || command -v npm >/dev/null || skip "no npm, to fetch playwright-core with"
for port in 7600 7601 7611 7612 7621 7622 7680 7681; do
  ! ss -Hltn "sport = :$port" | grep -q . || skip "port $port is in use: another run of scripts/up?"
done
timeout 150 examples/arena/try --hosts
