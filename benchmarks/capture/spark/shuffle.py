"""Shuffles with Apache Spark for as many seconds as the argument says: a sum for each of many keys,
and a join, over two executors that fetch half of each other's blocks."""

import sys
import time

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local-cluster[2,1,768]")
    .appName("shuffle")
    .config("spark.executor.memory", "768m")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "24")
    .config("spark.sql.autoBroadcastJoinThreshold", "-1")
    .config("spark.sql.adaptive.enabled", "false")
    .config("spark.shuffle.compress", "false")
    .getOrCreate()
)
end = time.monotonic() + float(sys.argv[1])
rounds = 0
while time.monotonic() < end:
    orders = spark.range(400_000).selectExpr(
        "id % 60000 AS customer", "repeat(uuid(), 8) AS reference", "rand(%d) AS amount" % rounds
    )
    customers = spark.range(60_000).selectExpr("id AS customer", "repeat(uuid(), 3) AS name")
    orders.join(customers, "customer").groupBy("name").agg(
        {"amount": "sum", "reference": "max"}
    ).count()
    rounds += 1
print("%d rounds" % rounds)
spark.stop()
