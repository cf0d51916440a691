#!/usr/bin/env bash
# Runs the public conformance suite of the Durable Streams protocol against a node of its own, and
# compares the outcome with expected.json. Needs npm; takes about a minute and a half. Options are
# those of weir serve: run.sh --store /tmp/objects
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(cd ../.. && pwd)

command -v npm >/dev/null || {
  echo "conformance: npm is missing; install Node.js 20 or newer" >&2
  exit 69
}

work=$(mktemp -d)
node_pid=''
stop() {
  if [ -n "$node_pid" ]; then
    kill "$node_pid" 2>/dev/null || true
    wait "$node_pid" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap stop EXIT

npm ci --silent --no-audit --no-fund
"$root/weir" serve --help >/dev/null # builds what is out of date, so that the start below is quick
: >"$work/node.log" # read below, perhaps before the node's shell has opened it
"$root/weir" serve --port 0 --data "$work/data" "$@" >"$work/node.log" 2>&1 &
node_pid=$!
url=''
for _ in $(seq 300); do
  url=$(sed -n 's|.*listening on \(http://[0-9.:]*\)/.*|\1|p' "$work/node.log")
  [ -z "$url" ] || break
  kill -0 "$node_pid" 2>/dev/null || break
  sleep 0.1
done
[ -n "$url" ] || {
  echo "conformance: the node did not start:" >&2
  cat "$work/node.log" >&2
  exit 1
}

# A long poll takes 20 s to time out, and some tests wait for it. Failed tests are judged below.
CONFORMANCE_TEST_URL=$url npx --no-install vitest run suite.test.js --testTimeout=60000 --reporter=json \
  --outputFile="$work/report.json" >"$work/suite.log" 2>&1 || true
[ -s "$work/report.json" ] || {
  echo "conformance: the suite wrote no report:" >&2
  tail -n 20 "$work/suite.log" >&2
  exit 1
}
cp "$work/report.json" "$root/target/conformance.json"
node compare.js "$work/report.json"
