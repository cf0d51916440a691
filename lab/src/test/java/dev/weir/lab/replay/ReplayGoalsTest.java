package dev.weir.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class ReplayGoalsTest {
  private static final long ALLOWED_BYTES = 4 << 20;

  @Test
  void whatIsExactlyWhatIsWantedIsReached() {
    assertThat(goals(cache(row("cache"), 1.25, 1.15)))
        .containsExactly(
            "goal weir wanted",
            "resident/live 1.2500 at most 1.25 reached",
            "resident/live, mean 1.1500 at most 1.15 reached",
            "idle/live 1.5000 at most 1.5 reached",
            "3 of 3 goals are reached");
    assertThat(goals(cache(dense("cache"), 1.1, 1.05)))
        .containsExactly(
            "goal weir wanted",
            "dense: resident/live 1.1000 at most 1.1 reached",
            "dense: resident/live, mean 1.0500 at most 1.05 reached",
            "dense: idle/live 1.5000 at most 1.5 reached",
            "3 of 3 goals are reached");
  }

  @Test
  void whatIsTheLeastMoreIsMissedAndShowsIt() {
    Map<String, @Nullable Object> drop = dense("drop");
    drop.put("peakBeyondPagesBytes", ALLOWED_BYTES + 1);
    drop.put("idle", Map.of("ratio", 1.5001, "beyondPagesBytes", ALLOWED_BYTES));
    drop.put("budgetBytes", 1 << 28);
    drop.put("refusals", 7);
    drop.put("refusalsWithinBound", 1);
    assertThat(goals(drop))
        .containsExactly(
            "goal weir wanted",
            "dense: beyond, MiB 4.01 at most 4 missed",
            "dense: idle beyond, MiB 4.00 at most 4 reached",
            "dense: idle/live 1.5001 at most 1.5 missed",
            "dense: refusals within bound 1 at most 0 missed",
            "1 of 4 goals are reached");
  }

  @Test
  void faultsAreCountedForAThousandAllocations() {
    Map<String, @Nullable Object> churn = dense("churn-1m");
    churn.put("pageFaults", 101);
    churn.put("allocations", 10_000);
    churn.put("peakBeyondPagesBytes", 0);
    assertThat(goals(churn))
        .contains(
            "dense: faults 10.1 at most 10 missed",
            "dense: idle beyond, MiB - at most 4 not measured")
        .endsWith("1 of 3 goals are reached");
    churn.put("pageFaults", 100);
    assertThat(goals(churn)).contains("dense: faults 10.0 at most 10 reached");
  }

  @Test
  void everySeededTraceHasGoalsAndNothingElseHas() {
    assertThat(Stream.of("cache", "renewal", "drop", "survivors-small", "churn-1m", "mixed"))
        .allSatisfy(trace -> {
          assertThat(goals(row(trace))).hasSizeGreaterThan(2);
          assertThat(goals(dense(trace))).hasSizeGreaterThan(3);
        });
    Map<String, @Nullable Object> netty = row("cache");
    netty.put("allocator", "netty-pooled");
    Map<String, @Nullable Object> small = row("cache");
    small.put("scale", 0.5);
    Map<String, @Nullable Object> file = row("cache.trace");
    file.put("scale", null);
    assertThat(ReplayGoals.render(List.of(netty, small, file), Ansi.OFF)).isEmpty();
  }

  @Test
  void whatWasRecordedIsMeasuredByPooledAndByDense() {
    Map<String, @Nullable Object> weir = recorded("weir", 120, 0.9, 1_000);
    Map<String, @Nullable Object> dense = recorded("weir+dense", 900, 2, 1_000);
    Map<String, @Nullable Object> pooled = recorded("netty-pooled", 100, 0.9, 9_000);
    assertThat(goals(List.of(dense, pooled, weir)))
        .containsExactly(
            "goal weir wanted",
            "faults / pooled's 1.200 at most 1.2 reached",
            "ns / Netty's better 1.000 at most 1 reached",
            "idle / dense's 1.000 at most 1 reached",
            "3 of 3 goals are reached");

    Map<String, @Nullable Object> more = recorded("weir", 121, 0.91, 1_001);
    assertThat(goals(List.of(more, dense, pooled))).endsWith("0 of 3 goals are reached");
    assertThat(goals(List.of(weir, pooled))).hasSize(4);
    assertThat(goals(List.of(weir, dense))).hasSize(3);
    assertThat(goals(List.of(dense, pooled))).isEmpty();
    pooled.put("pageFaults", 0);
    assertThat(goals(List.of(weir, pooled)))
        .contains("faults / pooled's - at most 1.2 not measured");
  }

  @Test
  void whatWasRecordedIsHeldToABudgetAndToTheBetterNetty() {
    Map<String, @Nullable Object> weir = within(recorded("weir", 120, 30, 1_000), 125, 115);
    Map<String, @Nullable Object> dense = within(recorded("weir+dense", 120, 30, 1_000), 110, 105);
    Map<String, @Nullable Object> pooled = recorded("netty-pooled", 100, 40, 9_000);
    Map<String, @Nullable Object> adaptive = recorded("netty-adaptive", 100, 30, 9_000);
    List<Map<String, @Nullable Object>> rows = List.of(weir, dense, pooled, adaptive);
    assertThat(goals(rows)).contains("refused 0 at most 0 reached");
    assertThat(goals(rows)).contains("dense: (peak - 4 MiB) / peak live 1.100 at most 1.1 reached");
    assertThat(goals(rows)).endsWith("9 of 9 goals are reached");

    weir.put("refusals", 1);
    weir.put("nanosPerEvent", 31.0);
    weir.put("peakResidentBytes", (126 << 20) + ALLOWED_BYTES);
    dense.put("meanResidentBytes", (106 << 20) + ALLOWED_BYTES);
    assertThat(goals(rows)).endsWith("5 of 9 goals are reached");
    dense.put("budgetBytes", 118 << 20);
    assertThat(goals(rows))
        .as("less than 1.15 times the peak")
        .endsWith("3 of 6 goals are reached");
  }

  @Test
  void theReplaysOwnCostIsHeldToTenNanoseconds() {
    Map<String, @Nullable Object> none = row("mixed");
    none.put("allocator", "none");
    none.put("nanosPerEvent", 10.1);
    assertThat(goals(none)).contains("none: ns an event 10.1 at most 10 missed");
  }

  @Test
  void goalsAreInTheFirstRowForReports() {
    Map<String, @Nullable Object> none = row("mixed");
    none.put("allocator", "none");
    none.put("nanosPerEvent", 3.5);
    List<Map<String, @Nullable Object>> rows = new ArrayList<>(List.of(none));
    ReplayGoals.judge(rows);
    assertThat(String.valueOf(none.get("goals"))).contains("outcome=reached");
  }

  private static Map<String, @Nullable Object> within(
      Map<String, @Nullable Object> row, long peakMib, long meanMib) {
    row.put("refusals", 0);
    row.put("peakLiveBytes", 100 << 20);
    row.put("meanLiveBytes", 100 << 20);
    row.put("budgetBytes", (115L << 20) + ALLOWED_BYTES);
    row.put("peakResidentBytes", (peakMib << 20) + ALLOWED_BYTES);
    row.put("meanResidentBytes", (meanMib << 20) + ALLOWED_BYTES);
    return row;
  }

  private static Map<String, @Nullable Object> recorded(
      String allocator, int faults, double nanos, int idleBytes) {
    Map<String, @Nullable Object> row = row("service.trace");
    row.put("scale", null);
    row.put("allocator", allocator);
    row.put("pageFaults", faults);
    row.put("allocations", 10_000);
    row.put("nanosPerEvent", nanos);
    row.put("idle", Map.of("residentBytes", idleBytes));
    return row;
  }

  private static Map<String, @Nullable Object> cache(
      Map<String, @Nullable Object> row, double peak, double mean) {
    row.put("peakRatio", peak);
    row.put("meanRatio", mean);
    row.put("idle", Map.of("ratio", 1.5, "beyondPagesBytes", 2 * ALLOWED_BYTES));
    row.put("peakBeyondPagesBytes", 2 * ALLOWED_BYTES);
    return row;
  }

  private static Map<String, @Nullable Object> dense(String trace) {
    Map<String, @Nullable Object> row = row(trace);
    row.put("allocator", "weir+dense");
    return row;
  }

  private static List<String> goals(Map<String, @Nullable Object> row) {
    return goals(List.of(row));
  }

  private static List<String> goals(List<Map<String, @Nullable Object>> rows) {
    return ReplayGoals.render(rows, Ansi.OFF)
        .lines()
        .map(line -> line.replaceAll(" +", " "))
        .toList();
  }

  private static Map<String, @Nullable Object> row(String trace) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("trace", trace);
    row.put("scale", 1.0);
    row.put("allocator", "weir");
    return row;
  }
}
