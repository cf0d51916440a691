package dev.weir.lab.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.replay.TraceRows;
import dev.weir.lab.trace.TraceReader;
import dev.weir.lab.trace.TraceWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One of the traces of other people's programs that the repository has. */
class RecordedTraceTest {
  private static final Path GRPC = Path.of("../benchmarks/capture/grpc-streaming.trace.gz");

  /** Enough to fill chunks, and a second of the recording. */
  private static final int STEPS = 60_000;

  @TempDir Path folder;

  @Test
  void whatStreamsOfGrpcAreLikeIsSaid() throws IOException {
    assertThat(Explanation.of(profile(GRPC), List.of()))
        .allSatisfy(RecordedTraceTest::isPlain)
        .hasSize(4)
        .anySatisfy(line -> assertThat(line).startsWith("199,901 buffers of 10,768 bytes"))
        .anySatisfy(line -> assertThat(line).contains("92 % end within 10 ms"))
        .anySatisfy(line -> assertThat(line).contains("The peak is 4.8 times the mean"))
        .anySatisfy(line -> assertThat(line).contains("58 % of the releases", "another thread"));
  }

  @Test
  void whatTheirBeginningDoesToAllocatorsIsSaid() throws IOException {
    Path beginning = folder.resolve("beginning.trace");
    try (TraceReader reader = TraceReader.open(GRPC);
        TraceWriter writer = TraceWriter.create(beginning)) {
      for (int step = 0; step < STEPS; step++) {
        assertThat(reader.step(writer)).isTrue();
      }
      writer.finish();
    }
    List<Map<String, @Nullable Object>> rows = TraceRows.of(beginning);
    assertThat(rows).extracting("refusals").containsOnly(0);
    assertThat(Explanation.of(profile(beginning), rows))
        .allSatisfy(RecordedTraceTest::isPlain)
        .anySatisfy(line -> assertThat(line).contains("--what-if decay=100ms"))
        .anySatisfy(line -> assertThat(line).startsWith("Under load weir decay=100ms holds "))
        .anySatisfy(line -> assertThat(line).startsWith("Under load weir+dense holds "))
        .anySatisfy(line ->
            assertThat(line).contains("After 2 s of rest", "netty-pooled ", "netty-adaptive "));
  }

  private static TraceProfile profile(Path trace) throws IOException {
    TraceProfile profile = new TraceProfile();
    try (TraceReader reader = TraceReader.open(trace)) {
      reader.drainTo(profile);
    }
    return profile;
  }

  private static void isPlain(String line) {
    assertThat(line.split("[.:;] ")).allSatisfy(RecordedTraceTest::isShort);
  }

  private static void isShort(String sentence) {
    assertThat(sentence.split(" ").length).as(sentence).isLessThanOrEqualTo(25);
  }
}
