#!/usr/bin/env bash
# Another user of the machine makes the folder of scripts/up first, as /tmp allows, to own the keys and
# sockets in it: scripts/up refuses it before it builds or writes anything. up_folder_test.sh; exit code 77: skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# refused WHAT FOLDER: scripts/up ends at once, with a text that names the folder, and writes nothing there.
refused() {
  local what=$1 folder=$2 code=0
  timeout 20 scripts/up --dir "$folder" >"$scratch/output" 2>&1 || code=$?
  [[ $code == 1 ]] || { fail "$what: exit code $code"; cat "$scratch/output"; }
  grep -qF "up: $folder is " "$scratch/output" || { fail "$what: no text that names it"; cat "$scratch/output"; }
  ! grep -q '^build:' "$scratch/output" || fail "$what: it has built before it looked"
  [[ -z $(find "$scratch/theirs" -mindepth 1) ]] || fail "$what: something is in their folder"
}

mkdir "$scratch/theirs"
ln -s "$scratch/theirs" "$scratch/link"
ln -s "$scratch/nowhere" "$scratch/dangling"
: >"$scratch/file"
refused "a link to a folder" "$scratch/link"
refused "a link to nothing" "$scratch/dangling"
refused "a file" "$scratch/file"
[[ ! -e $scratch/nowhere ]] || fail "a link to nothing: it was followed"
if [[ $(id -u) == 0 ]]; then
  chown 12345 "$scratch/theirs"
  refused "the folder of another user" "$scratch/theirs"
else
  echo "not tried: only root can make the folder of another user"
fi

[[ $failures == 0 ]] || exit 1
echo "scripts/up puts nothing into folders of others"
