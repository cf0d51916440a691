package dev.weir.lab.cachefragmentation;

import static dev.weir.lab.report.JsonLines.figure;

import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.TextTable;
import dev.weir.lab.report.UpperBound;
import dev.weir.lab.scenario.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows as people read them, and Weir's goals. */
public final class CacheTable {
  private CacheTable() {}

  /** Those of the rows that are of this scenario. */
  public static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "MiB",
            "Java",
            "refused",
            "seconds",
            "planned",
            "cached",
            "peak RSS",
            "peak/planned",
            "mean",
            "closed");
    List<UpperBound> goals = new ArrayList<>();
    for (Map<String, @Nullable Object> row : rows) {
      if (!Rows.isMeasured(row, CacheScenario.NAME)) {
        continue;
      }
      String allocator = String.valueOf(row.get("allocator"));
      table.add(
          allocator,
          Rows.text(row, "java"),
          row.get("refused") + "/" + sum(row.get("appends"), row.get("coldReads")),
          String.valueOf(row.get("seconds")),
          mib(row.get("plannedBytes")),
          mib(row.get("cachedBytes")),
          mib(row.get("peakRssBytes")),
          String.valueOf(row.get("peakRatio")),
          String.valueOf(row.get("meanRatio")),
          mib(row.get("closedRssBytes")));
      if (NettyPeer.of(allocator).isWeir()) {
        goals.add(new UpperBound(allocator + ": refused", figure(row, "refused"), 0, 0));
      }
      if (NettyPeer.of(allocator) == NettyPeer.WEIR_DENSE) {
        goals.add(new UpperBound(allocator + ": peak/planned", figure(row, "peakRatio"), 1.1, 3));
      }
    }
    return table.render(ansi)
        + Rows.problems(rows, CacheScenario.NAME)
        + "\n"
        + UpperBound.render("measured", goals, ansi);
  }

  private static long sum(@Nullable Object one, @Nullable Object other) {
    return (one instanceof Number a ? a.longValue() : 0)
        + (other instanceof Number b ? b.longValue() : 0);
  }

  private static String mib(@Nullable Object bytes) {
    return bytes instanceof Number number ? Bytes.mib(number.longValue()) : "-";
  }
}
