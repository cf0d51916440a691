package dev.weir.lab.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.JsonLines;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class ReplicationScenarioTest {
  private static final long BUDGET_BYTES = 8L << 20;

  /** Twice what the sender may hold, and half as much again as a second brings. */
  private static final ReplicationPlan PLAN =
      new ReplicationPlan(
          /* containers= */ 4,
          /* containerBytes= */ 24_000_000,
          /* rateBytes= */ 48_000_000,
          /* directBytes= */ 32L << 20,
          BUDGET_BYTES);

  @Test
  void aPushWithoutALookFailsWhereWeirKeepsWithinItsBudget() throws IOException {
    Map<String, @Nullable Object> naive = row(Peer.GRPC_NAIVE);
    Map<String, @Nullable Object> weir = row(Peer.WEIR);

    assertThat(naive.get("failures")).isNotEqualTo(0);
    assertThat((String) naive.get("senderFailure")).contains("direct memory");
    assertThat(weir).containsEntry("completed", 4).containsEntry("failures", 0);
    assertThat((long) weir.get("receiverPoolBytes")).isLessThanOrEqualTo(BUDGET_BYTES);
    assertThat((long) weir.get("senderPoolBytes")).isLessThanOrEqualTo(BUDGET_BYTES);
    assertThat(JsonLines.line(weir)).contains("series");
    assertThat(ReplicationScenario.render(List.of(naive, weir), Ansi.OFF))
        .contains("direct memory");
  }

  private static Map<String, @Nullable Object> row(Peer peer) throws IOException {
    Map<String, @Nullable Object> row =
        ReplicationScenario.rows(List.of(peer), PLAN).getFirst().body().measure((_, _) -> {});
    row.put("scenario", ReplicationScenario.NAME);
    row.put("allocator", peer.label());
    return row;
  }
}
