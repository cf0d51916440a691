package dev.weir.lab.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabCommand;
import dev.weir.lab.trace.TraceWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ExplanationTest {
  private final TraceProfile trace = new TraceProfile();

  @TempDir Path folder;

  @Test
  void eachTraitOfATraceIsASentence() {
    for (int i = 0; i < 100; i++) {
      trace.allocate(0, 1_000);
      trace.thread(i % 2);
      trace.grow(0, 2_000);
      trace.release(0);
    }
    trace.allocate(0, 8 << 20);
    trace.release(0);
    assertThat(Explanation.of(trace, List.of()))
        .anySatisfy(line -> assertThat(line).startsWith("101 buffers"))
        .anySatisfy(line -> assertThat(line).startsWith("100 % end within 10 ms"))
        .anySatisfy(line -> assertThat(line).contains("times the mean"))
        .anySatisfy(line -> assertThat(line).contains("above 4 MiB"))
        .anySatisfy(line -> assertThat(line).contains("from another thread"))
        .anySatisfy(line -> assertThat(line).contains("0.99 growths"));
  }

  @Test
  void aTraceWithoutTraitsIsOneSentence() {
    trace.allocate(0, 1_000);
    trace.allocate(1, 1_000);
    trace.pause(1_000_000);
    trace.release(0);
    trace.pause(1_000_000);
    trace.release(1);
    assertThat(Explanation.of(trace, List.of())).hasSize(1);
  }

  @Test
  void theSettingThatHelpsIsNamedByWhatWeirKeeps() {
    Map<String, @Nullable Object> weir = new LinkedHashMap<>();
    weir.put("allocator", "weir");
    weir.put("peak", Map.of("dirtyBytes", 5 << 20, "freeSlotBytes", 1, "roundingBytes", 1));
    Map<String, @Nullable Object> pooled = new LinkedHashMap<>();
    pooled.put("allocator", "netty-pooled");
    pooled.put("peakResidentBytes", 64 << 20);
    pooled.put("peakLiveBytes", 8 << 20);
    pooled.put("refusals", 3);
    weir.put("meanResidentBytes", 12 << 20);
    weir.put("meanLiveBytes", 6 << 20);
    weir.put("pageFaults", 100);
    Map<String, @Nullable Object> shorter = new LinkedHashMap<>(weir);
    shorter.put("allocator", "weir decay=100ms");
    shorter.put("meanResidentBytes", 8 << 20);
    shorter.put("pageFaults", 3_000);
    shorter.put("idle", Map.of("residentBytes", 2 << 20));
    assertThat(Explanation.of(trace, List.of(weir, shorter, pooled)))
        .contains("netty-pooled refuses 3 buffers.")
        .anySatisfy(line ->
            assertThat(line).contains("netty-pooled holds up to 64.0 MiB for 8.0", "maxOrder"))
        .anySatisfy(line -> assertThat(line).contains("--what-if decay=100ms"))
        .contains(
            "Under load weir decay=100ms holds 8.0 MiB on average, weir 12.0, for 6.0 live; page"
                + " faults 3,000, weir 100.",
            "After 2 s of rest they hold, in MiB: weir decay=100ms 2.0.");
    weir.put("peak", Map.of("dirtyBytes", 1, "freeSlotBytes", 5 << 20, "roundingBytes", 1));
    assertThat(Explanation.of(trace, List.of(weir)))
        .anySatisfy(line -> assertThat(line).contains("--what-if preset=dense"));
    weir.put("peak", Map.of("dirtyBytes", 1, "freeSlotBytes", 1, "roundingBytes", 1));
    assertThat(Explanation.of(trace, List.of(weir)))
        .anySatisfy(line -> assertThat(line).contains("no setting is needed"));
  }

  @Test
  void aFileIsReplayedAndExplained() throws IOException {
    Path file = folder.resolve("small.trace");
    try (TraceWriter writer = TraceWriter.create(file)) {
      writer.allocate(0, 100_000);
      writer.release(0);
      writer.finish();
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine lab =
        new CommandLine(new LabCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true));
    assertThat(lab.execute("explain", file.toString())).as(err.toString()).isZero();
    assertThat(out.toString())
        .startsWith("1 buffers of 100,000 bytes")
        .contains("Under load weir+dense holds ")
        .containsPattern(
            "weir 0[.]\\d, weir[+]dense 0[.]\\d, .*netty-pooled 4[.]0, netty-adaptive");
    assertThat(lab.execute("explain", folder.resolve("none.trace").toString()))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("no trace '");
  }
}
