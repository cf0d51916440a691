package dev.weir.lab.slowclients;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Help.Ansi;

class SlowClientsGoalsTest {
  private static final int LIMIT_BYTES = 256 << 20;

  @Test
  void whatIsExactlyWhatIsWantedIsReached() {
    assertThat(goals(List.of(row("uploads"))))
        .containsExactly(
            "goal weir wanted",
            "uploads: peak MiB 256.0 at most 256 reached",
            "uploads: RSS MiB 256.0 at most 256 reached",
            "uploads: seconds/least 1.300 at most 1.3 reached",
            "uploads: small p99 ms 100.00 at most 100 reached",
            "uploads: lost 0 at most 0 reached",
            "5 of 5 goals are reached");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "peakResidentBytes | 268435457 | peak MiB 256.1 at most 256 missed",
        "peakRssBytes | 268435457 | RSS MiB 256.1 at most 256 missed",
        "seconds | 65.01 | seconds/least 1.301 at most 1.3 missed",
        "smallP99Millis | 100.01 | small p99 ms 100.01 at most 100 missed",
        "smallP99Millis | NaN | small p99 ms - at most 100 not measured",
        "failed | 1 | lost 1 at most 0 missed",
        "smallLost | 2 | lost 2 at most 0 missed",
      })
  void whatIsTheLeastMoreIsMissedAndShowsIt(String field, double value, String line) {
    Map<String, @Nullable Object> row = row("both");
    row.put(field, value);
    assertThat(goals(List.of(row))).contains("both: " + line).endsWith("4 of 5 goals are reached");
  }

  @Test
  void nothingIsSaidOfOthers() {
    Map<String, @Nullable Object> netty = row("uploads");
    netty.put("allocator", "netty-pooled");
    assertThat(SlowClientsGoals.render(List.of(netty), Ansi.OFF)).isEmpty();
  }

  @Test
  void theyAreSetForTheClientsThatAreDescribed() {
    assertThat(plan(1000, 100_000_000, LIMIT_BYTES).isAsDescribed()).isTrue();
    assertThat(plan(999, 100_000_000, LIMIT_BYTES).isAsDescribed()).isFalse();
    assertThat(plan(1000, 90_000_000, LIMIT_BYTES).isAsDescribed()).isFalse();
    assertThat(plan(1000, 100_000_000, 2L * LIMIT_BYTES).isAsDescribed()).isFalse();
  }

  private static SlowClientsPlan plan(int clients, long largeBytes, long limitBytes) {
    return new SlowClientsPlan(
        Direction.UPLOADS, clients, largeBytes, 10_000_000, 20, limitBytes, 1);
  }

  private static List<String> goals(List<Map<String, @Nullable Object>> rows) {
    return SlowClientsGoals.render(rows, Ansi.OFF)
        .lines()
        .map(line -> line.replaceAll(" +", " "))
        .toList();
  }

  private static Map<String, @Nullable Object> row(String direction) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("allocator", "weir");
    row.put("direction", direction);
    row.put("failed", 0);
    row.put("seconds", 65.0);
    row.put("leastSeconds", 50.0);
    row.put("peakResidentBytes", LIMIT_BYTES);
    row.put("peakRssBytes", LIMIT_BYTES);
    row.put("smallP99Millis", 100.0);
    row.put("smallLost", 0);
    return row;
  }
}
