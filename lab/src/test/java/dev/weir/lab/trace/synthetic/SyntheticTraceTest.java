package dev.weir.lab.trace.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.trace.RecordingSink;
import dev.weir.lab.trace.TotalsSink;
import dev.weir.lab.trace.TraceSource;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SyntheticTraceTest {
  private static final double SCALE = 0.02;
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @EnumSource(SyntheticTrace.class)
  void aSeedDeterminesTheTrace(SyntheticTrace trace) throws IOException {
    assertThat(events(trace, 1)).isEqualTo(events(trace, 1));
    if (trace != SyntheticTrace.CHURN_1M) {
      assertThat(events(trace, 1)).isNotEqualTo(events(trace, 2));
    }
  }

  /** Results are compared over years: a trace must not change unless its name does. */
  @ParameterizedTest
  @CsvSource({
    "cache, 194342344",
    "renewal, -343176083",
    "drop, 1607077951",
    "survivors-small, -1772655510",
    "churn-1m, 2063793795",
    "mixed, 2136898191",
  })
  void theTracesStayWhatTheyAre(String label, int hash) throws IOException {
    assertThat(events(SyntheticTrace.of(label).orElseThrow(), 1).hashCode()).isEqualTo(hash);
  }

  @ParameterizedTest
  @EnumSource(SyntheticTrace.class)
  void theTotalsAreKnownBeforehand(SyntheticTrace trace) throws IOException {
    TotalsSink sums = new TotalsSink();
    try (TraceSource source = trace.open(3, SCALE)) {
      source.drainTo(sums);
      assertThat(sums.totals()).isEqualTo(source.totals());
    }
    assertThat(SyntheticTrace.of(trace.label())).contains(trace);
    assertThat(SyntheticTrace.labels()).contains(trace.label());
  }

  @Test
  void theCacheFillsAndIsDropped() throws IOException {
    try (TraceSource source = SyntheticTrace.DROP.open(1, 0.1)) {
      assertThat(source.totals().peakLiveBytes()).isBetween(19 * MIB, 192 * MIB / 10);
      TotalsSink sums = new TotalsSink();
      source.drainTo(sums);
      long live = sums.totals().allocatedBytes() - sums.totals().releasedBytes();
      assertThat(live).isBetween(MIB / 2, 8 * MIB / 10);
      assertThat(sums.totals().pausedMicros()).isEqualTo(4_000_000);
    }
  }

  @Test
  void oneInFiftySurvives() throws IOException {
    try (TraceSource source = SyntheticTrace.SURVIVORS_SMALL.open(1, 0.1)) {
      double surviving =
          1.0 - (double) source.totals().releasedBytes() / source.totals().allocatedBytes();
      assertThat(surviving).isBetween(0.015, 0.025);
    }
  }

  private static List<String> events(SyntheticTrace trace, long seed) throws IOException {
    RecordingSink events = new RecordingSink();
    try (TraceSource source = trace.open(seed, SCALE)) {
      source.drainTo(events);
    }
    return events.events;
  }
}
