package dev.weir.lab.accumulate;

import dev.weir.lab.peer.Jdk;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.TextTable;
import dev.weir.lab.report.UpperBound;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.Rows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows of {@code http-accumulate}, and how people read them. */
public final class AccumulateScenario {
  /** Its name on the command line. */
  public static final String NAME = "http-accumulate";

  private AccumulateScenario() {}

  /** A row for each of the peers. */
  public static List<LabRow> rows(
      Collection<NettyPeer> peers, Optional<Jdk> jdk, AccumulatePlan plan) {
    return peers.stream()
        .map(peer -> new LabRow(NAME, peer.label(), new AccumulateRow(peer, jdk, plan)))
        .toList();
  }

  /** Those of the rows that are of this scenario, and Weir's goals. */
  public static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "MiB",
            "Java",
            "small",
            "held then",
            "large",
            "refused",
            "peak RSS",
            "idle RSS",
            "held");
    List<UpperBound> goals = new ArrayList<>();
    for (Map<String, @Nullable Object> row : rows) {
      if (Rows.isMeasured(row, NAME)) {
        table.add(
            Rows.text(row, "allocator"),
            Rows.text(row, "java"),
            Rows.text(row, "smallAnswered") + "/" + Rows.text(row, "smallUploads"),
            Rows.mib(row, "betweenHeldBytes"),
            Rows.text(row, "largeAnswered") + "/" + Rows.text(row, "largeUploads"),
            Rows.text(row, "refused"),
            Rows.mib(row, "peakRssBytes"),
            Rows.mib(row, "idleRssBytes"),
            Rows.mib(row, "idleHeldBytes"));
        if (NettyPeer.of(Rows.text(row, "allocator")).isWeir()) {
          goals.add(Rows.atMost(row, "refused", 0));
        }
      }
    }
    return table.render(ansi)
        + Rows.problems(rows, NAME)
        + "\n"
        + UpperBound.render("measured", goals, ansi);
  }

  /** What the scenario comes to, in a line. */
  public static String summary(AccumulatePlan plan) {
    return "%,d uploads of %,d bytes, then %,d of %,d bytes one at a time, in %s MiB"
        .formatted(
            plan.smallUploads(),
            plan.smallBytes(),
            plan.largeUploads(),
            plan.largeBytes(),
            Bytes.mib(plan.limitBytes()));
  }
}
