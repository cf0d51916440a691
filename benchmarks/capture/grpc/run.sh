#!/usr/bin/env bash
# Records gRPC's test service while clients stream: a trace to replay, ../grpc-streaming.trace.gz.
# Needs JAVA_HOME at a JDK 25, and about a minute.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly port=4483 warmup_seconds=10 seconds=10 events=400000
readonly java=$JAVA_HOME/bin/java
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT

../../../mvnw --batch-mode -q package dependency:build-classpath -Dmdep.outputFile=target/classpath
class_path=target/classes:$(cat target/classpath)
../../../weir --version

"$java" -Xmx256m -cp "$class_path" capture.StreamingServer $port >target/server.log 2>&1 &
pids+=($!)
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  kill -0 "${pids[0]}" 2>/dev/null || { tail target/server.log >&2; exit 1; }
  sleep 0.2
done
"$java" -Xmx256m -cp "$class_path" capture.StreamingLoad $port $((warmup_seconds + seconds + 10)) &
pids+=($!)
sleep $warmup_seconds
../../../weir lab record "${pids[0]}" --for ${seconds}s --events $events -o target/grpc-streaming.trace
wait "${pids[1]}"
gzip -9 -n -c target/grpc-streaming.trace >../grpc-streaming.trace.gz
