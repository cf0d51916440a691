package dev.weir.lab.replicate;

import dev.weir.lab.report.TextTable;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.Rows;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows of {@code replication}, and how people read them. */
public final class ReplicationScenario {
  /** Its name on the command line. */
  public static final String NAME = "replication";

  private static final List<Peer> PEERS = List.of(Peer.GRPC_NAIVE, Peer.GRPC, Peer.WEIR);

  private ReplicationScenario() {}

  /** A row for gRPC that pushes, one for gRPC with flow control, and one for Weir. */
  public static List<LabRow> rows(ReplicationPlan plan) {
    return rows(PEERS, plan);
  }

  static List<LabRow> rows(List<Peer> peers, ReplicationPlan plan) {
    return peers.stream()
        .map(peer -> new LabRow(NAME, peer.label(), new ReplicationRow(peer, plan)))
        .toList();
  }

  /** Those of the rows that are of this scenario. */
  public static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "MiB",
            "containers",
            "whole",
            "failed",
            "seconds",
            "sender's RSS",
            "its pool",
            "receiver's RSS",
            "its pool");
    StringBuilder failures = new StringBuilder();
    for (Map<String, @Nullable Object> row : rows) {
      if (Rows.isMeasured(row, NAME)) {
        table.add(
            Rows.text(row, "allocator"),
            Rows.text(row, "copies"),
            Rows.text(row, "completed"),
            Rows.text(row, "failures"),
            Rows.text(row, "seconds"),
            Rows.mib(row, "senderPeakRssBytes"),
            Rows.mib(row, "senderPoolBytes"),
            Rows.mib(row, "receiverPeakRssBytes"),
            Rows.mib(row, "receiverPoolBytes"));
        failures.append(failure(row));
      }
    }
    return table.render(ansi) + failures + Rows.problems(rows, NAME);
  }

  private static String failure(Map<String, @Nullable Object> row) {
    String told = Rows.text(row, "senderFailure");
    String reason = told.isEmpty() || told.equals("-") ? Rows.text(row, "failure") : told;
    return reason.isEmpty() ? "" : "%s: %s%n".formatted(Rows.text(row, "allocator"), reason);
  }
}
