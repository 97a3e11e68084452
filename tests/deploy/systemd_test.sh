#!/usr/bin/env bash
# The units load without a warning, and their sandboxes are tight: systemd_test.sh BUILD_DIR
# (the build folder is not needed: units only name programs). Exit code 77: skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
most=2.0

command -v systemd-analyze >/dev/null || { echo "skipped: no systemd-analyze"; exit 77; }
[[ -d /usr/lib/systemd/system ]] || { echo "skipped: no units of systemd"; exit 77; }
if ! systemd-analyze security --help 2>/dev/null | grep -q -- --offline; then
  echo "skipped: this systemd-analyze knows no --offline"
  exit 77
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# A root with systemd's own units, ours, and a stub for each program that ours start.
mkdir -p "$root"/{etc/systemd/system,usr/lib/systemd,etc/starbus/nodes}
cp -a /usr/lib/systemd/system "$root/usr/lib/systemd/"
cp deploy/systemd/* "$root/etc/systemd/system/"
sed -n 's/^Exec[A-Za-z]*=\([^ ]*\).*/\1/p' deploy/systemd/*.service | sort -u >"$root/programs"
while read -r program; do
  case $program in
    /usr/local/bin/busd | /usr/local/bin/busroot | /usr/bin/env | /bin/kill) ;;
    *) fail "a unit starts $program, which nobody installs" ;;
  esac
  install -D -m 0755 /dev/null "$root$program"
done <"$root/programs"
touch "$root/etc/starbus/nodes/i.env"

units=(starbus.target starbus-busroot.service starbus-busd.service starbus-node@.service)
for file in deploy/systemd/*; do
  [[ " ${units[*]} " == *" $(basename "$file") "* ]] || fail "$file is not tested"
done
for unit in "${units[@]}"; do
  messages=$(systemd-analyze verify --root="$root" --recursive-errors=no --man=no \
    "$root/etc/systemd/system/$unit" 2>&1) || fail "$unit does not verify"
  # systemd's own units may complain about what the scratch root lacks.
  messages=$(grep -F "${unit%.*}" <<<"$messages" || true)
  [[ -z $messages ]] || fail "$unit: $messages"
done

for unit in "${units[@]}"; do
  [[ $unit == *.service ]] || continue
  line=$(systemd-analyze security --offline=true --no-pager "deploy/systemd/$unit" 2>&1 |
    grep -F 'Overall exposure level') || { fail "$unit has no score"; continue; }
  score=$(sed -E 's/.*: ([0-9]+\.[0-9]+) .*/\1/' <<<"$line")
  echo "$unit: exposure $score, at most $most"
  awk -v score="$score" -v most="$most" 'BEGIN { exit !(score ~ /^[0-9.]+$/ && score <= most) }' ||
    fail "$unit is more exposed than $most"
done

# What the promises need, whatever the score says.
has() { grep -qxF -- "$2" "deploy/systemd/$1" || fail "$1 lacks $2"; }
has_not() { ! grep -qE -- "$2" "deploy/systemd/$1" || fail "$1 has $2"; }
for unit in starbus-busroot.service starbus-busd.service; do
  has "$unit" Type=notify
  has "$unit" Restart=always
  has "$unit" StartLimitIntervalSec=0
done
# No other user of the host, and no node, reads or locks a file of a daemon.
for unit in starbus-busroot.service starbus-busd.service; do
  has "$unit" UMask=0077
  has "$unit" StateDirectoryMode=0700
  has "$unit" Group=starbus
  has "$unit" LimitCORE=0
done
has starbus-busd.service SupplementaryGroups=starbus-bus
has starbus-node@.service Group=starbus-bus
has starbus-node@.service UMask=0077
has starbus-node@.service StateDirectoryMode=0700
has starbus-node@.service \
  'InaccessiblePaths=-/var/lib/starbus/busd -/var/lib/starbus/busroot -/var/log/starbus'
# Whoever's loop hangs is ended and started again.
for unit in starbus-busroot.service starbus-busd.service starbus-node@.service; do
  has "$unit" WatchdogSec=10s
done
has starbus-node@.service Type=notify
# Certificates of gates change without the end of a connection.
has starbus-node@.service 'ExecReload=/bin/kill -HUP $MAINPID'
# Roles follow from users: in a user namespace of its own a daemon would see them all as "nobody".
# The folder of the admin sockets outlives each of the two daemons.
for unit in starbus-busroot.service starbus-busd.service; do
  has_not "$unit" '^PrivateUsers=yes'
  has "$unit" RuntimeDirectory=starbus
  has "$unit" RuntimeDirectoryPreserve=yes
done
# These would restart every node together with busd.
has_not starbus-node@.service '^(Requires|BindsTo|PartOf)=.*busd'

[[ $failures -eq 0 ]] || { echo "$failures failures"; exit 1; }
echo "ok"
