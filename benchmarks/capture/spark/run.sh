#!/usr/bin/env bash
# Records an executor of Apache Spark while it shuffles: a trace to replay, ../spark-shuffle.trace.gz.
# Needs JAVA_HOME at a JDK 25, a JDK 17 for Spark in SPARK_JAVA_HOME, python3 with venv, and PyPI: PySpark
# is 450 MB. Two minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly version=4.1.0 warmup_seconds=25 seconds=40 events=400000
: "${SPARK_JAVA_HOME:?needs a JDK 17}"
mkdir -p target
if [ ! -x target/venv/bin/spark-submit ]; then
  python3 -m venv target/venv
  target/venv/bin/pip install --quiet "pyspark==$version"
fi
../../../weir --version

PYSPARK_PYTHON=$PWD/target/venv/bin/python JAVA_HOME=$SPARK_JAVA_HOME SPARK_LOCAL_IP=127.0.0.1 \
  target/venv/bin/python shuffle.py $((warmup_seconds + seconds + 15)) >target/spark.log 2>&1 &
spark=$!
trap 'kill $spark 2>/dev/null || true' EXIT
sleep $warmup_seconds
executor=$("$JAVA_HOME/bin/jcmd" | sed -n 's/^\([0-9]*\) .*CoarseGrainedExecutorBackend.*--driver-url.*/\1/p' | head -n 1)
[ -n "$executor" ] || { tail target/spark.log >&2; exit 1; }
../../../weir lab record "$executor" --for ${seconds}s --events $events -o target/spark-shuffle.trace
wait $spark
tail -n 1 target/spark.log
gzip -9 -n -c target/spark-shuffle.trace >../spark-shuffle.trace.gz
