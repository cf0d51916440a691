package dev.weir.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

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
    Map<String, @Nullable Object> cache = row("cache");
    cache.put("peakRatio", 1.1);
    cache.put("meanRatio", 1.05);
    cache.put("idle", Map.of("ratio", 1.5, "beyondPagesBytes", 2 * ALLOWED_BYTES));
    cache.put("peakBeyondPagesBytes", 2 * ALLOWED_BYTES);
    assertThat(goals(cache))
        .containsExactly(
            "goal weir wanted",
            "resident/live 1.1000 at most 1.1 reached",
            "resident/live, mean 1.0500 at most 1.05 reached",
            "idle/live 1.5000 at most 1.5 reached",
            "3 of 3 goals are reached");
  }

  @Test
  void whatIsTheLeastMoreIsMissedAndShowsIt() {
    Map<String, @Nullable Object> drop = row("drop");
    drop.put("peakBeyondPagesBytes", ALLOWED_BYTES + 1);
    drop.put("idle", Map.of("ratio", 1.5001, "beyondPagesBytes", ALLOWED_BYTES));
    drop.put("budgetBytes", 1 << 28);
    drop.put("refusals", 7);
    drop.put("refusalsWithinBound", 1);
    assertThat(goals(drop))
        .containsExactly(
            "goal weir wanted",
            "idle/live 1.5001 at most 1.5 missed",
            "beyond, MiB 4.01 at most 4 missed",
            "idle beyond, MiB 4.00 at most 4 reached",
            "refusals within bound 1 at most 0 missed",
            "1 of 4 goals are reached");
  }

  @Test
  void faultsAreCountedForAThousandAllocations() {
    Map<String, @Nullable Object> churn = row("churn-1m");
    churn.put("pageFaults", 101);
    churn.put("allocations", 10_000);
    churn.put("peakBeyondPagesBytes", 0);
    assertThat(goals(churn))
        .contains("faults 10.1 at most 10 missed", "idle beyond, MiB - at most 4 not measured")
        .endsWith("1 of 3 goals are reached");
    churn.put("pageFaults", 100);
    assertThat(goals(churn)).contains("faults 10.0 at most 10 reached");
  }

  @Test
  void everySeededTraceHasGoalsAndNothingElseHas() {
    assertThat(Stream.of("cache", "renewal", "drop", "survivors-small", "churn-1m", "mixed"))
        .allSatisfy(trace -> assertThat(goals(row(trace))).hasSizeGreaterThan(3));
    Map<String, @Nullable Object> netty = row("cache");
    netty.put("allocator", "netty-pooled");
    Map<String, @Nullable Object> small = row("cache");
    small.put("scale", 0.5);
    Map<String, @Nullable Object> file = row("cache.trace");
    file.put("scale", null);
    assertThat(ReplayGoals.render(List.of(netty, small, file), Ansi.OFF)).isEmpty();
  }

  private static List<String> goals(Map<String, @Nullable Object> row) {
    return ReplayGoals.render(List.of(row), Ansi.OFF)
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
