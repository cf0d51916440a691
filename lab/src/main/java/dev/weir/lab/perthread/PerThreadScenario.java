package dev.weir.lab.perthread;

import dev.weir.lab.peer.Jdk;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.TextTable;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.Rows;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows of {@code rss-per-thread}, and how people read them. */
public final class PerThreadScenario {
  /** Its name on the command line. */
  public static final String NAME = "rss-per-thread";

  private static final int QUICK_MILLIS = 1_000;
  private static final int ZERO_LOAD_MILLIS = 20_000;

  private PerThreadScenario() {}

  /** A row for each of the peers. */
  public static List<LabRow> rows(Collection<NettyPeer> peers, Optional<Jdk> jdk, boolean quick) {
    int zeroLoadMillis = quick ? QUICK_MILLIS : ZERO_LOAD_MILLIS;
    return peers.stream()
        .map(peer -> new LabRow(NAME, peer.label(), new PerThreadRow(peer, jdk, zeroLoadMillis)))
        .toList();
  }

  /** Those of the rows that are of this scenario. */
  public static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "MiB",
            "Java",
            "no cleaner",
            "1st",
            "8th",
            "16th",
            "20th",
            "a request",
            "held",
            "idle RSS");
    for (Map<String, @Nullable Object> row : rows) {
      if (Rows.isMeasured(row, NAME)) {
        table.add(
            Rows.text(row, "allocator"),
            Rows.text(row, "java"),
            Rows.text(row, "noCleaner"),
            after(row, 1),
            after(row, 8),
            after(row, 16),
            after(row, 20),
            Rows.mib(row, "requestBytes"),
            Rows.mib(row, "heldBytes"),
            Rows.mib(row, "idleRssBytes"));
      }
    }
    return table.render(ansi) + Rows.problems(rows, NAME);
  }

  private static String after(Map<String, @Nullable Object> row, int request) {
    return row.get("rssBytesAfterEach") instanceof List<?> all
            && all.get(request - 1) instanceof Number bytes
        ? Bytes.mib(bytes.longValue())
        : "-";
  }
}
