#!/usr/bin/env bash
# Records the buffer sizes that Spring Cloud Gateway asks for, as an API gateway and as a WebSocket
# proxy, into the histograms of the benchmarks. Needs JAVA_HOME at a JDK 25, and about three minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly gateway=4481 backend=4482 warmup_seconds=15 seconds=30
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

# record LOAD NAME: a histogram of what the gateway asks for once the load is under way.
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
  ../../weir lab import "target/$name.jfr" -o "target/$name.trace"
  {
    echo "# $name: direct buffers that Spring Cloud Gateway asked for in $seconds s."
    echo "# Made by benchmarks/capture/run.sh; the README beside it tells of the load."
    ../../weir lab sizes "target/$name.trace"
  } >"target/$name.sizes"
}

start $backend Backend $backend
start $gateway Gateway $gateway $backend
record api api-gateway
record socket websocket-proxy
mkdir -p "$sizes"
mv target/*.sizes "$sizes/"
