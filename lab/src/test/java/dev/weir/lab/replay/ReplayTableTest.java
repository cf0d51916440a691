package dev.weir.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class ReplayTableTest {
  private static final long MIB = 1 << 20;

  @Test
  void whatIsNotKnownIsADash() {
    String table = ReplayTable.render(List.of(row("jemalloc"), weir()), Ansi.OFF);
    List<String> lines = table.lines().toList();
    assertThat(lines.get(1).split(" +"))
        .containsExactly("jemalloc", "0", "-", "1.50", "-", "2.5", "192.0", "-", "-", "-", "-");
    assertThat(lines.get(4).split(" +"))
        .containsExactly("jemalloc", "-", "-", "-", "-", "-", "-", "-", "-", "-");
    assertThat(lines.get(2).split(" +")).startsWith("weir", "7", "1");
    assertThat(lines.get(5).split(" +")).endsWith("8.0", "12.0", "-", "1.50", "3.2");
  }

  @Test
  void whatIsHeldBeyondThePagesWhenIdleHasAColumn() {
    List<String> lines = ReplayTable.render(List.of(weir()), Ansi.OFF).lines().toList();
    assertThat(lines.get(2)).endsWith("   idle beyond");
    assertThat(lines.get(3)).endsWith("   3.2");
  }

  /** As wide as terminals are. */
  @Test
  void linesHaveAtMost120Columns() {
    Map<String, Object> row = weir();
    row.put("allocator", "netty-unpooled");
    row.put("seconds", 123.45);
    row.put("nanosPerEvent", 12_345.6);
    row.put("pageFaults", 999_999);
    for (String name :
        List.of("peakPageBytes", "peakResidentBytes", "peakRssBytes", "peakBeyondPagesBytes")) {
      row.put(name, 9_999 * MIB);
    }
    assertThat(ReplayTable.render(List.of(row), Ansi.OFF).lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
  }

  @Test
  void notesSayWhatWeirWasMadeOf() {
    assertThat(ReplayTable.render(List.of(weir()), Ansi.OFF))
        .endsWith(
            """
            weir at its highest resident/live: 192.0 live + 1.0 rounding + 2.0 free slots + 3.0 dirty
            """);
  }

  private static Map<String, Object> weir() {
    Map<String, Object> row = row("weir");
    row.put("refusals", 7);
    row.put("refusalsWithinBound", 1);
    row.put(
        "idle",
        Map.of(
            "liveBytes",
            8 * MIB,
            "residentBytes",
            12 * MIB,
            "ratio",
            1.5,
            "beyondPagesBytes",
            32 * MIB / 10));
    row.put(
        "peak",
        Map.of(
            "liveBytes", 192 * MIB,
            "roundingBytes", MIB,
            "freeSlotBytes", 2 * MIB,
            "dirtyBytes", 3 * MIB));
    return row;
  }

  private static Map<String, Object> row(String allocator) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("allocator", allocator);
    row.put("refusals", 0);
    row.put("seconds", 1.5);
    row.put("pageFaults", 25);
    row.put("allocations", 10_000);
    row.put("peakLiveBytes", 192 * MIB);
    return row;
  }
}
