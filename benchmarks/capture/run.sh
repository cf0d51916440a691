#!/usr/bin/env bash
# Records Spring Cloud Gateway as an API gateway, as one that rewrites documents, and as a WebSocket
# proxy: its buffer sizes into the histograms of the benchmarks, and two traces to replay beside this
# script. Needs JAVA_HOME at a JDK 25, and about four minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly gateway=4481 backend=4482 warmup_seconds=15 seconds=30 events=400000
readonly java=$JAVA_HOME/bin/java jcmd=$JAVA_HOME/bin/jcmd
readonly sizes=../src/main/resources/dev/weir/benchmarks/pattern
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT

../../mvnw --batch-mode -q package dependency:build-classpath -Dmdep.outputFile=target/classpath
class_path=target/classes:$(cat target/classpath)
../../weir --version

# start PORT MAIN ARGUMENT...: a program in the background, until it listens.
start() {
  local port=$1 log=target/$2.log
  shift
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
    echo "port $port is in use" >&2
    exit 1
  fi
  "$java" -Xmx256m -cp "$class_path" "capture.$@" >"$log" 2>&1 &
  pids+=($!)
  until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 "${pids[-1]}" 2>/dev/null || { tail "$log" >&2; exit 1; }
    sleep 0.2
  done
}

# record LOAD NAME: what the gateway asks for once the load is under way.
record() {
  local load=$1 name=$2
  "$java" -Xmx256m -cp "$class_path" capture.Load "$load" $gateway $((warmup_seconds + seconds + 5)) &
  pids+=($!)
  sleep $warmup_seconds
  "$jcmd" "${pids[1]}" JFR.start name="$name" settings=none +io.netty.AllocateBuffer#enabled=true \
    +io.netty.FreeBuffer#enabled=true +io.netty.ReallocateBuffer#enabled=true >/dev/null
  sleep $seconds
  "$jcmd" "${pids[1]}" JFR.stop name="$name" filename="$PWD/target/$name.jfr" >/dev/null
  wait "${pids[-1]}"
}

# histogram NAME: how often it asked for each size.
histogram() {
  local name=$1
  ../../weir lab import "target/$name.jfr" -o "target/$name.trace"
  {
    echo "# $name: direct buffers that Spring Cloud Gateway asked for in $seconds s."
    echo "# Made by benchmarks/capture/run.sh; the README beside it tells of the load."
    ../../weir lab sizes "target/$name.trace"
  } >"target/$name.sizes"
}

# window NAME: the first events, in their order and with their pauses.
window() {
  local name=$1
  ../../weir lab import "target/$name.jfr" -o "target/$name.trace" --events $events
  gzip -9 -n -c "target/$name.trace" >"$name.trace.gz"
}

start $backend Backend $backend
start $gateway Gateway $gateway $backend
record api api-gateway
record document document-gateway
record socket websocket-proxy
histogram api-gateway
histogram websocket-proxy
window api-gateway
window document-gateway
mkdir -p "$sizes"
mv target/*.sizes "$sizes/"
