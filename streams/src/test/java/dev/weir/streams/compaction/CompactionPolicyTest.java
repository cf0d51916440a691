package dev.weir.streams.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.manifest.SegmentEntry;
import dev.weir.streams.segments.SegmentId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which segments are merged, and what it costs; without a store. */
class CompactionPolicyTest {
  private static final long MIB = 1 << 20;
  private static final long MINUTE = 60_000;
  private static final WriteCount MUCH = new WriteCount(1_000_000 * MIB, 0);

  @Test
  void anEmptyStoreNeedsNoCompaction() {
    assertThat(CompactionPolicy.choose(List.of(), MUCH, 0)).isEmpty();
  }

  @Test
  void moreThanEightSmallSegmentsAreMergedOnceTheyAreOld() {
    List<SegmentFacts> small = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      small.add(facts(i, 0, i, 3 * MIB, 3 * MIB, 1));
    }
    assertThat(CompactionPolicy.choose(small, MUCH, 10 * MINUTE)).isEmpty();
    assertThat(CompactionPolicy.choose(small, MUCH, 11 * MINUTE)).hasSize(9);
    assertThat(CompactionPolicy.choose(small.subList(0, 8), MUCH, 11 * MINUTE)).isEmpty();
  }

  @Test
  void longExtentsAreLeftAlone() {
    List<SegmentFacts> long64 = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      long64.add(facts(i, 0, i, 64 * MIB, 64 * MIB, 2));
    }
    assertThat(CompactionPolicy.choose(long64, MUCH, 100 * MINUTE)).isEmpty();
  }

  @Test
  void segmentsOfWhichMostIsDeadAreWrittenAgain() {
    List<SegmentFacts> segments =
        List.of(facts(1, 0, 1, 64 * MIB, 31 * MIB, 1), facts(2, 0, 2, 64 * MIB, 33 * MIB, 1));
    assertThat(CompactionPolicy.choose(segments, MUCH, 3)).containsExactly(segments.get(0));
  }

  @Test
  void whatWouldWriteTooMuchWaits() {
    List<SegmentFacts> segments = List.of(facts(1, 0, 1, 640 * MIB, 310 * MIB, 1));
    assertThat(CompactionPolicy.choose(segments, new WriteCount(100 * MIB, 0), 3)).isEmpty();
    assertThat(CompactionPolicy.choose(segments, new WriteCount(300 * MIB, 0), 3)).hasSize(1);
  }

  /** Every flush has every stream: the worst case, for each segment adds an extent to each. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aThousandFlushesOfEveryStreamLeaveFewExtentsForFewWrites(boolean isLocal) {
    Simulation simulation = new Simulation(isLocal, 100_000);
    for (int i = 0; i < 1_000; i++) {
      simulation.flush();
      simulation.compact();
    }
    simulation.now += 11 * MINUTE;
    simulation.compact();
    assertThat(simulation.extentsAStream()).isLessThanOrEqualTo(16);
    assertThat(simulation.written.amplification()).isLessThanOrEqualTo(2.5);
  }

  /** With the WAL it is 2 for each byte appended. */
  @Test
  void onADiskWhatBusyStreamsHaveIsWrittenOnce() {
    Simulation simulation = new Simulation(/* isLocal= */ true, 1_000);
    for (int i = 0; i < 1_000; i++) {
      simulation.flush();
      simulation.compact();
    }
    assertThat(simulation.written.amplification()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whateverTheCountOfFlushesWritesStayBounded(boolean isLocal) {
    Simulation simulation = new Simulation(isLocal, 100_000);
    for (int i = 0; i < 2_000; i++) {
      simulation.flush();
      simulation.compact();
    }
    // A little is free: see the policy.
    assertThat(simulation.written.amplification()).isLessThanOrEqualTo(2.51);
  }

  /** Flushes of 64 MiB over 100,000 streams, and merges of what the policy names. */
  private static final class Simulation {
    private final Map<SegmentId, SegmentFacts> segments = new TreeMap<>();
    private WriteCount written = new WriteCount(0, 0);
    private long now;
    private long sequence;
    private final boolean isLocal;
    private final int streams;

    Simulation(boolean isLocal, int streams) {
      this.isLocal = isLocal;
      this.streams = streams;
    }

    void flush() {
      now += 1_000;
      add(0, 64 * MIB, streams);
      written = written.plusFlushed(64 * MIB);
    }

    void compact() {
      List<SegmentFacts> inputs = CompactionPolicy.choose(segments.values(), written, now);
      while (!inputs.isEmpty()) {
        now++;
        merge(inputs);
        inputs = CompactionPolicy.choose(segments.values(), written, now);
      }
    }

    private void merge(Collection<SegmentFacts> inputs) {
      long bytes = inputs.stream().mapToLong(SegmentFacts::liveBytes).sum();
      int generation =
          1 + inputs.stream().mapToInt(input -> input.entry().generation()).max().orElseThrow();
      inputs.forEach(input -> segments.remove(input.entry().id()));
      int outputs = (int) Math.ceilDiv(bytes, 64 * MIB);
      for (int i = 0; i < outputs; i++) {
        add(generation, Math.min(64 * MIB, bytes - i * 64 * MIB), streams / outputs);
      }
      written = written.plusCompacted(bytes);
    }

    private void add(int generation, long bytes, int extents) {
      SegmentFacts facts = facts(sequence++, generation, now, bytes, bytes, extents, isLocal);
      segments.put(facts.entry().id(), facts);
    }

    /** One for each flush that was not merged, and one for each run. */
    long extentsAStream() {
      return segments.values().stream()
          .map(segment -> segment.entry().createdMillis())
          .collect(Collectors.toSet())
          .size();
    }
  }

  private static SegmentFacts facts(
      long sequence, int generation, long created, long dataBytes, long liveBytes, int extents) {
    return facts(
        sequence, generation, created, dataBytes, liveBytes, extents, /* isLocal= */ false);
  }

  private static SegmentFacts facts(
      long sequence,
      int generation,
      long created,
      long dataBytes,
      long liveBytes,
      int extents,
      boolean isLocal) {
    return new SegmentFacts(
        new SegmentEntry(new SegmentId(0, 1, sequence), dataBytes, generation, created),
        liveBytes,
        liveBytes < extents * CompactionPolicy.coarseExtentBytes(isLocal));
  }
}
